//! Tests of plans: the widths that were fastest in measurements, limits, and refusals.

use super::*;
use crate::msm::settings::THREADS;
use crate::msm::speeds::Speeds;
use crate::msm::{Precompute, ScalarBits};

fn limits() -> Limits {
    Limits {
        binding_words: 1 << 28,
        memory: 64 << 30,
        threads: THREADS,
        lazy_words: 12,
        extended: false,
        vectors: 1,
        once: false,
        most_together: 1,
        digit_bits: 1,
        field: Some((381, 1)),
        scalar_bits: ScalarBits { whole: 255, half: Some(128) },
        point_words: 24,
        sum_words: 48,
        element_words: 12,
        // Those of an H200.
        speeds: Speeds { product: 0.0418, latency: 1443.0, byte: 2.6e-4, dispatch: 1800.0 },
    }
}

/// The fastest cut of all points at once.
fn cut(n: usize, precompute: Precompute, settings: Settings, limits: &Limits) -> Cut {
    fastest(n, &settings.with_precompute(precompute), limits).unwrap().unwrap()
}

#[test]
fn widths_grow_with_the_length() {
    let width = |n: usize, precompute| cut(n, precompute, Settings::default(), &limits()).scheme.width;
    let plain: Vec<_> = (4..=24).map(|log| width(1 << log, Precompute::Plain)).collect();
    assert!(plain.is_sorted(), "{plain:?}");
    assert!((15..=17).contains(&plain[16]), "{plain:?}");
    assert!((12..=13).contains(&plain[12]), "{plain:?}");
    assert!(width(1 << 20, Precompute::Windows) > width(1 << 20, Precompute::Plain));
}

/// The widths and rounds of pairs that were fastest on an H200 (benches/notebook/msm.md), or within 1%
/// of it; at 2^24 with windows 22 bits and no pairs are 2% faster.
#[test]
fn widths_and_rounds_are_those_measured() {
    let limits = Limits { binding_words: (1 << 29) - 1, ..limits() };
    let plain = [(16, 13, 0), (18, 15, 0), (20, 15, 3), (22, 17, 3), (24, 17, 3)];
    let windows = [(18, 17, 0), (20, 17, 3), (22, 17, 3), (24, 17, 3)];
    let halves = [(14, 11, 0), (16, 13, 0), (18, 16, 0), (20, 16, 3), (22, 16, 3)];
    let measured =
        [(Precompute::Plain, &plain[..]), (Precompute::Glv, &halves), (Precompute::Windows, &windows)];
    for (precompute, widths) in measured {
        for &(log, width, rounds) in widths {
            let plan = cut(1 << log, precompute, Settings::default(), &limits);
            assert_eq!((plan.scheme.width, plan.rounds), (width, rounds), "2^{log} {precompute:?}");
        }
    }
}

/// The same over a quadratic extension.
#[test]
fn widths_and_rounds_of_g2_are_those_measured() {
    let limits = Limits {
        binding_words: (1 << 29) - 1,
        memory: 100 << 30,
        lazy_words: 24,
        extended: true,
        point_words: 48,
        sum_words: 96,
        element_words: 24,
        ..limits()
    };
    for (log, width, rounds) in [(16, 12, 1), (18, 13, 3), (20, 15, 4), (22, 17, 4)] {
        let plan = cut(1 << log, Precompute::Plain, Settings::default(), &limits);
        assert_eq!((plan.scheme.width, plan.rounds), (width, rounds), "2^{log}");
    }
    for (log, levels, width, rounds) in [(16, 2, 13, 1), (18, 2, 13, 3), (20, 2, 16, 4), (22, 1, 17, 4)] {
        let plan = cut(1 << log, Precompute::Glv, Settings::default(), &limits);
        let found = (plan.scheme.levels, plan.scheme.width, plan.rounds);
        assert_eq!(found, (levels, width, rounds), "2^{log}, halves");
    }
    for (log, levels, rounds, chunks) in [(16, 17, 1, 1), (18, 15, 3, 1), (20, 8, 4, 1), (22, 5, 4, 2)] {
        let n = 1 << log;
        let plan = cut(n, Precompute::Windows, Settings::default(), &limits);
        let found = (plan.scheme.levels, plan.rounds, n.div_ceil(plan.chunk));
        assert_eq!(found, (levels, rounds, chunks), "2^{log}, windows stored");
    }
}

