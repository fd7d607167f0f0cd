"""Runs generated functions that no system here can run, in the unicorn emulator: Mach-O objects. Callees
are called by the compiler's own callers and by the stubs that `farcall disasm --bytes` prints, and
callers call into the receivers of callbacks that it prints."""

import ctypes
import pathlib
import subprocess
import sys

from building import HERE, Failed
from generator.emit import declarations, extra_names, prototype
from macho import Image

sys.path.append(str(HERE.parent / "emulator"))
try:
    from machine import PAGE, Machine, Wrong
except ImportError:
    PAGE, Machine, Wrong = 4096, None, Failed

BASES = (0x1_0000_0000, 0x2_0000_0000)
PLACES = 0x3_0000_0000
PLACE = 1 << 20               # from one value's memory to the next; most of it cannot be read
MOST_PLACES = 130
RESULT = 0x4_0000_0000
ROW = 64
JUNK = 0xDEADBEEFCAFEF00D
PATTERN = 0x5CA1AB1E0DDBA110
THUNK_SIZE, RECORD_SIZE = 32, 64
KEPT = [f"x{n}" for n in range(18, 30)]
KEPT_VECTORS = [f"v{n}" for n in range(8, 16)]
(VOID, BOOL, SIGNED, UNSIGNED, POINTER, FLOAT, X87, BITS, OTHER) = range(9)


# What runtime/library.h declares.
class Value(ctypes.LittleEndianStructure):
    _fields_ = [("text", ctypes.c_uint64), ("extra_name", ctypes.c_uint64)] + [
        (n, ctypes.c_uint32) for n in ("size", "align", "kind", "mode", "leaf_count")] + [
        ("leaves", ctypes.c_uint64), ("seed", ctypes.c_uint64)]


class Case(ctypes.LittleEndianStructure):
    _fields_ = [("index", ctypes.c_uint32)] + [
        (n, ctypes.c_uint64) for n in ("name", "prototype", "declarations", "reasons")] + [
        (n, ctypes.c_uint32) for n in ("count", "fixed", "variadic", "plain", "record_count")] + [
        ("params", ctypes.c_uint64), ("result", Value), ("records", ctypes.c_uint64),
        ("call", ctypes.c_uint64), ("call_fixed", ctypes.c_uint64)]


class ImageOf(ctypes.LittleEndianStructure):
    _fields_ = [("bytes", ctypes.c_uint64), ("mask", ctypes.c_uint64)]


class Images(ctypes.LittleEndianStructure):
    _fields_ = [("result", ImageOf), ("params", ctypes.c_uint64), ("unused", ctypes.c_uint64),
                ("loose", ctypes.c_uint8 * 16)]


class Report(ctypes.LittleEndianStructure):
    _fields_ = [(n, ctypes.c_uint32)
                for n in ("calls", "returns", "failures", "case_index", "first_bad")]


class Manner(ctypes.LittleEndianStructure):
    _fields_ = [("width", ctypes.c_uint32), ("result_width", ctypes.c_uint32),
                ("result", ctypes.c_uint64)]


class Tables(ctypes.LittleEndianStructure):
    _fields_ = [("cases", ctypes.c_uint64), ("case_count", ctypes.c_uint32),
                ("images", ctypes.c_uint64), ("report", ctypes.c_uint64),
                ("spoil", ctypes.c_uint64), ("manner", ctypes.c_uint64)]


