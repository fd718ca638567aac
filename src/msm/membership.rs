//! The check on the host that points lie in the subgroup of order r.
//!
//! A point by itself is checked by the curve's endomorphism, for the price of some hundreds of additions. Many points are put
//! to a test with sums of them at random, of which there are two (Bellare, Garay, Rabin, "Fast batch verification for modular
//! exponentiation and digital signatures", Eurocrypt 1998):
//!
//! ```text
//! t times:
//!     put each point into one of B buckets, at random            or  multiply each point by one of B factors, at random
//!     check the sum of each bucket by itself                         check the sum of all by itself
//! a sum is outside: check each point by itself
//! ```
//!
//! One turn misses a point outside with a probability of at most 1 / B, whatever the other points are. Fix the buckets or the
//! factors of all others.
//!
//! - Buckets: suppose that all sums are inside with the point in bucket b. Then without it the sum of b is outside, and all
//!   others are inside. There is at most one such b, whatever the cofactor is.
//! - Factors: suppose that the sum is inside with both c and c'. Then (c - c') P is inside, so that the order of P in the
//!   quotient by the subgroup, which is not 1 and divides the cofactor, divides c - c'. The factors are -B/2 to B/2 without 0
//!   for a B below the least prime that divides the cofactor, so c = c'.
//!
//! Turns are independent, so with t log2 B >= 128 all of them miss a point outside with a probability of at most 2^-128. One
//! check a turn is left with factors, but only BN254's G2 has a cofactor without small primes (the least is 10069).

use ark_ec::CurveGroup;
use rand::{Rng, RngExt};

use super::buckets::{Coded, sum_of_coded, sums_of_buckets};
use crate::curve::{Affine, Curve};
use crate::parallel::*;

/// All turns together miss a point outside with a probability of at most 2^-`BITS`.
const BITS: u32 = 128;
/// What the check of one point by itself takes, in additions of affine points.
const CHECK: usize = 250;
/// Up to so many points, threads take a turn each: a sum of few points is one thread's. Of more, all threads share each sum.
const FEW: usize = 1 << 14;
/// No more than 2^`MOST` buckets or factors.
const MOST: u32 = 15;

/// The first of `points`, all of them on the curve, that lies outside the subgroup of order r. A point outside is missed
/// with a probability of at most 2^-128, if there are many points.
pub fn first_outside<C: Curve>(points: &[Affine<C>]) -> Option<usize> {
    let outside = |points: &[Affine<C>]| points.par_iter().position_first(|point| !C::in_subgroup(point));
    match C::ENDOMORPHISM.and_then(|_| Test::of::<C>(points.len())) {
        Some(test) if test.passes(points) => None,
        _ => outside(points),
    }
}

/// What each point gets at random in a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Test {
    /// One of so many buckets, as a power of two.
    Buckets(u32),
    /// One of so many factors, as a power of two.
    Factors(u32),
}

impl Test {
    /// The test that takes least; `None` if checking each point takes less.
    fn of<C: Curve>(points: usize) -> Option<Self> {
        let buckets = Self::least(points, (1..=MOST).map(Test::Buckets))?;
        // A divisor is looked for only where there are enough points that they are not all checked.
        let factors = (1..=log_factors(C::COFACTOR)).map(Test::Factors);
        Self::least(points, factors.chain([buckets]))
    }

    fn least(points: usize, tests: impl Iterator<Item = Self>) -> Option<Self> {
        tests.min_by_key(|test| test.cost(points)).filter(|test| test.cost(points) < CHECK * points)
    }

    /// The number of turns.
    fn turns(self) -> u32 {
        let (Test::Buckets(log) | Test::Factors(log)) = self;
        BITS.div_ceil(log)
    }

    /// What all turns take, in additions.
    fn cost(self, points: usize) -> usize {
        let of_turn = match self {
            Test::Buckets(log) => points + (CHECK << log),
            // The sums of half as many magnitudes are added twice.
            Test::Factors(log) => points + (1 << log) + CHECK,
        };
        self.turns() as usize * of_turn
    }

