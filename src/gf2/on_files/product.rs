//! Products of matrices in files.

use std::fmt;
use std::path::Path;

use super::dense::{check_bytes, write_parts};
use super::way::{FromFiles, ReadyFromFiles, StaysOnDisk};
use crate::Result;
use crate::gf2::bit_matrix::LINE_BITS;
use crate::gf2::{BitMatrix, BitView, Product, cpu};
use crate::task::{CpuProfile, Problem, Profile, Ways};

/// The fewest rows of a product at a time, unless it has fewer: all of B is read for each such part.
const LEAST_ROWS: usize = 128;

/// A product whose factors stay in files. It goes out a band of rows at a time, as it is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProductOnFiles {
    product: Product,
    checks: bool,
}

impl ProductOnFiles {
    /// Makes the problem.
    pub fn new(product: Product) -> Self {
        ProductOnFiles { product, checks: false }
    }

    /// Includes the memory and the reads of a [`ProductCheck`](crate::gf2::ProductCheck) beside the run, if `checks`.
    #[must_use]
    pub fn with_check(self, checks: bool) -> Self {
        ProductOnFiles { checks, ..self }
    }

    /// The bytes of a check beside the bands that it reads.
    pub fn check_bytes(&self) -> u64 {
        let (rows, inner, columns) = self.product.shape();
        check_bytes((rows, inner), columns)
    }
}

impl Problem for ProductOnFiles {
    const NAME: &'static str = "this matrix, which stays on the disk,";

    type Resident<'a> = &'a Path;
    /// Both factors, those of mapped files, and what takes the bands.
    type Input<'a> = (BitView<'a>, BitView<'a>, &'a mut (dyn FnMut(&BitMatrix) -> Result<()> + 'a));
    type Answer = ();
    type Kernels = ();

    fn ways(&self, profile: &Profile) -> Result<Ways<Self>> {
        self.only_way(profile)
    }

    fn check_input(&self, (a, b, _): &Self::Input<'_>) -> Result<()> {
        self.product.expect_shapes((a.rows(), a.columns()), (b.rows(), b.columns()))
    }

    fn reborrow<'s>((a, b, take): &'s mut Self::Input<'_>) -> Self::Input<'s> {
        (*a, *b, &mut **take)
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.product.write(f)
    }
}

impl StaysOnDisk for ProductOnFiles {
    fn in_parts(&self, profile: &Profile, cpu: CpuProfile) -> FromFiles {
        let (rows, inner, columns) = self.product.shape();
        let tiles = columns.div_ceil(LINE_BITS) as u64;
        let check = if self.checks { self.check_bytes() } else { 0 };
        let state =
            64 * LINE_BITS as u64 * tiles + 2 * BitMatrix::bytes_of(1, columns as u64) + (2 << 20) + check;
        let row = 64 * tiles + 64 + 4;
        let fitting = profile.host_memory.saturating_sub(state) / row;
        let at_a_time =
            usize::try_from(fitting).unwrap_or(usize::MAX).clamp(LEAST_ROWS.min(rows.max(1)), rows.max(1));
        let parts = rows.div_ceil(at_a_time);
        let band = row * at_a_time as u64;
        let [a_bytes, b_bytes] = [(rows, inner), (inner, columns)]
            .map(|(rows, columns)| rows as u64 * 4 * columns.div_ceil(32) as u64);
        // A check reads both factors once more.
        let of_check = if self.checks { a_bytes + b_bytes } else { 0 };
        let read_bytes = a_bytes + b_bytes.saturating_mul(parts as u64) + of_check;
        FromFiles {
            parts,
            read_bytes,
            written_bytes: 0,
            input_bytes: read_bytes,
            at_a_time,
            band,
            compute: crate::gf2::cpu::times::product(rows, inner, columns, cpu),
            host_bytes: state + band,
        }
    }

    fn write_parts(&self, files: &FromFiles, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_parts(files, ("tables of sums, on files", "rows of the answer"), f)
    }

    fn run_in_parts(&self, ready: &ReadyFromFiles<'_>, (a, b, take): Self::Input<'_>) -> Result<()> {
        cpu::multiply_in_bands(&ready.cpu, a, b, ready.files.band, take)
    }
}
