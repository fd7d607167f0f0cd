"""Runs one stub in the emulator, as its caller and as its callee, and looks at all that it does.

Registers, the stack, the bytes between values and those above narrow ones hold random bytes before the
call and, where the convention lets a callee write, after it: code that works by luck has none here.
"""

from machine import Machine, Wrong

ENTRY = {"x86_64": ("rdi", "rsi", "r11"), "aarch64": ("x0", "x1", "x17")}
# What the stub's caller, a function of the system's own convention, finds unchanged.
KEPT = {"x86_64": ["rbx", "rbp", "r12", "r13", "r14", "r15"],
        "aarch64": [f"x{n}" for n in range(18, 30)]}
KEPT_HALVES = [f"v{n}" for n in range(8, 16)]
# What a callee leaves as it was.
KEPT_BY_CALLEE = {"sysv64": KEPT["x86_64"],
                  "win64": KEPT["x86_64"] + ["rdi", "rsi"] + [f"xmm{n}" for n in range(6, 16)],
                  "aapcs64": KEPT["aarch64"], "apple64": KEPT["aarch64"]}
LOW = 2**64 - 1
SHADOW_SPACE = 32
# The lowest a store may be below the stack pointer: a push is one before it moves.
PUSHED = 16


def little(data):
    return int.from_bytes(data, "little")


def extended(data, extension, size):
    """The bytes of a narrow integer as one of so many."""
    if len(data) >= size:
        return data
    fill = b"\xff" if extension == "sign" and data[-1] & 0x80 else b"\0"
    return data + fill * (size - len(data))


class Stage:
    """A caller's memory for one call: values at random distances, with random bytes between them."""

    def __init__(self, machine, random):
        self.machine, self.random = machine, random
        self.at = Machine.DATA + random.randrange(256)
        self.readable, self.writable = [], []

    def place(self, data, align=1):
        gap = self.random.randrange(1, 40)
        start = self.at + gap
        start += -start % align
        before = self.random.randbytes(start - self.at)
        self.machine.write(self.at, before + data + self.random.randbytes(16))
        self.at = start + len(data) + 16
        if self.at + 4096 > Machine.DATA + Machine.DATA_SIZE:
            raise Wrong("the emulator has not so much memory")
        return start

    def readable_value(self, data, align=1):
        start = self.place(data, align)
        self.readable.append((start, start + len(data)))
        return start


