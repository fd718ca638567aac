//! Multiplications on several processes: each multiplies a share of the points, and process 0 adds the sums.

use std::fmt;

use ark_ec::CurveGroup;
use ark_ff::AdditiveGroup;
use ark_serialize::{CanonicalDeserialize, CanonicalSerialize, Compress, Validate};

use super::operands::{ResidentPoints, only};
use super::{Multiplication, Points, Scalars, Settings};
use crate::curve::{Affine, Curve, CurveName, Projective};
use crate::parallel::*;
use crate::processes::{Job, Kind, Message, Reader, Task, Transport, Writer, malformed, share};
use crate::task::{
    Cost, Done, Engine, Planned, Problem, Profile, Ready, Way, expect_processes, other_device,
};
use crate::{Device, Processes, Result};

/// The way.
#[derive(Clone, Debug)]
pub(super) struct OnProcesses<P: Problem> {
    processes: usize,
    kind: Kind,
    /// The plan of the largest share, which process 0 has.
    largest: Planned<P>,
    cost: Cost,
}

impl<C: Curve> OnProcesses<Multiplication<C>> {
    pub const NAME: &'static str = "the points shared by the processes";

    /// Plans equal shares of the points. Times of messages are not counted.
    pub fn new(problem: &Multiplication<C>, profile: &Profile) -> Result<Self> {
        let Engine::Processes { size, .. } = profile.engine else { return Err(other_device()) };
        let points = problem.points();
        let largest = problem.with_points(points.div_ceil(size.max(1))).plan_for(&profile.of_one())?;
        // Points and scalars in messages, on their way to the other processes.
        let each = Affine::<C>::default().uncompressed_size() + C::ScalarField::default().uncompressed_size();
        let messages = (points as u64).saturating_mul(each as u64);
        let host_bytes = largest.cost().host_bytes.saturating_add(messages);
        let cost = Cost { host_bytes, ..largest.cost() };
        let kind = if profile.gpu().is_some() { Kind::Gpu } else { Kind::Cpu };
        Ok(OnProcesses { processes: size, kind, largest, cost })
    }
}

impl<C: Curve> Way<Multiplication<C>> for OnProcesses<Multiplication<C>> {
    type Device = Processes;
    type Ready<'p> = ReadyOnProcesses<'p, Multiplication<C>>;

    fn cost(&self) -> Cost {
        self.cost
    }

    fn write(&self, problem: &Multiplication<C>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MOST: usize = 8;
        writeln!(f, "processes      {}", self.processes)?;
        writeln!(f, "devices        {}", self.kind.place())?;
        for rank in (0..self.processes).take(MOST) {
            let points = share(problem.points(), rank, self.processes);
            writeln!(f, "{:15}{} points", format!("process {rank}"), points.len())?;
        }
        writeln!(f, "the largest share:\n{}\nwith messages:", self.largest)
    }

    fn compile(&self, _: &Multiplication<C>, processes: &Processes) -> Result<()> {
        self.largest.compile(processes.own())
    }

    fn prepare<'p>(
        &self,
        _: &Multiplication<C>,
        processes: &Processes,
        points: ResidentPoints<'p, C>,
    ) -> Result<Self::Ready<'p>> {
        let processes = expect_processes(processes, self.kind, self.processes)?;
        Ok(ReadyOnProcesses { processes, largest: self.largest.clone(), points })
    }
}

/// The points, which go to the other processes in every run.
#[derive(Debug)]
pub struct ReadyOnProcesses<'p, P: Problem> {
    processes: Processes,
    largest: Planned<P>,
    points: P::Resident<'p>,
}

impl<C: Curve> Ready<Multiplication<C>> for ReadyOnProcesses<'_, Multiplication<C>> {
    async fn run<'i: 'i>(
        &self,
        _: &Multiplication<C>,
        scalars: Scalars<'i, C::ScalarField>,
        _: &Done,
    ) -> Result<Vec<Affine<C>>> {
        let vectors = scalars.on_host("process 0")?.iter();
        let sum = |&(first, scalars): &(usize, &[C::ScalarField])| {
            let points = self.points.part(first..first + scalars.len());
            self.processes.job(|transport, own| self.sum((transport, own), &points, scalars))
        };
        vectors.map(sum).collect()
    }
}

