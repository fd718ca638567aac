//! `wgalois msm`: multi-scalar multiplication.

use super::beside::while_compiling;
use super::outputs::ending;
use super::report::checked;
use crate::prelude::*;
use wgalois::Fault;
use wgalois::curve::Affine;
use wgalois::msm::{
    self, MAX_WIDTH, MIN_WIDTH, Multiplication, MultiplicationPlan, Points, Precompute, Scalars, Settings,
};
use wgalois::parallel::ahead;
use wgalois_io::known::Known;
use wgalois_io::points::{self, Trust};
use wgalois_io::scalars;

const GUARANTEE: &str = "Guarantee of --verify and check: the sum is right; a wrong one is missed with a chance \
                         of at most 2^-64, even if the device uses the same wrong points every time. The \
                         device multiplies once more, by masked scalars, and the host multiplies every point \
                         by a random factor of 64 bits, by an algorithm that no engine uses. The bound holds \
                         if the device's second sum is right, belongs to other points, or is off by a \
                         constant. It does not hold for a device that tries to find the mask. The points \
                         must be in the subgroup of order r, which --unchecked does not check.";

/// Multiply points of a curve by scalars and add the products
///
/// Writes the sum of k_i P_i as one line of hexadecimal digits: the uncompressed encoding of the
/// point, the compressed one with --compressed, or Ethereum's record with --output-format eip. Encodings are ZCash's for BLS12-381 and arkworks'
/// for the other curves. The forms of published programs are options of `bench msm`.
#[derive(clap::Args)]
#[command(after_long_help = GUARANTEE)]
pub struct Msm {
    /// The curve
    #[arg(long, value_parser = crate::names::curves(), default_value_t = CurveName::Bls12_381)]
    curve: CurveName,
    /// The points, all compressed or all uncompressed, at least as many as scalars: those past the scalars are
    /// checked, but not multiplied; `-` is stdin
    #[arg(long, value_name = "FILE")]
    points: PathBuf,
    /// The scalars, below the order r of the subgroup; `-` is stdin. Needed unless the points' file has them, in the
    /// format pairs
    #[arg(long, value_name = "FILE")]
    scalars: Option<PathBuf>,
    /// Format of the points [default: by ending: .ark, .raw, .hex or .txt, .eip, .eipmsm, .gnark; any other is
    /// encoded, or aztec if it begins as Aztec's files do]
    #[arg(long, value_name = "FORMAT", value_parser = named(POINTS))]
    points_format: Option<points::Format>,
    /// Format of the scalars [default: by ending: .ark, .be, .txt, .hex; any other is bytes]
    #[arg(long, value_name = "FORMAT", value_parser = named(SCALARS))]
    scalars_format: Option<scalars::Format>,
    /// Do not check that the points lie on the curve and in the subgroup
    #[arg(long)]
    unchecked: bool,
    /// Check the points although their file passed in an earlier run
    #[arg(long, conflicts_with = "unchecked")]
    recheck: bool,
    /// Write the compressed encoding of the sum
    #[arg(long)]
    compressed: bool,
    /// Format of the sum, as hexadecimal digits; with `check`, that of the file [default: by ending: .eip is eip; any other is hex]
    #[arg(long, value_name = "FORMAT", value_parser = named(SUMS), conflicts_with = "compressed")]
    output_format: Option<SumFormat>,
    #[command(flatten)]
    method: MethodOptions,
}

/// The options of the GPU's method.
#[derive(clap::Args)]
pub struct MethodOptions {
    /// Bits of a scalar per window [default: the width expected to be fastest]
    #[arg(long, value_name = "C", value_parser = clap::value_parser!(u32).range(i64::from(MIN_WIDTH)..=i64::from(MAX_WIDTH)))]
    window: Option<u32>,
    /// The multiples of every point to store: none; one, which divides scalars into halves, where that is expected to be
    /// faster; its doublings up to 2^T; or those for all windows
    #[arg(long, value_name = "none|halves|doublings:T|windows", default_value_t)]
    pub precompute: Precompute,
}

impl MethodOptions {
    pub fn settings(&self) -> Settings {
        Settings::default().with_precompute(self.precompute).with_width(self.window)
    }

    fn note_unused(&self, context: &Context, device: &Device) {
        context.note_of_gpus(device, "--window", self.window.is_some());
        context.note_of_gpus(device, "--precompute", self.precompute != Precompute::default());
    }
}

