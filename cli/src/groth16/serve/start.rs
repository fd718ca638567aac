//! The beginning and the end of the server.

use super::proving::Proving;
use super::shared::Shared;
use super::{Serve, keys, listener};
use crate::prelude::*;
use crate::signals;
use std::net::TcpListener;
use std::sync::Arc;

/// Prepares all keys, and serves until a signal asks for the end.
pub fn start(args: &Serve, context: &Context) -> Result<()> {
    let keys = keys::read(args, context)?;
    let Some(shares) = keys::plan(context, &keys)? else { return Ok(()) };
    let listening = |error| Error::file(args.listen.to_string(), error);
    // An address that is taken is found before the keys are prepared.
    let socket = TcpListener::bind(args.listen).map_err(listening)?;
    let provers = keys::prepare(context, &keys, &shares)?;
    drop(shares);
    let circuits: Vec<_> = keys.iter().map(|key| key.circuit()).collect();
    let names: Vec<_> = circuits.iter().map(|circuit| circuit.name().to_owned()).collect();
    let shared = Arc::new(Shared::new(args, circuits));
    let ends = Arc::clone(&shared);
    signals::on_end(move || ends.admission.end());
    let address = socket.local_addr().map_err(listening)?;
    let server = listener::start(socket, Arc::clone(&shared)).map_err(listening)?;
    if !address.ip().is_loopback() {
        context
            .note("there is no encryption and no list of users: whoever reaches the port can use the device");
    }
    context.note(&format!("listening at http://{address}, keys: {}", names.join(", ")));
    Proving { context, keys: &keys, provers: Some(provers), shared: &shared }.run();
    server.join().map_err(|_| Error::Device("the thread of the server has panicked".to_owned()))
}