impl<C: Curve> ReadyOnProcesses<'_, Multiplication<C>> {
    /// The sum of `scalars[i]` times `points[i]`: the part of process 0 in the job.
    fn sum(
        &self,
        (transport, own): (&dyn Transport, &Device),
        points: &Points<'_, C>,
        scalars: &[C::ScalarField],
    ) -> Result<Affine<C>> {
        let (size, settings) = (transport.size(), self.largest.settings());
        let mut words = vec![settings.width.map_or(0, u64::from)];
        words.push(settings.pair_rounds.map_or(0, |rounds| u64::from(rounds) + 1));
        Job { task: Task::Msm, kind: Kind::of(own), words }.announce(transport)?;
        let mut message = Writer::default();
        message.put(C::NAME.as_str().as_bytes());
        message.put(settings.precompute.to_string().as_bytes());
        transport.broadcast(&message.finish())?;
        for to in 1..size {
            let range = share(points.len(), to, size);
            let mut message = Writer::default();
            message.put(&encode(&points[range.clone()]));
            message.put(&encode(&scalars[range]));
            transport.send(to, message.finish())?;
        }
        let mut sum = Projective::<C>::ZERO + self.own_share(own, points, scalars, size)?;
        for from in 1..size {
            let point: Vec<Affine<C>> = decode(&Reader::new(&transport.receive(from)?).take::<u8>()?)?;
            let [point] = point[..] else { return Err(malformed()) };
            sum += point;
        }
        Ok(sum.into_affine())
    }

    /// The sum of the share of process 0.
    fn own_share(
        &self,
        own: &Device,
        points: &Points<'_, C>,
        scalars: &[C::ScalarField],
        size: usize,
    ) -> Result<Affine<C>> {
        let range = share(points.len(), 0, size);
        let plan = match range.len() == self.largest.points() {
            true => self.largest.clone(),
            // The vector is shorter than planned.
            false => self.largest.problem().with_points(range.len()).plan(own)?,
        };
        let vectors = [(0, &scalars[range.clone()])];
        Ok(only(plan.compute_with(own, points.part(range), Scalars::Host(&vectors))?.0))
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
    use std::sync::Arc;

    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::SeedableRng;

    use super::*;
    use crate::curve::{Bls12_381, Bls24_315};
    use crate::msm::{Known, Precompute, random_scalars};
    use crate::processes::failing::at_every_message;
    use crate::processes::{self, Threads};
    use crate::{Cpu, Error, serve};

    fn cpu() -> Device {
        Device::Cpu(Cpu::default())
    }

    /// The sum on the processes, of which this is process 0.
    fn on_processes<C: Curve>(
        problem: &Multiplication<C>,
        transport: &Arc<dyn Transport>,
        points: &[Affine<C>],
        scalars: &[C::ScalarField],
    ) -> Result<Affine<C>> {
        let device = Device::Processes(Processes::new(transport.clone(), cpu())?);
        let plan = problem.plan(&device)?;
        assert!(plan.to_string().contains(&format!(
            "processes      {}\ndevices        each process computes on its cores\nprocess 0 ",
            transport.size()
        )));
        plan.prepare_unchecked(&device, points)?.multiply(scalars)
    }

    /// The sum of a known number of points on `size` processes, one of them infinity.
    fn check<C: Curve>(points: usize, size: usize) {
        let mut known = Known::<C>::random(points, 1);
        let mut scalars = random_scalars::<C>(points, &mut ChaCha8Rng::seed_from_u64(points as u64));
        let expected = known.sum(&scalars);
        known.points.push(Affine::identity());
        scalars.push(C::ScalarField::from(5u64));
        let settings = Settings::default().with_precompute(Precompute::Windows).with_width(9);
        let problem = Multiplication::<C>::new(points + 1).with_settings(settings);
        let sums = Threads::run(size, |processes| {
            if processes.rank() > 0 {
                return serve(&**processes, |_| Ok(cpu())).map(|()| None);
            }
            let sum = on_processes(&problem, processes, &known.points, &scalars)?;
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
        for (points, size) in [(2, 4), (50, 3)] {
            let known = Known::<Bls12_381>::random(points, 1);
            let scalars = random_scalars::<Bls12_381>(points, &mut ChaCha8Rng::seed_from_u64(7));
            let problem = Multiplication::<Bls12_381>::new(points);
            at_every_message(size, |processes| {
                on_processes(&problem, processes, &known.points, &scalars).map(drop)
            });
        }
    }

    #[test]
    fn nothing_is_multiplied_on_any_number_of_processes() {
        let problem = Multiplication::<Bls12_381>::new(0);
        for size in 1..=3 {
            let sums = Threads::run(size, |processes| {
                if processes.rank() > 0 {
                    return serve(&**processes, |_| Ok(cpu())).map(|()| None);
                }
                let sum = on_processes(&problem, processes, &[], &[])?;
                processes::end(&**processes)?;
                Ok(Some(sum))
            });
            assert_eq!(sums.unwrap()[0], Some(Affine::identity()), "{size}");
        }
    }

    #[test]
    fn more_scalars_than_points_are_refused() {
        let outcome = Threads::run(1, |processes| {
            let one = <Bls12_381 as ark_ec::CurveConfig>::ScalarField::from(1u64);
            on_processes(&Multiplication::<Bls12_381>::new(1), processes, &[Affine::identity()], &[one, one])
        });
        assert!(matches!(outcome, Err(Error::TooMany { count: 2, most: 1, .. })));
    }

    #[test]
    fn bytes_of_another_program_are_refused() {
        assert!(decode::<Affine<Bls12_381>>(&[1; 95]).is_err());
        assert!(decode::<Affine<Bls12_381>>(&[0xff; 96]).is_err());
    }
}
