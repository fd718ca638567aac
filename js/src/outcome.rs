//! What calls return to JavaScript.

use std::cell::RefCell;

use js_sys::Function;
use wasm_bindgen::prelude::*;
use wgalois::{Error, Result};

thread_local! {
    /// What is told of a panic.
    static TOLD: RefCell<Option<Function>> = const { RefCell::new(None) };
}

/// Sets the function that is told of a panic, which ends the module. Promises of a module that ended stay open, so that the
/// function has to end them.
#[wasm_bindgen(js_name = onFault)]
pub fn on_fault(tell: Function) {
    TOLD.with(|told| *told.borrow_mut() = Some(tell));
    std::panic::set_hook(Box::new(|fault| {
        // The module ends: nobody is left to hear of a fault of the function.
        TOLD.with_borrow(|told| {
            told.as_ref().map(|tell| tell.call1(&JsValue::NULL, &fault.to_string().into()))
        });
    }));
}

/// The error for JavaScript: a text of JSON with the message and the variant with its data.
pub fn thrown(error: Error) -> JsValue {
    let data = serde_json::to_value(&error).unwrap_or_default();
    serde_json::json!({ "message": error.to_string(), "data": data }).to_string().into()
}

/// Runs work on the device: of a module for WebGPU the value is a promise of the work's value.
#[cfg(feature = "gpu")]
pub fn outcome<T: Into<JsValue>>(
    work: impl Future<Output = Result<T>> + 'static,
) -> Result<JsValue, JsValue> {
    let promise = wasm_bindgen_futures::future_to_promise(async { work.await.map(T::into).map_err(thrown) });
    Ok(promise.into())
}

/// Runs work on the CPU engine, which never waits.
#[cfg(not(feature = "gpu"))]
pub fn outcome<T: Into<JsValue>>(
    work: impl Future<Output = Result<T>> + 'static,
) -> Result<JsValue, JsValue> {
    wgalois::gpu::block_on(work).map(T::into).map_err(thrown)
}
