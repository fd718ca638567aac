//! The special elimination by several GPUs, each of which has some blocks of the columns: the two steps that they take together, in a
//! group or in processes.

use crate::gf2::block_cyclic::Deal;
use crate::gf2::gpu::{FilePart, Rows};
use crate::gf2::{BitMatrix, Elimination, F4Matrix, F4Method, F4Shape, cost, gpu, members};
use crate::gpu::Gpu;
use crate::processes::{Reader, Transport, Writer};
use crate::timeline::{Phase, Stages};
use crate::{Group, Result};

/// The owners of the blocks of columns.
#[derive(Clone, Debug)]
pub(super) struct Deals {
    /// Of all columns, the highest first.
    pub wide: Deal,
    /// Of those without a reducer, in two stages.
    pub narrow: Deal,
}

impl Deals {
    pub fn new(shape: &F4Shape, speeds: &[f64]) -> Self {
        let columns = shape.columns.next_multiple_of(gpu::BLOCK);
        Deals { wide: Deal::new(columns, speeds), narrow: Deal::new(shape.missing(), speeds) }
    }

    /// The share of the member that has the most blocks for its speed.
    pub fn largest(&self, speeds: &[f64]) -> f64 {
        let of = |deal: &Deal, k: usize| deal.own(k).count() as f64 / deal.blocks().max(1) as f64 / speeds[k];
        let all = (0..speeds.len()).map(|k| of(&self.wide, k).max(of(&self.narrow, k)));
        all.fold(0.0, f64::max)
    }
}

/// The two steps that members take together: of a group, or of several processes.
pub(super) trait Together {
    /// The GPUs of the members in this process.
    fn gpus(&self) -> Vec<&Gpu>;

    /// The leads of the rows that become pivots, by the columns without a reducer; None if a member was lost.
    fn choose(&self, f4: &F4Matrix, missing: &[usize], narrow: &Deal) -> Result<Option<Vec<u32>>>;

    /// Eliminates rows: the new pivots, ascending, and their final forms. None if a member was lost, and for a
    /// process that is not the first.
    fn eliminate(&self, work: &Rows<'_>, wide: &Deal) -> Result<Option<(Vec<u32>, BitMatrix)>>;
}

/// Eliminates an F4 matrix by a method. None if a step returns none.
pub(super) fn eliminate_together(
    together: &impl Together,
    (f4, method): (&F4Matrix, F4Method),
    deals: &Deals,
) -> Result<Option<Elimination>> {
    let stages_of = |amounts: &[u64]| -> Vec<Stages> {
        together.gpus().into_iter().map(|gpu| gpu.timeline().stages(amounts)).collect()
    };
    if method == F4Method::Blocked {
        // One stage, so that the shares of the members that end first go on to count.
        let mut stages = stages_of(&[1]);
        stages.iter_mut().for_each(Stages::next);
        let found = together.eliminate(&Rows::all(f4), &deals.wide)?;
        return Ok(found.map(|(new_pivots, matrix)| Elimination::new(f4, &new_pivots, matrix)));
    }
    let (missing, mut leads) = (gpu::missing_columns(f4), Vec::new());
    let [narrow, choose, widen] = cost::gpu::stages(&F4Shape::of(f4));
    let mut stages = stages_of(&[(narrow + choose) as u64, widen as u64]);
    stages.iter_mut().for_each(Stages::next);
    if deals.narrow.blocks() > 0 {
        let Some(chosen) = together.choose(f4, &missing, &deals.narrow)? else { return Ok(None) };
        leads = chosen;
    }
    let new_pivots = gpu::new_pivot_rows(f4, &missing, &leads)?;
    if new_pivots.rows.is_empty() {
        let matrix = BitMatrix::zeros(0, f4.width())?;
        return Ok(Some(Elimination::new(f4, &[], matrix)));
    }
    let work = Rows::with_leads(f4, &new_pivots.lists, &new_pivots.leads);
    stages.iter_mut().for_each(Stages::next);
    let Some((found, matrix)) = together.eliminate(&work, &deals.wide)? else { return Ok(None) };
    gpu::expect_all_new_pivots(found.len(), new_pivots.rows.len())?;
    Ok(Some(Elimination::new(f4, &new_pivots.rows, matrix)))
}

/// The members of a group with these numbers.
pub(super) struct Members<'g> {
    pub group: &'g Group,
    pub numbers: Vec<usize>,
}

