//! A transaction's bundle by Zcash's own builder, with the parameters of the ceremony: proofs of the device, accepted by Zcash's
//! own verifier, and equal to those of bellman from the same randomness.

use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;
use sapling_crypto::builder::{Builder, BundleType};
use sapling_crypto::circuit::{OutputParameters, SpendParameters};
use sapling_crypto::note_encryption::Zip212Enforcement;
use sapling_crypto::prover::{OutputProver, SpendProver};
use sapling_crypto::value::NoteValue;
use sapling_crypto::zip32::ExtendedSpendingKey;
use sapling_crypto::{BatchValidator, MerklePath, Node, Rseed};
use wgalois_bellman::sapling::{DeviceOutputProver, from_ceremony};
use wgalois_bellman::wgalois::{Cpu, Device};

const SIGHASH: [u8; 32] = [9; 32];

type Bundle = sapling_crypto::Bundle<sapling_crypto::bundle::Authorized, i64>;

fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// A bundle of one Spend, one Output and the Output of nothing that hides their number, proved by these provers.
fn bundle<SP: SpendProver, OP: OutputProver>(spend: &SP, output: &OP) -> Bundle {
    let key = ExtendedSpendingKey::master(&[7; 32]).unwrap();
    let viewing = key.to_diversifiable_full_viewing_key();
    let (_, address) = viewing.default_address();
    let note = address.create_note(NoteValue::from_raw(50_000), Rseed::AfterZip212([3; 32]));
    let siblings = (0..32u64).map(|level| Node::from_scalar(bls12_381::Scalar::from(level))).collect();
    let path = MerklePath::from_parts(siblings, 5.into()).unwrap();
    let anchor = path.root(Node::from_cmu(&note.cmu())).into();
    let mut builder = Builder::new(Zip212Enforcement::On, BundleType::DEFAULT, anchor);
    builder.add_spend(viewing.fvk().clone(), note, path).unwrap();
    builder.add_output(None, address, NoteValue::from_raw(40_000), [0; 512]).unwrap();
    let built = builder.build::<SP, OP, _, i64>(std::slice::from_ref(&key), rng(1)).unwrap();
    let (unproven, _) = built.unwrap();
    let proven = unproven.create_proofs(spend, output, rng(2), ());
    proven.apply_signatures(rng(3), SIGHASH, &[key.expsk().ask().clone()]).unwrap()
}

fn proofs(bundle: &Bundle) -> Vec<[u8; 192]> {
    let spends = bundle.shielded_spends().iter().map(|spend| *spend.zkproof());
    spends.chain(bundle.shielded_outputs().iter().map(|output| *output.zkproof())).collect()
}

#[test]
fn bundles_are_accepted_and_their_proofs_are_those_of_bellman() {
    let (spend, output) = wagyu_zcash_parameters::load_sapling_parameters();
    let spend = SpendParameters::read(&spend[..], false).unwrap();
    let output = OutputParameters::read(&output[..], false).unwrap();
    let (device_spend, device_output) = from_ceremony(&Device::Cpu(Cpu::default())).unwrap();
    let counts = device_spend.prover().counts();
    assert_eq!((counts.inputs, counts.h), (8, (1 << 17) - 1));
    let counts = device_output.prover().counts();
    assert_eq!((counts.inputs, counts.h), (6, (1 << 13) - 1));

    let ours = bundle(&device_spend, &device_output);
    assert!(device_spend.take_error().is_none() && device_output.take_error().is_none());
    let accepts = |bundle: Bundle| {
        let mut validator = BatchValidator::new();
        validator.check_bundle(bundle, SIGHASH)
            && validator.validate(&spend.verifying_key(), &output.verifying_key(), rng(4))
    };
    let proved = proofs(&ours);
    assert_eq!(proved.len(), 3);
    assert!(accepts(ours));
    // By bellman, from the same randomness.
    assert!(proved == proofs(&bundle(&spend, &output)));
}

/// A circuit that the key is not for: the builder gets bytes that no verifier accepts, and the caller the error.
#[test]
fn proofs_that_are_not_made_are_told_and_accepted_by_nobody() {
    let (device_spend, device_output) = from_ceremony(&Device::Cpu(Cpu::default())).unwrap();
    let circuit = sapling_crypto::circuit::Output {
        value_commitment_opening: None,
        payment_address: None,
        commitment_randomness: None,
        esk: None,
    };
    let proof = device_output.create_proof(circuit, &mut rng(5));
    assert!(proof.is_err());
    let bytes = DeviceOutputProver::encode_proof(proof);
    assert!(groth16::Proof::<bls12_381::Bls12>::read(&bytes[..]).is_err());
    let error = device_output.take_error().unwrap();
    assert!(matches!(error, wgalois_bellman::Error::Synthesis(_)), "{error}");
    assert!(device_output.take_error().is_none() && device_spend.take_error().is_none());
}
