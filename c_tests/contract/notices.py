"""Shows that the contract's check can fail: changes a copy of contract.h in each way that
matters, and expects that it no longer passes for the contract.

    notices.py CC CXX CONTRACT GENERATED_DIR WORK_DIR
"""

import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).parent

# (what it is, text in contract.h, text instead)
CHANGES = [
    ("nothing", "", ""),
    ("an enumerator's number", "FC_ERR_LOAD = 4,", "FC_ERR_LOAD = 40,"),
    ("an enumerator that is not there", "FC_OPEN_DEEPBIND = 8", "FC_OPEN_DEEP = 8"),
    ("an integer for an enum", "} fc_abi;", "} fc_abi_enum;\ntypedef uint32_t fc_abi;"),
    ("a field's type, same size", "uint32_t       bits;", "int32_t        bits;"),
    ("a field's constness", "const fc_type *type;\n  uint32_t", "fc_type *type;\n  uint32_t"),
    ("the order of fields", "uint32_t pack;", "uint32_t align_; uint32_t pack;"),
    ("a field's size", "bytes[8];", "bytes[7];"),
    ("a struct for a union", "typedef union fc_slot", "typedef struct fc_slot"),
    ("the order of parameters", "(const fc_type *element, size_t length,",
     "(size_t length, const fc_type *element,"),
    ("a parameter's constness", "void      fc_type_free(fc_type *type);",
     "void      fc_type_free(const fc_type *type);"),
    ("a parameter's type, same size", "size_t count, size_t fixed", "size_t count, int64_t fixed"),
    ("a result's type, same size", "int         fc_error_os(void);", "unsigned fc_error_os(void);"),
    ("a function that is not there", "int       fc_captured_errno(void);", ""),
    ("a function pointer's type", "typedef void (*fc_entry)(void *ret,",
     "typedef void (*fc_entry)(const void *ret,"),
    ("a constant's type", "#define FC_BITS_ZERO UINT32_MAX", "#define FC_BITS_ZERO 4294967295LL"),
]


def output_of(cc, source, header, generated, program):
    """What the program prints; None if it does not compile."""
    std = "-std=c++11" if source.endswith(".cpp") else "-std=c11"
    command = [cc, std, f'-DHEADER="{header}"', f"-I{generated}", str(HERE / source)]
    links = not source.startswith("redeclare")
    command += ["-o", str(program)] if links else ["-fsyntax-only"]
    # The functions are named and not called: nothing of the library is needed.
    if subprocess.run([*command, "-w"], capture_output=True).returncode != 0:
        return None
    return subprocess.run([str(program)], check=True, capture_output=True).stdout if links else b""


def main(cc, cxx, contract, generated, work):
    compilers = [(cc, "layout.c"), (cxx, "types.cpp"), (cc, "redeclare.c"), (cxx, "redeclare.cpp")]
    work = pathlib.Path(work)
    work.mkdir(parents=True, exist_ok=True)
    original = pathlib.Path(contract).read_text()
    expected = {}
    failures = 0
    for what, old, new in CHANGES:
        if original.count(old) != 1 and old:
            sys.exit(f"{what}: its text stands {original.count(old)} times in contract.h")
        changed = work / "changed.h"
        changed.write_text(original.replace(old, new) if old else original)
        seen_by = []
        for compiler, source in compilers:
            got = output_of(compiler, source, changed, generated, work / "program")
            if not old:
                expected[source] = got
                failures += got is None
            elif got != expected[source]:
                seen_by.append(source)
        failures += bool(old) and not seen_by
        print(f"{what}: {'seen by ' + ', '.join(seen_by) if seen_by else 'not seen'}")
    print(f"{len(CHANGES)} changes, {failures} failures")
    sys.exit(failures != 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
