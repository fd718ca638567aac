//! Plans keep to the memory that drivers report. The reports are faked: a small card, a large one, an integrated GPU, whose memory is
//! the host's, and devices whose memory others use. The devices compute nothing, so that every size can be planned.

use std::collections::BTreeMap;

use crate::gpu_common::open_another;
use wgalois::curve::{Bls12_381, Bls12_381G2, Bn254};
use wgalois::field::BABY_BEAR;
use wgalois::gf2::{self, Dense, F4Matrix, F4Method, Many, generate};
use wgalois::gpu::{DeviceMemory, Gpu, Options};
use wgalois::msm::{Multiplication, Precompute};
use wgalois::ntt::exact::ExactProduct;
use wgalois::ntt::integer::IntegerProduct;
use wgalois::ntt::{self, ColumnTransform, scalar};
use wgalois::task::{Problem, Profile};
use wgalois::{Device, Error, Group, Shortage, Side};
use wgalois_boolean::Solve;
use wgalois_proofs::groth16::Proving;

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

const fn memory(bytes: u64, budget: u64, is_shared: bool) -> DeviceMemory {
    DeviceMemory { bytes, budget, is_shared }
}

/// A GTX 1650 Ti under a desktop, an RTX 3090, an integrated GPU that may have 8 GB of the host's 16.
const SMALL: DeviceMemory = memory(4 * GIB, 3584 * MIB, false);
const LARGE: DeviceMemory = memory(24 * GIB, 23 * GIB, false);
const INTEGRATED: DeviceMemory = memory(16 * GIB, 8 * GIB, true);
/// What other programs leave of a card, and of a host.
const BUSY: DeviceMemory = memory(4 * GIB, 200 * MIB, false);
const BUSY_HOST: DeviceMemory = memory(8 * GIB, 400 * MIB, true);

/// The devices, and groups of unequal ones.
const DEVICES: [(&str, &[DeviceMemory]); 8] = [
    ("small", &[SMALL]),
    ("large", &[LARGE]),
    ("integrated", &[INTEGRATED]),
    ("busy", &[BUSY]),
    ("busy host", &[BUSY_HOST]),
    ("small and large", &[SMALL, LARGE]),
    ("large and integrated", &[LARGE, INTEGRATED]),
    ("two of a busy host", &[BUSY_HOST, BUSY_HOST]),
];

/// The profile of open devices whose drivers report these memories.
fn profile(memories: &[DeviceMemory]) -> Profile {
    let open = |&memory: &DeviceMemory| {
        Gpu::idle(Options { reported_memory: Some(memory), ..Options::default() }).unwrap()
    };
    match memories {
        [one] => Device::Gpu(open(one)).profile(),
        several => Device::Group(Group::new(several.iter().map(open).collect()).unwrap()).profile(),
    }
}

/// How many plans fitted, and how many were refused.
#[derive(Default)]
struct Tally(BTreeMap<String, [usize; 2]>);

