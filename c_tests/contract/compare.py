"""Compares what two programs print, line by line.

    compare.py PROGRAM PROGRAM [EMULATOR...]
"""

import difflib
import subprocess
import sys


def lines(program, emulator):
    run = subprocess.run([*emulator, program], check=True, capture_output=True, text=True)
    return run.stdout.splitlines()


def main(contract, header, *emulator):
    expected, got = lines(contract, emulator), lines(header, emulator)
    difference = list(difflib.unified_diff(expected, got, "contract.h", "farcall.h", "", "", 1, ""))
    print("\n".join(difference))
    print(f"{len(expected)} lines, {'different' if difference else 'the same'}")
    sys.exit(bool(difference) or not expected)


if __name__ == "__main__":
    main(*sys.argv[1:])
