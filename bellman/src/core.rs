//! The prover behind those of both peers.

use std::sync::atomic::{AtomicBool, Ordering};

use ark_bls12_381::{Bls12_381, Fr};
use wgalois::Device;
use wgalois::task::Problem;
use wgalois_proofs::groth16::{EvaluatedWitness, Proof, Prover, Proving, ProvingKey};

use crate::batch::in_order;
use crate::synthesis::Synthesised;
use crate::{Counts, Error, Result};

/// r and s.
pub(crate) type Random = (Fr, Fr);

/// A key on a device, with the counts that its circuit has.
pub(crate) struct Core {
    prover: Prover<Bls12_381>,
    counts: Counts,
    /// True when a proof has verified: the key is that of the circuit.
    is_verified: AtomicBool,
}

impl Core {
    pub(crate) fn new(device: &Device, key: ProvingKey<Bls12_381>) -> Result<Self> {
        let plan = Proving::of(&key).plan(device)?;
        let queries = &key.queries;
        let counts = Counts {
            inputs: key.verifying.public.len(),
            aux: queries.secret.len(),
            a: queries.a.len(),
            b: queries.b.len(),
            h: queries.quotient.len(),
        };
        let prover = Prover::new(device, &plan, key)?;
        Ok(Core { prover, counts, is_verified: AtomicBool::new(false) })
    }

    pub(crate) fn library(&self) -> &Prover<Bls12_381> {
        &self.prover
    }

    pub(crate) fn counts(&self) -> Counts {
        self.counts
    }

    /// The proof of one circuit.
    pub(crate) fn prove(&self, circuit: Result<Synthesised>, random: Random) -> Result<Proof<Bls12_381>> {
        let mut proofs = self.prove_group(vec![circuit], &[random]);
        proofs.pop().unwrap_or_else(|| Err(no_proof()))
    }

    /// The proofs of a batch, with one outcome for each circuit. With `stops`, nothing is proved behind a circuit that is refused,
    /// and the outcomes end with its own.
    pub(crate) fn prove_batch<C: Send>(
        &self,
        circuits: Vec<C>,
        random: &[Random],
        synthesise: impl Fn(C) -> Result<Synthesised> + Sync,
        stops: bool,
    ) -> Result<Vec<Result<Proof<Bls12_381>>>> {
        let mut outcomes = Vec::with_capacity(circuits.len());
        in_order(circuits, synthesise, |first, mut group| {
            if stops {
                let good = group.iter().position(Result::is_err).map_or(group.len(), |bad| bad + 1);
                group.truncate(good);
            }
            let random = &random[first..first + group.len()];
            outcomes.extend(self.prove_group(group, random));
            !stops || outcomes.iter().all(Result::is_ok)
        })?;
        Ok(outcomes)
    }

    /// The outcomes of circuits that are proved together.
    fn prove_group(
        &self,
        group: Vec<Result<Synthesised>>,
        random: &[Random],
    ) -> Vec<Result<Proof<Bls12_381>>> {
        let fitting = |circuit: Result<Synthesised>| circuit.and_then(|circuit| self.expect(circuit));
        let circuits: Vec<_> = group.into_iter().map(fitting).collect();
        let good = circuits
            .iter()
            .zip(random)
            .filter_map(|(circuit, random)| circuit.as_ref().ok().map(|circuit| (&circuit.witness, *random)));
        let (witnesses, random): (Vec<_>, Vec<_>) = good.unzip();
        let mut proofs = self.prove_evaluated(&witnesses, &random).into_iter();
        let outcome = |circuit: Result<Synthesised>| {
            let circuit = circuit?;
            let proof = proofs.next().unwrap_or_else(|| Err(no_proof()))?;
            self.verify_first(&proof, &circuit.public)?;
            Ok(proof)
        };
        circuits.into_iter().map(outcome).collect()
    }

    /// A proof of each, or an error.
    fn prove_evaluated(
        &self,
        witnesses: &[&EvaluatedWitness<Fr>],
        random: &[Random],
    ) -> Vec<Result<Proof<Bls12_381>>> {
        match (self.prover.prove_evaluated(witnesses, random), witnesses.len()) {
            (Ok(proofs), _) => proofs.into_iter().map(Ok).collect(),
            (Err(error), 1) => vec![Err(error.into())],
            // A shortage of memory, for example, may concern only several together.
            (Err(_), count) => {
                let alone = |i: usize| self.prove_evaluated(&witnesses[i..=i], &random[i..=i]);
                (0..count).flat_map(alone).collect()
            }
        }
    }

    /// Verifies proofs until one holds. A key with a weakness proves as it does in bellman.
    fn verify_first(&self, proof: &Proof<Bls12_381>, public: &[Fr]) -> Result<()> {
        if self.is_verified.load(Ordering::Relaxed) {
            return Ok(());
        }
        match self.prover.verifier().check_equation(proof, public.get(1..).unwrap_or_default()) {
            Ok(_) => {
                self.is_verified.store(true, Ordering::Relaxed);
                Ok(())
            }
            Err(wgalois::Error::Check(_)) => Err(Error::Unverified),
            Err(error) => Err(error.into()),
        }
    }

    /// Refuses a circuit with other counts than those of the key.
    fn expect(&self, circuit: Synthesised) -> Result<Synthesised> {
        match circuit.counts == self.counts {
            true => Ok(circuit),
            false => Err(Error::OtherCircuit { key: self.counts, circuit: circuit.counts }),
        }
    }
}

fn no_proof() -> Error {
    Error::Library(wgalois::Error::Device("one witness gave no proof".into()))
}
