//! The end of the server: what was taken on is finished, nothing else begins.

use crate::common::Folder;
use crate::server::{Answer, Bn, Server, WTNS, head, write_circuit};
use std::io::Write;
use std::net::TcpStream;
use std::os::unix::process::ExitStatusExt;

#[test]
fn a_signal_ends_the_server_after_the_proofs_under_way() {
    let folder = Folder::new();
    let (key, witness) = write_circuit::<Bn>(&folder, "circuit", 2000);
    let bytes = folder.read("circuit.wtns");
    for signal in [libc::SIGTERM, libc::SIGINT] {
        let mut server = Server::start(&folder, "circuit.zkey --batch 1");
        let ask = || {
            let mut stream = server.connect();
            stream.write_all(&head("/prove/circuit", WTNS, bytes.len())).unwrap();
            stream.write_all(&bytes).unwrap();
            stream
        };
        // One whose body is on its way, one that stays idle, and proofs.
        let mut slow = server.connect();
        slow.write_all(&head("/prove/circuit", WTNS, bytes.len())).unwrap();
        slow.write_all(&bytes[..50]).unwrap();
        let idle = server.connect();
        let asked: Vec<_> = (0..5).map(|_| ask()).collect();
        server.wait_for("wgalois_open_requests", 6.0);
        server.signal(signal);
        // New ones are refused: by the system, or with 503.
        while TcpStream::connect(&server.address).is_ok() {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        slow.write_all(&bytes[50..]).unwrap();
        for stream in asked.into_iter().chain([slow]) {
            Answer::read(stream).proves::<Bn>(&key, &witness);
        }
        let status = server.wait();
        assert_eq!(status.code(), Some(0), "{status}: {}", server.said());
        drop(idle);
    }
}

#[test]
fn a_second_signal_ends_the_server_at_once() {
    let folder = Folder::new();
    write_circuit::<Bn>(&folder, "circuit", 20);
    let mut server = Server::start(&folder, "circuit.zkey");
    let mut slow = server.connect();
    slow.write_all(&head("/prove/circuit", WTNS, 1000)).unwrap();
    server.wait_for("wgalois_open_requests", 1.0);
    server.signal(libc::SIGTERM);
    while TcpStream::connect(&server.address).is_ok() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    server.signal(libc::SIGTERM);
    assert_eq!(server.wait().signal(), Some(libc::SIGTERM));
    // Without requests, the first signal suffices.
    let mut server = Server::start(&folder, "circuit.zkey");
    server.signal(libc::SIGTERM);
    assert_eq!(server.wait().code(), Some(0));
}