impl Together for Members<'_> {
    fn gpus(&self) -> Vec<&Gpu> {
        self.numbers.iter().map(|&number| &self.group.members()[number]).collect()
    }

    fn choose(&self, f4: &F4Matrix, missing: &[usize], narrow: &Deal) -> Result<Option<Vec<u32>>> {
        let choose =
            |processes: &dyn Transport, gpu: &Gpu| gpu::choose_across(processes, gpu, f4, missing, narrow);
        let parts = members::run(self.group, &self.numbers, choose)?;
        // The owner of the last block knows all leads.
        Ok(parts.map(|mut parts| parts.swap_remove(narrow.owner(narrow.blocks() - 1))))
    }

    fn eliminate(&self, work: &Rows<'_>, wide: &Deal) -> Result<Option<(Vec<u32>, BitMatrix)>> {
        let eliminate =
            |processes: &dyn Transport, gpu: &Gpu| gpu::eliminate_rows_across(processes, gpu, work, wide);
        let Some(parts): Option<Vec<FilePart>> = members::run(self.group, &self.numbers, eliminate)? else {
            return Ok(None);
        };
        let combine = || gpu::combine_across(&parts, work.f4, wide);
        self.group.timeline().time(Phase::Host, "combine", combine).map(Some)
    }
}

/// A process among several, each of which has a GPU.
struct Among<'p> {
    processes: &'p dyn Transport,
    gpu: &'p Gpu,
}

impl Together for Among<'_> {
    fn gpus(&self) -> Vec<&Gpu> {
        vec![self.gpu]
    }

    fn choose(&self, f4: &F4Matrix, missing: &[usize], narrow: &Deal) -> Result<Option<Vec<u32>>> {
        let leads = gpu::choose_across(self.processes, self.gpu, f4, missing, narrow)?;
        // The owner of the last block knows all leads.
        let owner = narrow.owner(narrow.blocks() - 1);
        if self.processes.rank() == owner {
            let mut message = Writer::default();
            message.put(&leads);
            self.processes.broadcast(&message.finish())?;
            return Ok(Some(leads));
        }
        Reader::new(&self.processes.receive_broadcast(owner)?).take().map(Some)
    }

    fn eliminate(&self, work: &Rows<'_>, wide: &Deal) -> Result<Option<(Vec<u32>, BitMatrix)>> {
        let part = gpu::eliminate_rows_across(self.processes, self.gpu, work, wide)?;
        if self.processes.rank() > 0 {
            self.processes.send(0, part.to_message())?;
            return Ok(None);
        }
        let mut parts = vec![part];
        for from in 1..self.processes.size() {
            parts.push(FilePart::from_message(&self.processes.receive(from)?)?);
        }
        gpu::combine_across(&parts, work.f4, wide).map(Some)
    }
}

/// A process's part of an elimination on several processes, each of which has the F4 matrix and a GPU. Process 0 gets
/// the result.
pub(super) fn eliminate_among(
    processes: &dyn Transport,
    gpu: &Gpu,
    (f4, method): (&F4Matrix, F4Method),
) -> Result<Option<Elimination>> {
    let deals = Deals::new(&F4Shape::of(f4), &vec![1.0; processes.size()]);
    let found = eliminate_together(&Among { processes, gpu }, (f4, method), &deals)?;
    Ok(found.filter(|_| processes.rank() == 0))
}
