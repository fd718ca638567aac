//! Formulas for adding points as the kernels run them, and the variants of kernels that add points.

use serde::Serialize;

use crate::Result;
use crate::curve::CurveName;
use crate::curve::coordinates::{Additions, Coordinates, XYZZ};
use crate::field::{BigField, Formula, Turn};
use crate::gpu::{Arithmetic, Variant};
use crate::msm::Accumulators;

/// Invocations per workgroup. Register pressure, not this number, limits how many run at once.
pub(super) const WORKGROUP: u32 = 64;
/// Invocations per workgroup of kernels in which two threads share every coordinate, and wait for each other.
pub(super) const SPLIT_WORKGROUP: u32 = 32;
/// Bytes of workgroup memory that every device has.
const WORKGROUP_BYTES: usize = 16 << 10;

/// The ends of two formulas that one loop runs through.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ends {
    /// The last turn of adding.
    pub(super) adding: u32,
    /// The last turn of doubling, whose turns follow.
    pub(super) doubling: u32,
}

/// How the kernels that add sums of points are dispatched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Adder {
    pub(super) ends: Ends,
    /// Sums of a workgroup.
    pub(super) sums: u32,
}

impl Adder {
    /// The number of workgroups for `sums` sums.
    pub(super) fn groups(self, sums: u32) -> u32 {
        sums.div_ceil(self.sums)
    }
}

/// Declares a kernel that adds points: the ends of its formulas come before its own parameters.
macro_rules! point_kernel {
    (
        $(#[$meta:meta])* static $name:ident = $path:literal, $variants:expr;
        $buffers:ident $({ $($buffer:tt)* })?
        $params:ident { $($own:tt)* }
    ) => {
        $crate::gpu::kernel! {
            $(#[$meta])* static $name = $path, $variants;
            $buffers $({ $($buffer)* })?
            $params {
                /// The last turn of the formula for adding.
                last_adding,
                /// The last turn of the formula for doubling, whose turns follow.
                last_doubling,
                $($own)*
            }
        }
    };
}
pub(super) use point_kernel;

/// A formula for adding, followed by the one for doubling, in one loop.
pub(super) struct Formulas {
    pub(super) registers: u32,
    pub(super) turns: Vec<Turn>,
    pub(super) ends: Ends,
}

impl Formulas {
    pub(super) fn new(field: &BigField, add: &Formula, double: &Formula) -> Self {
        let turns = [add, double].map(|formula| Turn::of(formula, field));
        let [adding, doubling] = turns.each_ref().map(|turns| turns.len() as u32);
        let ends = Ends { adding: adding - 1, doubling: adding + doubling - 1 };
        Formulas { registers: add.registers.max(double.registers), ends, turns: turns.concat() }
    }

    /// These formulas and, behind them, those of `other`, with the ends of the latter.
    pub(super) fn followed_by(self, other: Formulas) -> (Self, Ends) {
        let before = self.turns.len() as u32;
        let ends = Ends { adding: before + other.ends.adding, doubling: before + other.ends.doubling };
        let registers = self.registers.max(other.registers);
        (Formulas { registers, turns: [self.turns, other.turns].concat(), ..self }, ends)
    }
}

/// The registers of an invocation that lie in workgroup memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kept {
    /// All of them.
    All,
    /// The first so many, those of an accumulator.
    #[serde(untagged)]
    First(usize),
}

impl Kept {
    /// The elements there for an invocation whose formula has so many registers: with the products of an extension one more, for a
    /// factor that is computed.
    pub(super) fn slots(self, field: &BigField, registers: u32) -> usize {
        match self {
            Kept::All => registers as usize + field.held - 1,
            Kept::First(elements) => elements,
        }
    }

    /// Those of a kernel that has no other choice.
    pub(super) fn of(arithmetic: Arithmetic) -> Option<Self> {
        arithmetic.few_registers.then_some(Kept::All)
    }
}

/// The most invocations of a workgroup, at most `most`, for which every device has memory, if each keeps so many elements there.
pub(super) fn fitting(most: u32, field: &BigField, elements: usize) -> u32 {
    // What threads show each other beside elements takes a few words.
    let fitting = (WORKGROUP_BYTES - 256) / (4 * field.limbs * elements);
    most.min(1 << fitting.max(1).ilog2())
}

#[derive(Serialize)]
pub(super) struct PointContext<'a> {
    pub(super) field: &'a BigField,
    /// Elements of the prime field that a point has.
    pub(super) size: usize,
    registers: u32,
    turns: &'a [Turn],
    /// The registers in workgroup memory; none if the templates are not told.
    #[serde(skip_serializing_if = "Option::is_none")]
    kept: Option<Kept>,
    /// Only of kernels that gather: true if they have a thread for each bucket.
    #[serde(skip_serializing_if = "Option::is_none")]
    by_bucket: Option<bool>,
    /// Only of kernels that add up two affine points first: the elements of their sum that have to be reduced.
    #[serde(skip_serializing_if = "Option::is_none")]
    larger: Option<&'a [usize]>,
}

