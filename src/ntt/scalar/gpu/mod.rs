//! Transforms over scalar fields, and operations on vectors, on a GPU.
//!
//! ```text
//! plan        the passes in numbers; sums: those of short vectors
//! transform   the passes as pipelines with their tables, and their dispatches
//! pieces      vectors that no binding holds, in numbers; across: the passes that combine their pieces
//! passes      the kernels of passes; kernels: the other ones
//! tables      powers in the form that the kernels multiply by; two_levels: those that are products of two, in numbers
//! form        limbs within a pass; multiples: factors of a table as passes take them
//! vectors     operations between transforms
//! sparse      products of sparse matrices and vectors
//! ```
//!
//! Vectors are in arkworks' form, eight words a scalar (R = 2^256), so that an upload converts nothing. Entries of tables have another form
//! (R = 2^270), so that a product with one keeps the form of the data; of two scalars, one is raised by 2^14 as it is unpacked.
//!
//! ```text
//! frequency    | rows of a tile, from the highest digits down | ... | -> bit-reversed, or natural in another vector
//! time         | rows of a tile, from the lowest digits up | ...     -> natural
//!              a tile has up to 2^8 scalars, 2^9 where that spares a pass; a thread takes two of them in each radix-2 stage,
//!              keeps one of the two results and exchanges the other in workgroup memory, or within a subgroup
//! pieces       | steps across the pieces of a vector that no binding holds | the same passes over each piece |
//! ```
//!
//! All stages have the twiddles of the whole transform, from one table of n/2 entries, so that nothing is multiplied between passes.
//! Every butterfly multiplies first, so that a value grows by at most 5 r a stage and is reduced once a pass. Within a pass a scalar has
//! nine limbs of 29 bits in words of 32 (portable: 30 bits), and sums and differences carry nothing. A factor is in the table as
//! three multiples, one for each third of a scalar's limbs, so that Montgomery's reduction has three limbs to take away instead of
//! nine. The factor 1/n, or the weights of a coset, are one or two more products at one end of a pass.

mod across;
mod kernels;
mod modulus_limbs;
mod multiples;
mod passes;
mod pieces;
mod plan;
mod sparse;
mod sums;
mod tables;
mod transform;
mod two_levels;
mod vectors;

pub(super) use kernels::Operation;
pub(super) use multiples::FACTOR_BYTES;
pub(super) use plan::{TransformPlan, chunk_len};
pub(super) use sparse::DeviceMatrix;
pub(super) use transform::{PreparedTransform, compile};
pub(super) use vectors::VectorKernels;

/// The kernels of this module.
pub(crate) static KERNELS: &[&crate::gpu::Kernel] = &[
    &passes::PASS,
    &passes::PASS_TO,
    &passes::SUMS,
    &across::ACROSS_2,
    &across::ACROSS_4,
    &across::INTERLEAVE,
    &kernels::REVERSE,
    &kernels::COMBINE,
    &kernels::SCALE,
    &kernels::INVERT,
    &kernels::SPARSE,
];
