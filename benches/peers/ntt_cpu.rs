//! The CPU engine beside Plonky3 and tfhe-ntt, one thread, in one run.
//!
//!     RUSTFLAGS="-C target-cpu=native" cargo bench -p wgalois-peers --bench ntt_cpu
//!
//! The flags are for Plonky3, which chooses its instructions when it is compiled; the
//! other two choose when they run. Every answer is checked before it is timed. Times are
//! medians; the table at the end gives those of the peers as multiples of ours.

mod common;

use common::Peers;
use p3_baby_bear::BabyBear;
use p3_dft::{Radix2DitParallel, TwoAdicSubgroupDft};
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;
use p3_monty_31::dft::RecursiveDft;
use wgalois::field::{BABY_BEAR, Prime};
use wgalois::ntt::cpu::{Convolution, Instructions, Plan};
use wgalois::ntt::{Coset, Direction, Order, Transform};
use wgalois_benches::compared::naive;

fn main() {
    let mut peers = Peers::new(20, 3000, 5000);
    for log_n in [12, 16, 20, 22] {
        transforms(&mut peers, log_n);
    }
    for log_n in [12, 16, 20] {
        negacyclic_products(&mut peers, log_n);
    }
    batch(&mut peers);
    published_product(&mut peers);
    if !cfg!(target_feature = "avx2") {
        println!(
            "\nPlonky3 was compiled without vector instructions: set RUSTFLAGS=\"-C target-cpu=native\""
        );
    }
    peers.print();
}

fn words(prime: Prime, n: usize) -> Vec<u32> {
    (0..n as u64).map(|i| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33) as u32 % prime.value()).collect()
}

/// One forward transform modulo BabyBear, to bit-reversed and to natural order.
fn transforms(peers: &mut Peers, log_n: u32) {
    let n = 1 << log_n;
    let x = words(BABY_BEAR, n);
    let theirs = RecursiveDft::<BabyBear>::new(n);
    let column = RowMajorMatrix::new_col(x.iter().map(|&x| BabyBear::from_u32(x)).collect());
    let natural = Transform::new(BABY_BEAR, n).unwrap();
    let values: Vec<u32> = theirs
        .dft_batch(column.clone())
        .to_row_major_matrix()
        .values
        .iter()
        .map(|x| x.as_canonical_u32())
        .collect();
    for (order, name) in [(Order::BitReversed, "bit-reversed"), (Order::Natural, "natural")] {
        let work = format!("forward 2^{log_n:02} to {name} order");
        for instructions in Instructions::available() {
            let transform = natural.with_output(order);
            let plan = Plan::with_instructions(&transform, 1, instructions).unwrap();
            let mut y = x.clone();
            plan.run(&mut y).unwrap();
            let back = natural.with_direction(Direction::Inverse).with_input(order);
            Plan::new(&back, 1).unwrap().run(&mut y).unwrap();
            assert!(y == x, "{work}: the inverse does not come back");
            if order == Order::Natural {
                plan.run(&mut y).unwrap();
                assert!(y == values, "{work}: Plonky3 has other values");
            }
            peers.time((&work, &format!("ours, {instructions}")), &x, |mut x| {
                plan.run(&mut x).unwrap();
                x
            });
        }
        match order {
            Order::BitReversed => {
                peers.time((&work, "Plonky3"), &column, |x| theirs.dft_batch(x));
            }
            Order::Natural => {
                peers.time((&work, "Plonky3"), &column, |x| theirs.dft_batch(x).to_row_major_matrix())
            }
        }
    }
}

/// 64 vectors of 2^16: theirs are the columns of a matrix.
fn batch(peers: &mut Peers) {
    let (batch, n, work) = (64, 1 << 16, "forward 64 x 2^16 to bit-reversed order");
    let x = words(BABY_BEAR, batch * n);
    let ours = Transform::new(BABY_BEAR, n).unwrap().with_batch(batch).with_output(Order::BitReversed);
    let plan = Plan::new(&ours, 1).unwrap();
    let rows = RowMajorMatrix::new(x.iter().map(|&x| BabyBear::from_u32(x)).collect(), n);
    let columns = rows.transpose();
    let theirs = Radix2DitParallel::<BabyBear>::default();
    let values = theirs.dft_batch(columns.clone()).to_row_major_matrix().transpose().values;
    let mut y = x.clone();
    Plan::new(&ours.with_output(Order::Natural), 1).unwrap().run(&mut y).unwrap();
    assert!(values.iter().map(|x| x.as_canonical_u32()).eq(y), "{work}: Plonky3 has other values");
    peers.time((work, "ours"), &x, |mut x| {
        plan.run(&mut x).unwrap();
        x
    });
    peers.time((work, "Plonky3"), &columns, |x| theirs.dft_batch(x));
}

/// Negacyclic transforms and products.
fn negacyclic_products(peers: &mut Peers, log_n: u32) {
    let (n, work) = (1 << log_n, format!("negacyclic forward 2^{log_n:02}"));
    let theirs = tfhe_ntt::prime32::Plan::try_new(n, BABY_BEAR.value()).unwrap();
    let (a, b) = (words(BABY_BEAR, n), words(BABY_BEAR, n + 1)[1..].to_vec());
    let ours = Convolution::new(BABY_BEAR, log_n, true, 1).unwrap();
    let their_product = |mut a: Vec<u32>| {
        let mut b = b.clone();
        theirs.fwd(&mut a);
        theirs.fwd(&mut b);
        theirs.mul_assign_normalize(&mut a, &b);
        theirs.inv(&mut a);
        a
    };
    assert!(
        their_product(a.clone()) == ours.multiply(&a, &b).unwrap(),
        "{work}: tfhe-ntt has another product"
    );
    let transform =
        Transform::new(BABY_BEAR, n).unwrap().with_coset(Coset::Negacyclic).with_output(Order::BitReversed);
    for instructions in Instructions::available() {
        let plan = Plan::with_instructions(&transform, 1, instructions).unwrap();
        peers.time((&work, &format!("ours, {instructions}")), &a, |mut a| {
            plan.run(&mut a).unwrap();
            a
        });
    }
    peers.time((&work, "tfhe-ntt"), &a, |mut a| {
        theirs.fwd(&mut a);
        a
    });
    let work = format!("negacyclic product 2^{log_n:02}");
    peers.time((&work, "ours"), &a, |a| ours.multiply(&a, &b).unwrap());
    peers.time((&work, "tfhe-ntt"), &a, their_product);
}

/// The published case: polynomials of 131072 terms, against the naive baseline.
fn published_product(peers: &mut Peers) {
    let prime = Prime::new(469_762_049).unwrap();
    let (a, b) = (words(prime, 131_072), words(prime, 131_073)[1..].to_vec());
    let ours = Convolution::new(prime, 18, false, 1).unwrap();
    let product = naive::multiply(prime, &a, &b).unwrap();
    assert!(ours.multiply(&a, &b).unwrap()[..product.len()] == product, "the naive product differs");
    let work = "product of 131072 terms, modulo 469762049";
    peers.time((work, "ours"), &a, |a| ours.multiply(&a, &b).unwrap());
    peers.time((work, "naive"), &a, |a| naive::multiply(prime, &a, &b).unwrap());
}
