//! The passes across the pieces of vectors that no single binding holds: kernels, tables and dispatches.

use std::sync::Arc;

use serde::Serialize;

use super::kernels::{FLAT, field_of};
use super::modulus_limbs::{PARTS, PassField};
use super::pieces::{LOG_RADIX, LOG_SOURCES, Pieces, Step};
use super::tables::Table;
use crate::curve::scalar_fields;
use crate::field::{BigField, bit_reverse};
use crate::gpu::{Buffers, DeviceVec, Gpu, Kernel, Pipeline, Recorder, Variant, Written, buffers, params};
use crate::ntt::scalar::problem::Weights;
use crate::scalars::{SCALAR_WORDS, Scalar};
use crate::{Error, Result};

params! {
    /// The parameters of a step.
    pub(super) struct AcrossParams {
        /// Scalars of a piece.
        len,
        /// Entries of the table.
        factors,
        /// The pairs of pieces whose factor is 1, as binary digits.
        unit_pairs,
        /// The pieces whose weights are 1, likewise.
        unit_pieces,
        /// Entries of the weights of a piece.
        weights,
        /// log2 of the length of their low part.
        log_low_weights,
    }
}

/// A step that combines two pieces.
pub(super) static ACROSS_2: Kernel =
    Kernel::of::<Across2Buffers, AcrossParams>("ntt/scalar/across_2", "ntt/scalar/across.wgsl", |_| {
        examples(1)
    });

buffers! {
    /// The buffers of [`ACROSS_2`].
    pub(super) struct Across2Buffers {
        first_piece: read_write array<vec4<u32>>,
        second_piece: read_write array<vec4<u32>>,
        tables: read array<vec4<u32>>,
        second_tables: read array<vec4<u32>>,
        third_tables: read array<vec4<u32>>,
    }
}

/// A step that combines four pieces.
pub(super) static ACROSS_4: Kernel =
    Kernel::of::<Across4Buffers, AcrossParams>("ntt/scalar/across_4", "ntt/scalar/across.wgsl", |_| {
        examples(LOG_RADIX)
    });

buffers! {
    /// The buffers of [`ACROSS_4`].
    pub(super) struct Across4Buffers {
        first_piece: read_write array<vec4<u32>>,
        second_piece: read_write array<vec4<u32>>,
        third_piece: read_write array<vec4<u32>>,
        fourth_piece: read_write array<vec4<u32>>,
        tables: read array<vec4<u32>>,
        second_tables: read array<vec4<u32>>,
        third_tables: read array<vec4<u32>>,
    }
}

params! {
    /// The parameters of [`INTERLEAVE`].
    pub(super) struct InterleaveParams {
        /// Halves of scalars that are moved.
        len,
        /// The first scalar that is read of each piece.
        first,
        /// log2 of the pieces that are read.
        log_sources,
        /// log2 of the pieces of a vector.
        log_count,
        /// The residue of the first piece.
        first_residue,
    }
}

/// Moves scalars from pieces by the lowest digits of their indices to the order of their indices.
pub(super) static INTERLEAVE: Kernel = Kernel::of::<InterleaveBuffers, InterleaveParams>(
    "ntt/scalar/interleave",
    "ntt/scalar/interleave.wgsl",
    |_| vec![Variant::plain(FLAT)],
);

buffers! {
    /// The buffers of [`INTERLEAVE`]. Where fewer pieces are read, the last ones are others again.
    pub(super) struct InterleaveBuffers {
        first_piece: read array<vec4<u32>>,
        second_piece: read array<vec4<u32>>,
        third_piece: read array<vec4<u32>>,
        fourth_piece: read array<vec4<u32>>,
        target_scalars: read_write array<vec4<u32>>,
    }
}

#[derive(Serialize)]
struct AcrossContext {
    #[serde(flatten)]
    field: PassField,
    pieces: u32,
    time: bool,
}

/// The variant of [`ACROSS_2`] or [`ACROSS_4`].
fn across(field: BigField, log_radix: u32, time: bool) -> Variant {
    Variant::new(FLAT, AcrossContext { field: PassField::new(field), pieces: 1 << log_radix, time })
}

/// The variants that tests translate: those of every field.
fn examples(log_radix: u32) -> Vec<Variant> {
    let of_field = |name| [false, true].map(|time| across(field_of(name).field, log_radix, time));
    scalar_fields().into_iter().flat_map(of_field).collect()
}

/// The kernel of a step.
fn of_step<F: Scalar>(step: &Step, time: bool) -> (&'static Kernel, Variant) {
    let kernel = if step.log_radix == LOG_RADIX { &ACROSS_4 } else { &ACROSS_2 };
    (kernel, across(BigField::of::<F>(), step.log_radix, time))
}

/// Compiles the kernels of all passes.
pub(super) fn compile<F: Scalar>(gpu: &Gpu, pieces: &Pieces<F>) -> Result<()> {
    let steps = pieces.steps();
    let steps = steps.iter().map(|step| of_step::<F>(step, pieces.time));
    let all: Vec<_> = steps.chain([(&INTERLEAVE, Variant::plain(FLAT))]).collect();
    gpu.pipelines_of(&all).map(drop)
}

