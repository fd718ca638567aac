//! The kernels that add up pairs of affine points, and their formulas.
//!
//! ```text
//! prime field              forward -> inverses -> backward
//! quadratic extension      forward -> inverses -> slopes -> sums
//! ```
//!
//! An extension's elements are twice as long: a thread that has all values of a pair at once has too few registers for them.

use std::sync::Arc;

use serde_json::json;

use super::formulas::{Kept, WORKGROUP, extended_curves, fitting, prime_curves};
use super::inverses::{INVERSES, inverses_variant};
use crate::curve::CurveName;
use crate::field::{BigField, CANONICAL, Formula, Turn};
use crate::gpu::{Arithmetic, Gpu, Kernel, Pipeline, Variant, kernel};
use crate::{Error, Result};

kernel! {
    /// Computes the number of entries of each bucket after they are added up in pairs.
    static HALVE = "msm/halve", |_| vec![Variant::plain(WORKGROUP)];
    HalveBuffers { offsets: read array<u32>, halves: read_write array<u32> }
    HalveParams {
        /// Buckets of all sets.
        all_buckets,
    }
}

kernel! {
    /// Groups entries into pairs.
    static PAIR = "msm/pair", |_| vec![Variant::plain(WORKGROUP)];
    PairBuffers {
        keys: read array<u32>, values: read array<u32>, offsets: read array<u32>,
        new_offsets: read array<u32>,
        new_keys: read_write array<u32>, new_values: read_write array<u32>,
        pairs: read_write array<vec2<u32>>,
    }
    PairParams {
        /// Buckets of all sets.
        all_buckets,
        /// Buckets of a set; 0 if keys are buckets among all sets.
        buckets,
        /// Entries of a set.
        segment,
        /// The number of the last entry.
        last,
        /// An upper bound on the number of new entries.
        new_bound,
    }
}

kernel! {
    /// Computes running products of the pairs' denominators; in an extension of their norms.
    static PAIR_FORWARD = "msm/pair_forward",
        |arithmetic| CurveName::all().map(|name| forward_variant(&name.base_field(), arithmetic)).collect();
    PairForwardBuffers {
        points: read array<vec4<u32>>, pairs: read array<vec2<u32>>,
        products: read_write array<vec4<u32>>, totals: read_write array<vec4<u32>>,
    }
    PairForwardParams {
        /// Shares of the pairs.
        threads,
        /// Pairs.
        pairs,
    }
}

kernel! {
    /// Computes the sums of the pairs.
    static PAIR_BACKWARD = "msm/pair_backward", |arithmetic| variants(prime_curves(), whole, arithmetic);
    PairBackwardBuffers {
        points: read array<vec4<u32>>, pairs: read array<vec2<u32>>, products: read array<vec4<u32>>,
        inverses: read array<vec4<u32>>,
        sums: read_write array<vec4<u32>>,
    }
    PairBackwardParams {
        /// Shares of the pairs.
        threads,
        /// Pairs.
        pairs,
        /// The turn at which adding begins; before it the numerator of a doubling is made.
        adding,
        /// The last turn.
        last,
    }
}

kernel! {
    /// Computes the slopes of the pairs over a quadratic extension.
    static PAIR_SLOPES = "msm/pair_slopes", |arithmetic| variants(extended_curves(), slope, arithmetic);
    PairSlopesBuffers {
        points: read array<vec4<u32>>, pairs: read array<vec2<u32>>,
        products: read_write array<vec4<u32>>,
        inverses: read array<vec4<u32>>,
    }
    PairBackwardParams
}

kernel! {
    /// Computes the sums of the pairs over a quadratic extension.
    static PAIR_SUMS = "msm/pair_sums", |arithmetic| variants(extended_curves(), sum, arithmetic);
    PairSumsBuffers {
        points: read array<vec4<u32>>, pairs: read array<vec2<u32>>, slopes: read array<vec4<u32>>,
        sums: read_write array<vec4<u32>>,
    }
    PairSumsParams {
        /// Pairs.
        pairs,
        /// The last turn.
        last,
    }
}

/// The step before [`INVERSE`] that doubles (X, Y), where D = 2 Y.
const TANGENT: &str = "N = 3 X*X";

