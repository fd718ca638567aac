//! The option `--table`: every method at every size of the published tables.

use super::lines::{Line, Measured};
use super::{Devices, Msm, Outcome};
use crate::cli::Context;
use wgalois::curve::coordinates::{HOMOGENEOUS, JACOBIAN};
use wgalois::curve::{Curve, CurveName};
use wgalois::internal::bench::msm::{Data, HostMethod, measure_host};
use wgalois::msm::{Balance, Precompute, Settings};
use wgalois::{Error, Result};

/// Returns the methods of the GPU with the names of their rows. They include all those of the
/// published work: one affine point at a time, pairs first, its coordinates and its balance; and
/// stored doublings, with which that work is compared.
fn systems() -> Vec<(&'static str, Settings)> {
    let plain = || Settings::default().with_pair_rounds(0);
    vec![
        ("GPU, one point at a time", plain()),
        ("GPU, pairs first", plain().with_pair_rounds(1)),
        ("GPU, pairs first, twice", plain().with_pair_rounds(2)),
        ("GPU, Jacobian", plain().with_coordinates(&JACOBIAN)),
        ("GPU, homogeneous", plain().with_coordinates(&HOMOGENEOUS)),
        ("GPU, imbalanced", plain().with_balance(Balance::Buckets)),
        ("GPU, 6 doublings stored", plain().with_precompute(Precompute::Doublings(6))),
        ("GPU, 15 doublings stored", plain().with_precompute(Precompute::Doublings(15))),
        ("GPU, windows stored", plain().with_precompute(Precompute::Windows)),
        (
            "GPU, windows stored, pairs first",
            plain().with_precompute(Precompute::Windows).with_pair_rounds(1),
        ),
    ]
}

fn host_name(method: HostMethod) -> &'static str {
    match method {
        HostMethod::Engine => "CPU engine",
        HostMethod::Pippenger => "CPU, plain Pippenger",
        HostMethod::DoubleAndAdd => "CPU, double-and-add",
    }
}

/// Measures every method. The failure of one method is the outcome of its row.
pub(super) fn measure<C: Curve>(
    options: &Msm,
    context: &Context,
    devices: &mut Devices,
    data: &Data<C>,
    lines: &mut Vec<Line>,
) -> Result<()> {
    let n = data.scalars.len();
    let mut push = |system: &str, measured: Result<Measured>| {
        let outcome = match &measured {
            Err(Error::DeviceLost(message)) => return Err(Error::DeviceLost(message.clone())),
            Err(Error::Check(message)) => Outcome::Wrong(message.clone()),
            Err(Error::Usage(message)) => Outcome::LeftOut(message.clone()),
            Err(Error::OutOfMemory(shortage)) => Outcome::LeftOut(shortage.to_string()),
            Err(error) => Outcome::Failed(error.to_string()),
            Ok(_) => Outcome::Right,
        };
        lines.push(Line { curve: C::NAME, n, system: system.to_owned(), measured: measured.ok(), outcome });
        Ok(())
    };
    for (system, settings) in systems() {
        let name = format!("2^{}, {system}", n.ilog2());
        push(system, context.watch(&name, || options.on_gpu(devices, &settings, data)))?;
    }
    for method in HostMethod::ALL {
        let system = host_name(method);
        let name = format!("2^{}, {system}", n.ilog2());
        push(system, context.watch(&name, || measure_host(method, data).map(Measured::Host)))?;
    }
    Ok(())
}

/// Returns the rows of a size that does not fit the host's memory.
pub(super) fn left_out(curve: CurveName, n: usize, why: &str) -> Vec<Line> {
    let names = systems().into_iter().map(|(system, _)| system).chain(HostMethod::ALL.map(host_name));
    let line = |system: &str| Line {
        curve,
        n,
        system: system.to_owned(),
        measured: None,
        outcome: Outcome::LeftOut(why.to_owned()),
    };
    names.map(line).collect()
}

/// Checks that every row is there and right, except those that do not fit into memory.
pub(super) fn judge(lines: &[Line], cases: usize) -> Result<()> {
    let expected = cases * (systems().len() + HostMethod::ALL.len());
    let count = |is: fn(&Outcome) -> bool| lines.iter().filter(|line| is(&line.outcome)).count();
    let wrong = count(|outcome| matches!(outcome, Outcome::Wrong(_)));
    let missing = expected.abs_diff(lines.len()) + count(|outcome| matches!(outcome, Outcome::Failed(_)));
    match (wrong, missing) {
        (0, 0) => Ok(()),
        _ => Err(Error::Check(format!("of {expected} rows {wrong} are wrong and {missing} missing"))),
    }
}
