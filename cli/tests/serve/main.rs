//! The server of proofs, run as a user runs it, on the CPU engine and on the first GPU.
//!
//!     cargo test -p wgalois-cli --features serve --test serve
#![cfg(unix)]

#[path = "../cli/common/mod.rs"]
mod common;
mod server;

mod device;
mod ending;
mod keys;
mod limits;
mod load;
mod proofs;
mod rapidsnark;
mod witnesses;
