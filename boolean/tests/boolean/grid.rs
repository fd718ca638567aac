//! Random Boolean systems to twenty variables: every method against the truth tables of the polynomials.

use wgalois::{Cpu, Device, Error};
use wgalois_boolean as boolean;
use wgalois_boolean::{Equations, Method, Query, generate};

fn cpu() -> Device {
    Device::Cpu(Cpu::default())
}

/// All solutions in ascending order of their bits, from the truth table of every polynomial: the Moebius transform of
/// its coefficients. Bit v of an assignment is variable v.
fn by_truth_tables(system: &Equations) -> Vec<u64> {
    let n = system.variables();
    let words = (1usize << n).div_ceil(64);
    let mut violated = vec![0u64; words];
    for polynomial in system.polynomials() {
        let mut table = vec![0u64; words];
        for term in polynomial.terms() {
            let at = term.variables().iter().fold(0usize, |mask, &variable| mask | 1 << variable);
            table[at / 64] ^= 1 << (at % 64);
        }
        for variable in 0..n {
            if variable < 6 {
                // The places in a word at which the variable is 0.
                let zeros =
                    (0..64).filter(|place| place >> variable & 1 == 0).fold(0, |mask, p| mask | 1u64 << p);
                table.iter_mut().for_each(|word| *word ^= (*word & zeros) << (1 << variable));
            } else {
                let half = 1 << (variable - 6);
                for block in table.chunks_mut(2 * half) {
                    let (low, high) = block.split_at_mut(half);
                    high.iter_mut().zip(low).for_each(|(high, low)| *high ^= *low);
                }
            }
        }
        violated.iter_mut().zip(table).for_each(|(violated, word)| *violated |= word);
    }
    (0..1u64 << n).filter(|&x| violated[x as usize / 64] >> (x % 64) & 1 == 0).collect()
}

#[test]
fn every_method_to_twenty_variables() {
    let small = generate::random(7, 5, 3, 1, false).unwrap().equations;
    let solves = |x: &u64| small.polynomials().iter().all(|p| !p.evaluate(|v| x >> v & 1 == 1));
    assert_eq!(by_truth_tables(&small), (0..1 << 7).filter(solves).collect::<Vec<u64>>());
    let number = |values: &Vec<bool>| values.iter().rev().fold(0, |x, &value| x << 1 | u64::from(value));

    let mut solved = [0; 4];
    for (seed, (n, m, degree)) in GRID.iter().copied().enumerate() {
        for is_planted in [true, false] {
            let system = generate::random(n, m, degree, seed as u64, is_planted).unwrap();
            let expected = by_truth_tables(&system.equations);
            if let Some(planted) = &system.planted {
                assert!(expected.contains(&number(planted)));
            }
            for (count, method) in solved.iter_mut().zip(Method::ALL.into_iter().chain([Method::Auto])) {
                // Matrices of high degrees, and values one by one, take long.
                let is_slow = match (method, degree) {
                    (Method::Xl, 1) => false,
                    (Method::Xl, 2) => m < 2 * n || n > 16 && m < 3 * n,
                    (Method::Xl, _) => n > 12 || m < 2 * n,
                    (Method::Crossbred, 3..) => n > 17,
                    _ => false,
                };
                if is_slow {
                    continue;
                }
                let what = format!("{method} n {n} m {m} d {degree} planted {is_planted}");
                let run = |query| boolean::solve_by(&cpu(), &system.equations, query, method);
                let all = match run(Query::All) {
                    // No combination of so few equations is linear in any variable.
                    Err(Error::Unsuited { .. }) if method == Method::Crossbred && m < 2 * n => continue,
                    all => all.expect(&what),
                };
                let mut found: Vec<u64> = all.list.iter().map(number).collect();
                found.sort_unstable();
                assert!(found == expected && all.is_complete, "{what}");
                *count += 1;
                if !is_planted {
                    continue;
                }
                assert_eq!(run(Query::Count).unwrap().count.to_u64(), Some(expected.len() as u64), "{what}");
                let one = run(Query::One).unwrap();
                assert_eq!(one.list.len(), expected.len().min(1), "{what}");
                assert!(one.list.iter().all(|values| expected.binary_search(&number(values)).is_ok()));
            }
        }
    }
    assert!(solved.into_iter().all(|count| count >= 8), "{solved:?}");
}

/// Variables, equations, degree: a sample in which every degree meets few and many equations and every size.
const GRID: &[(usize, usize, usize)] = &[
    (11, 33, 4),
    (12, 36, 1),
    (12, 1, 3),
    (12, 36, 3),
    (13, 39, 2),
    (14, 7, 4),
    (14, 28, 2),
    (15, 15, 3),
    (16, 1, 1),
    (16, 48, 2),
    (17, 17, 2),
    (17, 34, 4),
    (18, 54, 3),
    (18, 9, 2),
    (19, 57, 2),
    (20, 60, 1),
    (20, 40, 2),
    (20, 20, 3),
    (20, 10, 4),
];
