#!/usr/bin/env python3
"""Generates, compiles, crosses and drives random C signatures. See README.md."""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import shutil
import sys
import time

import disagreements
import emulated
from building import (BLOCK, TOOLCHAINS, Batch, CompilerCrash, Failed, blocks, build_harness, cross,
                      drive, has_avx, totals_of)
from generate import chosen_features
from emulated_check import self_check as emulated_check
from self_check import self_check

HIGHEST_SKIPPED_SHARE = 0.06


def run_batch(args, batch, reasons):
    """(passed, failed, skipped) of one block."""
    libraries = None
    while libraries is None:
        try:
            libraries = batch.link()
        except CompilerCrash as crash:
            print(f"skipped: a compiler crashes on {crash.index}")
            reasons["compiler crash"] += 1
            batch = batch.again(crash.index)
    if batch.tools.is_emulated:
        return emulated.run_block(args, batch, libraries, reasons)
    scored = batch.directory / "scored"
    cross(args, scored, libraries)
    skipped = len(batch.without)
    for line in scored.read_text().splitlines():
        words = line.split(" ", 4)
        if words[2] == "scored":
            # Of callers of function pointers.
            reasons["caller left out"] += words[1].count("0")
            continue
        skipped += 1
        reason = words[3] if words[2] in ("gcc", "clang") else words[2]
        reasons[reason] += 1
        if args.show_skipped or reason in ("unknown", "layout"):
            print(f"skipped: {line}")
    if not args.lib_dir:
        return [batch.length - skipped, 0, skipped]
    code, output = drive(args, args.build_dir / "driver", scored, libraries,
                         **({} if args.details is None else {"FCG_DETAILS": str(args.details)}))
    totals = totals_of(output)
    if totals is None:
        raise Failed(f"the driver did not finish (status {code}):\n{output[-3000:]}")
    totals[2] += len(batch.without)
    # Where compilers disagree farcall does as one of them does, so that a difference from it is a failure.
    disputed = re.search(r"of which (\d+) wrong", output)
    wrong = int(disputed[1]) if disputed else 0
    totals = [totals[0], totals[1] + wrong, totals[2] - wrong]
    if totals[1] or args.verbose:
        print(output.rstrip())
    elif " has it: " in output or "disputed)" in output:
        print("\n".join(output.splitlines()[:-2]))
    if code and not totals[1] and totals[0]:
        raise Failed(f"the driver ended with status {code}")
    return totals


def run(args):
    started = time.monotonic()
    args.build_dir.mkdir(parents=True, exist_ok=True)
    build_harness(args)
    totals, reasons, failing = [0, 0, 0], collections.Counter(), 0
    waiting = collections.deque(blocks(args.first, args.count))
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        under_way = collections.deque()
        while waiting or under_way:
            # The next block is written while the compilers are busy with this one.
            while waiting and len(under_way) < 2:
                under_way.append(Batch(args, pool, *waiting.popleft()))
            batch = under_way.popleft()
            result = run_batch(args, batch, reasons)
            totals = [a + b for a, b in zip(totals, result)]
            failing += bool(result[1])
            if not args.keep and (not result[1] or failing > 3):
                shutil.rmtree(batch.directory)
            if args.count > BLOCK:
                print(f"[{time.monotonic() - started:6.1f} s] {batch.start + batch.length} done: "
                      f"{totals[0]} passed, {totals[1]} failed, {totals[2]} skipped", flush=True)
            if failing >= args.stop_after:
                print(f"stopping after {failing} failing blocks")
                for later in under_way:
                    for job in later.jobs:
                        job.cancel()
                break
    if reasons:
        print("compilers disagree: " + ", ".join(f"{k} {v}" for k, v in sorted(reasons.items())))
    total = sum(totals)
    good = not totals[1] and totals[0] > 0
    if total >= 200 and totals[2] > HIGHEST_SKIPPED_SHARE * total:
        print(f"too many skipped: {totals[2]} of {total}")
        good = False
    if not (args.farcall if args.convention == "apple64" else args.lib_dir):
        print("farcall was not called: no --lib-dir, or for apple64 no --farcall")
    print(f"{totals[0]} passed, {totals[1]} failed, {totals[2]} skipped")
    return 0 if good else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="index of the first signature")
    parser.add_argument("--count", type=int, default=BLOCK)
    parser.add_argument("--features", default="all",
                        help="all,-name,... (avx: in every second block of signatures)")
    parser.add_argument("--boundary", type=float, default=0.3,
                        help="share of signatures that contend for the last registers")
    parser.add_argument("--convention", choices=list(TOOLCHAINS), default="sysv64")
    parser.add_argument("--build-dir", type=pathlib.Path, default=pathlib.Path("abi-build"))
    parser.add_argument("--lib-dir", type=pathlib.Path, help="where libfarcall.so is; without it "
                        "the compilers are only held against each other")
    parser.add_argument("--farcall", type=pathlib.Path, help="for apple64: the program farcall, "
                        "whose stubs are run in the emulator")
    parser.add_argument("--include", type=pathlib.Path, help="where farcall.h is")
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--unit", type=int, default=64, help="signatures in one C file")
    parser.add_argument("--details", type=int, help="failures printed in full, each block (20)")
    parser.add_argument("--stop-after", type=int, default=10, help="failing blocks")
    parser.add_argument("--show-skipped", action="store_true")
    parser.add_argument("--keep", action="store_true", help="keep the files of all blocks")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--self-check", action="store_true",
                        help="prove that the harness can fail; needs no farcall")
    parser.add_argument("--disagreements", action="store_true",
                        help="prove each reason why compilers disagree; needs no farcall")
    args = parser.parse_args()
    args.features = chosen_features(args.features)
    if TOOLCHAINS[args.convention].machine == "x86_64" and not has_avx():
        args.features.discard("avx")
    try:
        lacking = TOOLCHAINS[args.convention].lacks()
        if lacking:
            raise Failed(f"these programs are lacking: {', '.join(lacking)}")
        if args.disagreements:
            return disagreements.prove(args)
        if args.self_check:
            return emulated_check(args) if args.convention == "apple64" else self_check(args)
        return run(args)
    except Failed as problem:
        print(problem)
        print("0 passed, 1 failed, 0 skipped")
        return 1


if __name__ == "__main__":
    sys.exit(main())
