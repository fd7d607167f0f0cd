//! Pointers: strings, lists and addresses.

use crate::number::{self, Number, Precision};
use crate::read::{Place, Reader};
use crate::text::{self, Prefix};
use crate::{callbacks, function, items, memory};
use farcall::types::{Data, Kind, Scalar, Type, TypeRef};

/// What a pointer points to, as far as it says.
#[derive(Clone, Copy)]
pub(crate) struct Pointee<'t>(pub(crate) Option<TypeRef<'t>>);

impl<'t> Pointee<'t> {
    fn of(ty: TypeRef<'t>) -> Pointee<'t> {
        Pointee(match &ty.node.data {
            Data::Pointer { pointee, .. } => pointee.as_ref().map(|link| ty.follow(link)),
            _ => None,
        })
    }

    pub(crate) fn is_void(self) -> bool {
        self.0.is_none_or(|ty| ty.kind() == Kind::Void)
    }

    /// Plain `char`: text needs no quotes, whatever it is.
    pub(crate) fn is_char(self) -> bool {
        self.0.is_some_and(is_char)
    }

    /// A character of any sign: text needs no quotes.
    fn is_narrow(self) -> bool {
        self.0
            .is_some_and(|ty| matches!(ty.kind(), Kind::I8 | Kind::U8))
    }

    pub(crate) fn is_function(self) -> bool {
        self.0.is_some_and(|ty| ty.kind() == Kind::Function)
    }

    pub(crate) fn is_aggregate(self) -> bool {
        self.0.is_some_and(is_aggregate)
    }
}

/// Plain `char`.
pub(crate) fn is_char(ty: TypeRef<'_>) -> bool {
    matches!(ty.node.data, Data::Scalar(Scalar::Char))
}

/// A pointer that does not say what it points to.
pub(crate) fn is_to_void(ty: TypeRef<'_>) -> bool {
    Pointee::of(ty).is_void()
}

fn is_aggregate(ty: TypeRef<'_>) -> bool {
    matches!(
        ty.kind(),
        Kind::Struct | Kind::Union | Kind::Array | Kind::Vector
    )
}

fn bytes_of(address: u64) -> Vec<u8> {
    address.to_le_bytes().to_vec()
}

impl Reader<'_> {
    pub(crate) fn pointer(
        &mut self,
        ty: TypeRef<'_>,
        source: &[u8],
        place: Place,
    ) -> Result<Vec<u8>, String> {
        let pointee = Pointee::of(ty);
        let trimmed = source.trim_ascii();
        // Text for a plain char * may begin with almost anything.
        let is_text = place != Place::Inside && pointee.is_char();
        if let Some((cast, rest)) = self.cast_of_pointer(trimmed, is_text)? {
            return match cast.kind() {
                Kind::Array => self.compound(cast.get(), rest, false).map(bytes_of),
                Kind::Pointer => self.value(cast.get(), rest, Place::Cast),
                _ => Err(format!(
                    "expected {}, got {}; &({})... passes its address",
                    ty.describe(),
                    cast.get().describe(),
                    cast.get().name().to_string_lossy()
                )),
            };
        }
        match trimmed {
            b"null" | b"NULL" | b"nullptr" => return Ok(bytes_of(0)),
            [b'&', rest @ ..] => return self.reference(ty, pointee, rest).map(bytes_of),
            [b'@', rest @ ..] if pointee.is_function() => {
                return self.callback(ty, rest).map(bytes_of);
            }
            [b'@', rest @ ..] if pointee.is_void() && callbacks::is_one(rest) => {
                return Err(format!(
                    "{} does not say that it points to a function; a cast says so, and which: (int \
                     (*)(int)){}",
                    ty.describe(),
                    String::from_utf8_lossy(trimmed)
                ));
            }
            _ => {}
        }
        if let Some((_, b'"', _)) = text::opening(trimmed) {
            return self
                .string(ty, pointee, trimmed)
                .map(|(address, _)| bytes_of(address));
        }
        if !is_text && matches!(trimmed.first(), Some(b'{' | b'[')) {
            return self.pointed(ty, pointee, trimmed).map(bytes_of);
        }
        let takes_digits = place == Place::Word && pointee.is_narrow();
        if !takes_digits && let Some(address) = self.address(ty, trimmed, place)? {
            return Ok(bytes_of(address));
        }
        if pointee.is_function()
            && let Ok(name) = std::str::from_utf8(trimmed)
            && !name.is_empty()
        {
            let address = function::find(self.library, name).map_err(|error| error.message)?;
            return Ok(bytes_of(address as u64));
        }
        if place != Place::Inside && pointee.is_narrow() {
            let bytes = text::unquoted(source)?;
            let size = bytes.len() as u64 + 1;
            return memory::keep(&bytes, size, 1).map(bytes_of);
        }
        Err(format!(
            "expected {}, got {}; write {}",
            ty.describe(),
            text::shown(trimmed),
            forms(pointee)
        ))
    }

