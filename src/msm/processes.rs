//! Multiplications on several processes: each multiplies a share of the points, and process 0 adds the sums.

use std::fmt;

use ark_ec::CurveGroup;
use ark_ff::AdditiveGroup;
use ark_serialize::{CanonicalDeserialize, CanonicalSerialize, Compress, Validate};

use super::{Multiplication, MultiplicationPlan, Settings};
use crate::curve::{Affine, Curve, CurveName, Projective};
use crate::parallel::*;
use crate::processes::{Job, Kind, Message, Reader, Shared, Task, Transport, Writer, malformed, share};
use crate::task::{Cost, Plan, Problem, Profile};
use crate::verify::Guarantee;
use crate::{Device, Error, Result};

/// A plan for a [`Multiplication`] on several processes; see [`Shared`].
pub struct SharedMultiplicationPlan<C: Curve> {
    points: usize,
    processes: usize,
    kind: Kind,
    /// The plan of the largest share.
    largest: MultiplicationPlan<C>,
    cost: Cost,
}

impl<C: Curve> Problem for Shared<'_, Multiplication<C>> {
    type Plan = SharedMultiplicationPlan<C>;

    /// Plans equal shares of the points. The profile is that of process 0's device, which the others' equal. Times of
    /// messages are not counted.
    fn plan_for(&self, profile: &Profile) -> Result<Self::Plan> {
        // Each process has one device.
        let profile = &*profile.of_one();
        let points = self.problem.points();
        let largest = Multiplication::<C>::new(points.div_ceil(self.processes))
            .with_vectors(self.problem.vectors())
            .with_settings(*self.problem.settings())
            .plan_for(profile)?;
        // Points and scalars in messages, on their way to the other processes.
        let each = Affine::<C>::default().uncompressed_size() + C::ScalarField::default().uncompressed_size();
        let messages = (points as u64).saturating_mul(each as u64);
        let host_bytes = largest.cost().host_bytes.saturating_add(messages);
        let cost = Cost { host_bytes, ..largest.cost() };
        cost.check(profile, "this multiplication on several processes")?;
        let kind = if profile.gpu().is_some() { Kind::Gpu } else { Kind::Cpu };
        Ok(SharedMultiplicationPlan { points, processes: self.processes, kind, largest, cost })
    }
}

impl<C: Curve> SharedMultiplicationPlan<C> {
    /// The plan of the largest share.
    pub fn largest(&self) -> &MultiplicationPlan<C> {
        &self.largest
    }

    /// Prepares the plan to run. Process 0 calls it; the others [`serve`](crate::serve()).
    ///
    /// # Errors
    /// [`Error::Usage`] if the plan was made for another kind of device or another number of processes.
    pub fn prepare<'c>(
        &self,
        device: &Device,
        processes: &'c dyn Transport,
    ) -> Result<PreparedSharedMultiplication<'c>> {
        match (Kind::of(device), processes.size()) == (self.kind, self.processes) {
            true => Ok(PreparedSharedMultiplication {
                device: device.clone(),
                processes,
                settings: *self.largest.settings(),
            }),
            false => {
                Err(Error::Usage("a plan runs on the devices and processes that it was made for".into()))
            }
        }
    }
}

impl<C: Curve> Plan for SharedMultiplicationPlan<C> {
    fn cost(&self) -> Cost {
        self.cost
    }
}

impl<C: Curve> fmt::Display for SharedMultiplicationPlan<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MOST: usize = 8;
        writeln!(f, "processes      {}", self.processes)?;
        writeln!(f, "devices        {}", self.kind.place())?;
        for rank in (0..self.processes).take(MOST) {
            let points = share(self.points, rank, self.processes);
            writeln!(f, "{:15}{} points", format!("process {rank}"), points.len())?;
        }
        writeln!(f, "the largest share:")?;
        writeln!(f, "{}", self.largest)?;
        writeln!(f, "with messages:")?;
        self.cost.fmt(f)
    }
}

/// A [`SharedMultiplicationPlan`] that is ready to run, any number of times.
pub struct PreparedSharedMultiplication<'c> {
    device: Device,
    processes: &'c dyn Transport,
    settings: Settings,
}

