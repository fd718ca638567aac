//! Compares the host memory that plans over GF(2) state with the allocations of runs on the CPU engine.

use std::alloc::{GlobalAlloc, Layout, System as Allocator};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use wgalois::gf2::{self, BitMatrix, Dense, F4Matrix, F4Method, Product, Transpose, generate};
use wgalois::task::Problem;
use wgalois::{Cpu, Device, Error};

/// The system's allocator, counting the bytes in use and their maximum.
struct Counting;

static USED: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

#[global_allocator]
static COUNTING: Counting = Counting;

// SAFETY: every call is passed on to the system's allocator with the same arguments.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        PEAK.fetch_max(USED.fetch_add(layout.size(), Relaxed) + layout.size(), Relaxed);
        // SAFETY: the caller keeps the contract.
        unsafe { Allocator.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        PEAK.fetch_max(USED.fetch_add(layout.size(), Relaxed) + layout.size(), Relaxed);
        // SAFETY: the caller keeps the contract.
        unsafe { Allocator.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        USED.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller keeps the contract.
        unsafe { Allocator.dealloc(pointer, layout) }
    }
}

/// The most bytes that `work` has allocated at a time, beside those in use before.
fn peak<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let before = USED.load(Relaxed);
    PEAK.store(before, Relaxed);
    let answer = work();
    (answer, (PEAK.load(Relaxed) - before) as u64)
}

fn cpu() -> Device {
    Device::Cpu(Cpu::default())
}

/// Excludes other measurements meanwhile. First every thread of the device eliminates a matrix, while the others
/// do the same and take none of its work: so each has its tables, which plans do not count.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let a = generate::matrix(2000, 2000, 0.5, 1).unwrap();
    for _ in 0..3 {
        rayon::broadcast(|_| gf2::rank(&cpu(), &a).unwrap());
    }
    alone
}

/// Asserts that `work` keeps the plan's bound, and that the bound is at most twice the memory used.
fn check<T>(problem: &impl Problem, what: &str, work: impl Fn(&Device) -> wgalois::Result<T>) {
    let bound = problem.plan(&cpu()).unwrap().cost().host_bytes;
    // The threads allocate their own queues when they first have such work.
    work(&cpu()).unwrap();
    let (answer, used) = peak(|| work(&cpu()));
    answer.unwrap();
    assert!(used <= bound, "{what}: {used} bytes, and the plan says {bound}");
    assert!(bound <= 2 * used + (4 << 20), "{what}: {used} bytes, and the plan says {bound}");
    // One byte less is refused, and the error names the bytes that suffice.
    let less = Device::Cpu(Cpu { memory: bound - 1, ..Cpu::default() });
    match problem.plan(&less).map(|_| ()) {
        Err(Error::OutOfMemory(shortage)) => assert_eq!(shortage.needed, Some(bound), "{what}"),
        other => panic!("{what}: {other:?}"),
    }
}

#[test]
fn dense_operations() {
    let _alone = alone();
    let shapes = [(1, 1), (1, 3_000_000), (3_000_000, 1), (2000, 3000), (3000, 2000), (40_000, 200), (5, 0)];
    for (rows, columns) in shapes {
        let a = generate::matrix(rows, columns, 0.5, 1).unwrap();
        let name = |what: &str| format!("{what} of {rows} x {columns}");
        check(&Dense::rank(rows, columns).unwrap(), &name("rank"), |device| gf2::rank(device, &a));
        check(&Dense::echelon(rows, columns).unwrap(), &name("echelon"), |device| gf2::echelon(device, &a));
        check(&Dense::rref(rows, columns).unwrap(), &name("rref"), |device| gf2::rref(device, &a));
        check(&Transpose::new(rows, columns).unwrap(), &name("transpose"), |device| {
            gf2::transpose(device, &a)
        });
        for sides in [1, 700] {
            if rows < 1_000_000 || sides == 1 {
                let b = generate::matrix(rows, sides, 0.5, 2).unwrap();
                let problem = Dense::solve(rows, columns, sides).unwrap();
                check(&problem, &name("solve"), |device| gf2::solve(device, &a, &b));
            }
            if columns < 1_000_000 || sides == 1 {
                let b = generate::matrix(columns, sides, 0.5, 2).unwrap();
                let problem = Product::new(rows, columns, sides).unwrap();
                check(&problem, &name("product"), |device| gf2::multiply(device, &a, &b));
            }
        }
    }
}