/// Kernels that add points like the accumulator.
pub(super) fn full_variants(arithmetic: Arithmetic) -> Vec<Variant> {
    variants_of(
        CurveName::all(),
        arithmetic,
        |additions| &additions.full,
        |point| point_variant(point.of_sums()),
    )
}

/// Such kernels of other forms than the default.
pub(super) fn other_full_variants(arithmetic: Arithmetic) -> Vec<Variant> {
    variants_of(
        curves_of_other_forms(),
        arithmetic,
        |additions| &additions.full,
        |point| point_variant(point.of_sums()),
    )
}

/// The curves that the tests translate kernels of other forms than the default for: all over prime fields, but of those
/// over extensions, whose texts are long, only one.
pub(super) fn curves_of_other_forms() -> impl Iterator<Item = CurveName> {
    let mut extended = 0;
    CurveName::all().rev().filter(move |name| {
        let is_extended = name.base_field().degree > 1;
        extended += usize::from(is_extended);
        !is_extended || extended == 1
    })
}

/// The curves over prime fields.
pub(super) fn prime_curves() -> impl Iterator<Item = CurveName> {
    CurveName::all().filter(|name| name.base_field().degree == 1)
}

/// The curves over quadratic extensions.
pub(super) fn extended_curves() -> impl Iterator<Item = CurveName> {
    CurveName::all().filter(|name| name.base_field().degree > 1)
}

/// The variants that `build` makes of an addition, one for each of some curves.
pub(super) fn variants_of(
    curves: impl Iterator<Item = CurveName>,
    arithmetic: Arithmetic,
    add: impl Fn(&Additions) -> &Formula,
    build: impl Fn(PointContext) -> Variant,
) -> Vec<Variant> {
    let variant = |name: CurveName| {
        let field = name.base_field();
        let additions = XYZZ.compile(&field).ok()?;
        let formulas = Formulas::new(&field, add(&additions), &additions.double);
        Some(build(PointContext::new(&field, &XYZZ, &formulas, arithmetic)))
    };
    curves.filter_map(variant).collect()
}

impl<'a> PointContext<'a> {
    /// The accumulator is in registers, unless these are few.
    pub(super) fn new(
        field: &'a BigField,
        coordinates: &Coordinates,
        formulas: &'a Formulas,
        arithmetic: Arithmetic,
    ) -> Self {
        let Formulas { registers, ref turns, .. } = *formulas;
        let size = coordinates.elements(field);
        PointContext {
            field,
            size,
            registers,
            turns,
            kept: Kept::of(arithmetic),
            by_bucket: None,
            larger: None,
        }
    }

    /// The accumulator is in this place.
    pub(super) fn placed(self, accumulators: Accumulators) -> Self {
        let kept = match accumulators {
            Accumulators::Workgroup => self.kept.or(Some(Kept::First(self.size))),
            Accumulators::Registers => self.kept,
        };
        PointContext { kept, ..self }
    }

    /// The context of a kernel that first adds up two affine points, with these elements of their sum to reduce.
    pub(super) fn by_two(self, larger: &'a [usize]) -> Self {
        PointContext { larger: Some(larger), ..self }
    }

    /// The context of a kernel that gathers partial sums.
    pub(super) fn gathering(self, by_bucket: bool) -> Self {
        PointContext { by_bucket: Some(by_bucket), ..self.of_sums() }
    }

    /// The place of the accumulator where both points have its coordinates: in an extension these are more words than a
    /// thread of an NVIDIA GPU has registers, and a kernel that keeps them there is up to fifteen times slower
    /// (benches/notebook/msm-g2.md).
    pub(super) fn of_sums(self) -> Self {
        if self.field.degree > 1 { self.placed(Accumulators::Workgroup) } else { self }
    }

    /// Invocations per workgroup: [`WORKGROUP`] or [`SPLIT_WORKGROUP`], or fewer if accumulators would take more memory than
    /// every device has.
    pub(super) fn workgroup(&self) -> u32 {
        match self.kept {
            None if self.field.is_split() => SPLIT_WORKGROUP,
            None => WORKGROUP,
            Some(kept) => {
                let most = if self.field.is_split() { SPLIT_WORKGROUP } else { WORKGROUP };
                fitting(most, self.field, kept.slots(self.field, self.registers))
            }
        }
    }
}

/// The variant of a kernel that has no other choices.
pub(super) fn point_variant(point: PointContext) -> Variant {
    Variant::new(point.workgroup(), point)
}

/// The variant of a kernel that adds affine points and in which two threads share every coordinate of an extension, and its
/// dispatches.
pub(super) fn split(
    field: &BigField,
    coordinates: &Coordinates,
    arithmetic: Arithmetic,
) -> Result<(Variant, Adder)> {
    let field = field.split();
    let additions = coordinates.compile(&field)?;
    let formulas = Formulas::new(&field, &additions.mixed, &additions.double);
    let variant = point_variant(PointContext::new(&field, coordinates, &formulas, arithmetic));
    let adder = Adder { ends: formulas.ends, sums: variant.workgroup / 2 };
    Ok((variant, adder))
}
