//! Groups: several devices share the work, and the result is that of one. The devices are the first adapter,
//! opened several times.

mod gpu_common;

use std::sync::OnceLock;

use gpu_common::{both_drivers, open_another, random};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use wgalois::curve::{Affine, Bls12_381, Bn254};
use wgalois::field::BABY_BEAR;
use wgalois::gf2::{self, BitMatrix, Dense, Elimination, IndexLists, Method, System, generate};
use wgalois::gpu::{Adapters, Gpu, Options};
use wgalois::msm::{self, Known, Multiplication, Precompute};
use wgalois::ntt::{self, Direction, Form, Order, Product, Transform};
use wgalois::task::{Plan, Problem, Profile};
use wgalois::timeline::{Phase, Timeline};
use wgalois::{Cpu, Device, Error, Group};

/// Two devices, opened once.
fn two() -> &'static [Gpu; 2] {
    static TWO: OnceLock<[Gpu; 2]> = OnceLock::new();
    TWO.get_or_init(|| [0, 1].map(|_| open_another(Options::default())))
}

/// A group of the two devices with these speeds, with a timeline of its own.
fn group(speeds: [f64; 2]) -> Group {
    let timeline = Timeline::default();
    let member =
        |gpu: &Gpu| gpu.with_options(Options { timeline: timeline.clone(), ..gpu.options().clone() });
    Group::new(two().iter().map(member).collect()).unwrap().with_speeds(&speeds).unwrap()
}

/// A group whose device `number` is lost after so many submissions.
fn losing(number: usize, lose_after: u64, keeps_going: bool) -> Group {
    let members = (0..2).map(|member| match member == number {
        true => open_another(Options { lose_after: Some(lose_after), ..Options::default() }),
        false => two()[member].clone(),
    });
    Group::new(members.collect()).unwrap().with_keep_going(keeps_going)
}

/// Bytes to and from the devices of a group, and dispatches, so far.
fn traffic(group: &Group) -> [u64; 3] {
    let events = group.timeline().recording().events;
    let bytes = |phase| events.iter().filter(|event| event.phase == phase).map(|event| event.bytes).sum();
    [bytes(Phase::Upload), bytes(Phase::Download), group.timeline().dispatches().values().sum()]
}

/// Runs `work`, which must send as many bytes as the plan counts. A software driver gets long dispatches in
/// several, so there may be more of them; tests of the crate count them on a device that does not.
fn counted<T>(group: &Group, plan: &impl Plan, work: impl FnOnce() -> T) -> T {
    let before = traffic(group);
    let result = work();
    let after = traffic(group);
    let counted = plan.traffic();
    assert_eq!([after[0] - before[0], after[1] - before[1]], [counted.upload, counted.download], "{plan}");
    assert!(after[2] - before[2] >= counted.dispatches.unwrap(), "{plan}");
    result
}

type Scalar = <Bls12_381 as ark_ec::CurveConfig>::ScalarField;

fn vectors(count: usize, len: usize) -> Vec<Vec<Scalar>> {
    let vector = |seed| msm::random_scalars::<Bls12_381>(len, &mut ChaCha8Rng::seed_from_u64(seed));
    (0..count as u64).map(vector).collect()
}

#[test]
fn multiplications_on_a_group_give_the_known_sums() {
    let known = Known::<Bls12_381>::random(130, 1);
    for (speeds, precompute) in [([1.0, 1.0], Precompute::Plain), ([1.0, 0.3], Precompute::Windows)] {
        let device = Device::Group(group(speeds));
        for points in [0, 1, 2, 130] {
            for count in [1, 3] {
                let problem = Multiplication::<Bls12_381>::new(points)
                    .with_vectors(count)
                    .with_settings(msm::Settings::default().with_precompute(precompute).with_width(6));
                let plan = problem.plan(&device).unwrap();
                let bases = plan.prepare(&device, &known.points[..points]).unwrap();
                let mut vectors = vectors(count, points);
                // Scalars may be fewer than points.
                vectors[count - 1].truncate(points / 2);
                let slices: Vec<&[Scalar]> = vectors.iter().map(Vec::as_slice).collect();
                let expected: Vec<Affine<Bls12_381>> = slices.iter().map(|v| known.sum(v)).collect();
                assert_eq!(bases.run_many(&slices).unwrap(), expected, "{points} {count} {speeds:?}");
                // Another number of vectors than planned.
                assert_eq!(bases.run(slices[0]).unwrap(), expected[0]);
                assert!(bases.run_many(&[]).unwrap().is_empty());
            }
        }
    }
}

