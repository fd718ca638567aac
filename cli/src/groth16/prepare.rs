//! What `prove` and `serve` share: the prover of a key, the witnesses of its circuit, the check of a proof.

use super::super::beside::while_compiling;
use super::keys::KeyForm;
use super::point_check::PointCheck;
use crate::prelude::*;
use wgalois::curve::PairingCurve;
use wgalois_proofs::groth16::{Prover, Proving, ProvingKey, ProvingPlan, Witness};
use wgalois_proofs::snarkjs;

/// The prover of a key that `read` reads from its file. While the kernels are compiled, the points are checked, if that is due, and go to
/// the device.
pub fn prepared<E: PairingCurve>(
    context: &Context,
    (device, plan): (&Device, &ProvingPlan<E>),
    (source, form): (&Source, &impl KeyForm<E>),
    points: PointCheck,
    read: impl FnOnce() -> Result<ProvingKey<E>>,
) -> Result<Prover<E>> {
    let is_due = points.is_due();
    while_compiling(
        device,
        || Prover::compile(device, plan, is_due),
        || {
            let key = read()?;
            if is_due {
                let check = || form.check(source, &key, device);
                context.step(Phase::Checking, "check the key's points", check)?;
            }
            points.passed(context);
            let key = form.complete(key)?;
            context.watch("prepare", || Prover::new(device, plan, key))
        },
    )
}

/// Reads the witness of a circuit, .wtns.
pub fn read_fitting<E: PairingCurve>(
    problem: &Proving<E>,
    source: &Source,
    memory: u64,
) -> Result<Witness<E::Scalar>> {
    let witness = snarkjs::read_witness::<E::Scalar>(source, memory)?;
    // Section 1 states the number of values.
    problem.expect(&witness).map_err(|error| source.error(format!("section 1: {error}")))?;
    Ok(witness)
}

/// The outcome of the check of a proof, made by a witness of this name.
pub fn explained(name: &Path, checked: Result<Guarantee>) -> Result<()> {
    checked.map(drop).map_err(|error| match error {
        Error::Check(_) => {
            let why = "the witness does not satisfy the circuit, or the device computed wrongly";
            Error::Check(format!("{}: the proof does not verify: {why}", text::name(name)).into())
        }
        other => other,
    })
}
