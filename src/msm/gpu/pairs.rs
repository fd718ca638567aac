//! Affine additions before the accumulation: each round adds up the entries of each bucket in
//! pairs, which leaves half as many ("two affine points first" in Chen, Peng, Dai, Luo, He, TCHES
//! 2024). The plan sets the number of rounds. An affine addition costs six multiplications and its
//! share of one inversion for many (Montgomery's trick), a mixed addition in the best coordinates
//! ten.

use std::sync::Arc;

use serde::Serialize;

use super::formulas::{SPLIT_WORKGROUP, WORKGROUP, extended_curves, prime_curves};
use super::inverses::{INVERSES, InversesParams, SHARED_INVERSIONS, field_variant};
use super::part::{Entries, Part};
use crate::curve::CurveName;
use crate::field::{BigField, CANONICAL, CoordinateField, Formula, Turn};
use crate::gpu::{Binding, DeviceVec, Gpu, Kernel, Pipeline, Recorder, Variant, params};
use crate::msm::Cut;
use crate::msm::cut::{self, pair_shares};
use crate::primitives::Scan;
use crate::{Error, Result};

/// Computes the number of entries of each bucket after they are added up in pairs.
pub static HALVE: Kernel = Kernel {
    name: "msm/halve",
    source: "msm/halve.wgsl",
    bindings: &[Binding::read("offsets", "array<u32>"), Binding::read_write("halves", "array<u32>")],
    params: HalveParams::NAMES,
    variants: |_| vec![Variant::plain(WORKGROUP)],
};

params! {
    /// The parameters of [`HALVE`].
    pub(super) struct HalveParams {
        /// Buckets of all sets.
        all_buckets,
    }
}

/// Groups entries into pairs.
pub static PAIR: Kernel = Kernel {
    name: "msm/pair",
    source: "msm/pair.wgsl",
    bindings: &[
        Binding::read("keys", "array<u32>"),
        Binding::read("values", "array<u32>"),
        Binding::read("offsets", "array<u32>"),
        Binding::read("new_offsets", "array<u32>"),
        Binding::read_write("new_keys", "array<u32>"),
        Binding::read_write("new_values", "array<u32>"),
        Binding::read_write("pairs", "array<vec2<u32>>"),
    ],
    params: PairParams::NAMES,
    variants: |_| vec![Variant::plain(WORKGROUP)],
};

