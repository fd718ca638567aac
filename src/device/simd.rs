//! The vector instructions of the host, chosen at run time.

use std::fmt;
use std::str::FromStr;

use crate::{Error, Result};

/// A set of vector instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Simd {
    /// 64-bit registers.
    Scalar,
    /// 128 bits, x86-64.
    Sse2,
    /// 256 bits, x86-64.
    Avx2,
    /// 512 bits, x86-64.
    Avx512,
    /// 128 bits, AArch64.
    Neon,
}

impl Simd {
    /// All sets, narrowest first.
    pub const ALL: [Simd; 5] = [Simd::Scalar, Simd::Sse2, Simd::Avx2, Simd::Avx512, Simd::Neon];

    /// Returns the widest set that this machine supports.
    pub fn best() -> Self {
        let widest = Self::ALL.into_iter().rev().find(|simd| simd.is_available());
        widest.unwrap_or(Simd::Scalar)
    }

    /// True if this machine supports the set.
    pub fn is_available(self) -> bool {
        match self {
            Simd::Scalar => true,
            #[cfg(target_arch = "x86_64")]
            Simd::Sse2 => true,
            #[cfg(target_arch = "x86_64")]
            Simd::Avx2 => is_x86_feature_detected!("avx2"),
            #[cfg(target_arch = "x86_64")]
            Simd::Avx512 => is_x86_feature_detected!("avx512f"),
            #[cfg(target_arch = "aarch64")]
            Simd::Neon => true,
            _ => false,
        }
    }

    /// Returns `self` if this machine supports the set. Otherwise the error is [`Error::NoDevice`].
    pub fn checked(self) -> Result<Self> {
        match self.is_available() {
            true => Ok(self),
            false => Err(Error::NoDevice(format!("this processor has no {self} instructions"))),
        }
    }
}

impl FromStr for Simd {
    type Err = Error;

    /// Parses the name of a set; `auto` stands for [`Simd::best`].
    fn from_str(name: &str) -> Result<Self> {
        if name == "auto" {
            return Ok(Simd::best());
        }
        Simd::ALL.into_iter().find(|simd| simd.to_string() == name).ok_or_else(|| {
            Error::unknown("instruction set", name, ["auto", "scalar", "sse2", "avx2", "avx512", "neon"])
        })
    }
}

impl fmt::Display for Simd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        serde::Serialize::serialize(self, f)
    }
}
