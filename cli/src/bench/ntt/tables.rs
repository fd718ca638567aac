//! The options `--table` and `--four-step`.

use super::Ntt;
use crate::bench::prelude::*;
use wgalois::field::{BABY_BEAR, Prime};
use wgalois_benches::compared::four_step::forms;
use wgalois_benches::published::{Table, four_step, ntt};

pub(super) fn products(options: &Ntt, context: &Context) -> Result<()> {
    let primes = match &options.prime {
        Some(prime) => vec![prime.parse()?],
        None => ntt::PRIMES.to_vec(),
    };
    let terms = if options.terms.is_empty() { &ntt::TERMS[..] } else { &options.terms };
    let cases: Vec<(Prime, usize)> =
        terms.iter().flat_map(|&terms| primes.iter().map(move |&prime| (prime, terms))).collect();
    let gpu = options.gpu(context)?;
    let note = "call: whole calls, transfers included; speed-up: over the first row of the same case; published: \
                whole calls on an RTX 3090 and its host";
    let table = (&ntt::TABLE, note, cases.len() * ntt::systems());
    measure(options, context, gpu, table, |lab| {
        cases.iter().map(|&(prime, terms)| ntt::measure(lab, prime, terms)).collect()
    })
}

pub(super) fn four_steps(options: &Ntt, context: &Context) -> Result<()> {
    let prime = options.prime.as_ref().map_or(Ok(BABY_BEAR), |prime| prime.parse())?;
    let sizes = options.sizes.as_ref().map_or(vec![17, 24], |sizes| sizes.0.clone());
    let gpu = options.gpu_with_clock(context)?;
    let note = "threads of a transform; transforms of a workgroup; copies: the time over that of one copy";
    let table = (&four_step::TABLE, note, sizes.len() * forms().count());
    measure(options, context, gpu, table, |lab| {
        sizes.iter().map(|&log_n| four_step::measure(lab, prime, log_n, |_| true)).collect()
    })
}

/// Measures and prints the rows of all cases; a table has a note and an expected number of rows.
fn measure(
    options: &Ntt,
    context: &Context,
    gpu: Gpu,
    (table, note, expected): (&Table, &str, usize),
    rows_of_cases: impl FnOnce(&mut Lab) -> Result<Vec<Vec<Row>>>,
) -> Result<()> {
    let progress = context.bar("measure", expected as u64);
    let advance = |_: &Row| progress.advance(1);
    let mut lab = Lab::new(gpu, options.samples as usize, Scale::Whole, &advance)?;
    let rows: Vec<Row> = rows_of_cases(&mut lab)?.into_iter().flatten().collect();
    options.csv.report(context, &rows)?;
    print(context, table, &rows)?;
    context.note(note);
    judge(&rows, expected)
}
