//! The problem of proving: the sizes of a circuit.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use super::circuit::expect_witness;
use super::evaluated::{Terms, Witnesses};
use super::in_turn::InTurn;
use super::parts::Parts;
use super::resident::ResidentKey;
use super::{Basis, Proof, ProvingKey, Queries, SparseMatrix};
use ark_ff::PrimeField;

use wgalois::curve::{Affine, BaseField, PairingCurve};
use wgalois::gpu::Family;
use wgalois::msm::{Precompute, Settings};
use wgalois::task::{Engine, Planned, Problem, Profile, Ways};
use wgalois::{Error, Result};

/// Proofs by one key, whose bases stay on the device: the sizes of the circuit.
///
/// ```
/// use ark_bn254::{Bn254, Fr};
/// use wgalois_proofs::groth16::{Basis, Prover, Proving, Setup, chain};
/// use wgalois::task::Problem;
/// use wgalois::{Cpu, Device};
///
/// let (circuit, witness) = chain::<Fr>(20, 1);
/// let key = Setup::<Bn254>::random()?.key(&circuit, Basis::OddRoots)?;
/// let device = Device::Cpu(Cpu::default());
/// let verifying = key.verifying.clone();
/// let prover = Prover::new(&device, &Proving::of(&key).plan(&device)?, key)?;
/// let proof = prover.prove(&witness)?;
/// verifying.check(&proof, prover.public(&witness)?)?;
/// # Ok::<(), wgalois::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Proving<E> {
    pub(super) variables: usize,
    public: usize,
    pub(super) quotient: usize,
    /// The bases A and B, if the key may leave variables out.
    compact: Option<[usize; 2]>,
    /// False for a key without constraints.
    has_rows: bool,
    pub(super) log2: u32,
    coefficients: usize,
    pub(super) proofs: usize,
    pub(super) precompute: Precompute,
    pub(super) is_for_one_run: bool,
    /// The share of a witness's values that are expected to be 0 or 1.
    bits: f64,
    pairing: PhantomData<E>,
}

/// Coefficients of A and B for each root, if their number is not known.
const ASSUMED_COEFFICIENTS: usize = 8;

/// The most witnesses that are on the host at a time.
pub(super) const WITNESSES: usize = 8;

impl<E: PairingCurve> Proving<E> {
    /// The problem for a circuit with this number of variables, the constant included, and of public ones, the constant
    /// not included, with a domain of 2^`log2` roots.
    pub fn new(variables: usize, public: usize, log2: u32) -> Self {
        let quotient = 1usize.checked_shl(log2).unwrap_or(usize::MAX);
        let (proofs, precompute) = (1, Precompute::default());
        let coefficients = quotient.saturating_mul(ASSUMED_COEFFICIENTS);
        let compact = None;
        let pairing = PhantomData;
        let (bits, has_rows) = (0.0, true);
        Proving {
            variables,
            public,
            quotient,
            compact,
            has_rows,
            log2,
            coefficients,
            proofs,
            precompute,
            is_for_one_run: false,
            bits,
            pairing,
        }
    }

    /// The problem for a key.
    pub fn of(key: &ProvingKey<E>) -> Self {
        let problem = Self::new(key.variables(), key.public(), key.domain.log2());
        let problem = problem.with_coefficients(key.coefficients());
        let Queries { a, b, quotient, .. } = &key.queries;
        let (sizes, has_rows) = ([a.len(), b.len()], key.constraints.is_some());
        let compact = (!has_rows || sizes != [key.variables(); 2]).then_some(sizes);
        Proving { quotient: quotient.len(), compact, has_rows, ..problem }
    }

    /// Sets the basis of the quotient, [`Basis::OddRoots`] by default: of [`Basis::Powers`] there is a base less.
    #[must_use]
    pub fn with_basis(self, basis: Basis) -> Self {
        let roots = 1usize.checked_shl(self.log2).unwrap_or(usize::MAX);
        let quotient = match basis {
            Basis::OddRoots => roots,
            Basis::Powers => roots - 1,
        };
        Proving { quotient, ..self }
    }

