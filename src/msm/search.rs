//! The search for the fastest cut that fits a device, and the error if none does.

use super::cost::run_nanoseconds;
use super::tiling::{Cut, Limits};
use super::{MAX_PAIR_ROUNDS, MAX_WIDTH, MIN_WIDTH, Scheme, Settings};
use crate::{Error, Result, Shortage, Side};

/// The most rounds of adding up pairs that pay at the lengths measured, over prime fields and over quadratic extensions, and the number of
/// words of a point from which on they pay: in the smaller fields, of 254 and 315 bits, a pair costs more than it saves.
const WORTHWHILE_ROUNDS: [u32; 2] = [3, 4];
const WORTHWHILE_WORDS: u64 = 24;

/// The number of points of the smallest part.
const SMALLEST_PART: usize = 1 << 12;

/// The fastest cut of `n` bases among those that the settings allow. `None` if not even the smallest fits.
pub(super) fn fastest(n: usize, settings: &Settings, limits: &Limits) -> Result<Option<Cut>> {
    if let Some(rounds) = settings.pair_rounds.filter(|&rounds| rounds > MAX_PAIR_ROUNDS) {
        let (value, most) = (rounds.into(), MAX_PAIR_ROUNDS.into());
        return Err(Error::Setting { what: "rounds of pairs", value, least: 0, most });
    }
    // The tables may take half of the memory, the workspace the other.
    let max_levels = limits.memory / 2 / (4 * (n as u64).max(1)).saturating_mul(limits.point_words);
    let max_levels = u32::try_from(max_levels).unwrap_or(u32::MAX);
    let widths = settings.width.map_or(MIN_WIDTH..=MAX_WIDTH, |width| width..=width);
    let worthwhile = match limits.point_words < WORTHWHILE_WORDS {
        true => 0,
        false => WORTHWHILE_ROUNDS[usize::from(limits.extended)],
    };
    let rounds = settings.pair_rounds.map_or(0..=worthwhile, |rounds| rounds..=rounds);
    let mut best: Option<(f64, Cut)> = None;
    for width in widths {
        // Smaller tables leave room for the workspace, so that more memory never causes a refusal; and a chunk with fewer
        // levels has more bases, so that its buckets collect more entries.
        let mut most_levels = max_levels;
        loop {
            let scheme = Scheme::new(limits.scalar_bits, width, settings.precompute, most_levels)?;
            let scheme = scheme.spread(limits.scalar_bits, limits.digit_bits);
            let cuts = rounds.clone().filter_map(|rounds| Cut::new(n as u64, scheme, rounds, limits));
            let cuts = cuts.flat_map(|cut| {
                let smaller = limits.once.then(|| cut.smaller_groups(limits));
                let several = cut.for_several(n as u64, limits);
                std::iter::once(cut).chain(smaller.into_iter().flatten()).chain(several)
            });
            let cuts = cuts.map(|cut| (run_nanoseconds(&cut, n, limits), cut));
            let found = cuts.reduce(|best, cut| if cut.0 < best.0 { cut } else { best });
            if let Some(found) = found {
                best = best.filter(|best| best.0 <= found.0).or(Some(found));
            }
            match scheme.fewer_levels() {
                Some(levels) if found.is_none() || !scheme.odd => most_levels = levels,
                _ => break,
            }
        }
    }
    Ok(best.map(|(_, cut)| cut))
}

/// The fastest cut of all `n` bases or, if memory is too short for them, of the largest parts that fit,
/// with the number of points of a part. Two parts must fit at a time, since one is uploaded while the
/// device works on the other. If not even that is possible, the error has the memory that would suffice.
pub(super) fn fastest_parts(n: usize, settings: &Settings, limits: &Limits) -> Result<(Cut, usize)> {
    let fits = |limits: &Limits| matches!(parts(n, settings, limits), Ok(Some(_)));
    parts(n, settings, limits)?.ok_or_else(|| too_little(n, limits, fits))
}

fn parts(n: usize, settings: &Settings, limits: &Limits) -> Result<Option<(Cut, usize)>> {
    if let Some(whole) = fastest(n, settings, limits)? {
        return Ok(Some((whole, n)));
    }
    let half = Limits { memory: limits.memory / 2, most_together: 1, ..*limits };
    // Powers of two, as chunks are, so that a chunk's scalars lie in one binding.
    let mut part = n.next_power_of_two() / 2;
    while part >= SMALLEST_PART {
        if let Some(cut) = fastest(part, settings, &half)? {
            return Ok(Some((cut, part)));
        }
        part /= 2;
    }
    Ok(None)
}

/// The error for `n` points that do not fit, with the least memory or binding with which they would.
fn too_little(n: usize, limits: &Limits, fits: impl Fn(&Limits) -> bool) -> Error {
    let with_memory = |memory| fits(&Limits { memory, ..*limits });
    let doubled = |from: u64| (0..from.leading_zeros()).map(move |k| from << k);
    let what = format!("the smallest plan for {n} points");
    if let Some(enough) = doubled(limits.memory.max(1)).find(|&memory| with_memory(memory)) {
        let (mut too_little, mut enough) = (limits.memory.max(enough / 2), enough);
        while enough - too_little > 1 {
            let middle = too_little.midpoint(enough);
            *(if with_memory(middle) { &mut enough } else { &mut too_little }) = middle;
        }
        return Error::OutOfMemory(Shortage::new(&what, Side::Device, enough, limits.memory));
    }
    // No memory suffices, so bindings are too small. u64::MAX means more bytes than can be counted.
    let with_binding = |binding_words| fits(&Limits { binding_words, memory: u64::MAX, ..*limits });
    let enough = doubled(4 * limits.binding_words.max(1)).find(|bytes| with_binding(bytes / 4));
    let (enough, bound) = (enough.unwrap_or(u64::MAX), 4 * limits.binding_words);
    Error::OutOfMemory(
        format!("{what} needs bindings of {enough} bytes, and a binding has at most {bound}").into(),
    )
}

#[cfg(test)]
mod tests;
