//! The paths of rapidsnark's server, for one client at a time: `/input/NAME` begins a proof, `/status` tells how it stands, and
//! `/cancel` ends it. A new input takes the place of an older one. `/start` and `/stop` do nothing, as there.
//!
//! The states are ready, busy, success (with `proof` and `pubData`, texts of JSON), failed (with `error`), aborted.

use super::answers::{Refusal, fields};
use super::routes::Asked;
use super::shared::Shared;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{Response, StatusCode};
use hyper::Request;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::task::AbortHandle;

/// The proof that was asked for last.
#[derive(Default)]
pub struct Latest(Mutex<Last>);

#[derive(Default)]
struct Last {
    /// The number of inputs so far.
    number: u64,
    state: Stage,
    /// Ends the proof that is under way.
    task: Option<AbortHandle>,
}

#[derive(Default)]
enum Stage {
    #[default]
    Ready,
    Busy,
    Success([Vec<u8>; 2]),
    Failed(Refusal),
    Aborted,
}

impl Latest {
    fn lock(&self) -> MutexGuard<'_, Last> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a proof, in place of the one before.
    fn begin(&self) -> u64 {
        let mut latest = self.lock();
        if let Some(task) = latest.task.take() {
            task.abort();
        }
        latest.number += 1;
        latest.state = Stage::Busy;
        latest.number
    }

    /// Notes how a proof ended, unless another took its place.
    fn end(&self, number: u64, state: Stage) {
        let mut latest = self.lock();
        if latest.number == number {
            latest.state = state;
            latest.task = None;
        }
    }
}

pub async fn input(
    State(shared): State<Arc<Shared>>,
    Path(name): Path<String>,
    request: Request<Body>,
) -> Response<Body> {
    let (asked, witness) = match Asked::admit(&shared, &name, request).await {
        Ok(admitted) => admitted,
        Err(refusal) => return refusal.answer(),
    };
    let latest = Arc::clone(&shared.latest);
    let number = latest.begin();
    let task = tokio::spawn(async move {
        let state = match asked.prove(witness).await {
            Ok(answer) => Stage::Success(answer),
            Err(refusal) => Stage::Failed(refusal),
        };
        latest.end(number, state);
    });
    let mut latest = shared.latest.lock();
    if latest.number == number && matches!(latest.state, Stage::Busy) {
        latest.task = Some(task.abort_handle());
    }
    drop(latest);
    fields(StatusCode::OK, &json!({ "status": "busy" }))
}

pub async fn status(State(shared): State<Arc<Shared>>) -> Response<Body> {
    let text = |bytes: &[u8]| Value::from(String::from_utf8_lossy(bytes));
    let state = match &shared.latest.lock().state {
        Stage::Ready => json!({ "status": "ready" }),
        Stage::Busy => json!({ "status": "busy" }),
        Stage::Success([proof, public]) => {
            json!({ "status": "success", "proof": text(proof), "pubData": text(public) })
        }
        Stage::Failed(refusal) => json!({ "status": "failed", "error": refusal.message() }),
        Stage::Aborted => json!({ "status": "aborted" }),
    };
    fields(StatusCode::OK, &state)
}

pub async fn cancel(State(shared): State<Arc<Shared>>) -> Response<Body> {
    let mut latest = shared.latest.lock();
    if let Some(task) = latest.task.take() {
        task.abort();
        latest.number += 1;
        latest.state = Stage::Aborted;
    }
    drop(latest);
    fields(StatusCode::OK, &json!({}))
}

/// What rapidsnark's server answers to `/start` and `/stop`.
pub async fn nothing() -> Response<Body> {
    fields(StatusCode::OK, &json!({}))
}
