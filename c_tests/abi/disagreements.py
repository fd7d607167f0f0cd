"""Proves that the compilers disagree as README.md says: the smallest example of each reason, called by
each compiler's code and compiled by each. Those of `apple64` are seen in the emulator only."""

from building import LEVELS, RUNTIME, TOOLCHAINS, command, run_program

VECTOR = "typedef float V __attribute__((vector_size({})));"
# By reason: the convention, types, a function, and what its caller does to see that it is right.
EXAMPLES = {
    "D2": ("sysv64", "", "long f(long a, long b, long c, long d, long e, __int128 g, long h)",
           "return h;", "return f(1, 2, 3, 4, 5, 6, 7) == 7;"),
    "D3": ("sysv64", "typedef union { struct { float a; double b; } s; float c[4]; } U;",
           "float f(U u)", "return u.c[1];", "U u = {.c = {1, 2, 3, 4}}; return f(u) == 2;"),
    "D4": ("sysv64", VECTOR.format(32), "float f(V v, ...)", "return v[5];",
           "V v = {0, 1, 2, 3, 4, 5, 6, 7}; return f(v, 1) == 5;"),
    "D5": ("sysv64", VECTOR.format(32) + "typedef union { struct { V v; } s; } U;",
           "U f(const V *v)", "U u; u.s.v = *v; return u;",
           "V v = {0, 1, 2, 3, 4, 5, 6, 7}; return f(&v).s.v[5] == 5;"),
    "D10": ("sysv64", "typedef struct { float a; int : 32; } S;", "float f(S s)", "return s.a;",
            "S s = {3}; return f(s) == 3;"),
    "D10, no width": ("sysv64", "typedef union { float a; int : 0; } U;", "float f(U u)",
                      "return u.a;", "U u = {3}; return f(u) == 3;"),
    "D23": ("sysv64", "typedef struct { long : 40; long : 40; long : 40; } S; "
            "int seen __attribute__((weak));", "S f(int a)",
            "seen = a; S s; return s;", "f(3); return seen == 3;"),
    "D8": ("win64", "", "long double f(long double a)", "return a;", "return f(3) == 3;"),
    "D11": ("win64", "", "_Float128 f(_Float128 a)", "return a;", "return f(3) == 3;"),
    "D13": ("win64", "", "float f(_Float16 a)", "return (float)a;", "return f(3) == 3;"),
    "D14": ("win64", "typedef struct { } E; int seen __attribute__((weak));", "E f(int a)",
            "seen = a;", "f(3); return seen == 3;"),
    "D15": ("win64", VECTOR.format(8), "float f(V v)", "return v[1];",
            "V v = {1, 2}; return f(v) == 2;"),
    "D22": ("win64", "typedef struct { int : 28; } S;",
            "int f(int a, int b, int c, int d, S s, int e)", "return e;",
            "S s; return f(0, 0, 0, 0, s, 3) == 3;"),
    "D17": ("aapcs64", "typedef union { float a; int : 0; } U;", "float f(U u)", "return u.a;",
            "U u = {3}; return f(u) == 3;"),
    "D19": ("aapcs64", "typedef struct { long double a; } __attribute__((packed)) S;",
            "long double f(double a, double b, double c, double d, double e, double g, double h, "
            "double i, double j, S s)", "return s.a;",
            "S s = {3}; return f(0, 0, 0, 0, 0, 0, 0, 0, 0, s) == 3;"),
    "D20": ("aapcs64", "typedef struct { long a; __int128 b : 6; } __attribute__((packed)) S;",
            "int f(long a, S s)", "return s.a;", "S s = {3, 1}; return f(0, s) == 3;"),
    "D21": ("aapcs64", "typedef struct { int : 20; } S;", "int f(S s, int a)", "return a;",
            "S s; return f(s, 3) == 3;"),
}


def source(example, part):
    convention, types, prototype, body, call = example
    attribute = "__attribute__((ms_abi)) " if convention == "win64" else ""
    text = f'#include "library.h"\n{types}\n{attribute}{prototype}'
    if part == "callee":
        return f"{text} {{ {body} }}\n"
    return (f"{text};\nstatic int right(void) {{ {call} }}\nint main(void) {{ return right() ? 0 : 7; }}\n")


def wrong_pairs(directory, example):
    """Which compiler's caller goes wrong with which compiler's callee."""
    tools = TOOLCHAINS[example[0]]
    flags = ["-std=gnu11", "-w", "-DFCG_HIGHEST_ALIGN=16"]
    flags += ["-I", RUNTIME] + tools.machine_flags()
    flags += ["-mavx"] if "(32)" in example[1] else []
    objects = {}
    for part in ("caller", "callee"):
        file = directory / f"{part}.c"
        file.write_text(source(example, part))
        for name, compiler in tools.compilers.items():
            for level in LEVELS:
                target = directory / f"{part}-{name}-{level}.o"
                command(compiler + flags + [f"-{level}", "-c", file, "-o", target])
                objects[part, f"{name}-{level}"] = target
    wrong = []
    for (part, caller), first in objects.items():
        for (other, callee), second in objects.items():
            if part != "caller" or other != "callee":
                continue
            program = directory / "program"
            command(tools.gcc + [first, second, "-o", program])
            status, _ = run_program(tools, [program])
            if status:
                wrong.append(f"{caller} calls {callee}")
    return wrong


def prove(args):
    unproven = 0
    directory = args.build_dir / "disagreements"
    directory.mkdir(parents=True, exist_ok=True)
    for reason, example in EXAMPLES.items():
        wrong = wrong_pairs(directory, example)
        unproven += not wrong
        print(f"{reason}: {', '.join(wrong) or 'the compilers agree'}", flush=True)
    print(f"{len(EXAMPLES) - unproven} passed, {unproven} failed, 0 skipped")
    return 1 if unproven else 0
