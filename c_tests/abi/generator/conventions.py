"""What the generator has to know of a calling convention: how C names it, and where its choices lie.

Nothing here says where a value travels. The numbers of registers only steer what is drawn.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Convention:
    name: str
    attribute: str = ""           # what makes a declaration one of it, where it is not the system's
    va: str = ""                  # __builtin_{va}va_list
    general: int = 6
    vector: int = 8
    shared_positions: bool = False    # one count for registers of both kinds
    counts_vectors: bool = False      # a variadic function is told of vector registers, in al
    lacks: frozenset = frozenset()    # features that are not drawn
    variadic_f16: bool = True     # _Float16 may be a variadic argument; where not, it becomes a double
    homogeneous: bool = False     # structs of up to four equal floats or vectors are a case apart
    # Factors on how often a scalar stands by itself, where compilers disagree about it.
    rare: tuple = ()
    # Scalars that come back in the low bytes of one vector register.
    whole_vector_results: tuple = ("f16", "float", "double")
    # How narrow values reach a callback: wider, with junk above; on Apple's stack they stand close
    # together.
    widens: bool = True
    padding: str = "FCG_PADDING"
    spellings: bool = True        # of __float128, which only x86 compilers have

    def weight(self, kind, weight):
        return weight * dict(self.rare).get(kind, 1)


SYSV64 = Convention("sysv64", counts_vectors=True,
                    whole_vector_results=("f16", "float", "double", "cfloat"))

WIN64 = Convention("win64", attribute="__attribute__((ms_abi)) ", va="ms_", general=4, vector=4,
                   padding="FCG_MS_PADDING",
                   shared_positions=True, whole_vector_results=("float", "double"),
                   rare=(("ldouble", 0.1), ("f128", 0.1), ("f16", 0.06), ("cldouble", 0.1),
                         ("cfloat", 0.3), ("vector", 0.2), ("empty result", 0.2)))

AAPCS64 = Convention("aapcs64", general=8, homogeneous=True, spellings=False)

# Of long double there is one format, and _Float128 is none of the system's types.
APPLE64 = Convention("apple64", general=8, homogeneous=True, variadic_f16=False, lacks=frozenset({"f128"}),
                     widens=False, spellings=False)

CONVENTIONS = {c.name: c for c in (SYSV64, WIN64, AAPCS64, APPLE64)}
