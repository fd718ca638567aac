//! The CPU engine against the definition, for every set of instructions that this processor has.

use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use wgalois::field::{BABY_BEAR, KOALA_BEAR, Prime, bit_reverse, is_prime};
use wgalois::ntt::cpu::{self, Instructions, Plan};
use wgalois::ntt::{Coset, Direction, Order, Transform};
use wgalois::task::Problem;
use wgalois::timeline::{Phase, Timeline};
use wgalois::{Cpu, Device, Error};

const ORDERS: [Order; 2] = [Order::Natural, Order::BitReversed];
const DIRECTIONS: [Direction; 2] = [Direction::Forward, Direction::Inverse];

fn primes() -> Vec<Prime> {
    let found = (1..).map(|k| (1u32 << 31) - k * (1 << 11) + 1).find(|&p| is_prime(p)).unwrap();
    assert!(found > 0x7fff_0000, "a prime of 31 bits with transforms of 2^11");
    let values = [3, 5, 17, 97, 257, 7_340_033, 469_762_049, 998_244_353, found];
    values.map(|p| Prime::new(p).unwrap()).into_iter().chain([BABY_BEAR, KOALA_BEAR]).collect()
}

fn random(rng: &mut ChaCha8Rng, prime: Prime, len: usize) -> Vec<u32> {
    (0..len).map(|_| rng.random_range(0..prime.value())).collect()
}

/// From natural order to `order`, vector by vector.
fn ordered(words: &[u32], order: Order, log_n: u32) -> Vec<u32> {
    let place = |i| if order == Order::Natural { i } else { bit_reverse(i, log_n) };
    words.chunks(1 << log_n).flat_map(|x| (0..x.len()).map(|i| x[place(i)])).collect()
}

fn cosets(prime: Prime, log_n: u32) -> Vec<Coset> {
    let p = prime.value();
    let mut cosets = vec![Coset::Subgroup, Coset::Shift(1), Coset::Shift(p - 1), Coset::Shift(p / 2)];
    if prime.two_adicity() > log_n {
        cosets.push(Coset::Negacyclic);
    }
    cosets
}

#[test]
fn every_transform_is_what_the_definition_says() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for prime in primes() {
        for log_n in 1..=prime.two_adicity().min(10) {
            for (coset, direction) in
                cosets(prime, log_n).into_iter().flat_map(|c| DIRECTIONS.map(|d| (c, d)))
            {
                let batch = if log_n < 8 { 37 } else { 2 };
                let natural = Transform::new(prime, 1 << log_n)
                    .unwrap()
                    .with_batch(batch)
                    .with_direction(direction)
                    .with_coset(coset);
                let mut x = random(&mut rng, prime, natural.len());
                x[..1 << log_n].fill(prime.value() - 1);
                let y = natural.by_definition(&x).unwrap();
                for (input, output) in ORDERS.into_iter().flat_map(|i| ORDERS.map(|o| (i, o))) {
                    let transform = natural.with_input(input).with_output(output);
                    for instructions in Instructions::available() {
                        let mut data = ordered(&x, input, log_n);
                        Plan::with_instructions(&transform, 1, instructions).unwrap().run(&mut data).unwrap();
                        assert!(data == ordered(&y, output, log_n), "{transform:?} {instructions:?}");
                    }
                }
            }
        }
    }
}

/// X_j by Horner's rule, natural order on both sides.
fn value(transform: &Transform, x: &[u32], j: usize) -> u32 {
    let p = transform.prime();
    let point = p.mul(transform.shift().unwrap(), p.pow(transform.root().unwrap(), j as u64));
    x.iter().rev().fold(0, |sum, &c| p.add(p.mul(sum, point), c))
}

