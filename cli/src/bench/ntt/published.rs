//! The option `--table`.

use super::Ntt;
use crate::Context;
use crate::bench::stream::print;
use wgalois::Result;
use wgalois::field::Prime;
use wgalois_benches::published::ntt::{PRIMES, TABLE, TERMS, measure, systems};
use wgalois_benches::published::{Lab, Scale};
use wgalois_benches::{Row, judge};

pub(super) fn run(options: &Ntt, context: &Context) -> Result<()> {
    let primes = match &options.prime {
        Some(prime) => vec![prime.parse()?],
        None => PRIMES.to_vec(),
    };
    let terms = if options.terms.is_empty() { TERMS.to_vec() } else { options.terms.clone() };
    let cases: Vec<(Prime, usize)> =
        terms.iter().flat_map(|&terms| primes.iter().map(move |&prime| (prime, terms))).collect();
    let gpu = options.gpu(context)?;
    let expected = cases.len() * systems();
    let progress = context.bar("measure", expected as u64);
    let samples = options.samples as usize;
    let advance = |_: &Row| progress.advance(1);
    let mut lab = Lab::new(gpu, samples, Scale::Whole, &advance)?;
    let mut rows = Vec::with_capacity(expected);
    for (prime, terms) in cases {
        rows.extend(measure(&mut lab, prime, terms)?);
    }
    options.csv.report(context, &rows)?;
    print(context, &TABLE, &rows)?;
    context.note(
        "call: whole calls, transfers included; speed-up: over the first row of the same case; published: \
         whole calls on an RTX 3090 and its host",
    );
    judge(&rows, expected)
}
