//! The size from which on matrices go to the device.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use p3_dft::{Radix2DitParallel, TwoAdicSubgroupDft};
use p3_matrix::dense::RowMajorMatrix;

use crate::field::{Field31, words};
use crate::job::{Job, TO_BIT_REVERSED};
use crate::transform_device::TransformDevice;

/// The size from which on matrices go to the device. Smaller ones go to Plonky3's
/// [`Radix2DitParallel`]: a call of a GPU takes some tenths of a millisecond, however small the matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Crossover {
    /// The size from which on the device is faster than Plonky3 on this host. The first matrix whose result has 2^16
    /// words or more begins a measurement, which takes some tenths of a second and is made once for a device; results
    /// of fewer words always go to Plonky3.
    #[default]
    Measured,
    /// Results of this many words or more go to the device: 0 for all of them, `usize::MAX` for none.
    Words(usize),
}

/// Results of fewer words are done before a GPU has answered, so they do not even open it.
pub(crate) const LEAST: usize = 1 << 16;

/// Rows and added bits of the measured matrices.
const ROWS: usize = 1 << 13;
const ADDED_BITS: usize = 1;
/// Their columns.
const WIDTHS: [usize; 7] = [8, 16, 32, 64, 128, 256, 512];
/// A device that is so much slower is not given larger matrices.
const HOPELESS: u32 = 8;

/// The measured size of one device.
#[derive(Debug, Default)]
pub(crate) struct Measurement {
    words: OnceLock<usize>,
    has_begun: AtomicBool,
}

impl Measurement {
    /// The words of the smallest result that goes to the device. `None` while another thread measures: it must not be
    /// waited for, since both may be threads of one pool.
    pub fn words<F: Field31>(
        &self,
        transforms: &TransformDevice,
        plonky3: &Radix2DitParallel<F>,
    ) -> Option<usize> {
        if let Some(&words) = self.words.get() {
            return Some(words);
        }
        if self.has_begun.swap(true, Ordering::Relaxed) {
            return None;
        }
        let words = crossing(&WIDTHS, |width| measure(transforms, plonky3, width))
            .map_or(usize::MAX, |width| (ROWS << ADDED_BITS) * width);
        log::debug!("results of {words} words and more go to the device");
        Some(*self.words.get_or_init(|| words))
    }
}

/// The first width at which the device, whose time comes first, is faster.
fn crossing(widths: &[usize], mut measure: impl FnMut(usize) -> Option<[Duration; 2]>) -> Option<usize> {
    for &width in widths {
        let [device, plonky3] = measure(width)?;
        if device < plonky3 {
            return Some(width);
        }
        if device > plonky3 * HOPELESS {
            return None;
        }
    }
    None
}

/// The times of a low-degree extension on the device and by Plonky3; `None` if the device fails.
fn measure<F: Field31>(
    transforms: &TransformDevice,
    plonky3: &Radix2DitParallel<F>,
    width: usize,
) -> Option<[Duration; 2]> {
    let values = (0..(ROWS * width) as u32).map(F::from_u32).collect();
    let matrix = RowMajorMatrix::new(values, width);
    let job = Job::extension([ROWS, width], ADDED_BITS, F::GENERATOR, TO_BIT_REVERSED)?;
    let device = second(|| {
        let begin = Instant::now();
        let result = transforms.run(words(&matrix.values), &job);
        let time = begin.elapsed();
        result.inspect_err(|error| log::warn!("no measurement of the device: {error}")).ok().map(|_| time)
    })?;
    let plonky3 = second(|| {
        let matrix = matrix.clone();
        let begin = Instant::now();
        let result = plonky3.coset_lde_batch(matrix, ADDED_BITS, F::GENERATOR);
        let time = begin.elapsed();
        drop(result);
        Some(time)
    })?;
    log::debug!("{ROWS} x {width}: the device takes {device:?}, Plonky3 {plonky3:?}");
    Some([device, plonky3])
}

/// The time of the second run: the first compiles kernels and makes tables.
fn second(mut run: impl FnMut() -> Option<Duration>) -> Option<Duration> {
    run()?;
    run()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_crossing_is_the_first_width_at_which_the_device_is_faster() {
        let times = |device: fn(usize) -> u64, plonky3: fn(usize) -> u64| {
            move |width| Some([device(width), plonky3(width)].map(Duration::from_micros))
        };
        assert_eq!(crossing(&WIDTHS, times(|width| 100 + width as u64, |width| 3 * width as u64)), Some(64));
        assert_eq!(crossing(&WIDTHS, times(|_| 1, |_| 2)), Some(8));
        assert_eq!(crossing(&WIDTHS, times(|_| 2, |_| 1)), None);
        assert_eq!(crossing(&WIDTHS, |_| None), None);
    }

    #[test]
    fn hopeless_devices_are_measured_once() {
        let mut measured = Vec::new();
        let found = crossing(&WIDTHS, |width| {
            measured.push(width);
            Some([900, 100].map(Duration::from_micros))
        });
        assert_eq!((found, measured), (None, vec![8]));
    }
}
