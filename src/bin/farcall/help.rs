//! What `--help` says.

use crate::style::Style;

/// What help is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Topic {
    All,
    Call,
    Explain,
    Disasm,
    Symbols,
}

impl Topic {
    pub(crate) const NAMES: [&'static str; 5] = ["call", "explain", "disasm", "symbols", "help"];

    pub(crate) fn of(command: &str) -> Option<Topic> {
        Some(match command {
            "call" => Topic::Call,
            "explain" => Topic::Explain,
            "disasm" => Topic::Disasm,
            "symbols" => Topic::Symbols,
            _ => return None,
        })
    }

    /// The command.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Topic::All => "help",
            Topic::Call => "call",
            Topic::Explain => "explain",
            Topic::Disasm => "disasm",
            Topic::Symbols => "symbols",
        }
    }
}

/// The help, with its headings, which are the lines that end in a colon, in bold.
pub(crate) fn text(topic: Topic, style: Style) -> String {
    let text = match topic {
        Topic::All => ALL,
        Topic::Call => CALL,
        Topic::Explain => EXPLAIN,
        Topic::Disasm => DISASM,
        Topic::Symbols => SYMBOLS,
    };
    let mut styled = String::new();
    for line in text.lines() {
        match line.ends_with(':') && !line.starts_with(' ') {
            true => styled.push_str(&style.heading(line)),
            false => styled.push_str(line),
        }
        styled.push('\n');
    }
    styled
}

const ALL: &str = "\
farcall calls any C function, and shows how it is called.

usage:
  farcall call LIBRARY PROTOTYPE [ARGUMENT ...]   calls a function and prints its result
  farcall explain PROTOTYPE                       shows where every byte of a call travels
  farcall disasm PROTOTYPE                        shows the machine code that makes the call
  farcall symbols LIBRARY [PATTERN]               lists what a library exports
  farcall help COMMAND                            says more of a command; so does COMMAND --help

options:
  --color WHEN   auto (on a terminal, unless NO_COLOR is set), always or never
  -h, --help     this text
  -V, --version  the version

examples:
  $ farcall call libm.so.6 'double pow(double, double)' 2 10
  1024
  $ farcall call m 'double frexp(double, int *exp)' 8.5 '&'
  0.53125
  *exp = 4

exit status:
  0; 1 the call could not be made; 2 the command line is wrong. A function that crashes ends farcall
  by its signal.
";

const CALL: &str = "\
farcall call: calls a C function and prints what it gives.

usage:
  farcall call [OPTION ...] LIBRARY PROTOTYPE [ARGUMENT ...]

  LIBRARY    a file, or a name that the system's loader finds: ./libmine.so, libm.so.6, m
  PROTOTYPE  C: 'double pow(double, double)'; with --decls, the name of a function will do
  ARGUMENT   one for each parameter, and any number behind '...'

options:
  --decls FILE   declarations, preprocessed; - is the standard input; may be given again
  --cpp          run the C preprocessor over them first ($CC -E, or cc -E): FILE may then be any
                 header that #include finds, and its macros are constants too
  --errno        print errno as the function leaves it
  --follow       print what a pointer result points to
  --color WHEN   auto, always or never

  Options stand before LIBRARY. What stands behind it goes to the function, -3 and --help too.

