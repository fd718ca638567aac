use super::*;
use crate::checks::Checks;
use crate::collect::Rounds;
use crate::generate::random;
use crate::test_devices;
use crate::watch::Unwatched;
use wgalois::Cpu;
use wgalois::gpu::{Options, block_on};

fn prepare(device: &Device, equations: &Equations, degree: usize, linear: usize) -> Option<Prepared> {
    block_on(super::prepare(device, equations, degree, linear)).unwrap()
}

/// All solutions, by an evaluation of every assignment.
fn brute_force(equations: &Equations) -> Vec<u64> {
    let solves = |&x: &u64| equations.polynomials().iter().all(|p| !p.evaluate(|v| x >> v & 1 == 1));
    (0..1 << equations.variables()).filter(solves).collect()
}

fn cpu() -> Device {
    Device::Cpu(Cpu::default())
}

/// Variables, equations, their degree, the degree of the matrix, linear variables.
const SHAPES: [(usize, usize, usize, usize, usize); 9] = [
    (2, 3, 2, 2, 1),
    (6, 14, 2, 2, 2),
    (9, 18, 2, 3, 4),
    (12, 24, 2, 3, 6),
    (12, 24, 2, 4, 8),
    (13, 39, 3, 4, 4),
    (14, 20, 2, 3, 3),
    (12, 60, 4, 4, 2),
    (11, 40, 2, 4, 11),
];

#[test]
fn polynomials_are_linear_and_vanish_at_the_solutions() {
    for (seed, (n, m, d, degree, linear)) in SHAPES.into_iter().enumerate() {
        let system = random(n, m, d, seed as u64, true).unwrap().equations;
        let what = format!("n {n} m {m} degree {degree} of {d}, {linear} linear");
        let prepared = prepare(&cpu(), &system, degree, linear).expect(&what);
        assert!(prepared.linear <= linear && prepared.columns.len() == prepared.linear + 1, "{what}");
        let k = prepared.linear;
        let occurring =
            prepared.columns.iter().flat_map(|column| &column.terms).fold(0, |any, term| any | term.1);
        assert!(occurring.count_ones() as usize >= k, "{what}: {occurring:b}");
        for solution in brute_force(&system) {
            let at = |column: &Packed| {
                let terms = column.terms.iter().filter(|(mask, _)| mask & !(solution >> k) == 0);
                terms.fold(0, |sum, (_, word)| sum ^ word)
            };
            let product = |(v, column): (usize, &Packed)| {
                if v == k || solution >> v & 1 == 1 { at(column) } else { 0 }
            };
            let sum = prepared.columns.iter().enumerate().map(product).fold(0, |sum, word| sum ^ word);
            assert_eq!(sum, 0, "{what}: {solution:b}");
        }
        for (v, column) in prepared.columns.iter().enumerate() {
            let most = if v == k { degree } else { degree - 1 };
            let is_within =
                |(mask, _): &(u64, u32)| mask >> (n - k) == 0 && mask.count_ones() as usize <= most;
            assert!(column.terms.iter().all(is_within), "{what}");
        }
    }
}

fn search(prepared: &Prepared, device: &Device, equations: &Equations, query: Query) -> Found {
    let (watch, checks) = (&mut Unwatched, &Checks::wanted());
    block_on(prepared.search(Job { device, equations, query, watch, checks })).unwrap()
}

#[test]
fn every_engine_finds_what_brute_force_finds() {
    let mut devices = vec![cpu()];
    let few = Options { few_registers: Some(true), ..Options::default() };
    let options = [Options::default(), Options::portable(), few];
    devices.extend(options.map(|options| Device::Gpu(test_devices::open(options))));
    for (seed, (n, m, d, degree, linear)) in SHAPES.into_iter().enumerate() {
        for is_planted in [true, false] {
            let system = random(n, m, d, seed as u64, is_planted).unwrap().equations;
            let expected = brute_force(&system);
            let Some(prepared) = prepare(&cpu(), &system, degree, linear) else { continue };
            for device in &devices {
                let run = |query| search(&prepared, device, &system, query);
                let all = run(Query::All);
                assert_eq!(all.solutions, expected, "n {n} m {m}, {linear} linear, {device:?}");
                assert!(all.is_complete);
                assert_eq!(run(Query::Count).count, expected.len() as u64);
                assert_eq!(run(Query::One).solutions.is_empty(), expected.is_empty());
            }
        }
    }
}

#[test]
fn a_gpu_walks_through_several_prefixes() {
    // A software driver's threads have 16 variables; here are 20.
    let system = random(23, 46, 2, 5, true).unwrap();
    let planted = system.planted.unwrap().iter().rev().fold(0u64, |x, &bit| x << 1 | u64::from(bit));
    let gpu = test_devices::open(Options::portable());
    let prepared = prepare(&cpu(), &system.equations, 3, 3).unwrap();
    assert_eq!(prepared.linear, 3);
    let [on_gpu, on_cpu] =
        [Device::Gpu(gpu), cpu()].map(|device| search(&prepared, &device, &system.equations, Query::All));
    assert_eq!(on_gpu, on_cpu);
    assert!(on_gpu.solutions.contains(&planted));
}

#[test]
fn more_hits_than_room_are_searched_in_parts() {
    // Few equations: many values of y have a solution.
    let system = random(14, 6, 2, 3, true).unwrap().equations;
    let gpu = test_devices::open(Options::portable());
    let prepared = prepare(&cpu(), &system, 4, 2).unwrap();
    let order: Vec<usize> = (0..system.polynomials().len()).collect();
    for capacity in [64, 100, 1 << 20] {
        let search = Search {
            evaluator: Evaluator::new(&system, &order),
            collector: Collector::new(Query::All),
            variables: 14,
            simd: Simd::best(),
        };
        let mut gpu_search = gpu::GpuSearch::new(&gpu, &prepared, &system).unwrap().with_capacity(capacity);
        let rounds =
            Rounds { fingerprint: 0, of: 1 << (14 - prepared.linear - gpu_search.bits()), first: 1, most: 1 };
        let work = async |first: u64, _: u64| gpu_search.search(&prepared, &search, first).await;
        let found = block_on(search.collector.run(rounds, |_| true, work, &mut Unwatched)).unwrap();
        assert_eq!(found.solutions, brute_force(&system), "{capacity}");
    }
}