impl Tally {
    /// Plans a problem of this verb for all devices.
    fn check<P: Problem>(&mut self, verb: &str, problem: &P) {
        for (name, memories) in DEVICES {
            let what = format!("{verb} on {name}: {problem:?}");
            let outcome = problem.plan_for(&profile(memories));
            let counts = self.0.entry(verb.to_owned()).or_default();
            match outcome {
                Ok(plan) => {
                    fits(&what, plan.cost(), memories);
                    // A search says it of its matrices alone; a group has the time of its slowest member.
                    let says =
                        verb == "solve of systems" || memories.len() > 1 || !plan.cost().compiling.is_zero();
                    assert!(says, "{what}: the plan does not say what compiling takes");
                    counts[0] += 1;
                }
                Err(Error::OutOfMemory(shortage)) if shortage.needed.is_some() => {
                    let mut enlarged = enlarged(&what, memories, &shortage);
                    let mut outcome = problem.plan_for(&profile(&enlarged));
                    // Of a group, the memory of one member after the other may be too small, and that of the host.
                    for _ in 0..if memories.len() > 1 { 4 } else { 0 } {
                        let Err(Error::OutOfMemory(shortage)) = &outcome else { break };
                        enlarged = self::enlarged(&what, &enlarged, shortage);
                        outcome = problem.plan_for(&profile(&enlarged));
                    }
                    let plan = outcome.unwrap_or_else(|error| panic!("{what}: {shortage:?}, then {error}"));
                    fits(&what, plan.cost(), &enlarged);
                    counts[1] += 1;
                }
                // Nothing that memory changes: bindings, kernels.
                Err(error) => {
                    let huge = |&memory: &DeviceMemory| DeviceMemory { budget: 1 << 50, ..memory };
                    let huge: Vec<DeviceMemory> = memories.iter().map(huge).collect();
                    let other = problem.plan_for(&profile(&huge)).map(|plan| plan.to_string()).unwrap_err();
                    assert_eq!(other.to_string(), error.to_string(), "{what}");
                }
            }
        }
    }

    /// Every verb's plans must have fitted; those of `refused` must have been refused somewhere, too.
    fn end(self, refused: &[&str]) {
        for (verb, [fitted, were_refused]) in &self.0 {
            eprintln!("{verb}: {fitted} plans fit, {were_refused} are refused with what suffices");
            assert!(*fitted > 0, "{verb}");
            assert!(*were_refused > 0 || !refused.contains(&verb.as_str()), "{verb}");
        }
    }
}

/// The memories, of which the one that is too small has what the refusal says. What the host lacks, it lacks of the memory that it
/// shares.
fn enlarged(what: &str, memories: &[DeviceMemory], shortage: &Shortage) -> Vec<DeviceMemory> {
    let (needed, allowed) = (shortage.needed.unwrap(), shortage.allowed.unwrap());
    assert!(allowed < needed && needed < 1 << 50, "{what}: {shortage:?}");
    let is_of_device = shortage.side == Some(Side::Device);
    let enlarged = |&memory: &DeviceMemory| match memory.is_shared != is_of_device {
        true => DeviceMemory { budget: memory.budget.max(needed), ..memory },
        false => memory,
    };
    memories.iter().map(enlarged).collect()
}

/// Checks that a plan fits these memories: of a group, whose cost is that of its largest share.
fn fits(what: &str, cost: wgalois::task::Cost, memories: &[DeviceMemory]) {
    let most = memories.iter().map(|memory| memory.budget).max().unwrap();
    assert!(cost.device_bytes <= most, "{what}: {cost:?}");
    if let [DeviceMemory { budget, is_shared: true, .. }] = memories {
        assert!(cost.host_bytes + cost.device_bytes <= *budget, "{what}: {cost:?}");
    }
    if let [first, second] = memories
        && (first.is_shared, second.is_shared) == (true, true)
    {
        assert!(cost.host_bytes + cost.device_bytes <= first.budget.min(second.budget), "{what}: {cost:?}");
    }
}

#[test]
fn transforms_and_products() {
    let mut tally = Tally::default();
    for log in [1, 10, 16, 20, 23, 25, 27] {
        for batch in [1, 3, 1 << 8] {
            let transform = ntt::Transform::new(BABY_BEAR, 1 << log).unwrap().with_batch(batch);
            tally.check("ntt", &transform);
            tally.check("columns", &ColumnTransform::new(transform));
        }
        tally.check("polymul", &ntt::Product::new(BABY_BEAR, (1 << log) - 1, 1 << (log - 1)));
        tally.check("polymul", &ntt::Product::new(BABY_BEAR, 1000, 900).with_batch(1 << log));
        tally.check("exact polymul", &ExactProduct::new((1 << log) - 1, 1 << (log - 1)));
        type Fr = ark_bn254::Fr;
        tally.check("scalar ntt", &scalar::Transform::<Fr>::new(1 << log).unwrap());
        tally.check("scalar product", &scalar::Product::<Fr>::new(1 << log, 1 << (log - 1)));
    }
    for digits in [10, 1000, 1_000_000, 20_000_000] {
        let number = "7".repeat(digits);
        tally.check("intmul", &IntegerProduct::of(&number, &number).unwrap());
    }
    tally.end(&["polymul", "exact polymul", "scalar ntt", "scalar product"]);
}