#[test]
fn small_fields_take_one_point_at_a_time() {
    let limits = Limits {
        point_words: 16,
        sum_words: 32,
        element_words: 8,
        scalar_bits: ScalarBits { whole: 254, half: None },
        ..limits()
    };
    for precompute in [Precompute::Plain, Precompute::Windows] {
        assert_eq!(cut(1 << 20, precompute, Settings::default(), &limits).rounds, 0);
    }
}

/// The counts that decide the time at the published sizes: digits, rounds of pairs, bucket sums to be
/// reduced, entries a thread, parts, digits that are sorted by.
#[test]
fn published_sizes_take_as_many_additions_as_they_did() {
    let limits = Limits { binding_words: (1 << 29) - 1, ..limits() };
    let cases = [
        (16, Precompute::Plain, [20 << 16, 0, 20 << 12, 16, 1, 2]),
        (18, Precompute::Plain, [17 << 18, 0, 17 << 14, 22, 1, 2]),
        (20, Precompute::Plain, [17 << 20, 3, 17 << 14, 16, 1, 2]),
        (22, Precompute::Plain, [15 << 22, 3, 15 << 16, 23, 2, 2]),
        (24, Precompute::Plain, [15 << 24, 3, 15 << 16, 22, 8, 2]),
        (20, Precompute::Windows, [15 << 20, 3, 1 << 16, 16, 1, 2]),
        (22, Precompute::Windows, [15 << 22, 3, 3 << 16, 27, 2, 2]),
    ];
    for (log, precompute, expected) in cases {
        let n = 1 << log;
        let plan = cut(n, precompute, Settings::default(), &limits);
        let scheme = &plan.scheme;
        let parts = scheme.sets.div_ceil(plan.group) as usize * n.div_ceil(plan.chunk);
        let counts = [
            n * scheme.windows as usize,
            plan.rounds as usize,
            (scheme.sets * scheme.weights()) as usize,
            plan.slice,
            parts,
            scheme.key_bits().div_ceil(8) as usize,
        ];
        assert_eq!(counts, expected, "2^{log} {precompute:?}");
    }
}

/// Many short vectors go together, so that their dispatches fill the device; a long one fills it alone.
#[test]
fn short_vectors_go_together() {
    let limits = Limits { binding_words: (1 << 29) - 1, ..limits() };
    let together = |log: u32, most_together| {
        let limits = Limits { most_together, ..limits };
        cut(1 << log, Precompute::Plain, Settings::default(), &limits).together
    };
    assert_eq!([together(14, 1), together(12, 64), together(10, 100)], [1, 64, 100]);
    assert!((32..=64).contains(&together(14, 64)));
    assert!((8..=16).contains(&together(16, 64)));
    assert_eq!([together(17, 100), together(22, 100)], [1, 1]);
    // No more than fit a binding.
    let small = Limits { most_together: 100, binding_words: 1 << 24, ..limits };
    let cut = cut(1 << 14, Precompute::Plain, Settings::default(), &small);
    let sums = (cut.slots() + cut.all_buckets()) as u64 * small.sum_words;
    assert!(cut.together < 32 && sums <= small.binding_words, "{cut:?}");
}

/// Memory that is allocated for one run costs more than the device time that it saves.
#[test]
fn one_run_takes_less_memory() {
    let limits = Limits { binding_words: (1 << 29) - 1, ..limits() };
    for log in [14, 18, 20, 22, 24] {
        let many = cut(1 << log, Precompute::Plain, Settings::default(), &limits);
        let once = cut(1 << log, Precompute::Plain, Settings::default(), &Limits { once: true, ..limits });
        let bytes = [many, once].map(|cut| cut.workspace_bytes(&limits));
        assert!(bytes[1] <= bytes[0], "2^{log}: {bytes:?}");
        assert!(log < 20 || bytes[1] < bytes[0] / 3, "2^{log}: {bytes:?}");
    }
}

