//! The paths of rapidsnark's server.

use crate::common::Folder;
use crate::server::{Bn, JSON, Server, WTNS, json_of, write_circuit};
use serde_json::Value;
use std::time::Duration;

/// Waits for another state than busy.
fn done(server: &Server) -> Value {
    loop {
        let status = server.get("/status").json();
        if status["status"] != "busy" {
            return status;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn inputs_are_proved_while_the_client_asks_how_it_stands() {
    let folder = Folder::new();
    let (key, witness) = write_circuit::<Bn>(&folder, "circuit", 20);
    let server = Server::start(&folder, "circuit.zkey");
    let bytes = folder.read("circuit.wtns");
    assert_eq!(server.get("/status").json()["status"], "ready");
    for path in ["/start", "/stop", "/cancel"] {
        assert_eq!(server.post(path, JSON, b"").status, 200, "{path}");
    }
    assert_eq!(server.get("/status").json()["status"], "ready");
    assert_eq!(server.post("/input/circuit", WTNS, &bytes).json()["status"], "busy");
    let status = done(&server);
    assert_eq!(status["status"], "success");
    // The proof and the public values are texts.
    folder.write("proof.json", status["proof"].as_str().unwrap());
    folder.write("public.json", status["pubData"].as_str().unwrap());
    folder.run("groth16 verify circuit.json public.json proof.json");
    let public: Vec<String> = serde_json::from_str(status["pubData"].as_str().unwrap()).unwrap();
    assert_eq!(public.len(), key.public());
    let mut wrong = witness;
    wrong[4] += ark_bn254::Fr::from(1);
    assert_eq!(server.post("/input/circuit", JSON, &json_of(&wrong)).status, 200);
    let status = done(&server);
    assert_eq!(status["status"], "failed");
    assert!(status["error"].as_str().unwrap().contains("does not satisfy"), "{status}");
    // A witness that cannot be read is refused at once, and changes nothing.
    server.post("/input/circuit", WTNS, b"wtns").refused(400);
    server.post("/input/other", WTNS, &bytes).refused(404);
    assert_eq!(server.get("/status").json(), status);
}

#[test]
fn inputs_are_cancelled_and_replaced() {
    let folder = Folder::new();
    write_circuit::<Bn>(&folder, "circuit", 2000);
    let server = Server::start(&folder, "circuit.zkey --batch 1");
    let bytes = folder.read("circuit.wtns");
    for _ in 0..3 {
        assert_eq!(server.post("/input/circuit", WTNS, &bytes).status, 200);
    }
    assert_eq!(server.post("/cancel", JSON, b"").status, 200);
    // A fast device may have been done before.
    assert!(["aborted", "success"].contains(&done(&server)["status"].as_str().unwrap()));
    server.wait_for("wgalois_open_requests", 0.0);
    for _ in 0..3 {
        assert_eq!(server.post("/input/circuit", WTNS, &bytes).status, 200);
    }
    assert_eq!(done(&server)["status"], "success");
    server.wait_for("wgalois_open_requests", 0.0);
    // The end of the server waits for inputs, too.
    let mut server = server;
    assert_eq!(server.post("/input/circuit", WTNS, &bytes).status, 200);
    server.signal(libc::SIGTERM);
    assert_eq!(server.wait().code(), Some(0));
}
