"""Proves that emulated.py notices what it is there to notice: farcall's stubs and receivers with one
thing made wrong at a time, and expected bytes changed."""

import concurrent.futures
import shutil
import struct

from building import Batch, Failed
from emulated import BASES, Emulator, Library, Trial, Wrong, stubs_of

BTI = bytes.fromhex("5f2403d5")


def words(*codes):
    return b"".join(struct.pack("<I", code) for code in codes)


RET = words(0xD65F03C0)
# What stands before a stub, and what must be said. x0 is the result's memory, x1 the arguments' array.
BEFORE = {
    "x19 was changed": words(0x91000673),                           # add x19, x19, #1
    "x18 was changed": words(0x91000652),                           # add x18, x18, #1
    "d8 was changed": words(0x9E6703E8),                            # fmov d8, xzr
    "bytes before the result were written":
        words(0x528014A9, 0x381FF009),                              # mov w9, #165; sturb w9, [x0, #-1]
    "UC_ERR_READ_UNMAPPED":
        words(0xF9400029, 0x397FFD29),                              # ldr x9, [x1]; ldrb w9, [x9, #4095]
}


def expect_of_receiver(expect, library, position, in_slots, receiver):
    def run(trial, code):
        trial.into_receiver(code, in_slots, 0)

    case = library.cases[position]
    expect("nothing", position, receiver, run=run)
    for message in ("x19 was changed", "x18 was changed", "d8 was changed"):
        expect(message, position, BEFORE[message] + receiver, run=run)
    for argument, (value, _) in enumerate(library.params(position)):
        if value.size and value.leaf_count and argument < 3:
            expect(f"argument {argument} ", position, receiver, argument, run)
    if case.result.size and case.result.leaf_count:
        expect("the result:", position, receiver, -1, run)


def self_check(args):
    if not args.farcall:
        raise Failed("the self-check of apple64 needs --farcall")
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        batch = Batch(args, pool, 0, 60)
        objects = batch.link()
    emulator = Emulator()
    name, files = objects[0]
    library = Library(emulator, name, files, BASES[0])
    stubs = [bytes.fromhex(line) for line in stubs_of(args, batch, batch.signatures, False)]
    receivers = {in_slots: stubs_of(args, batch, batch.signatures, in_slots, of_callbacks=True)
                 for in_slots in (False, True)}
    passed = failed = 0

    def expect(message, position, stub, spoilt=None, run=lambda t, s: t.from_stub(s, False, 0)):
        nonlocal passed, failed
        said = "nothing"
        try:
            run(Trial(emulator, library, position, spoilt), stub)
        except Wrong as wrong:
            said = str(wrong)
        if message in said:
            passed += 1
        else:
            failed += 1
            print(f"F{library.cases[position].index}: {message}: {said}")

    for position, stub in enumerate(stubs):
        case = library.cases[position]
        expect("nothing", position, stub)
        expect("0 calls arrived", position, BTI + RET)
        expect("x19 was changed", position, BEFORE["x19 was changed"] + stub)
        expect("x18 was changed", position, BEFORE["x18 was changed"] + stub)
        expect("d8 was changed", position, BEFORE["d8 was changed"] + stub)
        if case.result.size:
            message = "bytes before the result were written"
            expect(message, position, BEFORE[message] + stub)
        params = library.params(position)
        for argument, (value, _) in enumerate(params):
            if value.size and value.leaf_count and argument < 3:
                expect(f"argument {argument} ", position, stub, argument)
        if params and 0 < params[0][0].size < 4000:
            message = "UC_ERR_READ_UNMAPPED"
            expect(message, position, BEFORE[message] + stub)
        if case.result.size and case.result.leaf_count:
            expect("the result is wrong", position, stub, -1)
        for in_slots in (False, True):
            if not case.variadic:
                expect_of_receiver(expect, library, position, in_slots,
                                   bytes.fromhex(receivers[in_slots][position]))
    if not args.keep:
        shutil.rmtree(batch.directory)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed or not passed else 0