    /// Sets the numbers of bases A and B, those of all variables by default.
    #[must_use]
    pub fn with_bases(self, sizes: [usize; 2]) -> Self {
        Proving { compact: (sizes != [self.variables; 2]).then_some(sizes), ..self }
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

    /// Prepares for one run: see [`Settings::for_one_run`](wgalois::msm::Settings::for_one_run).
    #[must_use]
    pub fn for_one_run(self) -> Self {
        Proving { is_for_one_run: true, ..self }
    }

    /// Sets the share of a witness's values that are expected to be 0 or 1, from 0 to 1 and 0 by default: [`share_of_bits`](wgalois::msm::share_of_bits)
    /// of one. If it is large, the multiplications by a witness skip zeros and sum the points of ones. Proofs are right whatever the
    /// witnesses are.
    #[must_use]
    pub fn with_bits(self, share: f64) -> Self {
        Proving { bits: share.clamp(0.0, 1.0), ..self }
    }

    /// The share of a witness's values that are expected to be 0 or 1.
    pub(super) fn bits(&self) -> f64 {
        self.bits
    }

    /// The settings of the multiplications.
    pub(super) fn settings(&self) -> Settings {
        let settings = Settings::default().with_precompute(self.precompute);
        if self.is_for_one_run { settings.for_one_run() } else { settings }
    }

    /// The sizes of the multiplications in G1: A, B, L and H.
    pub(super) fn sizes(&self) -> [usize; 4] {
        let secret = self.variables.saturating_sub(self.public.saturating_add(1));
        let [a, b] = self.compact.unwrap_or([self.variables; 2]);
        [a, b, secret, self.quotient]
    }

    /// The scalars of a witness that go to the device, but for A w and B w.
    pub(super) fn scalars(&self) -> usize {
        let [a, b, secret, _] = self.sizes();
        match (self.has_rows, self.compact) {
            (false, _) => a.saturating_add(b).saturating_add(secret),
            (true, None) => self.variables,
            (true, Some(_)) => self.variables.saturating_add(a).saturating_add(b),
        }
    }

    /// Bytes of host memory beside the multiplications, the points and the vectors of one proof: the constraints, with the list by which
    /// their rows are filled; the witnesses, and the copy of one that goes to the constraints; and the lists that are joined, or put in another
    /// order, as the key is read, of which those of B in G2 and of the quotient are the longest. Allocators keep their memory.
    pub(super) fn beside(&self) -> u64 {
        self.beside_of(self.proofs.min(WITNESSES))
    }

    /// [`beside`](Self::beside) with so many witnesses.
    pub(super) fn beside_of(&self, witnesses: usize) -> u64 {
        let coefficient = (size_of::<E::Scalar>() + size_of::<u32>()) as u64;
        let rows = (1u64 << self.log2.min(32)).saturating_mul(4 * size_of::<u32>() as u64);
        let witnesses = witnesses as u64;
        let products = if !self.has_rows { 2 << self.log2.min(32) } else { 0 };
        let witnesses = witnesses.saturating_mul((self.scalars() as u64).saturating_add(products));
        let constraints = coefficient.saturating_mul(self.coefficients as u64).saturating_add(rows);
        let [_, b, ..] = self.sizes();
        let lists = (size_of::<Affine<E::G2>>() as u64).saturating_mul(b as u64);
        let lists =
            lists.saturating_add((size_of::<Affine<E::G1>>() as u64).saturating_mul(self.quotient as u64));
        [constraints, witnesses.saturating_mul(size_of::<E::Scalar>() as u64), lists]
            .into_iter()
            .fold(0, u64::saturating_add)
    }

    /// Refuses a witness of another circuit.
    ///
    /// ```
    /// use ark_bn254::{Bn254, Fr};
    /// use wgalois_proofs::groth16::Proving;
    ///
    /// let problem = Proving::<Bn254>::new(3, 1, 4);
    /// assert!(problem.expect(&[Fr::from(1), Fr::from(35), Fr::from(5)]).is_ok());
    /// assert!(problem.expect(&[Fr::from(1), Fr::from(35)]).is_err());
    /// ```
    pub fn expect(&self, witness: &[E::Scalar]) -> Result<()> {
        expect_witness(self.variables, witness)
    }
}

impl<E: PairingCurve> Problem for Proving<E> {
    const NAME: &'static str = "these proofs";

