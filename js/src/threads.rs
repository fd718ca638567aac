//! The threads of loops: workers with the module's code and its memory.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, PoisonError};

use rayon::{ThreadBuilder, ThreadPoolBuilder};
use wasm_bindgen::prelude::*;
use wgalois::Error;

use crate::outcome::thrown;

/// Threads that no worker runs yet.
static WAITING: Mutex<VecDeque<ThreadBuilder>> = Mutex::new(VecDeque::new());
static ARRIVED: Condvar = Condvar::new();

/// Makes this worker and `count - 1` others, which call [`run_thread`], the threads of all loops. It waits for them, and is called once.
#[wasm_bindgen(js_name = startThreads)]
pub fn start_threads(count: usize) -> Result<(), JsValue> {
    let hand_over = |thread| {
        WAITING.lock().unwrap_or_else(PoisonError::into_inner).push_back(thread);
        ARRIVED.notify_one();
        Ok(())
    };
    let pool = ThreadPoolBuilder::new().num_threads(count).use_current_thread().spawn_handler(hand_over);
    let refused = |error| thrown(Error::OutOfMemory(format!("cannot start {count} threads: {error}").into()));
    pool.build_global().map_err(refused)
}

/// Runs a thread of loops, without an end.
#[wasm_bindgen(js_name = runThread)]
pub fn run_thread() {
    let waiting = WAITING.lock().unwrap_or_else(PoisonError::into_inner);
    let waiting = ARRIVED.wait_while(waiting, |waiting| waiting.is_empty());
    let thread = waiting.unwrap_or_else(PoisonError::into_inner).pop_front();
    // The lock is not held any more.
    if let Some(thread) = thread {
        thread.run();
    }
}
