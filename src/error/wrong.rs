//! What is wrong with a result.

use std::borrow::Cow;

use super::{Error, Result};

/// What is wrong with a result that was verified, or with values that a device returned. serde writes its data alone.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, serde::Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Wrong {
    /// What no other variant describes.
    #[error("{0}")]
    Other(String),
    /// There are more or fewer elements than a right result has.
    #[error("{found} {what}, where {} expected", super::words::was(*expected))]
    Length {
        /// The elements, in the plural.
        what: Cow<'static, str>,
        /// How many a right result has.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// A matrix has another shape than a right result.
    #[error("{what} of {} x {}, where {} x {} was expected", found[0], found[1], expected[0], expected[1])]
    Shape {
        /// The matrix, with its article.
        what: &'static str,
        /// Numbers of rows and columns of a right result.
        expected: [usize; 2],
        /// Numbers of rows and columns of the matrix.
        found: [usize; 2],
    },
    /// One of several elements is wrong.
    #[error("{what} {index} {fault}")]
    Element {
        /// The kind of element, in the singular.
        what: &'static str,
        /// Its number, as the text has it.
        index: u64,
        /// What is wrong with it, a verb.
        fault: Cow<'static, str>,
    },
}

impl Wrong {
    /// Refuses another number of elements, `what` in the plural, than a right result has, with [`Error::Check`].
    pub fn expect_length(what: impl Into<Cow<'static, str>>, expected: usize, found: usize) -> Result<()> {
        Wrong::unless(found == expected, Wrong::Length { what: what.into(), expected, found })
    }

    /// Refuses a matrix, `what` with its article, of another shape than a right result, with [`Error::Check`].
    pub fn expect_shape(what: &'static str, expected: (usize, usize), found: (usize, usize)) -> Result<()> {
        let (is_right, expected, found) = (found == expected, expected.into(), found.into());
        Wrong::unless(is_right, Wrong::Shape { what, expected, found })
    }

    /// Refuses a result of which an element, `what` in the singular, was found wrong, with [`Error::Check`]. The fault is a verb.
    pub fn none(
        what: &'static str,
        found: Option<impl TryInto<u64>>,
        fault: impl Into<Cow<'static, str>>,
    ) -> Result<()> {
        found.map_or(Ok(()), |index| Err(Error::Check(Wrong::at(what, index, fault))))
    }

    /// Refuses a result, with this text, unless it is right, with [`Error::Check`].
    pub fn unless(is_right: bool, text: impl Into<Self>) -> Result<()> {
        if is_right { Ok(()) } else { Err(Error::Check(text.into())) }
    }

    /// What is wrong with one element, `what` in the singular, of several: a verb.
    pub fn at(what: &'static str, index: impl TryInto<u64>, fault: impl Into<Cow<'static, str>>) -> Self {
        Wrong::Element { what, index: index.try_into().unwrap_or(u64::MAX), fault: fault.into() }
    }
}

impl From<String> for Wrong {
    fn from(text: String) -> Self {
        Wrong::Other(text)
    }
}

impl From<&str> for Wrong {
    fn from(text: &str) -> Self {
        Wrong::Other(text.to_owned())
    }
}