    /// The type of a cast. Text may begin with a parenthesis too: there a cast is one to a pointer.
    fn cast_of_pointer<'t>(
        &self,
        source: &'t [u8],
        is_text: bool,
    ) -> Result<Option<(Type, &'t [u8])>, String> {
        match self.cast(source) {
            Err(_) if is_text => Ok(None),
            Ok(Some((ty, _))) if is_text && !matches!(ty.kind(), Kind::Pointer | Kind::Array) => {
                Ok(None)
            }
            other => other,
        }
    }

    /// An address that is written as a number.
    fn address(&self, ty: TypeRef<'_>, source: &[u8], place: Place) -> Result<Option<u64>, String> {
        let Ok(word) = std::str::from_utf8(source) else {
            return Ok(None);
        };
        match number::number(word) {
            Some(Ok(Number::Integer(integer))) => {
                let value = integer.value;
                if value.magnitude > u128::from(u64::MAX)
                    || value.is_negative && place != Place::Cast
                {
                    return Err(format!("{word} is no address: it does not fit in 64 bits"));
                }
                if integer.is_decimal && value.magnitude != 0 && place != Place::Cast {
                    return Err(format!(
                        "expected {}, got {word}; &{word} passes the address of a {word}, and an \
                         address itself is hexadecimal",
                        ty.describe()
                    ));
                }
                Ok(Some(value.bits() as u64))
            }
            Some(Err(message)) => Err(message),
            _ => Ok(None),
        }
    }

    /// A whole number that is not negative.
    pub(crate) fn natural(&self, source: &[u8], what: &str) -> Result<u64, String> {
        let target = self.context.declarations.target();
        let ty = Type::scalar(Scalar::UnsignedLong, target);
        let value = self.whole(ty.get(), source, Place::Inside);
        let value = value.map_err(|_| {
            format!(
                "{what}: expected a whole number in [], got {}",
                text::shown(source)
            )
        })?;
        match u64::try_from(value.magnitude) {
            Ok(number) if !value.is_negative => Ok(number),
            _ => Err(format!("{what}: {value} is out of range")),
        }
    }

    /// The type of the numbers that a value consists of which stands for an unknown type: as behind '...' it is
    /// int, or double if one of them has a point. None, if there is anything else in it.
    pub(crate) fn type_of_numbers(&self, source: &[u8]) -> Option<Type> {
        let inner = match source {
            [b'{', inner @ .., b'}'] => inner,
            _ => source,
        };
        let items = items::items(inner).ok()?;
        let mut scalar = Scalar::Int;
        for item in &items {
            let word = std::str::from_utf8(item.value).ok()?;
            match number::number(word)?.ok()? {
                Number::Floating(floating) if floating.precision == Precision::Double => {
                    scalar = Scalar::Double;
                }
                Number::Integer(integer) if !integer.is_unsigned && integer.longs == 0 => {}
                _ => return None,
            }
        }
        let target = self.context.declarations.target();
        (!items.is_empty()).then(|| Type::scalar(scalar, target))
    }

    /// A list, or one struct, that a pointer points to.
    fn pointed(
        &mut self,
        ty: TypeRef<'_>,
        pointee: Pointee<'_>,
        source: &[u8],
    ) -> Result<u64, String> {
        match pointee.0 {
            Some(element) if !pointee.is_void() && !pointee.is_function() => {
                if !element.is_complete() {
                    return Err(format!(
                        "{} is incomplete: its members are not known; write null or an address, or \
                         bring its members with --decls",
                        element.describe()
                    ));
                }
                // What decays to a pointer is written as the array that it was: row by row.
                let is_array = element.kind() == Kind::Array;
                if source[0] == b'[' || is_array || !is_aggregate(element) {
                    return self.list(element, source).map(|(address, _)| address);
                }
                self.references += 1;
                let bytes = self.value(element, source, Place::Inside)?;
                self.references -= 1;
                memory::keep(&bytes, element.size(), element.align())
            }
            _ if pointee.is_void()
                && let Some(element) = self.type_of_numbers(source) =>
            {
                self.list(element.get(), source).map(|(address, _)| address)
            }
            _ => Err(format!(
                "{} does not say what it points to, so that a list needs a type: (int[]){}; text is \
                 written in \"quotes\"",
                ty.describe(),
                text::shown(source).trim_matches('"')
            )),
        }
    }

    /// `{1, 2, 3}` or `[1, 2, 3]`: its address, and how many elements it has.
    pub(crate) fn list(
        &mut self,
        element: TypeRef<'_>,
        source: &[u8],
    ) -> Result<(u64, u64), String> {
        let bytes = self.elements(element, None, source)?;
        let count = (bytes.len() as u64)
            .checked_div(element.size())
            .unwrap_or(0);
        let address = memory::keep(&bytes, element.size(), element.align())?;
        Ok((address, count))
    }

    /// `(int[]){1, 2, 3}`, C's compound literal: the address of its first element.
    pub(crate) fn compound(
        &mut self,
        array: TypeRef<'_>,
        source: &[u8],
        is_output: bool,
    ) -> Result<u64, String> {
        let Data::Array { element, length } = &array.node.data else {
            return Err(format!("{} is no array", array.describe()));
        };
        let element = array.follow(element);
        let at = self.outputs.len();
        let bytes = match length {
            Some(_) => self.value(array, source, Place::Inside)?,
            None if matches!(text::opening(source), Some((_, b'"', _))) => {
                self.encoded(element, source)?
            }
            None => self.elements(element, None, source)?,
        };
        let address = memory::keep(&bytes, element.size(), array.align())?;
        if is_output {
            let count = (bytes.len() as u64)
                .checked_div(element.size())
                .unwrap_or(0);
            self.output(at, address, self.list_form(element, count), true);
        }
        Ok(address)
    }

    /// A string literal for a pointer: its address, and its length with the NUL.
    pub(crate) fn string(
        &mut self,
        ty: TypeRef<'_>,
        pointee: Pointee<'_>,
        source: &[u8],
    ) -> Result<(u64, u64), String> {
        let narrow = Type::scalar(Scalar::Char, self.context.declarations.target());
        let element = match pointee.0 {
            Some(element) if !pointee.is_void() => element,
            _ => narrow.get(),
        };
        if !element.value_kind().is_integer() {
            return Err(format!(
                "expected {}, got the string {}; write {}",
                ty.describe(),
                text::shown(source),
                forms(pointee)
            ));
        }
        let bytes = self.encoded(element, source)?;
        let length = bytes.len() as u64 / element.size();
        let address = memory::keep(&bytes, 0, element.align())?;
        Ok((address, length))
    }

    /// A string literal as elements of a type, with its NUL.
    pub(crate) fn encoded(&self, element: TypeRef<'_>, source: &[u8]) -> Result<Vec<u8>, String> {
        let (prefix, text) = text::literal(source)?;
        let target = self.context.declarations.target();
        let wide = if target.wchar == Kind::U16 { 2 } else { 4 };
        let size = match prefix {
            Prefix::Narrow => 1,
            Prefix::Utf16 => 2,
            Prefix::Utf32 => 4,
            Prefix::Wide => wide,
        };
        if size != element.size() {
            let mend = match element.size() {
                1 => "write it without the prefix",
                2 => "u\"...\" has such",
                4 => "L\"...\" and U\"...\" have such",
                _ => "no string has such",
            };
            return Err(format!(
                "expected elements of {}, got the string {} with elements of {size} {}; {mend}",
                element.describe(),
                text::shown(source),
                if size == 1 { "byte" } else { "bytes" },
            ));
        }
        if size == 1 {
            let mut bytes = text.narrow()?;
            bytes.push(0);
            return Ok(bytes);
        }
        let mut elements = text.wide(size)?;
        elements.push(0);
        let bytes = elements
            .iter()
            .flat_map(|one| one.to_le_bytes()[..size as usize].to_vec());
        Ok(bytes.collect())
    }
}

/// How values are written that may be pointed to.
fn forms(pointee: Pointee<'_>) -> &'static str {
    if pointee.is_function() {
        "the name of a function of the library, @print or another of farcall's callbacks, null or an address \
         (0x...)"
    } else if pointee.is_void() {
        "null, an address (0x...), '\"text\"' in quotes of its own, or &[16] for 16 bytes that are printed \
         afterwards"
    } else if pointee.is_narrow() {
        "'\"text\"' in quotes of its own, null, an address (0x...), or &[16] for 16 bytes that are printed \
         afterwards"
    } else if pointee.is_aggregate() {
        "{...}, null, an address (0x...), or & for one that is printed afterwards"
    } else {
        "{1, 2, ...}, null, an address (0x...), or & for one that is printed afterwards"
    }
}
