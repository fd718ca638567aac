//! Faulty devices: a kernel with one operator or constant altered.

use super::*;
use crate as boolean;
use crate::generate::random;
use crate::test_devices;
use crate::{Equations, Method, Query, Solve, SolveInput};
use wgalois::Cpu;
use wgalois::gpu::{DeviceRecord, Options};
use wgalois::task::Problem;
use wgalois::verify::Confidence;

/// 12 variables with solutions, and without.
fn systems() -> [Equations; 2] {
    [(10, true), (40, false)]
        .map(|(equations, planted)| random(12, equations, 2, 5, planted).unwrap().equations)
}

/// A device on which kernels are ready at once: elsewhere the host searches small systems before a kernel is compiled.
fn device(altered: Option<[&'static str; 3]>) -> Device {
    let gpu = test_devices::open_another(Options { altered, cache: false, ..Options::default() });
    let record = DeviceRecord { compile: 1e-9, call: 1e-9, ..gpu.device_record().clone() };
    Device::Gpu(gpu.with_record(record))
}

type Answer = (boolean::Solutions, Option<Guarantee>);

fn run(device: &Device, equations: &Equations, method: Method, query: Query) -> Result<Answer> {
    let problem = Solve::shape_of(equations).with_method(method).with_query(query);
    problem.plan(device)?.prepare(device)?.run(SolveInput::new(equations).with_checks(true))
}

/// The questions whose answers claim that no solution is missing: all, their number, and that there is none.
fn questions([some, none]: &[Equations; 2]) -> [(&Equations, Query); 4] {
    [(some, Query::All), (some, Query::Count), (none, Query::One), (none, Query::Count)]
}

fn is_noticed(altered: [&'static str; 3], method: Method) {
    let (systems, device) = (systems(), device(Some(altered)));
    for (equations, query) in questions(&systems) {
        let answer = run(&device, equations, method, query);
        assert!(
            matches!(answer, Err(Error::Check(_) | Error::Nonsense(_))),
            "{altered:?}, {query:?}: {answer:?}"
        );
    }
}

#[test]
fn right_devices_pass() {
    let systems = systems();
    let cpu = Device::Cpu(Cpu::default());
    let count = boolean::solve(&cpu, &systems[0], Query::All).unwrap().list.len() as u64;
    assert!(count > 1);
    for device in [cpu, device(None)] {
        for method in Method::ALL {
            for (equations, query) in questions(&systems) {
                let (solutions, guarantee) = run(&device, equations, method, query).unwrap();
                let expected = if equations.polynomials().len() == 10 { count } else { 0 };
                assert_eq!(solutions.count.to_u64(), Some(expected), "{method}");
                let guarantee = guarantee.unwrap();
                match guarantee.confidence() {
                    Confidence::Probable { bits } => assert!(method == Method::Xl && *bits > 48),
                    Confidence::Planted { found } => assert!(method != Method::Xl && *found >= 4),
                    other => panic!("{other:?}"),
                }
            }
        }
    }
}

#[test]
fn a_faulty_kernel_of_the_exhaustive_search_is_noticed() {
    const ALL: &str = "if (seen) {";
    let faults = [
        (ALL, "if (false) {"),
        (ALL, "if (seen && (thread & 1u) == 0u) {"),
        (ALL, "if (seen && step > 0u) {"),
        ("step < (1u << params.up)", "step < (1u << params.up) - 1u"),
        ("var seen = w0 == q0;", "var seen = w0 != q0;"),
        (
            "sum ^= table[base + offset(size + 1u) + part1];",
            "sum |= table[base + offset(size + 1u) + part1];",
        ),
        ("(thread << params.up) | step", "(thread << params.up) & step"),
    ];
    for (from, to) in faults {
        is_noticed(["boolean/search", from, to], Method::Exhaustive);
    }
}

#[test]
fn a_hit_that_comes_twice_is_an_error_without_checks_too() {
    let twice = "for (var twice = select(2u, 0u, seen); twice < 2u; twice++) {";
    let device = device(Some(["boolean/search", "if (seen) {", twice]));
    let [some, _] = systems();
    for query in [Query::All, Query::Count] {
        let answer = boolean::solve_by(&device, &some, query, Method::Exhaustive);
        assert!(answer.is_err_and(|error| error.exit_code() == 1 && error.to_string().contains("twice")));
    }
}

#[test]
fn a_faulty_kernel_of_the_crossbred_method_is_noticed() {
    let faults = [
        ["boolean/linear", "if (passes(", "if (false && passes("],
        ["boolean/linear", "atomicAdd(&hits[0], 1u)", "atomicAdd(&hits[0], 2u)"],
        ["boolean/linear", "& unused) == 0u", "& unused) == 1u"],
        ["boolean/linear", "(step >> 1u)", "(step >> 2u)"],
        ["boolean/restrict", "if (value == 1u) {", "if (value == 2u) {"],
        ["boolean/restrict", "sum ^= constants[other];", "sum ^= 0u;"],
    ];
    for fault in faults {
        is_noticed(fault, Method::Crossbred);
    }
}