class Trial:
    """One call by a stub."""

    def __init__(self, machine, call, stub, in_slots, keeps_errno, random):
        self.machine, self.call, self.random = machine, call, random
        self.in_slots, self.keeps_errno = in_slots, keeps_errno
        self.is_x86 = machine.architecture == "x86_64"
        self.code = machine.load(stub)
        self.stage = Stage(machine, random)
        self.values = [random.randbytes(p.size) for p in call.parameters]
        self.frame_end = 0

    def expect(self, good, what):
        if not good:
            raise Wrong(what)

    def run(self):
        self.set_the_scene()
        self.enter()
        self.be_the_callee()
        self.machine.run(self.back)
        self.look_at_registers()
        self.look_at_memory()
        self.look_at_result()

    # ---------------------------------------------------------------- before
    def set_the_scene(self):
        stage, call = self.stage, self.call
        elements = []
        for parameter, data in zip(call.parameters, self.values):
            if self.in_slots and parameter.size <= 8:
                elements.append(data + self.random.randbytes(8 - len(data)))
            else:
                elements.append(stage.readable_value(data).to_bytes(8, "little"))
        self.array = stage.readable_value(b"".join(elements), 8)
        size = call.result.size
        self.result_size = 8 if self.in_slots and 0 < size <= 8 else size
        # What the callee writes by its address, it writes there; the stub writes no further.
        self.result_at = stage.place(self.random.randbytes(self.result_size), 8)
        self.handed = self.result_at
        if self.in_slots and size > 8:
            self.handed = stage.readable_value(self.result_at.to_bytes(8, "little"), 8)
        stage.writable.append((self.result_at, self.result_at + self.result_size))
        self.surroundings = (self.result_at - 1, self.machine.read(self.result_at - 1, 1),
                             self.machine.read(self.result_at + self.result_size, 16))

    def enter(self):
        machine, random = self.machine, self.random
        self.sp = Machine.STACK + Machine.STACK_SIZE - 4096 - 16 * random.randrange(256)
        depth = self.call.stack_size + sum(p.size + 64 for p in self.call.parameters) + 8192
        self.expect(depth < Machine.STACK_SIZE - (64 << 10), "the emulator has not so much stack")
        machine.write(self.sp - depth, random.randbytes(depth + 4096))
        machine.write(Machine.THREAD, random.randbytes(Machine.THREAD_SIZE))
        machine.registers.write({n: random.getrandbits(64) for n in machine.general
                                 if n != "rsp"})
        machine.registers.write({n: random.getrandbits(128) for n in machine.vectors})
        if self.is_x86:
            machine.empty_x87()
        machine.start(self.sp)
        self.target = Machine.FREE + 16 * random.randrange(64)
        result, array, context = ENTRY[machine.architecture]
        machine.registers.write({result: self.handed, array: self.array, context: self.target})
        kept = KEPT[machine.architecture] + ([] if self.is_x86 else KEPT_HALVES)
        self.kept = machine.registers.read(kept)
        machine.reads.clear()
        machine.writes.clear()
        machine.misaligned.clear()
        machine.run(self.code, until=self.target)

    # ---------------------------------------------------------------- during
    def be_the_callee(self):
        machine, call = self.machine, self.call
        sp = machine.registers["sp"]
        self.back = machine.give_back()
        self.has_frame = self.back != Machine.STOP
        # Where arguments on the stack begin.
        self.area = sp + 8 if self.is_x86 else sp
        self.low = sp
        self.expect(self.area % 16 == 0, f"sp is not aligned to 16: {sp:#x}")
        if self.has_frame:
            self.look_at_frame()
        else:
            self.expect(self.area == self.sp, "sp has moved, and nothing moves it back")
            self.expect(not machine.writes, "it writes to memory without a frame")
        if call.stack_size:
            self.expect(self.area % call.stack_align == 0,
                        f"the arguments are not aligned to {call.stack_align}")
            self.expect(self.has_frame, "there is no frame for arguments on the stack")
            self.expect(self.area + call.stack_size <= self.frame_end,
                        "the argument area is smaller than it should be")
        touched = [at for at, _, _ in machine.reads + machine.writes if self.is_in_thread(at)]
        self.expect(not touched, "it touches the thread's block before the call")
        self.registers = machine.registers.read(machine.general + machine.vectors)
        if call.vector_count is not None:
            told = self.registers["rax"] & 0xff
            self.expect(told == call.vector_count, f"al is {told}, not {call.vector_count}")
        copies = []
        for index, (parameter, data) in enumerate(zip(call.parameters, self.values)):
            try:
                self.look_at_parameter(parameter, data, copies)
            except Wrong as wrong:
                raise Wrong(f"parameter {index + 1}: {wrong}") from None
        copies.sort()
        for (_, end), (start, _) in zip(copies, copies[1:]):
            self.expect(end <= start, "copies overlap")
        if call.result.address:
            got = self.registers[call.result.address]
            self.expect(got == self.result_at, f"the result's address is {got:#x} in "
                        f"{call.result.address}, not {self.result_at:#x}")
        self.leave(copies)

    def look_at_frame(self):
        """The frame pointer leads to the caller's, and the return address is above it."""
        machine = self.machine
        name = "rbp" if self.is_x86 else "x29"
        frame = machine.registers[name]
        self.expect(self.low <= frame < self.sp, f"{name} is {frame:#x}, outside the frame")
        self.expect(frame == self.sp - 16, f"the frame does not begin at {name}")
        self.expect(machine.word(frame) == self.kept[name], f"the caller's {name} is not at {name}")
        self.expect(machine.word(frame + 8) == Machine.STOP, f"no return address above {name}")
        self.frame_end = frame

    def look_at_parameter(self, parameter, data, copies):
        if parameter.copy_align:
            for where, at, _, _ in parameter.pieces:
                address = self.machine.word(self.area + at) if where == "stack" \
                    else self.registers[where]
                self.look_at_copy(address, parameter, data)
                copies.append((address, address + parameter.size))
            return
        for where, at, first, last in parameter.pieces:
            piece = data[first:last + 1]
            # Narrow integers fill 32 bits, but on a packed stack, where nothing is extended.
            wanted = piece if parameter.extension == "none" \
                else extended(piece, parameter.extension, 4)
            if where == "stack":
                got = self.machine.read(self.area + at, len(wanted))
            else:
                got = self.registers[where].to_bytes(16, "little")[:len(wanted)]
            self.expect(got == wanted, f"bytes {first}-{last} in {where} {at or ''}: "
                        f"{got.hex()}, not {wanted.hex()}")

    def look_at_copy(self, address, parameter, data):
        self.expect(address % parameter.copy_align == 0,
                    f"its copy at {address:#x} is not aligned to {parameter.copy_align}")
        self.expect(self.area + self.call.stack_size <= address
                    and address + parameter.size <= self.frame_end,
                    f"its copy at {address:#x} is not above the arguments in the frame")
        got = self.machine.read(address, parameter.size)
        self.expect(got == data, f"its copy is {got.hex()}, not {data.hex()}")

    def leave(self, copies):
        """What a callee may do: write to its arguments, to what is below them, and to all registers
        that it need not keep; and give a result."""
        machine, call, random = self.machine, self.call, self.random
        machine.write(self.low - 4096, random.randbytes(4096))
        size = call.stack_size
        if call.convention == "win64":
            self.expect(size >= SHADOW_SPACE, "there is no shadow space")
        machine.write(self.area, random.randbytes(size))
        for start, end in copies:
            machine.write(start, random.randbytes(end - start))
        kept = KEPT_BY_CALLEE[call.convention]
        registers = {n: random.getrandbits(64) for n in machine.general
                     if n not in kept and n != "rsp"}
        for name in machine.vectors:
            if name not in kept:
                value = random.getrandbits(128)
                if name in KEPT_HALVES:
                    value = value & ~LOW | self.registers[name] & LOW
                registers[name] = value
        self.result = random.randbytes(call.result.size)
        x87 = {}
        for where, _, first, last in call.result.pieces:
            piece = self.result[first:last + 1]
            if where.startswith("st"):
                x87[int(where[2:])] = piece
            else:
                above = registers[where] >> len(piece) * 8 << len(piece) * 8
                registers[where] = above | little(piece)
        if call.result.address:
            machine.write(self.result_at, self.result)
            if call.result.returned:
                registers[call.result.returned] = self.result_at
        self.load_x87(x87)
        machine.registers.write(registers)
        self.reads_before = len(machine.reads)
        self.writes_before = len(machine.writes)

    def load_x87(self, values):
        machine = self.machine
        for number in sorted(values, reverse=True):
            # It lists a read, which is none of the stub's.
            reads = len(machine.reads)
            machine.push_x87(self.stage.place(values[number], 16))
            del machine.reads[reads:]

    # ----------------------------------------------------------------- after
    def look_at_registers(self):
        machine = self.machine
        sp = machine.registers["sp"]
        self.expect(sp == self.sp, f"sp is {sp - self.sp:+} bytes from where it was")
        for name, before in self.kept.items():
            after = machine.registers[name]
            if name in KEPT_HALVES:
                before, after = before & LOW, after & LOW
            self.expect(before == after, f"{name} was {before:#x} and is {after:#x}")
        if self.is_x86:
            self.expect(machine.registers["x87 tags"] == 0xffff, "the x87 stack is not empty")

    def look_at_result(self):
        machine, call = self.machine, self.call
        size = call.result.size
        wanted = bytearray(self.result)
        if call.result.pieces:
            travels = set()
            for _, _, first, last in call.result.pieces:
                travels.update(range(first, last + 1))
            for byte in range(size):
                if byte not in travels:
                    wanted[byte] = 0
        if self.result_size > size:
            wanted = extended(bytes(wanted), call.result.extension, self.result_size)
        got = machine.read(self.result_at, self.result_size)
        self.expect(got == bytes(wanted), f"the result is {got.hex()}, not {wanted.hex()}")
        at, before, after = self.surroundings
        self.expect(machine.read(at, 1) == before
                    and machine.read(self.result_at + self.result_size, 16) == after,
                    "bytes beside the result have changed")

    def look_at_memory(self):
        """No access but to values, the frame and, for errno, the thread's block."""
        machine = self.machine
        readable = sorted(self.stage.readable + [(self.low, self.sp)])
        for address, size, _ in machine.reads:
            if self.is_in_thread(address):
                continue
            self.expect(any(start <= address and address + size <= end for start, end in readable),
                        f"it reads {size} bytes at {address:#x}, which are no value's")
        for number, (address, size, sp) in enumerate(machine.writes):
            if self.is_in_thread(address):
                continue
            is_after = number >= self.writes_before
            in_frame = self.low <= address and address + size <= self.sp
            in_result = is_after and any(start <= address and address + size <= end
                                         for start, end in self.stage.writable)
            self.expect(in_frame or in_result,
                        f"it writes {size} bytes at {address:#x}, outside frame and result")
            if in_frame:
                self.expect(address >= sp - PUSHED, "it writes below the stack pointer")
        self.look_at_thread(machine.reads[self.reads_before:])
        self.expect(not machine.misaligned, "sp is not always aligned to 16")

    @staticmethod
    def is_in_thread(address):
        return Machine.THREAD <= address < Machine.THREAD + Machine.THREAD_SIZE

    def look_at_thread(self, reads):
        """errno is read once, after the call, and kept once."""
        machine = self.machine
        reads = [read for read in reads if self.is_in_thread(read[0])]
        writes = [write for write in machine.writes if self.is_in_thread(write[0])]
        if not self.keeps_errno:
            self.expect(not reads and not writes, "it touches the thread's block")
            return
        self.expect(len(reads) == 1 and len(writes) == 1, "errno is not kept once")
        (start, read_size, _), (to, write_size, _) = reads[0], writes[0]
        self.expect((read_size, write_size) == (4, 4) and start != to,
                    "errno is an int, and kept elsewhere")
        self.expect(machine.read(start, 4) == machine.read(to, 4), "another value is kept than errno")
