//! `wgalois check`: verify a result without redoing the work.

use super::{eliminate, gf2, intmul, msm, ntt, polymul, solve};
use crate::prelude::*;

/// Verify a result without redoing the work
///
/// Takes the arguments of the verb and --result FILE. The exit code is 0 if the result is right and 1
/// if it is wrong; 2 to 6 are errors, as for every verb.
#[derive(clap::Args)]
pub struct CheckVerb {
    #[command(subcommand)]
    verb: Verb,
}

/// A verb's own arguments and the result to check.
#[derive(clap::Args)]
struct Checked<A: clap::Args> {
    #[command(flatten)]
    arguments: A,
    /// The result to verify; required
    // The option is global so that it may follow the operation of a verb that has several
    // operations. clap cannot require a global argument.
    #[arg(long, value_name = "FILE", global = true)]
    result: Option<PathBuf>,
}

/// The error of a check without a result.
pub fn no_result() -> Error {
    Error::needs("this check", "--result FILE: the result to verify")
}

impl<A: clap::Args + Check> Run for Checked<A> {
    fn run(&self, context: &Context) -> Result<()> {
        self.arguments.check(context, self.result.as_ref().ok_or_else(no_result)?)
    }

    fn outputs(&self) -> Outputs {
        Outputs { data: Data::None, ..Outputs::default() }
    }

    fn inputs(&self) -> Vec<PathBuf> {
        self.arguments.inputs().into_iter().chain(self.result.clone()).collect()
    }
}

verbs! {
    Verb {
        /// Verify a product of polynomials
        Polymul(Checked<polymul::Polymul>),
        /// Verify a product of big integers
        Intmul(Checked<intmul::Intmul>),
        /// Verify a transform
        Ntt(Checked<ntt::Ntt>),
        /// Verify a multi-scalar multiplication
        Msm(Checked<msm::Msm>),
        /// Verify an elimination of rows by eliminators
        Eliminate(Checked<eliminate::Eliminate>),
        /// Verify a rank, an echelon form, a solution, a kernel, an inverse, a product or a transpose
        Gf2(Checked<gf2::Gf2>),
        /// Verify assignments to Boolean equations, the number of solutions, or a certificate that there is none
        Solve(solve::CheckSolve),
    }
}

impl Choice for CheckVerb {
    fn chosen(&self) -> &dyn Run {
        self.verb.chosen()
    }
}
