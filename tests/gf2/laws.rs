//! Laws of the linear algebra over GF(2): every method against the definition and each other.

use proptest::prelude::*;
use wgalois::gf2::verify::{self, Depth, Proof};
use wgalois::gf2::{self, BitMatrix, F4Matrix, F4Method, IndexLists, Inverse, generate};
use wgalois::{Cpu, Device, Simd};

/// A row as the set of its ones, highest first.
type Row = Vec<bool>;

fn row(list: &[u32], columns: usize) -> Row {
    let mut row = vec![false; columns];
    list.iter().for_each(|&c| row[c as usize] = true);
    row
}

fn lead(row: &Row) -> Option<usize> {
    row.iter().rposition(|&one| one)
}

fn add(row: &mut Row, other: &Row) {
    row.iter_mut().zip(other).for_each(|(a, b)| *a ^= b);
}

fn lists(rows: &[Row]) -> IndexLists {
    let mut lists = IndexLists::default();
    for row in rows {
        let ones: Vec<u32> = (0..row.len()).rev().filter(|&c| row[c]).map(|c| c as u32).collect();
        lists.push(&ones).unwrap();
    }
    lists
}

/// The result in file order, by its definition.
fn file_order(reducers: &IndexLists, rows: &IndexLists, columns: usize) -> IndexLists {
    let mut pivots: Vec<Option<Row>> = vec![None; columns];
    for list in reducers.iter().filter(|list| !list.is_empty()) {
        pivots[list[0] as usize] = Some(row(list, columns));
    }
    let mut results = Vec::new();
    for list in rows.iter() {
        let mut row = row(list, columns);
        while let Some(lead) = lead(&row) {
            match &pivots[lead] {
                Some(pivot) => add(&mut row, pivot),
                None => {
                    pivots[lead] = Some(row.clone());
                    break;
                }
            }
        }
        results.push(row);
    }
    lists(&results)
}

/// The result of rounds of reduction without new pivots, by its definition.
fn rounds(reducers: &IndexLists, rows: &IndexLists, columns: usize) -> IndexLists {
    let mut pivots: Vec<Option<Row>> = vec![None; columns];
    for list in reducers.iter().filter(|list| !list.is_empty()) {
        pivots[list[0] as usize] = Some(row(list, columns));
    }
    let mut states: Vec<Row> = rows.iter().map(|list| row(list, columns)).collect();
    let mut new_pivots = vec![false; states.len()];
    loop {
        for (state, _) in states.iter_mut().zip(&new_pivots).filter(|(_, new_pivots)| !**new_pivots) {
            while let Some(pivot) = lead(state).and_then(|lead| pivots[lead].clone()) {
                add(state, &pivot);
            }
        }
        let mut any = false;
        for (state, new_pivots) in states.iter().zip(&mut new_pivots).filter(|(_, new_pivots)| !**new_pivots)
        {
            if let Some(lead) = lead(state).filter(|&lead| pivots[lead].is_none()) {
                pivots[lead] = Some(state.clone());
                (*new_pivots, any) = (true, true);
            }
        }
        if !any {
            return lists(&states);
        }
    }
}

/// Every available set of vector instructions, with one thread and with three.
fn engines() -> Vec<(String, Device)> {
    let mut engines = Vec::new();
    for simd in Simd::ALL.into_iter().filter(|simd| simd.is_available()) {
        for threads in [1, 3] {
            let engine = Device::Cpu(Cpu { threads, simd, ..Cpu::default() });
            engines.push((format!("{simd}, {threads} threads"), engine));
        }
    }
    engines
}

fn default_engine() -> Device {
    Device::Cpu(Cpu::default())
}

