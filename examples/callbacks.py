#!/usr/bin/env python3
"""Hands a Python function to a C function that calls it back, through farcall.

    python3 callbacks.py [LIBFARCALL]

The library is the argument, else the environment's FARCALL_LIBRARY, else what the system's loader finds.
"""

import ctypes
import os
import sys
from ctypes import POINTER, byref, c_char_p, c_int, c_size_t, c_void_p

farcall = ctypes.CDLL(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("FARCALL_LIBRARY", "libfarcall.so.0"))

# What a callback runs: void (void *ret, void *const *args, void *user)
Handler = ctypes.CFUNCTYPE(None, c_void_p, POINTER(c_void_p), c_void_p)


def check(status):
    if status != 0:
        sys.exit(farcall.fc_error_message().decode())


for name, result, *params in (
    ("fc_error_message", c_char_p),
    ("fc_library_open", check, c_char_p, c_void_p, POINTER(c_void_p)),
    ("fc_library_free", None, c_void_p),
    ("fc_bind", check, c_void_p, c_void_p, c_char_p, c_void_p, POINTER(c_void_p)),
    ("fc_function_signature", c_void_p, c_void_p),
    ("fc_function_free", None, c_void_p),
    ("fc_signature_param", c_void_p, c_void_p, c_size_t),
    ("fc_type_signature", c_void_p, c_void_p),
    ("fc_invoke", None, c_void_p, c_void_p, POINTER(c_void_p)),
    ("fc_callback_new", check, c_void_p, Handler, c_void_p, c_void_p, POINTER(c_void_p)),
    ("fc_callback_code", c_void_p, c_void_p),
    ("fc_callback_free", None, c_void_p),
):
    function = getattr(farcall, name)
    function.restype, function.argtypes = result, params


def compare(ret, args, user):
    """Gets the addresses of the result and of the arguments, which are pointers to int."""
    left, right = (c_int.from_address(c_void_p.from_address(args[i]).value).value for i in range(2))
    c_int.from_address(ret).value = (left > right) - (left < right)


def main():
    c, qsort, callback = c_void_p(), c_void_p(), c_void_p()
    farcall.fc_library_open(b"c", None, byref(c))
    prototype = b"void qsort(void *, size_t, size_t, int (*compare)(const void *, const void *))"
    farcall.fc_bind(c, None, prototype, None, byref(qsort))

    # The prototype says which function qsort wants. The handler is kept for as long as the callback lives.
    comparison = farcall.fc_type_signature(farcall.fc_signature_param(farcall.fc_function_signature(qsort), 3))
    handler = Handler(compare)
    farcall.fc_callback_new(comparison, handler, None, None, byref(callback))

    numbers = (c_int * 8)(3, 1, 4, 1, 5, 9, 2, 6)
    values = (
        c_void_p(ctypes.addressof(numbers)),
        c_size_t(len(numbers)),
        c_size_t(ctypes.sizeof(c_int)),
        c_void_p(farcall.fc_callback_code(callback)),
    )
    farcall.fc_invoke(qsort, None, (c_void_p * 4)(*map(ctypes.addressof, values)))
    print("sorted:", *numbers)

    farcall.fc_callback_free(callback)
    farcall.fc_function_free(qsort)
    farcall.fc_library_free(c)


if __name__ == "__main__":
    main()
