//! Proofs by a key that exceeds the device: one set of bases after the other goes there, and serves all proofs of a run.
//!
//! ```text
//! for each witness:      A w, B w on the host; transforms on the device; the quotient's scalars come back
//! for each set of bases: for each part of it: upload the part while the device works on the one before
//!                                              for each witness: multiply by its scalars
//! ```
//!
//! The key, the witnesses and the quotients are on the host. What the device holds at a time is the most of what one of these
//! steps takes.

use std::fmt;
use std::iter::zip;

use zeroize::Zeroize;

use super::density::{Dense, Densities};
use super::evaluated::{Terms, Witnesses};
use super::parts::own;
use super::points::{Blinding, Random};
use super::quotient::transforms;
use super::turns::QuotientInTurn;
use super::{Proof, Proving, ProvingKey, Queries, VerifyingKey};
use wgalois::curve::{Affine, Curve, PairingCurve};
use wgalois::msm::{Multiplication, MultiplicationPlan, Points};
use wgalois::ntt::scalar::TransformPlan;
use wgalois::task::{Cost, Done, Planned, Problem, Profile, Ready, Traffic, Way};
use wgalois::{Device, Error, Result, Shortage, Side};

/// The most witnesses that one run of the bases serves.
const TOGETHER: usize = 16;

/// The way.
pub struct InTurn<E: PairingCurve> {
    /// The multiplications by A, B, L and H in G1.
    first: [MultiplicationPlan<E::G1>; 4],
    /// The multiplication by B in G2.
    second: MultiplicationPlan<E::G2>,
    transforms: [TransformPlan<E::Scalar>; 3],
    /// Witnesses that are proved together.
    together: usize,
    /// True if the device has room for the three vectors of a quotient at a time.
    three: bool,
    cost: Cost,
}

impl<E: PairingCurve> InTurn<E> {
    /// Plans for as many witnesses at a time as the host's memory has room for.
    pub(super) fn new(problem: &Proving<E>, profile: &Profile) -> Result<Self> {
        let most = problem.proofs.clamp(1, TOGETHER);
        let fewer = std::iter::successors(Some(most), |&count| (count > 1).then_some(count / 2));
        let mut found = Err(Error::Usage("no proofs".into()));
        for together in fewer {
            found = Self::of(problem, profile, together);
            match &found {
                Ok(way) if way.cost.check(profile, "these proofs").is_ok() => break,
                _ => (),
            }
        }
        found.map_err(|error| {
            least(error, |memory| Self::of(problem, &Profile { device_memory: memory, ..profile.clone() }, 1))
        })
    }

    fn of(problem: &Proving<E>, profile: &Profile, together: usize) -> Result<Self> {
        let [a, b, secret, quotient] = problem.sizes();
        let one = profile.of_one();
        let [inverse, forward, back] = transforms::<E::Scalar>(problem.log2)?;
        let any = one.unbounded();
        let transforms = [inverse.plan_for(&any)?, forward.plan_for(&any)?, back.plan_for(&any)?];
        let scalar = size_of::<E::Scalar>() as u64;
        let vector = scalar.saturating_mul(1 << problem.log2.min(40));
        let tables = transforms[0].cost().device_bytes.max(transforms[1].cost().device_bytes);
        let [of_three, of_one] = [3, 1].map(|count| tables.saturating_add(vector.saturating_mul(count)));
        let three = of_three <= one.device_memory;
        let of_quotient = if three { of_three } else { of_one };
        if of_quotient > one.device_memory {
            let shortage = Shortage::new("proving", Side::Device, of_quotient, one.device_memory);
            return Err(Error::OutOfMemory(shortage));
        }
        // The key, quotients and, while one is made, A w, B w, their product, and what these become.
        let all = [a, b, b.saturating_mul(2), secret, quotient].into_iter().fold(0, usize::saturating_add);
        let held = (size_of::<Affine<E::G1>>() as u64).saturating_mul(all as u64);
        let vectors = vector.saturating_mul(together as u64 + 6);
        let beside = [held, vectors, problem.beside_of(together)].into_iter().fold(0, u64::saturating_add);
        let own = one.beside(beside);
        let whole = |error: Error| match error {
            Error::OutOfMemory(Shortage { side, needed: Some(needed), .. }) if side != Some(Side::Device) => {
                let needed = needed.saturating_add(beside);
                let side = side.unwrap_or(Side::Host);
                Error::OutOfMemory(Shortage::new("proving", side, needed, profile.host_memory))
            }
            other => other,
        };
        let plan = |points: usize, bits: f64| {
            let problem = Multiplication::<E::G1>::new(points).with_precompute(problem.precompute);
            problem.with_vectors(together).with_bits(bits).plan_for(&own).map_err(whole)
        };
        let bits = problem.bits();
        let first = [plan(a, bits)?, plan(b, bits)?, plan(secret, bits)?, plan(quotient, 0.0)?];
        let second = Multiplication::<E::G2>::new(b).with_precompute(problem.precompute);
        let second = second.with_vectors(together).with_bits(bits).plan_for(&own).map_err(whole)?;
        let runs = u32::try_from(problem.proofs.div_ceil(together)).unwrap_or(u32::MAX);
        let times = u32::try_from(problem.proofs).unwrap_or(u32::MAX).saturating_mul(3);
        let of_first = Cost::in_turn(&[0, 1, 2, 3].map(|part| (first[part].cost(), runs)));
        let of_second = Cost::in_turn(&[(second.cost(), runs)]);
        let of_transforms = [0, 1].map(|i: usize| transforms[i].cost_on_device().repeated(times));
        let works = [of_first, of_second, of_transforms[0], of_transforms[1]];
        let copied = one.gpu().map_or(0.0, |gpu| {
            let bytes = vector as f64 * f64::from(times);
            bytes / gpu.record.upload + bytes / gpu.record.download
        });
        let cost = Cost {
            time: works.iter().map(|cost| cost.time).sum::<std::time::Duration>()
                + std::time::Duration::from_secs_f64(copied),
            compiling: works.iter().map(|cost| cost.compiling).sum(),
            host_bytes: works.iter().map(|cost| cost.host_bytes).max().unwrap_or(0).saturating_add(beside),
            device_bytes: works[..2].iter().map(|cost| cost.device_bytes).max().unwrap_or(0).max(of_quotient),
            ..Cost::default()
        };
        Ok(InTurn { first, second, transforms, together, three, cost })
    }

