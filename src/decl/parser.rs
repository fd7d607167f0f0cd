//! What all parts of the parser share: the token that is looked at, the types that are being
//! built, the names that are known, and how failures are put.

use super::known;
use super::lexer::{Kind, Lexer, Place, Token};
use super::message;
use super::names::{Meaning, Named, Names, Origin, Qualified, Tag};
use super::operations::Operations;
use super::scope::Scope;
use super::{Declarations, MAX_DEPTH, MAX_SOURCE, TYPE_DEPTH};
use crate::error::{Error, Status};
use crate::types::{Data, Link, Scalar, Target, TypeBuilder, TypeRef};
use std::ffi::CStr;
use std::sync::Arc;

/// A failure, in a box so that results stay small.
pub(super) type Failure = Box<Error>;

/// The result of reading something.
pub(super) type Parsed<T> = Result<T, Failure>;

/// What the text is for, which decides what becomes of names that are not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Declarations: an unknown tag is thereby declared.
    Declare,
    /// One prototype, which is to be called: as before, but all types must be supported.
    Call,
    /// The name of a type that is looked for.
    Find,
}

/// A place in the text with all that depends on it.
pub(super) struct Checkpoint {
    place: Place,
    token: Token,
    depth: u32,
    unevaluated: u32,
    scope: usize,
    operations: usize,
    open_tags: usize,
}

/// A name in the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word<'s> {
    pub(super) text: &'s str,
    /// Where it stands, in bytes.
    pub(super) at: u32,
}

/// The parser.
pub(super) struct Parser<'s, 'd> {
    pub(super) source: &'s str,
    pub(super) lexer: Lexer<'s>,
    /// The token that is looked at.
    pub(super) token: Token,
    pub(super) types: TypeBuilder,
    pub(super) purpose: Purpose,
    /// Names from earlier texts.
    pub(super) earlier: Option<&'d Declarations>,
    /// Names from this text, once there are any.
    pub(super) new: Option<Box<Names>>,
    pub(super) scope: Scope<'s>,
    /// Names of the parameters of the lists that are being read, one list after the other.
    pub(super) names_read: String,
    /// The name that is being made.
    spelling: Vec<u8>,
    /// The parts of the declarators that are being read.
    pub(super) operations: Operations,
    /// The type of an argument list, once it is needed.
    pub(super) va_list: Option<Link>,
    /// How many more members may be copied for typedefs with an alignment of their own.
    pub(super) copies_left: usize,
    /// Within an operand that is not evaluated: `1 ? 2 : 1 / 0`.
    pub(super) unevaluated: u32,
    /// Tags whose definitions have begun and not ended, innermost last.
    pub(super) open_tags: Vec<&'s str>,
    /// Failures will be thought better of, and need no message.
    pub(super) tentative: bool,
    /// How many expressions are being tried for their types, within one another.
    pub(super) trying: u32,
    depth: u32,
}

/// Whether a text is of a size that is dealt with.
pub(super) fn check_size(source: &str) -> Result<(), Error> {
    if source.len() <= MAX_SOURCE {
        return Ok(());
    }
    Err(Error::limit(format!(
        "the text has {} bytes: the limit is {MAX_SOURCE}",
        source.len()
    )))
}

impl<'s, 'd> Parser<'s, 'd> {
    /// A parser of a text whose size has been checked.
    #[inline]
    pub(super) fn new(
        source: &'s str,
        target: &'static Target,
        earlier: Option<&'d Declarations>,
        purpose: Purpose,
    ) -> Parser<'s, 'd> {
        let mut parser = Parser {
            source,
            lexer: Lexer::new(source),
            token: Token::NONE,
            types: TypeBuilder::new(target),
            purpose,
            earlier,
            new: None,
            scope: Scope::default(),
            names_read: String::new(),
            spelling: Vec::new(),
            operations: Operations::default(),
            va_list: None,
            copies_left: 1 << 20,
            unevaluated: 0,
            open_tags: Vec::new(),
            tentative: false,
            trying: 0,
            depth: 0,
        };
        parser.advance();
        parser
    }

    /// Before anything else is read: the text is a whole one, in which macros and conditions are
    /// understood.
    pub(super) fn read_whole(&mut self) {
        self.lexer = Lexer::new(self.source);
        self.lexer.skip_byte_order_mark();
        self.lexer.understand_directives();
        // Most declarations are longer than this.
        self.types.reserve((self.source.len() / 40).min(4096));
        self.advance();
    }

