//! Waiting for what is asynchronous, where that can be done.

use crate::Result;

/// The outcome of `work`, waited for.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn block_on<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    pollster::block_on(work)
}

/// The outcome of `work` where that does not have to wait for the device.
///
/// # Errors
/// Those of `work`; [`Error::Usage`](crate::Error::Usage) where it would have to: a browser
/// delivers nothing to a page that does not return to it.
#[cfg(target_arch = "wasm32")]
pub(crate) fn block_on<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    use std::task::{Context, Poll, Waker};
    match std::pin::pin!(work).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(outcome) => outcome,
        Poll::Pending => Err(crate::Error::Usage(
            "nobody can wait for the device in a browser: await the `_async` form of this call".into(),
        )),
    }
}
