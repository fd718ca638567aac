//! The problem of proving, and its plan: five multiplications.

use std::fmt;
use std::marker::PhantomData;

use super::quotient::{Quotient, transforms};
use super::{Prover, ProvingKey};
use wgalois::curve::{Affine, PairingCurve};
use wgalois::msm::{Multiplication, MultiplicationPlan, Precompute};
use wgalois::task::{Cost, Plan, Problem, Profile, Traffic, planned};
use wgalois::{Device, Error, Result, Shortage, Side};

/// Proofs by one key, whose bases stay on the device: the sizes of the circuit.
///
/// ```
/// use ark_bn254::{Bn254, Fr};
/// use wgalois_proofs::groth16::{Basis, Proving, Setup, chain};
/// use wgalois::task::Problem;
/// use wgalois::{Cpu, Device};
///
/// let (circuit, witness) = chain::<Fr>(20, 1);
/// let key = Setup::<Bn254>::random()?.key(&circuit, Basis::OddRoots)?;
/// let device = Device::Cpu(Cpu::default());
/// let verifying = key.verifying.clone();
/// let prover = Proving::of(&key).plan(&device)?.prepare(&device, key)?;
/// let proof = prover.prove(&witness)?;
/// verifying.check(&proof, prover.public(&witness)?)?;
/// # Ok::<(), wgalois::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proving<E> {
    variables: usize,
    public: usize,
    quotient: usize,
    log2: u32,
    coefficients: usize,
    proofs: usize,
    precompute: Precompute,
    pairing: PhantomData<E>,
}

/// Coefficients of A and B for each root, if their number is not known.
const ASSUMED_COEFFICIENTS: usize = 8;

/// The most witnesses that are on the host at a time.
const WITNESSES: usize = 8;

impl<E: PairingCurve> Proving<E> {
    /// The problem for a circuit with this number of variables, the constant included, and of public ones, the constant
    /// not included, with a domain of 2^`log2` roots.
    pub fn new(variables: usize, public: usize, log2: u32) -> Self {
        let quotient = 1usize.checked_shl(log2).unwrap_or(usize::MAX);
        let (proofs, precompute) = (1, Precompute::default());
        let coefficients = quotient.saturating_mul(ASSUMED_COEFFICIENTS);
        Proving { variables, public, quotient, log2, coefficients, proofs, precompute, pairing: PhantomData }
    }

    /// The problem for a key.
    pub fn of(key: &ProvingKey<E>) -> Self {
        let problem = Self::new(key.variables(), key.public(), key.domain.log2());
        let problem = problem.with_coefficients(key.a.entries() + key.b.entries());
        Proving { quotient: key.queries.quotient.len(), ..problem }
    }

    /// Sets the number of coefficients of A and B, 8 for each of the roots by default, for the memory.
    #[must_use]
    pub fn with_coefficients(self, coefficients: usize) -> Self {
        Proving { coefficients, ..self }
    }

    /// Sets the number of proofs, one by default, for the expected time. Any number can be made.
    #[must_use]
    pub fn with_proofs(self, proofs: usize) -> Self {
        Proving { proofs, ..self }
    }

    /// Sets the multiples of the bases that are stored on a GPU, [`Precompute::Glv`] by default. [`Precompute::Windows`] takes more
    /// memory and preparation for less time a proof, which pays where one key makes hundreds of proofs.
    #[must_use]
    pub fn with_precompute(self, precompute: Precompute) -> Self {
        Proving { precompute, ..self }
    }

    /// The sizes of the multiplications in G1: A, B, L and H.
    fn sizes(&self) -> [usize; 4] {
        let secret = self.variables.saturating_sub(self.public.saturating_add(1));
        [self.variables, self.variables, secret, self.quotient]
    }

    /// Bytes of host memory beside the multiplications, the points and the vectors of one proof: the constraints, with the list by which
    /// their rows are filled; the witnesses, and the copy of one that goes to the constraints; and the lists that are joined, or put in another
    /// order, as the key is read, of which those of B in G2 and of the quotient are the longest. Allocators keep their memory.
    fn beside(&self) -> u64 {
        let coefficient = (size_of::<E::Scalar>() + size_of::<u32>()) as u64;
        let rows = (1u64 << self.log2.min(32)).saturating_mul(4 * size_of::<u32>() as u64);
        let witnesses = self.proofs.min(WITNESSES) as u64;
        let witnesses = witnesses.saturating_mul(self.variables as u64);
        let constraints = coefficient.saturating_mul(self.coefficients as u64).saturating_add(rows);
        let lists = (size_of::<Affine<E::G2>>() as u64).saturating_mul(self.variables as u64);
        let lists =
            lists.saturating_add((size_of::<Affine<E::G1>>() as u64).saturating_mul(self.quotient as u64));
        [constraints, witnesses.saturating_mul(size_of::<E::Scalar>() as u64), lists]
            .into_iter()
            .fold(0, u64::saturating_add)
    }
}

