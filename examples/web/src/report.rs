//! The report of the visitor's device: what the program's `wgalois report` makes, of a browser.

use std::time::Duration;

use js_sys::Function;
use wasm_bindgen::prelude::*;
use wgalois::{Cpu, Device, Error};
use wgalois_benches::DeviceReport;
use wgalois_benches::plans::Engine;

use crate::PageDevice;

/// A report, for JavaScript.
#[wasm_bindgen]
pub struct PageReport(DeviceReport);

#[wasm_bindgen]
impl PageReport {
    /// Measures the problems of a report on the GPU and on the CPU engine. `browser` names the browser and the system. What is
    /// planned to take longer than `seconds` on an engine is left out there. Before each problem, `tell` gets its name, its number
    /// and the number of all.
    pub async fn measure(
        device: &PageDevice,
        browser: String,
        seconds: u32,
        tell: Function,
    ) -> Result<PageReport, JsError> {
        let Device::Gpu(gpu) = &device.0 else {
            return Err(Error::Usage("a report is of a GPU".into()).into());
        };
        let engines = vec![Engine::cpu(Cpu::default()), Engine::open_gpu(gpu.clone())];
        let problems = DeviceReport::problems();
        let mut report = DeviceReport::of(gpu, browser);
        let each = Duration::from_secs(seconds.into());
        let begin = |number: usize| {
            let [number_of, all] = [number, problems.len()].map(|count| JsValue::from(count as u32));
            // The page shows progress; a fault there is no fault of the report.
            let _ = tell.call3(&JsValue::NULL, &JsValue::from(&problems[number]), &number_of, &all);
        };
        report.measure_async(engines, each, begin).await?;
        Ok(PageReport(report))
    }

    /// The report as Markdown.
    pub fn markdown(&self) -> String {
        self.0.to_markdown()
    }

    /// The report as an object of JSON.
    pub fn json(&self) -> Result<String, JsError> {
        Ok(serde_json::to_string_pretty(&self.0)?)
    }

    /// What is wrong in it: an answer that failed its check, or a run that failed; nothing if all is right.
    pub fn fault(&self) -> Option<String> {
        self.0.judge().err().map(|fault| fault.to_string())
    }
}
