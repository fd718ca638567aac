//! The option `--table`.

use super::Ntt;
use crate::cli::Context;
use crate::cli::bench::{outcome, print, time};
use wgalois::field::Prime;
use wgalois::internal::Clock;
use wgalois::internal::bench::published::{Outcome, PRIMES, Row, TERMS, measure, systems};
use wgalois::ntt::textbook::Twiddles;
use wgalois::{Error, Result};

pub(super) fn run(options: &Ntt, context: &Context) -> Result<()> {
    let primes = match &options.prime {
        Some(prime) => vec![prime.parse()?],
        None => PRIMES.to_vec(),
    };
    let terms = if options.terms.is_empty() { TERMS.to_vec() } else { options.terms.clone() };
    let cases: Vec<(Prime, usize)> =
        terms.iter().flat_map(|&terms| primes.iter().map(move |&prime| (prime, terms))).collect();
    let gpu = options.gpu(context)?;
    let mut clock = gpu.has_timestamps().then(|| Clock::new(&gpu)).transpose()?;
    let expected = cases.len() * systems().len();
    let progress = context.bar("measure", expected as u64);
    let mut rows = Vec::with_capacity(expected);
    for case in cases {
        let samples = options.samples as usize;
        rows.extend(measure(&gpu, clock.as_mut(), samples, case, |_| progress.advance(1))?);
    }
    context.report("rows", serde_json::json!(rows));
    let header = [
        "terms",
        "prime",
        "system",
        "workgroup",
        "twiddles",
        "call us",
        "device us",
        "speed-up",
        "published us",
        "result",
    ];
    print(context, &header, rows.iter().map(cells))?;
    context.note(
        "call: whole calls, transfers included; speed-up: over the first row of the same case; published: \
         whole calls on an RTX 3090 and its host",
    );
    judge(&rows, expected)
}

fn cells(row: &Row) -> Vec<String> {
    let device = row.timing.and_then(|timing| timing.device);
    vec![
        row.terms.to_string(),
        row.prime.to_string(),
        row.system.clone(),
        row.workgroup.map_or_else(String::new, |n| n.to_string()),
        match row.twiddles {
            Some(Twiddles::Fly) => "fly",
            Some(Twiddles::Table) => "table",
            None => "",
        }
        .to_owned(),
        row.timing.map_or_else(String::new, |timing| time(timing.call)),
        device.map_or_else(String::new, time),
        row.speedup.map_or_else(String::new, three_digits),
        row.published.map_or_else(String::new, |[from, to]| match from == to {
            true => format!("{from:.0}"),
            false => format!("{from:.0} to {to:.0}"),
        }),
        outcome(&row.outcome),
    ]
}

/// Formats a factor, which may be far below 1, with three digits.
fn three_digits(factor: f64) -> String {
    let decimals = (2.0 - factor.max(1e-6).log10().floor()).max(0.0) as usize;
    format!("{factor:.decimals$}")
}

/// Checks that every row is there and right, except those that the device cannot run.
fn judge(rows: &[Row], expected: usize) -> Result<()> {
    let count = |is: fn(&Outcome) -> bool| rows.iter().filter(|row| is(&row.outcome)).count();
    let wrong = count(|outcome| matches!(outcome, Outcome::Wrong(_)));
    let failed = count(|outcome| matches!(outcome, Outcome::Failed(_)));
    let missing = expected - rows.len() + failed;
    match (wrong, missing) {
        (0, 0) => Ok(()),
        _ => Err(Error::Check(format!("of {expected} rows {wrong} are wrong and {missing} missing"))),
    }
}
