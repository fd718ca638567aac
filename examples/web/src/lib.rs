//! What a page needs of wgalois beside the package for JavaScript: it opens the visitor's GPU, prepares a job from files or a
//! generator, runs it on either engine, and checks the result. Of the package's tasks it makes the input and checks the result.
//!
//! Nothing here blocks: functions that use the device return a promise. Errors are JavaScript errors
//! with the library's messages.

mod circuit;
mod elimination;
mod job;
mod product;
mod report;
mod solving;
mod sum;

use job::{Job, Task};
use wasm_bindgen::prelude::*;
use wgalois::gpu::{Adapter, Gpu, Options};
use wgalois::timeline::Timeline;
use wgalois::{Cpu, Device, Error};

/// Bytes of memory that reading a file may use: the most that a page can have, less the input.
const MEMORY: u64 = 2 << 30;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = console)]
    fn error(message: &str);
}

/// Runs first: a panic of the program is then reported on the console with its place.
#[wasm_bindgen(start)]
fn start() {
    std::panic::set_hook(Box::new(|fault| error(&fault.to_string())));
}

/// The device of one of the two engines.
#[wasm_bindgen]
pub struct PageDevice(Device);

#[wasm_bindgen]
impl PageDevice {
    /// Opens the visitor's GPU.
    pub async fn gpu() -> Result<PageDevice, JsError> {
        let options = Options { timeline: Timeline::with_events(), ..Options::default() };
        Ok(PageDevice(Device::Gpu(Gpu::open_async(&Adapter::First, options).await?)))
    }

    /// Returns the milliseconds that the engine has spent so far on one kind of work: `upload`, `device`, `waiting` for
    /// the device, `download`, `host`. Of a browser that gives no timestamps, `device` is 0.
    pub fn spent(&self, kind: &str) -> f64 {
        let totals = self.0.timeline().totals();
        let spent = totals.into_iter().find(|(phase, _)| phase.name() == kind);
        spent.map_or(0.0, |(_, time)| time.as_secs_f64() * 1e3)
    }

    /// Returns the CPU engine, which runs in WebAssembly on one thread.
    pub fn cpu() -> PageDevice {
        PageDevice(Device::Cpu(Cpu { timeline: Timeline::with_events(), ..Cpu::default() }))
    }
}

/// Generates a system with `columns` columns, like those of Boolean Groebner bases.
#[wasm_bindgen(js_name = generateElimination)]
pub fn generate_elimination(columns: usize) -> Result<Job, JsError> {
    Ok(elimination::generate(columns)?.into_job())
}

/// Reads a file of reducers and a file of rows.
#[wasm_bindgen(js_name = readElimination)]
pub fn read_elimination(names: Vec<String>, reducers: Vec<u8>, rows: Vec<u8>) -> Result<Job, JsError> {
    let [name_e, name_r] = two(names)?;
    Ok(elimination::read((name_e, reducers), (name_r, rows))?.into_job())
}

/// Generates random quadratic equations in so many variables, twice as many, with a solution.
#[wasm_bindgen(js_name = generateSolving)]
pub fn generate_solving(variables: usize) -> Result<Job, JsError> {
    Ok(solving::generate(variables)?.into_job())
}

/// Reads a file of equations over GF(2).
#[wasm_bindgen(js_name = readSolving)]
pub fn read_solving(name: String, equations: Vec<u8>) -> Result<Job, JsError> {
    Ok(solving::read((name, equations))?.into_job())
}

fn two(names: Vec<String>) -> Result<[String; 2], Error> {
    names.try_into().map_err(|_| Error::Usage("a name for each of two files was expected".into()))
}