#[test]
fn a_multiplication_takes_as_much_traffic_as_its_plan_says() {
    let known = Known::<Bls12_381>::random(200, 2);
    let group = group([1.0, 1.0]);
    let device = Device::Group(group.clone());
    let plan = Multiplication::<Bls12_381>::new(200).plan(&device).unwrap();
    let bases = plan.prepare(&device, &known.points).unwrap();
    let scalars = &vectors(1, 200)[0];
    assert_eq!(counted(&group, &plan, || bases.run(scalars)).unwrap(), known.sum(scalars));
    for number in 0..2 {
        assert!(group.timeline().dispatches_of(number).values().sum::<u64>() > 0);
        assert!(group.timeline().totals_of(number).contains_key(&Phase::Upload));
    }
}

#[test]
fn batches_of_transforms_on_a_group_are_those_of_one_device() {
    let cpu = Device::Cpu(Cpu::default());
    for speeds in [[1.0, 1.0], [0.2, 1.0]] {
        let group = group(speeds);
        let device = Device::Group(group.clone());
        for batch in [0, 1, 2, 5] {
            let transform = Transform::new(BABY_BEAR, 1 << 10)
                .unwrap()
                .with_batch(batch)
                .with_direction(Direction::Inverse)
                .with_output(Order::BitReversed);
            let data = random(BABY_BEAR, transform.len(), batch as u64);
            let mut expected = data.clone();
            ntt::transform(&cpu, &transform, &mut expected).unwrap();
            let plan = transform.plan(&device).unwrap();
            let prepared = plan.prepare(&device).unwrap();
            let mut result = data.clone();
            counted(&group, &plan, || prepared.run(&mut result)).unwrap();
            assert!(result == expected, "{batch} {speeds:?}");
            let mut result = data;
            ntt::transform(&device, &transform, &mut result).unwrap();
            assert!(result == expected);
        }
        let transform = Transform::new(BABY_BEAR, 2).unwrap().with_batch(2);
        let wrong = ntt::transform(&device, &transform, &mut [1, 2, 3]);
        assert!(matches!(wrong, Err(Error::Input(_))));
    }
}

#[test]
fn products_on_a_group_are_those_of_one_device() {
    let cpu = Device::Cpu(Cpu::default());
    for speeds in [[1.0, 1.0], [0.2, 1.0]] {
        let group = group(speeds);
        let device = Device::Group(group.clone());
        for (batch, form) in [(0, Form::Linear), (1, Form::Linear), (5, Form::Negacyclic(256))] {
            let product = Product::new(BABY_BEAR, 300, 200).with_form(form).with_batch(batch);
            let data: Vec<_> = (0..batch as u64)
                .map(|seed| (random(BABY_BEAR, 300, seed), random(BABY_BEAR, 200, seed + 100)))
                .collect();
            let factors: Vec<[&[u32]; 2]> = data.iter().map(|(a, b)| [&a[..], &b[..]]).collect();
            let expected: Vec<_> =
                factors.iter().map(|[a, b]| ntt::multiply(&cpu, &product, a, b).unwrap()).collect();
            let plan = product.plan(&device).unwrap();
            let prepared = plan.prepare(&device).unwrap();
            let products = counted(&group, &plan, || prepared.run_many(&factors)).unwrap();
            assert!(products == expected, "{batch} {speeds:?}");
            assert!(ntt::multiply_many(&device, &product, &factors).unwrap() == expected);
            if let Some([a, b]) = factors.first() {
                assert!(prepared.run(a, b).unwrap() == expected[0]);
            }
        }
    }
}

