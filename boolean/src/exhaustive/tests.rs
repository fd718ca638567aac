use super::*;
use crate::checks::Checks;
use crate::generate::random;
use crate::watch::{Checkpoint, Unwatched};
use wgalois::gpu::block_on;
use wgalois::{Cpu, Device, Simd};

fn search(device: &Device, equations: &Equations, query: Query, watch: &mut dyn Watch) -> Result<Found> {
    block_on(super::search(Job { device, equations, query, watch, checks: &Checks::wanted() }))
}

/// All solutions, by an evaluation of every assignment.
fn brute_force(equations: &Equations) -> Vec<u64> {
    let solves = |&x: &u64| {
        let is_zero = |p: &crate::Polynomial| {
            let value = p.terms().iter().filter(|t| t.variables().iter().all(|&v| x >> v & 1 == 1)).count();
            value % 2 == 0
        };
        equations.polynomials().iter().all(is_zero)
    };
    (0..1 << equations.variables()).filter(solves).collect()
}

fn systems() -> impl Iterator<Item = Equations> {
    let shapes = [
        (1, 1, 2),
        (3, 2, 3),
        (5, 1, 4),
        (8, 6, 2),
        (11, 3, 3),
        (12, 14, 2),
        (13, 20, 4),
        (14, 40, 3),
        (15, 12, 2),
        (16, 8, 3),
        (16, 36, 2),
        (15, 10, 4),
    ];
    shapes
        .into_iter()
        .enumerate()
        .map(|(seed, (n, m, d))| random(n, m, d, seed as u64, seed % 2 == 0).unwrap().equations)
}

#[test]
fn all_instructions_find_what_brute_force_finds() {
    for equations in systems() {
        let expected = brute_force(&equations);
        for simd in Simd::ALL.into_iter().filter(|simd| simd.is_available()) {
            let device = Device::Cpu(Cpu { simd, ..Cpu::default() });
            let all = search(&device, &equations, Query::All, &mut Unwatched).unwrap();
            assert_eq!(all.solutions, expected, "{simd} {} variables", equations.variables());
            assert!(all.is_complete);
            let count = search(&device, &equations, Query::Count, &mut Unwatched).unwrap();
            assert_eq!((count.count, count.solutions.len()), (expected.len() as u64, 0));
            let one = search(&device, &equations, Query::One, &mut Unwatched).unwrap();
            assert_eq!(one.solutions.is_empty(), expected.is_empty());
            assert!(one.solutions.iter().all(|solution| expected.contains(solution)));
        }
    }
}

#[test]
fn several_windows_of_many_variables() {
    // One solution or few in 2^27 candidates, which are more than a window.
    let system = random(27, 40, 2, 9, true).unwrap();
    let planted = system.planted.unwrap().iter().rev().fold(0u64, |x, &bit| x << 1 | u64::from(bit));
    let device = Device::Cpu(Cpu::default());
    let all = search(&device, &system.equations, Query::All, &mut Unwatched).unwrap();
    assert!(all.solutions.contains(&planted), "{planted}: {all:?}");
}

#[test]
fn a_search_goes_on_from_its_state() {
    struct Stop {
        after: usize,
        last: Option<Checkpoint>,
        begin: Option<Checkpoint>,
    }
    impl Watch for Stop {
        fn round(&mut self, state: &Checkpoint) -> Result<bool> {
            self.last = Some(state.clone());
            self.after = self.after.saturating_sub(1);
            Ok(self.after > 0)
        }
        fn resume(&mut self) -> Option<Checkpoint> {
            self.begin.take()
        }
    }
    let system = random(29, 10, 2, 3, true).unwrap().equations;
    let device = Device::Cpu(Cpu { threads: 1, ..Cpu::default() });
    // Fix variables so that few solutions remain, without fewer variables.
    let whole = search(&device, &system, Query::Count, &mut Unwatched).unwrap();
    let mut first = Stop { after: 1, last: None, begin: None };
    let part = search(&device, &system, Query::Count, &mut first).unwrap();
    assert!(!part.is_complete && part.count < whole.count);
    let mut second = Stop { after: usize::MAX, last: None, begin: first.last.clone() };
    assert_eq!(search(&device, &system, Query::Count, &mut second).unwrap(), whole);
    // Another search has another fingerprint.
    let other = random(29, 10, 2, 4, true).unwrap().equations;
    let mut third = Stop { after: usize::MAX, last: None, begin: first.last };
    assert!(matches!(search(&device, &other, Query::Count, &mut third), Err(Error::Checkpoint { .. })));
}

#[test]
fn a_gpu_finds_what_brute_force_finds() {
    use crate::test_devices;
    use wgalois::gpu::Options;
    let few = Options { few_registers: Some(true), ..Options::default() };
    for options in [Options::default(), Options::portable(), few] {
        let device = Device::Gpu(test_devices::open(options));
        for equations in systems() {
            let all = search(&device, &equations, Query::All, &mut Unwatched).unwrap();
            assert_eq!(all.solutions, brute_force(&equations), "{} variables", equations.variables());
        }
    }
}
