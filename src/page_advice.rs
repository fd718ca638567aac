//! What the system is told of memory, before it is written.

/// Bytes from which a vector asks for huge pages.
pub(crate) const LARGE: usize = 8 << 20;
/// Bytes of the smallest pages.
pub(crate) const PAGE: usize = 4096;

/// Asks Linux for huge pages behind `count` values from `start` on, an allocation that was not written to yet.
/// The contents do not change, and where the system refuses, nothing happens.
#[cfg(target_os = "linux")]
pub fn prefer_huge<T>(start: *const T, count: usize) {
    let bytes = count.saturating_mul(size_of::<T>());
    if bytes < LARGE {
        return;
    }
    let begin = (start as usize).next_multiple_of(PAGE);
    let end = (start as usize + bytes) / PAGE * PAGE;
    // SAFETY: this advice changes no contents, whatever the addresses are; unmapped ones give an error,
    // which does not matter.
    unsafe { libc::madvise(begin as *mut libc::c_void, end - begin, libc::MADV_HUGEPAGE) };
}

/// Other systems choose the size of pages themselves.
#[cfg(not(target_os = "linux"))]
pub fn prefer_huge<T>(_start: *const T, _count: usize) {}
