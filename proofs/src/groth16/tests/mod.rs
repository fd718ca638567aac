//! Proofs of small circuits, from setups whose secrets are known.

#[cfg(feature = "ark-groth16")]
mod ark_groth16;
mod on_gpu;
mod paper;
mod refused;

use ark_ff::{Field, PrimeField};

use super::*;
use wgalois::curve::PairingCurve;
use wgalois::task::Problem;
use wgalois::{Cpu, Device};

type Bn = ark_bn254::Bn254;
type Bls = ark_bls12_381::Bls12_381;

pub(crate) fn cpu() -> Device {
    Device::Cpu(Cpu::default())
}

pub(crate) fn gpu() -> Device {
    Device::Gpu(crate::test_devices::open(wgalois::gpu::Options::default()))
}

pub(crate) fn setup<E: PairingCurve>() -> Setup<E> {
    let [tau, alpha, beta, gamma, delta] = [0x1234_5678_9abcu64, 3, 5, 7, 11].map(|value| {
        // Of full size, as secrets are.
        E::Scalar::from(value).pow([9u64])
    });
    Setup { tau, alpha, beta, gamma, delta }
}

pub(crate) fn prover<E: PairingCurve>(key: &ProvingKey<E>, device: &Device) -> Prover<E> {
    Prover::new(device, &Proving::of(key).plan(device).unwrap(), key.clone()).unwrap()
}

/// The witness of a chain with other first values.
pub(crate) fn witness_of<F: PrimeField>(circuit: &Circuit<F>, first: u64) -> Vec<F> {
    let mut witness = vec![F::ONE; circuit.variables];
    (witness[2], witness[3]) = (F::from(first), F::from(first + 1));
    let product = |row: &Row<F>, witness: &[F]| -> F {
        row.iter().map(|(factor, variable)| *factor * witness[*variable as usize]).sum()
    };
    for [a, b, c] in &circuit.constraints {
        witness[c[0].1 as usize] = product(a, &witness) * product(b, &witness);
    }
    witness
}

/// A row of entries with factor 1.
fn ones<F: PrimeField>(variables: &[u32]) -> Row<F> {
    variables.iter().map(|&variable| (F::ONE, variable)).collect()
}

/// Circuits of which a part is empty, each with a witness: their variables, public ones, and constraints.
pub(crate) fn circuits_with_empty_parts<F: PrimeField>() -> Vec<(&'static str, Circuit<F>, Vec<F>)> {
    let (one, none) = (|variables: &[u32]| ones::<F>(variables), Row::<F>::new);
    let square = [one(&[1]), one(&[1]), one(&[2])];
    let is_sum = [one(&[1, 2]), one(&[0]), one(&[3])];
    let list = vec![
        ("only the constant", (1, 0), vec![], vec![1]),
        ("only the constant, and its square", (1, 0), vec![[one(&[0]), one(&[0]), one(&[0])]], vec![1]),
        ("no constraints, one private variable", (2, 0), vec![], vec![1, 7]),
        ("no constraints, all public", (3, 2), vec![], vec![1, 7, 9]),
        ("no constraints", (6, 2), vec![], vec![1, 7, 9, 4, 4, 4]),
        ("all public, one constraint", (3, 2), vec![square.clone()], vec![1, 5, 25]),
        ("all public, linear", (4, 3), vec![is_sum.clone(), is_sum.clone()], vec![1, 5, 6, 11]),
        ("none public, one constraint", (3, 0), vec![square], vec![1, 5, 25]),
        ("none public, linear", (4, 0), vec![is_sum], vec![1, 5, 6, 11]),
        (
            "rows without entries",
            (3, 1),
            vec![[none(), none(), none()], [one(&[1]), none(), none()]],
            vec![1, 5, 2],
        ),
    ];
    let circuit = |(name, (variables, public), constraints, witness): (_, (usize, usize), _, Vec<u64>)| {
        (name, Circuit { variables, public, constraints }, witness.into_iter().map(F::from).collect())
    };
    list.into_iter().map(circuit).collect()
}

#[test]
fn plans_name_their_parts() {
    let plan = Proving::<Bls>::new(1000, 3, 10).with_proofs(4).plan(&cpu()).unwrap();
    let text = plan.to_string();
    assert!(text.contains("1000 variables") && text.contains("996 points of G1"), "{text}");
    // The plans of the parts: four multiplications, of which that by A is also that by B, and two transforms.
    let times = |line: &str| text.lines().filter(|own| own.starts_with(line)).count();
    assert_eq!([times("curve "), times("transforms     1 "), times("expected time ")], [4, 2, 7], "{text}");
    assert!(plan.cost().host_bytes > 0 && plan.cost().device_bytes == 0);
}
