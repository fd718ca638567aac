//! The option `--table`: every method at every size of the published tables.

use super::{Devices, Msm, effort};
use crate::bench::prelude::*;
use crate::progress::Progress;
use wgalois_benches::msm::{Data, HostMethod, measure_host};
use wgalois_benches::published::msm::{balanced_at, host_name, systems};
use wgalois_benches::set_speedups;

/// Measures every method, with speed-ups over the CPU engine. The failure of one method is the outcome of
/// its row.
pub(super) fn measure<C: Curve>(
    options: &Msm,
    devices: &mut Devices,
    data: &Data<C>,
    progress: &Progress,
) -> Result<Vec<Row>> {
    let n = data.scalars.len();
    let published = if C::NAME.as_str() == "bls12-381" { balanced_at(n)? } else { Vec::new() };
    let mut rows = Vec::new();
    for (system, settings) in systems() {
        let row = match options.on_gpu(devices, &settings, data) {
            Ok((fields, timing)) => Row::new(fields, system, Ok(timing))?,
            Err(error) => Row::new(data.fields(), system, Err(error))?,
        };
        rows.push(row.with_published(published.clone()));
        progress.advance(effort(n.ilog2()));
    }
    for method in HostMethod::ALL {
        let system = host_name(method);
        let time = measure_host(method, data).map(Timing::of_calls);
        rows.push(Row::new(data.fields(), system, time)?);
        progress.advance(effort(n.ilog2()));
    }
    let engine = rows.iter().find(|row| row.system == host_name(HostMethod::Engine)).and_then(Row::seconds);
    set_speedups(&mut rows, engine);
    Ok(rows)
}

/// Returns the rows of a size that does not fit the host's memory.
pub(super) fn cannot_run(curve: CurveName, n: usize, why: &str) -> Vec<Row> {
    let names = systems().into_iter().map(|(system, _)| system).chain(HostMethod::ALL.map(host_name));
    let fields = || Fields::default().with("curve", curve).with("n", n);
    names.map(|system| Row::cannot_run(fields(), system, why)).collect()
}

/// Returns the number of rows of a case.
pub(super) fn systems_per_case() -> usize {
    systems().len() + HostMethod::ALL.len()
}
