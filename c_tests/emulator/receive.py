"""Runs one receiver, the stub behind a callback, in the emulator: calls it by its convention, and is the
handler that it calls.

As in check.py everything that means nothing holds random bits: narrow values' upper parts, registers
that carry nothing, and after the handler all that it may change.
"""

from check import KEPT_BY_CALLEE, KEPT_HALVES, LOW, PUSHED, Stage, extended, little
from machine import Machine, Wrong

# Where a handler, a function of the system's own convention, finds result, array and user.
HANDLER = {"x86_64": ("rdi", "rsi", "rdx"), "aarch64": ("x0", "x1", "x2")}
CONTEXT = {"x86_64": "r11", "aarch64": "x17"}
NATIVE = {"x86_64": "sysv64", "aarch64": "aapcs64"}
RECORD_SIZE, RECORD_HANDLER, RECORD_USER = 64, 8, 16
SLOT = 8
LARGEST_ALIGN = 32


def natural_align(size):
    """What the size of a type lets its alignment be."""
    return min(size & -size, LARGEST_ALIGN)


class Reception:
    """One call into a receiver. `kinds` and `result_kind` are "signed" or "unsigned" for integers, and
    None for others."""

    def __init__(self, machine, call, receiver, in_slots, kinds, result_kind, random):
        self.machine, self.call, self.random = machine, call, random
        self.in_slots, self.kinds, self.result_kind = in_slots, kinds, result_kind
        self.is_x86 = machine.architecture == "x86_64"
        self.code = machine.load(receiver)
        self.stage = Stage(machine, random)
        self.values = [random.randbytes(p.size) for p in call.parameters]
        self.result = random.randbytes(call.result.size)

    def expect(self, good, what):
        if not good:
            raise Wrong(what)

    def run(self):
        self.set_the_scene()
        self.machine.run(self.code, until=self.handler)
        if self.has_frame():
            self.look_at_frame()
            self.be_the_handler()
            self.machine.run(self.back)
        else:
            self.be_the_handler_of_nothing()
        self.look_at_registers()
        self.look_at_result()
        self.look_at_memory()

    # ---------------------------------------------------------------- before
    def set_the_scene(self):
        machine, call, random = self.machine, self.call, self.random
        area_size = -(-call.stack_size // 16) * 16
        align = max(16, call.stack_align)
        self.area = Machine.STACK + Machine.STACK_SIZE - 4096 - area_size - 16 * random.randrange(256)
        self.area -= self.area % align
        depth = sum(p.size + 64 for p in call.parameters) + 16384
        self.expect(depth < Machine.STACK_SIZE - (1 << 20), "the emulator has not so much stack")
        machine.write(self.area - depth, random.randbytes(depth + area_size + 64))
        machine.write(Machine.THREAD, random.randbytes(Machine.THREAD_SIZE))
        registers = {n: random.getrandbits(64) for n in machine.general if n != "rsp"}
        registers |= {n: random.getrandbits(128) for n in machine.vectors}
        if self.is_x86:
            machine.empty_x87()
        machine.start(self.area)
        registers.pop("x30", None)
        self.handler = Machine.FREE + 16 * random.randrange(64)
        self.user = random.getrandbits(64)
        record = bytearray(random.randbytes(RECORD_SIZE))
        record[RECORD_HANDLER:RECORD_HANDLER + 8] = self.handler.to_bytes(8, "little")
        record[RECORD_USER:RECORD_USER + 8] = self.user.to_bytes(8, "little")
        self.record = self.stage.place(bytes(record), 64)
        self.stage.readable.append((self.record + RECORD_HANDLER, self.record + RECORD_USER + 8))
        self.copies = {}
        for index, (parameter, data) in enumerate(zip(call.parameters, self.values)):
            self.pass_value(index, parameter, data, registers)
        self.result_at = self.stage.place(random.randbytes(call.result.size),
                                          max(16, natural_align(call.result.size)))
        if call.result.address:
            registers[call.result.address] = self.result_at
        size = call.result.size
        self.surroundings = (machine.read(self.result_at - 1, 1),
                             machine.read(self.result_at + size, 16))
        registers[CONTEXT[machine.architecture]] = self.record
        machine.registers.write(registers)
        self.sp = machine.registers["sp"]
        kept = [n for n in KEPT_BY_CALLEE[call.convention]]
        self.kept = machine.registers.read(kept + ([] if self.is_x86 else KEPT_HALVES))
        machine.reads.clear()
        machine.writes.clear()
        machine.misaligned.clear()

    def pass_value(self, index, parameter, data, registers):
        if parameter.copy_align:
            at = self.stage.readable_value(data, parameter.copy_align)
            self.copies[index] = at
            pieces = [(where, offset, at.to_bytes(8, "little"))
                      for where, offset, _, _ in parameter.pieces]
        else:
            pieces = [(where, offset, data[first:last + 1])
                      for where, offset, first, last in parameter.pieces]
        for where, offset, piece in pieces:
            if where == "stack":
                self.machine.write(self.area + offset, piece)
                self.stage.readable.append((self.area + offset, self.area + offset + len(piece)))
                continue
            # Apple's callers extend to 32 bits; on the others nothing can be counted on.
            if self.call.convention == "apple64" and self.kinds[index]:
                piece = extended(piece, parameter.extension, 4)
            above = registers[where] >> len(piece) * 8 << len(piece) * 8
            registers[where] = above | little(piece)

    # ---------------------------------------------------------------- during
    def has_frame(self):
        """Where there is neither an argument nor a result the handler of pointers returns to the caller."""
        is_native = NATIVE[self.machine.architecture] == self.call.convention or not self.is_x86
        return bool(self.in_slots or self.values or self.call.result.size or not is_native)

    def be_the_handler_of_nothing(self):
        machine = self.machine
        ret, array, user = (machine.registers[n] for n in HANDLER[machine.architecture])
        self.expect((ret, array) == (0, 0), f"a result at {ret:#x} and an array at {array:#x}")
        self.expect(user == self.user, f"user is {user:#x}, not {self.user:#x}")
        context = CONTEXT[machine.architecture]
        self.expect(machine.registers[context] == self.record, f"{context} is not the record")
        self.expect(machine.registers["sp"] == self.sp, "a jump leaves the stack as it was")
        self.expect(not machine.writes, "it writes to memory without a frame")
        back = machine.give_back()
        self.expect(back == Machine.STOP, f"it would return to {back:#x}, not to its caller")
        self.low = machine.registers["sp"]
        self.own, self.frame = [], (self.low, self.low)
        self.reads_before, self.writes_before = len(machine.reads), len(machine.writes)
        self.leave(None)

    def look_at_frame(self):
        machine = self.machine
        self.low = machine.registers["sp"]
        self.back = machine.give_back()
        self.expect((self.low + 8 * self.is_x86) % 16 == 0, f"sp is not aligned to 16: {self.low:#x}")
        name, caller = ("rbp", self.area) if self.is_x86 else ("x29", self.sp)
        frame, above = machine.registers[name], self.sp - 8 if self.is_x86 else self.sp - 16
        self.expect(frame == above, f"the frame does not begin at {name}: {frame:#x}, not {above:#x}")
        self.expect(machine.word(frame) == self.kept[name], f"the caller's {name} is not at {name}")
        self.expect(machine.word(frame + 8) == Machine.STOP, f"no return address above {name}")
        self.frame = (self.low, caller)

    def be_the_handler(self):
        machine = self.machine
        names = HANDLER[machine.architecture]
        ret, array, user = (machine.registers[n] for n in names)
        context = CONTEXT[machine.architecture]
        self.expect(user == self.user, f"user is {user:#x}, not {self.user:#x}")
        self.expect(machine.registers[context] == self.record, f"{context} is not the record")
        self.expect(array % 8 == 0 and self.is_in_frame(array, 8 * len(self.values)),
                    f"the array is at {array:#x}, outside the frame")
        self.own = []
        for index, (parameter, data) in enumerate(zip(self.call.parameters, self.values)):
            try:
                self.look_at_argument(index, parameter, data, machine.word(array + 8 * index))
            except Wrong as wrong:
                raise Wrong(f"parameter {index + 1}: {wrong}") from None
        self.own.sort()
        for (_, end), (start, _) in zip(self.own, self.own[1:]):
            self.expect(end <= start, "values overlap")
        result_memory = self.write_result(ret)
        for start, end in self.own:
            self.expect(result_memory is None or end <= result_memory[0] or start >= result_memory[1],
                        "an argument and the result overlap")
        self.reads_before, self.writes_before = len(machine.reads), len(machine.writes)
        self.leave(result_memory)

    def is_in_frame(self, start, size):
        low, high = self.frame
        return low <= start and start + size <= high

    def look_at_argument(self, index, parameter, data, element):
        if self.in_slots and parameter.size <= SLOT:
            wanted = little(extended(data, "sign" if self.kinds[index] == "signed" else "zero", SLOT))
            travels = self.mask(parameter)
            self.expect(element & travels == wanted & travels,
                        f"the slot is {element:016x}, not {wanted:016x}")
            return
        if not parameter.size:
            return
        if index in self.copies:
            self.expect(element == self.copies[index],
                        f"it is at {element:#x}, and the caller's copy at {self.copies[index]:#x}")
        elif self.is_in_frame(element, parameter.size):
            align = natural_align(parameter.size)
            self.expect(element % align == 0, f"it is at {element:#x}, not aligned to {align}")
        else:
            self.expect(self.area <= element
                        and element + parameter.size <= self.area + self.call.stack_size,
                        f"it is at {element:#x}, not in the frame and not among the arguments")
        got = self.machine.read(element, parameter.size)
        mask = self.mask(parameter).to_bytes(max(parameter.size, 8), "little")
        if any((a ^ b) & m for a, b, m in zip(got, data, mask)):
            raise Wrong(f"it is {got.hex()}, not {data.hex()}")
        self.own.append((element, element + parameter.size))

    @staticmethod
    def mask(parameter):
        """The bits that travel, and those above the value."""
        if parameter.copy_align:
            return (1 << 8 * max(parameter.size, 8)) - 1
        mask = (1 << 8 * max(parameter.size, 8)) - 1 >> 8 * parameter.size << 8 * parameter.size
        for _, _, first, last in parameter.pieces:
            mask |= (1 << 8 * (last - first + 1)) - 1 << 8 * first
        return mask

    def write_result(self, ret):
        """Gives the result as a handler does. The memory that it is in."""
        machine, result = self.machine, self.call.result
        size = result.size
        if self.in_slots:
            self.expect(ret % 8 == 0 and self.is_in_frame(ret, SLOT),
                        f"the result's slot is at {ret:#x}, outside the frame or not aligned")
        if result.pieces or result.address:
            at = machine.word(ret) if self.in_slots and size > SLOT else ret
            if result.address and (size > SLOT or not self.in_slots):
                self.expect(at == self.result_at,
                            f"the result goes to {at:#x}, and the caller's memory is at {self.result_at:#x}")
            else:
                align = natural_align(size) if not self.in_slots or size > SLOT else 8
                if any(where.startswith("st") for where, _, _, _ in result.pieces):
                    align = min(align, 16)
                self.expect(at % align == 0 and self.is_in_frame(at, size),
                            f"the result is at {at:#x}, outside the frame or not aligned to {align}")
            if self.in_slots and size > SLOT:
                # The slot is the handler's.
                machine.write(at, self.result)
                machine.write(ret, self.random.randbytes(8))
            elif self.in_slots:
                machine.write(at, self.result + self.random.randbytes(SLOT - size))
            else:
                machine.write(at, self.result)
            return at, at + size
        if self.in_slots:
            machine.write(ret, self.random.randbytes(8))
        return None

    def leave(self, result_memory):
        """What a handler may do: write to its arguments, to what is below the stack pointer, and to
        all registers that its convention lets it change."""
        machine, random = self.machine, self.random
        machine.write(self.low - 4096, random.randbytes(4096))
        for start, end in self.own:
            machine.write(start, random.randbytes(end - start))
        native = NATIVE[machine.architecture]
        kept = KEPT_BY_CALLEE[native]
        registers = {n: random.getrandbits(64) for n in machine.general
                     if n not in kept and n != "rsp"}
        for name in machine.vectors:
            value = random.getrandbits(128)
            if name in KEPT_HALVES:
                value = value & ~LOW | machine.registers[name] & LOW
            registers[name] = value
        machine.registers.write(registers)

    # ----------------------------------------------------------------- after
    def look_at_registers(self):
        machine, result = self.machine, self.call.result
        sp = machine.registers["sp"]
        self.expect(sp == self.area, f"sp is {sp - self.area:+} bytes from where it was")
        for name, before in self.kept.items():
            after = machine.registers[name]
            if name in KEPT_HALVES:
                before, after = before & LOW, after & LOW
            self.expect(before == after, f"{name} was {before:#x} and is {after:#x}")
        if self.is_x86:
            tags = machine.registers["x87 tags"]
            full = sum(tags >> 2 * n & 3 != 3 for n in range(8))
            pushed = sum(where.startswith("st") for where, _, _, _ in result.pieces)
            self.expect(full == pushed, f"{full} values are on the x87 stack, not {pushed}")
            self.pop_x87(pushed)

    def pop_x87(self, count):
        self.popped = {}
        for number in range(count):
            # It lists a write, which is none of the receiver's.
            writes = len(self.machine.writes)
            at = self.stage.place(bytes(10), 16)
            self.machine.pop_x87(at)
            self.popped[f"st{number}"] = self.machine.read(at, 10)
            del self.machine.writes[writes:]

    def look_at_result(self):
        machine, result = self.machine, self.call.result
        for where, _, first, last in result.pieces:
            wanted = self.result[first:last + 1]
            if self.result_kind and not where.startswith("st"):
                wanted = extended(wanted, "sign" if self.result_kind == "signed" else "zero", 8)
            got = self.popped[where] if where.startswith("st") else \
                machine.registers[where].to_bytes(16, "little")
            got = got[:len(wanted)]
            self.expect(got == wanted, f"the result in {where} is {got.hex()}, not {wanted.hex()}")
        if result.address:
            got = machine.read(self.result_at, result.size)
            self.expect(got == self.result, f"the result is {got.hex()}, not {self.result.hex()}")
            if result.returned:
                self.expect(machine.registers[result.returned] == self.result_at,
                            f"{result.returned} is not the result's address")
        before, after = self.surroundings
        self.expect(machine.read(self.result_at - 1, 1) == before
                    and machine.read(self.result_at + result.size, 16) == after,
                    "bytes beside the result have changed")

    def look_at_memory(self):
        """No access but to the record, arguments, the frame, and at the end the result."""
        machine = self.machine
        readable = self.stage.readable + [self.frame]
        joined = []
        for start, end in sorted(readable):
            if joined and start <= joined[-1][1]:
                joined[-1][1] = max(end, joined[-1][1])
            else:
                joined.append([start, end])
        for number, (address, size, _) in enumerate(machine.reads):
            self.expect(any(start <= address and address + size <= end for start, end in joined),
                        f"it reads {size} bytes at {address:#x}, which are no value's")
            self.expect(number < self.reads_before
                        or not self.record <= address < self.record + RECORD_SIZE,
                        "it reads the record after the handler was called")
        result_end = self.result_at + self.call.result.size
        for number, (address, size, sp) in enumerate(machine.writes):
            in_frame = self.is_in_frame(address, size)
            in_result = self.call.result.address and number >= self.writes_before and \
                self.result_at <= address and address + size <= result_end
            self.expect(in_frame or in_result,
                        f"it writes {size} bytes at {address:#x}, outside frame and result")
            if in_frame:
                self.expect(address >= sp - PUSHED, "it writes below the stack pointer")
        self.expect(not machine.misaligned, "sp is not always aligned to 16")
