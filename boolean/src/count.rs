//! Numbers of solutions, which may have thousands of digits.

use std::fmt;
use std::str::FromStr;

use dashu_int::UBig;
use dashu_int::ops::BitTest;

use wgalois::{Error, Result};

/// A number of solutions.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Count(UBig);

impl Count {
    /// Returns the number as 64 bits, if it has no more.
    ///
    /// ```
    /// use wgalois_boolean::Count;
    ///
    /// assert_eq!(Count::from(3).to_u64(), Some(3));
    /// assert_eq!(Count::from(3).doubled(100).to_string(), "3802951800684688204490109616128");
    /// ```
    pub fn to_u64(&self) -> Option<u64> {
        u64::try_from(&self.0).ok()
    }

    /// Returns the number in words for messages: by its size, if it has more than 64 bits.
    ///
    /// ```
    /// use wgalois_boolean::Count;
    ///
    /// assert_eq!(Count::from(3).brief(), "3");
    /// assert_eq!(Count::from(3).doubled(100).brief(), "at least 2^101");
    /// ```
    pub fn brief(&self) -> String {
        match self.to_u64() {
            Some(number) => number.to_string(),
            None => format!("at least 2^{}", self.0.bit_len() - 1),
        }
    }

    /// Returns the number times 2^`times`.
    #[must_use]
    pub fn doubled(self, times: usize) -> Self {
        Count(self.0 << times)
    }

    /// Returns the sum of two numbers.
    #[must_use]
    pub fn plus(self, other: Count) -> Self {
        Count(self.0 + other.0)
    }

    /// True for 0.
    pub fn is_zero(&self) -> bool {
        self.0.is_zero()
    }
}

impl FromStr for Count {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = is_number.then(|| text.parse().ok()).flatten();
        number.map(Count).ok_or_else(|| Error::unexpected(text, "a number of solutions, such as 18"))
    }
}

impl From<u64> for Count {
    fn from(number: u64) -> Self {
        Count(number.into())
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
