//! Contiguous arrays of other Python packages, read and written in place.

use crate::prelude::*;
use pyo3::buffer::{Element, PyBuffer};

/// An array that is read. The Python half passes arrays that nothing else writes to while it waits.
pub struct Input<T: Element>(PyBuffer<T>);

/// An array that is written: one that the Python half has just made.
pub struct Output<T: Element>(PyBuffer<T>);

impl<T: Element> Input<T> {
    /// Takes an array. Raises `BufferError` for elements of another type, and `InputError` if it is not contiguous.
    pub fn new(array: &Bound<'_, PyAny>) -> PyResult<Self> {
        let buffer = PyBuffer::get(array)?;
        match buffer.as_slice_ptr() {
            Some(_) => Ok(Input(buffer)),
            None => raised(array.py(), Err(Error::Input("the array must be contiguous".into()))),
        }
    }

    pub fn get(&self) -> &[T] {
        match self.0.as_slice_ptr() {
            // SAFETY: the buffer is contiguous and alive as long as `self`. That nobody writes to it in the
            // meantime is the contract of every Python extension that releases the interpreter's lock.
            Some(slice) => unsafe { slice.as_ref() },
            None => &[],
        }
    }
}

impl<T: Element> Output<T> {
    /// Takes an array. Raises `BufferError` for elements of another type, and `InputError` if it is not contiguous or
    /// not writable.
    pub fn new(array: &Bound<'_, PyAny>) -> PyResult<Self> {
        let buffer = PyBuffer::get(array)?;
        match buffer.as_slice_ptr() {
            Some(_) if !buffer.readonly() => Ok(Output(buffer)),
            _ => raised(array.py(), Err(Error::Input("the array must be contiguous and writable".into()))),
        }
    }

    pub fn get(&mut self) -> &mut [T] {
        match self.0.as_slice_ptr() {
            // SAFETY: the buffer is contiguous, writable and alive as long as `self`, and the Python half made it
            // for this call: there is no other reference to its elements.
            Some(mut slice) => unsafe { slice.as_mut() },
            None => &mut [],
        }
    }
}
