//! Errors as Python exceptions with the same words.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use wgalois::Error;

use crate::device;

/// The exception of an error: the class of its kind in `wgalois.errors`.
pub fn exception(py: Python<'_>, error: &Error) -> PyErr {
    if matches!(error, Error::DeviceLost(_)) {
        device::forget_lost();
    }
    let class = match error {
        Error::Check(_) => "CheckError",
        Error::Nonsense(_) => "NonsenseError",
        Error::Usage(_) => "UsageError",
        Error::Input(_) => "InputError",
        Error::TooLarge(_) => "TooLargeError",
        Error::Format { .. } => "FormatError",
        Error::NoDevice(_) => "NoDeviceError",
        Error::DeviceLost(_) => "DeviceLostError",
        Error::OutOfMemory(_) => "OutOfMemoryError",
        Error::Device(_) => "DeviceError",
        Error::Shader(_) => "ShaderError",
        Error::Stopped(_) => "StoppedError",
        Error::File { .. } => "FileError",
        _ => "Error",
    };
    let make = || py.import("wgalois.errors")?.getattr(class)?.call1((error.to_string(),));
    match make() {
        Ok(value) => PyErr::from_value(value),
        Err(_) => PyRuntimeError::new_err(error.to_string()),
    }
}

/// The result with its error as an exception.
pub fn raised<T>(py: Python<'_>, result: wgalois::Result<T>) -> PyResult<T> {
    result.map_err(|error| exception(py, &error))
}
