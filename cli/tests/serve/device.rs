//! A device that is lost costs one request, and is opened again.

use crate::common::Folder;
use crate::server::{Bn, Server, command, write_circuit};

#[test]
fn a_lost_device_costs_one_request() {
    let folder = Folder::new();
    let (key, witness) = write_circuit::<Bn>(&folder, "circuit", 20);
    let bytes = folder.read("circuit.wtns");
    // The least number of submissions, doubled, with which the key is prepared and some proofs are made.
    let (mut server, proofs) = (4..16)
        .find_map(|log| {
            let mut command = command(&folder, "groth16 serve circuit.zkey --device gpu --batch 1");
            command.env("WGALOIS_LOSE_AFTER", (1u64 << log).to_string());
            let server = Server::try_start(command).ok()?;
            let proofs = (0..1 << log).take_while(|_| server.prove("circuit", &bytes).status == 200).count();
            (proofs > 1).then_some((server, proofs))
        })
        .unwrap();
    // The request that failed is the one that ended the loop; the device was opened again, and is lost again.
    for loss in 1..3 {
        assert_eq!(server.metric("wgalois_device_reopened_total"), f64::from(loss));
        assert_eq!(server.get("/health").json()["status"], "ready");
        for _ in 0..proofs {
            server.prove("circuit", &bytes).proves::<Bn>(&key, &witness);
        }
        let lost = server.prove("circuit", &bytes);
        assert!(lost.refused(500).contains("device lost"), "{lost:?}");
        assert_eq!(lost.json()["exit_code"], 5);
    }
    assert!(server.said().contains("the device is opened again"), "{}", server.said());
    server.signal(libc::SIGTERM);
    assert_eq!(server.wait().code(), Some(0));
}
