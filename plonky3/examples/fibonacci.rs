//! Proves and verifies a Fibonacci sequence with p3-uni-stark, once with Plonky3's transforms and once with those of a
//! device. Only the type of the transforms differs.
//!
//!     cargo run --release -p wgalois-plonky3 --example fibonacci [log2 of the rows]

use p3_air::{Air, AirBuilder, BaseAir, WindowAccess};
use p3_baby_bear::{BabyBear, Poseidon2BabyBear, default_babybear_poseidon2_16};
use p3_challenger::DuplexChallenger;
use p3_commit::ExtensionMmcs;
use p3_dft::{Radix2DitParallel, TwoAdicSubgroupDft};
use p3_field::extension::BinomialExtensionField;
use p3_field::{Field, PrimeCharacteristicRing};
use p3_fri::{FriParameters, TwoAdicFriPcs};
use p3_matrix::dense::RowMajorMatrix;
use p3_merkle_tree::MerkleTreeMmcs;
use p3_symmetric::{PaddingFreeSponge, TruncatedPermutation};
use p3_uni_stark::{StarkConfig, prove, verify};
use std::time::Instant;
use wgalois::gpu::Gpu;
use wgalois::{Cpu, Device};
use wgalois_plonky3::{Crossover, WgaloisDft};

type Val = BabyBear;
type Challenge = BinomialExtensionField<Val, 4>;
type Permutation = Poseidon2BabyBear<16>;
type Hash = PaddingFreeSponge<Permutation, 16, 8, 8>;
type Compress = TruncatedPermutation<Permutation, 2, 8, 16>;
type ValMmcs = MerkleTreeMmcs<<Val as Field>::Packing, <Val as Field>::Packing, Hash, Compress, 2, 8>;
type ChallengeMmcs = ExtensionMmcs<Val, Challenge, ValMmcs>;
type Challenger = DuplexChallenger<Val, Permutation, 16, 8>;
type Pcs<Dft> = TwoAdicFriPcs<Val, Dft, ValMmcs, ChallengeMmcs>;

/// Rows (a, b): the next is (b, a + b). The public values are the first row and the last b.
struct Fibonacci;

impl<F> BaseAir<F> for Fibonacci {
    fn width(&self) -> usize {
        2
    }

    fn num_public_values(&self) -> usize {
        3
    }
}

impl<AB: AirBuilder> Air<AB> for Fibonacci {
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let [first_a, first_b, last_b] = [0, 1, 2].map(|i| builder.public_values()[i]);
        let [a, b] = [0, 1].map(|i| main.current_slice()[i]);
        let [next_a, next_b] = [0, 1].map(|i| main.next_slice()[i]);
        builder.when_first_row().assert_eq(a, first_a);
        builder.when_first_row().assert_eq(b, first_b);
        builder.when_transition().assert_eq(b, next_a);
        builder.when_transition().assert_eq(a + b, next_b);
        builder.when_last_row().assert_eq(b, last_b);
    }
}

fn trace(rows: usize) -> RowMajorMatrix<Val> {
    let mut row = (Val::ZERO, Val::ONE);
    let next = |_| {
        let (a, b) = row;
        row = (b, a + b);
        [a, b]
    };
    RowMajorMatrix::new((0..rows).flat_map(next).collect(), 2)
}

/// Proves and verifies with these transforms, as every program over p3-uni-stark does.
fn prove_and_verify<Dft: TwoAdicSubgroupDft<Val>>(name: &str, dft: Dft, log_rows: usize) {
    let permutation = default_babybear_poseidon2_16();
    let (hash, compress) = (Hash::new(permutation.clone()), Compress::new(permutation.clone()));
    let val_mmcs = ValMmcs::new(hash, compress, 0);
    let parameters = FriParameters::new_benchmark(ChallengeMmcs::new(val_mmcs.clone()));
    let pcs = Pcs::new(dft, val_mmcs, parameters);
    let config = StarkConfig::<_, Challenge, _>::new(pcs, Challenger::new(permutation));

    let trace = trace(1 << log_rows);
    let public = [Val::ZERO, Val::ONE, trace.values[trace.values.len() - 1]];
    let begin = Instant::now();
    let proof = prove(&config, &Fibonacci, trace, &public).expect("a proof of a valid trace");
    let proved = begin.elapsed();
    verify(&config, &Fibonacci, &proof, &public).expect("a valid proof");
    let wrong = [Val::ZERO, Val::ONE, public[2] + Val::ONE];
    assert!(verify(&config, &Fibonacci, &proof, &wrong).is_err(), "the verifier accepts another sequence");
    println!("{name}: proved 2^{log_rows} rows in {proved:.1?}, and verified");
}

fn main() {
    let log_rows = std::env::args().nth(1).map_or(10, |rows| rows.parse().expect("log2 of the rows"));
    prove_and_verify("Radix2DitParallel", Radix2DitParallel::<Val>::default(), log_rows);

    // A program that proves large traces takes `WgaloisDft::default()`. Here the device has to show what it can do.
    let (name, device) = match Gpu::new() {
        Ok(gpu) => (gpu.adapter().name.clone(), Device::Gpu(gpu)),
        Err(_) => ("the CPU engine".to_owned(), Device::Cpu(Cpu::default())),
    };
    let dft = WgaloisDft::<Val>::on(device).with_crossover(Crossover::Words(0));
    prove_and_verify(&format!("WgaloisDft on {name}"), dft.clone(), log_rows);
    if let Some(error) = dft.last_error() {
        panic!("the device failed: {error}");
    }
    println!("The device did {} calls of the prover.", dft.device_runs());
    assert!(dft.device_runs() > 0);
}
