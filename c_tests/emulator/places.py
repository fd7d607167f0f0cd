"""Reads what `farcall explain --places` writes, and works out by itself where plain values go."""

from dataclasses import dataclass, field
from typing import List, Optional, Tuple


@dataclass
class Value:
    """A parameter or a result."""
    size: int
    extension: str = "none"
    # (register or "stack", offset on the stack, first byte, last byte)
    pieces: List[Tuple[str, int, int, int]] = field(default_factory=list)
    # Of one that goes by the address of a copy.
    copy_align: Optional[int] = None
    # Of a result in memory.
    address: Optional[str] = None
    returned: Optional[str] = None

    @property
    def places(self):
        return [f"stack+{at}" if where == "stack" else where for where, at, _, _ in self.pieces]


@dataclass
class Call:
    convention: str
    stack_size: int
    stack_align: int
    vector_count: Optional[int]
    parameters: List[Value]
    result: Value


def place(text):
    name, _, offset = text.partition("+")
    return name, int(offset or 0)


def value(size, words):
    extension, *pieces = words
    made = Value(int(size), extension)
    for piece in pieces:
        where, _, span = piece.partition("=")
        first, _, last = span.partition("-")
        made.pieces.append((*place(where), int(first), int(last)))
    return made


def read(line):
    convention, *fields = [part.split() for part in line.split(";")]
    call = Call(convention[0], 0, 0, None, [], Value(0))
    for name, *words in fields:
        if name == "stack":
            call.stack_size, call.stack_align = map(int, words)
        elif name == "al":
            call.vector_count = int(words[0])
        elif name == "value":
            call.parameters.append(value(words[0], words[1:]))
        elif name == "copy":
            pieces = [(*place(where), 0, 7) for where in words[2:]]
            call.parameters.append(Value(int(words[0]), pieces=pieces, copy_align=int(words[1])))
        elif name == "result" and words[1] == "memory":
            call.result = Value(int(words[0]), address=words[2],
                                returned=words[3] if len(words) > 3 else None)
        elif name == "result" and words[1] != "void":
            call.result = value(words[0], words[1:])
        elif name != "result":
            raise ValueError(f"what is {name!r} in {line!r}?")
    return call


# ------------------------------------------------- the conventions, for plain values, once more
GENERAL = {"sysv64": ["rdi", "rsi", "rdx", "rcx", "r8", "r9"], "win64": ["rcx", "rdx", "r8", "r9"],
           "aapcs64": [f"x{n}" for n in range(8)], "apple64": [f"x{n}" for n in range(8)]}
VECTOR = {"sysv64": [f"xmm{n}" for n in range(8)], "win64": [f"xmm{n}" for n in range(4)],
          "aapcs64": [f"v{n}" for n in range(8)], "apple64": [f"v{n}" for n in range(8)]}


def up(offset, align):
    return -(-offset // align) * align


def win64_places(kinds, fixed, result):
    position = 1 if result[0] in ("large", "doubles") else 0
    made = []
    for index, kind in enumerate(kinds):
        if position >= 4:
            made.append([f"stack+{position * 8}"])
        elif kind[0] != "float":
            made.append([GENERAL["win64"][position]])
        elif index < fixed:
            made.append([VECTOR["win64"][position]])
        else:
            made.append([VECTOR["win64"][position], GENERAL["win64"][position]])
        position += 1
    return made


def expected_places(convention, kinds, fixed, result):
    """The places of the pieces of each parameter; of kinds that `draw` names."""
    if convention == "win64":
        return win64_places(kinds, fixed, result)
    is_sysv, is_apple = convention == "sysv64", convention == "apple64"
    general, vector = list(GENERAL[convention]), list(VECTOR[convention])
    if is_sysv and result[0] in ("large", "doubles"):
        general.pop(0)
    stack, made = 0, []
    for index, kind in enumerate(kinds):
        extra_on_stack = is_apple and index >= fixed
        registers, count, size, align = general, 1, kind[-1], kind[-1]
        if kind[0] == "float":
            registers = vector
        elif kind[0] == "large":
            # Itself, or the address of a copy.
            registers, size, align = ([], 24, 8) if is_sysv else (general, 8, 8)
        elif kind[0] == "doubles":
            registers, count, size, align = [] if is_sysv else vector, kind[1], 8 * kind[1], 8
        if not extra_on_stack and len(registers) >= count:
            made.append([registers.pop(0) for _ in range(count)])
            continue
        if not extra_on_stack:
            registers.clear()
        if extra_on_stack or not is_apple:
            size, align = up(size, 8), 8
        stack = up(stack, align)
        made.append([f"stack+{stack}"])
        stack += size
    return made