arguments, by the parameter's type:
  numbers        10, -3, 0x1f, 0b101, 017 (octal, as in C), 1'000'000, 2.5, 1e9, 0x1p-3, inf, nan;
                 suffixes are C's: 5u, 5L, 1.5f
                 -0 is negative zero where the parameter is floating
  integers       also characters ('a', '\\n', '\\x41'), names of constants, and constant expressions:
                 'RED | BLUE', 'sizeof(struct point)'
  bool           true, false, 1, 0
  complex        1.5-2i
  char *         text as it is, or in \"quotes\" of its own. Escape sequences are C's in both: \\n, \\t,
                 \\x41, \\0, \\u00e9; \\\\ is a backslash. A NUL within needs the quotes. Signed and
                 unsigned char * take the same.
  wchar_t *      L\"...\"; char16_t *: u\"...\"; char32_t *: U\"...\"
  structs        {1.5, 2}, {.x = 1}, {.pos.x = 1, .list = {[2] = 5}}: as C initializes them. What is
                 left out is zero. Unions, arrays in structs and vectors alike. Strings in braces
                 need their quotes.
  T m[2][3]      {{1, 2, 3}, {4, 5, 6}}: row by row, as C has it
  T *            & for room for one T that is printed after the call; &5 or &{1, 2} for one that
                 has a value before and is printed after; &[16] for room for 16 of them (of a
                 void *, for 16 bytes), and &\"...\" for text that is printed after.
                 {1, 2, 3} is a list of T, {...} one struct, [{1, 2}, {3, 4}] a list of structs.
  void *         numbers are int, or double where one has a point: &5, {1, 2}, &{1.5, 2}. A cast
                 says another type: (char[]){1, 2}, &(struct point){1, 2}
  pointers       null, or an address in hexadecimal; of a function, its name in the library, or a
                 callback that farcall has:
                 @print writes the arguments that it is called with, and returns zero
                 @count returns zero; how often it was called is printed after the call
                 @compare says in which order the values are that its two arguments point to
                 A type behind @print and @compare says what a void * of theirs points to, as
                 @compare:double or '@compare:struct point'. Without one @compare takes it for an
                 int; strings are compared behind 'char *', structs member by member. What the
                 declaration knows cannot be said otherwise.
  behind '...'   whole numbers are int, or long where they do not fit; 2.5, inf and nan are double,
                 'a', true and false int, null a void *. Names of constants, and expressions of them
                 or of numbers ('O_CREAT | O_RDWR', '1|2', 'sizeof(int)') have their own type in C.
                 All else is text, dates (2026-11-30) too, and what has quotes of its own: '\"EOF\"'.
                 A cast says another type, and C's promotions follow: '(long)5', '(float)2.5',
                 '(struct point){1, 2}', '(int *)&'
  casts          go with any argument, and wrap as in C: '(size_t)-1'

  The shell takes one pair of quotes away, and & and {1,2} need them: '&', '{1, 2}', \"'a'\",
  '\"text\"'.

results:
  are printed as C writes them, so that they can be arguments again; then what & arguments hold, by
  the parameter's name or number. What the function writes to its standard output comes before.

examples:
  $ farcall call libc.so.6 'int printf(const char *, ...)' '%d %s\\n' 42 hi
  42 hi
  6
  $ farcall call libc.so.6 'long strtol(const char *, char **end, int)' 12abc '&' 10
  12
  *end = \"abc\"
  $ farcall call libc.so.6 'int snprintf(char *out, size_t, const char *, ...)' '&[16]' 16 %.3f 2.5
  5
  out = \"2.500\"
  $ farcall call libc.so.6 'struct { int quot, rem; } div(int, int)' 17 5
  {.quot = 3, .rem = 2}
  $ farcall call c 'void qsort(int *a, long, long, int (*)(int *, int *))' '&{3,1,2}' 3 4 @compare
  a = {1, 2, 3}
  $ farcall call --errno libc.so.6 'int chdir(const char *)' /none
  -1
  errno = 2 (ENOENT: No such file or directory)
  $ farcall call --cpp --decls fcntl.h libc.so.6 open /dev/null 'O_RDONLY | O_CLOEXEC'
  3
  $ farcall call --cpp --decls zlib.h z crc32 0 hello 5
  907060870

exit status:
  0; 1 the library, the symbol, the prototype or an argument is wrong; 2 the command line is wrong
";

const EXPLAIN: &str = "\
farcall explain: shows where every byte of a call travels.

usage:
  farcall explain [OPTION ...] PROTOTYPE [TYPE ...]

  PROTOTYPE  C: 'double pow(double, double)'; with --decls, the name of a function will do
  TYPE       one for each extra argument of a variadic call; without, examples are shown

