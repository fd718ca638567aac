//! `wgalois groth16 info`.

use super::keys::is_params;
use super::with_pairing;
use crate::prelude::*;
use serde_json::json;
use wgalois_proofs::bellman;
use wgalois_proofs::snarkjs::{self, Section};

/// Show the sizes of a circuit, by its key
///
/// Reads the header and the list of sections, and checks that they fit each other. The bases are not read.
#[derive(clap::Args)]
pub struct Info {
    /// The key, .zkey or .params
    key: PathBuf,
}

impl Run for Info {
    fn run(&self, context: &Context) -> Result<()> {
        let source = context.source(&self.key)?;
        if is_params(&self.key) {
            return of_params(context, &bellman::describe(&source)?);
        }
        let curve = snarkjs::curve_of(&source)?;
        let info = with_pairing!(curve, E => snarkjs::describe::<E>(&source))?;
        let section = |section: &Section| json!({ "number": section.number, "offset": section.offset, "bytes": section.bytes });
        context.report("protocol", "groth16");
        context.report("curve", info.curve.as_str());
        context.report("variables", info.variables);
        context.report("public", info.public);
        context.report("log2_constraints", info.log2);
        context.report("coefficients", info.coefficients);
        context.report("contributions", info.contributions);
        context.report("insecure", info.weakness.map(|weakness| weakness.to_string()));
        context.report("sections", info.sections.iter().map(section).collect::<Vec<_>>());
        if !context.has_output() {
            return Ok(());
        }
        context.write(|out| {
            writeln!(out, "protocol       groth16")?;
            writeln!(out, "curve          {}", info.curve)?;
            writeln!(out, "variables      {}, with the constant", info.variables)?;
            writeln!(out, "public         {}", info.public)?;
            writeln!(out, "constraints    at most 2^{}", info.log2)?;
            writeln!(out, "coefficients   {}", info.coefficients)?;
            if let Some(count) = info.contributions {
                writeln!(out, "contributions  {count}")?;
            }
            if let Some(weakness) = info.weakness {
                writeln!(out, "insecure       {weakness}: anybody can forge proofs for this key")?;
            }
            Ok(())
        })
    }

    fn inputs(&self) -> Vec<PathBuf> {
        vec![self.key.clone()]
    }

    fn outputs(&self) -> Outputs {
        Outputs { endings: Some(TEXT), ..Outputs::default() }
    }
}

/// Shows the sizes of a circuit by a key of bellman.
fn of_params(context: &Context, info: &bellman::Description) -> Result<()> {
    context.report("protocol", "groth16");
    context.report("curve", CurveName::Bls12_381.as_str());
    context.report("variables", info.variables);
    context.report("public", info.public);
    context.report("variables_in_a", info.a);
    context.report("variables_in_b", info.b);
    context.report("log2_constraints", info.log2);
    context.report("contributions", info.contributions);
    context.report("insecure", info.weakness.map(|weakness| weakness.to_string()));
    if !context.has_output() {
        return Ok(());
    }
    context.write(|out| {
        writeln!(out, "protocol       groth16")?;
        writeln!(out, "curve          {}", CurveName::Bls12_381)?;
        writeln!(
            out,
            "variables      {}, with the constant: {} in A, {} in B",
            info.variables, info.a, info.b
        )?;
        writeln!(out, "public         {}", info.public)?;
        writeln!(out, "constraints    at most 2^{}, which the file does not have", info.log2)?;
        if let Some(count) = info.contributions {
            writeln!(out, "contributions  {count}")?;
        }
        if let Some(weakness) = info.weakness {
            writeln!(out, "insecure       {weakness}: anybody can forge proofs for this key")?;
        }
        Ok(())
    })
}