impl<E: PairingCurve> Problem for Proving<E> {
    type Plan = ProvingPlan<E>;

    fn plan_for(&self, profile: &Profile) -> Result<ProvingPlan<E>> {
        // A point of G2 takes as much as two of G1.
        let of_second = self.variables.saturating_mul(2);
        let all = self.sizes().into_iter().fold(of_second, usize::saturating_add);
        // Six transforms; a seventh where the quotient's coefficients are needed is not counted.
        let [inverse, forward, _] = transforms::<E::Scalar>(self.log2)?;
        let (inverse, forward) = (inverse.plan_for(profile)?.cost(), forward.plan_for(profile)?.cost());
        // The vectors of the transforms and the witness, and the points of the key, which stay with the CPU engine.
        let held = (size_of::<Affine<E::G1>>() as u64).saturating_mul(all as u64);
        let transformed = (self.quotient as u64).saturating_add(1).saturating_mul(3);
        let count = transformed.saturating_add(self.variables as u64);
        let scalars = (size_of::<E::Scalar>() as u64).saturating_mul(count);
        // Of a GPU's transforms, the compilation counts with that of the multiplications.
        let on_gpu = profile.gpu().is_some();
        let tables = if on_gpu { 0 } else { inverse.host_bytes.saturating_add(forward.host_bytes) };
        let beside = [scalars, held, tables, self.beside()].into_iter().fold(0, u64::saturating_add);
        // Each set of bases gets its share of the device, and all of them what is left of the host's memory.
        let share = |size: usize| {
            let memory = u128::from(planned(profile.device_memory));
            let share = memory * size as u128 / all.max(1) as u128;
            let host_memory = profile.host_memory.saturating_sub(beside);
            Profile { device_memory: share as u64, host_memory, ..profile.clone() }
        };
        // One GPU works on one proof after the other; others multiply by several witnesses at a time.
        let is_one_gpu = profile.gpu().is_some() && profile.device_count() == 1;
        let vectors = if is_one_gpu { 1 } else { self.proofs };
        let plan = |points: usize| {
            let problem = Multiplication::<E::G1>::new(points).with_precompute(self.precompute);
            let plan = problem.with_vectors(vectors).plan_for(&share(points));
            plan.map_err(|error| of_all(error, profile, (points, all), beside))
        };
        let [a, b, secret, quotient] = self.sizes();
        let plans = [plan(a)?, plan(b)?, plan(secret)?, plan(quotient)?];
        let second = Multiplication::<E::G2>::new(self.variables).with_precompute(self.precompute);
        let second = second.with_vectors(vectors).plan_for(&share(of_second));
        let second = second.map_err(|error| of_all(error, profile, (of_second, all), beside))?;
        let repeated = u32::try_from(if is_one_gpu { self.proofs } else { 1 }).unwrap_or(u32::MAX);
        let costs = plans.iter().map(Plan::cost).chain([second.cost()]);
        let sum = costs.fold(Cost::default(), |sum, cost| Cost {
            time: sum.time.saturating_add(cost.time.saturating_mul(repeated)),
            host_bytes: sum.host_bytes.max(cost.host_bytes),
            device_bytes: sum.device_bytes.saturating_add(cost.device_bytes),
        });
        let host_bytes = sum.host_bytes.saturating_add(beside);
        let proofs = u32::try_from(self.proofs).unwrap_or(u32::MAX);
        let time =
            sum.time.saturating_add((inverse.time + forward.time).saturating_mul(3).saturating_mul(proofs));
        let on_device = if on_gpu { scalars } else { 0 };
        let device_bytes = sum.device_bytes.saturating_add(on_device).saturating_add(inverse.device_bytes);
        let cost = Cost { time, host_bytes, device_bytes };
        // The multiplications keep to their shares of a device.
        Cost { device_bytes: 0, ..cost }.check(profile, "these proofs")?;
        Ok(ProvingPlan { problem: *self, plans, second, cost })
    }
}