fn check_f4(reducers: &IndexLists, rows: &IndexLists, columns: usize, engines: &[(String, Device)]) {
    let f4 = F4Matrix::new(reducers.clone(), rows.clone(), Some(columns)).unwrap();
    let expected = file_order(reducers, rows, columns);
    let other_order = rounds(reducers, rows, columns);
    for (name, engine) in engines {
        for method in F4Method::ALL {
            let result = gf2::eliminate(engine, &f4.clone().with_method(method)).unwrap();
            let in_file_order = method != F4Method::Rounds;
            let expected = if in_file_order { &expected } else { &other_order };
            assert_eq!(&result.to_lists(), expected, "{method}, {name}");
            verify::elimination(engine, &f4, &result, method, Depth::Bounded).unwrap();
        }
    }
}

/// Random lists in which each column occurs with probability `density`.
fn some_rows(count: usize, columns: usize, density: f64, seed: u64) -> IndexLists {
    IndexLists::from_matrix(&generate::matrix(count, columns, density, seed).unwrap())
}

/// Selects the rows whose lead no earlier row has.
fn with_distinct_leads(rows: &IndexLists) -> IndexLists {
    let mut seen = std::collections::HashSet::new();
    let mut kept = IndexLists::default();
    for row in rows.iter().filter(|row| row.first().is_none_or(|lead| seen.insert(*lead))) {
        kept.push(row).unwrap();
    }
    kept
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn all_methods_agree_with_the_definition(
        columns in 1usize..1300, reducers in 0usize..300, rows in 0usize..120,
        density in prop::sample::select(vec![0.0, 0.003, 0.02, 0.5, 1.0]), seed: u64,
    ) {
        let reducers = with_distinct_leads(&some_rows(reducers, columns, density, seed));
        let rows = some_rows(rows, columns, density, seed ^ 1);
        check_f4(&reducers, &rows, columns, &[("auto".into(), default_engine())]);
    }

    #[test]
    fn generated_f4_matrices_agree_with_the_definition(
        columns in 2usize..1200, share in 0.0f64..1.0, rows in 0usize..200, new_pivots in 0usize..150, seed: u64,
    ) {
        let reducers = (columns as f64 * share) as usize;
        let generator = generate::Groebner {
            columns, reducers, rows, new_pivots, reducer_ones: 12, row_ones: 30, seed,
        };
        let (reducers, rows) = generator.generate().unwrap();
        check_f4(&reducers, &rows, columns, &[("auto".into(), default_engine())]);
    }

    #[test]
    fn echelon_forms_span_the_rows_and_the_reduced_one_is_unique(
        rows in 0usize..700, columns in 0usize..1200, rank in 0usize..500, full: bool, seed: u64,
    ) {
        let matrix = match full {
            true => generate::matrix(rows, columns, 0.5, seed).unwrap(),
            false => generate::matrix_of_rank(rows, columns, rank, seed).unwrap(),
        };
        let engine = default_engine();
        let echelon = gf2::echelon(&engine, &matrix).unwrap();
        let proof = Proof::determine(&engine, &matrix).unwrap();
        verify::echelon(&matrix, &echelon, false, &proof).unwrap();
        let reduced = gf2::rref(&engine, &matrix).unwrap();
        verify::echelon(&matrix, &reduced, true, &proof).unwrap();
        prop_assert_eq!(&echelon.pivots, &reduced.pivots);
        prop_assert_eq!(gf2::rank(&engine, &matrix).unwrap(), rank_by_definition(&matrix));
        // The reduced form of any matrix with the same row space is the same.
        prop_assert_eq!(&gf2::rref(&engine, &echelon.matrix).unwrap(), &reduced);
    }

    #[test]
    fn solutions_solve(rows in 1usize..300, columns in 1usize..300, sides in 0usize..70, seed: u64) {
        let engine = default_engine();
        let a = generate::matrix_of_rank(rows, columns, (seed % 300) as usize, seed).unwrap();
        let x = generate::matrix(columns, sides, 0.5, seed ^ 1).unwrap();
        let b = gf2::multiply(&engine, &a, &x).unwrap();
        verify::product(&a, &x, &b).unwrap();
        let solution = gf2::solve(&engine, &a, &b).unwrap();
        prop_assert!(solution.inconsistent.is_empty());
        prop_assert_eq!(&gf2::multiply(&engine, &a, &solution.x).unwrap(), &b);
        verify::solution(&a, &b, &solution, None).unwrap();

        // Random right sides: inconsistent exactly where they enlarge the rank.
        let b = generate::matrix(rows, sides, 0.5, seed ^ 2).unwrap();
        let solution = gf2::solve(&engine, &a, &b).unwrap();
        verify::solution(&a, &b, &solution, None).unwrap();
        for side in (0..sides).step_by(7) {
            let mut both = BitMatrix::zeros(rows, columns + 1).unwrap();
            for r in 0..rows {
                a.ones(r).for_each(|c| both.set(r, c, true));
                both.set(r, columns, b.get(r, side));
            }
            let larger = gf2::rank(&engine, &both).unwrap() > solution.rank;
            prop_assert_eq!(larger, solution.inconsistent.contains(&(side as u32)));
        }
    }

    #[test]
    fn kernels_are_annihilated(rows in 0usize..400, columns in 0usize..400, rank in 0usize..400, seed: u64) {
        let engine = default_engine();
        let a = generate::matrix_of_rank(rows, columns, rank, seed).unwrap();
        let kernel = gf2::kernel(&engine, &a).unwrap();
        let rank = gf2::rank(&engine, &a).unwrap();
        verify::kernel(&engine, &a, &kernel, &Proof::determine(&engine, &a).unwrap()).unwrap();
        prop_assert_eq!(kernel.rows(), columns - rank);
        prop_assert_eq!(gf2::rank(&engine, &kernel).unwrap(), kernel.rows());
        let product = gf2::multiply(&engine, &a, &kernel.transposed().unwrap()).unwrap();
        prop_assert_eq!(product.count_ones(), 0);
    }

    #[test]
    fn inverses_invert(n in 0usize..600, seed: u64) {
        let engine = default_engine();
        let a = generate::matrix(n, n, 0.5, seed).unwrap();
        let identity = BitMatrix::identity(n).unwrap();
        match gf2::inverse(&engine, &a).unwrap() {
            Inverse::Regular(inverse) => {
                prop_assert_eq!(&gf2::multiply(&engine, &a, &inverse).unwrap(), &identity);
                prop_assert_eq!(&gf2::multiply(&engine, &inverse, &a).unwrap(), &identity);
                verify::inverse(&a, &inverse).unwrap();
            }
            Inverse::Singular { rank } => {
                prop_assert_eq!(gf2::rank(&engine, &a).unwrap(), rank);
                prop_assert!(rank < n);
            }
        }
    }

    #[test]
    fn products_are_products(m in 0usize..300, k in 0usize..700, n in 0usize..600, seed: u64) {
        let engine = default_engine();
        let (a, b) = (generate::matrix(m, k, 0.5, seed).unwrap(), generate::matrix(k, n, 0.5, seed ^ 1).unwrap());
        let product = gf2::multiply(&engine, &a, &b).unwrap();
        verify::product(&a, &b, &product).unwrap();
        for (r, c) in [(0, 0), (m / 2, n / 2), (m.saturating_sub(1), n.saturating_sub(1))] {
            if r < m && c < n {
                let entry = a.ones(r).filter(|&i| b.get(i, c)).count() % 2 == 1;
                prop_assert_eq!(product.get(r, c), entry);
            }
        }
        // (a b)' = b' a'
        let (at, bt) = (a.transposed().unwrap(), b.transposed().unwrap());
        verify::transposed(&a, &at).unwrap();
        prop_assert_eq!(gf2::multiply(&engine, &bt, &at).unwrap(), product.transposed().unwrap());
    }
}

