//! Clauses, as SAT solvers read them: DIMACS CNF ("Satisfiability: suggested format", DIMACS, 1993), and the lines of XORs that
//! CryptoMiniSat adds.
//!
//! ```text
//! c a comment
//! p cnf 3 3      variables, clauses
//! 1 -2 0         x1 or not x2
//! 2 3
//!   -1 0         a clause ends with 0
//! x1 -2 3 0      the sum of x1, x2 + 1 and x3 is 1
//! ```
//!
//! A clause becomes one equation: the product of what its literals lack is 0, of `1 -2 0` that of x1 + 1 and x2. Its degree is the number of
//! its variables, and it has a term for each subset of the variables without a sign. An XOR becomes a linear equation. There are no
//! other variables than x1 to xn of the header, which all belong to the system, so that solutions and their number are those of the clauses.

use crate::{Equations, Monomial, Polynomial};
use wgalois::Result;
use wgalois_io::budget::Budget;
use wgalois_io::{Source, text};

use super::value::{MOST_TERMS, TERM};

/// Bytes of a variable: its name.
const NAME: u64 = 64;
/// Bytes of a polynomial beside its terms.
const POLYNOMIAL: u64 = 64;
/// Literals after which the time limit is looked at.
const STEP: usize = 1 << 12;

/// True for the line that begins a file.
pub fn is_header(line: &[u8]) -> bool {
    let mut words = text::tokens(line, 0).map(|token| token.text);
    words.next() == Some(b"p") && words.next() == Some(b"cnf")
}

/// A variable, from 0, and whether its value is negated.
type Literal = (u32, bool);

/// A clause or an XOR of literals.
struct Clause<'a> {
    is_xor: bool,
    literals: &'a [Literal],
}

impl Clause<'_> {
    /// The variables that are not negated, without repetitions.
    fn plain(&self) -> Vec<u32> {
        self.variables(false)
    }

    fn variables(&self, is_negated: bool) -> Vec<u32> {
        let own = self.literals.iter().filter(|literal| literal.1 == is_negated).map(|literal| literal.0);
        let mut variables: Vec<u32> = own.collect();
        variables.sort_unstable();
        variables.dedup();
        variables
    }

    /// A bound of the bytes of its polynomial; `None` if it has too many terms.
    fn bytes(&self) -> Option<u64> {
        if self.is_xor {
            return Some(POLYNOMIAL + (TERM + 4) * (self.literals.len() as u64 + 1));
        }
        let plain = self.plain().len() as u32;
        let terms = 1u64.checked_shl(plain).filter(|&terms| terms <= MOST_TERMS)?;
        Some(POLYNOMIAL + terms * (TERM + 4 * self.literals.len() as u64))
    }

    fn polynomial(&self, source: &Source) -> Result<Polynomial> {
        let check = || source.check_end();
        if self.is_xor {
            let negated = self.literals.iter().filter(|literal| literal.1).count();
            let one = (negated % 2 == 0).then(Monomial::one);
            let terms = self.literals.iter().map(|&(variable, _)| Monomial::new([variable]));
            return Polynomial::new_within(terms.chain(one), check);
        }
        let (plain, negated) = (self.plain(), self.variables(true));
        // It has both values of a variable, and holds always.
        if plain.iter().any(|variable| negated.binary_search(variable).is_ok()) {
            return Ok(Polynomial::zero());
        }
        let subset = |chosen: u64| {
            let of_plain = plain.iter().enumerate().filter(move |(bit, _)| chosen >> bit & 1 == 1);
            Monomial::new(of_plain.map(|(_, &variable)| variable).chain(negated.iter().copied()))
        };
        Polynomial::new_within((0..1u64 << plain.len()).map(subset), check)
    }
}

pub fn read(source: &Source, memory: u64) -> Result<Equations> {
    let mut bytes = 0u64;
    let (variables, clauses) = walk(source, |clause, at| {
        let own = clause.bytes().ok_or_else(|| {
            let count = clause.plain().len();
            let message = format!(
                "a clause of {count} literals without a sign: its equation has 2^{count} terms, where at most {MOST_TERMS} are taken"
            );
            source.text_error(at, message)
        })?;
        bytes = bytes.saturating_add(own);
        Ok(())
    })?;
    let names = NAME * variables as u64;
    Budget::new(source, memory).expect(bytes.saturating_add(names))?;
    let mut polynomials = Budget::new(source, memory).room(clauses)?;
    walk(source, |clause, _| {
        polynomials.push(clause.polynomial(source)?);
        Ok(())
    })?;
    Equations::new((1..=variables).map(|number| format!("x{number}")).collect(), polynomials)
}