options:
  --abi NAME     the calling convention: sysv64 (Linux on x86-64), win64 (Windows on x86-64),
                 aapcs64 (Linux on AArch64), apple64 (macOS and iOS). C's types are those of its
                 system: long has 4 bytes with win64.
  --arch NAME    x86_64 or aarch64: the convention of Linux there. Without both, this machine's.
  --decls FILE   declarations, preprocessed; then PROTOTYPE may be the name of a function
  --cpp          run the C preprocessor over them first: $CC -E, or cc -E; for another system
                 than this machine's, whose headers are others, aarch64-linux-gnu-gcc or
                 x86_64-w64-mingw32-gcc, and for apple64 only what CC names
  --places       a line for scripts. With - as PROTOTYPE, prototypes are read from the standard
                 input, one a line, TYPEs after tabs, and each gives a line; one that is wrong
                 gives 'error: ...'.

lines of --places:
  fields between semicolons: the convention; 'stack SIZE ALIGNMENT' of the argument area; 'al COUNT'
  of a variadic call by sysv64; for each argument 'value SIZE EXTENSION PLACE=FIRST-LAST ...', which
  of its bytes are where, or 'copy SIZE ALIGNMENT PLACE', where the address of its copy is; last
  'result SIZE EXTENSION PLACE=FIRST-LAST ...', 'result SIZE memory PLACE [PLACE]', where its
  address goes and where it comes back, or 'result 0 void'. A PLACE is a register (rdi, xmm0, st0,
  x0, v0) or stack+OFFSET from the stack pointer at the call; EXTENSION is none, sign or zero.

examples:
  $ farcall explain 'double f(struct { float x, y, z; }, int)'
  $ farcall explain --abi win64 'int printf(const char *, ...)' double
  $ farcall explain --arch aarch64 --decls point.h distance
";

const DISASM: &str = "\
farcall disasm: shows the machine code that makes a call.

usage:
  farcall disasm [OPTION ...] PROTOTYPE [TYPE ...]

  PROTOTYPE  C: 'double pow(double, double)'; with --decls, the name of a function will do
  TYPE       one for each extra argument of a variadic call

  The stub is what all functions share whose arguments travel alike; it is handed the address of the
  result's memory and an array of the arguments' addresses. The entry is what a function has of its
  own: it knows the function's address, and goes on with the stub.

options:
  --slots        the stub that takes values in 8-byte slots instead of addresses
  --callback     the other way round: the receiver that all callbacks share whose arguments travel
                 alike, which makes the array for a handler, and the thunk that a callback has of
                 its own
  --errno        with the instructions that keep errno; where it is on another architecture than
                 this machine's is an example
  --syntax NAME  intel or att, of x86_64
  --abi NAME     the calling convention: sysv64, win64, aapcs64 or apple64
  --arch NAME    x86_64 or aarch64: the convention of Linux there. Without both, this machine's.
  --decls FILE   declarations, preprocessed; then PROTOTYPE may be the name of a function
  --cpp          run the C preprocessor over them first: $CC -E, or cc -E; for another system
                 than this machine's, whose headers are others, aarch64-linux-gnu-gcc or
                 x86_64-w64-mingw32-gcc, and for apple64 only what CC names
  --bytes        the stub's or receiver's bytes alone, in hexadecimal, on a line. With - as
                 PROTOTYPE, prototypes are read from the standard input, one a line, TYPEs after
                 tabs, and each gives a line; one that is wrong gives 'error: ...'.
  --color WHEN   auto, always or never

examples:
  $ farcall disasm 'int add(int, int)'
  $ farcall disasm --slots --syntax att 'double pow(double, double)'
  $ farcall disasm --callback 'int compare(const void *, const void *)'
  $ farcall disasm --abi apple64 'int printf(const char *, ...)' int double
";

const SYMBOLS: &str = "\
farcall symbols: lists what a library exports.

usage:
  farcall symbols [OPTION ...] LIBRARY [PATTERN]

  LIBRARY  a file, or a name that the system's loader finds: libm.so.6, m
  PATTERN  a part of the names, or with * ? [...] in it the whole name: sin, 'str*', 'mem???'

  A line has the kind, the size in bytes, and the name with its version; a version behind a single @
  is an old one, which only programs that were linked with it get.

options:
  --all          old versions too
  --color WHEN   auto, always or never

examples:
  $ farcall symbols m 'sin*'
  $ farcall symbols libsqlite3.so.0 version
";
