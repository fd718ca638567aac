//! The speeds of a device, on which the choice of a method depends: measured once and kept.

#[cfg(not(target_arch = "wasm32"))]
use std::collections::BTreeMap;
use std::fmt;
#[cfg(not(target_arch = "wasm32"))]
use std::path::{Path, PathBuf};

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};
use web_time::{Duration, Instant};

use super::checks::Checks;
use super::watch::Unwatched;
use super::way::Job;
use super::{Equations, Monomial, Polynomial, Query, Solve, crossbred, exhaustive, generate};
#[cfg(not(target_arch = "wasm32"))]
use wgalois::One;
#[cfg(not(target_arch = "wasm32"))]
use wgalois::files::cached;
use wgalois::gpu::block_on;
use wgalois::task::{CpuRecord, OneEngine, Profile, Rate, typical};
use wgalois::{Cpu, Device, Result};

/// The speeds of searches on a device.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Speeds {
    /// Candidates of an exhaustive search a second, by equations of degree 2, 3 and 4.
    pub candidates: [f64; 3],
    /// Linear systems of the crossbred method a second.
    pub linear_systems: f64,
    /// True if they were measured on the device.
    pub are_measured: bool,
}

/// A candidate on one thread of the CPU engine, by degree: a sixteenth of what 16 cores of a Xeon with AVX-512
/// tested in the release profile (2026-11-24).
static CPU_CANDIDATES: [Rate; 3] = [
    Rate::of_thread("candidate of degree 2", 1.0 / 3.7e10, || candidate(2, 25)),
    Rate::of_thread("candidate of degree 3", 1.0 / 5.8e9, || candidate(3, 23)),
    Rate::of_thread("candidate of degree 4", 1.0 / 2.3e9, || candidate(4, 22)),
];
/// A linear system of the crossbred method on one such core.
static LINEAR_SYSTEM: Rate = Rate::of_thread("linear system", 1.0 / 5e6, linear_system);
/// A monomial of an equation, when a search is prepared and its solutions are checked: on one thread of a Xeon.
static MONOMIAL: Rate = Rate::of_thread("monomial of a search", 200e-9, monomial);
/// Operations of 32-bit logic of a candidate on a GPU, by degree: counted in the kernels; of degree 2 they are 15, of which compilers
/// join some in instructions with three operands. An H200 took as long as for 6.
const GPU_OPERATIONS: [f64; 3] = [9.0, 38.0, 75.0];
/// The same of a linear system: counted. An H200 took as long as for 1400.
const GPU_OPERATIONS_OF_A_SYSTEM: f64 = 1430.0;

/// A search takes at least this much longer than a small one.
const LEAST: Duration = Duration::from_millis(60);
/// Linear variables and the degree of the polynomials in a measurement of the crossbred method.
const LINEAR: usize = 18;
const DEGREE: usize = 4;

impl Speeds {
    /// Before work that is planned to take longer, the program measures the speeds of a device that has none.
    pub const WORTH_MEASURING: Duration = Duration::from_secs(1);

    /// The speeds that devices like this one are expected to have.
    pub fn expected(profile: &Profile) -> Self {
        let (candidates, linear_systems) = match profile.one_engine() {
            OneEngine::Cpu(cpu) => {
                let record = cpu.record;
                let a_second = |rate: &Rate| cpu.parallel() / record.seconds(rate);
                let systems = a_second(&LINEAR_SYSTEM);
                let [two, three, four] = &CPU_CANDIDATES;
                return Speeds {
                    candidates: [two, three, four].map(a_second),
                    linear_systems: systems,
                    are_measured: record == CpuRecord::Measured,
                };
            }
            OneEngine::Gpu(gpu) => {
                let logic = gpu.record.logic;
                (GPU_OPERATIONS.map(|operations| logic / operations), logic / GPU_OPERATIONS_OF_A_SYSTEM)
            }
        };
        Speeds { candidates, linear_systems, are_measured: false }
    }

