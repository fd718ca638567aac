//! The work of the processes other than process 0.

use std::collections::HashMap;

use crate::processes::{Job, Kind, Task, Transport};
use crate::{Device, Result, gf2, msm};

/// Computes shares of process 0's jobs until it calls [`end`](crate::processes::end). All processes but process 0
/// call this. `open` opens this process's device of a kind, at most once each. After an error the caller ends all
/// processes by [`Transport::abort`].
///
/// ```
/// use wgalois::gf2::{self, BitMatrix};
/// use wgalois::processes::{self, Threads, Transport};
/// use wgalois::{Cpu, Device, Processes, serve};
///
/// let a = BitMatrix::identity(70)?;
/// let ranks = Threads::run(3, |processes| {
///     let own = Device::Cpu(Cpu::default());
///     if processes.rank() > 0 {
///         serve(&**processes, |_| Ok(own.clone()))?;
///         return Ok(None);
///     }
///     let rank = gf2::rank(&Device::Processes(Processes::new(processes.clone(), own)?), &a)?;
///     processes::end(&**processes)?;
///     Ok(Some(rank))
/// })?;
/// assert_eq!(ranks[0], Some(70));
/// # Ok::<(), wgalois::Error>(())
/// ```
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