/// Makes and uploads the tables of some pieces.
fn group<F: Scalar>(gpu: &Gpu, pieces: &Pieces<F>, step: &Step, numbers: Vec<usize>) -> Result<Group> {
    let mut table = Table::of_multiples(pieces.factors_len(step) as usize)?;
    let pairs = pieces.pairs(step, numbers.first().copied().unwrap_or(0));
    table.push_all(&pairs);
    // None, unless weights follow.
    let (mut unit_pieces, mut log_low_weights) = (u32::MAX, 0);
    if step.is_weighted() {
        let weights: Vec<_> = numbers.iter().map(|&piece| pieces.weights(piece)).collect();
        unit_pieces = digits_of(weights.iter().map(Weights::are_units));
        for Weights { first, ratio } in weights {
            log_low_weights = table.push_two_levels(first, ratio, pieces.log_piece);
        }
    }
    let params = AcrossParams {
        len: 1 << pieces.log_piece,
        factors: table.len() as u32,
        unit_pairs: digits_of(pairs.iter().map(F::is_one)),
        unit_pieces,
        weights: pieces.weights_len() as u32,
        log_low_weights,
    };
    Ok(Group { pieces: numbers, params, tables: table.upload_multiples(gpu)? })
}

/// The number with these binary digits, the lowest first.
fn digits_of(digits: impl Iterator<Item = bool>) -> u32 {
    digits.enumerate().fold(0, |number, (i, digit)| number | u32::from(digit) << i)
}

/// The passes across pieces, ready to run.
#[derive(Debug)]
pub(super) struct Across<F> {
    pub pieces: Pieces<F>,
    steps: Vec<PreparedStep>,
    interleave: Arc<Pipeline>,
}

#[derive(Debug)]
struct PreparedStep {
    pipeline: Arc<Pipeline>,
    stage: String,
    groups: Vec<Group>,
}

/// The pieces of a dispatch, and what they are multiplied by.
#[derive(Debug)]
struct Group {
    pieces: Vec<usize>,
    params: AcrossParams,
    tables: [DeviceVec<u32>; PARTS],
}

impl<F: Scalar> Across<F> {
    /// Compiles the kernels and uploads the tables.
    pub fn new(gpu: &Gpu, pieces: &Pieces<F>) -> Result<Self> {
        compile(gpu, pieces)?;
        let prepared = |step: &Step| {
            let (kernel, variant) = of_step::<F>(step, pieces.time);
            Ok(PreparedStep {
                pipeline: gpu.pipeline(kernel, &variant)?,
                stage: format!("{} digits across pieces from {}", step.log_radix, step.digit),
                groups: pieces
                    .groups(step)
                    .map(|numbers| group(gpu, pieces, step, numbers))
                    .collect::<Result<_>>()?,
            })
        };
        Ok(Across {
            pieces: *pieces,
            steps: pieces.steps().iter().map(prepared).collect::<Result<_>>()?,
            interleave: gpu.pipeline(&INTERLEAVE, &Variant::plain(FLAT))?,
        })
    }

    /// The buffers of each vector. Those of the device may be others than the plan was made for.
    fn vectors<'d>(&self, data: &'d DeviceVec<u32>) -> Result<impl Iterator<Item = &'d [wgpu::Buffer]>> {
        if data.chunk_len() != SCALAR_WORDS << self.pieces.log_piece {
            return Err(Error::OtherPlan { what: "the binding limit of the device" });
        }
        Ok(data.chunks().chunks_exact(1 << self.pieces.log_count).take(self.pieces.batch))
    }

    /// Records the steps over all vectors.
    pub fn record(&self, recorder: &mut Recorder, data: &DeviceVec<u32>) -> Result<()> {
        let groups = (1u32 << self.pieces.log_piece).div_ceil(FLAT);
        for step in &self.steps {
            for vector in self.vectors(data)? {
                for Group { pieces, params, tables: [tables, second_tables, third_tables] } in &step.groups {
                    let (tables, second_tables, third_tables) =
                        (tables.whole()?, second_tables.whole()?, third_tables.whole()?);
                    let buffers: &dyn Buffers = match pieces[..] {
                        [a, b, c, d] => &Across4Buffers {
                            first_piece: Written(&vector[a]),
                            second_piece: Written(&vector[b]),
                            third_piece: Written(&vector[c]),
                            fourth_piece: Written(&vector[d]),
                            tables,
                            second_tables,
                            third_tables,
                        },
                        [a, b] => &Across2Buffers {
                            first_piece: Written(&vector[a]),
                            second_piece: Written(&vector[b]),
                            tables,
                            second_tables,
                            third_tables,
                        },
                        _ => {
                            return Err(Error::Device(format!("no kernel combines {} pieces", pieces.len())));
                        }
                    };
                    recorder.dispatch(&step.pipeline, &step.stage, buffers, params, groups)?;
                }
            }
        }
        Ok(())
    }

    /// Records the interleaving of all vectors from `source` to `target`.
    pub fn interleave(
        &self,
        recorder: &mut Recorder,
        source: &DeviceVec<u32>,
        target: &DeviceVec<u32>,
    ) -> Result<()> {
        let Pieces { log_piece, log_count, .. } = self.pieces;
        let log_sources = log_count.min(LOG_SOURCES);
        // Each piece gives as many scalars to every piece.
        let log_each = log_piece.saturating_sub(log_count);
        let len = 1u32 << (1 + log_each + log_sources);
        for (source, target) in self.vectors(source)?.zip(self.vectors(target)?) {
            for (number, to) in target.iter().enumerate() {
                for first_residue in (0..1 << log_count).step_by(1 << log_sources) {
                    let piece =
                        |i: usize| &source[bit_reverse(first_residue + i % (1 << log_sources), log_count)];
                    let params = InterleaveParams {
                        len,
                        first: (number as u32) << log_each,
                        log_sources,
                        log_count,
                        first_residue: first_residue as u32,
                    };
                    let buffers = InterleaveBuffers {
                        first_piece: piece(0),
                        second_piece: piece(1),
                        third_piece: piece(2),
                        fourth_piece: piece(3),
                        target_scalars: Written(to),
                    };
                    recorder.dispatch(
                        &self.interleave,
                        "interleaved pieces",
                        &buffers,
                        &params,
                        len.div_ceil(FLAT),
                    )?;
                }
            }
        }
        Ok(())
    }
}
