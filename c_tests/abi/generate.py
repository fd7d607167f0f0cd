#!/usr/bin/env python3
"""Writes one batch of random C signatures as C files. See README.md; run.py is the way to run."""

import argparse
import pathlib
import sys

from generator.conventions import CONVENTIONS, SYSV64
from generator.draw import FEATURES, Drawer
from generator.emit import emit_code, emit_index, emit_receivers, emit_tables, emit_types


def chosen_features(text):
    """"all", "all,-avx", or a list of names."""
    features = set()
    for word in text.split(","):
        if word == "all":
            features |= set(FEATURES)
        elif word.startswith("-") and word[1:] in FEATURES:
            features.discard(word[1:])
        elif word in FEATURES:
            features.add(word)
        elif word:
            sys.exit(f"unknown feature {word!r}; known: all, {', '.join(FEATURES)}")
    return features


def generate(directory, seed, first, count, features, boundary, unit, without=frozenset(),
             convention=SYSV64, receivers=False):
    """Returns the signatures, and the numbers of the units written: types_K.h, code_K.c and
    tables_K.c for each, and receivers_K.c if they are asked for. Signatures whose indexes are in `without` are left out."""
    directory = pathlib.Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    signatures = [Drawer(seed, index, features, boundary, convention).signature()
                  for index in range(first, first + count) if index not in without]
    units = []
    for number, start in enumerate(range(0, len(signatures), unit)):
        part = signatures[start:start + unit]
        header = f"types_{number}.h"
        (directory / header).write_text(emit_types(part))
        (directory / f"code_{number}.c").write_text(emit_code(part, header))
        (directory / f"tables_{number}.c").write_text(emit_tables(part, header, seed))
        if receivers:
            (directory / f"receivers_{number}.c").write_text(emit_receivers(part, header))
        units.append(number)
    (directory / "index.c").write_text(emit_index(signatures))
    return signatures, units


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=250)
    parser.add_argument("--features", default="all,-avx")
    parser.add_argument("--boundary", type=float, default=0.3)
    parser.add_argument("--unit", type=int, default=32, help="signatures in one C file")
    parser.add_argument("--convention", choices=list(CONVENTIONS), default="sysv64")
    parser.add_argument("directory")
    args = parser.parse_args()
    generate(args.directory, args.seed, args.first, args.count, chosen_features(args.features),
             args.boundary, args.unit, convention=CONVENTIONS[args.convention])


if __name__ == "__main__":
    main()
