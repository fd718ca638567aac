//! Answers: proofs, and the errors of the library and of HTTP with their status.

use super::admission::Full;
use super::metrics::Outcome;
use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONNECTION, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderValue, Response, StatusCode};
use serde_json::{Value, json};
use wgalois::Error;

/// Why a request gets no proof.
#[derive(Debug)]
pub enum Refusal {
    /// The library's error.
    Error(Error),
    /// No key has this name.
    UnknownKey { name: String, known: Vec<String> },
    /// The type of the body is not known.
    MediaType(String),
    /// The body is longer than this.
    TooLong { longest: u64 },
    /// The body did not come in time.
    SlowBody,
    /// The body does not end.
    BrokenBody(String),
    /// There is no place; one is expected after so many seconds.
    Full { why: Full, retry_after: u64 },
    /// The proof did not come in time.
    Late { seconds: u64 },
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Refusal::Error(error)
    }
}

impl Refusal {
    /// The status of HTTP, and how the request is counted.
    pub fn status(&self) -> (StatusCode, Outcome) {
        match self {
            Refusal::Error(error) => of_library(error),
            Refusal::UnknownKey { .. } => (StatusCode::NOT_FOUND, Outcome::Malformed),
            Refusal::MediaType(_) => (StatusCode::UNSUPPORTED_MEDIA_TYPE, Outcome::Malformed),
            Refusal::TooLong { .. } => (StatusCode::PAYLOAD_TOO_LARGE, Outcome::Malformed),
            Refusal::BrokenBody(_) => (StatusCode::BAD_REQUEST, Outcome::Malformed),
            Refusal::SlowBody => (StatusCode::REQUEST_TIMEOUT, Outcome::Late),
            Refusal::Full { .. } => (StatusCode::SERVICE_UNAVAILABLE, Outcome::Refused),
            Refusal::Late { .. } => (StatusCode::GATEWAY_TIMEOUT, Outcome::Late),
        }
    }

    /// The message of the answer.
    pub fn message(&self) -> String {
        match self {
            Refusal::Error(error) => error.to_string(),
            Refusal::UnknownKey { name, known } => {
                format!("there is no key {name:?}: expected {}", known.join(", "))
            }
            Refusal::MediaType(found) => format!(
                "the content type is {found:?}, where application/octet-stream (.wtns) or application/json was expected"
            ),
            Refusal::TooLong { longest } => format!("the body is longer than {longest} bytes"),
            Refusal::SlowBody => "the body did not come in time".to_owned(),
            Refusal::BrokenBody(why) => format!("the body cannot be read: {why}"),
            Refusal::Full { why: Full::Busy, .. } => "too many requests are open".to_owned(),
            Refusal::Full { why: Full::Ending, .. } => "the server ends".to_owned(),
            Refusal::Late { seconds } => format!("there was no proof after {seconds} s"),
        }
    }

    /// The answer: the fields `error`, `fault` and `exit_code` are those of the program's `--json`.
    pub fn answer(&self) -> Response<Body> {
        let (status, _) = self.status();
        let mut fields = json!({ "error": self.message() });
        if let Refusal::Error(error) = self {
            fields["fault"] = json!(error);
            fields["exit_code"] = error.exit_code().into();
        }
        let mut answer = json_answer(status, fields.to_string().into_bytes());
        if let Refusal::Full { retry_after, .. } = self {
            answer.headers_mut().insert(RETRY_AFTER, HeaderValue::from(*retry_after));
        }
        // What is left of the body would be read as the next request.
        if matches!(self, Refusal::TooLong { .. } | Refusal::SlowBody | Refusal::BrokenBody(_)) {
            answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        answer
    }
}

/// The status of an error of the library.
fn of_library(error: &Error) -> (StatusCode, Outcome) {
    match (error, error.exit_code()) {
        (Error::Nonsense(_), _) => (StatusCode::INTERNAL_SERVER_ERROR, Outcome::Failed),
        (Error::Check(_), _) => (StatusCode::UNPROCESSABLE_ENTITY, Outcome::Unsatisfied),
        (Error::TooLarge(_), _) => (StatusCode::PAYLOAD_TOO_LARGE, Outcome::Malformed),
        (Error::OutOfMemory(_), _) => (StatusCode::SERVICE_UNAVAILABLE, Outcome::Failed),
        (_, 3) => (StatusCode::BAD_REQUEST, Outcome::Malformed),
        (_, 8) => (StatusCode::GATEWAY_TIMEOUT, Outcome::Late),
        _ => (StatusCode::INTERNAL_SERVER_ERROR, Outcome::Failed),
    }
}

/// A proof and the public values, each as JSON, under the names that snarkjs gives them.
pub fn proof_answer([proof, public]: [Vec<u8>; 2]) -> Response<Body> {
    let text = [b"{\"proof\": ", &proof[..], b", \"publicSignals\": ", &public[..], b"}\n"].concat();
    json_answer(StatusCode::OK, text)
}

/// An answer of JSON. No cache keeps it.
pub fn json_answer(status: StatusCode, text: Vec<u8>) -> Response<Body> {
    typed(status, "application/json", text)
}

/// An answer of fields.
pub fn fields(status: StatusCode, fields: &Value) -> Response<Body> {
    json_answer(status, format!("{fields}\n").into_bytes())
}

/// An answer of some type.
pub fn typed(status: StatusCode, kind: &'static str, text: Vec<u8>) -> Response<Body> {
    let mut answer = Response::new(Body::from(text));
    *answer.status_mut() = status;
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    answer.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer
}