#[test]
fn matrices() {
    let mut tally = Tally::default();
    for side in [1, 100, 1000, 10_000, 40_000, 100_000, 250_000, 600_000] {
        tally.check("rank", &Dense::rank(side, side).unwrap());
        tally.check("rref", &Dense::rref(side, side / 2 + 1).unwrap());
        tally.check("solve", &Dense::solve(side, side, 64).unwrap());
        tally.check("mul", &gf2::Product::new(side, side, side).unwrap());
        tally.check("many", &Many::new(side, Dense::rank(100, 90).unwrap()).unwrap());
    }
    for (columns, reducers, rows) in [(130, 22, 8), (8399, 6375, 4535), (300_000, 200_000, 90_000)] {
        let new_pivots = rows / 2;
        let shape =
            generate::Groebner { columns, reducers, rows, new_pivots, reducer_ones: 3, row_ones: 4, seed: 1 };
        let (reducers, rows) = shape.generate().unwrap();
        for method in [F4Method::Blocked, F4Method::TwoStage] {
            let f4 = F4Matrix::new(reducers.clone(), rows.clone(), None).unwrap();
            tally.check("eliminate", &f4.with_method(method));
        }
    }
    tally.end(&["rank", "rref", "solve", "mul", "eliminate"]);
}

#[test]
fn sums() {
    let mut tally = Tally::default();
    for log in [0, 10, 16, 20, 22, 24, 26, 28] {
        for precompute in [Precompute::Plain, Precompute::Windows] {
            let verb = |curve: &str| format!("msm over {curve}");
            let problem = Multiplication::<Bls12_381>::new(1 << log).with_precompute(precompute);
            tally.check(&verb("BLS12-381"), &problem);
            tally.check(&verb("BLS12-381"), &problem.with_vectors(4));
            let problem = Multiplication::<Bn254>::new(1 << log).with_precompute(precompute);
            tally.check(&verb("BN254"), &problem);
            let problem = Multiplication::<Bls12_381G2>::new(1 << log).with_precompute(precompute);
            tally.check(&verb("G2"), &problem);
        }
    }
    tally.end(&[]);
}

#[test]
fn searches_and_proofs() {
    let mut tally = Tally::default();
    for variables in [4, 12, 20, 30, 40, 50] {
        for degree in [2, 3] {
            tally.check("solve of systems", &Solve::new(variables, vec![degree; 2 * variables]));
        }
    }
    for log in [4, 16, 22, 26] {
        let variables = 1 << log;
        tally.check("groth16", &Proving::<ark_bn254::Bn254>::new(variables, 1, log));
        tally.check("groth16", &Proving::<ark_bls12_381::Bls12_381>::new(variables, 100, log));
    }
    tally.end(&["groth16"]);
}

