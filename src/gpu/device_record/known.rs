//! The shipped records: devices that were measured, and estimates from published specifications for the rest.
//!
//! An estimate serves until the device is measured. It takes from the specification the memory's bandwidth and the multiply-adds
//! per second (units times lanes times clock); products are in proportion to multiply-adds, with the instructions that the
//! vendor's own open compiler emits for one product (`benches/notebook/vendors.md`).

use super::{DeviceRecord, Identity, Origin, Products};

/// Instructions of one product of 254 and of 381 bits, with 64-bit integers and without, as a driver of Mesa 25.0 compiles them
/// (`wgalois-vendors counts`).
struct Instructions {
    int64: [f64; 2],
    portable: [f64; 2],
}

/// NVK's for a GTX 1650 Ti, which stand for NVIDIA's own driver.
const NVIDIA: Instructions = Instructions { int64: [591.0, 1180.0], portable: [1506.0, 2954.0] };
/// RADV's issue slots, which are about the same from Vega to RDNA 4.
const AMD: Instructions = Instructions { int64: [1706.0, 3531.0], portable: [1300.0, 2636.0] };
/// ANV's for Alchemist, and for Tiger Lake.
const ARC: Instructions = Instructions { int64: [1859.0, 3716.0], portable: [1860.0, 3766.0] };
const XE: Instructions = Instructions { int64: [1959.0, 3903.0], portable: [2166.0, 4427.0] };
/// Turnip's for an Adreno 730.
const ADRENO: Instructions = Instructions { int64: [4861.0, 10285.0], portable: [2756.0, 5536.0] };

/// What a specification says of a device.
struct Specification {
    name: &'static str,
    /// Bytes per second of its memory.
    bandwidth: f64,
    /// Instructions per second, one for each lane and cycle.
    lanes: f64,
    /// Bytes per second of its link to the host.
    link: f64,
    instructions: Instructions,
}

/// Returns the shipped record of the device that is most like an adapter: by its name, its driver, its kind.
pub(in crate::gpu) fn nearest(adapter: &Identity<'_>) -> DeviceRecord {
    let is = |text: &str| adapter.name.to_ascii_lowercase().contains(text);
    if adapter.kind == "software" {
        return lavapipe();
    }
    if is("h200") || is("h100") {
        return h200();
    }
    let specification = match (adapter.vendor, adapter.kind) {
        _ if is("rtx 3090") => Specification {
            name: "GeForce RTX 3090",
            bandwidth: 936e9,
            // 82 multiprocessors, 64 lanes for integers, 1.695 GHz.
            lanes: 82.0 * 64.0 * 1.695e9,
            link: 12e9,
            instructions: NVIDIA,
        },
        _ if is("gtx 1650") => Specification {
            name: "GeForce GTX 1650 Ti",
            bandwidth: 192e9,
            // 16 multiprocessors, 64 lanes for integers, 1.485 GHz.
            lanes: 16.0 * 64.0 * 1.485e9,
            link: 6e9,
            instructions: NVIDIA,
        },
        ("NVIDIA", _) => Specification {
            name: "a GeForce RTX 2060",
            bandwidth: 336e9,
            lanes: 30.0 * 64.0 * 1.68e9,
            link: 6e9,
            instructions: NVIDIA,
        },
        ("AMD", "discrete") => Specification {
            name: "a Radeon RX 6700 XT",
            bandwidth: 384e9,
            lanes: 40.0 * 64.0 * 2.42e9,
            link: 12e9,
            instructions: AMD,
        },
        ("AMD", _) => Specification {
            name: "a Radeon 680M",
            bandwidth: 77e9,
            lanes: 12.0 * 64.0 * 2.2e9,
            link: 10e9,
            instructions: AMD,
        },
        ("Intel", "discrete") => Specification {
            name: "an Arc A770",
            bandwidth: 512e9,
            lanes: 32.0 * 128.0 * 2.1e9,
            link: 12e9,
            instructions: ARC,
        },
        ("Apple", _) => Specification {
            name: "an Apple M1",
            bandwidth: 68e9,
            lanes: 8.0 * 128.0 * 1.28e9,
            link: 10e9,
            instructions: AMD,
        },
        ("Qualcomm" | "Arm", _) => Specification {
            name: "an Adreno 740",
            bandwidth: 67e9,
            lanes: 6.0 * 128.0 * 0.68e9,
            link: 5e9,
            instructions: ADRENO,
        },
        _ => Specification {
            name: "an Iris Xe",
            bandwidth: 51e9,
            lanes: 96.0 * 8.0 * 1.3e9,
            link: 8e9,
            instructions: XE,
        },
    };
    estimate(&specification, adapter)
}