    type Resident<'a> = ProvingKey<E>;
    /// Witnesses, as they are or evaluated, and two random scalars for each.
    type Input<'a> = (Witnesses<'a, E::Scalar>, &'a [(E::Scalar, E::Scalar)]);
    /// A proof for each witness, in order.
    type Answer = Vec<Proof<E>>;
    type Kernels = ResidentKey<E>;

    /// Those of the scalars and of the coordinates.
    fn families(&self) -> Vec<Family> {
        let coordinates = BaseField::<E::G1>::MODULUS_BIT_SIZE as usize;
        vec![Family::Bits255, Family::of_bits(coordinates)]
    }

    fn ways(&self, profile: &Profile) -> Result<Ways<Self>> {
        // Of several processes, one proves.
        let profile = match &profile.engine {
            Engine::Group(_) => Cow::Borrowed(profile),
            _ => profile.of_one(),
        };
        Ok(match &profile.engine {
            // One proof after the other.
            Engine::Gpu(_) => {
                let resident = Parts::new(self, &profile, (1, self.proofs));
                // What stays on the device serves later runs, too.
                let in_turn = match resident.as_ref().is_ok_and(|parts| parts.are_whole(&profile)) {
                    true => Err(Error::Usage("the key fits the memory of the device".into())),
                    false => InTurn::new(self, &profile),
                };
                Ways::default().with("on one GPU", resident).with("bases in turn, on one GPU", in_turn)
            }
            // Each multiplication by several witnesses at a time.
            _ => {
                let parts = Parts::new(self, &profile, (self.proofs, 1));
                Ways::default().with("with witnesses from the host", parts)
            }
        })
    }

    fn check_resident(&self, key: &ProvingKey<E>) -> Result<()> {
        key.check_sizes()?;
        let (found, planned) = (key.domain.log2(), self.log2);
        Error::expect_length("roots of unity", 1 << planned, 1 << found)?;
        let largest = key.constraints.iter().flatten().filter_map(SparseMatrix::largest_column).max();
        let check = |variable| Error::expect_index("variable", key.variables(), variable as usize);
        largest.map_or(Ok(()), check)
    }

    fn check_input(&self, &(witnesses, random): &Self::Input<'_>) -> Result<()> {
        Error::expect_length("pairs of random scalars", witnesses.len(), random.len())?;
        let [a, b, secret, _] = self.sizes();
        let expect = |terms: Terms<_>| terms.expect([a, b, secret], 1 << self.log2);
        match witnesses {
            Witnesses::Whole([]) => Ok(()),
            Witnesses::Whole(_) if !self.has_rows => {
                Err(Error::needs("a witness that is not evaluated", "a key with the circuit's constraints"))
            }
            Witnesses::Whole(witnesses) => witnesses.iter().try_for_each(|witness| self.expect(witness)),
            Witnesses::Evaluated(_) => witnesses.terms(self.public + 1).try_for_each(expect),
        }
    }

    fn reborrow<'s>(input: &'s mut Self::Input<'_>) -> Self::Input<'s> {
        *input
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Proving { variables, public, log2, .. } = self;
        writeln!(f, "circuit        {variables} variables, {public} of them public, 2^{log2} constraints")
    }
}

/// The plan of proofs on one device: five multiplications and six transforms a proof, which are planned themselves.
pub type ProvingPlan<E> = Planned<Proving<E>>;
