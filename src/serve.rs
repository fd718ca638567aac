//! The work of the processes other than process 0.

use std::collections::HashMap;

use crate::processes::{Job, Kind, Task, Transport};
use crate::{Device, Result, gf2, msm};

/// Computes shares of process 0's jobs until it calls [`end`](crate::processes::end). All processes but process 0
/// call this. `open` opens this process's device of a kind, at most once each.
///
/// ```
/// use wgalois::gf2::{self, Dense, BitMatrix};
/// use wgalois::processes::{self, Transport, Shared, Threads};
/// use wgalois::task::Problem;
/// use wgalois::{Cpu, Device, serve};
///
/// let a = BitMatrix::identity(70)?;
/// let ranks = Threads::run(3, |processes| {
///     let device = Device::Cpu(Cpu::default());
///     if processes.rank() > 0 {
///         serve(&**processes, |_| Ok(device.clone()))?;
///         return Ok(None);
///     }
///     let problem = Dense::rank(70, 70)?;
///     let plan = Shared::new(&problem, processes.size()).plan(&device)?;
///     let pivots = plan.prepare(&device, &**processes)?.run(&a, None)?.into_pivots()?;
///     processes::end(&**processes)?;
///     Ok(Some(pivots.len()))
/// })?;
/// assert_eq!(ranks[0], Some(70));
/// # Ok::<(), wgalois::Error>(())
/// ```
///
/// # Errors
/// Those of the computation and of the messages. The caller then ends all processes by
/// [`Transport::abort`].
pub fn serve(processes: &dyn Transport, open: impl Fn(Kind) -> Result<Device>) -> Result<()> {
    let mut devices = HashMap::new();
    loop {
        let job = Job::receive(processes)?;
        if job.task == Task::End {
            return Ok(());
        }
        let device = match devices.get(&job.kind) {
            Some(device) => device,
            None => devices.entry(job.kind).or_insert(open(job.kind)?),
        };
        match job.task {
            Task::End => return Ok(()),
            Task::Gf2 => gf2::serve(processes, device, &job.words)?,
            Task::Msm => msm::serve(processes, device, &job.words)?,
        }
    }
}
