//! The conversion of points to affine coordinates on the device, with an inversion for many points.

use std::sync::Arc;

use super::formulas::WORKGROUP;
use super::inverses::{
    INVERSES, InversesBuffers, InversesParams, SHARED_INVERSIONS, field_variant, inverses_variant,
};
use crate::Result;
use crate::curve::CurveName;
use crate::curve::coordinates::{Additions, XYZZ};
use crate::field::{BigField, CANONICAL, Formula};
use crate::gpu::{Arithmetic, DeviceVec, Gpu, Pipeline, Recorder, Variant, Written, kernel};
use crate::msm::tiling::TABLE_SHARE as SHARE;

kernel! {
    /// Computes running products of the points' ZZZ.
    static PRODUCTS = "msm/products", field_variants;
    ProductsBuffers {
        points: read array<u32>,
        products: read_write array<vec4<u32>>, totals: read_write array<vec4<u32>>,
    }
    ProductsParams {
        /// Threads, each with a share of the points.
        threads,
        /// Points.
        points,
    }
}

kernel! {
    /// Converts points to affine points, by inverses of running products.
    static NORMALIZE = "msm/normalize", field_variants;
    NormalizeBuffers {
        points: read array<u32>, products: read array<vec4<u32>>, inverses: read array<vec4<u32>>,
        affine: read_write array<vec4<u32>>,
    }
    NormalizeParams {
        /// Threads, each with a share of the points.
        threads,
        /// Points.
        points,
        /// The place of the first affine point.
        first,
        /// Turns of the formula.
        turns,
    }
}

/// Computes the affine point and the inverse for the previous point, from the inverse I of the product
/// up to the point's ZZZ and the product B before it.
const TO_AFFINE: &str = "
    J = I*B
    I = I*ZZZ
    T = J*ZZ
    T = T*T
    X = X*T
    Y = Y*J
";

fn field_variants(_: Arithmetic) -> Vec<Variant> {
    let of = |name: CurveName| {
        let field = name.base_field();
        let formula = to_affine(&field, &XYZZ.compile(&field).ok()?).ok()?;
        Some(field_variant(&field, Some(&formula)))
    };
    CurveName::all().filter_map(of).collect()
}

fn to_affine(field: &BigField, additions: &Additions) -> Result<Formula> {
    let b = &additions.bounds;
    let product = 2 * CANONICAL;
    let inputs = [("I", product), ("X", b[0]), ("Y", b[1]), ("ZZ", b[2]), ("ZZZ", b[3]), ("B", product)];
    Formula::compile(TO_AFFINE, &inputs, &["I", "X", "Y"], field)
}

/// The kernels that convert the points of one curve.
pub(super) struct Normalizer {
    products: Arc<Pipeline>,
    inverses: Arc<Pipeline>,
    normalize: Arc<Pipeline>,
    /// Turns of the formula.
    turns: u32,
}

/// The lists that a conversion of some points takes.
pub(super) struct NormalizerMemory {
    /// Of each point the product of those before it.
    products: DeviceVec<u32>,
    /// Of each thread the product of all its points.
    totals: DeviceVec<u32>,
}

impl NormalizerMemory {
    /// The lists for at most `n` points.
    pub(super) fn new(gpu: &Gpu, field: &BigField, n: usize) -> Result<Self> {
        Ok(NormalizerMemory {
            products: gpu.zeros_whole(n * field.element_words())?,
            totals: gpu.zeros_whole(n.div_ceil(SHARE) * field.element_words())?,
        })
    }
}

impl Normalizer {
    pub(super) fn new(gpu: &Gpu, field: &BigField) -> Result<Self> {
        let to_affine = to_affine(field, &XYZZ.compile(field)?)?;
        let (variant, plain) =
            (field_variant(field, Some(&to_affine)), inverses_variant(field, gpu.arithmetic()));
        let [products, inverses, normalize] =
            gpu.pipelines([(&PRODUCTS, &variant), (&INVERSES, &plain), (&NORMALIZE, &variant)])?;
        Ok(Normalizer { products, inverses, normalize, turns: to_affine.multiplications() as u32 })
    }

    /// Converts the first `n` of `points`, in extended Jacobian coordinates, to canonical affine coordinates, with (0, 0) for
    /// infinity. The first of them goes to place `first`.
    pub(super) fn record(
        &self,
        recorder: &mut Recorder,
        memory: &NormalizerMemory,
        points: &wgpu::Buffer,
        (affine, first): (Written<'_>, u32),
        n: u32,
    ) -> Result<()> {
        let (products, totals) = (memory.products.whole()?, memory.totals.whole()?);
        let threads = n.div_ceil(SHARE as u32);
        let groups = threads.div_ceil(WORKGROUP);
        let buffers = ProductsBuffers { points, products: Written(products), totals: Written(totals) };
        let params = ProductsParams { threads, points: n };
        recorder.dispatch(&self.products, "normalize", &buffers, &params, groups)?;
        let inverting = threads.div_ceil(SHARED_INVERSIONS);
        let params = InversesParams { threads: inverting, len: threads };
        let buffers = InversesBuffers { elements: Written(totals) };
        let inverting_groups = self.inverses.groups(inverting);
        recorder.dispatch(&self.inverses, "normalize", &buffers, &params, inverting_groups)?;
        let buffers = NormalizeBuffers { points, products, inverses: totals, affine };
        let params = NormalizeParams { threads, points: n, first, turns: self.turns };
        recorder.dispatch(&self.normalize, "normalize", &buffers, &params, groups)
    }
}
