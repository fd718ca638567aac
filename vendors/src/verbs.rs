//! The verbs of the program on default problems of usual sizes, whose plans say which kernels a GPU compiles.
//!
//! They run on a device that computes nothing, so the answers are not looked at; a run that such an answer ends early is an error
//! where nothing else compiles its kernels.

use wgalois::curve::{
    Affine, Bls12_381, Bls12_381G2, Curve, CurveName, PairingCurve, ScalarField, scalar_fields,
};
use wgalois::field::BABY_BEAR;
use wgalois::gf2::generate::Groebner;
use wgalois::gf2::{self, BitMatrix, Dense, F4Matrix, F4Method, Many, Operation};
use wgalois::msm::{Multiplication, Settings};
use wgalois::ntt::exact::ExactProduct;
use wgalois::ntt::integer::IntegerProduct;
use wgalois::ntt::{Product, Transform, scalar};
use wgalois::scalars::Scalar;
use wgalois::task::Problem;
use wgalois::{Device, Error, Result, with_curve};
use wgalois_boolean::{Query, Solve, SolveInput, Speeds};
use wgalois_proofs::groth16::{Prover, Proving};

/// Prepares default problems on a device, and runs them where that is possible.
type Run = Box<dyn Fn(&Device) -> Result<()>>;

/// A verb, with what it computes on.
pub struct Verb {
    /// Its name in the tables, such as `msm:bn254`.
    pub name: String,
    /// Plans, prepares and, as far as a device that computes nothing can, runs it.
    pub run: Run,
}

fn verb(name: impl Into<String>, run: impl Fn(&Device) -> Result<()> + 'static) -> Verb {
    Verb { name: name.into(), run: Box::new(run) }
}

/// All verbs.
pub fn all() -> Vec<Verb> {
    let mut verbs = vec![verb("ntt", transform), verb("polymul", product), verb("intmul", integers)];
    for name in scalar_fields() {
        let scalars = move |device: &Device| with_curve!(name, C => transform_of_scalars::<ScalarField<C>>(&[10, 16, 20], device));
        verbs.push(verb(format!("ntt:{name}-fr"), scalars));
        let product =
            move |device: &Device| with_curve!(name, C => product_of_scalars::<ScalarField<C>>(device));
        verbs.push(verb(format!("polymul:{name}-fr"), product));
    }
    verbs.extend(
        OPERATIONS.map(|(name, dense)| verb(name, move |device| elimination(dense, &[1000, 8192], device))),
    );
    verbs.push(verb("gf2:mul", product_of_matrices));
    verbs.push(verb("gf2:many", many));
    for (name, method) in METHODS {
        verbs.push(verb(name, move |device| special(method, device)));
    }
    verbs.push(verb("solve", |device| search(device, &[(28, 28, 2), (40, 80, 2)])));
    verbs.push(verb("solve:cubic", |device| search(device, &[(24, 24, 3)])));
    // The first large search measures the device before it plans.
    verbs.push(verb("solve:speeds", |device| Speeds::measure(device).map(drop)));
    for name in CurveName::all() {
        let multiply = move |device: &Device| with_curve!(name, C => multiplication::<C>(device));
        verbs.push(verb(format!("msm:{name}"), multiply));
    }
    verbs.push(verb("groth16:bn254", |device| proof::<ark_bn254::Bn254>(&[14, 18, 20], device)));
    verbs.push(verb("groth16:bls12-381", |device| proof::<ark_bls12_381::Bls12_381>(&[14, 18, 20], device)));
    verbs.push(verb("kzg", commitments));
    verbs.extend(first_runs());
    verbs
}

/// What the names of [`first_runs`] begin with.
pub const FIRST: &str = "first:";

