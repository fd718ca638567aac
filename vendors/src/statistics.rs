//! The statistics of the drivers under common names.

use crate::driver::Compiled;

/// What a compiler made of a kernel; `None` is what its driver does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Threads of a subgroup.
    pub subgroup: Option<f64>,
    /// Registers of a thread: RADV's VGPRs, NVK's GPRs, turnip's full registers; ANV's largest number of live registers, each of 32 bytes
    /// for all threads of a subgroup.
    pub registers: Option<f64>,
    /// Registers that did not fit: RADV's vector and scalar registers, ANV's spills.
    pub spills: Option<f64>,
    /// Bytes of memory for private data: of a subgroup for RADV, of a thread for the others.
    pub scratch: Option<f64>,
    /// Subgroups that fit a SIMD unit at a time.
    pub occupancy: Option<f64>,
    /// Bytes of workgroup memory.
    pub shared: Option<f64>,
    /// Instructions. Drivers also say cycles, by a model that guesses how often a loop runs: nothing is compared by those.
    pub instructions: Option<f64>,
}

/// The names of a column in each driver; all that a driver has are added.
const NAMES: [&[&str]; 6] = [
    &["VGPRs", "Number of GPRs", "GPRs", "Max live registers", "Full registers", "Registers used"],
    &["Spilled VGPRs", "Spilled SGPRs", "Spill Count", "Spills to memory"],
    &["Scratch size", "Scratch Memory Size", "SLM Size", "Private memory size"],
    &["Subgroups per SIMD", "Max Waves Per Core", "Max warps/SM", "Max Waves"],
    &["LDS size", "Workgroup Memory Size", "Shared memory size"],
    &["Instructions", "Instruction Count", "Instruction count"],
];

impl Statistics {
    /// The statistics of a compiled kernel. Of several forms, a driver runs that of the most threads.
    pub fn of(compiled: &Compiled) -> Self {
        let Some(form) = compiled.executables.iter().max_by_key(|form| form.subgroup) else {
            return Statistics::default();
        };
        let sum = |names: &[&str]| {
            let own = form.statistics.iter().filter(|(name, _)| names.contains(&name.trim()));
            own.map(|(_, value)| *value).reduce(|a, b| a + b)
        };
        let [registers, spills, scratch, occupancy, shared, instructions] = NAMES.map(sum);
        let subgroup = (form.subgroup > 0).then_some(f64::from(form.subgroup));
        Statistics { subgroup, registers, spills, scratch, occupancy, shared, instructions }
    }

    /// The columns, in the order of [`COLUMNS`].
    pub fn columns(&self) -> [Option<f64>; 7] {
        let Statistics { subgroup, registers, spills, scratch, occupancy, shared, instructions } = *self;
        [subgroup, registers, spills, scratch, occupancy, shared, instructions]
    }

    /// The statistics of columns in the order of [`COLUMNS`].
    pub fn of_columns(columns: [Option<f64>; 7]) -> Self {
        let [subgroup, registers, spills, scratch, occupancy, shared, instructions] = columns;
        Statistics { subgroup, registers, spills, scratch, occupancy, shared, instructions }
    }
}

/// The names of the columns.
pub const COLUMNS: [&str; 7] =
    ["subgroup", "registers", "spills", "scratch", "occupancy", "shared", "instructions"];