#[test]
fn matrices_on_a_group_are_those_of_one_device() {
    let cpu = Device::Cpu(Cpu::default());
    for (speeds, memory) in [([1.0, 1.0], u64::MAX), ([0.2, 1.0], 1_700_000)] {
        let group = group(speeds);
        let device = Device::Group(group.clone());
        for (rows, inner, columns) in [(0, 3, 2), (1, 1, 1), (3, 0, 2), (300, 257, 129), (1500, 700, 900)] {
            let (a, b) = (
                generate::matrix(rows, inner, 0.5, 1).unwrap(),
                generate::matrix(inner, columns, 0.5, 2).unwrap(),
            );
            let expected = gf2::multiply(&cpu, &a, &b).unwrap();
            let profile = Profile { device_memory: memory, ..device.profile() };
            let problem = Dense::multiply(rows, inner, columns).unwrap();
            let plan = problem.plan_for(&profile).unwrap();
            let prepared = plan.prepare(&device).unwrap();
            let result = counted(&group, &plan, || prepared.run(&a, Some(&b))).unwrap();
            let result = result.into_matrix().unwrap();
            assert!(result == expected, "{rows} {inner} {columns}");
            assert!(gf2::multiply(&device, &a, &b).unwrap() == expected);
            assert_eq!(gf2::rref(&device, &a).unwrap(), gf2::rref(&cpu, &a).unwrap());
        }
    }
}

/// A matrix of about half of the rank that it could have.
fn deficient(rows: usize, columns: usize) -> BitMatrix {
    let rank = rows.min(columns) / 2;
    let (left, right) = (generate::matrix(rows, rank, 0.5, 5), generate::matrix(rank, columns, 0.5, 6));
    gf2::multiply(&Device::Cpu(Cpu::default()), &left.unwrap(), &right.unwrap()).unwrap()
}

/// Computes a problem, which the plan for a group shares, on one device and on the group.
fn shared(group: &Group, problem: Dense, a: &BitMatrix, b: Option<&BitMatrix>, counts: bool) {
    let one = Device::Gpu(two()[0].clone());
    let expected = problem.plan(&one).unwrap().prepare(&one).unwrap().run(a, b).unwrap();
    let device = Device::Group(group.clone());
    let plan = problem.with_sharing(true).plan(&device).unwrap();
    assert!(plan.to_string().contains("which share the columns"), "{plan}");
    let prepared = plan.prepare(&device).unwrap();
    let result = match counts {
        true => counted(group, &plan, || prepared.run(a, b)),
        false => prepared.run(a, b),
    };
    assert!(result.unwrap() == expected, "{:?} of {} x {}", problem.operation(), a.rows(), a.columns());
}

#[test]
fn eliminations_on_a_group_are_those_of_one_device() {
    for speeds in [[1.0, 1.0], [0.5, 1.0]] {
        let group = group(speeds);
        for (rows, columns) in [(600, 700), (1, 600), (130, 1600), (1100, 520)] {
            let random = generate::matrix(rows, columns, 0.5, 1).unwrap();
            let rref = Dense::rref(rows, columns).unwrap();
            for problem in [Dense::rank(rows, columns).unwrap(), Dense::echelon(rows, columns).unwrap(), rref]
            {
                shared(&group, problem, &random, None, true);
                shared(&group, problem, &deficient(rows, columns), None, false);
            }
            // Few ones, equal columns: panels that fail.
            let sparse = generate::matrix(rows, columns, 0.002, 3).unwrap();
            shared(&group, Dense::echelon(rows, columns).unwrap(), &sparse, None, false);
            shared(&group, rref.with_pivots_within(columns / 2), &random, None, true);
        }
    }
}