#[test]
fn long_transforms_have_the_right_values_and_come_back() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    for (prime, log_n, coset) in [
        (BABY_BEAR, 13, Coset::Subgroup),
        (BABY_BEAR, 14, Coset::Negacyclic),
        (KOALA_BEAR, 15, Coset::Shift(3)),
        (BABY_BEAR, 16, Coset::Shift(31)),
        (Prime::new(469_762_049).unwrap(), 17, Coset::Subgroup),
        (KOALA_BEAR, 18, Coset::Subgroup),
        (BABY_BEAR, 19, Coset::Negacyclic),
    ] {
        let forward = Transform::new(prime, 1 << log_n).unwrap().with_coset(coset);
        let mut x = random(&mut rng, prime, 1 << log_n);
        x[..1 << (log_n - 1)].fill(prime.value() - 1);
        for (instructions, threads) in Instructions::available().into_iter().flat_map(|i| [(i, 1), (i, 3)]) {
            for (input, output) in ORDERS.into_iter().flat_map(|i| ORDERS.map(|o| (i, o))) {
                let forward = forward.with_input(input).with_output(output);
                let mut data = ordered(&x, input, log_n);
                let before = data.clone();
                Plan::with_instructions(&forward, threads, instructions).unwrap().run(&mut data).unwrap();
                let y = ordered(&data, output, log_n);
                for j in [0, 1, x.len() / 2, x.len() - 1, rng.random_range(0..x.len())] {
                    assert_eq!(y[j], value(&forward, &x, j), "{forward:?} {instructions:?} {threads} at {j}");
                }
                let inverse = forward.inverted();
                Plan::with_instructions(&inverse, threads, instructions).unwrap().run(&mut data).unwrap();
                assert!(data == before, "{forward:?} {instructions:?} {threads}");
            }
        }
    }
}

#[test]
fn batches_are_the_same_on_any_number_of_threads() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for (log_n, batch) in [(1, 40_001), (5, 3_333), (7, 1_000), (12, 19), (16, 2), (16, 7)] {
        for output in ORDERS {
            let transform =
                Transform::new(BABY_BEAR, 1 << log_n).unwrap().with_batch(batch).with_output(output);
            let x = random(&mut rng, BABY_BEAR, transform.len());
            let mut one = x.clone();
            for vector in one.chunks_exact_mut(1 << log_n) {
                cpu::transform(&transform.with_batch(1), vector, 1).unwrap();
            }
            for threads in [0, 1, 2, 3, 8] {
                let mut data = x.clone();
                cpu::transform(&transform, &mut data, threads).unwrap();
                assert!(data == one, "2^{log_n} x {batch} on {threads} threads");
            }
        }
    }
}

#[test]
fn what_cannot_be_transformed_is_an_error() {
    let four = Transform::new(BABY_BEAR, 4).unwrap();
    let fault = |transform: Transform, data: &mut [u32]| cpu::transform(&transform, data, 1).unwrap_err();
    assert!(matches!(fault(four, &mut [1, 2, 3]), Error::WrongLength { expected: 4, found: 3, .. }));
    let two = four.with_batch(2);
    assert!(matches!(fault(two, &mut [1, 2, 3, 4]), Error::WrongLength { expected: 8, found: 4, .. }));
    let large = &mut [1, 2, 3, BABY_BEAR.value()];
    assert!(matches!(fault(four, large), Error::NotReduced { index: 3, .. }));
    for shift in [0, BABY_BEAR.value()] {
        let on_coset = four.with_coset(Coset::Shift(shift));
        assert!(matches!(fault(on_coset, &mut [1, 2, 3, 4]), Error::OutOfRange { .. }));
    }
    for n in [0, 1, 3, 1 << 28, 1 << 31, 1 << 32, usize::MAX] {
        let value = n as u64;
        let refused = Transform::new(BABY_BEAR, n);
        assert!(matches!(refused, Err(Error::NotAPowerOfTwo { value: v, .. }) if v == value), "{n}");
    }
    let five = Transform::new(Prime::new(5).unwrap(), 4).unwrap();
    let negacyclic = five.with_coset(Coset::Negacyclic);
    let error = fault(negacyclic, &mut [1, 2, 3, 4]);
    assert!(matches!(error, Error::NoRootOfUnity { modulus: Some(5), log_order: 3, largest: 2 }), "{error}");
    let mut nothing = [];
    cpu::transform(&four.with_batch(0), &mut nothing, 0).unwrap();
    // An entry that is too large is named, wherever it is.
    let long = Transform::new(BABY_BEAR, 1 << 16).unwrap();
    for (i, threads) in [(0, 1), (40_000, 1), ((1 << 16) - 1, 0)] {
        let mut data = vec![0; 1 << 16];
        data[i] = u32::MAX;
        match cpu::transform(&long, &mut data, threads) {
            Err(Error::NotReduced { index, .. }) => assert_eq!(index, i),
            other => panic!("{other:?}"),
        }
    }
}

fn transformed(transform: &Transform, x: &[u32]) -> Vec<u32> {
    let mut data = x.to_vec();
    cpu::transform(transform, &mut data, 1).unwrap();
    data
}