    /// Measures the speeds of a device: searches of random systems, each larger than the one before until it takes long
    /// enough. It takes about a second.
    pub fn measure(device: &Device) -> Result<Self> {
        let (query, checks) = (Query::Count, &Checks::default());
        let mut candidates = [0.0; 3];
        for (rate, degree) in candidates.iter_mut().zip(2..) {
            *rate = rate_of(18..46, |variables| {
                let equations = sparse(variables, degree)?;
                let begin = Instant::now();
                let (equations, watch) = (&equations, &mut Unwatched);
                block_on(exhaustive::search(Job { device, equations, query, watch, checks }))?;
                Ok(begin.elapsed())
            })?;
        }
        let linear_systems = rate_of(12..40, |walked| {
            let prepared = crossbred::Prepared::random(walked, LINEAR, DEGREE);
            let equations = sparse(walked + LINEAR, 2)?;
            let begin = Instant::now();
            let (equations, watch) = (&equations, &mut Unwatched);
            block_on(prepared.search(Job { device, equations, query, watch, checks }))?;
            Ok(begin.elapsed())
        })?;
        Ok(Speeds { candidates, linear_systems, are_measured: true })
    }

    /// Returns the speeds of a device that were kept in the user's cache folder, if any were; those of the CPU engine's record, if
    /// that is measured.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn known(device: &Device) -> Option<Self> {
        let expected = match device.one() {
            One::Cpu(cpu) if cpu.record == CpuRecord::Measured => Some(Self::expected(&device.profile())),
            _ => None,
        };
        if expected.is_some() {
            return expected;
        }
        file().and_then(|path| read(&path).remove(&name(device))).filter(Speeds::is_sound)
    }

    /// Returns the speeds of a device that were kept in the user's cache folder; measures and keeps them the first
    /// time. A folder that cannot be written is not an error: the speeds are not kept.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn kept(device: &Device) -> Result<Self> {
        if let Some(speeds) = Self::known(device) {
            return Ok(speeds);
        }
        let speeds = Self::measure(device)?;
        if let Some(path) = file() {
            let mut all = read(&path);
            all.insert(name(device), speeds);
            if let Err(error) = cached::write(&path, |out| Ok(serde_json::to_writer_pretty(out, &all)?)) {
                log::warn!("the measured speeds cannot be kept: {error}");
            }
        }
        Ok(speeds)
    }

    /// The rate of an exhaustive search of equations of this degree.
    pub(super) fn candidates_of(&self, degree: usize) -> f64 {
        self.candidates[degree.clamp(2, 4) - 2]
    }

    #[cfg(any(test, not(target_arch = "wasm32")))]
    fn is_sound(&self) -> bool {
        self.are_measured
            && self
                .candidates
                .iter()
                .chain([&self.linear_systems])
                .all(|rate| rate.is_finite() && *rate >= 1.0)
    }
}

impl fmt::Display for Speeds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [two, three, four] = self.candidates;
        let how = if self.are_measured { "measured" } else { "expected" };
        let systems = self.linear_systems;
        write!(
            f,
            "{two:.2e}, {three:.2e}, {four:.2e} candidates a second in degree 2, 3, 4; \
             {systems:.2e} linear systems a second; {how}"
        )
    }
}

/// The file in which the speeds of all devices are kept.
#[cfg(not(target_arch = "wasm32"))]
fn file() -> Option<PathBuf> {
    Some(cached::folder()?.join("boolean_speeds.json"))
}

/// Largest file of speeds that is read, in bytes: thousands of devices.
#[cfg(not(target_arch = "wasm32"))]
const MOST: u64 = 1 << 20;