/// The error of all multiplications for that of one whose bases have a share of the device, and what is left `beside` other bytes of the
/// host's memory.
fn of_all(error: Error, profile: &Profile, (size, all): (usize, usize), beside: u64) -> Error {
    let Error::OutOfMemory(mut shortage) = error else { return error };
    let Some(needed) = shortage.needed else { return Error::OutOfMemory(shortage) };
    let (needed, allowed) = match shortage.side {
        Some(Side::Device) => {
            let whole = u128::from(needed).saturating_mul(all as u128).div_ceil(size.max(1) as u128);
            (u64::try_from(whole).unwrap_or(u64::MAX), profile.device_memory)
        }
        _ => (needed.saturating_add(beside), profile.host_memory),
    };
    shortage = Shortage::new("proving", shortage.side.unwrap_or(Side::Host), needed, allowed);
    Error::OutOfMemory(shortage)
}

/// A plan of proofs on one device.
pub struct ProvingPlan<E: PairingCurve> {
    problem: Proving<E>,
    /// The multiplications by A, B, L and H in G1.
    pub(super) plans: [MultiplicationPlan<E::G1>; 4],
    /// The multiplication by B in G2.
    pub(super) second: MultiplicationPlan<E::G2>,
    cost: Cost,
}

impl<E: PairingCurve> ProvingPlan<E> {
    /// Prepares the proofs by a key on the device that was planned for. The key's points are not checked here: a reader
    /// has done it, or they are trusted.
    ///
    /// # Errors
    /// [`Error::Input`](wgalois::Error::Input) for a key of another size than planned, or one whose parts contradict each
    /// other; the device's faults.
    pub fn prepare(&self, device: &Device, key: ProvingKey<E>) -> Result<Prover<E>> {
        Prover::prepare(device, self, key)
    }

    /// [`prepare`](Self::prepare) for browsers, where no thread may block: it then awaits the device, which reports its
    /// faults late there.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare).
    pub async fn prepare_async(&self, device: &Device, key: ProvingKey<E>) -> Result<Prover<E>> {
        let prover = self.prepare(device, key)?;
        if let Device::Gpu(gpu) = device {
            gpu.wait_async().await?;
        }
        Ok(prover)
    }

    /// Compiles the kernels of proofs and, with `check`, those that check a key's points, which is worth doing while the key
    /// is read. Only the last transform for a key of arkworks is compiled later.
    ///
    /// # Errors
    /// The device's faults.
    pub fn compile(&self, device: &Device, check: bool) -> Result<()> {
        if check {
            self.plans.iter().try_for_each(|plan| plan.compile_with_check(device))?;
            self.second.compile_with_check(device)?;
        } else {
            self.plans.iter().try_for_each(|plan| plan.compile(device))?;
            self.second.compile(device)?;
        }
        Quotient::<E::Scalar>::compile(device, self.problem.log2)
    }

    /// The problem.
    pub fn problem(&self) -> &Proving<E> {
        &self.problem
    }
}

impl<E: PairingCurve> Plan for ProvingPlan<E> {
    fn cost(&self) -> Cost {
        self.cost
    }

    fn traffic(&self) -> Traffic {
        let parts = self.plans.iter().map(Plan::traffic).chain([self.second.traffic()]);
        parts.fold(Traffic { dispatches: Some(0), ..Traffic::default() }, |sum, part| Traffic {
            upload: sum.upload.saturating_add(part.upload),
            download: sum.download.saturating_add(part.download),
            dispatches: sum.dispatches.zip(part.dispatches).map(|(a, b)| a.saturating_add(b)),
        })
    }
}

impl<E: PairingCurve> fmt::Display for ProvingPlan<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Proving { variables, public, log2, .. } = self.problem;
        writeln!(f, "circuit        {variables} variables, {public} of them public, 2^{log2} constraints")?;
        for (name, plan) in ["A", "B", "L", "H"].iter().zip(&self.plans) {
            let (points, parts) = (plan.points(), plan.parts());
            let parts = if parts > 1 { format!(" in {parts} parts") } else { String::new() };
            writeln!(f, "bases {name}        {points} points of G1{parts}")?;
        }
        let parts = self.second.parts();
        let parts = if parts > 1 { format!(" in {parts} parts") } else { String::new() };
        writeln!(f, "bases B        {variables} points of G2{parts}")?;
        writeln!(f, "transforms     6 of 2^{log2} values")?;
        write!(f, "{}", self.cost)
    }
}