fn rank_by_definition(matrix: &BitMatrix) -> usize {
    let mut pivots: Vec<Option<Row>> = vec![None; matrix.columns()];
    for r in 0..matrix.rows() {
        let mut row: Row = (0..matrix.columns()).map(|c| matrix.get(r, c)).collect();
        while let Some(lead) = lead(&row) {
            match &pivots[lead] {
                Some(pivot) => add(&mut row, pivot),
                None => {
                    pivots[lead] = Some(row);
                    break;
                }
            }
        }
    }
    pivots.iter().flatten().count()
}

#[test]
fn every_instruction_set_and_number_of_threads_gives_the_same() {
    let generator = generate::Groebner {
        columns: 3000,
        reducers: 2200,
        rows: 900,
        new_pivots: 500,
        reducer_ones: 40,
        row_ones: 90,
        seed: 7,
    };
    let (reducers, rows) = generator.generate().unwrap();
    check_f4(&reducers, &rows, 3000, &engines());

    let a = generate::matrix_of_rank(1500, 2100, 1100, 3).unwrap();
    let b = generate::matrix(2100, 700, 0.5, 4).unwrap();
    let (reduced, product) =
        (gf2::rref(&default_engine(), &a).unwrap(), gf2::multiply(&default_engine(), &a, &b).unwrap());
    assert_eq!(reduced.rank(), 1100);
    for (name, engine) in engines() {
        assert_eq!(gf2::rref(&engine, &a).unwrap(), reduced, "{name}");
        assert_eq!(gf2::multiply(&engine, &a, &b).unwrap(), product, "{name}");
    }
}