class Library:
    """The callees of one optimization level, loaded, with the values that they expect."""

    def __init__(self, emulator, name, objects, base):
        self.emulator, self.name = emulator, name
        image = Image([pathlib.Path(o) for o in objects], base)
        content = image.bytes()
        size = -(-len(content) // PAGE) * PAGE
        emulator.machine.emulator.mem_map(base, size)
        emulator.machine.write(base, content)
        self.names = image.names
        emulator.call(self.names["_make_images"])
        tables = emulator.struct(Tables, self.names["_fcg_this_library"])
        self.report, self.manner = tables.report, tables.manner
        self.cases, self.images = [], []
        for n in range(tables.case_count):
            address = emulator.machine.word(tables.cases + 8 * n)
            self.cases.append(emulator.struct(Case, address))
            self.images.append(emulator.struct(Images, tables.images + n * ctypes.sizeof(Images)))

    def params(self, position):
        case = self.cases[position]
        made = []
        for n in range(case.count):
            value = self.emulator.struct(Value, case.params + n * ctypes.sizeof(Value))
            image = self.emulator.struct(
                ImageOf, self.images[position].params + n * ctypes.sizeof(ImageOf))
            made.append((value, self.emulator.machine.read(image.bytes, value.size)))
        return made

    def mask(self, position, argument):
        image = self.emulator.struct(
            ImageOf, self.images[position].params + argument * ctypes.sizeof(ImageOf))
        value = self.emulator.struct(
            Value, self.cases[position].params + argument * ctypes.sizeof(Value))
        return self.emulator.machine.read(image.mask, value.size)

    def expected_result(self, position):
        """The bytes and the mask of those that count."""
        image, size = self.images[position].result, self.cases[position].result.size
        return (self.emulator.machine.read(image.bytes, size),
                self.emulator.machine.read(image.mask, size))


def differ(expected, got, mask):
    return any((a ^ b) & m for a, b, m in zip(expected, got, mask))


class Emulator:
    """A machine with memory that shows what is read and written outside of values."""

    def __init__(self):
        self.machine = Machine("aarch64")
        self.machine.LONGEST = 500_000_000
        self.mapped = {}
        self.machine.emulator.mem_map(RESULT, 4 * PLACE)
        self.sp = self.machine.STACK + self.machine.STACK_SIZE - (64 << 10)

    def struct(self, kind, address):
        return kind.from_buffer_copy(self.machine.read(address, ctypes.sizeof(kind)))

    def call(self, address, arguments=(), run=None, **registers):
        """Calls a function, and raises Wrong where it does not give back what it must. `run` is told of
        the address and runs it to its end in its own way."""
        values = {f"x{n}": JUNK ^ n for n in range(31)}
        values |= {name: PATTERN + n for n, name in enumerate(KEPT)}
        values |= {f"x{n}": a for n, a in enumerate(arguments)} | registers
        vectors = {f"v{n}": (JUNK << 64 | JUNK) ^ n for n in range(32)}
        self.machine.registers.write(values | vectors)
        self.machine.start(self.sp)
        before = self.kept()
        (run or self.machine.run)(address)
        self.check_kept(before)

    def kept(self):
        return self.machine.registers.read(KEPT + KEPT_VECTORS + ["sp"])

    def check_kept(self, before):
        after = self.kept()
        for name in KEPT + ["sp"]:
            if after[name] != before[name]:
                raise Wrong(f"after the call: {name} was changed")
        for name in KEPT_VECTORS:
            if (after[name] ^ before[name]) & (1 << 64) - 1:
                raise Wrong(f"after the call: d{name[1:]} was changed")

    def place(self, number, data, slack):
        """Puts bytes where reading on would fail, `slack` bytes behind their end."""
        end = PLACES + (number + 1) * PLACE - PAGE
        room = -(-(len(data) + slack + 64) // PAGE) * PAGE
        mapped = self.mapped.get(number, 0)
        if room > mapped:
            self.machine.emulator.mem_map(end - room, room - mapped)
            self.mapped[number] = room
        start = end - slack - len(data)
        self.machine.write(start - 32, b"\xee" * 32 + data + b"\xee" * slack)
        return start

    def result_room(self, size, align):
        """Aligned to `align` and to no more, between bytes that are known."""
        room = -(-(RESULT + ROW) // (2 * align)) * 2 * align + align
        row = bytes((0x35 + 7 * n) & 0xFF for n in range(room - RESULT + size + ROW))
        self.machine.write(RESULT, row)
        self.row = row
        return room

    def check_room(self, room, size):
        """The result's bytes."""
        got = self.machine.read(RESULT, len(self.row))
        start = room - RESULT
        if got[:start] != self.row[:start]:
            raise Wrong("bytes before the result were written")
        if got[start + size:] != self.row[start + size:]:
            raise Wrong("bytes after the result were written")
        return got[start:start + size]


class Trial:
    """One signature of one library, called in one way. `spoilt` is an argument of which the callee
    gets another byte than it expects, or -1 for the result."""

    def __init__(self, emulator, library, position, spoilt=None):
        self.emulator, self.library, self.position = emulator, library, position
        self.case = library.cases[position]
        self.params = library.params(position)
        self.result = library.expected_result(position)
        if spoilt is not None:
            self.spoil(spoilt)
        emulator.machine.write(library.report, bytes(ctypes.sizeof(Report) + 1))
        emulator.machine.write(library.manner, bytes(Manner(0, 64, 0)))

    def spoil(self, argument):
        size = self.case.result.size if argument < 0 else self.params[argument][0].size
        mask = self.result[1] if argument < 0 else self.library.mask(self.position, argument)
        at = max(n for n in range(size) if mask[n])

        def changed(data):
            return data[:at] + bytes([data[at] ^ mask[at] & -mask[at]]) + data[at + 1:]

        if argument < 0:
            self.result = changed(self.result[0]), mask
        else:
            value, data = self.params[argument]
            self.params[argument] = value, changed(data)

    def slack(self, salt):
        mixed = (self.case.index * 2654435761 ^ salt * 40503) & 0xFFFFFFFF
        mixed ^= mixed >> 15
        return 1 + mixed // 4 % 7 if mixed % 4 == 0 else 0

    def check_callee(self):
        emulator, report = self.emulator, self.library.report
        said = emulator.struct(Report, report)
        if said.calls != 1 or said.case_index != self.case.index:
            raise Wrong(f"{said.calls} calls arrived, the last at F{said.case_index}")
        self.check_failures(said, "callee")

    def check_failures(self, said, where):
        if said.failures:
            text = self.emulator.machine.read(self.library.report + ctypes.sizeof(Report), 2900)
            raise Wrong(f"wrong inside the {where}:\n" + text.split(b"\0")[0].decode().rstrip())

    def check_result(self, got):
        expected, mask = self.result
        if differ(expected, got, mask):
            raise Wrong(f"the result is wrong\n      expected {expected.hex(' ')}\n"
                        f"      got      {got.hex(' ')}\n      counts   {mask.hex(' ')}")

    def from_compiler(self, caller):
        """As another library's compiler calls it."""
        emulator, result = self.emulator, self.case.result
        addresses = [emulator.place(n, data, 64 - len(data) % 64)
                     for n, (_, data) in enumerate(self.params)]
        array = emulator.place(MOST_PLACES - 1, b"".join(a.to_bytes(8, "little")
                                                         for a in addresses), 0)
        room = emulator.result_room(result.size, max(result.align, 16))
        callee = self.library.names[f"_F{self.case.index}"]
        emulator.call(caller.cases[self.position].call, (callee, room, array))
        self.check_callee()
        self.check_result(emulator.check_room(room, result.size))

    def from_stub(self, stub, in_slots, salt):
        emulator, result, machine = self.emulator, self.case.result, self.emulator.machine
        where = [emulator.place(n, data, self.slack(salt + n))
                 for n, (_, data) in enumerate(self.params)]
        elements = [address.to_bytes(8, "little") for address in where]
        if in_slots:
            for n, (value, data) in enumerate(self.params):
                if value.size <= 8:
                    garbage = (0xB1AB1AB1AB1AB1AB ^ n * 0x0101010101010101).to_bytes(8, "little")
                    elements[n] = data + garbage[len(data):]
        array_bytes = b"".join(elements)
        array = emulator.place(MOST_PLACES - 1, array_bytes, self.slack(salt + 78) if in_slots else 0)
        room = emulator.result_room(result.size, max(result.align, 1))
        to = room
        if in_slots:
            slot = room if result.size > 8 else 0x7777777777777777
            to = emulator.place(MOST_PLACES - 2, slot.to_bytes(8, "little"), 0)
        callee = self.library.names[f"_F{self.case.index}"]
        emulator.call(machine.load(stub), (to, array), x17=callee)
        self.check_callee()
        if in_slots and result.size <= 8:
            emulator.check_room(room, 0)
            self.check_slot(machine.word(to))
        else:
            self.check_result(emulator.check_room(room, result.size))
        if machine.read(array, len(array_bytes)) != array_bytes:
            raise Wrong("the argument array was changed")
        for n, (_, data) in enumerate(self.params):
            if machine.read(where[n], len(data)) != data:
                raise Wrong(f"the caller's copy of argument {n} was changed")

    def check_slot(self, got):
        check_slot("the result's slot", self.case.result, *self.result, got)

    def into_receiver(self, receiver, in_slots, salt):
        """As the library's compiler calls a function pointer, which is a callback's."""
        emulator, machine = self.emulator, self.emulator.machine
        handler, after = machine.FREE, machine.FREE + 16
        # The thunk stands before its record: ldr x17, record; ldr x16, [x17]; br x16
        words = (0x58000000 | (THUNK_SIZE // 4) << 5 | 17, 0xF9400230, 0xD61F0200, 0xD503201F)
        thunk = emulator.place(MOST_PLACES - 1, b"", RECORD_SIZE + 16)
        user = JUNK ^ salt
        record = b"".join(w.to_bytes(8, "little") for w in (machine.load(receiver), handler, user))
        machine.write(thunk, record.ljust(RECORD_SIZE, b"\x99"))
        code = b"".join(w.to_bytes(4, "little") for w in words).ljust(THUNK_SIZE, b"\0")
        entry = machine.load(code + thunk.to_bytes(8, "little"))

        def run(caller):
            machine.run(caller, until=entry)
            before, back = emulator.kept(), machine.registers["x30"]
            # The emulator does not stop where it has run before.
            machine.registers["x30"] = after
            machine.run(entry, until=handler)
            if machine.registers["x2"] != user:
                raise Wrong("the handler gets another user")
            if machine.registers["sp"] % 16:
                raise Wrong("sp is not aligned in the handler")
            self.be_the_handler(in_slots)
            machine.run(machine.give_back(), until=after)
            emulator.check_kept(before)
            machine.run(back)

        emulator.call(self.case.call_fixed, (entry,), run)
        said = emulator.struct(Report, self.library.report)
        if said.returns != 1:
            raise Wrong(f"{said.returns} calls came back to the caller")
        self.check_failures(said, "caller")

    def be_the_handler(self, in_slots):
        emulator, machine = self.emulator, self.emulator.machine
        ret, array = machine.registers["x0"], machine.registers["x1"]
        for n, (value, data) in enumerate(self.params):
            mask, element = self.library.mask(self.position, n), machine.word(array + 8 * n)
            if in_slots and value.size <= 8:
                check_slot(f"argument {n} in its slot", value, data, mask, element)
                continue
            if value.size and element % min(value.align, 16):
                raise Wrong(f"argument {n} is at {element:#x}, not aligned to {value.align}")
            got = machine.read(element, value.size)
            if differ(data, got, mask):
                raise Wrong(f"argument {n} is wrong in the handler\n      expected {data.hex(' ')}\n"
                            f"      got      {got.hex(' ')}\n      counts   {mask.hex(' ')}")
            # The callee may leave anything there.
            machine.write(element, b"\x6b" * value.size)
        result, size = self.result[0], self.case.result.size
        if in_slots and size > 8:
            ret = machine.word(ret)
        elif in_slots and size:
            machine.write(ret, b"\x77" * 8)
        if size and ret % min(self.case.result.align, 16):
            raise Wrong(f"the result is at {ret:#x}, not aligned to {self.case.result.align}")
        machine.write(ret, result) if size else None
        junk = {f"x{n}": JUNK ^ n for n in range(18)}
        vectors = machine.registers.read([f"v{n}" for n in range(32)])
        for n in range(32):
            kept = vectors[f"v{n}"] & (1 << 64) - 1 if 8 <= n < 16 else JUNK
            junk[f"v{n}"] = JUNK << 64 | kept
        machine.registers.write(junk)


def check_slot(what, value, expected, mask, got):
    """A value of at most 8 bytes is extended to its slot."""
    if value.size == 0:
        return
    is_negative = value.kind == SIGNED and expected[-1] & 0x80
    rest = 8 - value.size
    expected += (b"\xff" if is_negative else b"\0") * rest
    mask = (mask if value.kind == OTHER else b"\xff" * value.size) + b"\xff" * rest
    if differ(expected, got.to_bytes(8, "little"), mask):
        raise Wrong(f"{what} is {got:016x}, not {expected[::-1].hex()}")


def stubs_of(args, batch, signatures, in_slots, of_callbacks=False):
    """What farcall has for each signature: the bytes of a stub, or of a receiver, or why there is none."""
    file = batch.directory / "declarations.h"
    file.write_text("".join(declarations(s) + "\n" for s in signatures))
    lines = []
    for s in signatures:
        lines.append("\t".join([" ".join(prototype(s, s.name, s.abstract).split())] +
                               [name for name, _ in extra_names(s)]))
    words = [str(args.farcall), "disasm", "--abi", args.convention, "--bytes", "--decls", str(file)]
    words += ["--callback"] * of_callbacks
    done = subprocess.run(words + ["--slots"] * in_slots + ["-"], input="\n".join(lines) + "\n",
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    answers = done.stdout.splitlines()
    if len(answers) != len(signatures):
        raise Failed(f"{' '.join(words)}: {len(answers)} answers to {len(signatures)} prototypes\n"
                     f"{done.stderr[-2000:]}")
    return answers


def run_block(args, batch, libraries, reasons):
    """[passed, failed, skipped] of one block."""
    if Machine is None:
        raise Failed("the emulator is lacking: unicorn for Python, see c_tests/emulator")
    emulator = Emulator()
    loaded = [Library(emulator, name, objects, base)
              for (name, objects), base in zip(libraries, BASES)]
    totals = [0, 0, len(batch.without)]
    forms = []
    if args.farcall:
        forms = [(in_slots, stubs_of(args, batch, batch.signatures, in_slots),
                  stubs_of(args, batch, batch.signatures, in_slots, of_callbacks=True))
                 for in_slots in (False, True)]
    for position, signature in enumerate(batch.signatures):
        disputed = compilers_disagree(emulator, loaded, position)
        if disputed:
            reason = (signature.reasons or ["unknown"])[0]
            reasons[reason] += 1
            if args.show_skipped or reason == "unknown":
                print(f"skipped: F{signature.index} {reason} ({disputed})\n"
                      f"  {prototype(signature, signature.name, False)}")
        wrong = wrong_stubs(emulator, loaded, position, forms)
        if wrong:
            what = f"not as callees have it ({reason})" if disputed else "FAILED"
            print(f"{what} F{signature.index}: run.py --convention {args.convention} --seed "
                  f"{args.seed} --first {signature.index} --count 1\n"
                  f"  {prototype(signature, signature.name, False)}\n  {wrong}\n"
                  f"    with\n{declarations(signature)}\n")
        totals[2 if disputed else 1 if wrong else 0] += 1
    return totals


def compilers_disagree(emulator, libraries, position):
    """What goes wrong between a compiler's callers and its callees, if anything does."""
    for caller in libraries:
        for callee in libraries:
            try:
                Trial(emulator, callee, position).from_compiler(caller)
            except Wrong as wrong:
                return f"{caller.name} calls {callee.name}: {wrong}"
    return None


def wrong_stubs(emulator, libraries, position, forms):
    """What goes wrong where a stub calls or is called, if anything does."""
    for number, library in enumerate(libraries):
        for in_slots, stubs, receivers in forms:
            salt, form = 100 * number + in_slots, "slots" if in_slots else "pointers"
            doing = f"stub for {form}, callee built by {library.name}"
            if stubs[position].startswith("error: "):
                return stubs[position]
            try:
                Trial(emulator, library, position).from_stub(
                    bytes.fromhex(stubs[position]), in_slots, salt)
                receiver = receivers[position]
                doing = f"callback for {form}, caller built by {library.name}"
                if library.cases[position].variadic:
                    if not receiver.startswith("error: ") or "variadic" not in receiver:
                        raise Wrong(f"it is variadic, and farcall says {receiver[:60]!r}")
                    continue
                if receiver.startswith("error: "):
                    raise Wrong(receiver)
                Trial(emulator, library, position).into_receiver(
                    bytes.fromhex(receiver), in_slots, salt)
            except Wrong as wrong:
                return f"{doing}: {wrong}"
    return None
