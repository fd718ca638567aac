//! Proofs, on every engine: the program and the library accept them.

use crate::common::Folder;
use crate::server::{Bls, Bn, JSON, Server, WTNS, json_of, write_circuit};
use serde_json::Value;

#[test]
fn the_cpu_engine_answers_witnesses_by_proofs() {
    both_forms("cpu");
}

#[test]
fn a_gpu_answers_witnesses_by_proofs() {
    both_forms("gpu");
}

fn both_forms(device: &str) {
    let folder = Folder::new();
    let (key, witness) = write_circuit::<Bn>(&folder, "circuit", 20);
    let server = Server::start(&folder, &format!("circuit.zkey --device {device}"));
    let bytes = folder.read("circuit.wtns");
    let answers = [
        server.prove("circuit", &bytes),
        server.post("/prove/circuit", JSON, &json_of(&witness)),
        server.post("/prove/circuit", "Application/JSON; charset=utf-8", &json_of(&witness)),
    ];
    for answer in &answers {
        answer.proves::<Bn>(&key, &witness);
        assert!(answer.head.contains("content-type: application/json"), "{}", answer.head);
    }
    // No two proofs are alike, since r and s are random.
    assert_ne!(answers[0].json()["proof"], answers[1].json()["proof"]);
    // The program writes the same public values, and accepts the proof.
    folder.run("groth16 prove circuit.zkey circuit.wtns --proof own.json --public public.json");
    let public: Value = serde_json::from_slice(&folder.read("public.json")).unwrap();
    assert_eq!(answers[0].json()["publicSignals"], public);
    folder.write("proof.json", answers[0].json()["proof"].to_string());
    folder.run("groth16 verify circuit.json public.json proof.json");
    // The form is that of snarkjs.
    let own: Value = serde_json::from_slice(&folder.read("own.json")).unwrap();
    let names = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&answers[0].json()["proof"]), names(&own));
}

#[test]
fn two_keys_of_two_curves_prove_beside_each_other() {
    let folder = Folder::new();
    let (first, of_first) = write_circuit::<Bn>(&folder, "first", 20);
    let (second, of_second) = write_circuit::<Bls>(&folder, "second", 9);
    let server = Server::start(&folder, "first.zkey second.zkey --batch 2 --no-check");
    let [bytes_of_first, bytes_of_second] = ["first.wtns", "second.wtns"].map(|name| folder.read(name));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| server.prove("first", &bytes_of_first).proves::<Bn>(&first, &of_first));
            scope.spawn(|| server.prove("second", &bytes_of_second).proves::<Bls>(&second, &of_second));
        }
    });
    let keys = server.get("/keys").json();
    let of = |key: usize, field: &str| keys["keys"][key][field].clone();
    assert_eq!([of(0, "name"), of(1, "name")], ["first", "second"]);
    assert_eq!([of(0, "curve"), of(1, "curve")], ["bn254", "bls12-381"]);
    assert_eq!([of(0, "public"), of(1, "public")], [2, 2]);
    assert_eq!(of(0, "variables"), of_first.len());
    let unknown = server.prove("third", &bytes_of_first).refused(404);
    assert_eq!(unknown, "there is no key \"third\": expected first, second");
    // The witness of one key is no witness of the other.
    assert!(server.prove("second", &bytes_of_first).refused(400).contains("another curve"));
}

#[test]
fn counts_and_times_are_those_of_the_requests() {
    let folder = Folder::new();
    let (_, witness) = write_circuit::<Bn>(&folder, "one", 20);
    write_circuit::<Bn>(&folder, "a \"b\"", 5);
    let mut command = crate::server::command(&folder, "groth16 serve one.zkey");
    command.arg("a \"b\".zkey");
    let server = Server::try_start(command).unwrap();
    assert_eq!(server.get("/health").json()["status"], "ready");
    assert_eq!(server.get("/config").json()["queue"], 64);
    let bytes = folder.read("one.wtns");
    for _ in 0..3 {
        assert_eq!(server.prove("one", &bytes).status, 200);
    }
    let mut wrong = witness;
    wrong[4] += ark_bn254::Fr::from(1);
    assert_eq!(server.post("/prove/one", JSON, &json_of(&wrong)).status, 422);
    server.post("/prove/one", WTNS, b"wtns").refused(400);
    let text = server.get("/metrics");
    assert!(text.head.contains("text/plain; version=0.0.4"), "{}", text.head);
    let count = |key: &str, outcome: &str| {
        server.metric(&format!("wgalois_requests_total{{key=\"{key}\",outcome=\"{outcome}\"}}"))
    };
    for (outcome, expected) in [
        ("proved", 3.0),
        ("unsatisfied", 1.0),
        ("malformed", 1.0),
        ("refused", 0.0),
        ("late", 0.0),
        ("failed", 0.0),
        ("cut", 0.0),
    ] {
        assert_eq!(count("one", outcome), expected, "{outcome}");
    }
    let text = String::from_utf8(text.body).unwrap();
    assert!(text.contains(r#"key="a \"b\"",outcome="proved"} 0"#), "{text}");
    assert_eq!(server.metric("wgalois_open_requests"), 0.0);
    // Three proofs were answered; the one that did not hold took its time of the device, too.
    assert_eq!(server.metric("wgalois_request_seconds_count"), 3.0);
    assert_eq!(server.metric("wgalois_proving_seconds_count"), 4.0);
    assert_eq!(server.metric("wgalois_proving_seconds_bucket{le=\"+Inf\"}"), 4.0);
    assert!(server.metric("wgalois_request_seconds_sum") > 0.0);
    // Buckets count all times up to their bounds.
    let lines = text.lines().filter(|line| line.starts_with("wgalois_waiting_seconds_bucket"));
    let counts: Vec<u64> = lines.map(|line| line.rsplit(' ').next().unwrap().parse().unwrap()).collect();
    assert!(counts.len() > 10 && counts.is_sorted() && counts.last() == Some(&4), "{counts:?}");
    // Names of keys are decoded from paths.
    assert_eq!(server.prove("a%20%22b%22", &folder.read("a \"b\".wtns")).status, 200);
    assert_eq!(count("a \\\"b\\\"", "proved"), 1.0);
}
