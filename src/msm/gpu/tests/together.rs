//! Vectors of scalars that are multiplied together, against known logarithms.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use super::devices;
use super::whole::PRECOMPUTES;
use crate::Device;
use crate::curve::Bn254;
use crate::msm::{Known, Multiplication, Settings, random_scalars};
use crate::task::Problem;

/// Vectors that are multiplied together: of one length and of several, more and fewer than a batch, by tables and without.
#[test]
fn vectors_together_have_the_sums_of_each() {
    for gpu in devices() {
        let known = Known::<Bn254>::random(150, 3);
        let scalars = random_scalars::<Bn254>(150, &mut ChaCha8Rng::seed_from_u64(4));
        let vectors: [&[_]; 6] =
            [&scalars[..1], &scalars[..], &[], &scalars[..77], &scalars[50..], &scalars[..]];
        let expected = vectors.map(|scalars| known.sum(scalars));
        let device = Device::Gpu(gpu.clone());
        for (precompute, together) in PRECOMPUTES.into_iter().zip([2, 4, 6]) {
            for rounds in [0, 2] {
                let settings =
                    Settings::default().with_precompute(precompute).with_width(6).with_pair_rounds(rounds);
                let problem = Multiplication::new(150).with_settings(settings).with_vectors(together);
                let plan = problem.plan(&device).unwrap();
                assert_eq!(plan.cut().unwrap().together, together, "{plan}");
                let bases = plan.prepare(&device, &known.points).unwrap();
                assert_eq!(bases.run_many(&vectors).unwrap(), expected, "{plan}");
                assert_eq!(bases.run_many(&vectors[2..3]).unwrap(), expected[2..3]);
                assert_eq!(bases.multiply(&scalars).unwrap(), expected[1]);
            }
        }
    }
}
