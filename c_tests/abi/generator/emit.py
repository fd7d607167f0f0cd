"""Writes signatures as C: the types, the checking callees, direct callers, checking callers of function
pointers, and tables about them.

The tables hold only expressions that the compiler evaluates (sizeof, offsetof), so that each
compiler states its own layout and the driver compares farcall with that.
"""

import random

from .draw import Signature
from .types import Enum, Pointer, Record, Scalar, Type, Vector


def c_string(text):
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    lines = escaped.split("\n")
    return "\n    ".join(f'"{line}\\n"' for line in lines[:-1]) + (
        f'\n    "{lines[-1]}"' if len(lines) > 1 else f'"{lines[-1]}"')


def alias(signature: Signature, index):
    """The typedef by which the C code here speaks of a parameter or the result."""
    return f"A{signature.index}_{index}"


def prototype(signature: Signature, name, abstract):
    texts = [p.declare("" if abstract else f"a{i}")
             for i, p in enumerate(signature.parameters[:signature.fixed])]
    if signature.variadic:
        texts.append("...")
    head = f"{name}({', '.join(texts) or 'void'})"
    declared = signature.result.declare(head) if signature.result else f"void {head}"
    return signature.convention.attribute + declared


def extra_names(signature: Signature):
    """For each variadic argument: the name to ask farcall's declarations for, and a typedef that
    the declarations need for it, if any."""
    names = []
    for index, parameter in enumerate(signature.parameters[signature.fixed:], signature.fixed):
        type_ = parameter.type
        if isinstance(type_, Pointer) or (isinstance(type_, Scalar) and index % 2):
            name = f"X{signature.index}_{index}"
            names.append((name, f"typedef {type_.declare(name)};"))
        else:
            names.append((type_.declare(""), None))
    return names


def declarations(signature: Signature):
    """What farcall's parser is given, and the C compilers too."""
    lines = [t.definition() for t in signature.definitions]
    lines += [typedef for _, typedef in extra_names(signature) if typedef]
    text = "\n".join(lines)
    everything = text + "".join(p.text for p in signature.parameters) + (
        signature.result.declare("") if signature.result else "")
    if "struct unseen" in everything:
        text = "struct unseen;\n" + text
    return text


def emit_types(signatures):
    out = ['#pragma once', '#include "library.h"', ""]
    for s in signatures:
        out.append(declarations(s))
        for index, parameter in enumerate(s.parameters):
            out.append(f"typedef {parameter.type.declare(alias(s, index))};")
        result = s.result.declare(alias(s, "r")) if s.result else f"void {alias(s, 'r')}"
        out.append(f"typedef {result};\n")
    return "\n".join(out) + "\n"


# ------------------------------------------------------------------------ code
def is_word(type_: Type):
    """A value of at most 64 bits that widens: checked by its widened value."""
    if isinstance(type_, Scalar):
        return type_.kind in ("FCG_SIGNED", "FCG_UNSIGNED", "FCG_CHAR", "FCG_BOOL") and type_.size <= 8
    return isinstance(type_, (Enum, Pointer))


def loose_result(signature: Signature):
    """A type that returns in the same register as the result, but whose every bit counts: by it
    the callee can put garbage where the result's type has no bits."""
    type_ = signature.result
    if not signature.loose_result or type_ is None:
        return None
    if is_word(type_) and not isinstance(type_, Pointer):
        return "unsigned long"
    if getattr(type_, "key", "") in signature.convention.whole_vector_results:
        return "fcg_v16"
    return None


def va_argument(s: Signature, index):
    """The expression that reads a variadic argument."""
    name = alias(s, index)
    if s.convention.va == "ms_" and not isinstance(s.parameters[index].type, (Enum, Pointer)):
        return f"FCG_MS_VA_ARG(ap, {name})"
    return f"va_arg(ap, {name})"


def entry_of(s: Signature):
    """The macro for an entry that looks at registers before a variadic function's prologue does."""
    if not s.variadic:
        return None
    if s.convention.counts_vectors:
        return "FCG_COUNTING_ENTRY"
    return "FCG_POSITIONS_ENTRY" if s.convention.shared_positions else None


