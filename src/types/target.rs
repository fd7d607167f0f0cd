//! The data model of a target: what C's type names mean on it, and how it lays out bit-fields.

use super::Kind;

/// How many value bits a target's `long double` format has, and with them its place in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LongDouble {
    /// x87 extended precision: 10 bytes of value in 16, aligned to 16.
    X87,
    /// IEEE binary128: 16 bytes, aligned to 16.
    Binary128,
    /// The same format as `double`.
    Double,
}

/// Which of the known targets it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Model {
    /// Linux on x86-64.
    LinuxX86_64,
    /// Linux on AArch64.
    LinuxAarch64,
    /// macOS on AArch64.
    AppleAarch64,
    /// Windows on x86-64.
    WindowsX86_64,
}

/// Whose rules bit-fields follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BitFields {
    /// Those of the System V and AAPCS64 ABIs: bit-fields stand one behind the other, whatever their
    /// types, and also share bytes with other members.
    Dense,
    /// Microsoft's: neighbours whose types have the same size share a unit of that size, which nothing
    /// else uses.
    Microsoft,
}

/// The data model of a target.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    /// Which target it is.
    pub model: Model,
    /// A name for people.
    pub name: &'static str,
    /// `long` has 8 bytes (LP64), not 4 (LLP64).
    pub long_is_64: bool,
    /// Plain `char` is signed.
    pub char_is_signed: bool,
    /// The format of `long double`.
    pub long_double: LongDouble,
    /// The kind of `wchar_t`.
    pub wchar: Kind,
    /// Whose rules bit-fields follow.
    pub bit_fields: BitFields,
    /// Of dense bit-fields: the type of an unnamed one counts for the alignment of its record
    /// (AAPCS64, section 5.9.3; the x86-64 psABI, section 3.1.2, says that it does not).
    pub unnamed_bit_fields_align: bool,
    /// Vectors are aligned to their size, and to no more than this many bytes.
    pub max_vector_align: u32,
}

/// Linux on x86-64.
pub static LINUX_X86_64: Target = Target {
    model: Model::LinuxX86_64,
    name: "x86_64-linux",
    long_is_64: true,
    char_is_signed: true,
    long_double: LongDouble::X87,
    wchar: Kind::I32,
    bit_fields: BitFields::Dense,
    unnamed_bit_fields_align: false,
    max_vector_align: 1 << 16,
};

/// Linux on AArch64.
pub static LINUX_AARCH64: Target = Target {
    model: Model::LinuxAarch64,
    name: "aarch64-linux",
    long_is_64: true,
    char_is_signed: false,
    long_double: LongDouble::Binary128,
    wchar: Kind::U32,
    bit_fields: BitFields::Dense,
    unnamed_bit_fields_align: true,
    max_vector_align: 16,
};

/// macOS on AArch64.
pub static APPLE_AARCH64: Target = Target {
    model: Model::AppleAarch64,
    name: "arm64-apple",
    long_is_64: true,
    char_is_signed: true,
    long_double: LongDouble::Double,
    wchar: Kind::I32,
    bit_fields: BitFields::Dense,
    unnamed_bit_fields_align: false,
    max_vector_align: 16,
};

/// Windows on x86-64, as mingw-w64 compiles for it.
pub static WINDOWS_X86_64: Target = Target {
    model: Model::WindowsX86_64,
    name: "x86_64-windows-gnu",
    long_is_64: false,
    char_is_signed: true,
    long_double: LongDouble::X87,
    wchar: Kind::U16,
    bit_fields: BitFields::Microsoft,
    unnamed_bit_fields_align: false,
    max_vector_align: 1 << 16,
};