    pub(super) fn target(&self) -> &'static Target {
        self.types.target()
    }

    // ------------------------------------------------------------------------------ tokens

    pub(super) fn advance(&mut self) {
        self.lexer.next(&mut self.token);
    }

    /// The token's text.
    pub(super) fn text(&self) -> &'s str {
        &self.source[self.token.start as usize..self.token.end as usize]
    }

    /// The name that the token is.
    pub(super) fn word(&self) -> Word<'s> {
        Word {
            text: self.text(),
            at: self.token.start,
        }
    }

    pub(super) fn is(&self, mark: u8) -> bool {
        self.token.kind == Kind::Mark(mark)
    }

    /// Passes over a mark if it is there.
    pub(super) fn accept(&mut self, mark: u8) -> bool {
        let there = self.is(mark);
        if there {
            self.advance();
        }
        there
    }

    /// Passes over a mark that must be there; `place` says where: `after a parameter`.
    pub(super) fn expect(&mut self, mark: u8, place: &str) -> Parsed<()> {
        if self.accept(mark) {
            return Ok(());
        }
        Err(self.unexpected(&format!("'{}' {place}", mark as char)))
    }

    /// Passes over everything up to the bracket that closes the one that is looked at, and over
    /// that.
    pub(super) fn skip_balanced(&mut self) -> Parsed<()> {
        let opening = self.token;
        let mut open = 0usize;
        loop {
            match self.token.kind {
                Kind::Mark(b'(' | b'[' | b'{') => open += 1,
                Kind::Mark(b')' | b']' | b'}') => open -= 1,
                Kind::End => {
                    let mark = &self.source[opening.start as usize..opening.end as usize];
                    return Err(self.fail(opening.start, &format!("this '{mark}' is never closed")));
                }
                Kind::Bad(fault) if fault != super::lexer::Fault::Character => {
                    return Err(self.unexpected(""));
                }
                _ => {}
            }
            self.advance();
            if open == 0 {
                return Ok(());
            }
        }
    }

    // ------------------------------------------------------------------------------- depth

    /// One level deeper: parentheses and operators. A failure ends the parse, so that only
    /// success must `leave`.
    #[inline]
    pub(super) fn enter(&mut self) -> Parsed<()> {
        self.descend(1)
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Into a record, a parameter list or a type's name, which take more of the stack.
    #[inline]
    pub(super) fn enter_type(&mut self) -> Parsed<()> {
        self.descend(TYPE_DEPTH)
    }

    pub(super) fn leave_type(&mut self) {
        self.depth -= TYPE_DEPTH;
    }

    #[inline]
    fn descend(&mut self, levels: u32) -> Parsed<()> {
        self.depth += levels;
        if self.depth > MAX_DEPTH {
            Err(self.too_deep())
        } else {
            Ok(())
        }
    }

    #[cold]
    fn too_deep(&self) -> Failure {
        let what = format!(
            "this is nested too deeply: the limit is {MAX_DEPTH} levels, of which a type within \
             another takes {TYPE_DEPTH}, and an expression in parentheses 2"
        );
        self.limit(self.token.start, &what)
    }

    /// Where the parser stands, to `go_back` to.
    pub(super) fn checkpoint(&self) -> Checkpoint {
        Checkpoint {
            place: self.lexer.place(),
            token: self.token,
            depth: self.depth,
            unevaluated: self.unevaluated,
            scope: self.scope.mark(),
            operations: self.operations.len(),
            open_tags: self.open_tags.len(),
        }
    }

    /// Back to an earlier place, after a failure that does not end the parse. Types and names
    /// that were made since stay.
    pub(super) fn go_back(&mut self, to: &Checkpoint) {
        self.lexer.go_to(to.place);
        self.token = to.token;
        self.depth = to.depth;
        self.unevaluated = to.unevaluated;
        self.scope.leave(to.scope);
        self.operations.truncate(to.operations);
        self.open_tags.truncate(to.open_tags);
    }

    // ---------------------------------------------------------------------------- failures

    #[cold]
    pub(super) fn fail(&self, at: u32, what: &str) -> Failure {
        self.fail_with(Status::Syntax, at, what)
    }

    fn fail_with(&self, status: Status, at: u32, what: &str) -> Failure {
        // Finding the line takes as long as the text before it, which may be tried often.
        if self.tentative {
            return Box::new(Error::new(status, ""));
        }
        message::at(status, self.source, at as usize, what)
    }

    /// What a read gives that may fail without a message.
    pub(super) fn tentatively<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.tentative, true);
        let result = read(self);
        self.tentative = before;
        result
    }

    #[cold]
    pub(super) fn limit(&self, at: u32, what: &str) -> Failure {
        self.fail_with(Status::Limit, at, what)
    }

    /// A failure of `types`, at its place in the text.
    #[cold]
    pub(super) fn fail_types(&self, at: u32, error: Error) -> Failure {
        let status = match error.status {
            Status::Argument => Status::Syntax,
            other => other,
        };
        self.fail_with(status, at, &error.message)
    }

    /// The token is not what was expected.
    #[cold]
    pub(super) fn unexpected(&self, expected: &str) -> Failure {
        if let Kind::Bad(fault) = self.token.kind {
            return self.fail(self.token.start, fault.message());
        }
        self.fail(
            self.token.start,
            &format!("expected {expected}, found {}", self.found()),
        )
    }

    /// The token, in a message.
    pub(super) fn found(&self) -> String {
        match self.token.kind {
            Kind::End => "the end of the text".to_owned(),
            Kind::Text | Kind::Character => self.text().chars().take(60).collect(),
            Kind::Name => message::quoted(self.text()),
            _ => format!("'{}'", self.text()),
        }
    }

    // ------------------------------------------------------------------------------- names

    /// What a name that is no tag stands for, in the text or before it.
    pub(super) fn find(&self, name: &str) -> Option<&Named> {
        if let Some(new) = &self.new
            && let Some(named) = new.others.get(name)
        {
            return Some(named);
        }
        self.earlier
            .and_then(|earlier| earlier.names().others.get(name))
    }

    /// What a tag stands for, in the text or before it.
    pub(super) fn find_tag(&self, name: &str) -> Option<&Tag> {
        if let Some(new) = &self.new
            && let Some(tag) = new.tags.get(name)
        {
            return Some(tag);
        }
        self.earlier
            .and_then(|earlier| earlier.names().tags.get(name))
    }

    /// Words of the text, which hold no NUL, as a name that is shared.
    pub(super) fn spell(&mut self, words: &[&str]) -> Arc<CStr> {
        self.spelling.clear();
        for word in words {
            self.spelling.extend_from_slice(word.as_bytes());
        }
        self.spelling.push(0);
        CStr::from_bytes_until_nul(&self.spelling)
            .unwrap_or_default()
            .into()
    }

    /// The names of this text.
    pub(super) fn new_names(&mut self) -> &mut Names {
        self.new.get_or_insert_default()
    }

    /// The place of the token that is looked at.
    pub(super) fn origin(&self) -> Origin {
        Origin {
            text: self.earlier.map_or(0, Declarations::texts),
            line: self.lexer.line,
        }
    }

    /// An earlier declaration's place, in a message.
    pub(super) fn describe_origin(&self, origin: Origin) -> String {
        if origin.text == self.earlier.map_or(0, Declarations::texts) {
            let before: usize = self
                .source
                .split_inclusive('\n')
                .take(origin.line.saturating_sub(1) as usize)
                .map(str::len)
                .sum();
            match message::marker(self.source, before) {
                Some(marker) => format!("on line {} ({marker})", origin.line),
                None => format!("on line {}", origin.line),
            }
        } else {
            format!("on line {} of an earlier text", origin.line)
        }
    }

    /// The name is that of a type here.
    pub(super) fn is_type_name(&self, name: &str) -> bool {
        if self.scope.contains(name) {
            return false;
        }
        match self.find(name) {
            Some(named) => matches!(named.meaning, Meaning::Type(_)),
            None => {
                known::find(name.as_bytes(), self.target()).is_some()
                    || known::UNSUPPORTED.contains(&name)
            }
        }
    }

    // ------------------------------------------------------------------------------- types

    /// Borrows a type.
    pub(super) fn view<'a>(&'a self, ty: &'a Qualified) -> TypeRef<'a> {
        self.types.get(&ty.link)
    }

    /// The type is `void`.
    pub(super) fn is_void(&self, link: &Link) -> bool {
        matches!(self.types.get(link).node.data, Data::Scalar(Scalar::Void))
    }
}
