//! Several processes that share the work of one computation.

use std::fmt;
use std::sync::{Arc, Mutex};

use super::Device;
use super::several::{Several, several};
use crate::gpu::Family;
use crate::lock::lock;
use crate::processes::{Kind, Transport};
use crate::{Error, Result};

/// Several processes that share the work of one computation. This is process 0; the others
/// [`serve`](crate::serve()). Work that cannot be shared runs on the device of process 0.
///
/// ```
/// use wgalois::gf2::{self, BitMatrix};
/// use wgalois::processes::{self, Threads};
/// use wgalois::{Cpu, Device, Processes, serve};
///
/// let a = BitMatrix::identity(70)?;
/// let ranks = Threads::run(3, |transport| {
///     let own = Device::Cpu(Cpu::default());
///     if transport.rank() > 0 {
///         serve(&**transport, |_| Ok(own.clone()))?;
///         return Ok(None);
///     }
///     let rank = gf2::rank(&Device::Processes(Processes::new(transport.clone(), own)?), &a)?;
///     processes::end(&**transport)?;
///     Ok(Some(rank))
/// })?;
/// assert_eq!(ranks[0], Some(70));
/// # Ok::<(), wgalois::Error>(())
/// ```
#[derive(Clone)]
pub struct Processes {
    transport: Arc<dyn Transport>,
    own: Arc<Device>,
    /// Held during a job, whose messages follow each other.
    job: Arc<Mutex<()>>,
    _several: Several,
}

impl Processes {
    /// The processes of a transport. Each computes on one device: process 0 on `own`, the others on one of the same
    /// kind. Refuses a group, and several processes, as `own`.
    pub fn new(transport: Arc<dyn Transport>, own: Device) -> Result<Self> {
        match own {
            Device::Cpu(_) | Device::Gpu(_) => {
                let (own, job) = (Arc::new(own), Arc::default());
                Ok(Processes { transport, own, job, _several: several()? })
            }
            Device::Group(_) | Device::Processes(_) => {
                let what = "be one of several processes: each takes one GPU, or its cores".into();
                Err(Error::Unsupported { device: "a group", what })
            }
        }
    }

    /// The number of processes.
    pub fn size(&self) -> usize {
        self.transport.size()
    }

    /// The device of process 0.
    pub fn own(&self) -> &Device {
        &self.own
    }

    /// The device of process 0, to be changed.
    pub(super) fn own_mut(&mut self) -> &mut Device {
        Arc::make_mut(&mut self.own)
    }

    /// Returns the processes with a measured record of the device of process 0; `None` if nothing is missing. The others find
    /// it in the cache folder when they open their devices; a record changes no result.
    pub(super) fn tuned(&self, families: &[Family], again: bool) -> Result<Option<Self>> {
        let own = self.own.tuned(families, again)?;
        Ok(own.map(|own| Processes { own: Arc::new(own), ..self.clone() }))
    }

    /// Runs the part of process 0 in one job after the other.
    pub(crate) fn job<T>(&self, work: impl FnOnce(&dyn Transport, &Device) -> Result<T>) -> Result<T> {
        let _alone = lock(&self.job);
        work(&*self.transport, &self.own)
    }
}

impl Kind {
    /// The kind of a device.
    pub fn of(device: &Device) -> Self {
        match device {
            Device::Cpu(_) => Kind::Cpu,
            Device::Gpu(_) | Device::Group(_) => Kind::Gpu,
            Device::Processes(processes) => Kind::of(processes.own()),
        }
    }
}

impl fmt::Debug for Processes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Processes").field("size", &self.size()).field("own", &self.own).finish()
    }
}