/// One problem of a usual size each: what a program compiles when it runs for the first time.
fn first_runs() -> Vec<Verb> {
    let first = |name: &str, run: Run| Verb { name: format!("{FIRST}{name}"), run };
    vec![
        first("ntt", Box::new(|device| transform_of(Transform::new(BABY_BEAR, 1 << 20)?, device))),
        first("polymul", Box::new(|device| product_of(1 << 20, device))),
        first("gf2:rank", Box::new(|device| elimination(|n| Dense::rank(n, n), &[8192], device))),
        first(
            "ntt:bls12-381-fr",
            Box::new(|device| transform_of_scalars::<ScalarField<Bls12_381>>(&[20], device)),
        ),
        first("msm:bls12-381", Box::new(one_multiplication::<Bls12_381>)),
        first("msm:bls12-381-g2", Box::new(one_multiplication::<Bls12_381G2>)),
        first("groth16:bn254", Box::new(|device| proof::<ark_bn254::Bn254>(&[16], device))),
        first("groth16:bls12-381", Box::new(|device| proof::<ark_bls12_381::Bls12_381>(&[16], device))),
    ]
}

/// One, two, three and four passes.
const LOG_LENGTHS: [u32; 5] = [10, 14, 18, 20, 24];

fn transform(device: &Device) -> Result<()> {
    for log_n in LOG_LENGTHS {
        let there = Transform::new(BABY_BEAR, 1 << log_n)?;
        for transform in [there, there.inverted()] {
            transform_of(transform, device)?;
        }
    }
    Ok(())
}

fn transform_of(transform: Transform, device: &Device) -> Result<()> {
    transform.plan(device)?.prepare(device)?.run(&mut vec![0; transform.len()])?;
    Ok(())
}

fn product(device: &Device) -> Result<()> {
    for n in [1 << 10, 1 << 16, 1 << 19, 1 << 22] {
        let a = vec![0u32; n];
        Product::new(BABY_BEAR, n, n).plan(device)?.prepare(device)?.run(&[[&a, &a]])?;
        if n < 1 << 22 {
            let a = vec![0i64; n];
            ExactProduct::new(n, n).plan(device)?.prepare(device)?.run((&a, &a))?;
        }
    }
    Ok(())
}

fn product_of(n: usize, device: &Device) -> Result<()> {
    let a = vec![0u32; n];
    Product::new(BABY_BEAR, n, n).plan(device)?.prepare(device)?.run(&[[&a, &a]])?;
    Ok(())
}

fn integers(device: &Device) -> Result<()> {
    let digits = "7".repeat(1_000_000);
    IntegerProduct::of(&digits, &digits)?.plan(device)?.prepare(device)?.run((&digits, &digits))?;
    Ok(())
}

fn transform_of_scalars<F: Scalar>(log_lengths: &[u32], device: &Device) -> Result<()> {
    for &log_n in log_lengths {
        let there = scalar::Transform::<F>::new(1 << log_n)?;
        for transform in [there, there.inverted()] {
            let mut data = vec![F::default(); 1 << log_n];
            transform.plan(device)?.prepare(device)?.run(&mut data)?;
        }
    }
    Ok(())
}

fn product_of_scalars<F: Scalar>(device: &Device) -> Result<()> {
    let a = vec![F::default(); 1 << 16];
    let product = scalar::Product::<F>::new(a.len(), a.len());
    product.plan(device)?.prepare(device)?.run((&a, &a))?;
    Ok(())
}

/// A question about a matrix of `n` x `n`.
type Question = fn(usize) -> Result<Dense>;

const OPERATIONS: [(&str, Question); 6] = [
    ("gf2:rank", |n| Dense::rank(n, n)),
    ("gf2:echelon", |n| Dense::echelon(n, n)),
    ("gf2:rref", |n| Dense::rref(n, n)),
    ("gf2:solve", |n| Dense::solve(n, n, 1)),
    ("gf2:kernel", |n| Dense::kernel(n, n)),
    ("gf2:inverse", |n| Dense::inverse(n)),
];

fn elimination(question: Question, sizes: &[usize], device: &Device) -> Result<()> {
    for &n in sizes {
        let problem = question(n)?;
        let matrix = BitMatrix::identity(n)?;
        let sides = match problem.operation() {
            Operation::Solve => Some(BitMatrix::zeros(n, 1)?),
            _ => None,
        };
        problem.plan(device)?.prepare(device)?.run((&matrix, sides.as_ref()))?;
    }
    Ok(())
}

fn product_of_matrices(device: &Device) -> Result<()> {
    for n in [1000, 8192, 16_384] {
        let matrix = BitMatrix::zeros(n, n)?;
        let plan = gf2::Product::new(n, n, n)?.plan(device)?;
        plan.prepare(device)?.run((&matrix, &matrix).into())?;
    }
    Ok(())
}

