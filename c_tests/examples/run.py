"""Builds and runs the examples, and compares all that they print with what is expected.

    run.py --lib-dir DIR --include DIR --node DIR --build-dir DIR

Expected texts are the .txt files beside this one; {sqlite3} in them is the version of this machine's
sqlite3. DIR of --node is a folder into which npm has installed koffi.
"""

import argparse
import ctypes
import os
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from commands import Failure, Report, fails, run  # noqa: E402

EXAMPLES = HERE.parent.parent / "examples"
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]
COMPILED = [
    *(
        (compiler, f"c{year}", source)
        for source in ("quickstart.c", "callbacks.c")
        for compiler in ("gcc", "clang-19")
        for year in (99, 11, 17)
    ),
    *((compiler, f"c++{year}", "quickstart.cpp") for compiler in ("g++", "clang++-19") for year in (11, 20)),
]
# A right result, and what makes it wrong: an example has to notice.
SPOILED = ("pow(2, 10), 1024", "pow(2, 10), 1025")


class Examples:
    def __init__(self, options):
        self.library = options.lib_dir.resolve() / "libfarcall.so"
        self.include = options.include.resolve()
        self.build = options.build_dir.resolve()
        self.build.mkdir(parents=True, exist_ok=True)
        # Programs look for the library by its SONAME, which cargo gives to no file.
        self.links = self.build / "lib"
        self.links.mkdir(exist_ok=True)
        for name in ("libfarcall.so", "libfarcall.so.0"):
            (self.links / name).unlink(missing_ok=True)
            (self.links / name).symlink_to(self.library)
        # Node looks for koffi from where the script is.
        self.node = options.node.resolve()

    def compiled(self, compiler, standard, source):
        program = self.build / f"{source}.{compiler}.{standard}"
        command = [compiler, f"-std={standard}", *WARNINGS, EXAMPLES / source, f"-I{self.include}"]
        command += ["-o", program, f"-L{self.links}", "-lfarcall", f"-Wl,-rpath,{self.links}"]
        run(command)
        expect(run([program]), source)

    def loaded_by_argument(self, command, source):
        expect(run([*command, self.script(source), self.library, *self.header(source)]), source)

    def loaded_by_environment(self, command, source):
        environment = {"FARCALL_LIBRARY": str(self.library)}
        expect(run([*command, self.script(source)], environment, cwd=EXAMPLES), source)

    def loaded_by_name(self, command, source):
        environment = {"LD_LIBRARY_PATH": str(self.links)}
        expect(run([*command, self.script(source)], environment, cwd=EXAMPLES), source)

    def header_by_environment(self, command, source):
        environment = {"FARCALL_HEADER": str(self.include / "farcall.h")}
        copy = shutil.copy(EXAMPLES / source, self.build)
        expect(run([*command, copy, self.library], environment), source)

    def library_is_not_there(self, command, source):
        missing = self.build / "no-such-library.so"
        refused = fails([*command, self.script(source), missing, *self.header(source)])
        if "no-such-library.so" not in refused:
            raise Failure(f"it does not say what is missing:\n{refused}")

    def notices_what_is_wrong(self, command, source):
        text = (EXAMPLES / source).read_text()
        if text.count(SPOILED[0]) != 1:
            raise Failure(f"{SPOILED[0]} is not there to be spoiled")
        spoiled = self.node / f"spoiled_{source}"
        spoiled.write_text(text.replace(*SPOILED))
        if "expected 1025" not in fails([*command, spoiled, self.library, *self.header(source)]):
            raise Failure("it does not say what was expected")

    def script(self, source):
        if not source.endswith(".mjs"):
            return EXAMPLES / source
        return shutil.copy(EXAMPLES / source, self.node)

    def header(self, source):
        return [self.include / "farcall.h"] if source.endswith(".lua") else []


def expect(printed, source):
    sqlite3 = ctypes.CDLL("libsqlite3.so.0")
    sqlite3.sqlite3_libversion.restype = ctypes.c_char_p
    expected = (HERE / f"{source}.txt").read_text()
    expected = expected.replace("{sqlite3}", sqlite3.sqlite3_libversion().decode())
    lines, expected_lines = printed.splitlines(), expected.splitlines()
    for line, expected_line in zip(lines, expected_lines):
        start, anything, _ = expected_line.partition("...")
        if not (line == expected_line or anything and line.startswith(start)):
            raise Failure(f"expected: {expected_line}\ngot:      {line}")
    if len(lines) != len(expected_lines):
        raise Failure(f"expected {len(expected_lines)} lines, got {len(lines)}:\n{printed}")


def main():
    parser = argparse.ArgumentParser()
    for option in ("--lib-dir", "--include", "--node", "--build-dir"):
        parser.add_argument(option, type=Path, required=True)
    os.environ.pop("FARCALL_LIBRARY", None)
    report, examples = Report(), Examples(parser.parse_args())
    for compiler, standard, source in COMPILED:
        report.test(f"{source} ({compiler}, {standard})", examples.compiled, compiler, standard, source)
    for command, source in (
        (["python3", "-W", "error"], "from_python.py"),
        (["luajit"], "from_luajit.lua"),
        (["node"], "from_node.mjs"),
    ):
        for test in (
            examples.loaded_by_argument,
            examples.loaded_by_environment,
            examples.loaded_by_name,
            examples.library_is_not_there,
            examples.notices_what_is_wrong,
        ):
            report.test(f"{source}: {test.__name__.replace('_', ' ')}", test, command, source)
    for test in (
        examples.loaded_by_argument,
        examples.loaded_by_environment,
        examples.loaded_by_name,
        examples.library_is_not_there,
    ):
        name = f"callbacks.py: {test.__name__.replace('_', ' ')}"
        report.test(name, test, ["python3", "-W", "error"], "callbacks.py")
    report.test("from_luajit.lua: header by environment", examples.header_by_environment, ["luajit"], "from_luajit.lua")
    report.end()


if __name__ == "__main__":
    main()
