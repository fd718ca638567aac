//! `wgalois groth16 serve`: a server that keeps keys on a device, and answers a witness by a proof.
//!
//! ```text
//! threads of tokio                                            main thread, with the device
//! listener   connections, their number, the graceful end
//!    |
//! routes     a place among --queue, the body, its witness ---> queue ---> proving: batches of one key
//!    |                                                                       |
//! answers    the check of the proof, JSON  <---------------------------------+  a lost device: made again
//! metrics    counts and times for Prometheus
//! ```

#[cfg(feature = "serve")]
mod admission;
#[cfg(feature = "serve")]
mod answers;
#[cfg(feature = "serve")]
mod body;
#[cfg(feature = "serve")]
mod histogram;
#[cfg(feature = "serve")]
mod key;
#[cfg(feature = "serve")]
mod keys;
#[cfg(feature = "serve")]
mod listener;
#[cfg(feature = "serve")]
mod metrics;
#[cfg(feature = "serve")]
mod proving;
#[cfg(feature = "serve")]
mod queue;
#[cfg(feature = "serve")]
mod rapidsnark;
#[cfg(feature = "serve")]
mod routes;
#[cfg(feature = "serve")]
mod shared;
#[cfg(feature = "serve")]
mod start;

use super::point_check::CheckOptions;
use crate::bytes::parse_bytes;
use crate::prelude::*;
use std::net::SocketAddr;
use wgalois::msm::Precompute;

const PATHS: &str = "\
Example:
  wgalois groth16 serve circuit.zkey --listen 127.0.0.1:9080
  curl --data-binary @witness.wtns -H 'Content-Type: application/octet-stream' http://127.0.0.1:9080/prove/circuit

Paths:
  POST /prove/NAME  a witness: .wtns (application/octet-stream), or JSON (application/json), a list of decimal numbers in quotation marks
  GET  /keys        the keys, with the sizes of their circuits
  GET  /health      200, or 503 while the server ends or its device is lost
  GET  /metrics     counts and times for Prometheus
  GET  /config      the limits
  POST /input/NAME, GET /status, POST /cancel: as rapidsnark's server has them, for one client at a time, but with the witness in place of \
  the circuit's input; POST /start and POST /stop do nothing, as there";

/// Prove for others: witnesses in, proofs out, as JSON over HTTP
///
/// Keeps the keys on the device, and answers each witness that is posted to /prove/NAME by a proof that was checked. NAME is the name of
/// a key's file without .zkey. The server is a part of the program if that was built with the feature serve, as releases are: cargo
/// install --path cli --features serve.
///
/// There is no encryption and no list of users: whoever reaches the port can use the device. The first SIGINT or SIGTERM ends the server
/// after the proofs that it has taken on, the second at once.
#[derive(clap::Args)]
#[command(after_long_help = PATHS)]
pub struct Serve {
    /// The keys, .zkey
    #[arg(required = true, value_name = "KEY")]
    keys: Vec<PathBuf>,
    /// The address and port to listen at; port 0 takes a free one, which is printed
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:9080")]
    listen: SocketAddr,
    /// The most requests for proofs that are open at a time; others are refused with 503
    #[arg(long, value_name = "N", value_parser = count::<usize>(1..=1 << 16), default_value = "64")]
    queue: usize,
    /// The most seconds from the head of a request to its answer: 408 if the body takes as long, 504 if the proof does
    #[arg(long, value_name = "SECONDS", value_parser = count::<u64>(1..=86400), default_value = "60")]
    timeout: u64,
    /// The longest body, such as 500K or 2G [default: the longest that a witness of the key can be]
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    max_body: Option<u64>,
    /// The most witnesses of one key that are proved together: more proofs in a time, and each is ready later
    #[arg(long, value_name = "N", value_parser = count::<usize>(1..=64), default_value = "8")]
    batch: usize,
    /// Do not check the proofs
    #[arg(long)]
    no_check: bool,
    #[command(flatten)]
    check: CheckOptions,
    /// Take keys for which anybody can forge proofs
    #[arg(long)]
    allow_insecure_key: bool,
    /// The multiples of every point of a key that a GPU stores
    #[arg(long, value_name = "none|halves|doublings:T|windows", default_value_t)]
    precompute: Precompute,
}

impl Run for Serve {
    #[cfg(feature = "serve")]
    fn run(&self, context: &Context) -> Result<()> {
        start::start(self, context)
    }

    #[cfg(not(feature = "serve"))]
    fn run(&self, _: &Context) -> Result<()> {
        Err(Error::needs("groth16 serve", "a program that was built with the feature serve"))
    }

    fn inputs(&self) -> Vec<PathBuf> {
        self.keys.clone()
    }

    fn outputs(&self) -> Outputs {
        Outputs { data: Data::None, ..Outputs::default() }
    }

    fn stays(&self) -> bool {
        true
    }
}
