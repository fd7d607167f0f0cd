"""Compiles generated blocks of signatures and the programs that run them."""

import collections
import concurrent.futures
import dataclasses
import os
import pathlib
import re
import shutil
import subprocess

from generate import generate
from generator.conventions import CONVENTIONS

HERE = pathlib.Path(__file__).resolve().parent
RUNTIME = HERE / "runtime"
CONTRACT = HERE.parent / "contract"
# A signature's features depend on its block alone, so that it is the same however it is asked for.
BLOCK = 250
GCC_FLAGS = ["-Wno-psabi", "-Wno-packed-bitfield-compat"]
CLANG_FLAGS = ["-Wno-psabi", "-fno-crash-diagnostics"]
LEVELS = ["O0", "O2"]
FLAGS = ["-std=gnu11", "-pipe", "-fPIC", "-w", "-fvisibility=hidden", "-fno-strict-aliasing",
         "-fno-asynchronous-unwind-tables", "-I", str(RUNTIME)]
HARNESS = ["-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-I", str(RUNTIME)]


@dataclasses.dataclass(frozen=True)
class Toolchain:
    machine: str                  # the folder of runtime/ with its assembler parts
    compilers: dict               # of the callees
    gcc: list                     # of the programs, and for linking
    runner: list                  # what a program is started with
    is_emulated: bool = False     # no system here runs the callees, which stay objects

    def machine_flags(self):
        return ["-I", str(RUNTIME / self.machine)]

    def lacks(self):
        words = [c[0] for c in self.compilers.values()] + self.gcc[:1] + self.runner[:1]
        return [w for w in words if not shutil.which(w)]


X86_64 = Toolchain("x86_64", {"gcc": ["gcc"] + GCC_FLAGS, "clang": ["clang-19"] + CLANG_FLAGS},
                   ["gcc"], [])
# The prefix of Debian's cross libraries. The programs find the C library by themselves: told of
# this folder by -L, qemu would load parts of two C libraries where the system has one of its own.
CROSS = "/usr/aarch64-linux-gnu"
AARCH64 = Toolchain(
    "aarch64", {"gcc": ["aarch64-linux-gnu-gcc"] + GCC_FLAGS,
                "clang": ["clang-19", "--target=aarch64-linux-gnu", "-isystem",
                          f"{CROSS}/include"] + CLANG_FLAGS},
    ["aarch64-linux-gnu-gcc"], ["qemu-aarch64"])
# Only clang compiles for macOS, and here without any of its headers and libraries.
APPLE = Toolchain(
    "aarch64", {"clang": ["clang-19", "--target=arm64-apple-macos13", "-ffreestanding",
                          "-nostdlibinc", "-fno-stack-protector", "-isystem",
                          str(RUNTIME / "freestanding")] + CLANG_FLAGS},
    [], [], is_emulated=True)
TOOLCHAINS = {"sysv64": X86_64, "win64": X86_64, "aapcs64": AARCH64,
              "apple64": APPLE}


class Failed(Exception):
    pass


class CompilerCrash(Failed):
    """A compiler crashed on the code of one signature."""

    def __init__(self, index, message):
        super().__init__(message)
        self.index = index


