#!/usr/bin/env python3
"""Calls C functions through farcall from Python: nothing is compiled, and nothing installed but libfarcall.

    python3 from_python.py [LIBFARCALL]

The library is the argument, else the environment's FARCALL_LIBRARY, else what the system's loader finds.
"""

import ctypes
import os
import sys
import weakref
from ctypes import POINTER, byref, c_char_p, c_int, c_size_t, c_uint32, c_void_p


class Error(Exception):
    """A function of farcall has failed; the text is farcall's."""


class Field(ctypes.Structure):
    """fc_field"""

    _fields_ = [("name", c_char_p), ("type", c_void_p), ("bits", c_uint32), ("align", c_uint32)]


def load(path):
    """libfarcall with the types of the functions that are used here."""
    farcall = ctypes.CDLL(path)

    def status(number):
        if number != 0:
            raise Error(farcall.fc_error_message().decode())

    handle, out = c_void_p, POINTER(c_void_p)
    for name, result, *params in (
        ("fc_error_message", c_char_p),
        ("fc_library_open", status, c_char_p, c_void_p, out),
        ("fc_library_free", None, handle),
        ("fc_decls_new", status, out),
        ("fc_decls_add", status, handle, c_char_p),
        ("fc_decls_free", None, handle),
        ("fc_bind", status, handle, handle, c_char_p, c_void_p, out),
        ("fc_function_signature", handle, handle),
        ("fc_function_free", None, handle),
        ("fc_invoke", None, handle, c_void_p, POINTER(c_void_p)),
        ("fc_signature_param_count", c_size_t, handle),
        ("fc_signature_param", handle, handle, c_size_t),
        ("fc_signature_result", handle, handle),
        ("fc_type_kind", c_int, handle),
        ("fc_type_size", c_size_t, handle),
        ("fc_type_name", c_char_p, handle),
        ("fc_type_element", handle, handle),
        ("fc_type_length", c_size_t, handle),
        ("fc_type_field_count", c_size_t, handle),
        ("fc_type_field", status, handle, c_size_t, POINTER(Field), POINTER(c_size_t), POINTER(c_uint32)),
    ):
        function = getattr(farcall, name)
        function.restype, function.argtypes = result, params
    return farcall


def library_path():
    return sys.argv[1] if len(sys.argv) > 1 else os.environ.get("FARCALL_LIBRARY", "libfarcall.so.0")


farcall = load(library_path())


def owned(owner, free, make, *arguments):
    """The handle that `make` gives; it is freed when nothing refers to its owner any more."""
    handle = c_void_p()
    make(*arguments, byref(handle))
    weakref.finalize(owner, free, handle)
    return handle


class Decls:
    """C declarations, as gcc -E writes them."""

    def __init__(self, source):
        self.handle = owned(self, farcall.fc_decls_free, farcall.fc_decls_new)
        farcall.fc_decls_add(self.handle, source.encode())


class Library:
    """An open library: Library("m")."""

    def __init__(self, name):
        self.handle = owned(self, farcall.fc_library_free, farcall.fc_library_open, name.encode(), None)

    def bind(self, prototype, decls=None):
        """The function of this prototype, or of this name in `decls`."""
        return Function(self, prototype, decls)


class Function:
    """A C function. It is called with Python's values: a tuple is a struct, and where C wants a
    pointer it takes str, bytes, None, addresses, and what ctypes has: arrays and byref(...)."""

    def __init__(self, library, prototype, decls):
        self.handle = owned(
            self, farcall.fc_function_free, farcall.fc_bind,
            library.handle, decls and decls.handle, prototype.encode(), None,
        )  # fmt: skip
        signature = farcall.fc_function_signature(self.handle)
        count = farcall.fc_signature_param_count(signature)
        self.params = [ctype(farcall.fc_signature_param(signature, i)) for i in range(count)]
        self.result = ctype(farcall.fc_signature_result(signature))

    def __call__(self, *arguments):
        if len(arguments) != len(self.params):
            raise TypeError(f"expected {len(self.params)} arguments, got {len(arguments)}")
        encoded = [a.encode() if isinstance(a, str) else a for a in arguments]
        values = [to_c(param, argument) for param, argument in zip(self.params, encoded)]
        pointers = (c_void_p * len(values))(*map(ctypes.addressof, values))
        if self.result is None:
            return farcall.fc_invoke(self.handle, None, pointers)
        result = self.result()
        farcall.fc_invoke(self.handle, byref(result), pointers)
        return from_c(result)