/// What vectors use is subtracted once, whatever the options by which they were made, and so is what the limit leaves.
#[test]
fn vectors_in_use_are_subtracted_once() {
    let bytes = 16 * MIB;
    let gpu = Gpu::idle(Options { reported_memory: Some(BUSY_HOST), ..Options::default() }).unwrap();
    let planned = |gpu: &Gpu| Device::Gpu(gpu.clone()).profile();
    let before = planned(&gpu);
    assert_eq!((before.device_memory, before.budget.device), (BUSY_HOST.budget, BUSY_HOST.budget));
    let limited = gpu.with_options(Options { memory: 100 * MIB, ..gpu.options().clone() });
    assert_eq!(planned(&limited).device_memory, 100 * MIB);
    let vector = limited.zeros::<u32>((bytes / 4) as usize).unwrap();
    assert_eq!(planned(&limited).device_memory, 100 * MIB - bytes);
    let after = planned(&gpu);
    let left = BUSY_HOST.budget - bytes;
    assert_eq!((after.device_memory, after.budget.device, after.budget.shared), (left, left, left));
    assert_eq!((gpu.memory_in_use(), gpu.memory_left()), (0, left));
    drop(vector);
    assert_eq!(planned(&gpu).device_memory, BUSY_HOST.budget);
}

/// Of the user's limit and the driver's budget, the smaller one counts. Where the driver reports nothing, the limit does.
#[test]
fn a_limit_is_no_more_than_the_budget() {
    let memory_of = |adapter: &wgalois::gpu::AdapterDescription, reported_memory, memory| {
        let options = Options { reported_memory, memory, ..Options::default() };
        Profile::of_adapter(adapter, &options).device_memory
    };
    let gpu = Gpu::idle(Options::default()).unwrap();
    let mut adapter = gpu.adapter().clone();
    adapter.memory = None;
    assert_eq!(memory_of(&adapter, Some(SMALL), u64::MAX), SMALL.budget);
    assert_eq!(memory_of(&adapter, Some(SMALL), 100 * GIB), SMALL.budget);
    assert_eq!(memory_of(&adapter, Some(SMALL), GIB), GIB);
    assert_eq!(memory_of(&adapter, None, 100 * GIB), 100 * GIB);
    assert_eq!(memory_of(&adapter, None, u64::MAX), GIB);
}

/// Each member of a group has its own memory; those that have the host's have equal parts of it; one that is opened twice has its
/// memory once.
#[test]
fn members_of_groups_have_their_own_memory() {
    let members = |profile: &Profile| -> Vec<(u64, u64)> {
        let wgalois::task::Engine::Group(members) = &profile.engine else { panic!("no group") };
        let own = members.iter().map(|member| profile.of_member(member, 1));
        own.map(|own| (own.device_memory, own.budget.shared)).collect()
    };
    let unequal = profile(&[SMALL, LARGE]);
    assert_eq!(members(&unequal), [(SMALL.budget, u64::MAX), (LARGE.budget, u64::MAX)]);
    assert_eq!(members(&unequal.with_device_memory(GIB)), [(GIB, u64::MAX); 2]);
    let mixed = profile(&[LARGE, INTEGRATED, BUSY_HOST]);
    let half = BUSY_HOST.budget / 2;
    assert_eq!(
        members(&mixed),
        [(LARGE.budget, u64::MAX), (half, BUSY_HOST.budget), (half, BUSY_HOST.budget)]
    );
    let twice = [0; 2].map(|_| open_another(Options { reported_memory: Some(SMALL), ..Options::default() }));
    let twice = Device::Group(Group::new(twice.into()).unwrap()).profile();
    assert_eq!(members(&twice), [(SMALL.budget / 2, u64::MAX); 2]);
}

/// The driver of this machine is really asked.
#[test]
fn the_driver_reports_its_memory() {
    let gpu = open_another(Options::default());
    let (adapter, planned) = (gpu.adapter(), Device::Gpu(gpu.clone()).profile().device_memory);
    match (adapter.backend.as_str(), adapter.memory) {
        ("gl", reported) => assert_eq!((reported, planned), (None, GIB)),
        (_, reported) => {
            let reported = reported.expect("a driver that reports its memory");
            assert!(reported.budget > 64 * MIB && reported.budget <= reported.bytes, "{reported:?}");
            assert!(reported.is_shared || !adapter.is_software(), "{reported:?}");
            assert_eq!(planned, reported.budget - gpu.memory_in_use());
        }
    }
}