fn many(device: &Device) -> Result<()> {
    for (_, question) in OPERATIONS {
        for n in [64, 500] {
            let problem = question(n)?;
            let matrices = vec![BitMatrix::identity(n)?; 1000];
            let sides = match problem.operation() {
                Operation::Solve => Some(vec![BitMatrix::zeros(n, 1)?; matrices.len()]),
                _ => None,
            };
            let plan = Many::new(matrices.len(), problem)?.plan(device)?;
            plan.prepare(device)?.run((&matrices, sides.as_deref()))?;
        }
    }
    Ok(())
}

/// The methods of F4 matrices on a GPU.
const METHODS: [(&str, F4Method); 4] = [
    ("gf2:eliminate", F4Method::Auto),
    ("gf2:eliminate:blocked", F4Method::Blocked),
    ("gf2:eliminate:two-stage", F4Method::TwoStage),
    ("gf2:eliminate:rounds", F4Method::Rounds),
];

fn special(method: F4Method, device: &Device) -> Result<()> {
    let shape = Groebner {
        columns: 8000,
        reducers: 5000,
        rows: 3000,
        new_pivots: 2000,
        reducer_ones: 60,
        row_ones: 100,
        seed: 1,
    };
    let (reducers, rows) = shape.generate()?;
    let f4 = F4Matrix::new(reducers, rows, Some(shape.columns))?.with_method(method);
    match f4.plan(device)?.prepare(device)?.run(&f4) {
        // A device that computes nothing returns the rows as they were: their leads are no rounds'.
        Err(Error::Nonsense(_)) if method == F4Method::Rounds => Ok(()),
        run => run.map(drop),
    }
}

/// Systems of so many variables, equations and of a degree.
fn search(device: &Device, shapes: &[(usize, usize, usize)]) -> Result<()> {
    for &(variables, equations, degree) in shapes {
        let system = wgalois_boolean::generate::random(variables, equations, degree, 1, false)?;
        for query in [Query::default(), Query::All, Query::Count] {
            let prepared = Solve::of(&system.equations).with_query(query).plan(device)?.prepare(device)?;
            match prepared.run(SolveInput::new(&system.equations)) {
                // Combinations of rows that nobody computed do not cancel. The kernels after them are those of `solve:speeds`.
                Err(Error::Check(_)) => {}
                run => drop(run?),
            }
        }
    }
    Ok(())
}

fn multiplication<C: Curve>(device: &Device) -> Result<()> {
    let once = Settings::default().for_one_run();
    for log_n in [12, 16, 20] {
        let problem = Multiplication::<C>::new(1 << log_n);
        for problem in [problem.with_settings(once), problem] {
            problem.plan(device)?.compile_with_check(device)?;
        }
    }
    let (points, scalars) =
        (vec![Affine::<C>::default(); 1 << 16], vec![ScalarField::<C>::default(); 1 << 16]);
    let plan = Multiplication::new(points.len()).with_settings(once).plan(device)?;
    let _ = plan.prepare_unchecked(device, &points)?.multiply(&scalars)?;
    Ok(())
}

/// A checked run on points that are used once.
fn one_multiplication<C: Curve>(device: &Device) -> Result<()> {
    let problem = Multiplication::<C>::new(1 << 20).with_settings(Settings::default().for_one_run());
    problem.plan(device)?.compile_with_check(device)
}

fn proof<E: PairingCurve>(log_sizes: &[u32], device: &Device) -> Result<()> {
    for &log2 in log_sizes {
        Prover::compile(device, &Proving::<E>::new(1 << log2, 10, log2).plan(device)?, true)?;
    }
    Ok(())
}

/// The blobs of Ethereum.
fn commitments(device: &Device) -> Result<()> {
    let points = vec![Affine::<Bls12_381>::default(); 4096];
    let scalars = vec![ScalarField::<Bls12_381>::default(); points.len()];
    let plan = Multiplication::new(points.len()).with_vectors(6).plan(device)?;
    plan.compile_with_check(device)?;
    plan.prepare_unchecked(device, &points)?.run_many(&[&scalars[..]; 6])?;
    Ok(())
}
