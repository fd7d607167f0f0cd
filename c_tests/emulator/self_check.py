"""Proves that the checks can fail: stubs with a fault in them must be found out."""

import random

from check import Trial
from machine import Wrong
from receive import Reception

# Instructions put behind the landing pad, and a part of what is to be said of each.
FAULTS = {
    "x86_64": {
        "31db": "rbx was",                      # xor ebx, ebx
        "4d31e4": "r12 was",                    # xor r12, r12
        "50": "sp",                             # push rax
        "48894424c0": "writes",                 # mov [rsp - 64], rax
        "488947f8": "writes",                   # mov [rdi - 8], rax
        "488946f8": "writes",                   # mov [rsi - 8], rax
        "488b46f8": "no value's",               # mov rax, [rsi - 8]
        "488b442410": "no value's",             # mov rax, [rsp + 16]
        "d9e8": "x87",                          # fld1
        "64488b042500000000": "thread's",       # mov rax, fs:[0]
    },
    "aarch64": {
        "130080d2": "x19 was",                  # mov x19, 0
        "f20309aa": "x18 was",                  # mov x18, x9
        "08e4006f": "v8 was",                   # movi v8.2d, 0
        "ff4300d1": "sp",                       # sub sp, sp, 16
        "ff2300d1ff230091": "always",           # sub sp, sp, 8; add sp, sp, 8
        "e9031cf8": "writes",                   # stur x9, [sp, -64]
        "09801ff8": "writes",                   # stur x9, [x0, -8]
        "29801ff8": "writes",                   # stur x9, [x1, -8]
        "29805ff8": "no value's",               # ldur x9, [x1, -8]
        "e90b40f9": "no value's",               # ldr x9, [sp, 16]
        "5dd03bd5": "x29",                      # mrs x29, tpidr_el0
    },
}
# The same of receivers.
RECEIVER_FAULTS = {
    "x86_64": {
        "31db": "rbx was",                      # xor ebx, ebx
        "4d31e4": "r12 was",                    # xor r12, r12
        "50": "sp is",                          # push rax
        "48894424c0": "below",                  # mov [rsp - 64], rax
        "49894318": "writes",                   # mov [r11 + 24], rax
        "498b4320": "no value's",               # mov rax, [r11 + 32]
        "488b8424f80f0000": "no value's",       # mov rax, [rsp + 4088]
        "d9e8": "x87",                          # fld1
        "64488b042500000000": "no value's",     # mov rax, fs:[0]
        "4983c340": "fetch",                    # add r11, 64
    },
    "aarch64": {
        "130080d2": "x19 was",                  # mov x19, 0
        "f20309aa": "x18 was",                  # mov x18, x9
        "08e4006f": "v8 was",                   # movi v8.2d, 0
        "ff4300d1": "frame",                    # sub sp, sp, 16
        "ff2300d1ff230091": "always",           # sub sp, sp, 8; add sp, sp, 8
        "e9031cf8": "outside",                  # stur x9, [sp, -64]
        "290e00f9": "writes",                   # str x9, [x17, 24]
        "291240f9": "no value's",               # ldr x9, [x17, 32]
        "e9ff47f9": "no value's",               # ldr x9, [sp, 4088]
        "5dd03bd5": "x29",                      # mrs x29, tpidr_el0
        "31020191": "fetch",                    # add x17, x17, 64
    },
}
LANDING_PAD = 4
MANY = 20
LOWEST_FOUND_SHARE = 0.8


def fault_of(machine, call, stub, seed):
    try:
        Trial(machine, call, stub, False, False, random.Random(seed)).run()
    except Wrong as wrong:
        return str(wrong)
    return None


def receiver_fault_of(machine, received, receiver, seed):
    prototype, call, in_slots = received
    try:
        Reception(machine, call, receiver, in_slots, prototype.signs, prototype.result_sign,
                  random.Random(seed)).run()
    except Wrong as wrong:
        return str(wrong)
    return None


def self_check(machine, calls, receptions):
    """`calls` are (call, stub for pointers) of one convention, `receptions` ((prototype, call, whether in
    slots), receiver). What of the checks went wrong."""
    convention = calls[0][0].convention
    return check(machine, f"{convention}, stubs", calls, FAULTS, fault_of) + check(
        machine, f"{convention}, receivers", receptions, RECEIVER_FAULTS, receiver_fault_of)


def check(machine, what, calls, faults, fault_of):
    problems = []
    for code, expected in faults[machine.architecture].items():
        said = []
        for number, (call, stub) in enumerate(calls[:MANY]):
            faulty = stub[:LANDING_PAD] + bytes.fromhex(code) + stub[LANDING_PAD:]
            said.append(fault_of(machine, call, faulty, number))
        if None in said or not any(expected in text for text in said):
            problems.append(f"{what}: {code}, which is wrong: {said}")
    chance = random.Random("faults")
    found, tried = 0, 0
    for number, (call, stub) in enumerate(calls):
        at = chance.randrange(LANDING_PAD * 8, len(stub) * 8)
        faulty = bytearray(stub)
        faulty[at // 8] ^= 1 << at % 8
        # Some bits change nothing that matters: which scratch register is used, how a number is
        # written.
        tried += 1
        found += fault_of(machine, call, bytes(faulty), number) is not None
    if found < LOWEST_FOUND_SHARE * tried:
        problems.append(f"{what}: only {found} of {tried} wrong bits were found")
    print(f"{what}: {found} of {tried} wrong bits were found")
    return problems
