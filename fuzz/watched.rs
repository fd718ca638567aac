//! Reading under limits of memory, with every request to the allocator watched.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use wgalois::{Error, Result};
use wgalois_io::Source;

/// The system's allocator; it records the size of the largest request.
struct Watched;

static LARGEST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed unchanged to the system's allocator.
unsafe impl GlobalAlloc for Watched {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LARGEST.fetch_max(layout.size(), Relaxed);
        // SAFETY: the caller upholds the contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        LARGEST.fetch_max(layout.size(), Relaxed);
        // SAFETY: the caller upholds the contract.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        LARGEST.fetch_max(size, Relaxed);
        // SAFETY: the caller upholds the contract.
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller upholds the contract.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static WATCHED: Watched = Watched;

/// Memory limit of the readers in bytes: small, so that a size stated in a header easily exceeds it.
pub const MEMORY: u64 = 1 << 16;
/// Bytes of tables that a reader holds per byte of input: offsets of lines and entries, in vectors
/// that grow by doubling.
const TABLES: usize = 64;
/// Additional bytes allowed for one request: error messages, rayon's queues.
const SLACK: usize = 1 << 16;

/// Returns the value that `read` gives within [`MEMORY`], and checks reading under lower limits.
/// `size` returns the bytes of a value.
pub fn read_within<T: PartialEq>(
    data: &[u8],
    read: impl Fn(&Source, u64) -> Result<T>,
    size: impl Fn(&T) -> usize,
) -> Option<T> {
    let source = Source::from_bytes("input", data);
    let limited = |memory: u64| {
        LARGEST.store(0, Relaxed);
        let outcome = read(&source, memory);
        let largest = LARGEST.load(Relaxed);
        let most = memory as usize + TABLES * data.len() + SLACK;
        assert!(largest <= most, "a request of {largest} bytes under a limit of {memory}");
        match outcome {
            Ok(value) => {
                assert!(size(&value) as u64 <= memory, "{} bytes under a limit of {memory}", size(&value));
                Some(value)
            }
            Err(error) => {
                check_error(&error);
                None
            }
        }
    };
    let value = limited(MEMORY);
    for memory in [0, 8, 100, 1000] {
        if let Some(less) = limited(memory) {
            assert!(Some(&less) == value.as_ref(), "another value under a limit of {memory}");
        }
    }
    value
}

/// Asserts that a reader's error names its input and is one line of text.
fn check_error(error: &Error) {
    assert_eq!(error.exit_code(), 3, "{error}");
    let text = error.to_string();
    assert!(text.starts_with("input"), "{text}");
    assert!(text.len() < 1000, "{text}");
    assert!(!text.chars().any(char::is_control), "{text:?}");
}
