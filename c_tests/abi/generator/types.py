"""C types as the generator sees them: how to declare one, and where its significant bytes are.

No layout is worked out here. A type lists its leaves by member path, and the compilers turn the
paths into offsets, so a wrong idea about layout cannot hide in this file. `size` and `align` are
estimates that only steer what is drawn.
"""

from dataclasses import dataclass, field
from typing import Iterator, List, Optional


@dataclass
class Leaf:
    """One member that holds a value. `path` is empty for a value that is no record."""

    path: str
    kind: str                 # a C expression of type enum fcg_kind
    size: str                 # a C expression: bytes of one element
    count: int = 1
    bit_value: str = ""       # for a bit-field: what sets all its bits


class Type:
    narrow_kind = "FCG_OTHER"     # how a whole value of this type widens to 64 bits

    def declare(self, name: str) -> str:
        raise NotImplementedError

    def leaves(self, path: str) -> Iterator[Leaf]:
        raise NotImplementedError

    def parts(self) -> Iterator["Type"]:
        """This type and all that it holds by value."""
        yield self

    def holds(self, test) -> bool:
        return any(test(part) for part in self.parts())


@dataclass
class Scalar(Type):
    key: str
    spelling: str
    size: int
    align: int
    kind: str
    count: int = 1            # 2 for complex numbers
    promoted: bool = True     # False: a variadic call would promote it to another type

    @property
    def narrow_kind(self):
        return self.kind if self.size <= 8 and self.count == 1 else "FCG_OTHER"

    def declare(self, name):
        return f"{self.spelling} {name}".rstrip()

    def leaves(self, path):
        # The one scalar whose size is a matter of the system.
        long = self.kind == "FCG_LONG_DOUBLE"
        size = "sizeof(long double)" if long else str(self.size // self.count)
        yield Leaf(path, self.kind, size, self.count)


@dataclass
class Typedef:
    """Another name for a scalar: only its definition, for the scalar is then spelled so."""

    name: str
    of: Scalar

    def definition(self):
        return f"typedef {self.of.declare(self.name)};"


@dataclass
class Enum(Type):
    tag: str
    values: List[int]
    packed: bool
    size: int
    align: int

    @property
    def spelling(self):
        return f"enum {self.tag}"

    @property
    def promoted(self):
        return not self.packed

    @property
    def narrow_kind(self):
        return f"FCG_ENUM_KIND({self.spelling})"

    def definition(self):
        names = ", ".join(f"{self.tag}_{i} = {value}" for i, value in enumerate(self.values))
        packed = " __attribute__((packed))" if self.packed else ""
        return f"enum {self.tag} {{ {names} }}{packed};"

    def declare(self, name):
        return f"{self.spelling} {name}".rstrip()

    def leaves(self, path):
        yield Leaf(path, self.narrow_kind, f"sizeof({self.spelling})")


@dataclass
class Pointer(Type):
    """`template` is a declaration with {} where the name stands: "int (*{})[3]"."""

    template: str
    size = 8
    align = 8
    narrow_kind = "FCG_POINTER"

    def declare(self, name):
        return self.template.format(name).rstrip()

    def leaves(self, path):
        yield Leaf(path, "FCG_POINTER", "8")


@dataclass
class Vector(Type):
    name: str
    lane: Scalar
    size: int

    @property
    def align(self):
        return self.size

    @property
    def lanes(self):
        return self.size // self.lane.size

    def definition(self):
        attribute = f"__attribute__((vector_size({self.size})))"
        return f"typedef {self.lane.spelling} {self.name} {attribute};"

    def declare(self, name):
        return f"{self.name} {name}".rstrip()

    def leaves(self, path):
        yield Leaf(path, self.lane.kind, str(self.lane.size), self.lanes)


@dataclass
class Array(Type):
    element: Type
    length: int

    @property
    def size(self):
        return self.element.size * self.length

    @property
    def align(self):
        return self.element.align

    def declare(self, name):
        return self.element.declare(f"{name}[{self.length}]")

    def leaves(self, path):
        if self.holds(lambda part: isinstance(part, Record)):
            for index in range(self.length):
                yield from self.element.leaves(f"{path}[{index}]")
            return
        for leaf in self.element.leaves(path):
            yield Leaf(leaf.path, leaf.kind, leaf.size, leaf.count * self.length)

    def parts(self):
        yield self
        yield from self.element.parts()


@dataclass
class Member:
    type: Type
    name: str = ""            # "": an anonymous record or an unnamed bit-field
    bits: Optional[int] = None
    attributes: str = ""      # after the declarator
    alignas: str = ""         # before it

    def declare(self):
        text = self.type.declare(self.name)
        if self.bits is not None:
            text = f"{text} : {self.bits}"
        return f"{self.alignas}{text}{self.attributes};"


@dataclass
class Record(Type):
    keyword: str              # struct or union
    tag: str                  # "": defined in place, inside another record
    members: List[Member] = field(default_factory=list)
    typedef: str = ""
    packed: bool = False
    aligned: int = 0
    attributes_first: bool = True

    @property
    def size(self):
        sizes = [0]
        for member in self.members:
            sizes.append((member.bits + 7) // 8 if member.bits is not None else member.type.size)
        total = max(sizes) if self.keyword == "union" else sum(sizes)
        return -(-total // self.align) * self.align

    @property
    def align(self):
        aligns = [1, self.aligned]
        if not self.packed:
            aligns += [m.type.align for m in self.members if m.name or m.bits is None]
        return max(aligns)

    @property
    def spelling(self):
        return self.typedef or f"{self.keyword} {self.tag}"

    def body(self, indent="  "):
        """The definition without a final semicolon, as it stands in a member or a typedef."""
        words = (["packed"] if self.packed else []) + (
            [f"aligned({self.aligned})"] if self.aligned else [])
        attributes = f" __attribute__(({', '.join(words)}))" if words else ""
        first, last = (attributes, "") if self.attributes_first else ("", attributes)
        lines = [indent + member.declare() for member in self.members]
        inside = "\n".join(lines)
        tag = f" {self.tag}" if self.tag else ""
        return f"{self.keyword}{first}{tag} {{\n{inside}\n}}{last}"

    def definition(self):
        if self.typedef:
            return f"typedef {self.body()} {self.typedef};"
        return f"{self.body()};"

    def declare(self, name):
        if not self.tag and not self.typedef:
            return f"{self.body('    ')} {name}".rstrip()
        return f"{self.spelling} {name}".rstrip()

    def leaves(self, path):
        for member in self.members:
            if not member.name and member.bits is not None:
                continue
            inner = f"{path}.{member.name}" if path and member.name else path + member.name
            if member.bits is None:
                yield from member.type.leaves(inner)
            else:
                value = "1" if getattr(member.type, "key", "") == "bool" else "-1"
                yield Leaf(inner, "FCG_BITS", "0", 1, value)

    def parts(self):
        yield self
        for member in self.members:
            yield from member.type.parts()


INTEGERS = [
    Scalar("char", "char", 1, 1, "FCG_CHAR", promoted=False),
    Scalar("schar", "signed char", 1, 1, "FCG_SIGNED", promoted=False),
    Scalar("uchar", "unsigned char", 1, 1, "FCG_UNSIGNED", promoted=False),
    Scalar("short", "short", 2, 2, "FCG_SIGNED", promoted=False),
    Scalar("ushort", "unsigned short", 2, 2, "FCG_UNSIGNED", promoted=False),
    Scalar("int", "int", 4, 4, "FCG_SIGNED"),
    Scalar("uint", "unsigned int", 4, 4, "FCG_UNSIGNED"),
    Scalar("long", "long", 8, 8, "FCG_SIGNED"),
    Scalar("ulong", "unsigned long", 8, 8, "FCG_UNSIGNED"),
    Scalar("llong", "long long", 8, 8, "FCG_SIGNED"),
    Scalar("ullong", "unsigned long long", 8, 8, "FCG_UNSIGNED"),
]
BOOL = Scalar("bool", "_Bool", 1, 1, "FCG_BOOL", promoted=False)
INT128 = [
    Scalar("i128", "__int128", 16, 16, "FCG_SIGNED"),
    Scalar("u128", "unsigned __int128", 16, 16, "FCG_UNSIGNED"),
]
FLOAT = Scalar("float", "float", 4, 4, "FCG_FLOAT", promoted=False)
DOUBLE = Scalar("double", "double", 8, 8, "FCG_FLOAT")
FLOAT16 = Scalar("f16", "_Float16", 2, 2, "FCG_FLOAT")
FLOAT128 = Scalar("f128", "_Float128", 16, 16, "FCG_FLOAT")
LONG_DOUBLE = Scalar("ldouble", "long double", 16, 16, "FCG_LONG_DOUBLE")
COMPLEX = [
    Scalar("cfloat", "_Complex float", 8, 4, "FCG_FLOAT", 2),
    Scalar("cdouble", "_Complex double", 16, 8, "FCG_FLOAT", 2),
    Scalar("cldouble", "_Complex long double", 32, 16, "FCG_LONG_DOUBLE", 2),
]
LANES = [t for t in INTEGERS if t.key not in ("char", "llong", "ullong")] + [FLOAT, DOUBLE]

# Other orders and spellings of the same types, which C allows and a parser must know.
SPELLINGS = {
    "short": ["short int", "signed short", "int short"],
    "ushort": ["unsigned short int", "short unsigned"],
    "int": ["signed", "signed int"],
    "uint": ["unsigned"],
    "long": ["long int", "signed long", "long signed int"],
    "ulong": ["unsigned long int", "long unsigned"],
    "llong": ["long long int", "signed long long"],
    "ullong": ["unsigned long long int", "long unsigned long", "long long unsigned int"],
    "i128": ["signed __int128", "__int128_t"],
    "u128": ["__uint128_t", "__int128 unsigned"],
    "cfloat": ["float _Complex"],
    "cdouble": ["double _Complex", "__complex__ double"],
    "cldouble": ["long double _Complex", "long _Complex double"],
    "ldouble": ["double long"],
    "f128": ["__float128"],
}