def emit_callee(s: Signature):
    loose = loose_result(s)
    entry, va = entry_of(s), s.convention.va
    body_name = f"body{s.index}" if entry else s.name
    head = prototype(s, body_name, False)
    if loose:
        head = f"{s.convention.attribute}{loose} {head[head.index(body_name + '('):]}"
    out = []
    if entry:
        out.append(f"{entry}({s.name}, {body_name})")
        out.append(f"{head};")
    else:
        out.append("FCG_EXPORT")
    out.append(f"{head} {{")
    told = "fcg_al" if s.variadic and s.convention.counts_vectors else -1
    out.append(f"  fcg_enter(&fcg_case_{s.index}, FCG_STACK(), {told});")
    if s.variadic:
        out.append(f"  __builtin_{va}va_list ap; __builtin_{va}va_start(ap, a{s.fixed - 1});")
        for index in range(s.fixed, len(s.parameters)):
            out.append(f"  {alias(s, index)} a{index} = {va_argument(s, index)};")
        out.append(f"  __builtin_{va}va_end(ap);")
    for index, parameter in enumerate(s.parameters):
        if is_word(parameter.type):
            out.append(f"  fcg_word({index}, (long long)a{index});")
        else:
            out.append(f"  fcg_bytes({index}, &a{index});")
        # With the address of a result in memory, the fourth could be on the stack.
        if s.convention.shared_positions and s.fixed <= index < 3 and (
                getattr(parameter.type, "key", "") == "double"):
            out.append(f"  fcg_in_both_registers({index});")
    out.append(f"  const void *from = fcg_leave({1 if loose else 0});")
    out.append("  FCG_POISON();")
    if loose:
        out.append(f"  return *(const {loose} *)from;")
    elif s.result is not None:
        out.append(f"  {alias(s, 'r')} result; memcpy(&result, from, sizeof result);")
        out.append("  return result;")
    else:
        out.append("  (void)from;")
    out.append("}")
    return "\n".join(out)


def emit_caller(s: Signature):
    types = [alias(s, i) for i in range(s.fixed)] + (["..."] if s.variadic else [])
    cast = f"{alias(s, 'r')} ({s.convention.attribute}*)({', '.join(types) or 'void'})"
    values = ", ".join(f"*({alias(s, i)} *)args[{i}]" for i in range(len(s.parameters)))
    call = f"(({cast})fn)({values})"
    out = [f"void call{s.index}(void (*fn)(void), void *ret, void *const *args) {{"]
    if s.result is None:
        out.append(f"  {call};")
    else:
        out.append(f"  {alias(s, 'r')} result = {call}; memcpy(ret, &result, sizeof result);")
    out.append("}")
    return "\n".join(out)


def holds_integers_only(type_: Type):
    def is_other(part):
        return isinstance(part, Vector) or isinstance(part, Record) and part.aligned or (
            isinstance(part, Scalar) and part.kind in ("FCG_FLOAT", "FCG_LONG_DOUBLE"))
    # One of nothing but padding takes no room.
    return any(type_.leaves("")) and not type_.holds(is_other)


def passed_type(s: Signature, index):
    """A type that travels as the parameter's does, with junk where a callee may not look; and what
    defines it."""
    type_, name = s.parameters[index].type, alias(s, index)
    if not s.convention.widens or isinstance(type_, Pointer):
        return name, None
    if is_word(type_):
        return "unsigned long", None
    key = getattr(type_, "key", "")
    if key == "float" or key == "f16" and not s.convention.shared_positions:
        return "double", None
    if isinstance(type_, Record) and holds_integers_only(type_):
        padded = f"P{s.index}_{index}"
        return padded, (f"typedef struct {{ {name} value; unsigned char junk["
                        f"{s.convention.padding}({name})]; }} {padded};")
    return name, None


def has_fixed_caller(s: Signature):
    return not s.variadic


def emit_fixed_caller(s: Signature):
    """Calls a function pointer with the case's values, and checks what comes back."""
    passed = [passed_type(s, i) for i in range(len(s.parameters))]
    out = [definition for _, definition in passed if definition]
    types = [name for name, _ in passed]
    word = s.result is not None and is_word(s.result) and not isinstance(s.result, Pointer)
    result = "unsigned long" if word else alias(s, "r")
    cast = f"{result} ({s.convention.attribute}*)({', '.join(types) or 'void'})"
    values = ", ".join(f"*({name} *)args[{i}]" for i, name in enumerate(types))
    call = f"(({cast})fn)({values});"
    out.append(f"void into{s.index}(void (*fn)(void)) {{")
    out.append(f"  void *const *args = fcg_begin(&fcg_case_{s.index}); (void)args;")
    out.append("  FCG_POISON();")
    if s.result is None:
        out.append(f"  {call} fcg_end(0);")
    elif word:
        out.append(f"  unsigned long result = {call} fcg_end_word(result);")
    else:
        out.append(f"  {result} result = {call} fcg_end(&result);")
    out.append("}")
    return "\n".join(out)


