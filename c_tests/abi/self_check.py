"""Proves that the harness notices what it is there to notice, without farcall: the driver runs
against runtime/stand_in.c, which does right, and then one thing wrong at a time."""

import concurrent.futures
import shutil

from building import (CONTRACT, HARNESS, RUNTIME, TOOLCHAINS, Batch, Failed, build_driver,
                      build_harness, command, cross, drive, run_program, totals_of)

# What FCG_SPOIL_STATE() does to each machine.
STATE_FAULT = {"x86_64": "the direction flag is set", "aarch64": "FPCR was changed"}

# STAND_IN_FAULT, and what the driver must say.
FAULTS = {
    "layout": "has size",
    "bit": "is at bit",
    "argument": "wrong inside the callee",
    "result": "the result is wrong",
    "extension": "the result's slot is wrong",
    "overread": "Segmentation fault",
    "overwrite": "bytes after the result were written",
    "caller's copy": "the caller's copy of argument 0 was changed",
    "twice": "2 calls arrived",
    "errno": "was captured, not",
    "crash": "Segmentation fault",
}


def self_check(args):
    passed = failed = 0

    def expect(good, what, output=""):
        nonlocal passed, failed
        passed += bool(good)
        failed += not good
        if not good:
            print(f"NOT NOTICED: {what}\n{output[-3000:]}")

    out = args.build_dir
    out.mkdir(parents=True, exist_ok=True)
    header = ["-I", str(args.include or CONTRACT)]
    stand_in = out / "stand-in"
    stand_in.mkdir(exist_ok=True)
    args.lib_dir = None
    build_harness(args)
    tools = TOOLCHAINS[args.convention]
    machine = tools.machine_flags()
    command(tools.gcc + HARNESS + header + machine + ["-fPIC", "-shared", RUNTIME / "stand_in.c", "-o",
             stand_in / "libfarcall.so", "-ldl"])
    driver = out / "driver-stand-in"
    build_driver(tools, driver, stand_in, header)

    test = out / "canary-test"
    command(tools.gcc + HARNESS + machine + [RUNTIME / tools.machine / "canary.c",
            RUNTIME / "canary_test.c", "-o", test])
    code, output = run_program(tools, [test])
    print(output.strip())
    expect(code == 0, "canary", output)

    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        batch = Batch(args, pool, 0, 60)
        libraries = batch.link()
    scored = batch.directory / "scored"
    cross(args, scored, libraries)

    code, output = drive(args, driver, scored, libraries)
    expect(code == 0 and totals_of(output)[0] > 50, "the right stand-in passes", output)

    faults = {**FAULTS, "flag": STATE_FAULT[tools.machine]}
    if args.convention == "win64":
        faults["one register"] = "not in both registers of its position"
    for name, message in faults.items():
        code, output = drive(args, driver, scored, libraries, STAND_IN_FAULT=name)
        totals = totals_of(output)
        expect(code == 1 and totals and totals[1] > 0 and message in output, name, output)

    # One expected byte changed: of every argument and the result of some signatures.
    lines = [l for l in scored.read_text().splitlines() if l.endswith(" scored")]
    spoilt = 0
    for line in lines[:12]:
        index = line.split()[0]
        for argument in [-1, 0, 1, 2, 3]:
            code, output = drive(args, driver, scored, libraries,
                                     FCG_SPOIL=f"{index}:{argument}")
            if code == 2:
                continue           # no such argument, or one without bytes
            spoilt += 1
            said = "the result" if argument < 0 else f"argument {argument} "
            totals = totals_of(output)
            expect(code == 1 and totals and totals[1] == 1 and f"FAILED F{index}:" in output
                   and said in output, f"a changed byte: F{index}, {said}", output)
    expect(spoilt > 20, "enough bytes were changed")

    # Nothing to run is no success.
    nothing = batch.directory / "nothing"
    nothing.write_text("".join(l.split()[0] + " D2\n" for l in scored.read_text().splitlines()))
    code, output = drive(args, driver, nothing, libraries)
    expect(code == 1 and totals_of(output)[0] == 0, "nothing executed", output)

    if not args.keep:
        shutil.rmtree(batch.directory)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed or not passed else 0