/// J = 1 / D, with I the inverse of the product of all denominators up to D, and B that of those before.
const INVERSE: &str = "
    J = I*B
    I = I*D
    L = N*J
";

/// The sum of (X, Y) and another point with this x, on a line of slope L.
const SUM: &str = "
    x = L*L - X - x
    U = X - x
    Y = L*U - Y
";

/// The step before [`INVERSE_OVER_NORM`] that doubles a point of x N.
const TANGENT_IN_PLACE: &str = "N = 3 N*N";

/// N times the inverse of the denominator whose conjugate is D. I.0 is the inverse of the product of all norms up to that of D, P.0
/// this norm, and P.1 the product of those before. Then I.0 becomes the inverse of the product without this norm, and I.1
/// that of the norm.
const INVERSE_OVER_NORM: &str = "
    I = I.0*P
    J = I.1*D
    N = N*J
";

/// The multiples of p below which `shaders/msm/canonical.wgsl` takes values.
const MOST_MULTIPLES: u64 = 6;

const PRODUCT: u64 = 2 * CANONICAL;
const DIFFERENCE: u64 = 3 * CANONICAL;

/// Formulas of which a kernel runs the first for equal points only.
struct Formulas {
    tangent: Option<Formula>,
    line: Formula,
    /// Multiples of p below which the coordinates of a sum are.
    sums: [u64; 2],
}

/// The formulas of [`PAIR_BACKWARD`], on `N I x Y X D B`.
fn whole(field: &BigField) -> Result<Formulas> {
    let inputs = |numerator| {
        let coordinates = [("x", CANONICAL), ("Y", CANONICAL), ("X", CANONICAL)];
        [&[("N", numerator), ("I", PRODUCT)], &coordinates[..], &[("D", PRODUCT), ("B", PRODUCT)]].concat()
    };
    // The other formula follows: its inputs must remain.
    let all = ["N", "I", "x", "Y", "X", "D", "B"];
    let tangent = Formula::compile(TANGENT, &inputs(PRODUCT), &all, field)?;
    let numerator = DIFFERENCE.max(tangent.outputs[0]);
    let line = Formula::compile(&[INVERSE, SUM].concat(), &inputs(numerator), &["N", "I", "x", "Y"], field)?;
    let sums = multiples(&line.outputs[2..])?;
    Ok(Formulas { tangent: Some(tangent), line, sums })
}

/// The formulas of [`PAIR_SLOPES`], on `I N P D`.
fn slope(field: &BigField) -> Result<Formulas> {
    let inputs = |numerator| [("I", PRODUCT), ("N", numerator), ("P", PRODUCT), ("D", PRODUCT)];
    let tangent = Formula::compile(TANGENT_IN_PLACE, &inputs(CANONICAL), &["I", "N", "P", "D"], field)?;
    let numerator = DIFFERENCE.max(tangent.outputs[1]);
    let line = Formula::compile(INVERSE_OVER_NORM, &inputs(numerator), &["I", "N"], field)?;
    Ok(Formulas { tangent: Some(tangent), line, sums: [1; 2] })
}

/// The formula of [`PAIR_SUMS`], on `x Y X L`.
fn sum(field: &BigField) -> Result<Formulas> {
    let inputs = [("x", CANONICAL), ("Y", CANONICAL), ("X", CANONICAL), ("L", PRODUCT)];
    let line = Formula::compile(SUM, &inputs, &["x", "Y"], field)?;
    let sums = multiples(&line.outputs)?;
    Ok(Formulas { tangent: None, line, sums })
}

/// The multiples of p below which a formula leaves x and Y.
fn multiples(bounds: &[u64]) -> Result<[u64; 2]> {
    let multiples = [bounds[0], bounds[1]].map(|bound| bound.div_ceil(CANONICAL));
    match multiples.iter().all(|multiple| *multiple <= MOST_MULTIPLES) {
        true => Ok(multiples),
        false => {
            Err(Error::Device("the sum of two points has larger coordinates than the kernels expect".into()))
        }
    }
}

