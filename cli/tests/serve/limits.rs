//! Limits of number, length and time, and connections that are cut: each costs one request.

use crate::common::Folder;
use crate::server::{Answer, Bn, JSON, Server, WTNS, head, json_of, write_circuit};
use std::io::Write;
use std::net::Shutdown;
use std::time::{Duration, Instant};

#[test]
fn a_full_queue_refuses_and_says_when_to_come_again() {
    let folder = Folder::new();
    let (key, witness) = write_circuit::<Bn>(&folder, "circuit", 20);
    let server = Server::start(&folder, "circuit.zkey --queue 1");
    let bytes = folder.read("circuit.wtns");
    // A client that is slow takes the only place.
    let mut slow = server.connect();
    slow.write_all(&head("/prove/circuit", WTNS, bytes.len())).unwrap();
    slow.write_all(&bytes[..50]).unwrap();
    server.wait_for("wgalois_open_requests", 1.0);
    for _ in 0..3 {
        let refused = server.prove("circuit", &bytes);
        assert_eq!(refused.refused(503), "too many requests are open");
        assert!(refused.head.contains("retry-after: 1"), "{}", refused.head);
    }
    // What needs no place is answered.
    assert_eq!(server.get("/health").status, 200);
    slow.write_all(&bytes[50..]).unwrap();
    Answer::read(slow).proves::<Bn>(&key, &witness);
    server.prove("circuit", &bytes).proves::<Bn>(&key, &witness);
    assert_eq!(server.metric("wgalois_requests_total{key=\"circuit\",outcome=\"refused\"}"), 3.0);
}

#[test]
fn bodies_are_as_long_as_witnesses_can_be() {
    let folder = Folder::new();
    let (key, witness) = write_circuit::<Bn>(&folder, "circuit", 20);
    let bytes = folder.read("circuit.wtns");
    let server = Server::start(&folder, "circuit.zkey");
    let longest = server.get("/keys").json()["keys"][0]["max_body"].as_u64().unwrap() as usize;
    let mut spaced = json_of(&witness);
    assert!(spaced.len() <= longest);
    spaced.resize(longest, b' ');
    server.post("/prove/circuit", JSON, &spaced).proves::<Bn>(&key, &witness);
    spaced.push(b' ');
    let too_long = server.post("/prove/circuit", JSON, &spaced);
    assert_eq!(too_long.refused(413), format!("the body is longer than {longest} bytes"));
    drop(server);
    // The user's own limit, also for a body whose length the head does not state.
    let limit = bytes.len();
    let server = Server::start(&folder, &format!("circuit.zkey --max-body {limit}"));
    server.prove("circuit", &bytes).proves::<Bn>(&key, &witness);
    server.post("/prove/circuit", JSON, &spaced).refused(413);
    let chunked = |body: &[u8]| {
        let mut stream = server.connect();
        let head = format!(
            "POST /prove/circuit HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: {WTNS}\r\nTransfer-Encoding: chunked\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).unwrap();
        for chunk in body.chunks(100) {
            let _ = write!(stream, "{:x}\r\n", chunk.len());
            let _ = stream.write_all(&[chunk, b"\r\n"].concat());
        }
        let _ = stream.write_all(b"0\r\n\r\n");
        Answer::read(stream)
    };
    chunked(&bytes).proves::<Bn>(&key, &witness);
    chunked(&[&bytes[..], b"x"].concat()).refused(413);
    // A body that is endless costs no memory, and ends.
    let mut stream = server.connect();
    stream.write_all(&head("/prove/circuit", WTNS, 1 << 40)).unwrap();
    assert_eq!(Answer::read(stream).status, 413);
}

#[test]
fn bodies_and_proofs_have_their_time() {
    let folder = Folder::new();
    let (key, witness) = write_circuit::<Bn>(&folder, "circuit", 200);
    let server = Server::start(&folder, "circuit.zkey --timeout 2 --queue 4k --batch 1");
    let bytes = folder.read("circuit.wtns");
    let begin = Instant::now();
    let mut slow = server.connect();
    slow.write_all(&head("/prove/circuit", WTNS, bytes.len())).unwrap();
    slow.write_all(&bytes[..50]).unwrap();
    assert_eq!(Answer::read(slow).refused(408), "the body did not come in time");
    assert!(begin.elapsed() >= Duration::from_secs(2));
    // More proofs at a time than the device makes in that time.
    for count in [16usize, 64, 256, 1000] {
        let ask = || server.prove("circuit", &bytes);
        let answers: Vec<Answer> = std::thread::scope(|scope| {
            let asked: Vec<_> = (0..count).map(|_| scope.spawn(ask)).collect();
            asked.into_iter().map(|asked| asked.join().unwrap()).collect()
        });
        let (made, late): (Vec<_>, Vec<_>) = answers.iter().partition(|answer| answer.status == 200);
        made.into_iter().for_each(|answer| answer.proves::<Bn>(&key, &witness));
        for answer in &late {
            assert_eq!(answer.refused(504), "there was no proof after 2 s");
        }
        if !late.is_empty() {
            let counted = server.metric("wgalois_requests_total{key=\"circuit\",outcome=\"late\"}");
            assert_eq!(counted, late.len() as f64 + 1.0);
            // Those that were late are not proved: the queue is soon empty.
            server.wait_for("wgalois_queue_length", 0.0);
            server.prove("circuit", &bytes).proves::<Bn>(&key, &witness);
            return;
        }
    }
    panic!("1000 proofs at a time were made in two seconds");
}

#[test]
fn connections_that_are_cut_cost_one_request() {
    let folder = Folder::new();
    let (key, witness) = write_circuit::<Bn>(&folder, "circuit", 2000);
    let server = Server::start(&folder, "circuit.zkey --batch 1");
    let bytes = folder.read("circuit.wtns");
    let cut = "wgalois_requests_total{key=\"circuit\",outcome=\"cut\"}";
    // In the head, which is no request yet; in the body; while the proof is made.
    drop(server.connect());
    let mut stream = server.connect();
    stream.write_all(b"POST /prove/circuit HTTP/1.1\r\nHost: x\r\nContent-").unwrap();
    drop(stream);
    let mut stream = server.connect();
    stream.write_all(&head("/prove/circuit", WTNS, bytes.len())).unwrap();
    stream.write_all(&bytes[..50]).unwrap();
    server.wait_for("wgalois_open_requests", 1.0);
    stream.shutdown(Shutdown::Both).unwrap();
    server.wait_for("wgalois_open_requests", 0.0);
    let failed =
        server.metric(cut) + server.metric("wgalois_requests_total{key=\"circuit\",outcome=\"malformed\"}");
    assert_eq!(failed, 1.0);
    // Of 20 that ask at once and go, most are not proved at all.
    let before = server.metric(cut);
    let streams: Vec<_> = (0..20)
        .map(|_| {
            let mut stream = server.connect();
            stream.write_all(&head("/prove/circuit", WTNS, bytes.len())).unwrap();
            stream.write_all(&bytes).unwrap();
            stream
        })
        .collect();
    drop(streams);
    server.wait_for("wgalois_open_requests", 0.0);
    let made = server.metric("wgalois_requests_total{key=\"circuit\",outcome=\"proved\"}");
    assert_eq!(server.metric(cut) - before + made, 20.0);
    server.prove("circuit", &bytes).proves::<Bn>(&key, &witness);
    assert!(server.metric("wgalois_proving_seconds_count") < 20.0);
}
