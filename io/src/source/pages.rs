//! The pages of maps.

use memmap2::Mmap;
#[cfg(unix)]
use memmap2::UncheckedAdvice;
use std::ops::Range;

/// Lets the pages that lie within a part of a map leave the memory of this process.
#[cfg(unix)]
pub fn release(map: &Mmap, part: Range<usize>) {
    // Pages of the largest size that processors of this system may have; a multiple of a page is one of its smaller sizes, too.
    const PAGE: usize = 1 << 16;
    let [start, end] = [part.start, part.end].map(|at| at.min(map.len()));
    let (start, end) = (start.next_multiple_of(PAGE), end / PAGE * PAGE);
    if start < end {
        // SAFETY: the map is of a file, shared, and never written to: what is read again comes from the file. Nothing depends on
        // whether the system takes the advice.
        let _ = unsafe { map.unchecked_advise_range(UncheckedAdvice::DontNeed, start, end - start) };
    }
}

/// Other systems decide themselves.
#[cfg(not(unix))]
pub fn release(_: &Mmap, _: Range<usize>) {}
