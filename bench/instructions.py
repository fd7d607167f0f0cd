#!/usr/bin/env python3
"""Counts the instructions of a call on another processor, by qemu's user emulation.

    instructions.py [--csv FILE] QEMU PROGRAM [CONTESTANT.so ...]

qemu executes one instruction at a time and writes down each of them; PROGRAM (instructions.c)
says by its marks where calls begin and end. The figures are exact, and the same in every run: what
a clock says under an emulator has nothing to do with the processor.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import threading

MARK = b"] reach_mark\n"
MARKS_OF_A_CELL = 3


def singlestep_option(qemu: str) -> str:
    """qemu 8.1 gave the option another name."""
    help_text = subprocess.run([qemu, "-help"], capture_output=True, text=True, check=False).stdout
    return "-one-insn-per-tb" if "one-insn-per-tb" in help_text else "-singlestep"


def read_trace(path: str, counts: list[int]) -> None:
    """Appends to `counts` how many instructions lie before each mark, from the one before."""
    count = 0
    with open(path, "rb", buffering=1 << 20) as trace:
        for line in trace:
            count += 1
            if line.endswith(MARK):
                counts.append(count)
                count = 0


def run(qemu: str, command: list[str]) -> tuple[list[list[str]], list[int]]:
    """What the program says of its cells, and the counts between its marks."""
    counts: list[int] = []
    with tempfile.TemporaryDirectory() as folder:
        pipe = os.path.join(folder, "trace")
        os.mkfifo(pipe)
        reader = threading.Thread(target=read_trace, args=(pipe, counts), daemon=True)
        reader.start()
        trace = [singlestep_option(qemu), "-d", "exec,nochain", "-D", pipe]
        done = subprocess.run([qemu, *trace, *command], stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"instructions.py: {command[0]} ended with {done.returncode}")
        reader.join()
    return [line.split("\t") for line in done.stdout.splitlines()], counts


def table(cells: dict[str, dict[str, float]], columns: list[str]) -> str:
    """Rows of signatures, columns of contestants."""
    title = "Instructions of a call"
    width = max(len(title), *(len(row) for row in cells))
    lines = [f"{title:{width}}" + "".join(f" {column:>15}" for column in columns)]
    for row, of_row in cells.items():
        figures = (f"{of_row[c]:15.0f}" if c in of_row else f"{'-':>15}" for c in columns)
        lines.append(f"{row:{width}} " + " ".join(figures))
    return "\n".join(lines)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--csv", help="a file for the figures")
    arguments.add_argument("qemu")
    arguments.add_argument("command", nargs="+")
    options = arguments.parse_args()
    lines, counts = run(options.qemu, options.command)
    if not lines or len(counts) != len(lines) * MARKS_OF_A_CELL:
        sys.exit(f"instructions.py: {len(counts)} marks for {len(lines)} cells")
    cells: dict[str, dict[str, float]] = {}
    columns: list[str] = []
    for number, (row, column, calls) in enumerate(lines):
        few, more = counts[number * MARKS_OF_A_CELL + 1 :][:2]
        cells.setdefault(row, {})[column] = (more - few) / int(calls)
        if column not in columns:
            columns.append(column)
    print(table(cells, columns))
    if options.csv:
        with open(options.csv, "w", encoding="utf-8") as csv:
            for row, of_row in cells.items():
                for column, figure in of_row.items():
                    csv.write(f'instructions,"{row}","{column}",{figure:g}\n')


if __name__ == "__main__":
    main()
