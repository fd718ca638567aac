//! The option `--four-step`.

use super::Ntt;
use crate::cli::Context;
use crate::cli::bench::{outcome, percent, print, time};
use wgalois::field::BABY_BEAR;
use wgalois::internal::Clock;
use wgalois::internal::bench::four_step::{Row, measure};
use wgalois::internal::bench::published::Outcome;
use wgalois::ntt::four_step::{Transposition, forms};
use wgalois::{Error, Result};

const DEFAULT_SIZES: [u32; 2] = [17, 24];

pub(super) fn run(options: &Ntt, context: &Context) -> Result<()> {
    let prime = options.prime.as_ref().map_or(Ok(BABY_BEAR), |prime| prime.parse())?;
    let sizes = options.sizes.as_ref().map_or(DEFAULT_SIZES.to_vec(), |sizes| sizes.0.clone());
    let gpu = options.gpu_with_clock(context)?;
    let mut clock = Clock::new(&gpu)?;
    let progress = context.bar("measure", (sizes.len() * forms().count()) as u64);
    let mut rows = Vec::new();
    for log_n in sizes {
        let task = (prime, log_n);
        rows.extend(measure(&gpu, &mut clock, options.samples as usize, task, |_| progress.advance(1))?);
    }
    context.report("rows", serde_json::json!(rows));
    let header = [
        "n",
        "base",
        "threads",
        "transforms",
        "padded",
        "transposition",
        "us",
        "spread",
        "copies",
        "dispatches",
        "result",
    ];
    print(context, &header, rows.iter().map(cells))?;
    context.note("threads of a transform; transforms of a workgroup; copies: the time over that of one copy");
    match rows.iter().filter(|row| matches!(row.outcome, Outcome::Wrong(_))).count() {
        0 => Ok(()),
        wrong => Err(Error::Check(format!("{wrong} of {} rows are wrong", rows.len()))),
    }
}

fn cells(row: &Row) -> Vec<String> {
    let form = row.form;
    let timing = |text: &dyn Fn(wgalois::internal::bench::four_step::Timing) -> String| {
        row.timing.map_or_else(String::new, text)
    };
    vec![
        format!("2^{}", row.log_n),
        (1u32 << form.log_base).to_string(),
        form.threads.to_string(),
        form.transforms.to_string(),
        if form.padded { "yes" } else { "no" }.to_owned(),
        match form.transposition {
            Transposition::Apart => "apart",
            Transposition::Merged => "merged",
        }
        .to_owned(),
        timing(&|t| time(t.microseconds)),
        timing(&|t| percent(t.spread)),
        timing(&|t| format!("{:.2}", t.microseconds / row.copy_microseconds)),
        timing(&|t| t.dispatches.to_string()),
        outcome(&row.outcome),
    ]
}