#[test]
fn solutions_kernels_and_inverses_on_a_group_are_those_of_one_device() {
    let group = group([1.0, 1.0]);
    let (a, b) = (generate::matrix(520, 300, 0.5, 1).unwrap(), generate::matrix(520, 70, 0.5, 2).unwrap());
    shared(&group, Dense::solve(520, 300, 70).unwrap(), &a, Some(&b), true);
    shared(&group, Dense::kernel(520, 300).unwrap(), &a, None, true);
    for a in [generate::matrix(280, 280, 0.5, 3).unwrap(), BitMatrix::identity(280).unwrap()] {
        shared(&group, Dense::inverse(280).unwrap(), &a, None, false);
    }
    // A run that carries columns has the evidence of one device's.
    let problem = Dense::rank(520, 300).unwrap().with_carried_columns(true);
    let device = Device::Group(group);
    let prepared = problem.with_sharing(true).plan(&device).unwrap().prepare(&device).unwrap();
    let (answer, evidence) = prepared.run_carrying(&a, None).unwrap();
    problem.check_carried(&Device::Cpu(Cpu::default()), &a, None, answer.as_answer(), &evidence).unwrap();
}

/// Rows of `ones` ones each, in random columns below `columns`.
fn sparse_rows(rows: usize, columns: u32, ones: usize, seed: u64) -> IndexLists {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut lists = IndexLists::default();
    for _ in 0..rows {
        let mut row = std::collections::BTreeSet::new();
        while row.len() < ones {
            row.insert(rng.random_range(0..columns));
        }
        lists.push(&row.into_iter().rev().collect::<Vec<_>>()).unwrap();
    }
    lists
}

/// A system with an eliminator in all but every `gap`-th column; `None` for no eliminators.
fn system(columns: u32, gap: Option<u32>, rows: usize, ones: usize) -> System {
    with_rows(columns, gap, sparse_rows(rows, columns, ones, 2))
}

fn with_rows(columns: u32, gap: Option<u32>, rows: IndexLists) -> System {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut eliminators = IndexLists::default();
    for lead in (0..columns).filter(|lead| gap.is_some_and(|gap| lead % gap > 0)) {
        let others = (0..3).map(|_| rng.random_range(0..lead));
        let list: std::collections::BTreeSet<u32> = others.chain([lead]).collect();
        eliminators.push(&list.into_iter().rev().collect::<Vec<_>>()).unwrap();
    }
    System::new(eliminators, rows, Some(columns as usize)).unwrap()
}

/// The result by the definition.
fn by_definition(system: System) -> Elimination {
    gf2::eliminate(&Device::Cpu(Cpu::default()), &system.with_method(Method::Bands)).unwrap()
}

#[test]
fn systems_on_a_group_are_eliminated_as_on_one_device() {
    // Rows like random ones, more than columns without an eliminator: the plan counts exactly.
    let random = (system(1500, Some(3), 700, 40), true);
    // A panel sees only rows that are equal, and fails.
    let mut equal = IndexLists::default();
    let others = sparse_rows(100, 600, 20, 4);
    (0..600).map(|_| others.row(0)).chain(others.iter()).for_each(|row| equal.push(row).unwrap());
    let others = [
        with_rows(600, Some(3), equal),
        with_rows(600, Some(3), IndexLists::empty_rows(5)),
        // More columns than rows; no eliminators; fewer rows than devices; no column without an eliminator.
        system(900, Some(2), 60, 8),
        system(600, None, 300, 20),
        system(600, Some(2), 1, 5),
        system(700, Some(1000), 40, 9),
    ];
    for speeds in [[1.0, 1.0], [0.4, 1.0]] {
        let group = group(speeds);
        let device = Device::Group(group.clone());
        let others = others.iter().map(|system| (system.clone(), false)).filter(|_| speeds[0] < 1.0);
        for (system, counts) in std::iter::once(random.clone()).chain(others) {
            let expected = by_definition(system.clone()).to_lists();
            for method in [Method::Blocked, Method::TwoStage] {
                let system = system.clone().with_method(method).with_sharing(true);
                let plan = system.plan(&device).unwrap();
                assert!(plan.to_string().contains("which share the columns"), "{plan}");
                let prepared = plan.prepare(&device).unwrap();
                let result = match counts {
                    true => counted(&group, &plan, || prepared.run(&system)),
                    false => prepared.run(&system),
                };
                assert!(result.unwrap().to_lists() == expected, "{method} {speeds:?}\n{plan}");
            }
        }
    }
}