/// The record that a specification lets expect.
fn estimate(of: &Specification, adapter: &Identity<'_>) -> DeviceRecord {
    let Instructions { int64, portable } = of.instructions;
    // A lane waits for the result of an instruction before it for about four cycles of 0.6 ns.
    let products = |size: usize| Products {
        int64: adapter.int64.then(|| of.lanes / int64[size]),
        portable: of.lanes / portable[size],
        latency: 2.4e-9 * int64[size].min(portable[size]),
    };
    DeviceRecord {
        device: of.name.to_owned(),
        origin: Origin::Estimate,
        // What copies reach of a specified bandwidth, as on an H200.
        copied_bytes: 0.85 * of.bandwidth,
        // A word at a random place costs a sector of 32 bytes.
        gathered_words: 0.85 * of.bandwidth / 32.0,
        // A quarter of the lanes load 16 bytes from workgroup memory in a cycle; half of what an H200 does for each lane.
        lookups: of.lanes / 16.0,
        multiply_adds: of.lanes,
        logic: of.lanes,
        exchange: 60e-9,
        dispatch: 4e-6,
        call: 200e-6,
        upload: of.link,
        download: of.link / 2.0,
        staging: 0.2e-9,
        compile: 60e-3,
        compile_again: 6e-3,
        opening: 250e-3,
        words: Products {
            int64: adapter.int64.then_some(of.lanes / 6.0),
            portable: of.lanes / 16.0,
            latency: 20e-9,
        },
        bits255: Some(products(0)),
        bits381: Some(products(1)),
    }
}

impl DeviceRecord {
    /// The record of an H200, by which tests plan.
    #[doc(hidden)]
    pub fn of_h200() -> Self {
        h200()
    }
}

/// Measured on an NVIDIA H200, Vulkan, driver 580.159 (2026-11-29); the figures of an H100 differ in the memory's bandwidth.
fn h200() -> DeviceRecord {
    DeviceRecord {
        device: "NVIDIA H200".to_owned(),
        origin: Origin::Shipped,
        copied_bytes: 3.84e12,
        gathered_words: 5.01e10,
        lookups: 1.037e12,
        multiply_adds: 1.208e13,
        logic: 2.94e13,
        exchange: 53e-9,
        dispatch: 1.8e-6,
        call: 99e-6,
        upload: 29e9,
        download: 21e9,
        staging: 0.19e-9,
        compile: 54e-3,
        compile_again: 8e-3,
        opening: 158e-3,
        words: Products { int64: Some(2.53e12), portable: 1.72e12, latency: 19.5e-9 },
        bits255: Some(Products { int64: Some(4.88e10), portable: 2.01e10, latency: 0.737e-6 }),
        bits381: Some(Products { int64: Some(2.39e10), portable: 1.055e10, latency: 1.443e-6 }),
    }
}

/// Measured on two cores of an Intel Xeon with AVX-512, lavapipe of Mesa 22.3 (2026-11-29), the first of two runs, which differ by up to
/// a factor of three; the time of a dispatch by the host's clock, since lavapipe's timestamps do not resolve it.
fn lavapipe() -> DeviceRecord {
    DeviceRecord {
        device: "lavapipe on two cores".to_owned(),
        origin: Origin::Shipped,
        copied_bytes: 1.94e9,
        gathered_words: 2.78e7,
        lookups: 2.97e8,
        multiply_adds: 8.77e8,
        logic: 3.96e9,
        exchange: 3.13e-6,
        dispatch: 18e-6,
        call: 430e-6,
        upload: 2.27e9,
        download: 2.35e9,
        staging: 0.5e-9,
        compile: 17.5e-3,
        compile_again: 13.5e-3,
        opening: 334e-3,
        words: Products { int64: Some(8.44e8), portable: 4.27e8, latency: 0.29e-6 },
        bits255: Some(Products { int64: Some(6.29e7), portable: 1.25e7, latency: 4.46e-6 }),
        bits381: Some(Products { int64: Some(2.58e7), portable: 6.29e6, latency: 8.75e-6 }),
    }
}