#[test]
fn plans_fit_their_limits() {
    for log in [0, 1, 10, 20, 24] {
        for binding in [1 << 16, 1 << 20, 1 << 25] {
            for precompute in
                [Precompute::Plain, Precompute::Glv, Precompute::Doublings(5), Precompute::Windows]
            {
                // BN254's lazy words are more than half of a point's.
                let limits = Limits {
                    binding_words: binding,
                    memory: 1 << 40,
                    point_words: 16,
                    lazy_words: 9,
                    ..limits()
                };
                let choice = Settings { pair_rounds: Some(log % 4), ..Settings::default() };
                let plan = cut(1 << log, precompute, choice, &limits);
                let pairs = if plan.rounds > 0 { plan.left(plan.entries(), 1) as u64 } else { 0 };
                assert!(pairs * limits.point_words <= binding);
                let table = plan.chunk as u64 * u64::from(plan.scheme.levels) * limits.point_words;
                assert!(table <= binding && plan.entries() as u64 <= binding);
                // The doubles of a level's points.
                let doubles =
                    if plan.scheme.has_multiples() { 4 * plan.chunk as u64 * limits.lazy_words } else { 0 };
                assert!(doubles <= binding);
                assert!((plan.slots() + plan.all_buckets()) as u64 * limits.sum_words <= binding);
                assert!(plan.group >= 1 && plan.chunk >= 1 && plan.slice >= 1);
            }
        }
    }
}

#[test]
fn tables_shrink_where_memory_is_short() {
    let n = 1 << 20;
    let limits = Limits { memory: 2 * 5 * 96 * n as u64, ..limits() };
    let choice = Settings { width: Some(16), ..Settings::default() };
    let plan = cut(n, Precompute::Windows, choice, &limits);
    assert_eq!((plan.scheme.sets, plan.scheme.levels), (4, 4));
}

#[test]
fn nothing_fits_next_to_nothing() {
    let limits = Limits { binding_words: 16, ..limits() };
    let exit_code = |width, pair_rounds| {
        let choice = Settings { width, pair_rounds, ..Settings::default() };
        fastest_parts(1, &choice.with_precompute(Precompute::Plain), &limits).unwrap_err().exit_code()
    };
    assert_eq!(exit_code(None, None), 5);
    assert_eq!(exit_code(Some(40), Some(0)), 2);
    assert_eq!(exit_code(Some(4), Some(9)), 2);
}

/// The second-to-last number of a message.
fn figure(error: &Error) -> u64 {
    let message = error.to_string();
    let numbers = message.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse().ok());
    let numbers: Vec<u64> = numbers.collect();
    numbers[numbers.len() - 2]
}

#[test]
fn a_refusal_names_the_memory_that_is_enough() {
    for precompute in [Precompute::Plain, Precompute::Glv, Precompute::Doublings(5), Precompute::Windows] {
        for (n, width, memory) in [(1, None, 1), (4096, None, 1 << 10), (1 << 20, Some(16), 1 << 24)] {
            let choice = Settings { width, ..Settings::default() };
            let plan = |memory| {
                fastest_parts(n, &choice.with_precompute(precompute), &Limits { memory, ..limits() })
            };
            let refused = plan(memory).unwrap_err();
            assert!(refused.to_string().contains("bytes of device memory"), "{refused}");
            let enough = figure(&refused);
            plan(enough).unwrap();
            assert_eq!(figure(&plan(enough - 1).unwrap_err()), enough, "{n} {precompute:?}");
        }
    }
}

#[test]
fn a_refusal_names_the_binding_that_is_enough() {
    for (n, width) in [(1, None), (4096, Some(16))] {
        let choice = Settings { width, ..Settings::default() };
        let plan = |words| {
            let limits = Limits { binding_words: words, memory: u64::MAX, ..limits() };
            fastest_parts(n, &choice.with_precompute(Precompute::Plain), &limits)
        };
        let refused = plan(16).unwrap_err();
        assert!(refused.to_string().contains("bindings of"), "{refused}");
        let enough = figure(&refused);
        plan(enough / 4).unwrap();
        assert_eq!(figure(&plan(enough / 8).unwrap_err()), enough);
    }
}
