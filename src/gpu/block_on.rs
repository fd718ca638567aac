//! Blocking on a future, on platforms where a thread may block.

#[cfg(not(target_arch = "wasm32"))]
use std::pin::{Pin, pin};

use crate::Result;

/// Blocks until `work` is done and returns its result.
#[cfg(not(target_arch = "wasm32"))]
pub fn block_on<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    // Behind a pointer, so that the machine code of the work is made once, for those who await it and for those who block.
    let work: Pin<&mut dyn Future<Output = Result<T>>> = pin!(work);
    pollster::block_on(work)
}

/// Returns the result of `work`, which must not have to wait for the device. If it has to wait, the error is
/// [`Error::Usage`](crate::Error::Usage): a browser delivers no events to a page while the page's own code runs.
#[cfg(target_arch = "wasm32")]
pub fn block_on<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    use std::task::{Context, Poll, Waker};
    match std::pin::pin!(work).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(outcome) => outcome,
        Poll::Pending => Err(crate::Error::Usage(
            "nobody can wait for the device in a browser: await the `_async` form of this call".into(),
        )),
    }
}
