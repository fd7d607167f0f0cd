"""What FARCALL_DEBUG tells debuggers and profilers of code.

    check.py TOOL MACHINE PROGRAM...

TOOL is gdb, perf, dump, link (perf, where somebody has made a link of its file) or off. MACHINE is ELF's
number of the processor. PROGRAM is program.c, with its emulator before it.
"""

import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

ENTRY = "farcall entry of callee"
OTHER_ENTRY = "farcall entry of other"
FREED_ENTRY = "farcall entry of freed"


def fail(text):
    sys.exit(f"FAILED: {text}")


def expect(holds, text):
    if not holds:
        fail(text)


class Run:
    """A run of the program: what it printed, and the files that it left."""

    def __init__(self, command, debug, folder, *arguments):
        environment = dict(os.environ, JITDUMPDIR=folder, FARCALL_CODE="stubs")
        environment.pop("FARCALL_DEBUG", None)
        if debug:
            environment["FARCALL_DEBUG"] = debug
        done = subprocess.run(
            [*command, *arguments], env=environment, capture_output=True, text=True, cwd=folder
        )
        expect(done.returncode == 0, f"the program failed:\n{done.stdout}{done.stderr}")
        said = dict(line.split(" ", 1) for line in done.stdout.splitlines() if " " in line)
        self.process, self.child = int(said["pid"]), int(said["child"])
        self.entry, self.child_entry = (self.read(said[key]) for key in ("entry", "child-entry"))
        self.maps = {pid: self.take(f"/tmp/perf-{pid}.map") for pid in (self.process, self.child)}
        self.dumps = {
            pid: self.take(f"{folder}/jit-{pid}.dump") for pid in (self.process, self.child)
        }

    @staticmethod
    def read(text):
        address, *code = text.split()
        return int(address, 16), bytes.fromhex("".join(code))

    @staticmethod
    def take(path):
        path = pathlib.Path(path)
        if path.is_symlink():
            path.unlink()
        if not path.exists():
            return None
        expect(path.stat().st_mode & 0o777 == 0o600, f"{path} can be read by others")
        content = path.read_bytes()
        path.unlink()
        return content


def names(content):
    """The lines of a map: {address: (size, name)}, where later lines win."""
    found = {}
    for line in content.decode().splitlines():
        match = re.fullmatch(r"([0-9a-f]+) ([0-9a-f]+) (farcall \S.*)", line)
        expect(match, f"not a line of a map: {line!r}")
        found[int(match[1], 16)] = int(match[2], 16), match[3]
    return found


def check_perf(run):
    expect(run.dumps == {run.process: None, run.child: None}, "a dump was not asked for")
    mine, childs = names(run.maps[run.process]), names(run.maps[run.child])
    expect(FREED_ENTRY in run.maps[run.process].decode(), "code that was freed is lacking")
    expect(mine.get(run.entry[0], (0, ""))[1] == ENTRY, f"the entry is lacking: {mine}")
    stub = re.compile(r"farcall stub for (sysv64\(rdi, rsi\) -> rax|aapcs64\(x0, x1\) -> x0)")
    expect(any(stub.fullmatch(name) for _, name in mine.values()), f"no stub: {mine}")
    # The child has what it inherited, and what it made itself.
    expect(childs.get(run.entry[0], (0, ""))[1] == ENTRY, f"not inherited: {childs}")
    expect(childs.get(run.child_entry[0], (0, ""))[1] == OTHER_ENTRY, f"the child's: {childs}")
    expect(all(name != OTHER_ENTRY for _, name in mine.values()), "the child's is in the parent's")


def records(content, machine, process):
    """The new code in a dump: [(address, name, code)]."""
    magic, version, size, elf_machine, padding, pid, time, flags = struct.unpack_from(
        "<6I2Q", content
    )
    expect((magic, version, size) == (0x4A695444, 1, 40), "not a dump's header")
    expect((elf_machine, padding, pid, flags) == (machine, 0, process, 0), "another header")
    found, at, last = [], size, time
    while at < len(content):
        kind, total, time = struct.unpack_from("<2IQ", content, at)
        expect(kind == 0 and total >= 56, f"record {kind} of {total} bytes")
        expect(time >= last, "times go back")
        pid, _, vma, address, length, index = struct.unpack_from("<2I4Q", content, at + 16)
        expect((pid, vma, index) == (process, address, len(found)), "another record")
        name, code = content[at + 56 : at + total].split(b"\0", 1)
        expect(len(code) == length, f"{len(code)} bytes of code, not {length}")
        found.append((address, name.decode(), code))
        at, last = at + total, time
    expect(at == len(content), "the last record is cut off")
    return found


def check_dump(run, machine):
    expect(run.maps == {run.process: None, run.child: None}, "a map was not asked for")
    mine = records(run.dumps[run.process], machine, run.process)
    childs = records(run.dumps[run.child], machine, run.child)
    for title, found, (address, code), name in (
        ("parent", mine, run.entry, ENTRY),
        ("child, inherited", childs, run.entry, ENTRY),
        ("child", childs, run.child_entry, OTHER_ENTRY),
    ):
        fits = [one for one in found if one[0] == address and one[1] == name]
        expect(fits, f"{title}: the entry is lacking: {[one[:2] for one in found]}")
        expect(fits[-1][2].startswith(code), f"{title}: other bytes")
    expect(any(name == FREED_ENTRY for _, name, _ in mine), "code that was freed is lacking")


def check_gdb(command):
    environment = dict(os.environ, FARCALL_DEBUG="gdb", FARCALL_CODE="stubs")
    done = subprocess.run(
        ["gdb", "-nx", "-batch", "-ex", "set debuginfod enabled off", "-ex", "break callee", "-ex", "run",
         "-ex", "backtrace", "-ex", "continue", "-ex", "backtrace", *command],
        env=environment, capture_output=True, text=True,
    )
    frames = re.findall(r"^#(\d+)\s+(?:0x[0-9a-f]+ in )?(.*?) \(.*$", done.stdout, re.MULTILINE)
    expected = [
        ("0", "callee"), ("1", "farcall stub for sysv64(rdi, rsi) -> rax"), ("2", "caller_of_stub"),
        ("3", "main"),
        ("0", "callee"), ("1", ENTRY), ("2", "caller_of_entry"), ("3", "main"),
    ]
    expect(frames == expected, f"other frames: {frames}\n{done.stdout}\n{done.stderr}")


def main(tool, machine, *command):
    with tempfile.TemporaryDirectory() as folder:
        if tool == "gdb":
            check_gdb(command)
        elif tool == "perf":
            check_perf(Run(command, "perf", folder))
        elif tool == "dump":
            check_dump(Run(command, "dump", folder), int(machine))
        elif tool == "link":
            victim = pathlib.Path(folder, "victim")
            victim.write_text("")
            Run(command, "perf,gdb", folder, "link", victim)
            expect(victim.read_text() == "", "a link was followed")
        else:
            for debug in (None, "", "Perf,dumps,x"):
                run = Run(command, debug, folder)
                files = [*run.maps.values(), *run.dumps.values(), *os.listdir(folder)]
                expect(not any(files), f"files without being asked: {files}")


main(*sys.argv[1:])
