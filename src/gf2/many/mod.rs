//! Many small matrices of one shape, such as those of a code's decoders.

mod by_threads;
mod by_workgroups;
mod one_by_one;

use std::fmt;
use std::ops::Range;

use by_threads::ByThreads;
use by_workgroups::ByWorkgroups;
use one_by_one::OneByOne;

use super::{BitMatrix, Dense, DenseAnswer, cost};
use crate::task::{Divided, Divisible, Engine, OneOf, Planned, Prepared, Problem, Profile, Ways};
use crate::verify::Guarantee;
use crate::{Device, Error, Result, Wrong};

/// The same question about many matrices of one shape, at most 2^32 - 1.
///
/// A GPU reduces matrices of at most 1024 rows beside each other, a workgroup each, and larger ones one after the other.
/// The CPU engine reduces one on each thread. The GPUs of a group share them.
///
/// ```
/// use wgalois::{Cpu, Device, gf2::{BitMatrix, Dense, Many}, task::Problem};
///
/// let device = Device::Cpu(Cpu::default());
/// let matrices = vec![BitMatrix::identity(64)?; 100];
/// let problem = Many::new(100, Dense::rank(64, 64)?)?;
/// for answer in problem.plan(&device)?.prepare(&device)?.run((&matrices, None))? {
///     assert_eq!(answer.into_pivots()?.len(), 64);
/// }
/// # Ok::<(), wgalois::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Many {
    matrices: usize,
    each: Dense,
}

impl Many {
    /// The question `each` about `matrices` matrices. Refuses more than 2^32 - 1 matrices.
    pub fn new(matrices: usize, each: Dense) -> Result<Self> {
        Error::expect_at_most("matrices", u32::MAX.into(), matrices as u64)?;
        Ok(Many { matrices, each })
    }

    /// The number of matrices.
    pub fn matrices(&self) -> usize {
        self.matrices
    }

    /// The question about each of them.
    pub fn each(&self) -> &Dense {
        &self.each
    }

    /// Checks the answers for the matrices `a` and, if the problem has right sides, `b`, each as
    /// [`Dense::check`](super::Dense::check) does.
    /// Every wrong answer is missed with a chance of at most 2^-64, so answers with wrong ones among them are, too.
    /// The error has the number of the first wrong answer, from 0.
    pub fn check(
        &self,
        device: &Device,
        a: &[BitMatrix],
        b: Option<&[BitMatrix]>,
        answers: &[DenseAnswer],
    ) -> Result<Guarantee> {
        self.check_input(&(a, b))?;
        Wrong::expect_length("answers", a.len(), answers.len())?;
        for (k, (a, answer)) in a.iter().zip(answers).enumerate() {
            let outcome = self.each.check(device, a, nth(b, k), answer.as_answer());
            outcome.map_err(|error| match error {
                Error::Check(wrong) => Error::Check(format!("matrix {k}: {wrong}").into()),
                other => other,
            })?;
        }
        Ok(Guarantee::probable(format!("the {} answers are right", answers.len()), 64))
    }

    /// Bytes of the forms, and of the answers that are read from them.
    fn answer_bytes(&self) -> u64 {
        let each = self.each.reduction();
        2 * cost::forms_bytes(self.matrices, each.rows, each.columns)
    }
}

fn nth(matrices: Option<&[BitMatrix]>, k: usize) -> Option<&BitMatrix> {
    matrices.and_then(|matrices| matrices.get(k))
}

impl Problem for Many {
    const NAME: &'static str = "these matrices";

    type Resident<'a> = ();
    /// The matrices A and, if the problem has right sides, B.
    type Input<'a> = (&'a [BitMatrix], Option<&'a [BitMatrix]>);
    /// The answers, in order.
    type Answer = Vec<DenseAnswer>;
    type Kernels = ();

    fn ways(&self, profile: &Profile) -> Result<Ways<Self>> {
        let none = Ways::default();
        Ok(match &profile.engine {
            Engine::Cpu(cpu) => none.with(ByThreads::NAME, Ok(ByThreads::new(self, *cpu))),
            Engine::Gpu(gpu) => match ByWorkgroups::new(self, gpu, profile) {
                Ok(way) => none.with(ByWorkgroups::NAME, Ok(way)),
                refused => {
                    none.with(ByWorkgroups::NAME, refused).with(OneByOne::NAME, OneByOne::new(self, profile))
                }
            },
            Engine::Group(_) => none.with(Divided::<Self>::NAME, Divided::new(self, profile)),
            Engine::Processes { .. } => none.with(OneOf::<Self>::NAME, OneOf::new(self, profile)),
        })
    }

    fn check_input(&self, &(a, b): &Self::Input<'_>) -> Result<()> {
        let (planned, dense) = (self.matrices, self.each);
        let given = [Some(a), b].into_iter().flatten().map(<[_]>::len);
        given.into_iter().try_for_each(|given| Error::expect_length("matrices", planned, given))?;
        a.iter().enumerate().try_for_each(|(k, a)| dense.expect_input(a, nth(b, k)))
    }

    fn reborrow<'s>(matrices: &'s mut Self::Input<'_>) -> Self::Input<'s> {
        *matrices
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dense = self.each;
        let (rows, columns) = dense.shape();
        writeln!(f, "operation      {}", format!("{:?}", dense.operation()).to_lowercase())?;
        writeln!(f, "matrices       {} of {rows} x {columns}", self.matrices)
    }
}

impl Divisible for Many {
    const THINGS: &'static str = "matrices";

    fn count(&self) -> usize {
        self.matrices
    }

    fn part(&self, count: usize) -> Self {
        Many { matrices: count, ..*self }
    }

    fn count_of(&self, &(a, _): &Self::Input<'_>) -> usize {
        a.len()
    }

    fn split<'i>(&self, (a, b): Self::Input<'i>, ranges: &[Range<usize>]) -> Vec<Self::Input<'i>> {
        ranges.iter().map(|range| (&a[range.clone()], b.map(|b| &b[range.clone()]))).collect()
    }

    fn join(&self, answers: Vec<Vec<DenseAnswer>>) -> Result<Vec<DenseAnswer>> {
        Ok(answers.into_iter().flatten().collect())
    }
}

/// A plan to answer a question about [`Many`] matrices.
pub type ManyPlan = Planned<Many>;

/// A [`ManyPlan`] that is ready to run, as often as you like.
pub type PreparedMany = Prepared<'static, Many>;

/// Plans, prepares and runs the question `each` for the matrices `a` and, if it has right sides, `b`.
pub fn compute_many(
    device: &Device,
    each: &Dense,
    a: &[BitMatrix],
    b: Option<&[BitMatrix]>,
) -> Result<Vec<DenseAnswer>> {
    let plan = Many::new(a.len(), *each)?.plan(device)?;
    Ok(plan.compute(device, (a, b))?.0)
}
