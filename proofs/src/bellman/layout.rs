//! Where the parts of a key lie in its file.

use super::read::Head;
use crate::groth16::{Domain, Weakness};
use ark_bls12_381::{Bls12_381, Fr};
use wgalois::{Error, Fault, Result};
use wgalois_io::Source;

/// Bytes of a point in G1; in G2 it has twice as many.
pub(super) const POINT: usize = 96;

/// Bytes of the points before the first count: three of each group.
pub(super) const HEAD: usize = 9 * POINT;

/// Bytes of a hash of the setup's second phase.
const HASH: usize = 64;

/// Bytes of a contribution: four points of G1 and G2 with 480 bytes, and the hash of what was before it.
const CONTRIBUTION: usize = 5 * POINT + HASH;

/// The sizes of a circuit, by its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// The number of variables, the constant included.
    pub variables: usize,
    /// The number of public variables, without the constant.
    pub public: usize,
    /// The number of variables in A: those whose polynomial is not 0.
    pub a: usize,
    /// The number of variables in B.
    pub b: usize,
    /// log2 of the size of the domain: of the constraints and the public variables together, rounded up.
    pub log2: u32,
    /// The number of contributions to the setup's second phase; `None` if the file does not have them.
    pub contributions: Option<usize>,
    /// The reason why anybody can forge proofs for the key, if there is one.
    pub weakness: Option<Weakness>,
}

/// Reads the sizes of a key. Of the points it reads the six of the head.
pub fn describe(source: &Source) -> Result<Description> {
    let layout = Layout::new(source)?;
    let head = Head::read(source)?;
    Ok(Description {
        variables: layout.public.count + layout.secret.count,
        public: layout.public.count - 1,
        a: layout.a.count,
        b: layout.b.count,
        log2: layout.domain.log2(),
        contributions: layout.contributions,
        weakness: Weakness::of::<Bls12_381>(&head.gamma, &head.delta2),
    })
}

/// Points of a file that lie behind each other.
#[derive(Clone, Copy)]
pub(super) struct Part {
    /// What messages call them.
    pub(super) name: &'static str,
    /// The offset of the first.
    pub(super) at: usize,
    /// How many they are.
    pub(super) count: usize,
    /// Bytes of each.
    pub(super) size: usize,
}

/// The parts of a key, whose sizes agree.
pub(super) struct Layout {
    pub(super) public: Part,
    pub(super) quotient: Part,
    pub(super) secret: Part,
    pub(super) a: Part,
    pub(super) b: Part,
    pub(super) b2: Part,
    pub(super) domain: Domain,
    contributions: Option<usize>,
}

impl Layout {
    /// The points of public variables, which the verifying key has.
    pub(super) fn public(source: &Source) -> Result<Part> {
        let public = Part::read(source, HEAD, "the points of public variables", POINT)?;
        match public.count {
            0 => Err(public.refuse_count(source, "none, where the constant has one")),
            _ => Ok(public),
        }
    }

    pub(super) fn new(source: &Source) -> Result<Self> {
        let public = Self::public(source)?;
        let mut at = public.end();
        let mut part = |name, size| {
            let part = Part::read(source, at, name, size)?;
            at = part.end();
            Ok::<_, Error>(part)
        };
        let quotient = part("the bases of the quotient", POINT)?;
        let secret = part("the bases of secret variables", POINT)?;
        let (a, b) = (part("the bases A", POINT)?, part("the bases B in G1", POINT)?);
        let b2 = part("the bases B in G2", 2 * POINT)?;
        let contributions = contributions(source, b2.end())?;
        let variables = public.count + secret.count;
        if !(public.count..=variables).contains(&a.count) {
            let fault = format!("{} points, where {} to {variables} were expected", a.count, public.count);
            return Err(a.refuse_count(source, fault));
        }
        if b.count > variables {
            let fault = format!("{} points, where {variables} at most were expected", b.count);
            return Err(b.refuse_count(source, fault));
        }
        Fault::expect_count("points", b.count, b2.count).map_err(|fault| b2.refuse_count(source, fault))?;
        let roots = quotient.count + 1;
        if !roots.is_power_of_two() {
            let fault = format!("{} points, where a power of two less one was expected", quotient.count);
            return Err(quotient.refuse_count(source, fault));
        }
        let domain = Domain::new::<Fr>(roots.ilog2());
        let domain = domain.map_err(|error| quotient.refuse_count(source, error.to_string()))?;
        Ok(Layout { public, quotient, secret, a, b, b2, domain, contributions })
    }
}

impl Part {
    /// The part whose count stands at `at`.
    fn read(source: &Source, at: usize, name: &'static str, size: usize) -> Result<Self> {
        let (count, at) = (word(source, at, name)?, at + 4);
        let left = source.bytes().len() - at;
        if left / size < count {
            let (whole, place) = (left / size, at + left / size * size);
            let what = format!("point {whole} of {name}, of {count}");
            return Err(source.byte_error(place, Fault::Truncated(what.into())));
        }
        Ok(Part { name, at, count, size })
    }

    /// The place behind the points.
    fn end(&self) -> usize {
        self.at + self.count * self.size
    }

    /// The bytes of the points.
    pub(super) fn bytes<'s>(&self, source: &'s Source) -> &'s [u8] {
        &source.bytes()[self.at..self.end()]
    }

    /// The error of a point.
    pub(super) fn refuse(&self, source: &Source, i: usize, fault: Fault) -> Error {
        source.byte_error(self.at + i * self.size, fault.of(format!("point {i} of {}", self.name)))
    }

    /// The error of a count.
    fn refuse_count(&self, source: &Source, fault: impl Into<Fault>) -> Error {
        source.byte_error(self.at - 4, fault.into().of(self.name))
    }
}

/// The count at this place.
fn word(source: &Source, at: usize, of: &str) -> Result<usize> {
    let bytes = source.bytes().get(at..).and_then(|rest| rest.first_chunk::<4>());
    bytes.map(|bytes| u32::from_be_bytes(*bytes) as usize).ok_or_else(|| cut_off(source, at, of))
}

/// The error of a file that ends within what begins at this place.
pub(super) fn cut_off(source: &Source, at: usize, of: &str) -> Error {
    source.byte_error(at.min(source.bytes().len()), Fault::Truncated(of.to_owned().into()))
}

/// The number of contributions behind the points, if anything is there.
fn contributions(source: &Source, at: usize) -> Result<Option<usize>> {
    let left = source.bytes().len() - at;
    if left == 0 {
        return Ok(None);
    }
    let count = if left < HASH { None } else { word(source, at + HASH, "the contributions").ok() };
    match count.filter(|count| (HASH + 4).checked_add(count * CONTRIBUTION) == Some(left)) {
        Some(count) => Ok(Some(count)),
        None => Err(source.byte_error(at, format!("{left} bytes, which are no contributions to a setup"))),
    }
}
