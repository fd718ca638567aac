//! The error type of the crate. No input, device or file makes the crate panic.

mod place;
pub mod quoting;
mod shortage;

pub use place::{Place, Position};
pub use shortage::{Shortage, Side};

use std::path::PathBuf;

/// An error of this crate. Each variant has its exit code on the command line.
///
/// ```
/// use wgalois::{Error, field::BABY_BEAR, ntt::Transform};
///
/// // No transform has a length that is not a power of two.
/// let error = Transform::new(BABY_BEAR, 1000).unwrap_err();
/// assert!(matches!(error, Error::Input(_)));
/// assert_eq!(error.exit_code(), 3);
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A result failed its verification (exit code 1).
    #[error("check failed: {0}")]
    Check(String),
    /// The device returned values that no correct computation returns, for example more rows than a matrix has
    /// (exit code 1).
    #[error("the device computed nonsense: {0}")]
    Nonsense(String),
    /// The call names something that does not exist, or its arguments contradict each other (exit code 2).
    #[error("{0}")]
    Usage(String),
    /// The input data do not fit the task: a value out of range, a modulus that is not
    /// prime, a length without a root of unity (exit code 3).
    #[error("{0}")]
    Input(String),
    /// An input takes more memory than may be used to read it (exit code 3).
    #[error("{0}")]
    TooLarge(Shortage),
    /// A file violates its format (exit code 3).
    #[error("{place}: {message}")]
    Format {
        /// The file and the position in it.
        place: Place,
        /// The fault, and what was expected.
        message: String,
    },
    /// No adapter matches the selection, or the processor lacks the requested instructions
    /// (exit code 4).
    #[error("no such device: {0}")]
    NoDevice(String),
    /// The device was lost (exit code 5).
    #[error("device lost: {0}")]
    DeviceLost(String),
    /// The task needs more memory than the device or the host has, or than the caller allows
    /// (exit code 5).
    #[error("out of memory: {0}")]
    OutOfMemory(Shortage),
    /// A call to the driver failed; a defect in this crate or in the driver (exit code 5).
    #[error("device error: {0}")]
    Device(String),
    /// A shader does not compile; the message names the file and line under `shaders/` (exit code 5).
    #[error("shader error: {0}")]
    Shader(String),
    /// The caller's limit ended a search before its answer was known (exit code 8; 7 is that of the answer that there
    /// is none).
    #[error("{0}")]
    Stopped(String),
    /// A file cannot be read or written (exit code 6).
    #[error("{}: {source}", quoting::name(path))]
    File {
        /// The file as the caller named it; `-` is standard input or output.
        path: PathBuf,
        /// The error from the operating system.
        source: std::io::Error,
    },
}

/// A result with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// Returns the process exit code for this error.
    pub fn exit_code(&self) -> u8 {
        match self {
            Error::Check(_) | Error::Nonsense(_) => 1,
            Error::Usage(_) => 2,
            Error::Input(_) | Error::TooLarge(_) | Error::Format { .. } => 3,
            Error::NoDevice(_) => 4,
            Error::DeviceLost(_) | Error::OutOfMemory(_) | Error::Device(_) | Error::Shader(_) => 5,
            Error::File { .. } => 6,
            Error::Stopped(_) => 8,
        }
    }

    /// Creates an error for a file that cannot be read or written.
    pub fn file(path: impl Into<PathBuf>, source: std::io::Error) -> Self {
        Error::File { path: path.into(), source }
    }
}

#[cfg(test)]
mod tests {
    use super::Error;

    #[test]
    fn nonsense_of_a_device_is_a_failed_check() {
        let error = Error::Nonsense("a rank of 9 for 8 rows".to_owned());
        assert_eq!(error.exit_code(), 1);
        assert_eq!(error.to_string(), "the device computed nonsense: a rank of 9 for 8 rows");
    }
}
