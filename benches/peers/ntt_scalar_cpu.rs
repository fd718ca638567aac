//! The CPU engine's transforms over the scalar field of BLS12-381 beside ark-poly's parallel radix-2 transforms, in one
//! run.
//!
//!     cargo bench -p wgalois-peers --bench ntt_scalar_cpu
//!
//! Both transform coefficients in natural order to values in natural order, on all cores, in place; ours also to
//! bit-reversed order, which is what provers between two transforms take. The values are compared before. Times are
//! medians; the table at the end gives those of the peer as multiples of ours.

mod common;

use ark_ff::UniformRand;
use ark_poly::{EvaluationDomain, Radix2EvaluationDomain};
use ark_std::rand::SeedableRng;
use ark_std::rand::rngs::StdRng;
use common::Peers;
use wgalois::curve::{Bls12_381, ScalarField};
use wgalois::ntt::Order;
use wgalois::ntt::scalar::Transform;
use wgalois::task::Problem;
use wgalois::{Cpu, Device};

type Fr = ScalarField<Bls12_381>;

fn main() {
    let mut peers = Peers::new(10, 500, 3000);
    for log_n in [12, 16, 18] {
        transforms(&mut peers, log_n);
    }
    peers.print();
}

fn transforms(peers: &mut Peers, log_n: u32) {
    let (n, work) = (1usize << log_n, format!("2^{log_n} to natural order"));
    let mut rng = StdRng::seed_from_u64(1);
    let coefficients: Vec<Fr> = (0..n).map(|_| Fr::rand(&mut rng)).collect();
    let device = Device::Cpu(Cpu::default());
    let transform = Transform::<Fr>::new(n).unwrap();
    let ours = transform.plan(&device).unwrap().prepare(&device).unwrap();
    let reversed = transform.with_output(Order::BitReversed).plan(&device).unwrap().prepare(&device).unwrap();
    let domain = Radix2EvaluationDomain::<Fr>::new(n).unwrap();
    let mut values = coefficients.clone();
    ours.run(&mut values).unwrap();
    assert!(values == domain.fft(&coefficients));
    peers.time((&work, "ours"), &coefficients, |mut data| {
        ours.run(&mut data).unwrap();
        data
    });
    peers.time((&work, "ours, bit-reversed"), &coefficients, |mut data| {
        reversed.run(&mut data).unwrap();
        data
    });
    peers.time((&work, "ark-poly"), &coefficients, |mut data| {
        domain.fft_in_place(&mut data);
        data
    });
}
