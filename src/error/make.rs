//! Constructors of errors, and checks that return one.

use std::borrow::Cow;
use std::path::PathBuf;

use super::{Error, Fault, Result, Wrong, quoting};

impl Error {
    /// The error of a `name` that no `what`, in the singular, has; `known` are those that exist.
    pub fn unknown<S: Into<String>>(
        what: &'static str,
        name: &str,
        known: impl IntoIterator<Item = S>,
    ) -> Self {
        let known = known.into_iter().map(Into::into).collect();
        Error::UnknownName { what, name: quoting::one_line(name, 40), known }
    }

    /// Refuses another number of elements, `what` in the plural, than the task takes, with [`Error::WrongLength`].
    pub fn expect_length(what: impl Into<Cow<'static, str>>, expected: usize, found: usize) -> Result<()> {
        if found == expected {
            Ok(())
        } else {
            Err(Error::WrongLength { what: what.into(), expected, found })
        }
    }

    /// Refuses a matrix, `what` with its article, of another shape than the task takes, with [`Error::WrongShape`].
    pub fn expect_shape(
        what: impl Into<Cow<'static, str>>,
        expected: (usize, usize),
        found: (usize, usize),
    ) -> Result<()> {
        let (is_right, expected, found) = (found == expected, expected.into(), found.into());
        if is_right { Ok(()) } else { Err(Error::WrongShape { what: what.into(), expected, found }) }
    }

    /// Refuses more elements, `what` in the plural, than `most`, with [`Error::TooMany`].
    pub fn expect_at_most(what: impl Into<Cow<'static, str>>, most: u64, count: u64) -> Result<()> {
        if count <= most { Ok(()) } else { Err(Error::TooMany { what: what.into(), count, most }) }
    }

    /// Refuses fewer elements, `what` in the plural, than `least`, with [`Error::TooFew`].
    pub fn expect_at_least(what: impl Into<Cow<'static, str>>, least: u64, count: u64) -> Result<()> {
        if count >= least { Ok(()) } else { Err(Error::TooFew { what: what.into(), count, least }) }
    }

    /// Refuses the index of an element, `what` in the singular, past the last of `count`, with [`Error::NoSuch`].
    pub fn expect_index(what: &'static str, count: usize, index: usize) -> Result<()> {
        if index < count {
            Ok(())
        } else {
            Err(Error::NoSuch { what, index: index as u64, count: count as u64 })
        }
    }

    /// The error of a text, `found`, that is not what it must be.
    pub fn unexpected(found: &str, expected: &'static str) -> Self {
        Error::Unexpected { found: quoting::one_line(found, 40), expected }
    }

    /// The error of `who`, in the singular, that needs what the call lacks.
    pub fn needs(who: impl Into<Cow<'static, str>>, what: impl Into<Cow<'static, str>>) -> Self {
        Error::Needs { who: who.into(), what: what.into() }
    }

    /// The error of something that does not go with the rest of the call.
    pub fn only_for(what: impl Into<Cow<'static, str>>, scope: impl Into<Cow<'static, str>>) -> Self {
        Error::OnlyFor { what: what.into(), scope: scope.into() }
    }

    /// The error of a method that does not solve a problem of this shape.
    pub fn unsuited(method: impl Into<Cow<'static, str>>, reason: impl Into<Cow<'static, str>>) -> Self {
        Error::Unsuited { method: method.into(), reason: reason.into() }
    }

    /// The error of values of a device of which one element, `what` in the singular, is wrong: the fault is a verb.
    pub fn nonsense_at(
        what: &'static str,
        index: impl TryInto<u64>,
        fault: impl Into<Cow<'static, str>>,
    ) -> Self {
        Error::Nonsense(Wrong::at(what, index, fault))
    }

    /// The error of a value that violates its encoding or its group.
    pub fn value(what: impl Into<Cow<'static, str>>, fault: Fault) -> Self {
        Error::Value { what: what.into(), fault: Box::new(fault) }
    }

    /// Adds a note, which begins with a semicolon, to the fault of a file.
    #[must_use]
    pub fn with_note(mut self, more: &str) -> Self {
        if let Error::Format { note, .. } = &mut self {
            note.insert_str(0, more);
        }
        self
    }

    /// Returns this error as that of one part of the input, which its text begins with.
    #[must_use]
    pub fn of(self, part: impl Into<String>) -> Self {
        Error::Of { part: part.into(), error: Box::new(self) }
    }

    /// Creates an error for a file that cannot be read or written.
    pub fn file(path: impl Into<PathBuf>, source: std::io::Error) -> Self {
        Error::File { path: path.into(), source }
    }
}
