//! Tests with the real matrices of the course and stand-ins for the others, if the environment
//! variable WGALOIS_DATA names their folder. They are not part of this repository.

use std::path::{Path, PathBuf};
use std::process::Command;
use wgalois::gf2::{self, F4Matrix, F4Method};
use wgalois::gpu::Options;
use wgalois::{Cpu, Device, Simd};
use wgalois_io::Source;
use wgalois_io::bits::{Limits, lists};

const LIMITS: Limits = Limits { columns: None, sort: false, wrap: false, memory: u64::MAX };

/// The folder of the data. Without it the test prints that it has not run; in continuous integration
/// that is a failure.
fn groebner() -> Option<PathBuf> {
    match std::env::var_os("WGALOIS_DATA") {
        Some(folder) => Some(Path::new(&folder).join("groebner")),
        None => {
            assert!(std::env::var_os("CI").is_none(), "WGALOIS_DATA must name the data in CI");
            eprintln!("NOT RUN: WGALOIS_DATA does not name the folder of the data");
            None
        }
    }
}

fn f4(folder: &Path) -> F4Matrix {
    let read = |name: &str| {
        let source = Source::open(&folder.join(name), u64::MAX).unwrap();
        lists::read(&source, &LIMITS).unwrap()
    };
    F4Matrix::new(read("eliminators.txt"), read("rows.txt"), None).unwrap()
}

fn result(engine: &Device, f4: &F4Matrix, method: F4Method) -> Vec<u8> {
    let mut text = Vec::new();
    let result = gf2::eliminate(engine, &f4.clone().with_method(method)).unwrap();
    lists::write_elimination(&mut text, &result).unwrap();
    text
}

fn sha256(bytes: &[u8]) -> String {
    <sha2::Sha256 as sha2::Digest>::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn cpu(simd: Simd, threads: usize) -> Device {
    Device::Cpu(Cpu { threads, simd, ..Cpu::default() })
}

fn gpu(options: Options) -> Device {
    Device::Gpu(crate::gpu_common::open(options))
}

/// Folder, sha256 of the result of rounds.
const REAL: [(&str, &str); 3] = [
    ("1_130_22_8", "a24d74d92eabd21fb6bdd1ceb5c6f0dc7feb504efc26b9dc9492836299aa9285"),
    ("3_562_170_53", "7f965e27136faa87de3420a947000b157d96bde440cf1710bb57cfe7c1ab0111"),
    ("4_1011_539_263", "9c963d16c5d73e54cf73bee8e3e55267629e8b51aea59865e0c5f22b72c37500"),
];

#[test]
fn real_matrices_on_the_cpu() {
    let Some(groebner) = groebner() else { return };
    for (name, rounds) in REAL {
        let folder = groebner.join(name);
        let (f4, expected) = (f4(&folder), std::fs::read(folder.join("expected.txt")).unwrap());
        for simd in Simd::ALL.into_iter().filter(|simd| simd.is_available()) {
            for method in F4Method::ALL {
                let result = result(&cpu(simd, 2), &f4, method);
                match method {
                    F4Method::Rounds => assert_eq!(sha256(&result), rounds, "{name}, {simd}"),
                    _ => assert!(result == expected, "{name}, {method}, {simd}"),
                }
            }
        }
    }
}

#[test]
fn real_matrices_on_the_gpu() {
    let Some(groebner) = groebner() else { return };
    let engines = [gpu(Options::default()), gpu(Options { checked: true, ..Options::portable() })];
    for (name, rounds) in REAL {
        let folder = groebner.join(name);
        let (f4, expected) = (f4(&folder), std::fs::read(folder.join("expected.txt")).unwrap());
        for engine in &engines {
            for method in [F4Method::Auto, F4Method::Blocked, F4Method::TwoStage] {
                assert!(result(engine, &f4, method) == expected, "{name}, {method}");
            }
            assert_eq!(sha256(&result(engine, &f4, F4Method::Rounds)), rounds, "{name}");
        }
    }
}

/// Case, sha256 of its result.
const STAND_INS: [(u32, &str); 3] = [
    (2, "de8c7d99ea49ec6e70cb6f9643f50ff339b646d975787ea15d48829c251b6060"),
    (6, "69772edeae50c2eed2e41487405c3dd81acb7608e90ae2f8d799e5259635b87c"),
    (7, "18f5162258e873a7d1a3fa34cc1c62228287d3f136c8381d654fdfaf54251751"),
];

/// A stand-in, made by the data's own generator.
fn stand_in(groebner: &Path, case: u32, folder: &Path) -> F4Matrix {
    let generator = groebner.join("generate.py");
    let status = Command::new("python3").arg(generator).arg(case.to_string()).arg(folder).status();
    assert!(status.expect("python3").success());
    f4(folder)
}

#[test]
fn stand_ins() {
    let Some(groebner) = groebner() else { return };
    let gpu = gpu(Options::default());
    for (case, expected) in STAND_INS {
        let folder = tempfile::tempdir().unwrap();
        let f4 = stand_in(&groebner, case, folder.path());
        // Threads that share each addition wait for each other once for every addition: a minute for case 7.
        let is_left_out =
            |method| method == F4Method::Rounds || method == F4Method::XorThreads && f4.columns() > 5000;
        for method in F4Method::ALL.into_iter().filter(|&method| !is_left_out(method)) {
            assert_eq!(sha256(&result(&cpu(Simd::best(), 0), &f4, method)), expected, "{case}, {method}");
        }
        for method in [F4Method::Blocked, F4Method::TwoStage] {
            assert_eq!(sha256(&result(&gpu, &f4, method)), expected, "{case}, {method} on the GPU");
        }
    }
}

#[test]
fn stand_in_8() {
    let Some(groebner) = groebner() else { return };
    let folder = tempfile::tempdir().unwrap();
    let f4 = stand_in(&groebner, 8, folder.path());
    let expected = "2410deee56d90650af2c96cf8d450ca7fa64c239007dbb60fe37fce27f4e6d9b";
    let (cpu, gpu) = (cpu(Simd::best(), 0), gpu(Options::default()));
    for (engine, method) in
        [(&cpu, F4Method::Blocked), (&cpu, F4Method::TwoStage), (&gpu, F4Method::TwoStage)]
    {
        assert_eq!(sha256(&result(engine, &f4, method)), expected, "{method}");
    }
}
