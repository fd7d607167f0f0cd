"""Builds and runs the examples, and compares all that they print with what is expected.

    run.py --lib-dir DIR --include DIR --node DIR --build-dir DIR

Expected texts are the .txt files beside this one; {sqlite3} in them is the version of this machine's
sqlite3. DIR of --node is a folder into which npm has installed koffi.
"""

import argparse
import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
EXAMPLES = HERE.parent.parent / "examples"
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]
COMPILED = [
    *((compiler, f"c{year}", "quickstart.c") for compiler in ("gcc", "clang-19") for year in (99, 11, 17)),
    *((compiler, f"c++{year}", "quickstart.cpp") for compiler in ("g++", "clang++-19") for year in (11, 20)),
]
# A right result, and what makes it wrong: an example has to notice.
SPOILED = ("pow(2, 10), 1024", "pow(2, 10), 1025")


class Failure(Exception):
    """A test has failed; the text says why."""


class Runner:
    def __init__(self, options):
        self.library = options.lib_dir.resolve() / "libfarcall.so"
        self.include = options.include.resolve()
        self.build = options.build_dir.resolve()
        self.build.mkdir(parents=True, exist_ok=True)
        # Programs look for the library by its SONAME, which cargo gives to no file.
        self.links = self.build / "lib"
        self.links.mkdir(exist_ok=True)
        for name in ("libfarcall.so", "libfarcall.so.0"):
            (self.links / name).unlink(missing_ok=True)
            (self.links / name).symlink_to(self.library)
        # Node looks for koffi from where the script is.
        self.node = options.node.resolve()
        self.passed, self.failed = 0, 0

    def test(self, name, function, *arguments):
        try:
            function(*arguments)
        except Failure as failure:
            print(f"FAIL {name}\n{failure}")
            self.failed += 1
        else:
            print(f"ok   {name}")
            self.passed += 1

    def compiled(self, compiler, standard, source):
        program = self.build / f"{source}.{compiler}.{standard}"
        command = [compiler, f"-std={standard}", *WARNINGS, EXAMPLES / source, f"-I{self.include}"]
        command += ["-o", program, f"-L{self.links}", "-lfarcall", f"-Wl,-rpath,{self.links}"]
        run(command)
        expect(run([program]), source)

    def loaded_by_argument(self, command, source):
        expect(run([*command, self.script(source), self.library, *self.header(source)]), source)

    def loaded_by_environment(self, command, source):
        environment = {"FARCALL_LIBRARY": str(self.library)}
        expect(run([*command, self.script(source)], environment, cwd=EXAMPLES), source)

    def loaded_by_name(self, command, source):
        environment = {"LD_LIBRARY_PATH": str(self.links)}
        expect(run([*command, self.script(source)], environment, cwd=EXAMPLES), source)

    def library_is_not_there(self, command, source):
        missing = self.build / "no-such-library.so"
        refused = fails([*command, self.script(source), missing, *self.header(source)])
        if "no-such-library.so" not in refused:
            raise Failure(f"it does not say what is missing:\n{refused}")

    def notices_what_is_wrong(self, command, source):
        text = (EXAMPLES / source).read_text()
        if text.count(SPOILED[0]) != 1:
            raise Failure(f"{SPOILED[0]} is not there to be spoiled")
        spoiled = self.node / f"spoiled_{source}"
        spoiled.write_text(text.replace(*SPOILED))
        if "expected 1025" not in fails([*command, spoiled, self.library, *self.header(source)]):
            raise Failure("it does not say what was expected")

    def script(self, source):
        if not source.endswith(".mjs"):
            return EXAMPLES / source
        return shutil.copy(EXAMPLES / source, self.node)

    def header(self, source):
        return [self.include / "farcall.h"] if source.endswith(".lua") else []


def run(command, environment=None, **options):
    """What a command prints; it must succeed, and print no errors."""
    done = execute(command, environment, **options)
    if done.returncode != 0 or done.stderr:
        shown = " ".join(map(str, command))
        raise Failure(f"$ {shown}\nexit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def fails(command):
    done = execute(command, None)
    if done.returncode <= 0:
        raise Failure(f"exit status {done.returncode} where it has to fail\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def execute(command, environment, **options):
    clean = {name: value for name, value in os.environ.items() if name != "FARCALL_LIBRARY"}
    return subprocess.run(
        [str(word) for word in command],
        env=clean | (environment or {}), text=True, capture_output=True, timeout=120, **options,
    )  # fmt: skip


def expect(printed, source):
    sqlite3 = ctypes.CDLL("libsqlite3.so.0")
    sqlite3.sqlite3_libversion.restype = ctypes.c_char_p
    expected = (HERE / f"{source}.txt").read_text()
    expected = expected.replace("{sqlite3}", sqlite3.sqlite3_libversion().decode())
    lines, expected_lines = printed.splitlines(), expected.splitlines()
    for line, expected_line in zip(lines, expected_lines):
        start, anything, _ = expected_line.partition("...")
        if not (line == expected_line or anything and line.startswith(start)):
            raise Failure(f"expected: {expected_line}\ngot:      {line}")
    if len(lines) != len(expected_lines):
        raise Failure(f"expected {len(expected_lines)} lines, got {len(lines)}:\n{printed}")


def main():
    parser = argparse.ArgumentParser()
    for option in ("--lib-dir", "--include", "--node", "--build-dir"):
        parser.add_argument(option, type=Path, required=True)
    runner = Runner(parser.parse_args())
    for compiler, standard, source in COMPILED:
        runner.test(f"{source} ({compiler}, {standard})", runner.compiled, compiler, standard, source)
    for command, source in (
        (["python3", "-W", "error"], "from_python.py"),
        (["luajit"], "from_luajit.lua"),
        (["node"], "from_node.mjs"),
    ):
        for test in (
            runner.loaded_by_argument,
            runner.loaded_by_environment,
            runner.loaded_by_name,
            runner.library_is_not_there,
            runner.notices_what_is_wrong,
        ):
            runner.test(f"{source}: {test.__name__.replace('_', ' ')}", test, command, source)
    print(f"{runner.passed} passed, {runner.failed} failed")
    sys.exit(runner.failed != 0)


if __name__ == "__main__":
    main()
