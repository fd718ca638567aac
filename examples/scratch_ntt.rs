use wgalois::bench::ntt::{Work, measure};
use wgalois::field::{BABY_BEAR, NAMED};
use wgalois::gpu::{Clock, Gpu, Options, Select};
fn main() -> wgalois::Result<()> {
    let full = std::env::args().nth(1).is_some_and(|a| a == "full");
    for int64 in [true, false] {
        let t = std::time::Instant::now();
        let gpu = Gpu::open(&Select::Gpu, Options { int64, cache: false, ..Options::default() })?;
        println!("{:?} opened in {:?}", gpu.adapter(), t.elapsed());
        let mut clock = Clock::new(&gpu)?;
        let sizes: &[(u32, usize)] = if full {
            &[(12, 1), (16, 1), (17, 1), (18, 1), (20, 1), (22, 1), (24, 1), (26, 1), (12, 1024), (16, 256)]
        } else {
            &[(12, 1), (16, 1), (17, 1)]
        };
        for prime in [BABY_BEAR, NAMED[2].1] {
            for &(log_n, batch) in sizes {
                for work in [Work::ToBitReversed, Work::ToNatural, Work::Product] {
                    if work == Work::Product && (batch > 1 || ![17, 18, 20].contains(&log_n)) {
                        continue;
                    }
                    let t = std::time::Instant::now();
                    match measure(&gpu, &mut clock, 9, (work, prime, log_n, batch)) {
                        Ok(r) => println!(
                            "{:?} p={} 2^{}x{} int64={} {:.2} us  spread {:.1}% copy {:.2} x{:.2} passes {} rej {} [{:?}]",
                            r.work,
                            r.prime,
                            r.log_n,
                            r.batch,
                            r.int64,
                            r.microseconds,
                            100.0 * r.spread,
                            r.copy_microseconds,
                            r.microseconds / r.copy_microseconds,
                            r.passes,
                            r.rejected,
                            t.elapsed()
                        ),
                        Err(e) => println!("{work:?} 2^{log_n} {e}"),
                    }
                }
            }
        }
    }
    Ok(())
}