impl Formulas {
    /// The turn at which the line's formula begins, and the last one.
    fn turns(&self) -> [u32; 2] {
        let turns = |formula: &Formula| formula.multiplications() as u32 + 1;
        let first = self.tangent.as_ref().map_or(0, turns);
        [first, first + turns(&self.line) - 1]
    }

    fn variant(&self, field: &BigField, arithmetic: Arithmetic) -> Variant {
        let all = || self.tangent.iter().chain([&self.line]);
        let turns: Vec<Turn> = all().flat_map(|formula| Turn::of(formula, field)).collect();
        let registers = all().map(|formula| formula.registers).max().unwrap_or(0);
        let mut context =
            json!({ "field": field, "registers": registers, "turns": turns, "sums": self.sums });
        let mut workgroup = WORKGROUP;
        if let Some(kept) = Kept::of(arithmetic) {
            context["kept"] = json!(kept);
            workgroup = fitting(WORKGROUP, field, kept.slots(field, registers));
        }
        Variant::new(workgroup, context)
    }
}

/// The variant of [`PAIR_FORWARD`]. If registers are few, workgroup memory has four elements of an extension's pair.
fn forward_variant(field: &BigField, arithmetic: Arithmetic) -> Variant {
    const ELEMENTS: usize = 4;
    match Kept::of(arithmetic).filter(|_| field.degree > 1) {
        None => Variant::new(WORKGROUP, json!({ "field": field })),
        Some(kept) => {
            Variant::new(fitting(WORKGROUP, field, ELEMENTS), json!({ "field": field, "kept": kept }))
        }
    }
}

/// The variants of a kernel with these formulas over the fields of some curves.
fn variants(
    curves: impl Iterator<Item = CurveName>,
    formulas: fn(&BigField) -> Result<Formulas>,
    arithmetic: Arithmetic,
) -> Vec<Variant> {
    let of = |name: CurveName| {
        let field = name.base_field();
        Some(formulas(&field).ok()?.variant(&field, arithmetic))
    };
    curves.filter_map(of).collect()
}

/// A kernel that runs formulas.
pub(super) struct Runner {
    pub(super) pipeline: Arc<Pipeline>,
    /// The first turn for points that are not equal, and the last one.
    pub(super) turns: [u32; 2],
}

impl Runner {
    fn new(gpu: &Gpu, kernel: &'static Kernel, field: &BigField, formulas: &Formulas) -> Result<Self> {
        let pipeline = gpu.pipeline(kernel, &formulas.variant(field, gpu.arithmetic()))?;
        Ok(Runner { pipeline, turns: formulas.turns() })
    }
}

/// The kernels after the inversion.
pub(super) enum Last {
    Backward(Runner),
    Extended { slopes: Runner, sums: Runner },
}

/// The kernels that add up pairs on one curve.
pub(super) struct PairKernels {
    pub(super) halve: Arc<Pipeline>,
    pub(super) pair: Arc<Pipeline>,
    pub(super) forward: Arc<Pipeline>,
    pub(super) inverses: Arc<Pipeline>,
    pub(super) last: Last,
}

impl PairKernels {
    pub(super) fn new(gpu: &Gpu, field: &BigField) -> Result<Self> {
        let last = || {
            Ok(match field.degree {
                1 => Last::Backward(Runner::new(gpu, &PAIR_BACKWARD, field, &whole(field)?)?),
                _ => {
                    let (slopes, sums) = gpu.beside(
                        || Runner::new(gpu, &PAIR_SLOPES, field, &slope(field)?),
                        || Runner::new(gpu, &PAIR_SUMS, field, &sum(field)?),
                    )?;
                    Last::Extended { slopes, sums }
                }
            })
        };
        let plain = Variant::plain(WORKGROUP);
        let (forward, inverting) =
            (forward_variant(field, gpu.arithmetic()), inverses_variant(&field.prime(), gpu.arithmetic()));
        let others = [(&HALVE, &plain), (&PAIR, &plain), (&PAIR_FORWARD, &forward), (&INVERSES, &inverting)];
        let (last, [halve, pair, forward, inverses]) = gpu.beside(last, || gpu.pipelines(others))?;
        Ok(PairKernels { halve, pair, forward, inverses, last })
    }
}