const POINTS: &[Named<points::Format>] = &[
    ("encoded", "Consecutive encodings", points::Format::Encoded),
    ("compressed", "Consecutive compressed encodings", points::Format::Compressed),
    ("uncompressed", "Consecutive uncompressed encodings", points::Format::Uncompressed),
    ("ark", "arkworks' Vec of encodings", points::Format::Ark),
    ("raw", "x and y as little-endian integers", points::Format::Raw),
    ("hex", "Encodings as hexadecimal digits", points::Format::Hex),
    (
        "eip eip196 eip-196 eip197 eip-197 eip2537 eip-2537",
        "Records of EIP-196 (bn254), EIP-197 (bn254-g2) or EIP-2537 (bls12-381, bls12-381-g2)",
        points::Format::Eip,
    ),
    (
        "pairs eipmsm eip-pairs",
        "Such records, each with its scalar after it, as EIP-2537's MSM takes them",
        points::Format::EipPairs,
    ),
    ("gnark", "gnark's compressed or uncompressed points", points::Format::Gnark),
    ("aztec", "Aztec's g1.dat and g2.dat (bn254, bn254-g2)", points::Format::Aztec),
    ("montgomery", "x and y as little-endian words in Montgomery form", points::Format::Montgomery),
];

/// How the sum is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SumFormat {
    /// The curve's usual encoding.
    Encoded,
    /// A record of EIP-196, EIP-197 or EIP-2537.
    Eip,
}

const SUMS: &[Named<SumFormat>] = &[
    ("hex", "The encoding of the point", SumFormat::Encoded),
    (
        "eip eip196 eip-196 eip197 eip-197 eip2537 eip-2537",
        "The record of EIP-196 (bn254), EIP-197 (bn254-g2) or EIP-2537 (bls12-381, bls12-381-g2)",
        SumFormat::Eip,
    ),
];

/// The endings of files of sums.
const ENDINGS: &[&str] = &["txt", "text", "out", "dat", "hex", "eip"];

pub const SCALARS: &[Named<scalars::Format>] = &[
    ("bytes", "Little-endian integers of 32 bytes", scalars::Format::Bytes),
    ("be", "Big-endian integers of 32 bytes", scalars::Format::BigEndian),
    ("ark", "arkworks' Vec", scalars::Format::Ark),
    ("text", "Decimal numbers, or hexadecimal numbers after 0x", scalars::Format::Text),
    ("hex", "Hexadecimal numbers", scalars::Format::Hex),
    ("montgomery", "Little-endian integers of 32 bytes in Montgomery form", scalars::Format::Montgomery),
];

/// Returns the format of a file of scalars: that of the option, or of the ending. A file whose format is that of its
/// ending only, and which is something else than that, is refused.
pub fn scalars_format(named: Option<scalars::Format>, source: &Source) -> Result<scalars::Format> {
    let format = named.unwrap_or_else(|| scalars::Format::of(source.path()));
    if named.is_none() && matches!(format, scalars::Format::Bytes | scalars::Format::BigEndian) {
        source.expect_numbers("--scalars-format bytes or be")?;
    }
    Ok(format)
}

/// Points and an equal number of scalars, and the plan of their multiplication on a device.
struct Input<C: Curve> {
    device: Device,
    plan: MultiplicationPlan<C>,
    points: Vec<Affine<C>>,
    scalars: Vec<C::ScalarField>,
}

impl<C: Curve> Input<C> {
    fn multiply(&self, context: &Context) -> Result<Affine<C>> {
        // The points were checked as they were read.
        let (points, vectors) = (Points::new(&self.points), [(0, &self.scalars[..])]);
        let planned = (&self.device, self.plan.clone());
        let sums = context.compute_with("multiply", planned, points, Scalars::Host(&vectors))?;
        Ok(sums.first().copied().unwrap_or_default())
    }

    fn check(&self, sum: &Affine<C>) -> Result<Guarantee> {
        let (vectors, sums) = ([&self.scalars[..]], std::slice::from_ref(sum));
        self.plan.problem().check(&self.device, &self.points, &vectors, sums)
    }
}

impl Run for Msm {
    fn run(&self, context: &Context) -> Result<()> {
        context.report("curve", self.curve.as_str());
        with_curve!(self.curve, C => self.run_on::<C>(context))
    }

    fn is_brief(&self) -> bool {
        true
    }

    fn inputs(&self) -> Vec<PathBuf> {
        [Some(&self.points), self.scalars.as_ref()].into_iter().flatten().cloned().collect()
    }

