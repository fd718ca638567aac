//! Many clients at a time: no proof is lost, none is wrong.
//!
//! `WGALOIS_LOAD=PROOFS:LOG2:CLIENTS:DEVICE` asks for another load than that of the tests, such as 1000:12:16:gpu, and prints its times.

use crate::common::Folder;
use crate::server::{Bn, Server, write_circuit};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

#[test]
fn many_clients_get_a_right_proof_each() {
    match std::env::var("WGALOIS_LOAD") {
        Ok(load) => {
            let [proofs, log2, clients, device] = load.split(':').collect::<Vec<_>>()[..] else {
                panic!("WGALOIS_LOAD=PROOFS:LOG2:CLIENTS:DEVICE");
            };
            let number = |text: &str| text.parse().unwrap();
            bear(number(proofs), number(log2) as u32, number(clients), device);
        }
        Err(_) => {
            bear(200, 8, 16, "cpu");
            bear(40, 8, 16, "gpu");
        }
    }
}

fn bear(proofs: usize, log2: u32, clients: usize, device: &str) {
    let folder = Folder::new();
    // Two public values and the constant have rows, too: this is the largest circuit of the domain.
    let (key, witness) = write_circuit::<Bn>(&folder, "circuit", (1 << log2) - 3);
    assert_eq!(key.domain.log2(), log2);
    let server = Server::start(&folder, &format!("circuit.zkey --device {device} --timeout 600"));
    let bytes = folder.read("circuit.wtns");
    let next = AtomicUsize::new(0);
    let begin = Instant::now();
    let client = || {
        let mut times = Vec::new();
        while next.fetch_add(1, Ordering::Relaxed) < proofs {
            let begin = Instant::now();
            let answer = server.prove("circuit", &bytes);
            times.push((begin.elapsed(), answer));
        }
        times
    };
    let answers: Vec<_> = std::thread::scope(|scope| {
        let clients: Vec<_> = (0..clients).map(|_| scope.spawn(client)).collect();
        clients.into_iter().flat_map(|client| client.join().unwrap()).collect()
    });
    let all = begin.elapsed();
    assert_eq!(answers.len(), proofs);
    answers.iter().for_each(|(_, answer)| answer.proves::<Bn>(&key, &witness));
    assert_eq!(server.metric("wgalois_requests_total{key=\"circuit\",outcome=\"proved\"}"), proofs as f64);
    let mut times: Vec<Duration> = answers.iter().map(|(time, _)| *time).collect();
    times.sort();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    let device_seconds = server.metric("wgalois_proving_seconds_sum");
    println!(
        "{proofs} proofs at 2^{log2}, {clients} clients, {device}: {all:.2?}, {:.1} a second; of a client {:.2?} (half), {:.2?} (of 100, 99), {:.2?} (all); of the device {device_seconds:.2} s",
        proofs as f64 / all.as_secs_f64(),
        at(0.5),
        at(0.99),
        at(1.0),
    );
}
