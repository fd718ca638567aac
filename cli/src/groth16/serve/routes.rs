//! The paths of the server, and the way of a request from the witness to the proof.

use super::admission::Place;
use super::answers::{Refusal, fields, proof_answer, typed};
use super::body::{self, Form};
use super::key::Data;
use super::metrics::Outcome;
use super::queue::Job;
use super::rapidsnark;
use super::shared::Shared;
use crate::prelude::*;
use axum::Router;
use axum::body::Body;
use axum::extract::{Path as Named, State};
use axum::http::{Response, StatusCode};
use axum::routing::{get, post};
use hyper::Request;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio::task::spawn_blocking;
use tokio::time::timeout_at;

/// The paths.
pub fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/prove/{key}", post(prove))
        .route("/keys", get(keys))
        .route("/health", get(health))
        .route("/metrics", get(metrics))
        .route("/config", get(config))
        .route("/input/{key}", post(rapidsnark::input))
        .route("/status", get(rapidsnark::status))
        .route("/cancel", post(rapidsnark::cancel))
        .route("/start", post(rapidsnark::nothing))
        .route("/stop", post(rapidsnark::nothing))
        .fallback(no_path)
        .method_not_allowed_fallback(no_method)
        .with_state(shared)
}

async fn no_path() -> Response<Body> {
    fields(StatusCode::NOT_FOUND, &json!({ "error": "there is no such path" }))
}

async fn no_method() -> Response<Body> {
    fields(StatusCode::METHOD_NOT_ALLOWED, &json!({ "error": "the path has another method" }))
}

/// A request for a proof: counted when it ends, also if the connection is cut.
pub struct Asked {
    shared: Arc<Shared>,
    /// The key, by its number.
    pub key: usize,
    begin: Instant,
    end: tokio::time::Instant,
    outcome: Outcome,
    _place: Place,
}

impl Drop for Asked {
    fn drop(&mut self) {
        self.shared.metrics.count(self.key, self.outcome);
        if self.outcome == Outcome::Proved {
            self.shared.metrics.answering.add(self.begin.elapsed());
        }
    }
}

impl Asked {
    /// Admits a request by its head, and reads its witness.
    pub async fn admit(
        shared: &Arc<Shared>,
        name: &str,
        request: Request<Body>,
    ) -> Result<(Self, Data), Refusal> {
        let (head, body) = request.into_parts();
        let begin = Instant::now();
        let Some(key) = shared.find(name) else {
            body::discard(&head.headers, body).await;
            let known = shared.circuits.iter().map(|circuit| circuit.name().to_owned()).collect();
            return Err(Refusal::UnknownKey { name: name.to_owned(), known });
        };
        let longest = shared.longest_body(key);
        let admitted = Form::of(&head.headers).and_then(|form| {
            body::check_length(&head.headers, longest)?;
            let refuse = |why| Refusal::Full { why, retry_after: shared.retry_after() };
            Ok((form, shared.admission.admit().map_err(refuse)?))
        });
        let (form, place) = match admitted {
            Ok(admitted) => admitted,
            Err(refusal) => {
                shared.metrics.count(key, refusal.status().1);
                body::discard(&head.headers, body).await;
                return Err(refusal);
            }
        };
        let end = tokio::time::Instant::now() + shared.limits.timeout;
        let (shared, outcome) = (Arc::clone(shared), Outcome::Cut);
        let mut asked = Asked { shared, key, begin, end, outcome, _place: place };
        let read = asked.read(body, form, longest).await;
        let witness = asked.count(read)?;
        Ok((asked, witness))
    }

    async fn read(&self, body: Body, form: Form, longest: u64) -> Result<Data, Refusal> {
        let bytes = body::read(body, longest, self.end).await?;
        let circuit = Arc::clone(&self.shared.circuits[self.key]);
        self.beside(move || circuit.read(&Source::from_bytes(body::NAME, bytes), form)).await
    }

    /// The proof for the witness, checked, with the public values.
    pub async fn prove(mut self, witness: Data) -> Result<[Vec<u8>; 2], Refusal> {
        let proved = self.queue(witness).await;
        if proved.is_ok() {
            self.outcome = Outcome::Proved;
        }
        self.count(proved)
    }

    async fn queue(&self, witness: Data) -> Result<[Vec<u8>; 2], Refusal> {
        let (job, outcome) = Job::new(self.key, witness);
        self.shared.queue.push(job);
        let made = timeout_at(self.end, outcome).await.map_err(|_| self.late())?;
        // A queue that was closed drops the job.
        let (witness, proof) = made.map_err(|_| self.late())?;
        let proof = proof?;
        let circuit = Arc::clone(&self.shared.circuits[self.key]);
        self.beside(move || circuit.answer(&witness, &proof)).await
    }

    /// Runs `work` on a thread that may take long.
    async fn beside<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T, Refusal> {
        let done = timeout_at(self.end, spawn_blocking(work)).await.map_err(|_| self.late())?;
        // A panic ends the process.
        Ok(done.map_err(|error| Error::Device(error.to_string()))??)
    }

    fn late(&self) -> Refusal {
        Refusal::Late { seconds: self.shared.limits.timeout.as_secs() }
    }

    /// Takes the outcome of a refusal.
    fn count<T>(&mut self, result: Result<T, Refusal>) -> Result<T, Refusal> {
        if let Err(refusal) = &result {
            self.outcome = refusal.status().1;
        }
        result
    }
}

async fn prove(
    State(shared): State<Arc<Shared>>,
    Named(name): Named<String>,
    request: Request<Body>,
) -> Response<Body> {
    let proved = async {
        let (asked, witness) = Asked::admit(&shared, &name, request).await?;
        asked.prove(witness).await
    };
    let answer = proved.await.map_or_else(|refusal| refusal.answer(), proof_answer);
    log::info!("POST /prove/{name:?}: {}", answer.status());
    answer
}

async fn keys(State(shared): State<Arc<Shared>>) -> Response<Body> {
    let describe = |key: usize| {
        let mut fields = shared.circuits[key].describe();
        fields["max_body"] = shared.longest_body(key).into();
        fields
    };
    let keys: Vec<_> = (0..shared.circuits.len()).map(describe).collect();
    fields(StatusCode::OK, &json!({ "keys": keys }))
}

async fn health(State(shared): State<Arc<Shared>>) -> Response<Body> {
    let (status, state) = match (shared.admission.is_ending(), shared.is_ready()) {
        (true, _) => (StatusCode::SERVICE_UNAVAILABLE, "ending"),
        (false, false) => (StatusCode::SERVICE_UNAVAILABLE, "device lost"),
        (false, true) => (StatusCode::OK, "ready"),
    };
    let reopened = shared.metrics.reopened.load(Ordering::Relaxed);
    fields(status, &json!({ "status": state, "device_reopened": reopened }))
}

async fn metrics(State(shared): State<Arc<Shared>>) -> Response<Body> {
    let text = shared.metrics.text(&shared);
    typed(StatusCode::OK, "text/plain; version=0.0.4; charset=utf-8", text.into_bytes())
}

async fn config(State(shared): State<Arc<Shared>>) -> Response<Body> {
    let limits = &shared.limits;
    let config = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "queue": limits.queue,
        "timeout": limits.timeout.as_secs(),
        "batch": limits.batch,
        "checked": limits.checks,
    });
    fields(StatusCode::OK, &config)
}
