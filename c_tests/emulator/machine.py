"""A processor in the unicorn emulator, with memory for code, data, thread-locals and a stack.

    machine = Machine("aarch64")
    function = machine.load(code)              # bytes, placed on executable memory
    machine.registers["x0"] = 5
    machine.start(function, sp)                # returns to Machine.STOP
    machine.run(function)                      # until STOP, or until=...
    machine.registers["x0"]

Registers go by their whole names: rax, xmm0, x0, v0, sp. Values are integers. What the code reads and
writes is listed in `reads` and `writes` as (address, size, stack pointer), in order, once `watch` is
on.
"""

import unicorn
from unicorn import arm64_const, x86_const

X86_64_GENERAL = ["rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11",
                  "r12", "r13", "r14", "r15"]
AARCH64_GENERAL = [f"x{n}" for n in range(31)]

PAGE = 4096


class Wrong(Exception):
    """Code that does not do what it should."""


class Registers:
    """The registers of a processor as a mapping."""

    def __init__(self, emulator, numbers):
        self.emulator, self.numbers = emulator, numbers

    def __getitem__(self, name):
        return self.emulator.reg_read(self.numbers[name])

    def __setitem__(self, name, value):
        self.emulator.reg_write(self.numbers[name], value)

    def read(self, names):
        return dict(zip(names, self.emulator.reg_read_batch([self.numbers[n] for n in names])))

    def write(self, values):
        self.emulator.reg_write_batch([(self.numbers[n], v) for n, v in values.items()])


