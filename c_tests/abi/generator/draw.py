"""Draws one signature with everything it needs, from a seed and its index alone.

A signature does not depend on how many were drawn before it, so a failure is repeated by its
index: --first INDEX --count 1.
"""

import random
from dataclasses import dataclass, field, replace
from typing import List, Optional

from .conventions import SYSV64, Convention
from .disagreements import known_disagreements
from .types import (BOOL, COMPLEX, DOUBLE, FLOAT, FLOAT128, FLOAT16, INT128, INTEGERS, LANES,
                    LONG_DOUBLE, SPELLINGS, Array, Enum, Member, Pointer, Record, Scalar, Type,
                    Typedef, Vector)

FEATURES = ("int128", "f16", "f128", "ldouble", "complex", "pointer", "enum", "struct", "union",
            "array", "anonymous", "packed", "aligned", "bitfield", "empty", "vector", "avx",
            "variadic", "large")

POINTERS = ["void *{}", "char *{}", "const char *{}", "int *{}", "unsigned char **{}",
            "const void *const *{}", "double *{}", "struct unseen *{}", "int (*{})(void)",
            "double (*{})(double, char)", "void (*{})(int, ...)", "int (*{})[3]",
            "void (*(*{})(int))(char *)", "long double *{}", "const struct unseen *{}"]


@dataclass
class Parameter:
    type: Type
    text: str                 # as the prototype has it; {} where the name stands

    def declare(self, name):
        return self.text.format(name).rstrip()


@dataclass
class Signature:
    index: int
    result: Optional[Type]
    parameters: List[Parameter]
    fixed: int
    variadic: bool
    definitions: List[Type]   # in the order of the text
    loose_result: bool        # the callee returns garbage above a narrow result
    abstract: bool            # the prototype names no parameters
    convention: Convention
    reasons: List[str] = field(default_factory=list)

    @property
    def name(self):
        return f"F{self.index}"

    def types(self):
        return [p.type for p in self.parameters] + ([self.result] if self.result else [])