/// A transform of any variant, and two vectors for it.
fn cases() -> impl Strategy<Value = (Transform, Vec<u32>, Vec<u32>)> {
    let kinds = (1..12u32, any::<[bool; 3]>(), 0..3usize, 0..4usize);
    kinds.prop_flat_map(|(log_n, [forward, input, output], coset, prime)| {
        let prime = Prime::new([7_340_033, 469_762_049, 2_013_265_921, 2_130_706_433][prime]).unwrap();
        let transform = Transform::new(prime, 1 << log_n)
            .unwrap()
            .with_direction(DIRECTIONS[usize::from(forward)])
            .with_input(ORDERS[usize::from(input)])
            .with_output(ORDERS[usize::from(output)])
            .with_coset([Coset::Subgroup, Coset::Shift(12_345), Coset::Negacyclic][coset]);
        let vector = prop::collection::vec(0..prime.value(), 1 << log_n);
        (Just(transform), vector.clone(), vector)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn transforms_are_linear((transform, x, y) in cases(), factor: u32) {
        let p = transform.prime();
        let factor = factor % p.value();
        let combine = |x: &[u32], y: &[u32]| -> Vec<u32> {
            x.iter().zip(y).map(|(&x, &y)| p.add(x, p.mul(factor, y))).collect()
        };
        let sum = transformed(&transform, &combine(&x, &y));
        prop_assert_eq!(sum, combine(&transformed(&transform, &x), &transformed(&transform, &y)));
    }

    /// Rotating the coefficients by one multiplies value j by w^j.
    #[test]
    fn rotation_becomes_multiplication((transform, mut x, _) in cases()) {
        let p = transform.prime();
        let transform = transform.with_direction(Direction::Forward).with_coset(Coset::Subgroup).with_input(Order::Natural).with_output(Order::Natural);
        let mut expected = transformed(&transform, &x);
        let mut power = 1;
        for value in &mut expected {
            *value = p.mul(*value, power);
            power = p.mul(power, transform.root().unwrap());
        }
        x.rotate_right(1);
        prop_assert_eq!(transformed(&transform, &x), expected);
    }

    /// The values of a product modulo x^n - g^n are the products of the values.
    #[test]
    fn convolution_becomes_multiplication((transform, x, y) in cases()) {
        let (p, n) = (transform.prime(), transform.n());
        let forward = transform.with_direction(Direction::Forward).with_input(Order::Natural);
        let inverse = forward.inverted();
        let wrap = p.pow(forward.shift().unwrap(), n as u64);
        let mut expected = vec![0; n];
        for (i, &a) in x.iter().enumerate() {
            for (j, &b) in y.iter().enumerate() {
                let term = p.mul(a, if i + j < n { b } else { p.mul(b, wrap) });
                expected[(i + j) % n] = p.add(expected[(i + j) % n], term);
            }
        }
        let (x, y) = (transformed(&forward, &x), transformed(&forward, &y));
        let products: Vec<u32> = x.iter().zip(&y).map(|(&x, &y)| p.mul(x, y)).collect();
        prop_assert_eq!(transformed(&inverse, &products), expected);
    }
}

#[test]
fn every_thread_has_a_track() {
    let (short, long) =
        (Transform::new(BABY_BEAR, 1 << 10).unwrap(), Transform::new(BABY_BEAR, 1 << 17).unwrap());
    for (transform, names) in [
        (short, &["transforms"][..]),
        (short.with_batch(64), &["transforms"]),
        (long, &["blocks", "columns"]),
    ] {
        let timeline = Timeline::detailed();
        let device = Device::Cpu(Cpu { threads: 2, timeline: timeline.clone(), ..Cpu::default() });
        let mut data = vec![1; transform.len()];
        transform.plan(&device).unwrap().prepare(&device).unwrap().run(&mut data).unwrap();
        let events = timeline.recording().events;
        let tasks: Vec<_> = events.iter().filter(|event| event.thread.is_some()).collect();
        assert!(tasks.iter().all(|task| task.thread < Some(2) && task.phase == Phase::Host));
        for name in names {
            assert!(tasks.iter().any(|task| task.name == *name), "{transform:?}: {name} is not in {tasks:?}");
        }
        // Without details there are no tasks.
        let device = Device::Cpu(Cpu { threads: 2, ..Cpu::default() });
        transform.plan(&device).unwrap().prepare(&device).unwrap().run(&mut data).unwrap();
        assert!(device.timeline().recording().events.iter().all(|event| event.thread.is_none()));
    }
}
