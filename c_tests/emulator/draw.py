"""Draws the prototypes whose stubs are run. A prototype depends on the seed and its index alone.

No compiler has to read them, so types stand where they are used. Of plain ones, kinds are known too:
("int", size), ("float", size), ("large",) for a struct of 24 bytes that is not homogeneous,
("doubles", count) for one of so many doubles.
"""

import random
from dataclasses import dataclass
from typing import List, Optional, Tuple

LONG = {"sysv64": 8, "win64": 4, "aapcs64": 8, "apple64": 8}
INTEGERS = [("char", 1), ("signed char", 1), ("unsigned char", 1), ("_Bool", 1), ("short", 2),
            ("unsigned short", 2), ("int", 4), ("unsigned", 4), ("long", 0), ("unsigned long", 0),
            ("long long", 8), ("unsigned long long", 8), ("void *", 8)]
FLOATS = [("float", 4), ("double", 8)]
OTHERS = ["__int128", "unsigned __int128", "_Float16", "long double", "float _Complex",
          "double _Complex", "long double _Complex", "enum { A = -1, B }"]
LANES = ["signed char", "short", "int", "long long", "float", "double"]


@dataclass
class Drawn:
    text: str
    kind: Optional[Tuple] = None


@dataclass
class Prototype:
    text: str
    extra: List[str]
    kinds: List[Optional[Tuple]]     # of all parameters
    fixed: int
    result: Optional[Tuple]
    is_variadic: bool
    signs: List[Optional[str]]       # "signed" or "unsigned" for integers
    result_sign: Optional[str]

    @property
    def line(self):
        return "\t".join([self.text] + self.extra)


def sign(text, convention):
    """Of a type: how it is extended, if it is."""
    if text in ("signed char", "short", "int", "long", "long long", "enum { A = -1, B }"):
        return "signed"
    if text == "char":
        return "unsigned" if convention == "aapcs64" else "signed"
    is_integer = any(text == name for name, _ in INTEGERS)
    return "unsigned" if is_integer else None


class Drawer:
    def __init__(self, seed, index, convention):
        self.random = random.Random(f"{seed}/{index}/{convention}")
        self.convention = convention
        self.members = 0

    def chance(self, probability):
        return self.random.random() < probability

    def integer(self):
        text, size = self.random.choice(INTEGERS)
        return Drawn(text, ("int", size or LONG[self.convention]))

    def floating(self):
        text, size = self.random.choice(FLOATS)
        return Drawn(text, ("float", size))

    def vector(self):
        # The emulator has no registers of 32 bytes, in which System V would pass such a vector.
        sizes = [8, 16, 16] if self.convention == "sysv64" else [8, 16, 16, 32]
        size = self.random.choice(sizes)
        lanes = [lane for lane in LANES if size > 8 or lane not in ("long long", "double")]
        return Drawn(f"{self.random.choice(lanes)} __attribute__((vector_size({size})))")

    def scalar(self):
        kind = self.random.random()
        if kind < 0.55:
            return self.integer()
        if kind < 0.8:
            return self.floating()
        if kind < 0.9:
            return Drawn(self.random.choice(OTHERS))
        if self.convention != "apple64" and kind < 0.92:
            return Drawn("_Float128")
        return self.vector()

    def name(self):
        self.members += 1
        return f"m{self.members}"

    def member(self, depth):
        if self.chance(0.1):
            text, size = self.random.choice(INTEGERS[:-1])
            widest = 1 if text == "_Bool" else (size or 4) * 8
            return f"{text} {self.name()} : {self.random.randint(1, widest)};"
        if depth < 4 and self.chance(0.25):
            type_ = self.record(depth + 1)
        else:
            type_ = self.scalar()
        before = f"_Alignas({self.random.choice([16, 32])}) " if self.chance(0.03) else ""
        length = f"[{self.random.randint(1, 4)}]" if self.chance(0.2) else ""
        return f"{before}{type_.text} {self.name()}{length};"

    def record(self, depth=1):
        words = []
        if self.chance(0.08):
            words.append("packed")
        if self.chance(0.06):
            words.append(f"aligned({self.random.choice([2, 8, 16, 32, 64])})")
        attributes = f" __attribute__(({', '.join(words)}))" if words else ""
        keyword = "union" if self.chance(0.2) else "struct"
        count = self.random.choices([0, 1, 2, 3, 4, 6], [1, 8, 8, 6, 3, 1])[0]
        if self.chance(0.25):
            # All alike, as homogeneous aggregates are.
            element = self.random.choice(["float", "double", "_Float16", "long double"])
            body = " ".join(f"{element} {self.name()};" for _ in range(count))
        else:
            body = " ".join(self.member(depth) for _ in range(count))
        if depth == 1 and self.chance(0.02):
            body += f" char {self.name()}[{self.random.choice([100, 300, 5000])}];"
        return Drawn(f"{keyword}{attributes} {{ {body} }}")

    def any_type(self, plain):
        if not plain:
            return self.record() if self.chance(0.45) else self.scalar()
        kind = self.random.random()
        if kind < 0.5:
            return self.integer()
        if kind < 0.8:
            return self.floating()
        if kind < 0.9:
            return Drawn("struct { long long a[2]; char b; }", ("large",))
        count = self.random.choice([3, 4])
        members = ", ".join("abcd"[:count])
        return Drawn(f"struct {{ double {members}; }}", ("doubles", count))

    def extra(self, plain):
        """What a variadic argument can be: nothing that C promotes."""
        while True:
            drawn = self.any_type(plain)
            size = drawn.kind[1] if drawn.kind and drawn.kind[0] in ("int", "float") else 8
            if size == 8 or size == 4 and drawn.kind[0] == "int":
                if drawn.text != "_Float16":
                    return drawn

    def prototype(self):
        plain = self.chance(0.3)
        count = self.random.choices([0, 1, 2, 3, 4, 6, 9, 12, 16, 24, 60, 250],
                                    [2, 6, 8, 8, 8, 8, 8, 6, 4, 2, 0.5, 0.2])[0]
        parameters = [self.any_type(plain) for _ in range(count)]
        extra = []
        is_variadic = self.chance(0.2)
        if is_variadic:
            parameters = parameters or [self.integer()]
            extra = [self.extra(plain) for _ in range(self.random.choice([0, 1, 2, 4, 8, 12]))]
        result = Drawn("void", ("void",)) if self.chance(0.1) else self.any_type(plain)
        texts = [p.text for p in parameters] + (["..."] if is_variadic else [])
        return Prototype(f"{result.text} f({', '.join(texts) or 'void'})",
                         [e.text for e in extra], [p.kind for p in parameters + extra],
                         len(parameters), result.kind, is_variadic,
                         [sign(p.text, self.convention) for p in parameters + extra],
                         sign(result.text, self.convention))
