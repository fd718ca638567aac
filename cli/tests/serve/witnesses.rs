//! Requests that are refused: the messages and codes are those of the program, and the server goes on.

use crate::common::Folder;
use crate::server::{Answer, Bn, JSON, Server, WTNS, json_of, write_circuit};
use std::io::Write;

#[test]
fn malformed_witnesses_have_the_messages_of_the_program() {
    let folder = Folder::new();
    let (key, mut witness) = write_circuit::<Bn>(&folder, "circuit", 20);
    write_circuit::<Bn>(&folder, "other", 21);
    write_circuit::<crate::server::Bls>(&folder, "bls", 20);
    let bytes = folder.read("circuit.wtns");
    folder.write("half.wtns", &bytes[..bytes.len() / 2]);
    folder.write("empty.wtns", b"");
    folder.write("zkey.wtns", &folder.read("circuit.zkey")[..1000]);
    let mut large = bytes.clone();
    let end = large.len();
    large[end - 32..].fill(0xff);
    folder.write("large.wtns", &large);
    let mut wrong = bytes.clone();
    wrong[end - 32] ^= 1;
    folder.write("wrong.wtns", &wrong);
    let server = Server::start(&folder, "circuit.zkey");
    for (name, status) in [
        ("other.wtns", 400),
        ("bls.wtns", 400),
        ("half.wtns", 400),
        ("empty.wtns", 400),
        ("zkey.wtns", 400),
        ("large.wtns", 400),
        ("wrong.wtns", 422),
    ] {
        let answer = server.prove("circuit", &folder.read(name));
        let message = answer.refused(status);
        let code = answer.json()["exit_code"].as_i64().unwrap();
        let said = folder.fail(&format!("groth16 prove circuit.zkey {name}"), code as i32);
        assert_eq!(format!("wgalois: error: {message}\n").replace("witness:", &format!("{name}:")), said);
        assert!(answer.json()["fault"].is_object(), "{name}");
    }
    let json = |text: &str| server.post("/prove/circuit", JSON, text.as_bytes());
    for (text, expected) in [
        ("", "witness: the file is empty"),
        ("[\"1\", \"2\"", "witness:1:9: EOF"),
        ("{\"a\": \"1\"}", "expected a sequence"),
        ("[\"1\", \"2\"]", "2 values of a witness of another circuit, where"),
    ] {
        let answer = json(text);
        assert!(answer.refused(400).contains(expected), "{text}: {:?}", answer.json());
        assert_eq!(answer.json()["exit_code"], 3);
    }
    witness[0] = ark_bn254::Fr::from(2);
    let first = server.post("/prove/circuit", JSON, &json_of(&witness));
    assert_eq!(first.refused(400), "witness: the first value is not 1");
    witness[0] = ark_bn254::Fr::from(1);
    server.post("/prove/circuit", JSON, &json_of(&witness)).proves::<Bn>(&key, &witness);
}

#[test]
fn other_requests_are_refused_as_http_has_it() {
    let folder = Folder::new();
    let (key, witness) = write_circuit::<Bn>(&folder, "circuit", 20);
    let server = Server::start(&folder, "circuit.zkey");
    let bytes = folder.read("circuit.wtns");
    for kind in ["", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"] {
        let message = server.post("/prove/circuit", kind, &bytes).refused(415);
        assert!(message.contains("application/octet-stream"), "{message}");
    }
    server.get("/nothing").refused(404);
    server.get("/prove/circuit").refused(405);
    server.post("/keys", JSON, b"").refused(405);
    // Not HTTP at all, and a head that is too long.
    let mut stream = server.connect();
    stream.write_all(b"\x16\x03\x01\x02\x00 what?\r\n\r\n").unwrap();
    assert_eq!(Answer::read(stream).status, 400);
    let mut stream = server.connect();
    let _ = write!(stream, "GET /health HTTP/1.1\r\nHost: x\r\nX: {}\r\n\r\n", "y".repeat(1 << 20));
    assert_eq!(Answer::read(stream).status, 431);
    server.post("/prove/circuit", WTNS, &bytes).proves::<Bn>(&key, &witness);
}
