//! Operations on one matrix.

use std::path::PathBuf;

use super::{Answer, Common, as_text};
use crate::{Context, Demands};
use wgalois::Result;
use wgalois::gf2::{
    self, BitMatrix, Dense, Echelon, EchelonForm, Inverse, Invert, Kernel, Question, Rank, Transpose,
};
use wgalois::timeline::Phase;
use wgalois_io::Source;
use wgalois_io::text::write_integers;

#[derive(clap::Args)]
pub(super) struct OneMatrix {
    /// The matrix; `-` is stdin
    pub(super) file: PathBuf,
    /// Write the columns of the pivots to this file, one per line; `-` is stdout if -o FILE takes
    /// the data
    #[arg(long, value_name = "FILE")]
    pub(super) pivots: Option<PathBuf>,
    #[command(flatten)]
    pub(super) common: Common,
}

impl OneMatrix {
    pub(super) fn read(&self, context: &Context) -> Result<BitMatrix> {
        self.common.input.read_matrix(context, &self.file, self.common.input.columns())
    }

    pub(super) fn rank(&self, context: &Context) -> Result<Option<Answer>> {
        let a = self.read(context)?;
        let question = Rank::new(a.rows(), a.columns())?;
        let Some(pivots) = self.answer(context, question, "eliminate", &a)? else { return Ok(None) };
        context.report("rank", pivots.len());
        self.write_pivots(context, &pivots)?;
        Ok(Some(Answer::Number(pivots.len())))
    }

    pub(super) fn echelon(&self, context: &Context, reduced: bool) -> Result<Option<Answer>> {
        let a = self.read(context)?;
        let question = match reduced {
            true => EchelonForm::reduced(a.rows(), a.columns()),
            false => EchelonForm::new(a.rows(), a.columns()),
        }?;
        let Some(form) = self.answer(context, question, "eliminate", &a)? else { return Ok(None) };
        context.report("rank", form.rank());
        self.write_pivots(context, &form.pivots)?;
        Ok(Some(Answer::Matrix(form.matrix)))
    }

    pub(super) fn write_pivots(&self, context: &Context, pivots: &[u32]) -> Result<()> {
        match &self.pivots {
            Some(path) => context
                .step(Phase::Writing, "pivots", || context.write_to(path, |out| write_integers(out, pivots))),
            None => Ok(()),
        }
    }

    pub(super) fn kernel(&self, context: &Context) -> Result<Option<Answer>> {
        let a = self.read(context)?;
        let question = Kernel::new(a.rows(), a.columns())?;
        let Some((basis, pivots)) = self.answer(context, question, "eliminate", &a)? else { return Ok(None) };
        context.report("rank", pivots.len());
        self.write_pivots(context, &pivots)?;
        Ok(Some(Answer::Matrix(basis)))
    }

    pub(super) fn inverse(&self, context: &Context) -> Result<Option<Answer>> {
        let a = self.read(context)?;
        let question = Invert::new(a.rows())?;
        let Some(inverse) = self.answer(context, question, "invert", &a)? else { return Ok(None) };
        match inverse {
            Inverse::Regular(inverse) => {
                self.write_pivots(context, &(0..a.rows() as u32).collect::<Vec<_>>())?;
                Ok(Some(Answer::Matrix(inverse)))
            }
            Inverse::Singular { rank } => Ok(Some(Answer::None(singular(rank, a.rows())))),
        }
    }

    pub(super) fn transpose(&self, context: &Context) -> Result<Option<Answer>> {
        let a = self.read(context)?;
        let problem = Transpose::new(a.rows(), a.columns())?;
        let demands = Demands { check: problem.check_bytes_of_run(), ..Demands::default() };
        let planned = self.common.workers.plan_with(context, &problem, demands)?;
        let Some((device, plan)) = planned else { return Ok(None) };
        let transposed = context.compute("transpose", (&device, plan), &a)?;
        context.verify_if_asked(|| problem.check(&a, &transposed))?;
        Ok(Some(Answer::Matrix(transposed)))
    }

    fn answer<Q: Question>(
        &self,
        context: &Context,
        question: Q,
        name: &str,
        a: &BitMatrix,
    ) -> Result<Option<Q::Answer>> {
        self.common.answer(context, question, name, (a, None))
    }

    pub(super) fn check_rank(&self, context: &Context, source: Source) -> Result<()> {
        let rank = rank_of(&source)?;
        let a = self.read(context)?;
        let problem = Dense::rank(a.rows(), a.columns())?;
        self.common.check(context, problem, (&a, None), gf2::Answer::Rank(rank))
    }

    pub(super) fn check_echelon(&self, context: &Context, source: Source, reduced: bool) -> Result<()> {
        let a = self.read(context)?;
        let matrix = self.common.input.read_result(context, source, (a.rows(), a.columns()))?;
        let problem = match reduced {
            true => Dense::rref(a.rows(), a.columns()),
            false => Dense::echelon(a.rows(), a.columns()),
        }?;
        let pivots = (0..matrix.rows()).filter_map(|row| matrix.ones(row).next()).map(|c| c as u32).collect();
        let form = Echelon { matrix, pivots };
        self.common.check(context, problem, (&a, None), gf2::Answer::Form(&form))
    }

    pub(super) fn check_kernel(&self, context: &Context, source: Source) -> Result<()> {
        let a = self.read(context)?;
        // An empty text holds a basis without vectors.
        let kernel = self.common.input.read_result(context, source, (0, a.columns()))?;
        let problem = Dense::kernel(a.rows(), a.columns())?;
        self.common.check(context, problem, (&a, None), gf2::Answer::Matrix(&kernel))
    }

    pub(super) fn check_inverse(&self, context: &Context, source: Source) -> Result<()> {
        let a = self.read(context)?;
        let check = |answer: &Inverse| {
            let problem = Dense::inverse(a.rows())?;
            self.common.check(context, problem, (&a, None), answer.as_answer())
        };
        if let Some(rank) = singular_rank(&source, a.rows()) {
            return check(&Inverse::Singular { rank: rank? });
        }
        let inverse = self.common.input.read_result(context, source, (a.rows(), a.rows()))?;
        check(&Inverse::Regular(inverse))
    }
}

// The sentence of an answer without an inverse.
const SINGULAR: &str = "singular: the rank is ";
const OF: &str = " of ";

/// The rank that a file states.
pub(super) fn rank_of(source: &Source) -> Result<usize> {
    as_text(source).trim().parse().map_err(|_| source.error("a rank was expected, a number"))
}

/// The rank that a file states if its answer is that a matrix with `rows` rows has no inverse.
pub(super) fn singular_rank(source: &Source, rows: usize) -> Option<Result<usize>> {
    let numbers = as_text(source).trim().strip_prefix(SINGULAR)?;
    let rank = numbers.split_once(OF).and_then(|(rank, stated)| {
        let stated: usize = stated.parse().ok()?;
        rank.parse().ok().filter(|_| stated == rows)
    });
    Some(rank.ok_or_else(|| source.error(format!("`{SINGULAR}N{OF}{rows}` was expected"))))
}

/// The answer that there is no inverse.
pub(super) fn singular(rank: usize, rows: usize) -> String {
    format!("{SINGULAR}{rank}{OF}{rows}")
}