#[test]
fn systems_without_shares_run_on_one_device() {
    let device = Device::Group(group([1.0, 1.0]));
    let narrow = system(200, Some(2), 90, 6);
    let zeros = System::new(IndexLists::default(), IndexLists::empty_rows(5), Some(900)).unwrap();
    let none = System::new(IndexLists::default(), IndexLists::default(), Some(900)).unwrap();
    for system in [narrow, zeros, none, system(600, Some(2), 0, 5)] {
        let expected = by_definition(system.clone()).to_lists();
        for method in [Method::Auto, Method::Blocked, Method::TwoStage, Method::Rounds] {
            let system = system.clone().with_method(method).with_sharing(true);
            let plan = system.plan(&device).unwrap().to_string();
            assert!(plan.contains("1 of 2, the fastest: this work is not shared"), "{method}\n{plan}");
            let result = gf2::eliminate(&device, &system).unwrap();
            assert!(method == Method::Rounds || result.to_lists() == expected, "{method}");
        }
    }
}

#[test]
fn a_system_is_shared_where_that_pays_or_one_device_has_too_little_memory() {
    let device = Device::Group(group([1.0, 0.5]));
    let small = system(1500, Some(3), 700, 40);
    let unshared = "1 of 2, the fastest: this work is not shared";
    let one = Device::Gpu(two()[0].clone());
    assert!(small.plan(&device).unwrap().to_string().contains(unshared));
    let shared = small.clone().with_method(Method::TwoStage).with_sharing(true).plan(&device).unwrap();
    let shared = shared.to_string();
    for line in [
        "device 0       4 of 6 blocks of 256 columns, 2 of 2 without eliminators: ",
        "device 1       2 of 6 blocks of 256 columns, 0 of 2 without eliminators: ",
        "equal devices  1: about",
        "method         two-stage",
    ] {
        assert!(shared.contains(line), "{line} in\n{shared}");
    }
    let dense = System::new(IndexLists::default(), sparse_rows(600, 4096, 9, 1), None).unwrap();
    let dense = dense.with_method(Method::Blocked);
    let alone = dense.plan(&one).unwrap().cost().device_bytes;
    let little = device.profile().with_device_memory(alone - 1);
    let plan = dense.plan_for(&little).unwrap();
    assert!(plan.to_string().contains("2, which share the columns"), "{plan}");
    assert!(plan.cost().device_bytes < alone);
}

/// The pivots of later blocks are rare, so that a panel fails after the first blocks did not.
#[test]
fn a_panel_that_fails_late_on_a_group_misses_no_pivot() {
    let group = group([0.5, 1.0]);
    let mut matrix = generate::matrix(1400, 1600, 0.5, 1).unwrap();
    for row in 0..1400 {
        for column in 512..1600 {
            matrix.set(row, column, row >= 700 && column == 512 + (row - 700));
        }
    }
    shared(&group, Dense::echelon(1400, 1600).unwrap(), &matrix, None, false);
}

