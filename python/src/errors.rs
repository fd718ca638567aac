//! Errors as Python exceptions with the same words and data.

use crate::prelude::*;
use pyo3::exceptions::PyRuntimeError;
use serde_json::Value;

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

/// The class of an error in `wgalois.errors`.
fn class_of(error: &Error) -> &'static str {
    match error {
        Error::Of { error, .. } => class_of(error),
        Error::Check(_) => "CheckError",
        Error::Nonsense(_) => "NonsenseError",
        Error::TooLarge(_) => "TooLargeError",
        Error::Format { .. } => "FormatError",
        Error::NoDevice(_) => "NoDeviceError",
        Error::DeviceLost(_) => "DeviceLostError",
        Error::OutOfMemory(_) => "OutOfMemoryError",
        Error::Device(_) => "DeviceError",
        Error::Shader(_) => "ShaderError",
        Error::Stopped(_) => "StoppedError",
        Error::File { .. } => "FileError",
        error if error.exit_code() == 2 => "UsageError",
        error if error.exit_code() == 3 => "InputError",
        _ => "Error",
    }
}

/// The name of an error's variant, and its data in JSON.
fn fault_of(error: &Error) -> Option<(String, String)> {
    if let Error::Of { error, .. } = error {
        return fault_of(error);
    }
    match serde_json::to_value(error).ok()? {
        Value::Object(fields) => {
            let (kind, data) = fields.into_iter().next()?;
            let data = if data.is_object() { data.to_string() } else { "{}".to_owned() };
            Some((kind, data))
        }
        Value::String(kind) => Some((kind, "{}".to_owned())),
        _ => None,
    }
}

/// The exception of an error: the class of its kind in `wgalois.errors`, with its variant and data.
pub fn exception(py: Python<'_>, error: &Error) -> PyErr {
    if matches!(error, Error::DeviceLost(_)) {
        device::forget_lost();
    }
    let words = without_options(&error.to_string());
    let make = || {
        let value = py.import("wgalois.errors")?.getattr(class_of(error))?.call1((&words,))?;
        if let Some((kind, data)) = fault_of(error) {
            value.setattr("kind", kind)?;
            value.setattr("data", py.import("json")?.call_method1("loads", (data,))?)?;
        }
        PyResult::Ok(value)
    };
    match make() {
        Ok(value) => PyErr::from_value(value),
        Err(_) => PyRuntimeError::new_err(words),
    }
}

/// The result with its error as an exception.
pub fn raised<T>(py: Python<'_>, result: wgalois::Result<T>) -> PyResult<T> {
    result.map_err(|error| exception(py, &error))
}