/// Calls `found` with each clause and its place. Returns the numbers of variables and clauses.
fn walk(source: &Source, mut found: impl FnMut(Clause<'_>, usize) -> Result<()>) -> Result<(usize, usize)> {
    let mut header = None;
    let mut state = State::default();
    let mut lines = super::lines(source.bytes());
    for (begin, line) in lines.by_ref() {
        let trimmed = line.trim_ascii_start();
        let at = begin + line.len() - trimmed.len();
        match (trimmed.first(), header) {
            (None | Some(b'c'), _) => (),
            (Some(b'p'), None) => header = Some(read_header(source, begin, line)?),
            (Some(b'p'), Some(_)) => return Err(source.text_error(at, "a second header")),
            (Some(_), None) => {
                return Err(source.text_error(at, "the header, as in `p cnf 3 2`, was expected"));
            }
            // So files of SATLIB end.
            (Some(b'%'), Some(_)) if trimmed.trim_ascii() == b"%" => break,
            (Some(_), Some((variables, _))) => {
                for token in text::tokens(line, begin) {
                    state.take(source, token, variables, &mut found)?;
                }
            }
        }
    }
    // After the line of SATLIB only a 0 stands.
    let mut is_zero_due = true;
    for token in lines.flat_map(|(begin, line)| text::tokens(line, begin)) {
        if !std::mem::take(&mut is_zero_due) || token.text != b"0" {
            return Err(source.text_error(token.offset, "the end was expected after the line `%` and a 0"));
        }
    }
    let end = source.bytes().len();
    let Some((variables, (clauses, at))) = header else {
        return Err(source.text_error(end, "the header, as in `p cnf 3 2`, was expected"));
    };
    if let Some(begin) = state.begin {
        return Err(source.text_error(begin, "the file ends within this clause: a 0 ends it"));
    }
    match state.count == clauses {
        true => Ok((variables, clauses)),
        false => {
            let found = format!("the file has {} clauses, where the header states {clauses}", state.count);
            Err(source.text_error(at, found))
        }
    }
}

/// The clause that is being read.
#[derive(Default)]
struct State {
    /// Where it begins, if one has begun.
    begin: Option<usize>,
    is_xor: bool,
    literals: Vec<Literal>,
    /// Clauses before it.
    count: usize,
    /// Literals before it.
    seen: usize,
}

impl State {
    fn take(
        &mut self,
        source: &Source,
        token: text::Token<'_>,
        variables: usize,
        found: &mut impl FnMut(Clause<'_>, usize) -> Result<()>,
    ) -> Result<()> {
        let (mut word, mut at) = (token.text, token.offset);
        if self.begin.is_none() {
            self.begin = Some(at);
            self.is_xor = word.first() == Some(&b'x');
            if self.is_xor {
                (word, at) = (&word[1..], at + 1);
                if word.is_empty() {
                    return Ok(());
                }
            }
        }
        let (is_negated, digits) = match word.strip_prefix(b"-") {
            Some(digits) => (true, digits),
            None => (false, word),
        };
        let number = text::decimal(digits).ok().filter(|&number| number <= variables as u64);
        let number = number.filter(|&number| number > 0 || !is_negated).ok_or_else(|| {
            let expected = format!(
                "a literal was expected, from -{variables} to {variables}, or 0, which ends a clause"
            );
            source.text_error(at, format!("{}: {expected}", text::quote(word)))
        })?;
        match number.checked_sub(1) {
            Some(variable) => {
                self.literals.push((variable as u32, is_negated));
                self.seen += 1;
                if self.seen.is_multiple_of(STEP) { source.check_end() } else { Ok(()) }
            }
            None => {
                let begin = self.begin.take().unwrap_or(at);
                let outcome = found(Clause { is_xor: self.is_xor, literals: &self.literals }, begin);
                self.literals.clear();
                self.count += 1;
                outcome
            }
        }
    }
}

/// The number of variables, and that of clauses with its place.
fn read_header(source: &Source, begin: usize, line: &[u8]) -> Result<(usize, (usize, usize))> {
    let words: Vec<text::Token<'_>> = text::tokens(line, begin).take(5).collect();
    let [p, cnf, variables, clauses] = words[..] else {
        return Err(source.text_error(begin, "the header has `p cnf` and two numbers, as in `p cnf 3 2`"));
    };
    if p.text != b"p" || cnf.text != b"cnf" {
        let message =
            format!("{}: `p cnf` was expected", text::quote(if p.text == b"p" { cnf.text } else { p.text }));
        return Err(source.text_error(if p.text == b"p" { cnf.offset } else { p.offset }, message));
    }
    let number = |token: text::Token<'_>, most: u64| {
        let number = text::decimal(token.text).ok().filter(|&number| number <= most);
        number.map(|number| number as usize).ok_or_else(|| {
            let message = format!("{}: a number up to {most} was expected", text::quote(token.text));
            source.text_error(token.offset, message)
        })
    };
    // A clause takes its 0 and a byte before it.
    let most = source.bytes().len() as u64 / 2;
    Ok((number(variables, crate::MAX_VARIABLES as u64)?, (number(clauses, most)?, clauses.offset)))
}

/// The error of equations that are to be written as clauses.
pub fn unsupported() -> std::io::Error {
    std::io::Error::new(std::io::ErrorKind::InvalidInput, "DIMACS is read, not written: clauses are products")
}
