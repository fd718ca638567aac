//! Work that is recorded and not yet handed to the driver.
//!
//! Handing over a submission takes the host longer (50 us on an H200) than many dispatches take the device. So short
//! work is gathered, and goes to the driver with what follows it:
//!
//! ```text
//! a call with data of the host     upload, dispatches, download --> one submission
//! many calls on device vectors     dispatches of up to 64 calls --> one submission
//! ```
//!
//! Everything takes effect in the order of the calls: whatever uses the queue hands over the gathered work first.

use super::device::Gpu;
use super::encode::Encoders;
use super::lock::lock;
use super::staging::UNDER_WAY;
use super::step::{Step, encode_pass};
use crate::Result;
use crate::timeline::Mark;

/// The dispatches, and their expected device time in nanoseconds, that are gathered at most.
const MAX_DISPATCHES: usize = 64;
const MAX_COST: f64 = 1e6;

/// Commands in the order in which they take effect.
#[derive(Default)]
pub(super) struct Gathered {
    commands: Vec<Command>,
    /// The parameters of the dispatches, one after the other.
    params: Vec<u8>,
    dispatches: usize,
    /// Expected device time, in nanoseconds.
    cost: f64,
    /// The staging buffers from which copies are to come.
    staging: Vec<wgpu::Buffer>,
    /// The progress that the commands bring.
    marks: Vec<(Mark, u64)>,
}

enum Command {
    Dispatch(Box<Step>),
    Copy { from: Place, to: Place, bytes: u64 },
    Clear(wgpu::Buffer),
}

/// A place in a buffer: the buffer and the offset in bytes.
pub(super) type Place = (wgpu::Buffer, u64);

impl Gathered {
    /// Adds dispatches with their parameters.
    pub fn dispatch(&mut self, steps: Vec<Step>, params: Vec<u8>, cost: f64) {
        self.dispatches += steps.len();
        self.commands.extend(steps.into_iter().map(|step| Command::Dispatch(Box::new(step))));
        self.params.extend(params);
        self.cost += cost;
    }

    /// Has it noted that `done` of the work is done once all commands so far are.
    pub fn mark(&mut self, mark: Mark, done: u64) {
        self.marks.push((mark, done));
    }

    /// Adds a copy of `bytes` bytes.
    pub fn copy(&mut self, from: Place, to: Place, bytes: u64) {
        self.commands.push(Command::Copy { from, to, bytes });
    }

    /// Adds a copy from a staging buffer, which is free again once it is submitted.
    pub fn upload(&mut self, staging: wgpu::Buffer, to: Place, bytes: u64) {
        self.copy((staging.clone(), 0), to, bytes);
        self.staging.push(staging);
    }

    /// Adds the overwriting of a buffer with zeros.
    pub fn clear(&mut self, buffer: wgpu::Buffer) {
        self.commands.push(Command::Clear(buffer));
    }

    fn is_full(&self) -> bool {
        self.dispatches >= MAX_DISPATCHES || self.cost >= MAX_COST || self.staging.len() >= UNDER_WAY
    }
}

impl Gpu {
    /// Hands all work so far to the driver. Downloads and waits do so themselves; a program that submits work of its own
    /// to the queue of [`Gpu::from_device`] calls this before.
    ///
    /// # Errors
    /// The driver's.
    pub fn flush(&self) -> Result<()> {
        let mut gathered = lock(self.gathered());
        if gathered.commands.is_empty() && gathered.marks.is_empty() {
            return Ok(());
        }
        self.hand_over(&mut gathered).map(drop)
    }

    /// Gathers what `add` adds.
    pub(super) fn gather(&self, add: impl FnOnce(&mut Gathered)) -> Result<()> {
        let mut gathered = lock(self.gathered());
        add(&mut gathered);
        if gathered.is_full() { self.hand_over(&mut gathered).map(drop) } else { Ok(()) }
    }

    /// Gathers what `add` adds, then hands all to the driver. The lock is held meanwhile, so that no other thread's work
    /// overtakes it.
    pub(super) fn flush_with(&self, add: impl FnOnce(&mut Gathered)) -> Result<wgpu::SubmissionIndex> {
        let mut gathered = lock(self.gathered());
        add(&mut gathered);
        self.hand_over(&mut gathered)
    }

    fn hand_over(&self, gathered: &mut Gathered) -> Result<wgpu::SubmissionIndex> {
        let Gathered { commands, params, staging, marks, .. } = std::mem::take(gathered);
        let steps = commands.iter().filter_map(|command| match command {
            Command::Dispatch(step) => Some(&**step),
            _ => None,
        });
        let steps: Vec<&Step> = steps.collect();
        let submission =
            self.submit_bound(&steps, &params, |encoders, groups| encode(encoders, &commands, groups))?;
        self.give_back_when_done(staging, submission.clone());
        for (mark, done) in marks {
            self.queue().on_submitted_work_done(move || mark.reach(done));
        }
        Ok(submission)
    }
}

