"""Turns contract.h into lists that the compiler can check another header against.

    items.py CONTRACT LATER HEADER OUT_DIR

items.inc      X-macros: ENUM, ENUMERATOR, CONSTANT, RECORD, FIELD, OPAQUE, POINTER, FUNCTION
redeclare.inc  the contract's own text of each function, function pointer and field, once more:
               beside a header that says something else it does not compile

What LATER names is left out, and HEADER must not have it.
"""

import pathlib
import re
import sys

SECTION = re.compile(r"^/\* -{4,} (.+?) \*/$", re.M)
TAGGED = re.compile(r"typedef (enum|struct|union) (\w+) \{(.*)\} (\w+)$", re.S)
OPAQUE = re.compile(r"typedef struct (\w+) (\w+)$")
POINTER = re.compile(r"typedef .*?\(\*(\w+)\)\(.*\)$", re.S)
FUNCTION = re.compile(r".*?\b(fc_\w+)\(.*\)$", re.S)
COMMENT = re.compile(r"/\*.*?\*/", re.S)


class Item:
    def __init__(self, kind, name, text, members=()):
        self.kind, self.name, self.text, self.members = kind, name, text, members


def statements(text):
    """The text between top-level semicolons, white space made single spaces."""
    depth, start = 0, 0
    for at, char in enumerate(text):
        depth += (char in "({") - (char in ")}")
        if char == ";" and depth == 0:
            yield " ".join(text[start:at].split())
            start = at + 1
    rest = text[start:].replace("}", "").strip()
    if rest:
        sys.exit(f"contract: text after the last declaration: {rest!r}")


def field_names(declaration):
    """The names that one line of a struct declares: `int a, b[2]`, `void (*f)(int)`."""
    pointers = re.findall(r"\(\*(\w+)\)\(", declaration)
    if pointers:
        return pointers
    return [re.findall(r"\w+", re.sub(r"\[.*?\]", "", part))[-1] for part in declaration.split(",")]


def parse(statement):
    if match := TAGGED.match(statement):
        what, tag, body, name = match.groups()
        if tag != name:
            sys.exit(f"contract: tag {tag} and name {name} differ")
        if what == "enum":
            names = [entry.split("=")[0].strip() for entry in body.split(",")]
            return Item("ENUM", name, statement, names)
        fields = [line.strip() for line in body.split(";") if line.strip()]
        return Item("RECORD", name, statement, [(field, field_names(field)) for field in fields])
    if match := OPAQUE.match(statement):
        return Item("OPAQUE", match.group(1), statement)
    if match := POINTER.match(statement):
        return Item("POINTER", match.group(1), statement)
    if match := FUNCTION.match(statement):
        return Item("FUNCTION", match.group(1), statement)
    sys.exit(f"contract: cannot make sense of: {statement}")


def read_contract(text):
    """(section title, item) for all that the contract declares."""
    text = text[: text.rindex("#ifdef __cplusplus")]
    parts = SECTION.split(text)[1:]
    for title, body in zip(parts[::2], parts[1::2]):
        title = title.strip(" -")
        body = COMMENT.sub("", body)
        for name in re.findall(r"^#define (\w+) \S", body, re.M):
            yield title, Item("CONSTANT", name, "")
        body = re.sub(r"^#.*$", "", body, flags=re.M)
        for statement in statements(body):
            yield title, parse(statement)


def read_later(text):
    lines = [line.strip() for line in text.splitlines() if line.strip() and line[0] != "#"]
    sections = {line[len("section ") :] for line in lines if line.startswith("section ")}
    return sections, {line for line in lines if not line.startswith("section ")}


def split_later(items, later):
    """What is built, and what is not; a name in LATER that the contract has not is an error."""
    sections, names = later
    known = {title for title, _ in items} | {item.name for _, item in items}
    if unknown := (sections | names) - known:
        sys.exit(f"later.txt: not in contract.h: {', '.join(sorted(unknown))}")
    is_later = [title in sections or item.name in names for title, item in items]
    return (
        [item for (_, item), late in zip(items, is_later) if not late],
        [item for (_, item), late in zip(items, is_later) if late],
    )


def check_still_later(later, header):
    words = set(re.findall(r"\w+", COMMENT.sub("", header)))
    built = sorted(item.name for item in later if item.kind == "FUNCTION" and item.name in words)
    if built:
        sys.exit(f"later.txt: farcall.h has these now, take them out: {', '.join(built)}")


def macros(items):
    for item in items:
        yield f"{item.kind}({item.name})"
        if item.kind == "ENUM":
            yield from (f"ENUMERATOR({name})" for name in item.members)
        if item.kind == "RECORD":
            for _, names in item.members:
                yield from (f"FIELD({item.name}, {name})" for name in names)


def rename(declaration, name, new_name):
    """Renames the declared name, not a type or a parameter that is called the same."""
    if f"(*{name})(" in declaration:
        return declaration.replace(f"(*{name})(", f"(*{new_name})(")
    return re.sub(rf"\b{name}\b(?!.*\b{name}\b)", new_name, declaration)


def redeclarations(items):
    for item in items:
        if item.kind in ("POINTER", "FUNCTION"):
            yield f"{item.text};"
        elif item.kind == "RECORD":
            for text, names in item.members:
                for name in names:
                    unique = f"{item.name}_{name}"
                    text = rename(text, name, unique)
                    yield f"extern __typeof__((({item.name} *)0)->{name}) {unique};"
                yield f"extern {text};"


def main(contract, later, header, out_dir):
    items = list(read_contract(pathlib.Path(contract).read_text()))
    built, not_built = split_later(items, read_later(pathlib.Path(later).read_text()))
    check_still_later(not_built, pathlib.Path(header).read_text())
    out = pathlib.Path(out_dir)
    out.mkdir(parents=True, exist_ok=True)
    (out / "items.inc").write_text("\n".join(macros(built)) + "\n")
    (out / "redeclare.inc").write_text("\n".join(redeclarations(built)) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