    /// The number of witnesses that are proved together.
    pub(super) fn together(&self) -> usize {
        self.together
    }
}

/// The error of a device that is too small for one step of a plan, with the memory that suffices for all steps.
fn least<W>(error: Error, plan: impl Fn(u64) -> Result<W>) -> Error {
    const ROUNDS: usize = 64;
    let Error::OutOfMemory(mut shortage) = error else { return error };
    for _ in 0..ROUNDS {
        let Some(needed) = shortage.needed.filter(|_| shortage.side == Some(Side::Device)) else { break };
        match plan(needed) {
            Err(Error::OutOfMemory(more)) if more.side == Some(Side::Device) => {
                let needed = more.needed.unwrap_or(u64::MAX).max(needed.saturating_add(1));
                let allowed = shortage.allowed.unwrap_or(0);
                shortage = Shortage::new("proving", Side::Device, needed, allowed);
            }
            _ => break,
        }
    }
    Error::OutOfMemory(shortage)
}

impl<E: PairingCurve> Way<Proving<E>> for InTurn<E> {
    type Device = Device;
    type Ready<'p> = ReadyInTurn<E>;

    fn cost(&self) -> Cost {
        self.cost
    }

    fn traffic(&self) -> Traffic {
        Traffic::sum(self.first.iter().map(Planned::traffic).chain([self.second.traffic()]))
    }

    fn write(&self, _: &Proving<E>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let InTurn { first, second, transforms: [inverse, forward, _], together, three, .. } = self;
        let parts = |parts: usize| if parts > 1 { format!(" in {parts} parts") } else { String::new() };
        for (name, plan) in ["A", "B", "L", "H"].iter().zip(first) {
            writeln!(f, "bases {name}        {} points of G1{}", plan.points(), parts(plan.parts()))?;
        }
        writeln!(f, "bases B        {} points of G2{}", second.points(), parts(second.parts()))?;
        writeln!(f, "in turn        the bases go to the device set by set, for {together} proofs at a time")?;
        let vectors = if *three { "three vectors" } else { "one vector" };
        writeln!(f, "quotients      {vectors} on the device at a time")?;
        let [a, _, secret, quotient] = first;
        writeln!(
            f,
            "A and B in G1, each:\n{a}\nL in G1:\n{secret}\nH in G1:\n{quotient}\nB in G2:\n{second}"
        )?;
        writeln!(f, "each of 3 transforms to coefficients:\n{inverse}")?;
        writeln!(f, "each of 3 transforms to the coset:\n{forward}\nall parts:")
    }

    fn compile(&self, _: &Proving<E>, device: &Device) -> Result<()> {
        let device = own(device);
        self.first.iter().try_for_each(|plan| plan.compile(device))?;
        self.second.compile(device)
    }

    fn prepare<'p>(&self, _: &Proving<E>, device: &Device, key: ProvingKey<E>) -> Result<Self::Ready<'p>> {
        let InTurn { first, second, transforms, together, three, .. } = self;
        let (device, densities) = (own(device), Densities::of(&key));
        let ProvingKey { verifying, beta, delta, queries, constraints, basis, .. } = key;
        let Queries { a, b, b2, secret, quotient } = queries;
        let of = |points: Vec<_>, name| Points::new(points).with_name(name);
        Ok(ReadyInTurn {
            device: device.clone(),
            plans: (first.clone(), second.clone()),
            bases: [of(a, "A"), of(b, "B"), of(secret, "L"), of(quotient, "H")],
            second: Points::new(b2).with_name("B in G2"),
            quotient: QuotientInTurn::new(device, constraints, transforms.clone(), basis, *three)?,
            densities,
            verifying,
            points: [beta, delta],
            together: *together,
        })
    }
}

