"""Commands that tests run, and what came of the tests."""

import os
import subprocess
import sys


class Failure(Exception):
    """A test has failed; the text says why."""


class Report:
    """Runs tests, each whatever the others have come to."""

    def __init__(self):
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

    def end(self):
        print(f"{self.passed} passed, {self.failed} failed")
        sys.exit(self.failed != 0 or self.passed == 0)


def run(command, environment=None, **options):
    """What a command prints; it must succeed, and print no errors."""
    done = execute(command, environment, **options)
    if done.returncode != 0 or done.stderr:
        shown = " ".join(map(str, command))
        raise Failure(f"$ {shown}\nexit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def fails(command, environment=None, **options):
    """What a command prints that must exit with an error of its own."""
    done = execute(command, environment, **options)
    if done.returncode <= 0:
        shown = " ".join(map(str, command))
        raise Failure(f"$ {shown}\nexit status {done.returncode} where it has to fail\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def execute(command, environment, **options):
    return subprocess.run(
        [str(word) for word in command],
        env=os.environ | (environment or {}), text=True, capture_output=True, timeout=300, **options,
    )  # fmt: skip