#[test]
fn more_rows_than_a_chunk() {
    // The panel scans chunks of 2048 rows; leads that only late rows have make it scan all chunks.
    let mut matrix = generate::matrix_of_rank(9000, 800, 300, 5).unwrap();
    for (k, row) in [8999, 7000, 4097, 4096, 2048, 2047].into_iter().enumerate() {
        (0..800).for_each(|c| matrix.set(row, c, false));
        matrix.set(row, 799 - k, true);
    }
    let engine = default_engine();
    let reduced = gf2::rref(&engine, &matrix).unwrap();
    verify::echelon(&matrix, &reduced, true, &Proof::determine(&engine, &matrix).unwrap()).unwrap();
    assert_eq!(reduced.rank(), rank_by_definition(&matrix));
}

#[test]
fn edges() {
    let engine = default_engine();
    for (rows, columns) in [(0, 0), (0, 5), (5, 0), (1, 1), (1, 2000), (2000, 1)] {
        let zero = BitMatrix::zeros(rows, columns).unwrap();
        assert_eq!(gf2::rank(&engine, &zero).unwrap(), 0);
        assert_eq!(gf2::rref(&engine, &zero).unwrap().matrix, zero);
        assert_eq!(gf2::kernel(&engine, &zero).unwrap(), BitMatrix::identity(columns).unwrap());
        let ones = generate::matrix(rows, columns, 1.0, 0).unwrap();
        assert_eq!(gf2::rank(&engine, &ones).unwrap(), usize::from(rows * columns > 0));
    }
    assert_eq!(gf2::rank(&engine, &BitMatrix::zeros(0, u32::MAX as usize).unwrap()).unwrap(), 0);
    assert_eq!(gf2::rank(&engine, &BitMatrix::zeros(u32::MAX as usize, 0).unwrap()).unwrap(), 0);
    for (rows, columns) in [(0, 1 << 32), (1 << 32, 0), (1, usize::MAX), (usize::MAX, 1)] {
        let error = BitMatrix::zeros(rows, columns).unwrap_err();
        assert!(error.exit_code() == 3 && error.to_string().contains("4294967295"), "{error}");
    }
    for n in [1, 63, 64, 65, 511, 512, 513, 1025] {
        let identity = BitMatrix::identity(n).unwrap();
        assert_eq!(gf2::rref(&engine, &identity).unwrap().matrix, identity);
        assert_eq!(gf2::inverse(&engine, &identity).unwrap(), Inverse::Regular(identity.clone()));
        assert_eq!(gf2::multiply(&engine, &identity, &identity).unwrap(), identity);
        let zero = BitMatrix::zeros(n, n).unwrap();
        assert_eq!(gf2::inverse(&engine, &zero).unwrap(), Inverse::Singular { rank: 0 });
    }
    let wide = BitMatrix::zeros(2, 3).unwrap();
    assert_eq!(gf2::inverse(&engine, &wide).unwrap_err().exit_code(), 3);
    assert_eq!(gf2::multiply(&engine, &wide, &wide).unwrap_err().exit_code(), 3);
}

