//! A device that is lost costs one request, and is opened again.

use crate::common::Folder;
use crate::server::{Bn, Server, command, write_circuit};

/// Submissions after which the device is lost: more than twice those that prepare the key and make a proof on lavapipe, and few
/// enough for some proofs only. Their number depends a little on when the host waits.
const SUBMISSIONS: &str = "512";

#[test]
fn a_lost_device_costs_one_request() {
    let folder = Folder::new();
    let (key, witness) = write_circuit::<Bn>(&folder, "circuit", 20);
    let bytes = folder.read("circuit.wtns");
    let mut command = command(&folder, "groth16 serve circuit.zkey --device gpu --batch 1");
    command.env("WGALOIS_LOSE_AFTER", SUBMISSIONS);
    let mut server = Server::try_start(command).unwrap();
    // Proofs are right until the device is lost.
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
    // Opening takes most of the time, since lavapipe compiles all kernels anew: twice shows that it is not done once only.
    for loss in 1..=2 {
        assert!(until_lost(&server) > 0);
        server.wait_for("wgalois_device_reopened_total", f64::from(loss));
        assert_eq!(server.get("/health").json()["status"], "ready");
        assert_eq!(
            server.metric("wgalois_requests_total{key=\"circuit\",outcome=\"failed\"}"),
            f64::from(loss)
        );
    }
    // The device that was opened last proves, too.
    server.prove("circuit", &bytes).proves::<Bn>(&key, &witness);
    assert!(server.said().contains("the device is opened again"), "{}", server.said());
    server.signal(libc::SIGTERM);
    assert_eq!(server.wait().code(), Some(0));
}