    /// False if and only if a sum is outside.
    fn passes<C: Curve>(self, points: &[Affine<C>]) -> bool {
        let turn = |_| self.turn(points, &mut rand::rng());
        match points.len() <= FEW {
            true => (0..self.turns() as usize).into_par_iter().with_max_len(1).all(turn),
            false => (0..self.turns() as usize).all(turn),
        }
    }

    fn turn<C: Curve>(self, points: &[Affine<C>], random: &mut impl Rng) -> bool {
        match self {
            Test::Buckets(log) => {
                let bucket: Vec<u32> = points.iter().map(|_| random.random_range(0..1 << log)).collect();
                sums_of_buckets(points, &bucket, 1 << log).par_iter().all(|sum| C::in_subgroup(sum))
            }
            Test::Factors(log) => {
                let coded = |_| Coded::new(random.random_range(0..1 << log));
                let sum = sum_of_coded(points, points.iter().map(coded).collect(), 1 << (log - 1));
                C::in_subgroup(&sum.into_affine())
            }
        }
    }
}

/// log2 of the number of factors, up to 2^[`MOST`], which is below every prime that divides the cofactor.
fn log_factors(cofactor: &[u64]) -> u32 {
    let halves: Vec<u64> = cofactor.iter().rev().flat_map(|word| [word >> 32, word & 0xffff_ffff]).collect();
    let divides = |divisor: &u64| halves.iter().fold(0, |rest, half| (rest << 32 | half) % divisor) == 0;
    // The least divisor is a prime.
    [2].into_iter().chain((3..=1 << MOST).step_by(2)).find(divides).map_or(MOST, |least| (least - 1).ilog2())
}

#[cfg(test)]
mod tests {
    use ark_ec::{AffineRepr, CurveGroup};
    use ark_ff::{PrimeField, UniformRand};
    use ark_std::rand::SeedableRng;
    use ark_std::rand::rngs::StdRng;
    use rand_chacha::ChaCha20Rng;

    use super::*;
    use crate::curve::{CurveName, Projective, ScalarField, normalized};

    /// A point of an order that divides the cofactor.
    fn outside<C: Curve>(rng: &mut StdRng) -> Affine<C> {
        loop {
            let point = Affine::<C>::get_point_from_x_unchecked(C::BaseField::rand(rng), true);
            let Some(point) = point else { continue };
            let order = <ScalarField<C> as PrimeField>::MODULUS;
            let point: Projective<C> = ark_ec::scalar_mul::double_and_add_affine(&point, order);
            if point != Projective::<C>::default() {
                return point.into_affine();
            }
        }
    }

    fn inside<C: Curve>(n: usize, rng: &mut StdRng) -> Vec<Affine<C>> {
        let first = Projective::<C>::from(Affine::<C>::generator()) * ScalarField::<C>::rand(rng);
        let points = std::iter::successors(Some(first), |point| Some(*point + Affine::<C>::generator()));
        normalized(&points.take(n).collect::<Vec<_>>())
    }

    fn points_outside_are_found<C: Curve>() {
        if C::ENDOMORPHISM.is_none() {
            return;
        }
        let rng = &mut StdRng::seed_from_u64(5);
        let mut points = inside::<C>(300, rng);
        points[7] = Affine::identity();
        points[9] = points[8];
        points[11] = -points[10];
        let mut tests = vec![Test::Buckets(4)];
        tests.extend((1..=log_factors(C::COFACTOR)).step_by(3).map(Test::Factors));
        let passes = |points: &[Affine<C>]| {
            let found: Vec<bool> = tests.iter().map(|test| test.passes(points)).collect();
            assert!(found.iter().all(|passes| *passes == found[0]), "{}: {tests:?} {found:?}", C::NAME);
            found[0]
        };
        assert!(passes(&points));
        assert_eq!(first_outside(&points), None);
        let stray = outside::<C>(rng);
        // One outside; two whose parts outside cancel; the same one everywhere, with and without a part inside.
        let changes: [&dyn Fn(usize, Affine<C>) -> Affine<C>; 4] = [
            &|i, point| if i == 299 { (point + stray).into_affine() } else { point },
            &|i, point| match i {
                40 => (point + stray).into_affine(),
                41 => (point - stray).into_affine(),
                _ => point,
            },
            &|_, point| (point + stray).into_affine(),
            &|i, point| if i >= 100 { stray } else { point },
        ];
        for (change, first) in changes.into_iter().zip([299, 40, 0, 100]) {
            let changed: Vec<_> = points.iter().enumerate().map(|(i, point)| change(i, *point)).collect();
            assert!(!passes(&changed), "{first}");
            assert_eq!(first_outside(&changed), Some(first));
        }
    }