def emit_receivers(signatures, types_header):
    """What a callback would be, as the compiler has it: for the self-check."""
    out = [f'#include "{types_header}"', ""]
    for s in signatures:
        if not has_fixed_caller(s):
            continue
        out.append(f"extern const fcg_case fcg_case_{s.index};")
        word = s.result is not None and is_word(s.result) and not isinstance(s.result, Pointer)
        kinds = [("receive", "unsigned long" if word else alias(s, "r"))]
        if word:
            kinds.append(("misplace", "double"))
        for name, result in kinds:
            parameters = ", ".join(f"{alias(s, i)} a{i}" for i in range(s.fixed)) or "void"
            out.append(f"FCG_EXPORT {s.convention.attribute}{result} {name}{s.index}({parameters}) {{")
            if s.result is not None:
                out.append(f"  {alias(s, 'r')} result;")
            addresses = ", ".join(f"&a{i}" for i in range(s.fixed)) or "0"
            out.append(f"  void *args[] = {{{addresses}}};")
            where = "&result" if s.result is not None else "0"
            out.append(f"  fcg_this_receiver.receive(&fcg_case_{s.index}, {where}, args);")
            out.append("  if (fcg_this_receiver.spoils_kept) FCG_SPOIL_KEPT();")
            out.append("  if (fcg_this_receiver.spoils_state) FCG_SPOIL_STATE();")
            if word:
                out.append(f"  volatile {result} word = (unsigned long)result ^ "
                           "fcg_this_receiver.flipped;")
                out.append("  FCG_POISON();")
                out.append("  return word;")
            elif s.result is not None:
                out.append("  return result;")
            out.append("}")
    return "\n".join(out) + "\n"


def emit_code(signatures, types_header):
    out = [f'#include "{types_header}"', ""]
    for s in signatures:
        out += [f"extern const fcg_case fcg_case_{s.index};", emit_callee(s), emit_caller(s)]
        if has_fixed_caller(s):
            out.append(emit_fixed_caller(s))
        out.append("")
    return "\n".join(out)


# ---------------------------------------------------------------------- tables
def emit_leaves(type_: Type, type_name, table, out):
    rows = []
    for number, leaf in enumerate(type_.leaves("")):
        setter = "0"
        if leaf.bit_value:
            setter = f"{table}_set{number}"
            out.append(f"static void {setter}(void *p) {{ (({type_name} *)p)->{leaf.path} = "
                       f"{leaf.bit_value}; }}")
        offset = f"offsetof({type_name}, {leaf.path})" if leaf.path and not leaf.bit_value else "0"
        rows.append(f"  {{{offset}, {leaf.size}, {leaf.count}, {leaf.kind}, {setter}}},")
    if not rows:
        return 0
    out.append(f"static const fcg_leaf {table}[] = {{")
    out += rows
    out.append("};")
    return len(rows)


def emit_record(record: Record, table, out):
    name = record.spelling
    fields, paths = [], []
    for number, member in enumerate(record.members):
        label = f'"{member.name}"' if member.name else "0"
        if member.bits is not None:
            setter = "0"
            if member.name:
                setter = f"{table}_bit{number}"
                value = "1" if getattr(member.type, "key", "") == "bool" else "-1"
                out.append(f"static void {setter}(void *p) {{ (({name} *)p)->{member.name} = "
                           f"{value}; }}")
            size = f"sizeof({member.type.declare('')})"
            fields.append(f"{{{label}, 0, {size}, {member.bits}, 1, {setter}}}")
        elif member.name:
            fields.append(f"{{{label}, offsetof({name}, {member.name}), "
                          f"sizeof((({name} *)0)->{member.name}), 0, 0, 0}}")
        else:
            fields.append("{0, 0, 0, 0, 0, 0}")
    leaves = [leaf for leaf in record.leaves("") if not leaf.bit_value]
    for leaf in leaves[:4] + leaves[4:][-2:]:
        paths.append(f'{{"{leaf.path}", offsetof({name}, {leaf.path}), '
                     f'sizeof((({name} *)0)->{leaf.path})}}')
    if fields:
        out.append(f"static const fcg_field {table}_fields[] = {{{', '.join(fields)}}};")
    if paths:
        out.append(f"static const fcg_path {table}_paths[] = {{{', '.join(paths)}}};")
    return (f'{{"{name}", sizeof({name}), _Alignof({name}), {len(fields)}, {len(paths)}, '
            f'{table + "_fields" if fields else 0}, {table + "_paths" if paths else 0}}}')


