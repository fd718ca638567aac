//! Huge pages for large vectors of the host. The faults of 4 KiB pages take longer than a copy: 16 cores bring 1 GiB
//! from an H200 at 7 to 8.4 GB/s into fresh pages of 4 KiB, and at 12 to 13.6 GB/s into pages of 2 MiB.

use std::mem::MaybeUninit;
use std::slice::from_raw_parts_mut;

use bytemuck::Pod;

pub use crate::page_advice::prefer_huge;
use crate::page_advice::{LARGE, PAGE};
use crate::parallel::*;
use crate::{Error, Result};

/// Bytes that one thread touches at a time: a huge page.
const HUGE: usize = 2 << 20;

/// Allocates `len` zeros, on huge pages if they are many.
pub fn zeros<T: Pod>(len: usize) -> Result<Vec<T>> {
    let bytes = len as u64 * size_of::<T>() as u64;
    let zeros: Vec<T> = bytemuck::allocation::try_zeroed_vec(len)
        .map_err(|()| Error::OutOfMemory(format!("on the host: {bytes} bytes for a result").into()))?;
    prefer_huge(zeros.as_ptr(), len);
    Ok(zeros)
}

/// Appends `count` zeros to a vector, on huge pages if they are many, by all threads.
pub fn append_zeros<T: Pod>(vector: &mut Vec<T>, count: usize) -> Result<()> {
    vector.try_reserve_exact(count).map_err(|e| Error::OutOfMemory(format!("on the host: {e}").into()))?;
    let spare = &mut vector.spare_capacity_mut()[..count];
    prefer_huge(spare.as_ptr(), count);
    // SAFETY: the same bytes, which may be anything before and after.
    let bytes =
        unsafe { from_raw_parts_mut(spare.as_mut_ptr().cast::<MaybeUninit<u8>>(), size_of_val(spare)) };
    let fill = |part: &mut [MaybeUninit<u8>]| part.fill(MaybeUninit::new(0));
    match bytes.len() < LARGE || cfg!(target_arch = "wasm32") {
        true => fill(bytes),
        false => bytes.par_chunks_mut(HUGE).for_each(fill),
    }
    let end = vector.len() + count;
    // SAFETY: the elements up to `end` were set above, to zeros, which are values of T: Pod.
    unsafe { vector.set_len(end) };
    Ok(())
}

/// Makes the system provide the pages of a large vector of zeros now, by all threads, while a device computes what goes into it.
/// Threads that copy pieces of it one after the other would meet in the same pages: 512 MiB on 16 cores then take 35 ms, but
/// 10 ms here and 12 ms for the copies.
pub fn touch(zeros: &mut [u8]) {
    if zeros.len() < LARGE || cfg!(target_arch = "wasm32") {
        return;
    }
    zeros.par_chunks_mut(HUGE).for_each(|part| {
        for byte in part.iter_mut().step_by(PAGE) {
            *byte = std::hint::black_box(0);
        }
    });
}