class Machine:
    CODE = 0x4000_0000_0000
    CODE_SIZE = 16 << 20
    # Functions that code calls or returns to, and that Python stands in for.
    OUTSIDE = 0x5000_0000_0000
    STOP = OUTSIDE + 0x10
    EMPTY_X87 = OUTSIDE + 0x20
    PUSH_X87 = OUTSIDE + 0x30
    POP_X87 = OUTSIDE + 0x40
    # Of these on, whoever uses the machine can have them for its functions.
    FREE = OUTSIDE + 0x100
    DATA = 0x6000_0000_0000
    DATA_SIZE = 16 << 20
    THREAD = 0x6f00_0000_0000
    THREAD_SIZE = 64 << 10
    STACK = 0x7000_0000_0000
    STACK_SIZE = 16 << 20
    # The longest run that is none without end.
    LONGEST = 200_000

    def __init__(self, architecture):
        self.architecture = architecture
        if architecture == "x86_64":
            self.emulator = unicorn.Uc(unicorn.UC_ARCH_X86, unicorn.UC_MODE_64)
            self.general = X86_64_GENERAL
            self.vectors = [f"xmm{n}" for n in range(16)]
            names, prefix, constants = self.general + self.vectors, "UC_X86_REG_", x86_const
            self.numbers = {n: getattr(constants, prefix + n.upper()) for n in names}
            self.numbers |= {"sp": x86_const.UC_X86_REG_RSP, "pc": x86_const.UC_X86_REG_RIP,
                             "flags": x86_const.UC_X86_REG_EFLAGS,
                             "thread": x86_const.UC_X86_REG_FS_BASE,
                             "x87 tags": x86_const.UC_X86_REG_FPTAG}
        elif architecture == "aarch64":
            self.emulator = unicorn.Uc(unicorn.UC_ARCH_ARM64, unicorn.UC_MODE_ARM)
            self.emulator.ctl_set_cpu_model(arm64_const.UC_CPU_ARM64_MAX)
            self.general = AARCH64_GENERAL
            self.vectors = [f"v{n}" for n in range(32)]
            names, prefix, constants = self.general + self.vectors, "UC_ARM64_REG_", arm64_const
            self.numbers = {n: getattr(constants, prefix + n.upper()) for n in names}
            self.numbers |= {"sp": arm64_const.UC_ARM64_REG_SP, "pc": arm64_const.UC_ARM64_REG_PC,
                             "flags": arm64_const.UC_ARM64_REG_NZCV,
                             "thread": arm64_const.UC_ARM64_REG_TPIDR_EL0}
        else:
            raise ValueError(f"no such architecture: {architecture}")
        self.registers = Registers(self.emulator, self.numbers)
        emulator = self.emulator
        emulator.mem_map(self.CODE, self.CODE_SIZE, unicorn.UC_PROT_READ | unicorn.UC_PROT_EXEC)
        emulator.mem_map(self.OUTSIDE, PAGE, unicorn.UC_PROT_READ | unicorn.UC_PROT_EXEC)
        for start, size in ((self.DATA, self.DATA_SIZE), (self.THREAD, self.THREAD_SIZE),
                            (self.STACK, self.STACK_SIZE)):
            emulator.mem_map(start, size, unicorn.UC_PROT_READ | unicorn.UC_PROT_WRITE)
        self.next_code = self.CODE
        self.registers["thread"] = self.THREAD + self.THREAD_SIZE // 2
        self.reads, self.writes, self.misaligned = [], [], []
        self.hooks = []
        if architecture == "x86_64":
            # fninit; fld tbyte [rcx]; fstp tbyte [rcx]
            self.write(self.EMPTY_X87, bytes.fromhex("dbe3"))
            self.write(self.PUSH_X87, bytes.fromhex("db29"))
            self.write(self.POP_X87, bytes.fromhex("db39"))
            self.empty_x87()

    # ---------------------------------------------------------------- memory
    def load(self, code, align=64):
        """Places code, and says where. It is never changed: old code gives way when all is full."""
        start = -(-self.next_code // align) * align
        if start + len(code) > self.CODE + self.CODE_SIZE:
            start = self.CODE
            self.emulator.ctl_flush_tb()
        self.emulator.mem_write(start, bytes(code))
        self.next_code = start + len(code)
        return start

    def write(self, address, data):
        self.emulator.mem_write(address, bytes(data))

    def read(self, address, size):
        return bytes(self.emulator.mem_read(address, size))

    def word(self, address):
        return int.from_bytes(self.read(address, 8), "little")

    def watch(self):
        """From now on lists what is read and written."""
        sp = self.numbers["sp"]

        def on_access(emulator, access, address, size, _value, _data):
            accesses = self.reads if access == unicorn.UC_MEM_READ else self.writes
            accesses.append((address, size, emulator.reg_read(sp)))

        self.hooks.append(self.emulator.hook_add(
            unicorn.UC_HOOK_MEM_READ | unicorn.UC_HOOK_MEM_WRITE, on_access))

    def watch_stack_pointer(self):
        """From now on `misaligned` lists instructions at which it is no multiple of 16."""
        sp = self.numbers["sp"]

        def on_code(emulator, address, _size, _data):
            if emulator.reg_read(sp) % 16:
                self.misaligned.append(address)

        self.hooks.append(self.emulator.hook_add(unicorn.UC_HOOK_CODE, on_code, begin=self.CODE,
                                                 end=self.CODE + self.CODE_SIZE))

    # --------------------------------------------------------------- running
    def start(self, sp):
        """Sets the stack as it is when a function begins that will return to STOP. `sp` is that of
        the caller before the call, a multiple of 16."""
        if self.architecture == "x86_64":
            self.write(sp - 8, self.STOP.to_bytes(8, "little"))
            self.registers["sp"] = sp - 8
        else:
            self.registers["sp"] = sp
            self.registers["x30"] = self.STOP

    def return_address(self):
        """Where a function that has just been entered will return to."""
        if self.architecture == "x86_64":
            return self.word(self.registers["sp"])
        return self.registers["x30"]

    def give_back(self):
        """Does what a function's return instruction does, and says where to go on."""
        back = self.return_address()
        if self.architecture == "x86_64":
            self.registers["sp"] += 8
        return back

    def empty_x87(self):
        self.run(self.EMPTY_X87, length=2)

    def push_x87(self, address):
        """Loads the 10 bytes at an address, by rcx."""
        self.registers["rcx"] = address
        self.run(self.PUSH_X87, length=2)

    def pop_x87(self, address):
        """Stores the 10 bytes on top at an address, by rcx."""
        self.registers["rcx"] = address
        self.run(self.POP_X87, length=2)

    def run(self, address, until=STOP, length=None):
        """Runs from an address until another is reached; code that goes elsewhere is wrong."""
        end = address + length if length else until
        try:
            self.emulator.emu_start(address, end, count=self.LONGEST)
        except unicorn.UcError as error:
            pc = self.registers["pc"]
            raise Wrong(f"{error} at {pc:#x}, {pc - address:#x} from the start") from None
        pc = self.registers["pc"]
        if pc != end:
            raise Wrong(f"it came to {pc:#x}, not to {end:#x}")