# How a value's bytes are drawn (enum fcg_mode), with weights: mostly random, often extremes.
MODES = [("FCG_RANDOM", 45), ("FCG_EXTREMES", 40), ("FCG_ONES", 5), ("FCG_SIGN_BITS", 5),
         ("FCG_ZEROS", 2), ("FCG_COUNTING", 3)]


def emit_value(type_, type_name, text, extra_name, table, rng, out):
    count = emit_leaves(type_, type_name, table, out)
    mode = rng.choices([m for m, _ in MODES], [w for _, w in MODES])[0]
    extra = c_string(extra_name) if extra_name else "0"
    return (f"{{{c_string(text)}, {extra}, sizeof({type_name}), _Alignof({type_name}), "
            f"{type_.narrow_kind}, {mode}, {count}, {table if count else 0}, "
            f"0x{rng.getrandbits(64):x}u}}")


def simple(type_):
    """Every path must take these: the fallback too."""
    if type_ is None or isinstance(type_, Pointer):
        return True
    return isinstance(type_, Scalar) and type_.count == 1 and (
        type_.size <= 8 or type_.kind == "FCG_LONG_DOUBLE") and type_.key != "f16"


def emit_tables(signatures, types_header, seed):
    out = [f'#include "{types_header}"', ""]
    for s in signatures:
        rng = random.Random(f"values/{seed}/{s.index}")
        extras = extra_names(s)
        values = []
        for index, parameter in enumerate(s.parameters):
            extra = extras[index - s.fixed][0] if index >= s.fixed else None
            values.append(emit_value(parameter.type, alias(s, index), parameter.declare(""), extra,
                                     f"leaves{s.index}_{index}", rng, out))
        if values:
            out.append(f"static const fcg_value values{s.index}[] = {{")
            out += [f"  {v}," for v in values]
            out.append("};")
        if s.result is not None:
            result = emit_value(s.result, alias(s, "r"), s.result.declare(""), None,
                                f"leaves{s.index}_r", rng, out)
        else:
            result = '{"void", 0, 0, 1, FCG_VOID, FCG_ZEROS, 0, 0, 0}'
        records = [emit_record(r, f"record{s.index}_{i}", out)
                   for i, r in enumerate(s.definitions) if isinstance(r, Record)]
        if records:
            out.append(f"static const fcg_record records{s.index}[] = {{")
            out += [f"  {r}," for r in records]
            out.append("};")
        out.append(f"void call{s.index}(void (*fn)(void), void *ret, void *const *args);")
        if has_fixed_caller(s):
            out.append(f"void into{s.index}(void (*fn)(void));")
        shown = prototype(s, s.name, s.abstract)
        plain = int(all(simple(t) for t in [s.result] + [p.type for p in s.parameters]))
        out.append(
            f"const fcg_case fcg_case_{s.index} = {{{s.index}, \"{s.name}\", "
            f"{c_string(shown + ';')},\n    {c_string(declarations(s))},\n    "
            f"\"{' '.join(s.reasons)}\", {len(s.parameters)}, {s.fixed}, {int(s.variadic)}, "
            f"{plain}, {len(records)}, {f'values{s.index}' if values else 0}, {result}, "
            f"{f'records{s.index}' if records else 0}, call{s.index}, "
            f"{f'into{s.index}' if has_fixed_caller(s) else 0}}};\n")
    return "\n".join(out)


def emit_index(signatures):
    out = ['#include "library.h"', ""]
    out += [f"extern const fcg_case fcg_case_{s.index};" for s in signatures]
    out.append("const fcg_case *const fcg_cases[] = {")
    out += [f"  &fcg_case_{s.index}," for s in signatures]
    out += ["};", f"const unsigned fcg_case_count = {len(signatures)};"]
    return "\n".join(out) + "\n"
