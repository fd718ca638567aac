//! Tests of a driver that runs out of memory. lavapipe allocates device memory from the process, and
//! Linux can limit the address space of the process: allocations then fail as on a full device.
//! SwiftShader allocates in the same way, but its threads do not check their own allocations and
//! sometimes end the process.
#![cfg(target_os = "linux")]

use std::process::{Command, Stdio};
use std::time::Duration;

use crate::common::Folder;
use crate::gpu_common::{open_another, random};
use wgalois::field::BABY_BEAR;
use wgalois::gpu::{Gpu, Options};
use wgalois::ntt::{self, Product};
use wgalois::{Cpu, Device, Error};

const MIB: u64 = 1 << 20;
/// The BabyBear prime.
const P: u32 = BABY_BEAR.value();

/// True if the driver is lavapipe, Mesa's for Vulkan. Its OpenGL on llvmpipe did not return within a minute without memory.
fn is_lavapipe() -> bool {
    let gpu = open_another(Options::default());
    let (name, backend) = (&gpu.adapter().name, gpu.adapter().backend.to_string());
    let found = name.contains("llvmpipe") && backend == "vulkan";
    if !found {
        eprintln!("NOT RUN: the memory of {name} ({backend}) cannot be bounded, that of lavapipe can");
    }
    found
}

/// Returns the field `name` of /proc/`process`/status in bytes.
fn bytes_of(process: u32, name: &str) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let kilobytes = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    kilobytes.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|count| count << 10)
}

/// True in a process that runs only the test `name`. Otherwise runs such a process and checks that the
/// test passes there.
fn is_alone(name: &str) -> bool {
    const ALONE: &str = "WGALOIS_TEST_ALONE";
    if std::env::var_os(ALONE).is_some() {
        return true;
    }
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", &format!("driver_memory::{name}"), "--nocapture"]).env(ALONE, "1");
    let output = command.output().unwrap();
    let text =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
    false
}

/// Limits the address space of this process to `bytes`, or removes the limit.
fn bound(bytes: Option<u64>) {
    let limit = bytes.map_or("unlimited".to_owned(), |bytes| bytes.to_string());
    let process = std::process::id().to_string();
    let status = Command::new("prlimit").args(["--pid", &process, &format!("--as={limit}:")]).status();
    assert!(status.expect("prlimit, of util-linux").success());
}

fn product(device: &Device, factors: &[Vec<u32>; 2]) -> wgalois::Result<Vec<u32>> {
    let [a, b] = factors;
    ntt::multiply(device, &Product::new(BABY_BEAR, a.len(), b.len()), a, b)
}

/// Computes a small product on `gpu` and checks it against the CPU engine.
fn small_job(gpu: &Gpu) {
    let factors = [1, 2].map(|seed| random(BABY_BEAR, 5000, seed));
    let [by_gpu, by_cpu] =
        [Device::Gpu(gpu.clone()), Device::Cpu(Cpu::default())].map(|device| product(&device, &factors));
    assert!(by_gpu.unwrap() == by_cpu.unwrap());
}

#[test]
fn a_driver_without_memory_is_an_error_and_the_device_goes_on() {
    if !is_lavapipe() || !is_alone("a_driver_without_memory_is_an_error_and_the_device_goes_on") {
        return;
    }
    let gpu = open_another(Options::default());
    // This starts the threads of the driver and of this crate, before the limit is set.
    small_job(&gpu);
    let large = [3, 4].map(|seed| random(BABY_BEAR, 1 << 24, seed));
    let has = bytes_of(std::process::id(), "VmSize").unwrap();
    bound(Some(has + 512 * MIB));

    let allocate = || gpu.zeros::<u32>((64 * MIB / 4) as usize);
    let mut held = Vec::new();
    let refused = loop {
        match allocate() {
            Ok(vector) if held.len() < 8 => held.push(vector),
            Ok(_) => panic!("the driver had more memory than the process"),
            Err(refused) => break refused,
        }
    };
    assert!(matches!(refused, Error::OutOfMemory(_)) && refused.exit_code() == 5, "{refused}");
    assert!(refused.to_string().contains("on the device"), "{refused}");
    assert!(held.len() >= 3, "refused at once: {refused}");

    // Now there is room to compile kernels on threads, and for a small job, but not for a large one.
    held.truncate(held.len() - 2);
    gpu.wait().unwrap();
    let refused = product(&Device::Gpu(gpu.clone()), &large).unwrap_err();
    assert!(matches!(refused, Error::OutOfMemory(_)), "{refused}");
    small_job(&gpu);

    drop(held);
    bound(None);
    let expected = product(&Device::Cpu(Cpu::default()), &large).unwrap();
    assert!(product(&Device::Gpu(gpu), &large).unwrap() == expected);
}

/// Returns the peak address space of the program for a job, in bytes.
fn peak(folder: &Folder, job: &str) -> u64 {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wgalois"));
    command.current_dir(folder.path("")).args(job.split_whitespace()).stdout(Stdio::null());
    let mut program = command.spawn().unwrap();
    let mut peak = 0;
    let status = loop {
        peak = bytes_of(program.id(), "VmPeak").unwrap_or(0).max(peak);
        if let Some(status) = program.try_wait().unwrap() {
            break status;
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    assert!(status.success() && peak > 0, "{job}");
    peak
}

#[test]
fn a_program_whose_driver_has_no_memory_leaves_no_file() {
    if !is_lavapipe() {
        return;
    }
    let folder = Folder::new();
    for (name, terms) in [("small", 5000), ("large", 1 << 23)] {
        folder.run(&format!("gen poly --terms {terms} --prime {P} --seed 1 -o {name}.npy"));
    }
    let job = |size: &str, output: &str| {
        format!("polymul {size}.npy {size}.npy --prime {P} --device gpu -o {output}.npy")
    };
    // The first run compiles kernels, on threads whose address space later runs do not take.
    folder.run(&job("small", "expected"));
    // The large factors take 64 MiB of the process, twice that if they are not mapped; on the device they
    // and their product take five times as much. The plan's part of the host, 206 MiB, fits beside the open device.
    // The device or the host runs out first, since address space is taken in pieces of 64 MiB.
    let limit = peak(&folder, &job("small", "expected")) + 430 * MIB;
    let bounded = |job: &str| {
        let program = env!("CARGO_BIN_EXE_wgalois");
        let line = format!("ulimit -v {} && exec {program} {job}", limit >> 10);
        let mut command = Command::new("sh");
        command.current_dir(folder.path("")).args(["-c", &line]).output().unwrap()
    };
    folder.write("old.npy", "before");
    let before = folder.names();
    for output in ["new", "old"] {
        let outcome = bounded(&job("large", output));
        let stderr = String::from_utf8_lossy(&outcome.stderr);
        assert_eq!(outcome.status.code(), Some(5), "{stderr}");
        assert!(stderr.contains("out of memory: on the "), "{stderr}");
        assert!(outcome.stdout.is_empty());
    }
    assert_eq!(folder.names(), before);
    assert_eq!(folder.text("old.npy"), "before");
    // The cause was the size of the job: a small job still works.
    assert!(bounded(&job("small", "new")).status.success());
    assert_eq!(folder.read("new.npy"), folder.read("expected.npy"));
    folder.run(&format!("{} --verify", job("large", "large-product")));
}