def command(words):
    done = subprocess.run(["nice"] + [str(w) for w in words], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        message = " ".join(map(str, words)) + "\n" + done.stdout[-6000:]
        # gcc 12 crashes on some va_arg of a vector, clang 19 on some copies of odd structs.
        crashes = ("internal compiler error", "PLEASE submit a bug report")
        culprit = re.search(r"\b(?:body|F|call|into)(\d+)\b", done.stdout)
        if culprit and any(crash in done.stdout for crash in crashes):
            raise CompilerCrash(int(culprit[1]), message)
        raise Failed(message)
    return done.stdout


def has_avx():
    try:
        return " avx " in pathlib.Path("/proc/cpuinfo").read_text()
    except OSError:
        return False


def blocks(first, count):
    """(start, length) pieces that do not cross a multiple of BLOCK."""
    while count > 0:
        length = min(count, BLOCK - first % BLOCK)
        yield first, length
        first, count = first + length, count - length


class Batch:
    """The files of one block: written, then compiled by jobs of the pool, then linked."""

    def __init__(self, args, pool, start, length, without=frozenset(), receivers=False):
        self.start, self.length, self.without = start, length, without
        self.again = lambda index: Batch(args, pool, start, length, without | {index}, receivers)
        self.directory = args.build_dir / f"batch-{start}"
        shutil.rmtree(self.directory, ignore_errors=True)
        features = set(args.features)
        if start // BLOCK % 2 == 0:
            features.discard("avx")
        self.tools = tools = TOOLCHAINS[args.convention]
        self.signatures, units = generate(self.directory, args.seed, start, length, features, args.boundary,
                         args.unit, without, CONVENTIONS[args.convention], receivers)
        wide = "avx" in features and tools is X86_64
        highest = 64 if args.convention == "sysv64" else 16
        extra = tools.machine_flags() + [f"-DFCG_HIGHEST_ALIGN={highest}"]
        extra += ["-mavx", "-DFCG_AVX"] if wide else []
        self.objects = collections.defaultdict(list)
        self.jobs = []

        def compile_(compiler, level, source, into):
            target = self.directory / f"{compiler}-{level}-{pathlib.Path(source).stem}.o"
            self.jobs.append(pool.submit(command, tools.compilers[compiler] + FLAGS + extra + [
                f"-{level}", "-c", source, "-o", target]))
            for library in into:
                self.objects[library].append(target)

        for compiler in tools.compilers:
            both = [f"{compiler}-{level}" for level in LEVELS]
            for number in units:
                for level in LEVELS:
                    compile_(compiler, level, self.directory / f"code_{number}.c",
                             [f"{compiler}-{level}"])
                # Layout does not depend on the level, so both libraries share the tables.
                compile_(compiler, "O0", self.directory / f"tables_{number}.c", both)
        everywhere = [f"{c}-{level}" for c in tools.compilers for level in LEVELS]
        first = next(iter(tools.compilers))
        runtime = [RUNTIME / "library.c", RUNTIME / tools.machine / "machine.c"]
        if tools.is_emulated:
            runtime.append(RUNTIME / "freestanding" / "libc.c")
        if receivers:
            for number in units:
                compile_(first, "O0", self.directory / f"receivers_{number}.c", everywhere)
        for source in runtime:
            compile_(first, "O2", source, everywhere)
        compile_(first, "O0", self.directory / "index.c", everywhere)

    def link(self):
        try:
            for job in self.jobs:
                job.result()
        except Failed:
            # None may go on writing where the block's next try does.
            for job in self.jobs:
                job.cancel()
            concurrent.futures.wait(self.jobs)
            raise
        if self.tools.is_emulated:
            return list(self.objects.items())
        libraries = []
        for name, objects in self.objects.items():
            library = self.directory / f"{name}.so"
            command(self.tools.gcc + ["-shared", "-Wl,-Bsymbolic", "-o", library] + objects)
            libraries.append(library)
        for done in set().union(*self.objects.values()):
            done.unlink()
        return libraries


def build_harness(args):
    out, tools = args.build_dir, TOOLCHAINS[args.convention]
    if tools.is_emulated:
        return
    header = ["-I", str(args.include)] if args.include else ["-I", str(CONTRACT)]
    command(tools.gcc + HARNESS + tools.machine_flags() + [RUNTIME / "cross.c",
            RUNTIME / "harness.c", RUNTIME / tools.machine / "canary.c", "-o", out / "cross", "-ldl"])
    if args.lib_dir:
        build_driver(args, out / "driver", args.lib_dir, header)


def build_driver(args, target, lib_dir, header):
    lib_dir, tools = pathlib.Path(lib_dir).resolve(), TOOLCHAINS[args.convention]
    flags = ["-DFCG_CALLERS_ARE_MS"] if args.convention == "win64" else []
    # Registers of 32 bytes get junk whole where there are any.
    flags += ["-DFCG_AVX"] if tools is X86_64 and has_avx() else []
    command(tools.gcc + HARNESS + header + flags + tools.machine_flags() + [
        RUNTIME / "driver.c", RUNTIME / "callbacks.c", RUNTIME / "harness.c",
        RUNTIME / tools.machine / "canary.c", RUNTIME / tools.machine / "machine.c",
        "-o", target, f"-L{lib_dir}", "-lfarcall", f"-Wl,-rpath,{lib_dir}", "-ldl"])


def run_program(tools, words, **environment):
    """(status, output) of a program that was built for the convention's machine."""
    done = subprocess.run(["nice"] + tools.runner + [str(w) for w in words],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", env={**os.environ, **environment})
    return done.returncode, done.stdout


def cross(args, scored, libraries):
    """Has the compilers' callers call the compilers' callees, and writes who agrees."""
    # gcc does not align the copies that Microsoft's convention passes by reference.
    rule = "clang-callers" if args.convention == "win64" else "all-callers"
    status, output = run_program(TOOLCHAINS[args.convention],
                                 [args.build_dir / "cross", rule, scored] + list(libraries))
    if not scored.exists():
        raise Failed(f"cross (status {status}): {output}")


def drive(args, driver, scored, libraries, **environment):
    if args.convention != "sysv64":
        environment["FCG_RUN"] = f"run.py --convention {args.convention}"
    return run_program(TOOLCHAINS[args.convention],
                       [driver, args.seed, scored] + list(libraries), **environment)


def totals_of(output):
    for line in reversed(output.splitlines()):
        words = line.replace(",", "").split()
        if len(words) == 6 and words[1::2] == ["passed", "failed", "skipped"]:
            return [int(w) for w in words[0::2]]
    return None