    fn outputs(&self) -> Outputs {
        Outputs { endings: Some(ENDINGS), ..Outputs::default() }
    }

    fn member(&self) -> Result<Option<Member>> {
        Ok(Some(Member::default()))
    }
}

impl Check for Msm {
    fn check(&self, context: &Context, result: &Path) -> Result<()> {
        with_curve!(self.curve, C => self.check_on::<C>(context, result))
    }
}

/// Why options of scalars contradict the points.
const NO_PAIRS: &str = "points without scalars, and the file of --points has them, in the format pairs";

impl Msm {
    /// The format of the sum in a file, or on stdout. Refuses records of a curve without any.
    fn sum_format<C: Curve>(&self, path: Option<&Path>) -> Result<SumFormat> {
        let by_ending = || {
            let is_record = path.and_then(ending).is_some_and(|ending| ending == "eip");
            if is_record { SumFormat::Eip } else { SumFormat::Encoded }
        };
        let format = self.output_format.unwrap_or_else(by_ending);
        match format == SumFormat::Eip && points::encode_record(&Affine::<C>::default()).is_none() {
            true => Err(Error::only_for(
                "records of EIP-196, EIP-197 and EIP-2537",
                "bn254, bls12-381 and their G2",
            )),
            false if format == SumFormat::Eip && self.compressed => {
                Err(Error::only_for("--compressed", "encodings: records have both coordinates"))
            }
            false => Ok(format),
        }
    }

    fn run_on<C: Curve>(&self, context: &Context) -> Result<()> {
        let format = self.sum_format::<C>(context.output_path())?;
        let Some(input) = self.read::<C>(context, context.verifies())? else { return Ok(()) };
        let sum = input.multiply(context)?;
        context.verify_if_asked(|| input.check(&sum))?;
        let record = points::encode_record(&sum).filter(|_| format == SumFormat::Eip);
        let line = hexadecimal(&record.unwrap_or_else(|| points::encode(&sum, self.compressed)));
        context.report("result", line.as_str());
        // With --json and without -o, the result is in the report.
        if context.has_output() { context.write(|out| writeln!(out, "{line}")) } else { Ok(()) }
    }

    fn check_on<C: Curve>(&self, context: &Context, result: &Path) -> Result<()> {
        let format = self.sum_format::<C>(Some(result))?;
        let Some(input) = self.read::<C>(context, true)? else { return Ok(()) };
        let sum = context.read(result, |source| read_point::<C>(source, format))?;
        context.verify(|| input.check(&sum))
    }

    /// Returns the input and its device, which also checks the points; `None` with `--plan`. The plan has
    /// room for a verification if it is asked for.
    fn read<C: Curve>(&self, context: &Context, verifies: bool) -> Result<Option<Input<C>>> {
        let (source, scalars) = self.read_scalars::<C>(context)?;
        let settings = self.method.settings().for_one_run();
        let share = msm::share_of_bits(&scalars);
        let problem = Multiplication::<C>::new(scalars.len()).with_settings(settings);
        // Half of the scalars being multiplied, there is little to gain.
        let problem = if share < 0.5 { problem } else { problem.with_bits(share) };
        let format = points::settled::<C>(&source, self.points_format(), scalars.len())?;
        let count = points::count::<C>(&source, format)?;
        let (timeline, memory) = (context.timeline(), context.memory());
        // The points are held to the end.
        let points = (size_of::<Affine<C>>() as u64).saturating_mul(count as u64);
        let checks = if verifies { problem.check_bytes() } else { 0 };
        let demands = Demands { beside: points.saturating_add(checks), ..Demands::default() };
        let name = format!("read {}", self.points.display());
        let known = self.look_up::<C>(context, &source, format);
        let is_known = known.as_ref().is_some_and(Known::passed);
        let checks = !self.unchecked && !is_known;
        let read = || {
            let trust = if checks { Trust::Nothing } else { Trust::Everything };
            points::read_on_curve(&source, format, None, trust, memory)
        };
        let read = || timeline.time(Phase::Reading, &name, read);
        // Points are read while a GPU opens. If the thread cannot be started, they are read when they are needed.
        let read = ahead(context.is_opening(), read, |reading| {
            let compile = move |device: &Device, plan: &MultiplicationPlan<C>| match checks {
                true => plan.compile_with_check(device),
                false => plan.compile(device),
            };
            let planned = context.plan_compiling(&problem, demands, compile)?;
            let Some((device, plan)) = planned else { return Ok(None) };
            self.method.note_unused(context, &device);
            let points = while_compiling(
                &device,
                || compile(&device, &plan),
                || {
                    let points = context.watch(&name, || reading.wait())?;
                    if checks {
                        let first_outside = |points: &[Affine<C>]| msm::first_outside(&device, points);
                        context.step(Phase::Checking, "check the points", || {
                            points::check_members(&source, format, &points, first_outside)
                        })?;
                        if let Some(known) = known {
                            known.remember();
                        }
                    }
                    context.report("points_checked", checked(checks, is_known));
                    Ok(points)
                },
            )?;
            Ok(Some((device, plan, points)))
        })?;
        let Some((device, plan, mut points)) = read else { return Ok(None) };
        if points.len() < scalars.len() {
            let (expected, found) = (scalars.len(), points.len());
            return Err(source.error(Fault::WrongCount { what: "points".into(), expected, found }));
        }
        if points.len() > scalars.len() {
            context.report("points", points.len());
            context.note(&format!("the first {} of {} points are multiplied", scalars.len(), points.len()));
            points.truncate(scalars.len());
        }
        context.report("n", points.len());
        Ok(Some(Input { device, plan, points, scalars }))
    }

