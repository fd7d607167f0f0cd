//! The words that C reserves, with GNU's other spellings of them.

/// A reserved word, or what several spellings of one stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keyword {
    Void,
    Char,
    Short,
    Int,
    Long,
    Float,
    Double,
    Signed,
    Unsigned,
    Bool,
    Complex,
    Int128,
    Float16,
    Float32,
    Float64,
    Float128,
    Float32x,
    Float64x,
    Float80,
    /// `__int64` and its kin, which Microsoft's compilers reserve.
    Int8,
    Int16,
    Int32,
    Int64,
    Struct,
    Union,
    Enum,
    Typeof,
    TypeofUnqualified,
    Atomic,
    Const,
    Volatile,
    Restrict,
    Typedef,
    /// `extern`: alone in that a string may follow it.
    Extern,
    /// Storage and function words that say nothing about the type.
    Storage,
    /// Words that other compilers allow around declarators, and that change nothing here.
    Ignored,
    Alignas,
    Alignof,
    Sizeof,
    Offsetof,
    StaticAssert,
    Attribute,
    Declspec,
    Asm,
    /// Words of statements: they name nothing.
    Reserved,
}

impl Keyword {
    /// The keyword that a word is.
    #[inline]
    pub(super) fn of(word: &[u8]) -> Option<Keyword> {
        use Keyword::*;
        // Words of users are mostly longer than the shortest keyword, and few begin with `_`.
        if word.len() < 2 || word.len() > 18 {
            return None;
        }
        if word[0] == b'_' {
            return Keyword::underscored(word);
        }
        Some(match word {
            b"int" => Int,
            b"char" => Char,
            b"void" => Void,
            b"long" => Long,
            b"double" => Double,
            b"float" => Float,
            b"short" => Short,
            b"signed" => Signed,
            b"unsigned" => Unsigned,
            b"const" => Const,
            b"volatile" => Volatile,
            b"restrict" => Restrict,
            b"struct" => Struct,
            b"union" => Union,
            b"enum" => Enum,
            b"typedef" => Typedef,
            b"extern" => Extern,
            b"static" | b"inline" | b"register" | b"auto" | b"thread_local" | b"constexpr" => {
                Storage
            }
            b"sizeof" => Sizeof,
            b"alignas" => Alignas,
            b"alignof" => Alignof,
            b"static_assert" => StaticAssert,
            b"typeof" => Typeof,
            b"typeof_unqual" => TypeofUnqualified,
            b"asm" => Asm,
            b"break" | b"case" | b"continue" | b"default" | b"do" | b"else" | b"for" | b"goto"
            | b"if" | b"return" | b"switch" | b"while" => Reserved,
            _ => return None,
        })
    }

    fn underscored(word: &[u8]) -> Option<Keyword> {
        use Keyword::*;
        Some(match word {
            b"_Bool" => Bool,
            b"__int8" => Int8,
            b"__int16" => Int16,
            b"__int32" => Int32,
            b"__int64" => Int64,
            b"_Complex" | b"__complex__" | b"__complex" => Complex,
            b"__int128" | b"__int128__" => Int128,
            b"_Float16" => Float16,
            b"_Float32" => Float32,
            b"_Float64" => Float64,
            b"_Float128" | b"__float128" => Float128,
            b"_Float32x" => Float32x,
            b"_Float64x" => Float64x,
            b"__float80" => Float80,
            b"__signed" | b"__signed__" => Signed,
            b"__const" | b"__const__" => Const,
            b"__volatile" | b"__volatile__" => Volatile,
            b"__restrict" | b"__restrict__" => Restrict,
            b"_Atomic" => Atomic,
            b"__typeof__" | b"__typeof" => Typeof,
            b"__typeof_unqual__" | b"__typeof_unqual" => TypeofUnqualified,
            b"__inline" | b"__inline__" | b"__forceinline" | b"_Noreturn" | b"_Thread_local"
            | b"__thread" => Storage,
            b"__extension__" | b"_Nonnull" | b"_Nullable" | b"_Null_unspecified"
            | b"_Nullable_result" | b"__cdecl" | b"_cdecl" | b"__stdcall" | b"_stdcall"
            | b"__fastcall" | b"__thiscall" | b"__ptr64" | b"__unaligned" | b"__w64" => Ignored,
            b"_Alignas" => Alignas,
            b"_Alignof" | b"__alignof__" | b"__alignof" => Alignof,
            b"_Static_assert" => StaticAssert,
            b"__attribute__" | b"__attribute" => Attribute,
            b"__declspec" => Declspec,
            b"__asm__" | b"__asm" => Asm,
            b"__builtin_offsetof" => Offsetof,
            b"_Generic" | b"_Imaginary" | b"__auto_type" | b"_BitInt" | b"__vectorcall" => Reserved,
            _ => return None,
        })
    }

    /// C11 reserves the word, so that nothing can have it as its name.
    pub(super) fn is_of_c(word: &str) -> bool {
        match word {
            "auto" | "inline" | "register" | "static" | "_Alignas" | "_Alignof" | "_Atomic"
            | "_Bool" | "_Complex" | "_Generic" | "_Imaginary" | "_Noreturn" | "_Static_assert"
            | "_Thread_local" => true,
            // Those of GNU's and C23's words that start otherwise are names for some compilers.
            "asm" | "typeof" | "typeof_unqual" | "alignas" | "alignof" | "static_assert"
            | "thread_local" | "constexpr" => false,
            _ => !word.starts_with('_') && Keyword::of(word.as_bytes()).is_some(),
        }
    }

    /// A floating type that is reserved for some compilers only: for others headers declare it.
    pub(super) fn is_new_float(self) -> bool {
        use Keyword::*;
        matches!(
            self,
            Float16 | Float32 | Float64 | Float128 | Float32x | Float64x
        )
    }

    /// Declaration specifiers can begin with it.
    pub(super) fn starts_specifiers(self) -> bool {
        use Keyword::*;
        !matches!(
            self,
            Ignored
                | Alignof
                | Sizeof
                | Offsetof
                | StaticAssert
                | Attribute
                | Declspec
                | Asm
                | Reserved
        )
    }
}
