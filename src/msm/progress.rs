//! The progress of multiplications, counted in points.

use crate::gpu::Recorder;
use crate::timeline::Meter;

/// A multiplication, or a part of one, among the work that a meter counts.
#[derive(Clone, Copy)]
pub(super) struct Progress<'m> {
    meter: &'m Meter,
    /// Points of the work before it.
    before: u64,
    points: u64,
}

impl<'m> Progress<'m> {
    /// A multiplication of `points` points after others with `before` points.
    pub fn new(meter: &'m Meter, before: usize, points: usize) -> Self {
        Progress { meter, before: before as u64, points: points as u64 }
    }

    /// Part `i` of `count` equal ones.
    pub fn part(self, i: usize, count: usize) -> Self {
        let first = self.share(i, count);
        Progress { before: self.before + first, points: self.share(i + 1, count) - first, ..self }
    }

    /// Has it noted that `done` of `count` equal parts are done once the device has done all that was recorded so far.
    pub fn mark(self, recorder: &mut Recorder, done: usize, count: usize) {
        recorder.mark(self.meter.mark(), self.before + self.share(done, count));
    }

    /// The points of `done` of `count` equal parts.
    fn share(self, done: usize, count: usize) -> u64 {
        (u128::from(self.points) * done as u128 / count.max(1) as u128) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::Bn254;
    use crate::gpu::Options;
    use crate::gpu::test_devices::open;
    use crate::msm::{Known, Settings, cpu, multiply_with, random_scalars};
    use crate::timeline::Timeline;
    use crate::{Cpu, Device};
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::SeedableRng;

    fn input(n: usize) -> (Known<Bn254>, Vec<ark_bn254::Fr>) {
        (Known::random(n, 1), random_scalars::<Bn254>(n, &mut ChaCha8Rng::seed_from_u64(2)))
    }

    /// The shares grow from little to all, with some on the way.
    fn check(timeline: &Timeline, what: &str) {
        let shares = timeline.shares();
        assert!(shares.is_sorted() && shares.last() == Some(&1.0), "{what}: {shares:?}");
        assert!(shares.iter().any(|share| (0.05..0.95).contains(share)), "{what}: {shares:?}");
        assert_eq!(timeline.progress(), None);
    }

    #[test]
    fn parts_are_the_whole() {
        let timeline = Timeline::default();
        let meter = timeline.meter(110);
        let whole = Progress::new(&meter, 10, 100);
        let parts: Vec<_> = (0..3).map(|i| whole.part(i, 3)).map(|part| (part.before, part.points)).collect();
        assert_eq!(parts, [(10, 33), (43, 33), (76, 34)]);
    }

    #[test]
    fn parts_on_the_cpu_tell_their_progress() {
        let (known, scalars) = input(300);
        let cpu = Cpu::default();
        cpu::sums(&cpu, &known.points, &[(0, &scalars)], 100, "").unwrap();
        check(&cpu.timeline, "parts");
        let cpu = Cpu::default();
        cpu::sums(&cpu, &known.points, &[(0, &scalars), (0, &scalars[..100])], 1000, "").unwrap();
        check(&cpu.timeline, "vectors");
    }

    #[test]
    fn multiplications_on_a_gpu_tell_their_progress() {
        let (known, scalars) = input(700);
        let gpu = open(Options::default());
        for max_chunk_bytes in [gpu.options().max_chunk_bytes, 1 << 14] {
            let timeline = Timeline::default();
            let options = Options { timeline: timeline.clone(), max_chunk_bytes, ..gpu.options().clone() };
            let device = Device::Gpu(gpu.with_options(options));
            let settings = Settings::default().with_width(6);
            let sum = multiply_with(&device, &settings, &known.points, &scalars).unwrap();
            assert_eq!(sum, known.sum(&scalars));
            check(&timeline, &format!("chunks of {max_chunk_bytes} bytes"));
        }
    }
}