    #[test]
    fn points_outside_are_found_on_every_curve() {
        for name in CurveName::all() {
            crate::with_curve!(name, C => points_outside_are_found::<C>());
        }
    }

    /// The bound of one turn is reached by two points that cancel each other.
    #[test]
    fn a_turn_misses_what_cancels_in_one_bucket() {
        use crate::curve::Bls12_381 as C;
        let stray = outside::<C>(&mut StdRng::seed_from_u64(6));
        let points = [stray, -stray];
        let random = &mut <ChaCha20Rng as rand::SeedableRng>::seed_from_u64(7);
        let misses = (0..400).filter(|_| Test::Buckets(2).turn(&points, random));
        // 100 are expected, with a standard deviation below 9.
        assert!((60..140).contains(&misses.count()));
        assert!(!Test::Buckets(2).passes(&points));
    }

    /// With two factors opposite points cancel in half of the turns.
    #[test]
    fn a_turn_misses_what_cancels_by_its_factors() {
        use crate::curve::Bn254G2 as C;
        let stray = outside::<C>(&mut StdRng::seed_from_u64(8));
        let points = [stray, -stray];
        let random = &mut <ChaCha20Rng as rand::SeedableRng>::seed_from_u64(9);
        let misses = (0..100).filter(|_| Test::Factors(1).turn(&points, random));
        // 50 are expected, with a standard deviation of 5.
        assert!((30..70).contains(&misses.count()));
        assert!(!Test::Factors(1).passes(&points));
    }

    /// With factors of one prime of the cofactor or more, points of that order would be missed more often than once in so many.
    #[test]
    fn factors_differ_modulo_every_prime_of_the_cofactor() {
        use crate::curve::{Bls12_381, Bls12_381G2, Bn254, Bn254G2};
        fn log<C: Curve>() -> u32 {
            log_factors(C::COFACTOR)
        }
        // 1; 10069 and larger primes; 3; 13.
        assert_eq!(
            [log::<Bn254>(), log::<Bn254G2>(), log::<Bls12_381>(), log::<Bls12_381G2>()],
            [MOST, 13, 1, 3]
        );
        assert_eq!([&[2][..], &[9], &[15, 1], &[0, 5], &[32771]].map(log_factors), [0, 1, 4, 0, MOST]);
    }

    #[test]
    fn few_points_are_checked_by_themselves() {
        use crate::curve::{Bls12_381G2, Bn254G2};
        assert_eq!([0, 1, 100].map(Test::of::<Bls12_381G2>), [None; 3]);
        assert_eq!([0, 1].map(Test::of::<Bn254G2>), [None; 2]);
        // How many times less the tests take than checking each point.
        for (points, least) in [(1 << 14, 3), (1 << 20, 15)] {
            let test = Test::of::<Bls12_381G2>(points).unwrap();
            assert!(
                matches!(test, Test::Buckets(_)) && least * test.cost(points) < CHECK * points,
                "{test:?}"
            );
        }
        for (points, least) in [(1 << 10, 9), (1 << 14, 17), (1 << 20, 24)] {
            let test = Test::of::<Bn254G2>(points).unwrap();
            assert!(
                matches!(test, Test::Factors(_)) && least * test.cost(points) < CHECK * points,
                "{test:?}"
            );
        }
    }
}