impl PreparedSharedMultiplication<'_> {
    /// The sum of `scalars[i]` times `points[i]`, as [`multiply`](super::multiply).
    ///
    /// # Errors
    /// [`Error::Input`] for more scalars than points; [`Error::OutOfMemory`]; [`Error::DeviceLost`] for a process
    /// that has ended; those of the device.
    pub fn run<C: Curve>(&self, points: &[Affine<C>], scalars: &[C::ScalarField]) -> Result<Affine<C>> {
        let Some(points) = points.get(..scalars.len()) else {
            return Err(Error::Input(format!("{} scalars for {} points", scalars.len(), points.len())));
        };
        let (processes, size) = (self.processes, self.processes.size());
        let mut words = vec![self.settings.width().map_or(0, u64::from)];
        words.push(self.settings.pair_rounds().map_or(0, |rounds| u64::from(rounds) + 1));
        Job { task: Task::Msm, kind: Kind::of(&self.device), words }.announce(processes)?;
        let mut message = Writer::default();
        message.put(C::NAME.as_str().as_bytes());
        message.put(self.settings.precompute().to_string().as_bytes());
        processes.broadcast(&message.finish())?;
        for to in 1..size {
            let range = share(points.len(), to, size);
            let mut message = Writer::default();
            message.put(&encode(&points[range.clone()]));
            message.put(&encode(&scalars[range]));
            processes.send(to, message.finish())?;
        }
        let own = share(points.len(), 0, size);
        let own =
            super::multiply_unchecked(&self.device, &self.settings, &points[own.clone()], &scalars[own])?;
        let mut sum = Projective::<C>::ZERO + own;
        for from in 1..size {
            let point: Vec<Affine<C>> = decode(&Reader::new(&processes.receive(from)?).take::<u8>()?)?;
            let [point] = point[..] else { return Err(malformed()) };
            sum += point;
        }
        Ok(sum.into_affine())
    }

    /// As [`Multiplication::check`] on one process: the second multiplication is shared, too.
    ///
    /// # Errors
    /// [`Error::Check`] for a wrong sum; those of [`verify`](super::verify) and of [`run`](Self::run).
    pub fn check<C: Curve>(
        &self,
        points: &[Affine<C>],
        vectors: &[&[C::ScalarField]],
        sums: &[Affine<C>],
    ) -> Result<Guarantee> {
        super::verify(points, vectors, sums, &mut rand::rng(), |scalars| self.run(points, scalars))
    }
}

/// Computes this process's share of a multiplication that process 0 has announced.
pub(crate) fn serve(processes: &dyn Transport, device: &Device, words: &[u64]) -> Result<()> {
    let &[width, pair_rounds] = words else { return Err(malformed()) };
    let message = processes.receive_broadcast(0)?;
    let mut message = Reader::new(&message);
    let (curve, precompute): (Vec<u8>, Vec<u8>) = (message.take()?, message.take()?);
    let curve: CurveName = String::from_utf8_lossy(&curve).parse()?;
    let settings = Settings::default()
        .with_precompute(String::from_utf8_lossy(&precompute).parse()?)
        .with_width((width > 0).then_some(width as u32))
        .with_pair_rounds((pair_rounds > 0).then(|| pair_rounds as u32 - 1));
    let message = processes.receive(0)?;
    // Without any curve, the type does not follow from the arms.
    let sum: Result<Vec<u8>> = crate::with_curve!(curve, C => of_share::<C>(device, &settings, &message));
    let mut message = Writer::default();
    message.put(&sum?);
    processes.send(0, message.finish())
}

/// Returns the sum of a share, encoded.
fn of_share<C: Curve>(device: &Device, settings: &Settings, message: &Message) -> Result<Vec<u8>> {
    let mut message = Reader::new(message);
    let points: Vec<Affine<C>> = decode(&message.take::<u8>()?)?;
    let scalars: Vec<C::ScalarField> = decode(&message.take::<u8>()?)?;
    Ok(encode(&[super::multiply_unchecked(device, settings, &points, &scalars)?]))
}

/// Values that one task encodes or decodes.
const AT_A_TIME: usize = 1 << 10;

/// The values' uncompressed encodings, one after the other.
fn encode<T: CanonicalSerialize + Default + Sync>(values: &[T]) -> Vec<u8> {
    let size = T::default().uncompressed_size();
    let mut bytes = vec![0; size * values.len()];
    let chunks = bytes.par_chunks_mut(size * AT_A_TIME).zip(values.par_chunks(AT_A_TIME));
    chunks.for_each(|(bytes, values)| {
        for (bytes, value) in bytes.chunks_mut(size).zip(values) {
            // Writing to memory of the right size does not fail.
            let _ = value.serialize_uncompressed(bytes);
        }
    });
    bytes
}