#[test]
fn an_elimination_is_shared_where_that_pays_or_one_device_has_too_little_memory() {
    let device = Device::Group(group([1.0, 1.0]));
    let text = |problem: Dense, profile: &Profile| problem.plan_for(profile).unwrap().to_string();
    let unshared = "1 of 2, the fastest: this work is not shared";
    let small = Dense::rref(600, 700).unwrap();
    assert!(text(small, &device.profile()).contains(unshared));
    let shared = text(small.with_sharing(true), &device.profile());
    for line in ["device 0       2 of 3 blocks", "device 1       1 of 3 blocks", "equal devices  1: about"] {
        assert!(shared.contains(line), "{line} in\n{shared}");
    }
    for (rows, columns) in [(0, 700), (700, 0), (600, 256)] {
        let problem = Dense::rank(rows, columns).unwrap().with_sharing(true);
        assert!(text(problem, &device.profile()).contains(unshared), "{rows} x {columns}");
    }
    let alone = small.plan(&Device::Gpu(two()[0].clone())).unwrap().cost().device_bytes;
    let little = device.profile().with_device_memory(alone - 1);
    assert!(text(small, &little).contains("2, which share the columns"));
    assert!(small.plan_for(&little).unwrap().cost().device_bytes < alone);
}

#[test]
fn a_plan_for_a_group_has_the_shares_and_the_times_of_equal_devices() {
    let profile = Device::Group(group([1.0, 0.25])).profile();
    let text = Multiplication::<Bn254>::new(1000).plan_for(&profile).unwrap().to_string();
    for line in ["device 0       800 points: ", "device 1       200 points: ", "equal devices  1: about "] {
        assert!(text.contains(line), "{line} in\n{text}");
    }
    assert!(text.contains("speed 0.250"));
    // Work that is not shared is planned for the faster device.
    let one = Device::Gpu(two()[0].clone()).profile();
    let rank = Dense::rank(100, 70).unwrap();
    let of_one = rank.plan_for(&one).unwrap().to_string();
    let line = "devices        1 of 2, the fastest: this work is not shared\n";
    assert_eq!(rank.plan_for(&profile).unwrap().to_string(), format!("{line}{of_one}"));
    // The memory of a group is that of each device.
    let little = Profile { device_memory: 1 << 10, ..profile };
    let refused = Multiplication::<Bn254>::new(1 << 20).plan_for(&little);
    assert!(matches!(refused, Err(Error::OutOfMemory(_))));
}

#[test]
fn groups_without_devices_and_wrong_speeds_are_refused() {
    assert!(matches!(Group::new(Vec::new()), Err(Error::Usage(_))));
    for speeds in [&[1.0][..], &[1.0, 0.0], &[1.0, f64::NAN], &[1.0, -1.0], &[1.0, f64::INFINITY]] {
        assert!(matches!(group([1.0, 1.0]).with_speeds(speeds), Err(Error::Usage(_))), "{speeds:?}");
    }
    assert_eq!(group([3.0, 6.0]).speeds(), [0.5, 1.0]);
}

