//! Transforms over scalar fields, products and operations on vectors, on both engines, against the definition, ark-poly
//! and arkworks' arithmetic.

mod pieces;
mod plans;
mod products;
mod transforms;
mod vectors;

use crate::gpu_common::{full, open, portable};
use ark_std::rand::SeedableRng;
use ark_std::rand::rngs::StdRng;
use wgalois::ntt::scalar::{Coset, Transform};
use wgalois::ntt::{Direction, Order};
use wgalois::scalars::Scalar;
use wgalois::task::{Engine, Profile};
use wgalois::{Cpu, Device};

const ORDERS: [Order; 2] = [Order::Natural, Order::BitReversed];

/// Random scalars, with 0, 1 and r - 1 among them.
fn random<F: Scalar>(len: usize, seed: u64) -> Vec<F> {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut scalars: Vec<F> = (0..len).map(|_| F::rand(&mut rng)).collect();
    let edges = [F::ZERO, -F::ONE, F::ONE];
    for (scalar, edge) in scalars.iter_mut().skip(1).step_by(3).zip(edges) {
        *scalar = edge;
    }
    scalars
}

fn cpu() -> Device {
    Device::Cpu(Cpu::default())
}

/// With 64-bit integers, where the driver has them.
fn gpu() -> Device {
    Device::Gpu(full().clone())
}

/// With them and the other texts: long ones for compact ones, or compact ones for long ones; and those for few registers, or not.
fn gpus_with_other_texts() -> [Device; 2] {
    full().options_of_other_texts().map(|options| Device::Gpu(open(options)))
}

/// Without.
fn portable_gpu() -> Device {
    Device::Gpu(portable().clone())
}

/// Every direction, order and coset of transforms of length n.
fn all<F: Scalar>(n: usize) -> Vec<Transform<F>> {
    let mut transforms = Vec::new();
    for direction in [Direction::Forward, Direction::Inverse] {
        for (input, output) in ORDERS.into_iter().flat_map(|input| ORDERS.map(|output| (input, output))) {
            for coset in [Coset::Subgroup, Coset::Shift(F::GENERATOR), Coset::Negacyclic] {
                let transform = Transform::new(n).unwrap().with_direction(direction);
                transforms.push(transform.with_input(input).with_output(output).with_coset(coset));
            }
        }
    }
    transforms
}

/// The profile that this GPU would have with memory of its own, where short vectors are transformed by sums.
fn discrete(device: &Device) -> Profile {
    let mut profile = device.profile();
    match &mut profile.engine {
        Engine::Gpu(gpu) => gpu.is_discrete = true,
        engine => panic!("{engine:?} is no GPU"),
    }
    profile
}