params! {
    /// The parameters of [`PAIR`].
    pub(super) struct PairParams {
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

/// Computes running products of the pairs' denominators.
pub static PAIR_FORWARD: Kernel = Kernel {
    name: "msm/pair_forward",
    source: "msm/pair_forward.wgsl",
    bindings: &[
        Binding::read("points", "array<vec4<u32>>"),
        Binding::read("pairs", "array<vec2<u32>>"),
        Binding::read_write("products", "array<vec4<u32>>"),
        Binding::read_write("totals", "array<vec4<u32>>"),
    ],
    params: PairForwardParams::NAMES,
    variants: |_| CurveName::all().map(|name| forward_variant(&name.base_field())).collect(),
};

params! {
    /// The parameters of [`PAIR_FORWARD`].
    pub(super) struct PairForwardParams {
        /// Shares of the pairs.
        threads,
        /// Pairs.
        pairs,
    }
}

/// Computes the sums of the pairs.
pub static PAIR_BACKWARD: Kernel = Kernel {
    name: "msm/pair_backward",
    source: "msm/pair_backward.wgsl",
    bindings: &[
        Binding::read("points", "array<vec4<u32>>"),
        Binding::read("pairs", "array<vec2<u32>>"),
        Binding::read("products", "array<vec4<u32>>"),
        Binding::read("inverses", "array<vec4<u32>>"),
        Binding::read_write("sums", "array<vec4<u32>>"),
    ],
    params: PairBackwardParams::NAMES,
    variants: |_| backward_variants(prime_curves()),
};

/// As [`PAIR_BACKWARD`] over a quadratic extension, with two threads for each share of the pairs.
pub static PAIR_BACKWARD_SPLIT: Kernel = Kernel {
    name: "msm/pair_backward_split",
    source: "msm/pair_backward_split.wgsl",
    bindings: PAIR_BACKWARD.bindings,
    params: PairBackwardParams::NAMES,
    variants: |_| backward_variants(extended_curves()),
};

params! {
    /// The parameters of [`PAIR_BACKWARD`].
    pub(super) struct PairBackwardParams {
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

/// The step before [`ADD`] that doubles (X, Y), where D = 2 Y.
const NUMERATOR: &str = "N = 3 X*X";

/// The sum of (X, Y) and (x, y + Y) for N = y, with I the inverse of the product of all
/// denominators up to D = x - X, and B that of those before.
const ADD: &str = "
    J = I*B
    I = I*D
    L = N*J
    x = L*L - X - x
    U = X - x
    Y = L*U - Y
";

/// The multiples of p below which `shaders/msm/canonical.wgsl` takes values.
const MOST_MULTIPLES: u64 = 4;

/// The formulas, on `N I x Y X D B`.
fn formulas(field: &BigField) -> Result<[Formula; 2]> {
    let product = 2 * CANONICAL;
    let difference = 3 * CANONICAL;
    let inputs = |numerator| {
        let coordinates = [("x", CANONICAL), ("Y", CANONICAL), ("X", CANONICAL)];
        [&[("N", numerator), ("I", product)], &coordinates[..], &[("D", product), ("B", product)]].concat()
    };
    // The other formula follows: its inputs must remain.
    let all = ["N", "I", "x", "Y", "X", "D", "B"];
    let numerator = Formula::compile(NUMERATOR, &inputs(product), &all, field)?;
    let add =
        Formula::compile(ADD, &inputs(difference.max(numerator.outputs[0])), &["N", "I", "x", "Y"], field)?;
    let formulas = [numerator, add];
    match multiples(&formulas).iter().all(|multiple| *multiple <= MOST_MULTIPLES) {
        true => Ok(formulas),
        false => {
            Err(Error::Device("the sum of two points has larger coordinates than the kernels expect".into()))
        }
    }
}

/// The variant of [`PAIR_FORWARD`].
fn forward_variant(field: &BigField) -> Variant {
    Variant::new(WORKGROUP, FieldContext { field })
}

#[derive(Serialize)]
struct FieldContext<'a> {
    field: &'a BigField,
}

/// The variant of [`PAIR_BACKWARD`] or [`PAIR_BACKWARD_SPLIT`].
fn backward_variant(field: &BigField, formulas: &[Formula; 2]) -> Variant {
    let turns = formulas.each_ref().map(|formula| Turn::of(formula, field)).concat();
    let registers = formulas.iter().map(|formula| formula.registers).max().unwrap_or(0);
    let workgroup = if field.is_split() { SPLIT_WORKGROUP } else { WORKGROUP };
    Variant::new(workgroup, Context { field, registers, turns, sums: multiples(formulas) })
}

/// The multiples of p below which the formula for adding leaves x and Y.
fn multiples([_, add]: &[Formula; 2]) -> [u64; 2] {
    [add.outputs[2], add.outputs[3]].map(|bound| bound.div_ceil(CANONICAL))
}

#[derive(Serialize)]
struct Context<'a> {
    field: &'a BigField,
    registers: u32,
    turns: Vec<Turn>,
    /// Multiples of p below which the coordinates of a sum are.
    sums: [u64; 2],
}

fn backward_variants(curves: impl Iterator<Item = CurveName>) -> Vec<Variant> {
    let of = |name: CurveName| {
        let field = shared(name.base_field());
        Some(backward_variant(&field, &formulas(&field).ok()?))
    };
    curves.filter_map(of).collect()
}

/// The field as the backward kernels take it: of an extension two threads share every coordinate.
fn shared(field: BigField) -> BigField {
    if field.degree > 1 { field.split() } else { field }
}

/// The kernels that add up pairs on one curve.
pub(super) struct PairKernels {
    halve: Arc<Pipeline>,
    pair: Arc<Pipeline>,
    forward: Arc<Pipeline>,
    inverses: Arc<Pipeline>,
    backward: Arc<Pipeline>,
    /// The first and the last turn of adding.
    adding: [u32; 2],
    is_extended: bool,
    /// Shares of the pairs that a workgroup of [`Self::backward`] has.
    shares: u32,
}

impl PairKernels {
    pub(super) fn new<F: CoordinateField>(gpu: &Gpu) -> Result<Self> {
        let field = BigField::of::<F>();
        let shared = shared(field.clone());
        let formulas = formulas(&shared)?;
        let variant = backward_variant(&shared, &formulas);
        let (backward, threads) =
            if shared.is_split() { (&PAIR_BACKWARD_SPLIT, 2) } else { (&PAIR_BACKWARD, 1) };
        let [numerator, add] = formulas.map(|formula| formula.multiplications() as u32 + 1);
        Ok(PairKernels {
            halve: gpu.pipeline(&HALVE, &Variant::plain(WORKGROUP))?,
            pair: gpu.pipeline(&PAIR, &Variant::plain(WORKGROUP))?,
            forward: gpu.pipeline(&PAIR_FORWARD, &forward_variant(&field))?,
            inverses: gpu.pipeline(&INVERSES, &field_variant(&field, None))?,
            backward: gpu.pipeline(backward, &variant)?,
            adding: [numerator, numerator + add - 1],
            is_extended: field.degree > 1,
            shares: variant.workgroup / threads,
        })
    }
}

/// The working memory of adding up pairs.
pub(super) struct PairMemory {
    pairs: DeviceVec<u32>,
    products: DeviceVec<u32>,
    totals: DeviceVec<u32>,
    scan: Scan,
    rounds: Vec<Round>,
}

/// The entries that one round leaves.
struct Round {
    keys: DeviceVec<u32>,
    values: DeviceVec<u32>,
    offsets: DeviceVec<u32>,
    sums: DeviceVec<u32>,
}

impl PairMemory {
    /// The buffers of entries and points.
    pub(super) fn vectors(&self) -> Vec<&DeviceVec<u32>> {
        let rounds =
            self.rounds.iter().flat_map(|round| [&round.keys, &round.values, &round.offsets, &round.sums]);
        [&self.pairs, &self.products, &self.totals].into_iter().chain(rounds).collect()
    }

    /// Allocates the buffers for `cut`; `None` if it adds up no pairs.
    pub(super) fn new(gpu: &Gpu, cut: &Cut, field: &BigField) -> Result<Option<Self>> {
        if cut.rounds == 0 {
            return Ok(None);
        }
        let element = field.element_words();
        let (buckets, most) = (cut.all_buckets(), cut.left(cut.entries(), 1));
        let round = |round| {
            let left = cut.left(cut.entries(), round);
            Ok(Round {
                keys: gpu.zeros_whole(left)?,
                values: gpu.zeros_whole(left)?,
                offsets: gpu.zeros_whole(buckets + 1)?,
                sums: gpu.zeros_whole(left * field.affine_words())?,
            })
        };
        Ok(Some(PairMemory {
            pairs: gpu.zeros_whole(2 * most)?,
            products: gpu.zeros_whole(most * element)?,
            totals: gpu.zeros_whole(pair_shares(most as u64, field.degree > 1) as usize * element)?,
            scan: Scan::new(gpu, buckets + 1)?,
            rounds: (1..=cut.rounds).map(round).collect::<Result<_>>()?,
        }))
    }
}

/// Runs all rounds of adding up pairs. Returns the remaining entries, which are to be accumulated.
pub(super) fn add_pairs<'w>(
    recorder: &mut Recorder,
    kernels: &PairKernels,
    part: &Part,
    sorted: Entries<'w>,
    memory: &'w PairMemory,
) -> Result<Entries<'w>> {
    let mut entries = sorted;
    for round in &memory.rounds {
        entries = add_once(recorder, kernels, part, &entries, (memory, round))?;
    }
    Ok(entries)
}