#[test]
fn a_lost_device_ends_the_work_or_its_share_goes_to_another() {
    let known = Known::<Bn254>::random(100, 3);
    let scalars = msm::random_scalars::<Bn254>(100, &mut ChaCha8Rng::seed_from_u64(4));
    let transform = Transform::new(BABY_BEAR, 64).unwrap().with_batch(6);
    let data = random(BABY_BEAR, transform.len(), 5);
    let expected = transform.by_definition(&data).unwrap();
    let product = Product::new(BABY_BEAR, 64, 64);
    let [a, b] = [&data[..64], &data[64..128]];
    let product_of = ntt::multiply(&Device::Cpu(Cpu::default()), &product, a, b).unwrap();
    let sum = |device: &Device| {
        let sum = msm::multiply::<Bn254>(device, &known.points, &scalars)?;
        assert_eq!(sum, known.sum(&scalars));
        Ok(())
    };
    let transformed = |device: &Device| {
        let mut result = data.clone();
        ntt::transform(device, &transform, &mut result)?;
        assert!(result == expected);
        Ok(())
    };
    let multiplied = |device: &Device| {
        let result = ntt::multiply(device, &product, a, b)?;
        assert!(result == product_of);
        Ok(())
    };
    let (left, right) =
        (generate::matrix(90, 300, 0.5, 1).unwrap(), generate::matrix(300, 70, 0.5, 2).unwrap());
    let matrix = gf2::multiply(&Device::Cpu(Cpu::default()), &left, &right).unwrap();
    let matrices = |device: &Device| {
        assert!(gf2::multiply(device, &left, &right)? == matrix);
        Ok(())
    };
    let form_of_left = gf2::rref(&Device::Cpu(Cpu::default()), &left).unwrap();
    let rank = |device: &Device| {
        assert_eq!(gf2::rank(device, &left)?, 90);
        Ok(())
    };
    let shared = |device: &Device| {
        let problem = Dense::rref(90, 300)?.with_sharing(true);
        let form = problem.plan(device)?.prepare(device)?.run(&left, None)?.into_form()?;
        assert!(form == form_of_left);
        Ok(())
    };
    type Job<'a> = (&'a str, &'a dyn Fn(&Device) -> wgalois::Result<()>);
    let jobs: [Job; 6] = [
        ("elimination", &shared),
        ("sum", &sum),
        ("transforms", &transformed),
        ("product", &multiplied),
        ("matrices", &matrices),
        ("rank", &rank),
    ];
    for (name, job) in jobs {
        let (mut losses, mut left_out) = (0, 0);
        let number = usize::from(!["product", "rank"].contains(&name));
        for lose_after in 0.. {
            let ended = job(&Device::Group(losing(number, lose_after, false)));
            let kept = losing(number, lose_after, true);
            job(&Device::Group(kept.clone())).unwrap();
            match ended {
                Ok(()) => break,
                Err(Error::DeviceLost(message)) => {
                    assert!(message.starts_with(&format!("device {number}, ")), "{message}");
                    // The number of submissions depends on measured times, so this run may have had one less.
                    left_out += usize::from(kept.speeds()[number] == 0.0);
                    // The group goes on without it.
                    job(&Device::Group(kept)).unwrap();
                    losses += 1;
                }
                Err(other) => panic!("{name} after {lose_after} submissions: {other}"),
            }
        }
        assert!(losses > 0 && left_out > 0, "{name} was never interrupted");
    }
}

#[test]
fn a_device_that_is_lost_in_a_system_ends_the_work_or_the_other_begins_again() {
    let sparse = system(600, Some(3), 230, 20);
    let expected = by_definition(sparse.clone()).to_lists();
    for method in [Method::Blocked, Method::TwoStage] {
        let system = sparse.clone().with_method(method).with_sharing(true);
        for lose_after in [0, 5] {
            match gf2::eliminate(&Device::Group(losing(1, lose_after, false)), &system) {
                Err(Error::DeviceLost(message)) => assert!(message.starts_with("device 1, "), "{message}"),
                other => panic!("{method} after {lose_after} submissions: {other:?}"),
            }
            let kept = losing(1, lose_after, true);
            let result = gf2::eliminate(&Device::Group(kept.clone()), &system).unwrap();
            assert!(result.to_lists() == expected, "{method} after {lose_after} submissions");
            assert_eq!(kept.speeds(), [1.0, 0.0]);
        }
    }
}