#[test]
fn kernels_and_inverses() {
    let _alone = alone();
    for (rows, columns, rank) in [(1, 1, 1), (10, 3000, 5), (3000, 3000, 10), (20_000, 1000, 0)] {
        let a = generate::matrix_of_rank(rows, columns, rank, 1).unwrap();
        let problem = Dense::kernel(rows, columns).unwrap();
        check(&problem, &format!("kernel of {rows} x {columns}"), |device| gf2::kernel(device, &a));
    }
    for n in [1, 100, 2500] {
        let a = generate::matrix(n, n, 0.5, 1).unwrap();
        check(&Dense::inverse(n).unwrap(), &format!("inverse of {n}"), |device| gf2::inverse(device, &a));
    }
}

fn f4(columns: usize, reducers: usize, rows: usize) -> F4Matrix {
    let generator = generate::Groebner {
        columns,
        reducers,
        rows,
        new_pivots: columns,
        reducer_ones: 8,
        row_ones: 20,
        seed: 1,
    };
    let (reducers, rows) = generator.generate().unwrap();
    F4Matrix::new(reducers, rows, Some(columns)).unwrap()
}

#[test]
fn f4_matrices() {
    let _alone = alone();
    for (columns, reducers, rows) in [(10, 5, 5), (9000, 6000, 5000), (60_000, 59_000, 3), (3000, 0, 3000)] {
        let f4 = f4(columns, reducers, rows);
        for method in
            [F4Method::Blocked, F4Method::TwoStage, F4Method::Bands, F4Method::Rounds, F4Method::XorThreads]
        {
            let slow = matches!(method, F4Method::Bands | F4Method::Rounds | F4Method::XorThreads);
            if slow && columns > 3000 {
                continue;
            }
            let problem = f4.clone().with_method(method);
            let bound = problem.plan(&cpu()).unwrap().cost().host_bytes;
            let (answer, used) = peak(|| gf2::eliminate(&cpu(), &problem));
            answer.unwrap();
            let what = format!("{rows} rows of {columns} by {method}");
            assert!(used <= bound, "{what}: {used} bytes, and the plan says {bound}");
            // The plan counts all rows that can become pivots; fewer are.
            assert!(bound <= 4 * used + (4 << 20), "{what}: {used} bytes, and the plan says {bound}");
        }
    }
}

/// A matrix of one row and many columns needs little more than its own bits.
#[test]
fn wide_matrices_take_little() {
    let _alone = alone();
    let wide = Dense::rank(1, 16_000_000).unwrap().plan(&cpu()).unwrap();
    assert!(wide.cost().host_bytes < 16 << 20, "{}", wide.cost().host_bytes);
    let matrix = Transpose::new(1, 1 << 26).unwrap();
    let little = Device::Cpu(Cpu { memory: 16 << 20, ..Cpu::default() });
    assert_eq!(matrix.plan(&little).unwrap_err().exit_code(), 5);
    assert!(BitMatrix::zeros(1, 16_000_000).is_ok());
}

/// If the faster method does not fit, the plan takes the other one.
#[test]
fn plans_choose_what_fits() {
    let _alone = alone();
    let f4 = f4(60_000, 59_000, 3);
    let bytes = |method| f4.clone().with_method(method).plan(&cpu()).unwrap().cost().host_bytes;
    let (blocked, two_stage) = (bytes(F4Method::Blocked), bytes(F4Method::TwoStage));
    let memory = blocked.min(two_stage);
    let plan = f4.plan(&Device::Cpu(Cpu { memory, ..Cpu::default() })).unwrap();
    assert_eq!(plan.method(), if blocked < two_stage { F4Method::Blocked } else { F4Method::TwoStage });
    let error = f4.plan(&Device::Cpu(Cpu { memory: memory - 1, ..Cpu::default() })).unwrap_err();
    assert!(matches!(error, Error::OutOfMemory(shortage) if shortage.needed == Some(memory)));
}