/// Encodes the commands. Dispatches that follow each other share a compute pass.
fn encode(encoders: &mut Encoders<'_>, commands: &[Command], bindings: &[wgpu::BindGroup]) {
    let (mut at, mut dispatches) = (0, 0);
    while at < commands.len() {
        match &commands[at] {
            Command::Copy { from, to, bytes } => {
                encoders.current().copy_buffer_to_buffer(&from.0, from.1, &to.0, to.1, *bytes);
                at += 1;
            }
            Command::Clear(buffer) => {
                encoders.current().clear_buffer(buffer, 0, None);
                at += 1;
            }
            Command::Dispatch(first) => {
                let encoder = if first.is_first { encoders.begin() } else { encoders.current() };
                let more = commands[at + 1..].iter().map_while(|command| match command {
                    Command::Dispatch(step) if !step.is_first => Some(&**step),
                    _ => None,
                });
                let steps: Vec<&Step> = std::iter::once(&**first).chain(more).collect();
                let numbered = steps.iter().zip(dispatches..).map(|(&step, i)| (i, (step, &bindings[i])));
                encode_pass(encoder, None, numbered);
                at += steps.len();
                dispatches += steps.len();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use crate::field::BABY_BEAR;
    use crate::gpu::{Options, test_devices};
    use crate::ntt::Transform;
    use crate::task::Problem;
    use crate::{Cpu, Device};

    const N: usize = 1 << 10;

    fn words(seed: u32) -> Vec<u32> {
        (0..N as u32).map(|i| (i * i + seed) % BABY_BEAR.value()).collect()
    }

    /// More calls than are gathered at once, between uploads of every size that has a way of its own.
    #[test]
    fn gathered_work_keeps_its_order() {
        let gpu = test_devices::open(Options::default());
        let (cpu, device) = (Device::Cpu(Cpu::default()), Device::Gpu(gpu.clone()));
        let transform = Transform::new(BABY_BEAR, N).unwrap();
        let [on_cpu, on_gpu] =
            [&cpu, &device].map(|device| transform.plan(device).unwrap().prepare(device).unwrap());
        let mut vector = gpu.upload(&words(0)).unwrap();
        let mut expected = words(0);
        for i in 0..150 {
            on_gpu.run_on_device(&mut vector).unwrap();
            on_cpu.run(&mut expected).unwrap();
            match i % 50 {
                10 => {
                    // Through the queue.
                    vector.write(3, &[7; 5]).unwrap();
                    expected[3..8].fill(7);
                }
                20 => {
                    vector.clear().unwrap();
                    vector.write(0, &words(i)).unwrap();
                    expected.copy_from_slice(&words(i));
                }
                30 => {
                    let other = gpu.upload(&vec![i; N]).unwrap();
                    vector.assign(&other).unwrap();
                    expected.fill(i);
                }
                40 => assert_eq!(vector.read(5..9).unwrap(), expected[5..9], "{i}"),
                _ => (),
            }
        }
        assert_eq!(vector.download().unwrap(), expected);
        // Uploads through staging buffers, more than are gathered, each behind a call that still uses the words before.
        let long = vec![1u32; 40 << 10];
        let mut vectors = [0; 5].map(|_| gpu.zeros(long.len()).unwrap());
        for i in 0..20 {
            let data: Vec<u32> = long.iter().map(|one| one + i).collect();
            vectors[i as usize % 5].write(0, &data).unwrap();
        }
        for (i, vector) in vectors.iter().enumerate() {
            assert_eq!(vector.download().unwrap(), vec![16 + i as u32; long.len()]);
        }
    }

    #[test]
    fn threads_see_their_own_work_in_order() {
        let gpu = test_devices::open(Options::default());
        let device = Device::Gpu(gpu.clone());
        let there = Transform::new(BABY_BEAR, N).unwrap();
        let back = there.inverted().plan(&device).unwrap().prepare(&device).unwrap();
        let there = there.plan(&device).unwrap().prepare(&device).unwrap();
        thread::scope(|scope| {
            for seed in 0..4 {
                let (gpu, there, back) = (&gpu, &there, &back);
                scope.spawn(move || {
                    let mut vector = gpu.upload(&words(seed)).unwrap();
                    for _ in 0..40 {
                        there.run_on_device(&mut vector).unwrap();
                        back.run_on_device(&mut vector).unwrap();
                    }
                    assert_eq!(vector.download().unwrap(), words(seed));
                });
            }
        });
    }
}
