//! `wgalois bench plans`.

use super::table::print_rows_and;
use crate::bench::prelude::*;
use clap::ValueEnum;
use wgalois::gpu::{self, Adapter, Adapters, Found};
use wgalois::{Cpu, Select, Setup};
use wgalois_benches::plans::{Bounds, Comparison, Engine, Verb, grid, name_of};

/// Compare planned times with measured ones, on every engine, for problems of every verb from small to large
///
/// What a user waits for is measured: preparing and running once, from host data to host data, with the compiled pipelines
/// that are on the disk. A GPU is opened anew for each run. `ratio` is the measured time over the planned one. Without
/// --device all engines are measured, and `auto` marks the one that is taken if a user names none; `over best` is its
/// time over that of the fastest, both with the time of opening. Below the table stand the median and the largest
/// factor between planned and measured times of each engine, where times below a millisecond count as one, and the largest
/// `over best`.
#[derive(clap::Args)]
pub struct Plans {
    /// The verbs [default: all]
    #[arg(long, value_enum, value_delimiter = ',')]
    verbs: Vec<Verb>,
    /// Leave out problems that are planned to take longer on an engine, and larger ones of their kind
    #[arg(long, value_name = "SECONDS", default_value_t = 5, value_parser = count::<u32>(1..=86_400))]
    each: u32,
    /// Begin no run that is expected to end later than this
    #[arg(long, value_name = "SECONDS", default_value_t = 900, value_parser = count::<u32>(1..=864_000))]
    total: u32,
    /// Also measure runs that compile their kernels, without the compiled pipelines on the disk. A driver may have a cache of
    /// its own
    #[arg(long)]
    cold: bool,
    #[command(flatten)]
    csv: Csv,
}

impl Run for Plans {
    fn outputs(&self) -> Outputs {
        Outputs { files: self.csv.outputs(), ..Outputs::default() }
    }

    fn run(&self, context: &Context) -> Result<()> {
        let verbs = if self.verbs.is_empty() { Verb::value_variants() } else { &self.verbs };
        let [each, total] = [self.each, self.total].map(|seconds| Duration::from_secs(seconds.into()));
        let (engines, auto) = engines(context)?;
        let mut comparison = Comparison::new(engines, Bounds { each, total }, self.cold, auto);
        let cases = grid(verbs);
        let progress = context.bar("measure", cases.len() as u64);
        for case in cases {
            comparison.measure(&case)?;
            progress.advance(1);
        }
        drop(progress);
        let (rows, summary) = comparison.finish();
        context.report("summary", serde_json::json!(summary));
        self.csv.report(context, &rows)?;
        print_rows_and(context, &rows, &summary.to_string())?;
        judge(&rows, rows.len())
    }
}

/// The engines that the user named. If none was named, all, and what the one that is chosen for a problem is opened with: the
/// CPU engine, a GPU of each model of the first one's graphics API, and the group of those that are like the first.
pub fn engines(context: &Context) -> Result<(Vec<Engine>, Option<Setup>)> {
    let cpu = Cpu { memory: context.memory(), record: context.cpu_record(), ..Cpu::default() };
    let options =
        context.gpu_options(gpu::Options { host_memory: context.memory(), ..gpu::Options::default() });
    let of_cpu = || Engine::cpu(cpu.clone());
    let selected = match context.selected() {
        Select::Cpu => return Ok((vec![of_cpu()], None)),
        Select::Gpu(adapter) => {
            let found = Found::search()?;
            let index = found.choose(adapter)?;
            let engine = Engine::gpu(&found.described()[index], Adapter::Index(index), options);
            return Ok((vec![engine], None));
        }
        Select::Group(adapters) => {
            let indices = Found::search()?.choose_all(adapters)?;
            let name = format!("{} GPUs", indices.len());
            return Ok((vec![Engine::group(name, Adapters::Indices(indices), options)], None));
        }
        Select::Auto => Found::search()?,
    };
    let adapters = selected.described();
    let mut engines = vec![of_cpu()];
    let indices = if adapters.is_empty() { Vec::new() } else { selected.choose_all(&Adapters::All)? };
    let alike = |a: usize, b: usize| name_of(&adapters[a]) == name_of(&adapters[b]);
    for (place, &index) in indices.iter().enumerate() {
        if !indices[..place].iter().any(|&before| alike(before, index)) {
            engines.push(Engine::gpu(&adapters[index], Adapter::Index(index), options.clone()));
        }
    }
    let group: Vec<usize> = indices.iter().copied().filter(|&index| alike(index, indices[0])).collect();
    if group.len() > 1 && !adapters[group[0]].is_software() {
        let name = format!("{} GPUs", group.len());
        engines.push(Engine::group(name, Adapters::Indices(group), options.clone()));
    }
    let setup = Setup { cpu, gpu: options, processes: None };
    let is_a_choice = engines.len() > 1 && !gpu::adapter_is_named();
    Ok((engines, is_a_choice.then_some(setup)))
}
