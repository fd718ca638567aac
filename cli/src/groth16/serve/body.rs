//! The bodies of requests: their form, their length, their time.

use super::answers::Refusal;
use axum::body::Body;
use axum::http::HeaderMap;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE, EXPECT};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use std::time::Duration;
use tokio::time::{Instant, timeout, timeout_at};

/// The name of the witness in messages, which have the place of a fault in it.
pub const NAME: &str = "witness";

/// The form of a witness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A file of snarkjs.
    Wtns,
    /// A list of decimal numbers.
    Json,
}

impl Form {
    /// The form that the head of a request states. Others are refused, also those that a page of another site may send without
    /// being asked.
    pub fn of(headers: &HeaderMap) -> Result<Self, Refusal> {
        let found = headers.get(CONTENT_TYPE).map_or(&b""[..], |value| value.as_bytes());
        let kind = found.split(|&byte| byte == b';').next().unwrap_or_default().trim_ascii();
        match kind.to_ascii_lowercase().as_slice() {
            b"application/octet-stream" => Ok(Form::Wtns),
            b"application/json" => Ok(Form::Json),
            _ => Err(Refusal::MediaType(String::from_utf8_lossy(found).into_owned())),
        }
    }
}

/// Refuses a body that is longer than `longest`, if the head states its length.
pub fn check_length(headers: &HeaderMap, longest: u64) -> Result<(), Refusal> {
    let stated = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    match stated.is_some_and(|length| length > longest) {
        true => Err(Refusal::TooLong { longest }),
        false => Ok(()),
    }
}

/// Reads a body of at most `longest` bytes until `end`.
pub async fn read(body: Body, longest: u64, end: Instant) -> Result<Vec<u8>, Refusal> {
    let limited = Limited::new(body, usize::try_from(longest).unwrap_or(usize::MAX));
    match timeout_at(end, limited.collect()).await {
        Err(_) => Err(Refusal::SlowBody),
        Ok(Ok(collected)) => Ok(collected.to_bytes().into()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(Refusal::TooLong { longest }),
        Ok(Err(error)) => Err(Refusal::BrokenBody(error.to_string())),
    }
}

/// Reads the body of a request that is refused, for a short time: a client that does not read before it has written would see a cut
/// connection in place of the answer.
pub async fn discard(headers: &HeaderMap, mut body: Body) {
    const TIME: Duration = Duration::from_secs(1);
    // A client that waits for the consent to its body would take the reading for one.
    if headers.contains_key(EXPECT) {
        return;
    }
    let all = async { while let Some(Ok(_)) = body.frame().await {} };
    // The answer follows in any case.
    let _ = timeout(TIME, all).await;
}