fn add_once<'w>(
    recorder: &mut Recorder,
    kernels: &PairKernels,
    part: &Part,
    entries: &Entries<'w>,
    (memory, round): (&'w PairMemory, &'w Round),
) -> Result<Entries<'w>> {
    let buckets = part.all_buckets();
    let left = cut::left(entries.len.into(), buckets.into(), 1) as u32;
    let (old_offsets, offsets) = (entries.offsets.whole()?, round.offsets.whole()?);
    let groups = |threads: u32| threads.div_ceil(WORKGROUP);
    let params = HalveParams { all_buckets: buckets };
    recorder.dispatch(&kernels.halve, "pair", &[old_offsets, offsets], &params, groups(buckets + 1))?;
    memory.scan.record(recorder, offsets, buckets as usize + 1)?;

    let (keys, values) = (round.keys.whole()?, round.values.whole()?);
    let (pairs, points) = (memory.pairs.whole()?, entries.points.whole()?);
    let sources = [entries.keys.whole()?, entries.values.whole()?, old_offsets, offsets];
    let buffers = [&sources[..], &[keys, values, pairs]].concat();
    let params = PairParams {
        all_buckets: buckets,
        buckets: entries.buckets,
        segment: entries.segment,
        last: entries.len - 1,
        new_bound: left,
    };
    recorder.dispatch(&kernels.pair, "pair", &buffers, &params, groups(entries.len))?;

    let threads = pair_shares(left.into(), kernels.is_extended) as u32;
    let (products, totals) = (memory.products.whole()?, memory.totals.whole()?);
    let buffers = [points, pairs, products, totals];
    let params = PairForwardParams { threads, pairs: left };
    recorder.dispatch(&kernels.forward, "pair forward", &buffers, &params, groups(threads))?;
    let inverting = threads.div_ceil(SHARED_INVERSIONS);
    let params = InversesParams { threads: inverting, len: threads };
    recorder.dispatch(&kernels.inverses, "invert", &[totals], &params, groups(inverting))?;
    let buffers = [points, pairs, products, totals, round.sums.whole()?];
    let [adding, last] = kernels.adding;
    let params = PairBackwardParams { threads, pairs: left, adding, last };
    let groups = threads.div_ceil(kernels.shares);
    recorder.dispatch(&kernels.backward, "pair backward", &buffers, &params, groups)?;
    Ok(Entries {
        points: &round.sums,
        keys: &round.keys,
        values: &round.values,
        offsets: &round.offsets,
        len: left,
        // The keys are bucket numbers among all sets.
        segment: left,
        buckets: 0,
    })
}
