//! Connections: their number, their end.

use super::routes;
use super::shared::Shared;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use std::io;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Builder;
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

/// The most connections at a time. Further ones wait until one is closed.
const CONNECTIONS: usize = 1024;

/// The most seconds until the head of a request is there.
const HEAD: Duration = Duration::from_secs(30);

/// The longest head in bytes.
const LONGEST_HEAD: usize = 64 << 10;

/// The seconds after a failure to accept a connection, such as for want of descriptors.
const PAUSE: Duration = Duration::from_millis(100);

/// What answers get besides --timeout once the server ends.
const GRACE: Duration = Duration::from_secs(2);

/// Serves on a thread of its own, until the server ends and all open requests are answered; then it closes the queue.
pub fn start(socket: std::net::TcpListener, shared: Arc<Shared>) -> io::Result<JoinHandle<()>> {
    socket.set_nonblocking(true)?;
    // They move bytes; witnesses are read and proofs are checked by the blocking ones.
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let runtime =
        Builder::new_multi_thread().worker_threads(2).max_blocking_threads(threads).enable_all().build()?;
    thread::Builder::new().name("listener".to_owned()).spawn(move || {
        let served = runtime.block_on(serve(socket, Arc::clone(&shared)));
        if let Err(error) = served {
            log::error!("the listener has ended: {error}");
            shared.admission.end();
        }
        shared.queue.close();
        runtime.shutdown_background();
    })
}

async fn serve(socket: std::net::TcpListener, shared: Arc<Shared>) -> io::Result<()> {
    let socket = TcpListener::from_std(socket)?;
    let graceful = Arc::new(GracefulShutdown::new());
    let accepting = tokio::spawn(accept(socket, Arc::clone(&shared), Arc::clone(&graceful)));
    shared.admission.ended().await;
    accepting.abort();
    // The task gives back its share of `graceful`.
    let _ = accepting.await;
    if let Some(graceful) = Arc::into_inner(graceful) {
        let most = shared.limits.timeout.saturating_add(GRACE);
        if timeout(most, graceful.shutdown()).await.is_err() {
            log::warn!("connections are cut that did not end");
        }
    }
    // Answers of /input have no connection.
    while shared.admission.taken() > 0 {
        sleep(Duration::from_millis(10)).await;
    }
    Ok(())
}

/// Accepts connections, each served by a task of its own.
async fn accept(socket: TcpListener, shared: Arc<Shared>, graceful: Arc<GracefulShutdown>) {
    let router = routes::router(shared);
    let slots = Arc::new(Semaphore::new(CONNECTIONS));
    while let Ok(slot) = Arc::clone(&slots).acquire_owned().await {
        let stream = match socket.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                log::warn!("a connection cannot be accepted: {error}");
                sleep(PAUSE).await;
                continue;
            }
        };
        let connection = connection(stream, TowerToHyperService::new(router.clone()));
        let watched = graceful.watch(connection);
        tokio::spawn(async move {
            if let Err(error) = watched.await {
                log::debug!("a connection ends: {error}");
            }
            drop(slot);
        });
    }
}

/// A connection with its limits.
fn connection(
    stream: TcpStream,
    service: TowerToHyperService<axum::Router>,
) -> http1::Connection<TokioIo<TcpStream>, TowerToHyperService<axum::Router>> {
    // Answers are short, and go out at once.
    if let Err(error) = stream.set_nodelay(true) {
        log::debug!("no TCP_NODELAY: {error}");
    }
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD).max_buf_size(LONGEST_HEAD);
    http.serve_connection(TokioIo::new(stream), service)
}