    /// Looks up whether the points were checked before, unless they are not to be checked, or nothing is to be done. What bytes mean
    /// as points depends on the curve and the format.
    fn look_up<C: Curve>(&self, context: &Context, source: &Source, format: points::Format) -> Option<Known> {
        let check = format!("wgalois points of {} as {format:?} 1", C::NAME);
        let look_up = || Known::look_up(&check, source, self.recheck);
        let looks = !self.unchecked && !context.only_plans();
        looks.then(|| context.step(Phase::Reading, "digest of the points", look_up))
    }

    fn points_format(&self) -> points::Format {
        self.points_format.unwrap_or_else(|| points::Format::of(&self.points))
    }

    /// Opens the file of the points and reads the scalars, from it or from their own file.
    fn read_scalars<C: Curve>(&self, context: &Context) -> Result<(Source, Vec<C::ScalarField>)> {
        let has_pairs = self.points_format() == points::Format::EipPairs;
        match (&self.scalars, has_pairs) {
            (None, true) if self.scalars_format.is_some() => {
                Err(Error::only_for("--scalars-format", NO_PAIRS))
            }
            (None, true) => {
                let source = context.source(&self.points)?;
                context.hold(source.owned_bytes());
                let read = || points::read_scalars_of_pairs::<C>(&source, context.memory());
                let scalars = context.step(Phase::Reading, "read the scalars", read)?;
                context.hold(size_of_val(&scalars[..]) as u64);
                Ok((source, scalars))
            }
            (Some(path), false) => {
                let scalars: Vec<C::ScalarField> = context.read(path, |source| {
                    let format = scalars_format(self.scalars_format, source)?;
                    scalars::read(source, format, context.memory())
                })?;
                context.hold(size_of_val(&scalars[..]) as u64);
                let source = context.source(&self.points)?;
                context.hold(source.owned_bytes());
                Ok((source, scalars))
            }
            (None, false) => {
                let what = "--scalars FILE, or points with their scalars: --points-format pairs";
                Err(Error::needs("msm", what))
            }
            (Some(_), true) => Err(Error::only_for("--scalars", NO_PAIRS)),
        }
    }
}

/// Returns bytes as the hexadecimal digits that [`Msm`] writes.
pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Reads the point of a file that [`Msm`] wrote.
fn read_point<C: Curve>(source: &Source, format: SumFormat) -> Result<Affine<C>> {
    let mut tokens = text::tokens(source.bytes(), 0);
    let Some(token) = tokens.next() else {
        return Err(source.error("empty, where a point was expected"));
    };
    if let Some(second) = tokens.next() {
        return Err(source.text_error(second.offset, "expected the end after one point"));
    }
    let (pairs, odd) = token.text.as_chunks::<2>();
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let byte = |pair: &[u8; 2]| Some((digit(pair[0])? << 4 | digit(pair[1])?) as u8);
    let bytes: Option<Vec<u8>> = pairs.iter().map(byte).collect();
    match bytes {
        Some(bytes) if odd.is_empty() => match format {
            SumFormat::Encoded => points::decode_one(&bytes, Trust::Nothing),
            SumFormat::Eip => points::decode_record(&bytes),
        }
        .map_err(|fault| source.text_error(token.offset, fault)),
        _ => Err(source.text_error(token.offset, "expected pairs of hexadecimal digits")),
    }
}