#[test]
fn f4_matrices_with_few_of_very_many_columns() {
    let far = u32::MAX;
    let mut reducers = IndexLists::default();
    reducers.push(&[far, 7, 3]).unwrap();
    reducers.push(&[]).unwrap();
    let mut rows = IndexLists::default();
    for row in [&[far, 1_000_000_000][..], &[], &[far, 7, 3], &[1_000_000_000, 7]] {
        rows.push(row).unwrap();
    }
    let f4 = F4Matrix::new(reducers, rows, None).unwrap();
    assert_eq!(f4.columns(), 1 << 32);
    let mut expected = IndexLists::default();
    for row in [&[1_000_000_000, 7, 3][..], &[], &[], &[3]] {
        expected.push(row).unwrap();
    }
    for method in F4Method::ALL {
        let result = gf2::eliminate(&default_engine(), &f4.clone().with_method(method)).unwrap();
        assert_eq!(result.to_lists(), expected, "{method}");
        assert_eq!(result.row(3).collect::<Vec<_>>(), [3]);
        assert_eq!(result.new_pivots(), [0, 3]);
    }
}

#[test]
fn f4_matrices_that_contradict_themselves_are_refused() {
    let list = |rows: &[&[u32]]| {
        let mut lists = IndexLists::default();
        rows.iter().for_each(|row| lists.push(row).unwrap());
        lists
    };
    let error = F4Matrix::new(list(&[&[5, 2], &[4], &[5]]), list(&[]), None).unwrap_err();
    assert_eq!(error.to_string(), "eliminators 0 and 2 have the same lead 5");
    assert_eq!(F4Matrix::new(list(&[&[5]]), list(&[]), Some(5)).unwrap_err().exit_code(), 3);
    // Columns past 2^32 have no index.
    assert!(F4Matrix::new(list(&[&[5]]), list(&[]), Some(1 << 32)).is_ok());
    let error = F4Matrix::new(list(&[&[5]]), list(&[]), Some((1 << 32) + 1)).unwrap_err();
    assert!(error.exit_code() == 3 && error.to_string().contains("2^32"), "{error}");
    assert!(IndexLists::default().push(&[3, 3]).is_err());
    assert!(IndexLists::default().push(&[3, 4]).is_err());
    assert!(IndexLists::new(vec![0, 2], vec![1]).is_err());
    assert!(IndexLists::new(vec![0, 2, 1], vec![2, 1]).is_err());
}

/// The blocks of a matrix without ones in them cost no more than a look at their lines: each of these 2^19 blocks
/// took 30 us before.
#[test]
fn long_rows_of_zeros_are_skipped() {
    let columns = 1 << 28;
    let mut a = BitMatrix::zeros(1, columns).unwrap();
    let device = Device::Cpu(Cpu::default());
    for pivot in [None, Some(columns - 1)] {
        if let Some(pivot) = pivot {
            a.set(0, pivot, true);
        }
        let begin = std::time::Instant::now();
        let pivots = gf2::pivots(&device, &a).unwrap();
        assert!(begin.elapsed().as_secs_f64() < 4.0, "{:?}", begin.elapsed());
        assert_eq!(pivots, pivot.map_or(vec![], |pivot| vec![pivot as u32]));
    }
}
