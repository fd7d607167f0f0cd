"""Every function of the header is called with NULL for each of its pointers, and with a number
that C invented for each of its enums, somewhere in the tests that are named.

    coverage.py farcall.h SOURCE...
"""

import re
import sys

# These check nothing, and say so.
UNCHECKED = {"fc_invoke", "fc_invoke_slots"}

ENUM = re.compile(r"(?:enum )?(fc_kind|fc_abi|fc_status|fc_threads|fc_decl_kind)")


def without_comments(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)


def split_list(text):
    """The parts between the commas that stand in no brackets and no string."""
    parts, depth, start, quote = [], 0, 0, None
    previous = ""
    for index, letter in enumerate(text):
        if quote:
            if letter == quote and previous != "\\":
                quote = None
        elif letter in "\"'":
            quote = letter
        elif letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
        elif letter == "," and depth == 0:
            parts.append(text[start:index].strip())
            start = index + 1
        previous = letter
    parts.append(text[start:].strip())
    return parts


def balanced(text, opening):
    """What stands in the parentheses that open there."""
    depth = 0
    for index in range(opening, len(text)):
        depth += {"(": 1, ")": -1}.get(text[index], 0)
        if depth == 0:
            return text[opening + 1 : index]
    raise SystemExit("parentheses that never close")


def prototypes(header):
    """Each function's name and parameters, function types left out."""
    text = re.sub(r"^\s*#(?:.*\\\n)*.*$", " ", without_comments(header), flags=re.M)
    for statement in re.split(r"[;{}]", text):
        match = re.search(r"\b(fc_\w+)\s*\(", statement)
        if match and "typedef" not in statement:
            yield match.group(1), split_list(balanced(statement, match.end() - 1))


def calls(name, source):
    for match in re.finditer(r"\b" + name + r"\s*\(", source):
        yield split_list(balanced(source, match.end() - 1))


def is_pointer(parameter):
    return "*" in parameter or re.match(r"(?:enum |struct |union )?fc_\w*handler\b", parameter)


def is_invented(argument):
    return re.match(r"\((?:enum )?fc_\w+\)\s*-?(?:\d|0x)", argument) is not None


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        header = file.read()
    source = ""
    for name in sys.argv[2:]:
        with open(name, encoding="utf-8") as file:
            source += without_comments(file.read())
    missing, functions = [], 0
    for name, parameters in prototypes(header):
        functions += 1
        if name in UNCHECKED:
            continue
        made = list(calls(name, source))
        for index, parameter in enumerate(parameters):
            given = [arguments[index] for arguments in made if len(arguments) > index]
            if is_pointer(parameter):
                if "NULL" not in given:
                    missing.append(f"{name}: parameter {index + 1}, {parameter}: never NULL")
            elif ENUM.match(parameter) and not any(map(is_invented, given)):
                missing.append(f"{name}: parameter {index + 1}, {parameter}: never out of range")
    if functions < 40:
        raise SystemExit(f"only {functions} functions found in the header")
    for line in missing:
        print(line)
    sys.exit(bool(missing))


main()