/// The values that [`encode`] has encoded. Process 0 has checked them.
fn decode<T: CanonicalDeserialize + CanonicalSerialize + Default + Send>(bytes: &[u8]) -> Result<Vec<T>> {
    let size = T::default().uncompressed_size();
    if !bytes.len().is_multiple_of(size) {
        return Err(malformed());
    }
    let value = |bytes: &[u8]| T::deserialize_with_mode(bytes, Compress::No, Validate::No);
    let values = bytes.par_chunks(size).with_min_len(AT_A_TIME).map(value).try_collect();
    values.map_err(|_| malformed())
}

#[cfg(all(test, feature = "default"))]
mod tests {
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::SeedableRng;

    use super::*;
    use crate::curve::{Bls12_381, Bls24_315};
    use crate::msm::{Known, Precompute, random_scalars};
    use crate::processes::failing::at_every_message;
    use crate::processes::{self, Threads};
    use crate::{Cpu, serve};

    /// The sum of a known number of points on `size` processes, one of them infinity.
    fn check<C: Curve>(points: usize, size: usize) {
        let device = Device::Cpu(Cpu::default());
        let mut known = Known::<C>::random(points, 1);
        let mut scalars = random_scalars::<C>(points, &mut ChaCha8Rng::seed_from_u64(points as u64));
        let expected = known.sum(&scalars);
        known.points.push(Affine::identity());
        scalars.push(C::ScalarField::from(5u64));
        let settings = Settings::default().with_precompute(Precompute::Windows).with_width(9);
        let problem = Multiplication::<C>::new(points + 1).with_settings(settings);
        let sums = Threads::run(size, |processes| {
            if processes.rank() > 0 {
                return serve(&**processes, |_| Ok(device.clone())).map(|()| None);
            }
            let plan = Shared::new(&problem, size).plan(&device)?;
            assert!(plan.to_string().contains(&format!(
                "processes      {size}\ndevices        each process computes on its cores\nprocess 0 "
            )));
            let sum = plan.prepare(&device, &**processes)?.run(&known.points, &scalars)?;
            processes::end(&**processes)?;
            Ok(Some(sum))
        });
        assert_eq!(sums.unwrap()[0], Some(expected), "{points} points on {size}");
    }

    #[test]
    fn sums_are_right_on_any_number_of_processes() {
        for size in 1..=5 {
            for points in [0, 1, 3, 200] {
                check::<Bls12_381>(points, size);
            }
            check::<Bls24_315>(100, size);
        }
    }

    #[test]
    fn a_multiplication_ends_whichever_message_one_process_fails_at() {
        let device = Device::Cpu(Cpu::default());
        for (points, size) in [(2, 4), (50, 3)] {
            let known = Known::<Bls12_381>::random(points, 1);
            let scalars = random_scalars::<Bls12_381>(points, &mut ChaCha8Rng::seed_from_u64(7));
            let problem = Multiplication::<Bls12_381>::new(points);
            at_every_message(size, |processes| {
                let plan = Shared::new(&problem, size).plan(&device)?;
                plan.prepare(&device, &**processes)?.run(&known.points, &scalars).map(drop)
            });
        }
    }

    #[test]
    fn nothing_is_multiplied_on_any_number_of_processes() {
        let device = Device::Cpu(Cpu::default());
        for size in 1..=3 {
            let sums = Threads::run(size, |processes| {
                if processes.rank() > 0 {
                    return serve(&**processes, |_| Ok(device.clone())).map(|()| None);
                }
                let plan = Shared::new(&Multiplication::<Bls12_381>::new(0), size).plan(&device)?;
                let sum = plan.prepare(&device, &**processes)?.run::<Bls12_381>(&[], &[])?;
                processes::end(&**processes)?;
                Ok(Some(sum))
            });
            assert_eq!(sums.unwrap()[0], Some(Affine::identity()), "{size}");
        }
    }

    #[test]
    fn more_scalars_than_points_are_refused() {
        let device = Device::Cpu(Cpu::default());
        let outcome = Threads::run(1, |processes| {
            let plan = Shared::new(&Multiplication::<Bls12_381>::new(1), 1).plan(&device)?;
            let one = <Bls12_381 as ark_ec::CurveConfig>::ScalarField::from(1u64);
            plan.prepare(&device, &**processes)?.run::<Bls12_381>(&[Affine::identity()], &[one, one])
        });
        assert!(matches!(outcome, Err(Error::Input(_))));
    }

    #[test]
    fn bytes_of_another_program_are_refused() {
        assert!(decode::<Affine<Bls12_381>>(&[1; 95]).is_err());
        assert!(decode::<Affine<Bls12_381>>(&[0xff; 96]).is_err());
    }
}