#[test]
fn a_group_that_is_lost_gives_no_result() {
    let known = Known::<Bn254>::random(20, 3);
    let scalars = msm::random_scalars::<Bn254>(20, &mut ChaCha8Rng::seed_from_u64(4));
    let transform = Transform::new(BABY_BEAR, 4).unwrap().with_batch(3);
    for (keeps_going, losing) in [(true, [true; 2]), (false, [true, false])] {
        let lose_after = |loses: bool| Options { lose_after: loses.then_some(0), ..Options::default() };
        let members = losing.map(|loses| open_another(lose_after(loses))).to_vec();
        let device = Device::Group(Group::new(members).unwrap().with_keep_going(keeps_going));
        for _ in 0..3 {
            let sum = msm::multiply::<Bn254>(&device, &known.points, &scalars);
            assert!(matches!(sum, Err(Error::DeviceLost(_))), "{sum:?}");
            let transformed = ntt::transform(&device, &transform, &mut [1; 12]);
            assert!(matches!(transformed, Err(Error::DeviceLost(_))), "{transformed:?}");
            let rank = gf2::rank(&device, &generate::matrix(9, 9, 0.5, 1).unwrap());
            assert!(matches!(rank, Err(Error::DeviceLost(_))), "{rank:?}");
        }
    }
}

#[test]
fn a_form_within_some_columns_keeps_the_row_space() {
    let a = generate::matrix(400, 700, 0.5, 1).unwrap();
    let cpu = Device::Cpu(Cpu::default());
    for limit in [0, 1, 300, 512] {
        for device in [Device::Gpu(two()[0].clone()), Device::Group(group([1.0, 1.0]))] {
            let problem = Dense::echelon(400, 700).unwrap().with_pivots_within(limit).with_sharing(true);
            let form = problem.plan(&device).unwrap().prepare(&device).unwrap().run(&a, None).unwrap();
            let form = form.into_form().unwrap();
            assert_eq!(gf2::rank(&cpu, &form.matrix).unwrap(), 400, "{limit} {device:?}");
        }
    }
}

/// Runs in a process of its own, which sees both drivers.
#[test]
fn unlike_devices_share_eliminations_and_agree() {
    const CHILD: &str = "WGALOIS_TEST_BOTH_DRIVERS";
    const NAME: &str = "unlike_devices_share_eliminations_and_agree";
    if std::env::var_os(CHILD).is_none() {
        let Some(drivers) = both_drivers() else {
            assert!(std::env::var_os("CI").is_none(), "lavapipe or SwiftShader is missing");
            eprintln!("NOT RUN: two unlike devices need lavapipe and SwiftShader (Debian's chromium)");
            return;
        };
        let mut command = std::process::Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", NAME, "--nocapture"]).env(CHILD, "1");
        let command = command.env("VK_ICD_FILENAMES", &drivers).env("VK_DRIVER_FILES", &drivers);
        assert!(command.status().unwrap().success());
        return;
    }
    let group = Group::open(&Adapters::All, Options::default()).unwrap();
    let names: Vec<_> = group.members().iter().map(|gpu| gpu.adapter().name.clone()).collect();
    let has = |driver: &str| names.iter().any(|name| name.contains(driver));
    assert!(has("llvmpipe") && has("SwiftShader"), "{names:?}");
    let (cpu, device) = (Device::Cpu(Cpu::default()), Device::Group(group.clone()));
    for matrix in [generate::matrix(300, 520, 0.5, 1).unwrap(), deficient(200, 600)] {
        for speeds in [group.speeds(), vec![1.0; names.len()]] {
            let device = Device::Group(group.clone().with_speeds(&speeds).unwrap());
            let problem = Dense::rref(matrix.rows(), matrix.columns()).unwrap().with_sharing(true);
            let form = problem.plan(&device).unwrap().prepare(&device).unwrap().run(&matrix, None).unwrap();
            assert!(form.into_form().unwrap() == gf2::rref(&cpu, &matrix).unwrap(), "{speeds:?}");
        }
    }
    assert_eq!(gf2::rank(&device, &deficient(200, 600)).unwrap(), 100);
    for method in [Method::Blocked, Method::TwoStage] {
        let system = system(900, Some(2), 300, 20).with_method(method).with_sharing(true);
        let result = gf2::eliminate(&device, &system).unwrap();
        assert!(result.to_lists() == by_definition(system).to_lists(), "{method}");
    }
}
