//! Residues that go to a device.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::field::Prime;
use crate::gpu::{DeviceVec, Gpu, Source, block_on};
use crate::parallel::*;
use crate::{Error, Result};

/// Copies residues modulo `prime` to a new device vector, and checks on the way that all are below it. Transforms and
/// products of other words are wrong; [`Gpu::upload`] does not check them. The error has the first word that is not.
///
/// ```no_run
/// use wgalois::{field::BABY_BEAR, gpu::Gpu, ntt};
///
/// let gpu = Gpu::new()?;
/// let values = ntt::upload_checked(&gpu, BABY_BEAR, &[0, 1, 2013265920])?;
/// assert!(ntt::upload_checked(&gpu, BABY_BEAR, &[0, 1, 2013265921]).is_err());
/// # Ok::<(), wgalois::Error>(())
/// ```
pub fn upload_checked(gpu: &Gpu, prime: Prime, words: &[u32]) -> Result<DeviceVec<u32>> {
    block_on(upload_checked_async(gpu, prime, words))
}

/// The asynchronous form of [`upload_checked`].
pub(super) async fn upload_checked_async(gpu: &Gpu, prime: Prime, words: &[u32]) -> Result<DeviceVec<u32>> {
    let residues = Residues { words, prime: prime.value(), is_wrong: AtomicBool::new(false) };
    let mut vector = gpu.unset(words.len())?;
    vector.write_source(0, &residues, false).await?;
    if residues.is_wrong.load(Ordering::Relaxed) {
        check(words, prime)?;
    }
    Ok(vector)
}

/// Checks that words are residues modulo `prime`.
pub(super) fn check(words: &[u32], prime: Prime) -> Result<()> {
    check_all("word", words, prime.value())
}

/// The same of words that an error calls `what`.
pub(super) fn check_all(what: &'static str, words: &[u32], p: u32) -> Result<()> {
    /// Words that a thread checks at a time.
    const SHARE: usize = 1 << 16;
    // A short vector is not handed to other threads: batches have many.
    if words.len() <= SHARE && are_below(words, p) {
        return Ok(());
    }
    match words.par_chunks(SHARE).position_first(|words| !are_below(words, p)) {
        None => Ok(()),
        Some(share) => {
            let first = share * SHARE;
            let index = words[first..].iter().position(|&word| word >= p).unwrap_or(0);
            Err(not_reduced(what, words, first + index, p))
        }
    }
}

/// The error of a value that is not below the modulus.
fn not_reduced(what: &'static str, values: &[u32], index: usize, modulus: u32) -> Error {
    Error::NotReduced { what, index, value: values[index].into(), modulus: modulus.into() }
}

/// True if all words are below `prime`.
fn are_below(words: &[u32], prime: u32) -> bool {
    const TOP: u32 = 1 << 31;
    if prime > TOP {
        return words.iter().fold(0, |most, &word| most.max(word)) < prime;
    }
    // word < prime <= 2^31: word itself lacks the top bit, and word - prime has it. The plainest processors have vectors of
    // differences, but not of maxima without signs.
    let (any, all) =
        words.iter().fold((0, TOP), |(any, all), &word| (any | word, all & word.wrapping_sub(prime)));
    any & TOP == 0 && all & TOP != 0
}

/// Words that are checked where they are copied, while they are in a cache.
struct Residues<'w> {
    words: &'w [u32],
    prime: u32,
    is_wrong: AtomicBool,
}

impl Source for Residues<'_> {
    fn len(&self) -> usize {
        size_of_val(self.words)
    }

    fn bytes(&self, range: Range<usize>) -> Cow<'_, [u8]> {
        // Pieces of an upload begin and end between words.
        let words = &self.words[range.start / 4..range.end / 4];
        if !are_below(words, self.prime) {
            self.is_wrong.store(true, Ordering::Relaxed);
        }
        Cow::Borrowed(bytemuck::cast_slice(words))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::BABY_BEAR;
    use crate::gpu::{Options, test_devices};

    #[test]
    fn words_are_compared_with_primes_of_every_size() {
        for prime in [2, 3, BABY_BEAR.value(), (1 << 31) - 1, (1 << 31) + 11, u32::MAX - 4] {
            let mut words = vec![0, 1, prime / 2, prime - 1, 0, 1, 0];
            assert!(are_below(&words, prime) && are_below(&[], prime));
            for wrong in
                [prime, prime.saturating_add(1), 1 << 31, (1 << 31) + prime / 2, u32::MAX - 1, u32::MAX]
            {
                words[3] = wrong;
                assert_eq!(are_below(&words, prime), wrong < prime, "{wrong} and {prime}");
            }
        }
    }

    /// One wrong word anywhere, in uploads of every kind.
    #[test]
    fn words_past_the_prime_are_found() {
        let gpu = test_devices::open(Options::default());
        let p = BABY_BEAR.value();
        for len in [1, 5000, 1 << 18, (9 << 20) + 3] {
            let mut words = vec![p - 1; len];
            assert!(upload_checked(&gpu, BABY_BEAR, &words).unwrap().download().unwrap() == words, "{len}");
            for i in [0, len / 2, len - 1] {
                words[i] = p;
                let error = upload_checked(&gpu, BABY_BEAR, &words).unwrap_err();
                assert!(error.to_string().contains(&format!("word {i} is {p}")), "{error}");
                words[i] = p - 1;
            }
        }
    }
}
