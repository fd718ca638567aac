//! The provers of both peers, which differ in the peers' types and in the order of their randomness.

/// Declares `Prover` for a peer, and what takes the peer's circuits, parameters and scalars and gives its proofs. Its module has the
/// peer's `Scalar`, `Field`, `Bls12`, `G1Affine`, `G2Affine`, `Parameters`, `Proof`, `Circuit` and `Rng` (a trait), and `to_library`
/// and `draw`.
macro_rules! prover {
    ($(#[$doc:meta])*) => {
        $(#[$doc])*
        pub struct Prover {
            core: $crate::core::Core,
        }

        impl Prover {
            /// Prepares a key on a device. A key does not hold its circuit's constraints, and nothing is known of them before the
            /// first proof.
            pub fn new<K: $crate::Key + ?Sized>(device: &wgalois::Device, params: &K) -> $crate::Result<Self> {
                let key = params.proving_key(device)?;
                Ok(Prover { core: $crate::core::Core::new(device, key)? })
            }

            /// The library's own form.
            pub fn library(&self) -> &wgalois_proofs::groth16::Prover<ark_bls12_381::Bls12_381> {
                self.core.library()
            }

            /// The counts that the key's circuit has.
            pub fn counts(&self) -> $crate::Counts {
                self.core.counts()
            }

            /// A proof, as `create_random_proof`: with the same numbers from `rng`, the same proof.
            pub fn prove<C, R>(&self, circuit: C, rng: &mut R) -> $crate::Result<Proof>
            where
                C: Circuit<Scalar>,
                R: Rng,
            {
                let r = Scalar::random(&mut *rng);
                let s = Scalar::random(&mut *rng);
                self.prove_with(circuit, r, s)
            }

            /// A proof with the randomness r and s, as `create_proof`. They have to be uniform, independent and secret for the
            /// proof to hide the witness.
            pub fn prove_with<C: Circuit<Scalar>>(
                &self,
                circuit: C,
                r: Scalar,
                s: Scalar,
            ) -> $crate::Result<Proof> {
                let random = (to_library(&r), to_library(&s));
                to_peer(&self.core.prove(synthesise(circuit), random)?)
            }

            /// A proof of each circuit. Each is synthesised on one thread, those of the batch beside each other, and the first is
            /// proved while the next ones are synthesised. The error is that of the first circuit that has one, with its index;
            /// those behind it are not proved.
            pub fn prove_batch<C, R>(&self, circuits: Vec<C>, rng: &mut R) -> $crate::Result<Vec<Proof>>
            where
                C: Circuit<Scalar> + Send,
                R: Rng,
            {
                let (r, s) = draw(circuits.len(), rng);
                self.prove_batch_with(circuits, r, s)
            }

            /// [`prove_batch`](Self::prove_batch) with the randomness r and s of each circuit.
            pub fn prove_batch_with<C: Circuit<Scalar> + Send>(
                &self,
                circuits: Vec<C>,
                r: Vec<Scalar>,
                s: Vec<Scalar>,
            ) -> $crate::Result<Vec<Proof>> {
                let outcomes = self.outcomes(circuits, r, s, true)?;
                let in_batch = |(index, outcome): (usize, $crate::Result<Proof>)| {
                    outcome.map_err(|error| $crate::Error::InBatch { index, error: Box::new(error) })
                };
                outcomes.into_iter().enumerate().map(in_batch).collect()
            }

            /// [`prove_batch`](Self::prove_batch) with an outcome for each circuit: one that is refused does not keep the others
            /// from being proved.
            pub fn prove_each<C, R>(
                &self,
                circuits: Vec<C>,
                rng: &mut R,
            ) -> $crate::Result<Vec<$crate::Result<Proof>>>
            where
                C: Circuit<Scalar> + Send,
                R: Rng,
            {
                let (r, s) = draw(circuits.len(), rng);
                self.outcomes(circuits, r, s, false)
            }

            fn outcomes<C: Circuit<Scalar> + Send>(
                &self,
                circuits: Vec<C>,
                r: Vec<Scalar>,
                s: Vec<Scalar>,
                stops: bool,
            ) -> $crate::Result<Vec<$crate::Result<Proof>>> {
                let count = circuits.len();
                for found in [r.len(), s.len()] {
                    if found != count {
                        return Err($crate::Error::RandomScalars { circuits: count, found });
                    }
                }
                let random: Vec<_> = r.iter().zip(&s).map(|(r, s)| (to_library(r), to_library(s))).collect();
                let outcomes = self.core.prove_batch(circuits, &random, synthesise, stops)?;
                Ok(outcomes.into_iter().map(|outcome| outcome.and_then(|proof| to_peer(&proof))).collect())
            }
        }

        fn to_peer(proof: &wgalois_proofs::groth16::Proof<ark_bls12_381::Bls12_381>) -> $crate::Result<Proof> {
            let first = |point| -> Option<G1Affine> {
                let bytes = wgalois_io::points::encode(point, false);
                G1Affine::from_uncompressed_unchecked(bytes.first_chunk()?).into()
            };
            let second = |point| -> Option<G2Affine> {
                let bytes = wgalois_io::points::encode(point, false);
                G2Affine::from_uncompressed_unchecked(bytes.first_chunk()?).into()
            };
            let points = || Some(Proof { a: first(&proof.a)?, b: second(&proof.b)?, c: first(&proof.c)? });
            points().ok_or_else($crate::Error::no_points)
        }

        fn synthesise<C: Circuit<Scalar>>(circuit: C) -> $crate::Result<$crate::synthesis::Synthesised> {
            let mut system = $crate::synthesis::Synthesis::with_one();
            let synthesis = |error| $crate::Error::Synthesis(Box::new(error));
            circuit.synthesize(&mut system).map_err(synthesis)?;
            system.finish()
        }

        impl $crate::Key for Parameters<Bls12> {
            fn proving_key(
                &self,
                _: &wgalois::Device,
            ) -> wgalois::Result<wgalois_proofs::groth16::ProvingKey<ark_bls12_381::Bls12_381>> {
                $crate::key::of_parameters(|bytes| self.write(bytes))
            }
        }

        impl $crate::synthesis::Value for Scalar {
            const ZERO: Self = <Scalar as Field>::ZERO;
            const ONE: Self = <Scalar as Field>::ONE;

            fn to_library(&self) -> ark_bls12_381::Fr {
                to_library(self)
            }
        }
    };
}

pub(crate) use prover;
