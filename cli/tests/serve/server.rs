//! A server, its keys, and a client that sees every byte.

use crate::common::Folder;
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};
use wgalois::curve::PairingCurve;
use wgalois_io::Source;
use wgalois_proofs::groth16::{Basis, ProvingKey, Setup, chain};
use wgalois_proofs::snarkjs::{
    read_proof, read_public, write_key, write_public, write_verifying_key, write_witness,
};

pub type Bn = ark_bn254::Bn254;
pub type Bls = ark_bls12_381::Bls12_381;

/// The most seconds that a test waits for anything.
const PATIENCE: Duration = Duration::from_secs(600);

/// Writes a key NAME.zkey with so many constraints, NAME.json to verify, and its witness NAME.wtns.
pub fn write_circuit<E: PairingCurve>(
    folder: &Folder,
    name: &str,
    constraints: usize,
) -> (ProvingKey<E>, Vec<E::Scalar>) {
    let (circuit, witness) = chain::<E::Scalar>(constraints, 1);
    let key = Setup::<E>::random().unwrap().key(&circuit, Basis::OddRoots).unwrap();
    let create = |ending: &str| File::create(folder.path(&format!("{name}.{ending}"))).unwrap();
    write_key(&mut create("zkey"), &key).unwrap();
    write_verifying_key(&mut create("json"), &key.verifying).unwrap();
    write_witness::<E::Scalar>(&mut create("wtns"), &witness).unwrap();
    (key, witness.to_vec())
}

/// A witness as JSON.
pub fn json_of<F: ark_ff::PrimeField>(witness: &[F]) -> Vec<u8> {
    let mut text = Vec::new();
    write_public(&mut text, witness).unwrap();
    text
}

/// A server in a folder. It is killed when the test ends.
pub struct Server {
    child: Child,
    pub address: String,
    lines: Mutex<Receiver<String>>,
    said: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The program with these arguments, on the CPU engine unless they name a device.
pub fn command(folder: &Folder, arguments: &str) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("wgalois"));
    command.current_dir(folder.path(".")).args(arguments.split_whitespace());
    if !arguments.contains("--device") {
        command.args(["--device", "cpu"]);
    }
    if !arguments.contains("--listen") {
        command.args(["--listen", "127.0.0.1:0"]);
    }
    command.env("WGALOIS_SHIPPED_RECORD", "1").env("WGALOIS_CPU_RECORD", "shipped");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    // A background process does not inherit them.
    let default_actions = || {
        for signal in [libc::SIGINT, libc::SIGTERM] {
            // SAFETY: the arguments are valid, and no handler is installed.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
        Ok(())
    };
    // SAFETY: the code between fork and exec only calls a function of the system, which may be called there.
    unsafe { command.pre_exec(default_actions) };
    command
}

impl Server {
    /// Starts a server, and waits until it listens.
    pub fn start(folder: &Folder, arguments: &str) -> Server {
        Self::try_start(command(folder, &format!("groth16 serve {arguments}"))).unwrap()
    }

    /// Starts a server; what it says if it ends instead.
    pub fn try_start(mut command: Command) -> Result<Server, String> {
        let mut child = command.spawn().unwrap();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        let (send, lines) = channel();
        std::thread::spawn(move || stderr.lines().map_while(Result::ok).try_for_each(|line| send.send(line)));
        let mut server =
            Server { child, address: String::new(), lines: Mutex::new(lines), said: String::new() };
        while let Ok(line) = server.lines.get_mut().unwrap().recv_timeout(PATIENCE) {
            server.said += &format!("{line}\n");
            if let Some((_, rest)) = line.split_once("listening at http://") {
                server.address = rest.split(',').next().unwrap().to_owned();
                return Ok(server);
            }
        }
        Err(server.said.clone())
    }

    /// What the server has said so far.
    pub fn said(&mut self) -> String {
        while let Ok(line) = self.lines.get_mut().unwrap().try_recv() {
            self.said += &format!("{line}\n");
        }
        self.said.clone()
    }

    pub fn signal(&self, signal: i32) {
        // SAFETY: the call has no preconditions; the process is a child that was not waited for.
        assert_eq!(unsafe { libc::kill(self.child.id() as i32, signal) }, 0);
    }

    /// Waits for the end of the server.
    pub fn wait(&mut self) -> ExitStatus {
        let begin = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(begin.elapsed() < PATIENCE, "the server does not end: {}", self.said());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    pub fn get(&self, path: &str) -> Answer {
        let mut stream = self.connect();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").unwrap();
        Answer::read(stream)
    }

    pub fn post(&self, path: &str, kind: &str, body: &[u8]) -> Answer {
        let mut stream = self.connect();
        stream.write_all(&head(path, kind, body.len())).unwrap();
        // A server that refuses may close the connection before all is written.
        let _ = stream.write_all(body);
        Answer::read(stream)
    }

    /// Asks for a proof by a witness in snarkjs' form.
    pub fn prove(&self, name: &str, witness: &[u8]) -> Answer {
        self.post(&format!("/prove/{name}"), WTNS, witness)
    }

    /// The value of a line of the metrics.
    pub fn metric(&self, name: &str) -> f64 {
        let text = String::from_utf8(self.get("/metrics").body).unwrap();
        let mut lines = text.lines().filter_map(|line| line.rsplit_once(' '));
        let (_, value) = lines.find(|(own, _)| *own == name).unwrap_or_else(|| panic!("{name}: {text}"));
        value.parse().unwrap()
    }

    /// Waits until a line of the metrics has a value.
    pub fn wait_for(&self, name: &str, value: f64) {
        let begin = Instant::now();
        while self.metric(name) != value {
            assert!(begin.elapsed() < PATIENCE, "{name} is {}, not {value}", self.metric(name));
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

pub const WTNS: &str = "application/octet-stream";
pub const JSON: &str = "application/json";

/// The head of a request that ends its connection.
pub fn head(path: &str, kind: &str, length: usize) -> Vec<u8> {
    format!(
        "POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n"
    )
    .into_bytes()
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn read(mut stream: TcpStream) -> Answer {
        let mut bytes = Vec::new();
        let read = stream.read_to_end(&mut bytes);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (head, _) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{read:?}: {text:?}"));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap();
        let body = bytes[head.len() + 4..].to_vec();
        Answer { status, head: head.to_lowercase(), body }
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The error that must be there, with this status.
    #[track_caller]
    pub fn refused(&self, status: u16) -> String {
        assert_eq!(self.status, status, "{self:?}: {}", String::from_utf8_lossy(&self.body));
        self.json()["error"].as_str().unwrap().to_owned()
    }

    /// Checks the proof by the key and the public values of the witness.
    #[track_caller]
    pub fn proves<E: PairingCurve>(&self, key: &ProvingKey<E>, witness: &[E::Scalar]) {
        assert_eq!(self.status, 200, "{}", String::from_utf8_lossy(&self.body));
        let answer = self.json();
        let source = |field: &str| Source::from_bytes(field, answer[field].to_string());
        let proof = read_proof::<E>(&source("proof"), u64::MAX).unwrap();
        let public = read_public::<E::Scalar>(&source("publicSignals"), u64::MAX).unwrap();
        assert_eq!(public, witness[1..=key.public()]);
        key.verifying.check(&proof, &public).unwrap();
    }
}
