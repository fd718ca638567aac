//! Faults of files.

use std::borrow::Cow;

/// What is wrong at a place of a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, serde::Serialize)]
#[non_exhaustive]
pub enum Fault {
    /// The file violates its format, in a way that no other variant describes.
    #[error("{0}")]
    Other(String),
    /// The file ends too early.
    #[error("the file ends within {0}")]
    Truncated(Cow<'static, str>),
    /// There are more or fewer elements than the caller or the file itself says.
    #[error("{found} {what}, where {} expected", super::words::was(*expected))]
    WrongCount {
        /// The elements, in the plural.
        what: Cow<'static, str>,
        /// How many there should be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// There are more elements than are allowed.
    #[error("{count} {what}: at most {most} are allowed")]
    TooMany {
        /// The elements, in the plural.
        what: &'static str,
        /// How many there are.
        count: u64,
        /// How many are allowed.
        most: u64,
    },
    /// A text is not what must stand there.
    #[error("expected {expected}, found {found}")]
    Unexpected {
        /// What must stand there.
        expected: Cow<'static, str>,
        /// The text, quoted.
        found: String,
    },
    /// A number is out of its range.
    #[error("{value} is not from {least} to {most}")]
    OutOfRange {
        /// The number as the file has it.
        value: String,
        /// The least number that is possible.
        least: Cow<'static, str>,
        /// The largest one.
        most: Cow<'static, str>,
    },
    /// A residue is not below its modulus.
    #[error("{value} is not from 0 to {}; --wrap reduces it modulo {modulus}", modulus - 1)]
    NotReduced {
        /// The number as the file has it.
        value: String,
        /// The modulus.
        modulus: u32,
    },
    /// A field element is not below the order of its field.
    #[error("{what} is not below {bound}")]
    NotBelow {
        /// The element.
        what: Cow<'static, str>,
        /// The name of the order.
        bound: &'static str,
    },
    /// A point is not on the curve.
    #[error("not on {curve}")]
    NotOnCurve {
        /// The name of the curve.
        curve: &'static str,
    },
    /// A point is at infinity, and must not be.
    #[error("at infinity")]
    AtInfinity,
    /// A point is on the curve, but not in the subgroup of prime order.
    #[error("on the curve, but not in the subgroup of order r")]
    OutsideSubgroup,
    /// A fault of one element of many.
    #[error("{what} {index}: {fault}")]
    In {
        /// The kind of element, in the singular.
        what: &'static str,
        /// The element, from 0.
        index: usize,
        /// Its fault.
        fault: Box<Fault>,
    },
    /// A fault of a part of the file that has a name.
    #[error("{part}: {fault}")]
    Of {
        /// The part.
        part: String,
        /// Its fault.
        fault: Box<Fault>,
    },
}

impl Fault {
    /// Refuses another number of elements, `what` in the plural, than expected.
    pub fn expect_count(
        what: impl Into<Cow<'static, str>>,
        expected: usize,
        found: usize,
    ) -> Result<(), Fault> {
        match found == expected {
            true => Ok(()),
            false => Err(Fault::WrongCount { what: what.into(), expected, found }),
        }
    }

    /// Returns this fault as that of one element, `what` in the singular, of many.
    #[must_use]
    pub fn within(self, what: &'static str, index: usize) -> Self {
        Fault::In { what, index, fault: Box::new(self) }
    }

    /// Returns this fault as that of a part of the file.
    #[must_use]
    pub fn of(self, part: impl Into<String>) -> Self {
        Fault::Of { part: part.into(), fault: Box::new(self) }
    }
}

impl From<String> for Fault {
    fn from(text: String) -> Self {
        Fault::Other(text)
    }
}

impl From<&str> for Fault {
    fn from(text: &str) -> Self {
        Fault::Other(text.to_owned())
    }
}
