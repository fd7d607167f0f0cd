"""Which of the compilers' disagreements listed in README.md a signature could meet.

A reason is named by what the signature holds, so it is a good guess, not a proof.
"""

from .types import Array, Record, Vector


def key(type_):
    return getattr(type_, "key", "")


def is_wide(part):
    return isinstance(part, Vector) and part.size > 16


def is_full_vector(part):
    return isinstance(part, Vector) and part.size == 16


def loses_union_bytes(part):
    return isinstance(part, Record) and part.keyword == "union" and any(
        isinstance(m.type, (Record, Array)) or m.bits is not None or
        getattr(m.type, "count", 1) > 1 for m in part.members)


def has_unnamed_bits(part):
    """gcc classifies them in C, those of no width in unions only."""
    return isinstance(part, Record) and any(
        m.bits is not None and not m.name and (m.bits or part.keyword == "union")
        for m in part.members)


def is_only_padding(type_):
    if isinstance(type_, Array):
        return not type_.length or is_only_padding(type_.element)
    return isinstance(type_, Record) and all(
        not m.name if m.bits is not None else is_only_padding(m.type) for m in type_.members)


def has_address_of_nothing(result):
    return result and is_only_padding(result) and result.size not in (1, 2, 4, 8)


def of_sysv64(signature):
    named = [p.type for p in signature.parameters[:signature.fixed]]
    arguments = [p.type for p in signature.parameters]
    everything = signature.types()
    result = signature.result
    if any(key(t) in ("i128", "u128") for t in arguments[:-1]):
        yield "D2"
    if any(t.holds(has_unnamed_bits) for t in everything):
        yield "D10"
    if any(t.holds(loses_union_bytes) for t in everything):
        yield "D3"
    if signature.variadic and any(t.holds(is_wide) for t in named):
        yield "D4"
    if result and isinstance(result, Record) and result.holds(is_wide):
        yield "D5"
    if any(isinstance(t, Record) and t.holds(lambda p: key(p) == "f128") for t in everything):
        yield "D6"
    if any(t.holds(lambda p: isinstance(p, Vector) and p.lanes == 1) for t in everything):
        yield "D7"
    if any(is_only_padding(t) and t.size > 16 for t in everything):
        yield "D23"


def result_in_memory(signature):
    result = signature.result
    return isinstance(result, Record) and result.size not in (1, 2, 4, 8)


def of_win64(signature):
    everything = signature.types()
    if any(key(t) in ("ldouble", "cldouble") for t in everything):
        yield "D8"
    if any(key(t) == "f128" for t in everything):
        yield "D11"
    if any(key(t) == "f16" for t in everything):
        yield "D13"
    if has_address_of_nothing(signature.result):
        yield "D14"
    if any(isinstance(t, Vector) for t in everything):
        yield "D15"
    if any(is_only_padding(p.type) and p.type.size in (1, 2, 4, 8)
           for p in signature.parameters[4 - bool(result_in_memory(signature)):]):
        yield "D22"


def has_zero_width(part):
    return isinstance(part, Record) and part.keyword == "union" and any(
        m.bits == 0 for m in part.members)


def is_packed(part):
    return isinstance(part, Record) and (
        part.packed or any("packed" in m.attributes for m in part.members))


def has_wide_bits(part):
    return isinstance(part, Record) and any(
        m.bits is not None and m.type.size == 16 for m in part.members)


def of_aapcs64(signature):
    if any(is_only_padding(p.type) and p.type.size for p in signature.parameters):
        yield "D21"
    if any(t.holds(has_zero_width) for t in signature.types()):
        yield "D17"
    if any(t.holds(is_packed) and t.holds(has_wide_bits) for t in signature.types()):
        yield "D20"
    if any(t.holds(is_packed) and t.holds(lambda p: p.size == 16) for t in signature.types()):
        yield "D19"


def of_apple64(signature):
    extra = [p.type for p in signature.parameters[signature.fixed:]]
    if any(isinstance(t, Record) and (t.align >= 16 or t.holds(is_full_vector)) for t in extra):
        yield "D18"


KNOWN = {"sysv64": of_sysv64, "win64": of_win64, "aapcs64": of_aapcs64, "apple64": of_apple64}


def known_disagreements(signature):
    return list(KNOWN[signature.convention.name](signature))