# The numbers are those of fc_kind.
VOID, POINTER_KIND, STRUCT, UNION, ARRAY, ENUM = 0, 32, 64, 65, 66, 69
SCALARS = {
    1: ctypes.c_bool,
    2: ctypes.c_int8,
    3: ctypes.c_uint8,
    4: ctypes.c_int16,
    5: ctypes.c_uint16,
    6: ctypes.c_int32,
    7: ctypes.c_uint32,
    8: ctypes.c_int64,
    9: ctypes.c_uint64,
    17: ctypes.c_float,
    18: ctypes.c_double,
    20: ctypes.c_longdouble,
}


def ctype(c_type):
    """ctypes' type for one of farcall's; None for void."""
    kind = farcall.fc_type_kind(c_type)
    name = farcall.fc_type_name(c_type).decode()
    if kind == VOID:
        return None
    if kind == POINTER_KIND:
        return c_char_p if name in ("char *", "const char *") else c_void_p
    if kind == ENUM:
        return ctype(farcall.fc_type_element(c_type))
    if kind == ARRAY:
        return ctype(farcall.fc_type_element(c_type)) * farcall.fc_type_length(c_type)
    if kind in (STRUCT, UNION):
        return record(c_type, name, ctypes.Structure if kind == STRUCT else ctypes.Union)
    if kind in SCALARS:
        return SCALARS[kind]
    raise TypeError(f"ctypes has no type for {name}")


def record(c_type, name, base):
    fields, offsets = [], {}
    for i in range(farcall.fc_type_field_count(c_type)):
        field, offset = Field(), c_size_t()
        farcall.fc_type_field(c_type, i, byref(field), byref(offset), None)
        member = field.name.decode() if field.name else f"_{i}"
        if field.bits:
            fields.append((member, ctype(field.type), field.bits))
        else:
            fields.append((member, ctype(field.type)))
            offsets[member] = offset.value
    made = type(name, (base,), {"_fields_": fields})
    # ctypes lays it out by itself, and knows neither packed nor aligned.
    same = all(getattr(made, member).offset == offset for member, offset in offsets.items())
    if not same or ctypes.sizeof(made) != farcall.fc_type_size(c_type):
        raise TypeError(f"ctypes cannot lay out {name}")
    return made


def to_c(c, value):
    if issubclass(c, (c_char_p, c_void_p)):
        return ctypes.cast(value, c_void_p)
    if isinstance(value, c):
        return value
    return c(*value) if isinstance(value, tuple) else c(value)


def from_c(result):
    value = getattr(result, "value", result)
    return value.decode() if isinstance(value, bytes) else value


def main():
    def show(call, got, expected):
        print(f"{call} = {got}")
        if got != expected:
            sys.exit(f"{call}: expected {expected}")

    m, c, sqlite3 = Library("m"), Library("c"), Library("sqlite3")

    pow = m.bind("double pow(double, double)")
    show("pow(2, 10)", pow(2, 10), 1024)

    absolute = c.bind("int abs(int)")
    show("abs(-7)", absolute(-7), 7)

    labs = c.bind("long labs(long)")
    show("labs(-7000000000)", labs(-7_000_000_000), 7_000_000_000)

    atoi = c.bind("int atoi(const char *)")
    show('atoi("42")', atoi("42"), 42)

    # Structs, returned and passed by value.
    decls = Decls("""
        typedef struct { int quot, rem; } div_t;
        typedef struct { long quot, rem; } ldiv_t;
        struct in_addr { unsigned int s_addr; };
        div_t div(int, int);
        ldiv_t ldiv(long, long);
        char *inet_ntoa(struct in_addr);
    """)
    quotient = c.bind("div", decls)(17, 5)
    show("div(17, 5)", (quotient.quot, quotient.rem), (3, 2))

    quotient = c.bind("ldiv", decls)(-17, 5)
    show("ldiv(-17, 5)", (quotient.quot, quotient.rem), (-3, -2))

    inet_ntoa = c.bind("inet_ntoa", decls)
    show("inet_ntoa(127.0.0.1)", inet_ntoa((0x0100007F,)), "127.0.0.1")

    # An out parameter. It points into the text, which is therefore kept.
    strtol = c.bind("long strtol(const char *, char **, int)")
    text, end = ctypes.create_string_buffer(b"2a rest"), c_char_p()
    show('strtol("2a rest", &end, 16)', strtol(text, byref(end), 16), 42)
    show("end", end.value.decode(), " rest")

    libversion = sqlite3.bind("const char *sqlite3_libversion(void)")
    version_number = sqlite3.bind("int sqlite3_libversion_number(void)")()
    major, minor, patch = version_number // 1_000_000, version_number // 1000 % 1000, version_number % 1000
    show("sqlite3_libversion()", libversion(), f"{major}.{minor}.{patch}")

    try:
        m.bind("double power(double, double)")
    except Error as error:
        print(f"error: {error}")
    else:
        sys.exit("power was found")


if __name__ == "__main__":
    main()
