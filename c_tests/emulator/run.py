#!/usr/bin/env python3
"""Runs stubs of all four conventions in a CPU emulator. See README.md."""

import argparse
import collections
import pathlib
import random
import subprocess
import sys
import time

from check import Trial
from receive import Reception
from draw import Drawer
from machine import Machine, Wrong
from places import expected_places, read
from self_check import self_check

ARCHITECTURES = {"sysv64": "x86_64", "win64": "x86_64", "aapcs64": "aarch64", "apple64": "aarch64"}
FORMS = [(in_slots, errno) for in_slots in (False, True) for errno in (False, True)]
FORM_NAMES = {False: "pointers", True: "slots"}
HIGHEST_REFUSED_SHARE = 0.05


def ask(program, words, lines):
    """A line of farcall's for each prototype."""
    done = subprocess.run([str(program)] + words + ["-"], input="".join(f"{p}\n" for p in lines),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    answers = done.stdout.splitlines()
    if len(answers) != len(lines):
        sys.exit(f"farcall {' '.join(words)}: {len(answers)} answers to {len(lines)} prototypes\n"
                 f"{done.stderr}")
    return answers


def check_places(convention, prototype, call):
    """Plain prototypes: what farcall says against what the standard says, worked out here."""
    if prototype.result is None or None in prototype.kinds:
        return False
    wanted = expected_places(convention, prototype.kinds, prototype.fixed, prototype.result)
    got = [value.places for value in call.parameters]
    if got != wanted:
        raise Wrong(f"arguments are in {got}, and should be in {wanted}")
    return True


def receivers_of(args, convention, lines, in_slots):
    words = ["disasm", "--callback", "--bytes"] + ["--slots"] * in_slots + ["--abi", convention]
    return ask(args.farcall, words, lines)


def receive(machine, prototype, call, receiver, in_slots, chance):
    """Calls into a receiver. Of variadic functions there are none."""
    if prototype.is_variadic:
        if not receiver.startswith("error: ") or "variadic" not in receiver:
            raise Wrong(f"a variadic signature, and farcall says {receiver[:60]!r}")
        return False
    if receiver.startswith("error: "):
        raise Wrong(receiver)
    Reception(machine, call, bytes.fromhex(receiver), in_slots, prototype.signs,
              prototype.result_sign, chance).run()
    return True


def watched(convention):
    machine = Machine(ARCHITECTURES[convention])
    machine.watch()
    if machine.architecture == "aarch64":
        # Here every instruction that uses it would fault.
        machine.watch_stack_pointer()
    return machine


def run_convention(args, convention, totals):
    machine = watched(convention)
    indexes = range(args.first, args.first + args.count)
    prototypes = [Drawer(args.seed, index, convention).prototype() for index in indexes]
    lines = [prototype.line for prototype in prototypes]
    abi = ["--abi", convention]
    places = ask(args.farcall, ["explain", "--places"] + abi, lines)
    stubs = {}
    for in_slots, errno in FORMS:
        words = ["disasm", "--bytes"] + ["--slots"] * in_slots + ["--errno"] * errno + abi
        stubs[in_slots, errno] = ask(args.farcall, words, lines)
    receivers = {in_slots: receivers_of(args, convention, lines, in_slots) for in_slots in FORM_NAMES}
    for position, (index, prototype) in enumerate(zip(indexes, prototypes)):
        if places[position].startswith("error: "):
            totals["refused"] += 1
            if args.verbose:
                print(f"refused: {convention} {index}: {prototype.line}\n  {places[position]}")
            continue
        call = read(places[position])
        shown = "places"
        try:
            totals["plain"] += check_places(convention, prototype, call)
            for in_slots, errno in FORMS:
                shown = FORM_NAMES[in_slots] + (", errno" if errno else "")
                stub = bytes.fromhex(stubs[in_slots, errno][position])
                chance = random.Random(f"{args.seed}/{index}/{in_slots}/{errno}")
                Trial(machine, call, stub, in_slots, errno, chance).run()
            for in_slots, form in FORM_NAMES.items():
                shown = f"callback for {form}"
                chance = random.Random(f"{args.seed}/{index}/callback/{in_slots}")
                totals["callbacks"] += receive(machine, prototype, call,
                                               receivers[in_slots][position], in_slots, chance)
        except Wrong as wrong:
            totals["failed"] += 1
            print(f"FAIL {convention} {index} ({shown}): {wrong}\n  {prototype.line}\n"
                  f"  {places[position]}")
        else:
            totals["passed"] += 1


def check_the_checks(args):
    problems = []
    for convention in args.conventions:
        machine = watched(convention)
        prototypes = [Drawer(args.seed, index, convention).prototype()
                      for index in range(args.first, args.first + args.count)]
        lines = [prototype.line for prototype in prototypes]
        abi = ["--abi", convention]
        places = ask(args.farcall, ["explain", "--places"] + abi, lines)
        stubs = ask(args.farcall, ["disasm", "--bytes"] + abi, lines)
        problems += self_check(machine, [(read(place), bytes.fromhex(stub))
                                         for place, stub in zip(places, stubs)
                                         if not place.startswith("error: ")],
                               [((prototype, read(place), in_slots), bytes.fromhex(receiver))
                                for in_slots in FORM_NAMES
                                for prototype, place, receiver in zip(
                                    prototypes, places,
                                    receivers_of(args, convention, lines, in_slots))
                                if not receiver.startswith("error: ")])
    print("\n".join(problems) or "the checks find what is wrong")
    return 1 if problems else 0


def run(args):
    started = time.monotonic()
    totals = collections.Counter()
    for convention in args.conventions:
        before = totals["passed"]
        run_convention(args, convention, totals)
        print(f"[{time.monotonic() - started:6.1f} s] {convention}: "
              f"{totals['passed'] - before} passed", flush=True)
    total = sum(totals[name] for name in ("passed", "failed", "refused"))
    print(f"{totals['plain']} of them plain, whose places were worked out twice; "
          f"{totals['callbacks']} receivers of callbacks")
    print(f"{totals['passed']} passed, {totals['failed']} failed, {totals['refused']} refused")
    if totals["refused"] > HIGHEST_REFUSED_SHARE * total:
        print("too many are refused")
        return 1
    return 0 if totals["passed"] and not totals["failed"] else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--farcall", type=pathlib.Path, required=True, help="the program")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="index of the first prototype")
    parser.add_argument("--count", type=int, default=250, help="prototypes of each convention")
    parser.add_argument("--conventions", type=lambda text: text.split(","),
                        default=list(ARCHITECTURES), help="with commas between them")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--self-check", action="store_true", help="prove that the checks can fail")
    args = parser.parse_args()
    return check_the_checks(args) if args.self_check else run(args)


if __name__ == "__main__":
    sys.exit(main())