/// The speeds in a file, by device; none in one that is missing or damaged.
#[cfg(not(target_arch = "wasm32"))]
fn read(path: &Path) -> BTreeMap<String, Speeds> {
    cached::read(path, MOST).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

/// The name under which a device's speeds are kept: another driver, or another number of threads, is another device.
#[cfg(not(target_arch = "wasm32"))]
fn name(device: &Device) -> String {
    match device.one() {
        One::Cpu(cpu) => format!("cpu, {} threads, {}", cpu.thread_count(), cpu.simd),
        One::Gpu(gpu) => {
            let adapter = gpu.adapter();
            let limits = if gpu.options().full_limits { "" } else { ", default limits" };
            format!("{}, {}, {}{limits}", adapter.name, adapter.backend, adapter.driver)
        }
    }
}

/// The seconds of a monomial in the preparation of a search on the host.
pub(super) fn monomial_seconds(profile: &Profile) -> f64 {
    profile.host().record.seconds(&MONOMIAL)
}

/// The CPU engine on one thread.
fn one_thread() -> Device {
    Device::Cpu(Cpu { threads: 1, ..Cpu::default() })
}

/// The values that a search tests at first, which takes the time of its preparation.
const FIRST: usize = 18;

/// A candidate of an exhaustive search of 2^`variables` values.
fn candidate(degree: usize, variables: usize) -> f64 {
    let device = one_thread();
    let time = |variables: usize| {
        let Ok(equations) = sparse(variables, degree) else { return f64::NAN };
        typical(1.0, || {
            let (checks, watch) = (&Checks::default(), &mut Unwatched);
            let job = Job { device: &device, equations: &equations, query: Query::Count, watch, checks };
            drop(block_on(exhaustive::search(job)));
        })
    };
    (time(variables) - time(FIRST)) / ((variables as f64).exp2() - (FIRST as f64).exp2())
}

/// A monomial of a search of few values.
fn monomial() -> f64 {
    const VARIABLES: usize = 12;
    const EQUATIONS: usize = 16;
    const DEGREE: usize = 3;
    let Ok(system) = generate::random(VARIABLES, EQUATIONS, DEGREE, 1, true) else { return f64::NAN };
    let device = one_thread();
    let seconds = typical(1.0, || {
        let (equations, checks, watch) = (&system.equations, &Checks::default(), &mut Unwatched);
        drop(block_on(exhaustive::search(Job {
            device: &device,
            equations,
            query: Query::All,
            watch,
            checks,
        })));
    });
    seconds / Solve::shape_of(&system.equations).monomials
}

/// A linear system of a crossbred search.
fn linear_system() -> f64 {
    let device = one_thread();
    let time = |walked: usize| {
        let prepared = crossbred::Prepared::random(walked, LINEAR, DEGREE);
        let Ok(equations) = sparse(walked + LINEAR, 2) else { return f64::NAN };
        typical(1.0, || {
            let (checks, watch) = (&Checks::default(), &mut Unwatched);
            let job = Job { device: &device, equations: &equations, query: Query::Count, watch, checks };
            drop(block_on(prepared.search(job)));
        })
    };
    let (few, more) = (10, 14);
    (time(more) - time(few)) / f64::from((1 << more) - (1 << few))
}

/// 32 random equations with few terms, on which the time of a search does not depend.
fn sparse(variables: usize, degree: usize) -> Result<Equations> {
    let mut random = ChaCha8Rng::seed_from_u64(variables as u64);
    let mut term = |degree: usize| Monomial::new((0..degree).map(|_| random.next_u32() % variables as u32));
    let mut polynomial = || Polynomial::new((0..3 * variables).map(|number| term(1 + number % degree)));
    let polynomials = (0..32).map(|_| polynomial()).collect();
    Equations::new((0..variables).map(|number| format!("x{number}")).collect(), polynomials)
}

/// The rate of a search of 2^bits values, by the difference from a small search, in which the preparation is the same.
/// The first search of a kind prepares the device, and is repeated.
fn rate_of(bits: std::ops::Range<usize>, search: impl Fn(usize) -> Result<Duration>) -> Result<f64> {
    let (first, last) = (bits.start, bits.end - 1);
    search(first)?;
    let least = search(first)?;
    let mut bits = first;
    loop {
        bits = (bits + 2).min(last);
        let more = search(bits)?.saturating_sub(least);
        if more >= LEAST || bits >= last {
            return Ok(((bits as f64).exp2() - (first as f64).exp2()) / more.as_secs_f64().max(1e-9));
        }
        // The number of variables in which this search takes half of what is enough.
        let missing = LEAST.as_secs_f64() / more.as_secs_f64().max(1e-4);
        bits += (missing.log2() as usize).saturating_sub(3);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measured_speeds_are_within_reach_of_a_processor() {
        let device = Device::Cpu(Cpu::default());
        let speeds = Speeds::measure(&device).unwrap();
        assert!(speeds.is_sound());
        // Unoptimised code on one core of an old processor, and 256 cores.
        assert!(speeds.candidates.iter().all(|rate| (1e5..1e13).contains(rate)), "{speeds:?}");
        assert!((1e2..1e10).contains(&speeds.linear_systems), "{speeds:?}");
        let text = serde_json::to_string(&speeds).unwrap();
        assert_eq!(serde_json::from_str::<Speeds>(&text).unwrap(), speeds);
    }
}
