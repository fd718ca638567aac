//! The option `--four-step`.

use super::Ntt;
use crate::Context;
use crate::bench::stream::print;
use wgalois::Result;
use wgalois::field::BABY_BEAR;
use wgalois_benches::compared::four_step::forms;
use wgalois_benches::judge;
use wgalois_benches::published::four_step::{TABLE, measure};
use wgalois_benches::published::{Lab, Scale};

const DEFAULT_SIZES: [u32; 2] = [17, 24];

pub(super) fn run(options: &Ntt, context: &Context) -> Result<()> {
    let prime = options.prime.as_ref().map_or(Ok(BABY_BEAR), |prime| prime.parse())?;
    let sizes = options.sizes.as_ref().map_or(DEFAULT_SIZES.to_vec(), |sizes| sizes.0.clone());
    let gpu = options.gpu_with_clock(context)?;
    let expected = sizes.len() * forms().count();
    let progress = context.bar("measure", expected as u64);
    let samples = options.samples as usize;
    let done = |_: &_| progress.advance(1);
    let mut lab = Lab::new(gpu, samples, Scale::Whole, &done)?;
    let mut rows = Vec::with_capacity(expected);
    for log_n in sizes {
        rows.extend(measure(&mut lab, prime, log_n, |_| true)?);
    }
    options.csv.report(context, &rows)?;
    print(context, &TABLE, &rows)?;
    context.note("threads of a transform; transforms of a workgroup; copies: the time over that of one copy");
    judge(&rows, expected)
}
