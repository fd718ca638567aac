//! A job: its input, and the result of each engine.

use std::pin::Pin;

use wasm_bindgen::prelude::*;
use wgalois::{Device, Error, Result};

use crate::PageDevice;

/// A task with its input.
pub trait Task: Sized + 'static {
    /// The type of the result.
    type Output: PartialEq;

    /// The names of the files that hold the result.
    const FILES: &'static [&'static str];

    /// Describes the input in words.
    fn describe(&self) -> String;

    /// Computes the result on either engine.
    fn run(&self, device: &Device) -> impl Future<Output = Result<Self::Output>>;

    /// Checks a result by a method other than either engine's, and returns the method's name.
    fn check(&self, output: &Self::Output) -> Result<String>;

    /// Returns the contents of one of the [`FILES`](Self::FILES), by its index.
    fn write(&self, output: &Self::Output, file: usize) -> Result<Vec<u8>>;

    fn into_job(self) -> Job {
        Job(Box::new(Play { task: self, by_gpu: None, by_cpu: None }))
    }
}

/// A job of any task, for JavaScript.
#[wasm_bindgen]
pub struct Job(Box<dyn Played>);

#[wasm_bindgen]
impl Job {
    /// Describes the input in words.
    pub fn describe(&self) -> String {
        self.0.describe()
    }

    /// Runs the job on an engine and keeps the result.
    pub async fn run(&mut self, device: &PageDevice) -> Result<(), JsError> {
        Ok(self.0.run(&device.0).await?)
    }

    /// Checks the results computed so far, and returns how.
    pub fn check(&self) -> Result<String, JsError> {
        Ok(self.0.check()?)
    }

    /// Returns the names of the files that hold the result.
    pub fn files(&self) -> Vec<String> {
        self.0.files().iter().map(|&name| name.to_owned()).collect()
    }

    /// Returns the contents of one of the files, by its index.
    pub fn result(&self, file: usize) -> Result<Vec<u8>, JsError> {
        Ok(self.0.write(file)?)
    }
}

type Outcome<'a, T> = Pin<Box<dyn Future<Output = Result<T>> + 'a>>;

/// The interface of [`Play`] without the type of its task.
trait Played {
    fn describe(&self) -> String;
    fn run<'a>(&'a mut self, device: &'a Device) -> Outcome<'a, ()>;
    fn check(&self) -> Result<String>;
    fn files(&self) -> &'static [&'static str];
    fn write(&self, file: usize) -> Result<Vec<u8>>;
}

struct Play<T: Task> {
    task: T,
    by_gpu: Option<T::Output>,
    by_cpu: Option<T::Output>,
}

impl<T: Task> Play<T> {
    fn result(&self) -> Result<&T::Output> {
        let result = self.by_gpu.as_ref().or(self.by_cpu.as_ref());
        result.ok_or_else(|| Error::Usage("the job has not been run".into()))
    }
}

impl<T: Task> Played for Play<T> {
    fn describe(&self) -> String {
        self.task.describe()
    }

    fn run<'a>(&'a mut self, device: &'a Device) -> Outcome<'a, ()> {
        Box::pin(async move {
            let output = self.task.run(device).await?;
            match device {
                Device::Gpu(_) | Device::Group(_) => self.by_gpu = Some(output),
                Device::Cpu(_) | Device::Processes(_) => self.by_cpu = Some(output),
            }
            Ok(())
        })
    }

    fn check(&self) -> Result<String> {
        let means = self.task.check(self.result()?)?;
        match (&self.by_gpu, &self.by_cpu) {
            (Some(by_gpu), Some(by_cpu)) if by_gpu != by_cpu => {
                Err(Error::Check("the engines disagree".into()))
            }
            (Some(_), Some(_)) => Ok(format!("both engines agree; {means}")),
            _ => Ok(means),
        }
    }

    fn files(&self) -> &'static [&'static str] {
        T::FILES
    }

    fn write(&self, file: usize) -> Result<Vec<u8>> {
        self.task.write(self.result()?, file)
    }
}
