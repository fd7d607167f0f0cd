"""The library exports exactly the functions that the header declares.

    symbols.py LIBRARY HEADER CC NM

A static library "exports" its global symbols.
"""

import re
import subprocess
import sys


# Debuggers look for these. No program calls them.
FOR_DEBUGGERS = {"__jit_debug_descriptor", "__jit_debug_register_code"}


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def exported(library, nm):
    table = "--extern-only" if library.endswith(".a") else "--dynamic"
    lines = output(nm, table, "--defined-only", "--format=posix", library).splitlines()
    return {line.split()[0] for line in lines if not line.endswith(":")}


def declared(header, cc):
    """A name before a parenthesis: function pointers have theirs inside of one."""
    return set(re.findall(r"\b(fc_\w+)\s*\(", output(cc, "-E", "-P", header)))


def main(library, header, cc, nm):
    exports, functions = exported(library, nm) - FOR_DEBUGGERS, declared(header, cc)
    for name in sorted(exports - functions):
        print(f"exported and not declared: {name}")
    for name in sorted(functions - exports):
        print(f"declared and not exported: {name}")
    print(f"{len(functions)} functions declared, {len(exports)} symbols exported")
    sys.exit(exports != functions or not functions)


if __name__ == "__main__":
    main(*sys.argv[1:])
