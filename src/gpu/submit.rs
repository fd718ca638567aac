//! Handing work to the driver: gathered, alone, or with bind groups that are kept.

use super::bindings::Bindings;
use super::device::Gpu;
use super::encode::Encoders;
use super::step::Step;
use super::submission_queue::{Command, SubmissionQueue, encode};
use crate::Result;
use crate::lock::lock;

impl Gpu {
    /// Hands all work so far to the driver. Downloads and waits do so themselves; a program that submits work of its own
    /// to the queue of [`Gpu::from_device`] calls this before.
    pub fn flush(&self) -> Result<()> {
        self.reached();
        let mut gathered = lock(&self.opened.gathered);
        if gathered.is_empty() {
            return Ok(());
        }
        self.hand_over(&mut gathered).map(drop)
    }

    /// Gathers what `add` adds.
    pub(super) fn gather(&self, add: impl FnOnce(&mut SubmissionQueue)) -> Result<()> {
        self.reached();
        let mut gathered = lock(&self.opened.gathered);
        add(&mut gathered);
        if gathered.is_full() { self.hand_over(&mut gathered).map(drop) } else { Ok(()) }
    }

    /// Gathers what `add` adds, then hands all to the driver. The lock is held meanwhile, so that no other thread's work
    /// overtakes it.
    pub(super) fn flush_with(&self, add: impl FnOnce(&mut SubmissionQueue)) -> Result<wgpu::SubmissionIndex> {
        self.reached();
        let mut gathered = lock(&self.opened.gathered);
        add(&mut gathered);
        self.hand_over(&mut gathered)
    }

    fn hand_over(&self, gathered: &mut SubmissionQueue) -> Result<wgpu::SubmissionIndex> {
        let SubmissionQueue { commands, params, staging, marks, .. } = std::mem::take(gathered);
        let steps: Vec<&Step> = commands.iter().filter_map(Command::step).collect();
        let submission =
            self.submit_bound(&steps, &params, |encoders, groups| encode(encoders, &commands, groups))?;
        self.give_back_when_done(staging, submission.clone());
        for (mark, done) in marks {
            self.opened.queue.on_submitted_work_done(move || mark.reach(done));
        }
        Ok(submission)
    }

    /// Submits one command buffer with the commands that `encode` writes, after the work that is gathered.
    pub(super) fn submit(
        &self,
        encode: impl FnOnce(&mut wgpu::CommandEncoder),
    ) -> Result<wgpu::SubmissionIndex> {
        self.flush()?;
        self.submit_now(|encoders| encode(encoders.begin()))
    }

    /// Submits the command buffers that `encode` begins, all at once.
    pub(super) fn submit_now(&self, encode: impl FnOnce(&mut Encoders<'_>)) -> Result<wgpu::SubmissionIndex> {
        self.reached();
        self.lose_if_asked();
        self.guarded(|device| {
            let mut encoders = Encoders::new(device);
            encode(&mut encoders);
            self.opened.queue.submit(encoders.finish())
        })
    }

    /// [`submit_bound`](Self::submit_bound) of all `steps`, after the work that is gathered.
    pub(super) fn submit_alone(
        &self,
        steps: &[Step],
        params: &[u8],
        encode: impl FnOnce(&mut Encoders<'_>, &[&Step], &[wgpu::BindGroup]),
    ) -> Result<()> {
        self.flush()?;
        let steps: Vec<&Step> = steps.iter().collect();
        self.submit_bound(&steps, params, |encoders, groups| encode(encoders, &steps, groups)).map(drop)
    }

    /// Submits what `encode` writes with a bind group for each of `steps`, whose parameters lie [`PARAMS_STRIDE`] apart.
    pub(super) fn submit_bound(
        &self,
        steps: &[&Step],
        params: &[u8],
        encode: impl FnOnce(&mut Encoders<'_>, &[wgpu::BindGroup]),
    ) -> Result<wgpu::SubmissionIndex> {
        // Locked until all is submitted: the parameters are those of one submission.
        let mut kept = self.bindings();
        let groups = match steps {
            [] => Vec::new(),
            _ => self.bind(&mut kept, steps, params)?,
        };
        self.submit_now(|encoders| encode(encoders, &groups))
    }

    fn bind(&self, kept: &mut Bindings, steps: &[&Step], params: &[u8]) -> Result<Vec<wgpu::BindGroup>> {
        let mut watchdog = self.watchdog();
        steps.iter().for_each(|step| watchdog.submitted(step.kernel, step.groups));
        drop(watchdog);
        let groups = self.guarded(|device| {
            let uniform = kept.params(device, params.len());
            // The queue writes after everything that was submitted before.
            self.opened.queue.write_buffer(&uniform, 0, params);
            steps.iter().map(|step| kept.group(device, step, &uniform)).collect()
        });
        if groups.is_err() {
            // What the driver refused is of no use later.
            *kept = Bindings::default();
        }
        groups
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