// A derived implementation would require it of the groups.
impl<E: PairingCurve> fmt::Debug for InTurn<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InTurn").field("together", &self.together).field("cost", &self.cost).finish()
    }
}

/// A key on the host.
pub struct ReadyInTurn<E: PairingCurve> {
    device: Device,
    plans: ([MultiplicationPlan<E::G1>; 4], MultiplicationPlan<E::G2>),
    /// A, B, L and H.
    bases: [Points<'static, E::G1>; 4],
    second: Points<'static, E::G2>,
    quotient: QuotientInTurn<E::Scalar>,
    densities: Densities,
    verifying: VerifyingKey<E>,
    /// beta and delta in G1.
    points: [Affine<E::G1>; 2],
    together: usize,
}

impl<E: PairingCurve> fmt::Debug for ReadyInTurn<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadyInTurn").field("together", &self.together).finish_non_exhaustive()
    }
}

/// The sums of some vectors by bases that go to the device for this only.
async fn sums<C: Curve>(
    device: &Device,
    plan: &MultiplicationPlan<C>,
    points: &Points<'static, C>,
    vectors: &[&[C::ScalarField]],
) -> Result<Vec<Affine<C>>> {
    let bases = plan.prepare_with(device, points.clone())?;
    let sums = bases.run_many_async(vectors).await;
    // After an error, too.
    bases.clear()?;
    sums
}

impl<E: PairingCurve> ReadyInTurn<E> {
    async fn prove(&self, terms: &[Terms<'_, E::Scalar>], random: &[Random<E>]) -> Result<Vec<Proof<E>>> {
        let mut quotients = Quotients(Vec::with_capacity(terms.len()));
        let turn = self.quotient.turn()?;
        for terms in terms {
            quotients.0.push(turn.scalars(terms.rows).await?);
        }
        drop(turn);
        let ([of_a, of_b, of_secret, of_quotient], of_second) = (&self.plans.0, &self.plans.1);
        let [a, b, secret, quotient] = &self.bases;
        let used = quotient.len();
        let vectors: Vec<_> = quotients.0.iter().map(|scalars| &scalars[..used]).collect();
        let quotient = sums(&self.device, of_quotient, quotient, &vectors).await?;
        drop(vectors);
        drop(quotients);
        let scalars_of_a: Vec<_> = terms.iter().map(|terms| terms.a).collect();
        let scalars_of_b: Vec<_> = terms.iter().map(|terms| terms.b).collect();
        let scalars_of_l: Vec<_> = terms.iter().map(|terms| terms.secret).collect();
        let second = sums(&self.device, of_second, &self.second, &scalars_of_b).await?;
        let a = sums(&self.device, of_a, a, &scalars_of_a).await?;
        let b = sums(&self.device, of_b, b, &scalars_of_b).await?;
        let secret = sums(&self.device, of_secret, secret, &scalars_of_l).await?;
        let parts = zip(zip(a, b), zip(second, random)).map(|((a, b), (second, random))| {
            Blinding::new(&self.verifying, self.points, random).with([a, b], second, random)
        });
        Ok(zip(parts, zip(secret, quotient))
            .map(|(part, (secret, quotient))| part.with(secret, quotient))
            .collect())
    }
}

/// The scalars of quotients, which are overwritten when they are dropped.
struct Quotients<F: Zeroize>(Vec<Vec<F>>);

impl<F: Zeroize> Drop for Quotients<F> {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl<E: PairingCurve> Ready<Proving<E>> for ReadyInTurn<E> {
    async fn run<'i: 'i>(
        &self,
        _: &Proving<E>,
        (witnesses, random): (Witnesses<'i, E::Scalar>, &'i [Random<E>]),
        _: &Done,
    ) -> Result<Vec<Proof<E>>> {
        let all: Vec<_> = witnesses.terms(self.verifying.public.len()).collect();
        let mut proofs = Vec::with_capacity(all.len());
        for (terms, random) in zip(all.chunks(self.together), random.chunks(self.together)) {
            let first = proofs.len();
            let gather = |i| self.densities.gather(witnesses.whole(first + i).unwrap_or_default());
            let dense: Vec<Dense<_>> = (0..terms.len()).map(gather).collect();
            let terms: Vec<_> = zip(terms, &dense).map(|(terms, dense)| terms.with(dense)).collect();
            proofs.append(&mut self.prove(&terms, random).await?);
        }
        Ok(proofs)
    }
}
