//! Transforms over scalar fields: `--field`.

use super::{Ntt, Shift};
use crate::msm::{SCALARS, scalars_format};
use crate::outputs::ending;
use crate::prelude::*;
use wgalois::curve::{ScalarField, scalar_fields};
use wgalois::ntt::scalar::Transform;
use wgalois::scalars::Scalar;
use wgalois_io::scalars::{self, Format};

/// The endings of files of scalars.
const ENDINGS: &[&str] = &["bin", "bytes", "raw", "dat", "be", "ark", "txt", "hex"];

/// The options of scalar fields.
#[derive(clap::Args)]
pub struct FieldOptions {
    /// A scalar field instead of a prime: bls12-381-fr, bls12-377-fr, bn254-fr or bls24-315-fr, the integers modulo
    /// the order of that curve's group
    #[arg(long, value_name = "FIELD", value_parser = field, conflicts_with_all = ["prime", "format", "output_format"])]
    field: Option<CurveName>,
    /// Format of every file of scalars [default: by ending: .ark, .be, .txt, .hex; any other is bytes]
    #[arg(long, value_name = "FORMAT", value_parser = named(SCALARS), conflicts_with = "prime")]
    scalars_format: Option<Format>,
    /// Format of the scalars of the output [default: by ending; for a file without one, that of the input; for
    /// stdout, that of --scalars-format, or text]
    #[arg(long, value_name = "FORMAT", value_parser = named(SCALARS), conflicts_with = "prime")]
    output_scalars_format: Option<Format>,
}

/// Parses the name of a field: that of its curve with `-fr` behind it.
pub fn field(text: &str) -> Result<CurveName, String> {
    let named = |name: &CurveName| text.eq_ignore_ascii_case(&field_name(*name));
    scalar_fields().into_iter().find(named).ok_or_else(|| {
        let names: Vec<String> = scalar_fields().into_iter().map(field_name).collect();
        format!("the fields are {}", names.join(", "))
    })
}

/// The name of a curve's scalar field.
pub fn field_name(name: CurveName) -> String {
    format!("{name}-fr")
}

impl FieldOptions {
    /// Returns the curve whose scalar field was chosen.
    pub fn name(&self) -> Option<CurveName> {
        self.field
    }

    /// Returns the endings that `-o` may have if the option names no format.
    pub fn endings(&self) -> Option<&'static [&'static str]> {
        self.output_scalars_format.is_none().then_some(ENDINGS)
    }

    /// Returns the format of the output at `path`, where `first` is the input.
    fn output(&self, path: Option<&Path>, first: &Path) -> Format {
        self.output_scalars_format.unwrap_or_else(|| match path {
            None => self.scalars_format.unwrap_or(Format::Text),
            Some(path) if ending(path).is_some() => Format::of(path),
            Some(_) => self.scalars_format.unwrap_or_else(|| Format::of(first)),
        })
    }
}

impl Ntt {
    /// Transforms over the scalar field of a curve.
    pub(super) fn run_over(&self, name: CurveName, context: &Context) -> Result<()> {
        self.kernels.refuse_for_fields()?;
        context.report("field", field_name(name));
        with_curve!(name, C => self.run_scalars::<ScalarField<C>>(context))
    }

    /// Checks a result over the scalar field of a curve.
    pub(super) fn check_over(&self, name: CurveName, context: &Context, result: &Path) -> Result<()> {
        with_curve!(name, C => self.check_scalars::<ScalarField<C>>(context, result))
    }

    fn run_scalars<F: Scalar>(&self, context: &Context) -> Result<()> {
        let format = self.field.output(context.output_path(), &self.file);
        let before = self.read_input_scalars::<F>(context)?;
        let transform = self.scalar_transform::<F>(before.len())?;
        context.report("n", transform.n());
        context.report("batch", transform.batch());
        // The scalars are kept for the check.
        let demands = Demands { beside: size_of_val(&before[..]) as u64, ..Demands::default() };
        let Some((device, plan)) = context.plan_with(&transform, demands)? else { return Ok(()) };
        let mut after = before.clone();
        context.compute("transform", (&device, plan), &mut after)?;
        context.verify_if_asked(|| transform.check(&context.host(), &before, &after))?;
        context.write(|out| scalars::write(out, format, &after))
    }

    fn check_scalars<F: Scalar>(&self, context: &Context, result: &Path) -> Result<()> {
        let before = self.read_input_scalars::<F>(context)?;
        let after = self.read_scalars::<F>(context, result, scalars::read)?;
        let transform = self.scalar_transform::<F>(before.len())?;
        context.verify(|| transform.check(&context.host(), &before, &after))
    }

    /// Reads the scalars to transform. A number of them that no transform has is refused before they are read, if the
    /// length of the file tells it.
    fn read_input_scalars<F: Scalar>(&self, context: &Context) -> Result<Vec<F>> {
        self.read_scalars(context, &self.file, |source, format, memory| {
            if let Some(count) = scalars::count(source, format).filter(|count| *count > 0) {
                self.scalar_transform::<F>(count)?;
            }
            match self.wrap {
                true => scalars::read_modulo(source, format, memory),
                false => scalars::read(source, format, memory),
            }
        })
    }

    fn read_scalars<F: Scalar>(
        &self,
        context: &Context,
        path: &Path,
        read: impl FnOnce(&Source, Format, u64) -> Result<Vec<F>>,
    ) -> Result<Vec<F>> {
        let scalars: Vec<F> = context.read(path, |source| {
            read(source, scalars_format(self.field.scalars_format, source)?, context.memory())
        })?;
        context.hold(size_of_val(&scalars[..]) as u64);
        Ok(scalars)
    }

    /// Returns the transform for a file of `len` scalars.
    fn scalar_transform<F: Scalar>(&self, len: usize) -> Result<Transform<F>> {
        let batch = self.batch.unwrap_or(1);
        let transform = self.stated(batch, len, "scalars", Transform::new, Shift::scalar)?;
        transform.shift()?;
        Ok(transform)
    }
}

impl Shift {
    fn scalar<F: Scalar>(&self) -> Result<F> {
        let source = Source::from_bytes("--coset", self.0.as_bytes().to_vec());
        let scalars = scalars::read(&source, Format::Text, u64::MAX)?;
        Ok(scalars.first().copied().unwrap_or_default())
    }
}
