//! `wgalois check`: verify a result without redoing the work.

use super::outputs::{Data, Outputs};
use super::{Check, Context, Run, eliminate, gf2, intmul, msm, ntt, polymul, solve};
use std::path::PathBuf;
use wgalois::{Error, Result};

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

impl<A: clap::Args + Check> Checked<A> {
    fn inputs(&self) -> Vec<PathBuf> {
        self.arguments.sources().into_iter().chain(self.result.clone()).collect()
    }

    fn check(&self, context: &Context) -> Result<()> {
        if self.result.is_none() && self.arguments.check_alone(context)? {
            return Ok(());
        }
        let missing = || Error::Usage("--result FILE is needed: the result to verify".to_owned());
        self.arguments.check(context, self.result.as_ref().ok_or_else(missing)?)
    }
}

/// Declares the verbs whose results can be checked: their arguments implement [`Check`].
macro_rules! verbs {
    ($($(#[$attribute:meta])* $verb:ident($arguments:ty),)*) => {
        #[derive(clap::Subcommand)]
        enum Verb {
            $($(#[$attribute])* $verb(Checked<$arguments>),)*
        }

        impl Run for CheckVerb {
            fn outputs(&self) -> Outputs {
                Outputs { data: Data::None, ..Outputs::default() }
            }

            fn inputs(&self) -> Vec<PathBuf> {
                match &self.verb {
                    $(Verb::$verb(checked) => checked.inputs(),)*
                }
            }

            fn run(&self, context: &Context) -> Result<()> {
                match &self.verb {
                    $(Verb::$verb(checked) => checked.check(context),)*
                }
            }
        }
    };
}

verbs! {
    /// Verify a product of polynomials
    Polymul(polymul::Polymul),
    /// Verify a product of big integers
    Intmul(intmul::Intmul),
    /// Verify a transform
    Ntt(ntt::Ntt),
    /// Verify a multi-scalar multiplication
    Msm(msm::Msm),
    /// Verify an elimination of rows by eliminators
    Eliminate(eliminate::Eliminate),
    /// Verify a rank, an echelon form, a solution, a kernel, an inverse, a product or a transpose
    Gf2(gf2::Gf2),
    /// Verify assignments to Boolean equations, the number of solutions, or a certificate that there is none
    Solve(solve::CheckSolve),
}
