//! How many instructions one operation runs: those of the driver's listing, loops times their trips.
//!
//! A loop is what a backward branch repeats. How often is known from the text, and that no compiler has unrolled it is checked: a text
//! with twice the trips must have as many instructions.

mod listing;
mod operations;
mod walk;

use wgalois::{Error, Result, gpu};

use crate::driver::Driver;
use listing::{Form, Step};
use operations::{Counted, Operation, Text};
use walk::Blocks;

/// The table of the driver that the environment names, with those operations whose names contain `only`.
pub fn table(only: &str) -> Result<String> {
    let driver = Driver::open()?;
    let [gpu, name, version] = &driver.name;
    let form = Form::of(name)?;
    let texts = if form.has_few_registers() { "texts for few registers" } else { "compact texts" };
    let mut table = format!("{gpu}, {version}, {texts}; {}\n\n", form.unit());
    table += "| operation | 64-bit integers (threads of a subgroup) | portable |\n|---|---|---|\n";
    for operation in operations::all(form.has_few_registers())? {
        if operation.name.contains(only) {
            table += &row(&driver, form, &operation)?;
        }
    }
    Ok(table)
}

fn row(driver: &Driver, form: Form, operation: &Operation) -> Result<String> {
    let mut row = format!("| {} |", operation.name);
    for texts in &operation.texts {
        let (mut count, mut subgroups) = (0.0, Vec::new());
        for text in texts {
            let (of_text, subgroup) =
                counted(driver, form, text).map_err(|error| error.of(operation.name))?;
            count += of_text;
            subgroups.push(subgroup.to_string());
        }
        subgroups.sort_unstable();
        subgroups.dedup();
        let digits = if count < 100.0 { 1 } else { 0 };
        row += &format!(" {count:.digits$} ({}) |", subgroups.join(", "));
    }
    Ok(row + "\n")
}

/// What one operation of a text costs, and the threads of a subgroup.
fn counted(driver: &Driver, form: Form, text: &Text) -> Result<(f64, u32)> {
    let (steps, subgroup) = steps(driver, form, &text.wgsl)?;
    if let Some(more) = operations::with_more_rows(&text.wgsl) {
        let (again, _) = self::steps(driver, form, &more)?;
        if again.len() != steps.len() {
            return Err(refused("a loop of rows is unrolled, so that its trips are not known"));
        }
    }
    let blocks = blocks(&steps)?;
    let found = match &text.counted {
        Counted::Whole if blocks.have_loops() => {
            return Err(refused("there is a loop whose trips are not known"));
        }
        Counted::Whole => blocks.cost(&text.trips),
        Counted::Loop => {
            let cost = blocks.cost_of_largest_loop(&text.trips);
            cost.ok_or_else(|| refused("there is no loop"))?
        }
        Counted::Difference { twice } => {
            let (twice, other) = self::steps(driver, form, twice)?;
            if other != subgroup {
                return Err(refused("the texts to compare have subgroups of different sizes"));
            }
            self::blocks(&twice)?.cost(&text.trips) - blocks.cost(&text.trips)
        }
    };
    Ok((found / text.operations, subgroup))
}

fn refused(why: &str) -> Error {
    Error::Device(format!("the listing cannot be counted: {why}"))
}

fn blocks(steps: &[Step]) -> Result<Blocks> {
    Blocks::of(steps).map_err(|label| refused(&format!("a branch goes to {label}, which is no place")))
}

/// The steps of the form with the most threads, which a driver runs.
fn steps(driver: &Driver, form: Form, wgsl: &str) -> Result<(Vec<Step>, u32)> {
    let compiled = driver.compile_with_listings(&gpu::spirv(wgsl)?)?;
    let widest = compiled.executables.iter().max_by_key(|executable| executable.subgroup);
    let widest = widest.ok_or_else(|| refused("there is no form of the kernel"))?;
    Ok((form.steps(widest)?, widest.subgroup))
}