class Drawer:
    def __init__(self, seed, index, features, boundary, convention=SYSV64):
        self.convention = convention
        self.random = random.Random(f"{seed}/{index}")
        self.index = index
        self.features = features - convention.lacks
        self.boundary = boundary
        self.definitions: List[Type] = []
        self.counter = 0

    # ------------------------------------------------------------- small help
    def chance(self, probability):
        return self.random.random() < probability

    def pick(self, weighted):
        kinds = [(w, k) for k, w in weighted.items() if w]
        return self.random.choices([k for _, k in kinds], [w for w, _ in kinds])[0]

    def has(self, feature, weight):
        return weight if feature in self.features else 0

    def fresh(self, letter):
        self.counter += 1
        return f"{letter}{self.index}_{self.counter}"

    def member_name(self, letter):
        self.counter += 1
        return f"{letter}{self.counter}"

    def define(self, made):
        self.definitions.append(made)
        return made

    def spelled(self, scalar: Scalar):
        others = SPELLINGS.get(scalar.key)
        if scalar.key == "f128" and not self.convention.spellings:
            others = None
        if others and self.chance(0.25):
            scalar = replace(scalar, spelling=self.random.choice(others))
        if self.chance(0.03):
            made = Typedef(self.fresh("N"), scalar)
            self.definitions.append(made)
            scalar = replace(scalar, spelling=made.name)
        return scalar

    # ---------------------------------------------------------------- scalars
    def integer(self):
        return self.spelled(self.random.choice(INTEGERS + [BOOL]))

    def pointer(self):
        return Pointer(self.random.choice(POINTERS))

    def enum(self):
        made = [e for e in self.definitions if isinstance(e, Enum)]
        if made and self.chance(0.5):
            return self.random.choice(made)
        values = sorted({self.random.randint(0, 100) for _ in range(self.random.randint(1, 4))})
        size = 4
        shape = self.random.random()
        if shape < 0.3:
            values[0] = -self.random.randint(1, 100)
        elif shape < 0.4:
            values[-1], size = 2 ** self.random.randint(33, 62), 8
        elif shape < 0.45:
            values[0], size = -2 ** self.random.randint(33, 62), 8
        elif shape < 0.55:
            values[-1] = 0xFFFFFFFF
        elif shape < 0.6:
            values[0], values[-1] = 3, 0x7FFFFFFF
        packed = self.chance(0.2)
        if packed:
            size = 1 if max(map(abs, values)) < 120 else size
        return self.define(Enum(self.fresh("E"), values, packed, size, size))

    def vector(self, widest=32):
        sizes = [s for s in (8, 16, 16, 32) if s <= widest and (s < 32 or "avx" in self.features)]
        size = self.random.choice(sizes)
        lane = self.random.choice(LANES)
        # Vectors of one lane are a known disagreement (D7): some are enough.
        while lane.size == size and not self.chance(0.3):
            lane = self.random.choice(LANES)
        if "f16" in self.features and self.chance(0.05):
            lane = FLOAT16
        return self.define(Vector(self.fresh("V"), lane, size))

    def scalar(self, alone=False):
        """`alone`: as a parameter or result, not in a record."""
        weights = {
            "integer": 40, "double": 12, "float": 12,
            "pointer": self.has("pointer", 8), "enum": self.has("enum", 5),
            "int128": self.has("int128", 3), "f16": self.has("f16", 3),
            "f128": self.has("f128", 2), "ldouble": self.has("ldouble", 4),
            "complex": self.has("complex", 5), "vector": self.has("vector", 5)}
        if alone:
            weights = {k: self.convention.weight(k, w) for k, w in weights.items()}
        kind = self.pick(weights)
        return {"integer": self.integer, "double": lambda: self.spelled(DOUBLE),
                "float": lambda: self.spelled(FLOAT),
                "pointer": self.pointer, "enum": self.enum,
                "int128": lambda: self.spelled(self.random.choice(INT128)),
                "f16": lambda: FLOAT16, "f128": lambda: self.spelled(FLOAT128),
                "ldouble": lambda: self.spelled(LONG_DOUBLE),
                "complex": lambda: self.complex(alone),
                "vector": self.vector}[kind]()

    def complex(self, alone):
        if not alone or not self.convention.rare:
            return self.spelled(self.random.choice(COMPLEX))
        weights = {t.key: self.convention.weight(t.key, 1) for t in COMPLEX}
        chosen = self.pick(weights)
        return self.spelled(next(t for t in COMPLEX if t.key == chosen))

    # ---------------------------------------------------------------- records
    def bit_field(self):
        named = self.chance(0.9)
        choices = [self.integer] * 6
        if "enum" in self.features:
            choices.append(self.enum)
        if self.chance(0.03) and "int128" in self.features:
            choices = [lambda: self.random.choice(INT128)]
        type_ = self.random.choice(choices)()
        widest = 1 if getattr(type_, "key", "") == "bool" else type_.size * 8
        if isinstance(type_, Enum) and type_.packed:
            widest = 8
        bits = self.random.randint(1, widest) if self.chance(0.5) else self.random.randint(
            1, min(widest, 9))
        if not named and self.chance(0.6):
            bits = 0
        aligned = ""
        if named and "aligned" in self.features and self.chance(0.04):
            aligned = f" __attribute__((aligned({self.random.choice([2, 4, 8])})))"
        return Member(type_, self.member_name("b") if named else "", bits, aligned)

    def member(self, depth, room, in_union):
        if "bitfield" in self.features and self.chance(0.16):
            return self.bit_field()
        nested = depth < 4 and self.chance(0.22)
        type_: Type
        if nested and "anonymous" in self.features and self.chance(0.3):
            inner = self.record(depth + 1, room, place="anonymous")
            if inner.members:
                return Member(inner)
            type_ = INTEGERS[0]
        elif nested:
            inner = self.record(depth + 1, room)
            type_ = inner
        else:
            type_ = self.scalar()
            # Most records are to fit two eightbytes, where classification is at its finest.
            for _ in range(4):
                if type_.size <= max(room, 1):
                    break
                type_ = self.scalar()
        if "array" in self.features and self.chance(0.12):
            type_ = Array(type_, self.random.choice([1, 2, 2, 3, 4]))
            if self.chance(0.15):
                type_ = Array(type_, 2)
        elif "large" in self.features and depth == 1 and self.chance(0.004):
            type_ = Array(self.integer(), self.random.choice([65, 300, 4000]))
        member = Member(type_, self.member_name("m"))
        if "aligned" in self.features and self.chance(0.06):
            n = self.random.choice([1, 2, 4, 8, 8, 16, 16, 32])
            # _Alignas may not lower an alignment, and that of a record is not known here.
            known = not type_.holds(lambda part: isinstance(part, (Enum, Record)))
            if known and n >= type_.align and self.chance(0.5):
                member.alignas = f"_Alignas({n}) "
            else:
                member.attributes = f" __attribute__((aligned({n})))"
        elif "packed" in self.features and self.chance(0.02):
            member.attributes = " __attribute__((packed))"
        return member

    def record(self, depth=1, room=None, place="named"):
        made = [r for r in self.definitions if isinstance(r, Record)]
        if made and place == "named" and self.chance(0.3):
            return self.random.choice(made)
        union = "union" in self.features and self.chance(0.25)
        small = self.chance(0.7) if room is None else True
        if room is None:
            room = 16 if small else 64
        record = Record("union" if union else "struct", "")
        if "packed" in self.features and self.chance(0.1):
            record.packed = True
        if "aligned" in self.features and self.chance(0.07):
            record.aligned = self.random.choice([1, 2, 4, 8, 8, 16, 16, 16, 32, 64])
        record.attributes_first = self.chance(0.5)
        if "empty" in self.features and self.chance(0.02) and place == "named":
            count = 0
        else:
            count = self.pick({1: 4, 2: 7, 3: 5, 4: 3, 5: 1, 8: 1})
        for _ in range(count):
            left = room if union else room - record.size
            if left <= 0:
                break
            record.members.append(self.member(depth, left, union))
        is_only_padding = not any(m.name or m.bits is None for m in record.members)
        if count and is_only_padding and self.chance(0.5):
            record.members.append(Member(self.integer(), self.member_name("m")))
        if place == "anonymous" or (depth > 1 and self.chance(0.2)):
            return record
        if self.chance(0.35):
            record.typedef = self.fresh("T")
            if self.chance(0.5):
                record.tag = self.fresh("S")
        else:
            record.tag = self.fresh("U" if union else "S")
        return self.define(record)

    # -------------------------------------------------------------- signature
    def any_type(self):
        if self.chance(0.45) and "struct" in self.features:
            return self.any_record()
        return self.scalar(alone=True)

    def any_record(self):
        if self.convention.homogeneous and self.chance(0.25):
            return self.homogeneous()
        return self.record()

    def homogeneous(self):
        """A struct of equal floats or short vectors, or one that only just is not."""
        made = [r for r in self.definitions if isinstance(r, Record) and r.tag.startswith("H")]
        if made and self.chance(0.3):
            return self.random.choice(made)
        kinds = {"float": 5, "double": 5, "f16": self.has("f16", 2), "f128": self.has("f128", 1),
                 "ldouble": self.has("ldouble", 2), "complex": self.has("complex", 2),
                 "vector": self.has("vector", 3)}
        element = {"float": lambda: FLOAT, "double": lambda: DOUBLE, "f16": lambda: FLOAT16,
                   "f128": lambda: FLOAT128, "ldouble": lambda: LONG_DOUBLE,
                   "complex": lambda: self.random.choice(COMPLEX),
                   "vector": lambda: self.vector(16)}[self.pick(kinds)]()
        record = self.equal_members(element, self.pick({1: 3, 2: 5, 3: 5, 4: 6, 5: 2}), 1)
        if "packed" in self.features and self.chance(0.06):
            record.packed = True
        if "aligned" in self.features and self.chance(0.06):
            record.aligned = self.random.choice([4, 8, 16, 32])
        record.tag = self.fresh("H")
        return self.define(record)

    def equal_members(self, element, count, depth):
        record = Record("union" if "union" in self.features and self.chance(0.15) else "struct", "")
        if "empty" in self.features and self.chance(0.04):
            record.members.append(Member(self.define(Record("struct", self.fresh("S"))),
                                         self.member_name("m")))
        if "bitfield" in self.features and self.chance(0.03):
            record.members.append(Member(INTEGERS[5], "", 0))
        left = count
        while left > 0:
            take = self.random.randint(1, left)
            type_ = element
            if depth < 3 and self.chance(0.25):
                type_ = self.equal_members(element, take, depth + 1)
            elif take > 1 and "array" in self.features and self.chance(0.6):
                type_ = Array(element, take)
            else:
                take = 1
            record.members.append(Member(type_, self.member_name("m")))
            left -= take
        if self.chance(0.05):
            record.members.append(Member(self.scalar(), self.member_name("m")))
        return record

    def contended(self):
        """Leaves none, one or two registers of each kind, then asks for more than that."""
        first: List[Type] = []
        plain = [t for t in INTEGERS if t.size >= 4]
        general, vector = self.convention.general, self.convention.vector
        if self.convention.shared_positions:
            plain += [FLOAT, DOUBLE]
        first += [self.random.choice(plain)
                  for _ in range(general - self.random.choice([0, 1, 1, 2]))]
        if self.chance(0.6) and not self.convention.shared_positions:
            first += [self.random.choice([FLOAT, DOUBLE])
                      for _ in range(vector - self.random.choice([0, 1, 1, 2]))]
        self.random.shuffle(first)
        then: List[Type] = []
        for _ in range(self.random.randint(2, 6)):
            kind = self.pick({"record": 8, "scalar": 3, "back": 4,
                              "int128": self.has("int128", 0.5), "complex": self.has("complex", 1)})
            if kind == "record" and "struct" in self.features:
                made = self.any_record()
                small = made.size <= (64 if self.convention.homogeneous else 16)
                then.append(made if small else self.scalar(alone=True))
            elif kind == "int128":
                then.append(self.random.choice(INT128))
            elif kind == "complex":
                then.append(self.complex(alone=True))
            elif kind == "back":
                then.append(self.random.choice([INTEGERS[5], INTEGERS[7], DOUBLE, FLOAT]))
            else:
                then.append(self.scalar(alone=True))
        return first + then

    def parameter(self, type_):
        if isinstance(type_, Pointer) and self.chance(0.15):
            # Adjusted to pointers, as C says of parameters.
            text, template = self.random.choice([
                ("int {}[5]", "int *{}"), ("const char {}[]", "const char *{}"),
                ("int {}(char, double)", "int (*{})(char, double)"),
                ("short {}[2][3]", "short (*{})[3]")])
            return Parameter(Pointer(template), text)
        text = type_.declare("{}")
        if self.chance(0.05) and isinstance(type_, (Scalar, Enum, Record)):
            text = "const " + text
        return Parameter(type_, text)

    def extra(self):
        """A variadic argument: whatever C would not promote."""
        if self.convention.shared_positions and self.chance(0.25):
            return DOUBLE
        for _ in range(20):
            type_ = self.any_type()
            if type_ is FLOAT16 and not self.convention.variadic_f16:
                continue
            if getattr(type_, "promoted", True):
                return type_
        return DOUBLE

    def signature(self):
        contended = self.chance(self.boundary)
        variadic = "variadic" in self.features and self.chance(0.15)
        result = None if self.chance(0.06) else self.any_type()
        while result and not result.size and not self.chance(
                self.convention.weight("empty result", 1)):
            result = self.any_type()
        if contended:
            types = self.contended()
        else:
            count = self.pick({0: 2, 1: 4, 2: 5, 3: 6, 4: 6, 5: 5, 6: 5, 8: 5, 10: 4, 12: 3,
                               16: 3, 20: 2, 24: 2, 40: 0.5, 60: 0.5})
            types = [self.any_type() for _ in range(count)]
        fixed = len(types)
        if variadic:
            fixed = max(1, self.random.randint(1, max(1, len(types))))
            if self.convention.shared_positions and self.chance(0.6):
                fixed = 1
            types = types[:fixed] or [self.integer()]
            types += [self.extra() for _ in range(self.random.choice([0, 1, 2, 3, 4, 6, 9, 12]))]
        parameters = [self.parameter(t) for t in types]
        for parameter in parameters[fixed:]:
            parameter.text = parameter.type.declare("{}")
        made = Signature(self.index, result, parameters, fixed, variadic, self.definitions,
                         loose_result=self.chance(0.5), abstract=self.chance(0.4),
                         convention=self.convention)
        made.reasons = known_disagreements(made)
        return made

