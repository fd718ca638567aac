//! A device that is lost costs one request, and is opened again.

use crate::common::Folder;
use crate::server::{Bn, Server, command, write_circuit};

#[test]
fn a_lost_device_costs_one_request() {
    let folder = Folder::new();
    let (key, witness) = write_circuit::<Bn>(&folder, "circuit", 20);
    let bytes = folder.read("circuit.wtns");
    // The proofs until the device is lost, each of which is right.
    let until_lost = |server: &Server| {
        let mut proofs = 0;
        loop {
            let answer = server.prove("circuit", &bytes);
            if answer.status != 200 {
                assert!(answer.refused(500).contains("device lost"), "{answer:?}");
                assert_eq!(answer.json()["exit_code"], 5);
                return proofs;
            }
            answer.proves::<Bn>(&key, &witness);
            proofs += 1;
        }
    };
    // The least power of two of submissions in which the key is prepared and some proofs are made. Their number depends a little on when
    // the host waits.
    let mut server = (5..16)
        .find_map(|log| {
            let mut command = command(&folder, "groth16 serve circuit.zkey --device gpu --batch 1");
            command.env("WGALOIS_LOSE_AFTER", (1u64 << log).to_string());
            let server = Server::try_start(command).ok()?;
            (until_lost(&server) > 2).then_some(server)
        })
        .unwrap();
    for loss in 1..4 {
        server.wait_for("wgalois_device_reopened_total", f64::from(loss));
        assert_eq!(server.get("/health").json()["status"], "ready");
        assert!(until_lost(&server) > 0);
    }
    assert_eq!(server.metric("wgalois_requests_total{key=\"circuit\",outcome=\"failed\"}"), 4.0);
    assert!(server.said().contains("the device is opened again"), "{}", server.said());
    server.signal(libc::SIGTERM);
    assert_eq!(server.wait().code(), Some(0));
}
