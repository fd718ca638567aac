//! Checks of transforms.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use wgalois::Error;
use wgalois::field::{BABY_BEAR, Prime};
use wgalois::ntt::{Transform, cpu, verify};

use super::{is_refused, primes, random, spoil, transforms};

#[test]
fn transforms_pass_and_single_wrong_words_do_not() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for prime in primes() {
        for log_n in (1..=prime.two_adicity().min(13)).step_by(3) {
            for transform in transforms(prime, log_n) {
                let before = random(&mut rng, prime, transform.len());
                let mut after = before.clone();
                cpu::transform(&transform, &mut after, 1).unwrap();
                verify::transform(&transform, &before, &after, &mut rng).unwrap();
                for _ in 0..20 {
                    let mut wrong = after.clone();
                    spoil(&mut rng, prime, &mut wrong);
                    assert!(
                        is_refused(verify::transform(&transform, &before, &wrong, &mut rng)),
                        "{transform:?}"
                    );
                    let mut other = before.clone();
                    spoil(&mut rng, prime, &mut other);
                    assert!(
                        is_refused(verify::transform(&transform, &other, &after, &mut rng)),
                        "{transform:?}"
                    );
                }
            }
        }
    }
}

/// Each variant's result is wrong for every other variant.
#[test]
fn results_of_other_transforms_are_found_out() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let all = transforms(BABY_BEAR, 6);
    let before = random(&mut rng, BABY_BEAR, all[0].len());
    for (i, transform) in all.iter().enumerate() {
        let mut after = before.clone();
        cpu::transform(transform, &mut after, 1).unwrap();
        for (j, other) in all.iter().enumerate() {
            assert_eq!(
                verify::transform(other, &before, &after, &mut rng).is_ok(),
                i == j,
                "{transform:?} {other:?}"
            );
        }
    }
}

#[test]
fn errors_of_structure_are_found_out() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let transform = Transform::new(BABY_BEAR, 1 << 16).unwrap();
    let before = random(&mut rng, BABY_BEAR, 1 << 16);
    let mut after = before.clone();
    cpu::transform(&transform, &mut after, 0).unwrap();
    verify::transform(&transform, &before, &after, &mut rng).unwrap();
    let double: Vec<u32> = after.iter().map(|&x| BABY_BEAR.add(x, x)).collect();
    let mut swapped = after.clone();
    swapped.swap(12_345, 54_321);
    let mut rotated = after.clone();
    rotated.rotate_left(1);
    for wrong in [double, swapped, rotated, vec![0; 1 << 16], before.clone(), after[1..].to_vec()] {
        assert!(is_refused(verify::transform(&transform, &before, &wrong, &mut rng)));
    }
    after[7] = BABY_BEAR.value();
    assert!(is_refused(verify::transform(&transform, &before, &after, &mut rng)));
    let wrong = verify::transform(&transform, &before[1..], &before, &mut rng);
    assert!(matches!(wrong, Err(Error::WrongLength { .. })));
}

/// Wrong transforms that keep the structure: each is the result of some plausible mistake.
#[test]
fn mistakes_of_transforms_are_found() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    for prime in [97, 65_537, 7_340_033, 2_013_265_921].map(|p| Prime::new(p).unwrap()) {
        for transform in transforms(prime, 4) {
            let n = transform.n();
            let before = random(&mut rng, prime, transform.len());
            let after = transform.by_definition(&before).unwrap();
            let changed = |change: &dyn Fn(&mut [u32])| {
                let mut wrong = after.clone();
                change(&mut wrong);
                wrong
            };
            let scale = |factor: u32| after.iter().map(|&x| prime.mul(x, factor)).collect::<Vec<_>>();
            let length = u32::try_from(n).unwrap();
            let wrong = [
                ("moved by one", changed(&|w| w[..n].rotate_left(1))),
                ("moved by one back", changed(&|w| w[n..2 * n].rotate_right(1))),
                ("two exchanged", changed(&|w| w.swap(n + 2, n + 5))),
                ("halves exchanged", changed(&|w| w[2 * n..].rotate_left(n / 2))),
                ("two vectors exchanged", changed(&|w| w.rotate_left(n))),
                ("a vector of another's", changed(&|w| w.copy_within(..n, 2 * n))),
                ("conjugated", changed(&|w| w[1..n].reverse())),
                ("the factor n forgotten", scale(length)),
                ("the factor 1/n too much", scale(prime.inverse(length))),
                ("negated", scale(prime.value() - 1)),
                ("one more everywhere", after.iter().map(|&x| prime.add(x, 1)).collect()),
                ("one negated", changed(&|w| w[3] = prime.sub(0, prime.add(w[3], u32::from(w[3] == 0))))),
                ("not transformed", before.clone()),
                ("twice", transform.by_definition(&after).unwrap()),
            ];
            for (mistake, wrong) in wrong.into_iter().filter(|(_, wrong)| *wrong != after) {
                assert!(
                    is_refused(verify::transform(&transform, &before, &wrong, &mut rng)),
                    "{mistake}: {transform:?}"
                );
            }
            // The same residue in another word.
            for i in (0..after.len()).filter(|&i| after[i] <= u32::MAX - prime.value()) {
                let wrong = changed(&|w| w[i] += prime.value());
                assert!(
                    is_refused(verify::transform(&transform, &before, &wrong, &mut rng)),
                    "{transform:?}"
                );
            }
        }
    }
}
