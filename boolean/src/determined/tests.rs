use super::*;
use crate::Polynomial;
use crate::generate::random;
use crate::watch::{TimeLimit, Unwatched};
use wgalois::gpu::block_on;

fn brute_force(equations: &Equations) -> Vec<Vec<bool>> {
    let n = equations.variables();
    let values = |x: u64| (0..n).map(|v| x >> v & 1 == 1).collect::<Vec<bool>>();
    let all = (0..1 << n).map(values).filter(|x| equations.violated(x).is_none());
    let mut all: Vec<_> = all.collect();
    all.sort_unstable();
    all
}

#[test]
fn all_solutions_are_found() {
    let shapes = [(1, 1, 2), (4, 2, 3), (9, 9, 2), (10, 12, 4), (12, 5, 2), (13, 20, 5), (14, 9, 3)];
    for (seed, (n, m, degree)) in (0..).zip(shapes) {
        let equations = random(n, m, degree, seed, seed % 2 == 0).unwrap().equations;
        let program = Program::new(&equations).unwrap();
        let found =
            block_on(program.search(&equations, Query::All, 2, &mut Unwatched, &Checks::wanted())).unwrap();
        let mut all: Vec<_> = found.solutions.iter().map(|&x| program.expand(x).unwrap()).collect();
        all.sort_unstable();
        assert_eq!(all, brute_force(&equations), "{n} {m} {degree}");
        assert!(found.is_complete);
        let count =
            block_on(program.search(&equations, Query::Count, 2, &mut Unwatched, &Checks::wanted())).unwrap();
        assert_eq!(count.count, found.count);
    }
}

#[test]
fn determined_variables_are_no_inputs() {
    // v(i + 2) = v(i) v(i + 1) + v(i): two inputs determine 40 variables, and the last one is 1.
    let polynomial = |i: u32| {
        let product = Polynomial::variable(i).times(&Polynomial::variable(i + 1));
        product.plus(&Polynomial::variable(i)).plus(&Polynomial::variable(i + 2))
    };
    let mut polynomials: Vec<_> = (0..38).map(polynomial).collect();
    polynomials.push(Polynomial::variable(39).plus(&Polynomial::one()));
    let names = (0..40).map(|i| format!("v{i}")).collect();
    let equations = Equations::new(names, polynomials).unwrap();
    let program = Program::new(&equations).unwrap();
    // Two would do: the order is greedy, and begins at the end of the chain, which is known.
    assert!(program.inputs() <= 4, "{}", program.inputs());
    let found =
        block_on(program.search(&equations, Query::All, 1, &mut Unwatched, &Checks::wanted())).unwrap();
    // In the test's own words: both values of both inputs.
    let mut expected = 0;
    for (a, b) in [(false, false), (false, true), (true, false), (true, true)] {
        let mut chain = vec![a, b];
        (0..38).for_each(|i| chain.push(chain[i] & chain[i + 1] ^ chain[i]));
        expected += u64::from(chain[39]);
    }
    assert_eq!(found.count, expected);
    assert!(found.solutions.iter().all(|&x| equations.violated(&program.expand(x).unwrap()).is_none()));
}

#[test]
fn a_unit_that_takes_long_ends_at_the_time_limit() {
    // Of 45 inputs the first 16 are a unit's number: one unit tries 2^29 values and more.
    let equations = random(45, 1, 2, 1, false).unwrap().equations;
    let program = Program::new(&equations).unwrap();
    assert!(program.inputs() > 40, "{}", program.inputs());
    let begin = web_time::Instant::now();
    let mut limit = TimeLimit::new(web_time::Duration::from_millis(100));
    let found = block_on(program.search(&equations, Query::Count, 2, &mut limit, &Checks::wanted())).unwrap();
    assert!(!found.is_complete && found.count > 0);
    assert!(begin.elapsed() < web_time::Duration::from_secs(20), "{:?}", begin.elapsed());
}
