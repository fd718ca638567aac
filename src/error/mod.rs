//! The one error type. Nothing in the crate panics on input, device or file.

mod place;
mod shortage;

pub use place::{Place, Position};
pub use shortage::{Shortage, Side};

use std::path::PathBuf;

/// Every failure of this crate, each with the exit code that the command line gives it.
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
    /// The call asks for something that does not exist or contradicts itself (exit code 2).
    #[error("{0}")]
    Usage(String),
    /// The data are not what the task needs: a value out of range, a modulus that is no
    /// prime, a length without a root of unity (exit code 3).
    #[error("{0}")]
    Input(String),
    /// A file holds something else than its format promises (exit code 3).
    #[error("{place}: {message}")]
    Format {
        /// The file, and where in it.
        place: Place,
        /// The fault, and what was expected.
        message: String,
    },
    /// No adapter answers the selection, or the processor lacks the instructions that were asked
    /// for (exit code 4).
    #[error("no such device: {0}")]
    NoDevice(String),
    /// The device stopped answering (exit code 5).
    #[error("device lost: {0}")]
    DeviceLost(String),
    /// The device, the host or the caller's limit holds less memory than the task needs
    /// (exit code 5).
    #[error("out of memory: {0}")]
    OutOfMemory(Shortage),
    /// The driver refused or failed a call; a defect here or in the driver (exit code 5).
    #[error("device error: {0}")]
    Device(String),
    /// A shader does not compile; names the file and line under `shaders/` (exit code 5).
    #[error("shader error: {0}")]
    Shader(String),
    /// A file cannot be read or written (exit code 6).
    #[error("{}: {source}", crate::io::text::name(path))]
    File {
        /// The file as the caller named it; `-` is standard input or output.
        path: PathBuf,
        /// The operating system's word.
        source: std::io::Error,
    },
}

/// Shorthand for results of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// The process exit code that stands for this error.
    pub fn exit_code(&self) -> u8 {
        match self {
            Error::Check(_) => 1,
            Error::Usage(_) => 2,
            Error::Input(_) | Error::Format { .. } => 3,
            Error::NoDevice(_) => 4,
            Error::DeviceLost(_) | Error::OutOfMemory(_) | Error::Device(_) | Error::Shader(_) => 5,
            Error::File { .. } => 6,
        }
    }

    /// An error about a file that cannot be read or written.
    pub fn file(path: impl Into<PathBuf>, source: std::io::Error) -> Self {
        Error::File { path: path.into(), source }
    }
}
