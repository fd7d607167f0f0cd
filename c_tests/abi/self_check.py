"""Proves that the harness notices what it is there to notice, without farcall: the driver runs
against runtime/stand_in.c, which does right, and then one thing wrong at a time."""

import concurrent.futures
import shutil

from building import (CONTRACT, HARNESS, RUNTIME, TOOLCHAINS, Batch, Failed, build_driver,
                      build_harness, command, cross, drive, run_program, totals_of)

# What FCG_SPOIL_STATE() and FCG_SPOIL_KEPT() do to each machine.
STATE_FAULT = {"x86_64": "the direction flag is set", "aarch64": "FPCR was changed"}
KEPT_FAULT = {"x86_64": "r14 was changed", "aarch64": "x27 was changed"}

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
# The same of callbacks.
CALLBACK_FAULTS = {
    "callback argument": "is wrong in the handler",
    "callback's last byte": "is wrong in the handler",
    "unaligned pointer": "in the handler: at 0x",
    "slot's extension": "is wrong in the handler's slot",
    "slot's rest": "is wrong in the handler's slot",
    "user": "user is (nil) in the handler",
    "handled twice": "the handler was called 2 times, not 1",
    "callback's result": "the result:",
    "callback's extension": "the result:",
    "result's register": "the result:",
    "late handler": "the handler was called 1 times, not 0",
    "late default": "fc_callback_new, freed",
    "late zeros": "the result:",
    "late count": "0 late calls were counted, not 1",
    "release": "release was called 0 times",
    "variadic": "a callback was made of a variadic signature",
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
    build_driver(args, driver, stand_in, header)

    test = out / "canary-test"
    command(tools.gcc + HARNESS + machine + [RUNTIME / tools.machine / "canary.c",
            RUNTIME / "canary_test.c", "-o", test])
    code, output = run_program(tools, [test])
    print(output.strip())
    expect(code == 0, "canary", output)

    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        batch = Batch(args, pool, 0, 60, receivers=True)
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

    # The half for callbacks by itself.
    code, output = drive(args, driver, scored, libraries, FCG_ONLY="callbacks")
    expect(code == 0 and totals_of(output)[0] > 50, "right callbacks pass", output)
    faults = {**CALLBACK_FAULTS, "state": STATE_FAULT[tools.machine],
              "kept register": KEPT_FAULT[tools.machine]}
    for name, message in faults.items():
        code, output = drive(args, driver, scored, libraries, FCG_ONLY="callbacks",
                             FCG_DETAILS="1000", STAND_IN_FAULT=name)
        totals = totals_of(output)
        expect(code == 1 and totals and totals[1] > 0 and message in output, name, output)
        print(f"{name}: found in {totals[1] if totals else 0}")

    # One expected byte changed: of every argument and the result of some signatures.
    lines = [l for l in scored.read_text().splitlines() if l.endswith(" scored")]
    spoilt = 0
    for line in lines[:12]:
        index = line.split()[0]
        for argument in [-1, 0, 1, 2, 3]:
            said = "the result" if argument < 0 else f"argument {argument} "
            for half in ["calls", "callbacks"]:
                if half == "callbacks" and "1" not in line.split()[1]:
                    continue       # a variadic function
                code, output = drive(args, driver, scored, libraries, FCG_ONLY=half,
                                     FCG_SPOIL=f"{index}:{argument}")
                if code == 2:
                    continue       # no such argument, or one without bytes
                spoilt += 1
                totals = totals_of(output)
                expect(code == 1 and totals and totals[1] == 1 and f"FAILED F{index}:" in output
                       and said in output, f"a changed byte: F{index}, {said}, {half}", output)
    expect(spoilt > 20, "enough bytes were changed")

    # Nothing to run is no success.
    nothing = batch.directory / "nothing"
    nothing.write_text("".join(" ".join(l.split()[:2]) + " D2\n" for l in scored.read_text().splitlines()))
    code, output = drive(args, driver, nothing, libraries)
    expect(code == 1 and totals_of(output)[0] == 0, "nothing executed", output)

    if not args.keep:
        shutil.rmtree(batch.directory)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed or not passed else 0
