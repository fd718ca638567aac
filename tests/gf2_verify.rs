//! The verification of results over GF(2) finds what is wrong with them.

use wgalois::gf2::{BitMatrix, Engine, IndexLists, Method, System, generate, verify};
use wgalois::{Cpu, Device};

#[test]
fn verification_finds_faults() {
    let generator = generate::Groebner {
        columns: 600,
        eliminators: 400,
        rows: 150,
        promoted: 100,
        eliminator_ones: 20,
        row_ones: 40,
        seed: 1,
    };
    let (eliminators, rows) = generator.generate().unwrap();
    let system = System::new(eliminators.clone(), rows.clone(), None).unwrap();
    let mut fewer = IndexLists::default();
    (0..149).for_each(|r| fewer.push(rows.row(r)).unwrap());
    let other = System::new(eliminators, fewer, None).unwrap();
    let engine = Engine::new(&Device::Cpu(Cpu::default()));
    let result = engine.eliminate(&system, Method::Auto).unwrap();
    verify::elimination(&system, &result, true).unwrap();
    assert_eq!(verify::elimination(&other, &result, true).unwrap_err().exit_code(), 1);
    let rounds = engine.eliminate(&system, Method::Rounds).unwrap();
    verify::elimination(&system, &rounds, false).unwrap();
    assert!(verify::elimination(&system, &rounds, true).is_err());

    let a = generate::matrix(200, 300, 0.5, 1).unwrap();
    let b = generate::matrix(300, 100, 0.5, 2).unwrap();
    let flipped = |matrix: &BitMatrix| {
        let mut other = matrix.clone();
        other.set(17, 33, !matrix.get(17, 33));
        other
    };
    let product = engine.mul(&a, &b).unwrap();
    assert!(verify::product(&a, &b, &flipped(&product)).is_err());
    assert!(verify::transposed(&a, &flipped(&a).transposed().unwrap()).is_err());
    let mut solution = engine.solve(&a, &product).unwrap();
    solution.x = flipped(&solution.x);
    assert!(verify::solution(&a, &product, &solution).is_err());
    let kernel = engine.kernel(&a).unwrap();
    assert!(verify::kernel(&a, &flipped(&kernel), 200).is_err());
    for reduced in [false, true] {
        let mut form = if reduced { engine.rref(&a) } else { engine.echelon(&a) }.unwrap();
        verify::echelon(&a, &form, reduced).unwrap();
        form.matrix.set(17, 290, !form.matrix.get(17, 290));
        assert!(verify::echelon(&a, &form, reduced).is_err());
    }
}
