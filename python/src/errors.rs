//! Errors as Python exceptions with the same words.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use wgalois::Error;

use crate::device;

/// The words of an error without the advice that names an option of the program, which functions of Python lack: a clause
/// after a semicolon, or in parentheses.
fn without_options(message: &str) -> String {
    let mut words = message.to_owned();
    for (begin, end) in [("; --", ';'), (" (--", ')')] {
        while let Some(from) = words.find(begin) {
            let length = words[from + 1..].find(end).map_or(words.len() - from, |at| at + 1);
            let length = if end == ')' { (length + 1).min(words.len() - from) } else { length };
            words.replace_range(from..from + length, "");
        }
    }
    words
}

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
    let words = without_options(&error.to_string());
    let make = || py.import("wgalois.errors")?.getattr(class)?.call1((&words,));
    match make() {
        Ok(value) => PyErr::from_value(value),
        Err(_) => PyRuntimeError::new_err(words),
    }
}

/// The result with its error as an exception.
pub fn raised<T>(py: Python<'_>, result: wgalois::Result<T>) -> PyResult<T> {
    result.map_err(|error| exception(py, &error))
}
