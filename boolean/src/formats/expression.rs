//! Expressions: sums and products of variables, constants and brackets.

use super::names::{Names, Spelling, is_part};
use super::value::{MOST_TERMS, Size, TERM, Value};
use crate::{Monomial, Polynomial};
use wgalois::{Error, Fault, Result};
use wgalois_io::{
    Source,
    budget::{self, Budget},
    text,
};

/// The maximum depth of brackets, since the parser recurses.
const DEEPEST: usize = 64;
/// Bytes of a polynomial beside its terms, with the room that vectors keep.
const POLYNOMIAL: u64 = 64;

/// A reader of expressions in a part of a text.
pub struct Parser<'s, V> {
    source: &'s Source,
    /// The next byte, and the end of the part.
    pub at: usize,
    end: usize,
    /// True if line feeds are white space.
    pub over_lines: bool,
    pub names: Names,
    budget: Budget<'s>,
    account: Account,
    value: std::marker::PhantomData<V>,
}

/// What a parser has counted.
struct Account {
    /// The bytes that it holds, and the most that it has needed.
    held: u64,
    most: u64,
    /// The bytes of the names that it holds, and those that a parser which measures may hold.
    names: u64,
    allowed: u64,
}

/// Returns the error of a source whose polynomials take more than `memory` bytes: the bytes that suffice, by a walk
/// through the whole source, or the first fault in it.
pub fn too_large(
    source: &Source,
    memory: u64,
    spelling: Spelling,
    walk: impl FnOnce(&mut Parser<'_, Size>) -> Result<()>,
) -> Error {
    let mut parser = Parser::new(source, memory, spelling);
    match walk(&mut parser) {
        Err(error) => error,
        Ok(()) => budget::too_large(source, parser.account.most, memory),
    }
}

impl<'s, V: Value> Parser<'s, V> {
    pub fn new(source: &'s Source, memory: u64, spelling: Spelling) -> Self {
        let end = source.bytes().len();
        let budget = Budget::new(source, if V::MEASURES { u64::MAX } else { memory });
        let account = Account { held: source.held(), most: source.held(), names: 0, allowed: memory };
        let names = Names::new(spelling);
        Parser {
            source,
            at: 0,
            end,
            over_lines: false,
            names,
            budget,
            account,
            value: std::marker::PhantomData,
        }
    }

    pub fn source(&self) -> &'s Source {
        self.source
    }

    /// Counts bytes that are held from now on.
    pub fn hold(&mut self, bytes: u64) -> Result<()> {
        self.source.check_end()?;
        self.expect(bytes)?;
        self.account.held = self.account.held.saturating_add(bytes);
        self.budget.take_bytes(bytes)
    }

    /// Counts bytes that are needed for a while.
    fn expect(&mut self, bytes: u64) -> Result<()> {
        self.account.most = self.account.most.max(self.account.held.saturating_add(bytes));
        self.budget.expect(bytes)
    }

    /// Goes to a part of the text.
    pub fn set(&mut self, at: usize, end: usize) {
        (self.at, self.end) = (at, end);
    }

    /// Returns the next byte that is not white space.
    pub fn peek(&mut self) -> Option<u8> {
        let text = &self.source.bytes()[..self.end];
        while let Some(&byte) = text.get(self.at) {
            let is_space = matches!(byte, b' ' | b'\t' | b'\r') || self.over_lines && byte == b'\n';
            if !is_space {
                return Some(byte);
            }
            self.at += 1;
        }
        None
    }

    /// Takes the next byte if it is this one.
    pub fn take(&mut self, byte: u8) -> bool {
        let takes = self.peek() == Some(byte);
        self.at += usize::from(takes);
        takes
    }

    /// Takes words if they come next, with any white space between them.
    pub fn phrase(&mut self, words: &str) -> bool {
        let begin = self.at;
        for word in words.split(' ') {
            self.peek();
            let rest = &self.source.bytes()[self.at..self.end];
            let after = rest.strip_prefix(word.as_bytes());
            if after.is_none_or(|after| after.first().is_some_and(is_part)) {
                self.at = begin;
                return false;
            }
            self.at += word.len();
        }
        true
    }

    /// Returns an error at the next byte.
    pub fn error(&mut self, expected: &str) -> Error {
        let found = match self.peek() {
            None | Some(b'\n') => "the end".to_owned(),
            Some(_) => {
                let rest = String::from_utf8_lossy(&self.source.bytes()[self.at..self.end]);
                let first = rest.chars().next().unwrap_or(' ');
                format!("`{}`", first.escape_debug())
            }
        };
        self.source.text_error(self.at, Fault::Unexpected { expected: expected.to_owned().into(), found })
    }

    /// Returns an error at a byte.
    pub fn error_at(&self, at: usize, message: &str) -> Error {
        self.source.text_error(at, message)
    }

    /// Reads a decimal number.
    pub fn number(&mut self) -> Result<u64> {
        match text::decimal(self.digits()) {
            Ok(number) => Ok(number),
            Err(_) => Err(self.error("a number")),
        }
    }

    /// Reads an equation: a polynomial, or two with `=` between them.
    pub fn equation(&mut self) -> Result<V> {
        let mut equation = self.sum(0)?;
        if self.take(b'=') {
            self.take(b'=');
            let right = self.sum(0)?;
            let mut terms = V::Terms::default();
            equation.add_to(&mut terms);
            right.add_to(&mut terms);
            equation = V::of_terms(terms, self.source)?;
        }
        self.hold(POLYNOMIAL)?;
        // The polynomial is copied when its variables are renumbered.
        let Size { terms, degree } = equation.size();
        self.expect(terms.saturating_mul(degree.saturating_mul(4).saturating_add(TERM)))?;
        Ok(equation)
    }

    fn sum(&mut self, depth: usize) -> Result<V> {
        // Of long sums all terms are sorted once.
        let mut terms = V::Terms::default();
        loop {
            let product = self.product(depth)?;
            self.hold(product.bytes())?;
            product.add_to(&mut terms);
            if !self.take(b'+') {
                return V::of_terms(terms, self.source);
            }
        }
    }

    fn product(&mut self, depth: usize) -> Result<V> {
        let mut product = V::constant(true);
        // Of long products of variables all are sorted once.
        let mut variables = V::Variables::default();
        loop {
            let begin = self.at;
            let factor = self.power(depth)?;
            match factor.size().terms {
                1 => factor.multiply(&mut variables),
                _ => product = self.multiplied(begin, &product, &factor)?,
            }
            if !self.take(b'*') {
                break;
            }
        }
        let variables = V::of_variables(variables);
        match (variables.size(), product.size()) {
            (Size { degree: 0, .. }, _) => Ok(product),
            (_, Size { terms: 1, degree: 0 }) => Ok(variables),
            _ => self.multiplied(self.at, &product, &variables),
        }
    }

    fn multiplied(&mut self, begin: usize, product: &V, factor: &V) -> Result<V> {
        self.source.check_end()?;
        let (a, b) = (product.size(), factor.size());
        let count = a.terms.saturating_mul(b.terms);
        if count > MOST_TERMS && !V::MEASURES {
            let message = format!("a product of more than {MOST_TERMS} terms");
            return Err(self.source.text_error(begin, message));
        }
        let (count, degree) = (count.min(MOST_TERMS), a.degree.saturating_add(b.degree));
        self.expect(count.saturating_mul(degree.saturating_mul(8).saturating_add(2 * TERM)))?;
        product.times(factor, self.source)
    }

    /// Reads a factor with an exponent, `x^2` or `x**2`, if there is one.
    fn power(&mut self, depth: usize) -> Result<V> {
        let factor = self.factor(depth)?;
        let rest = &self.source.bytes()[..self.end];
        if self.peek() == Some(b'*') && rest.get(self.at + 1) == Some(&b'*') {
            self.at += 2;
        } else if !self.take(b'^') {
            return Ok(factor);
        }
        self.peek();
        match self.digits() {
            b"" => Err(self.error("an exponent")),
            digits if digits.iter().all(|&digit| digit == b'0') => Ok(V::constant(true)),
            // p^2 = p for every value of p.
            _ => Ok(factor),
        }
    }

    fn factor(&mut self, depth: usize) -> Result<V> {
        match self.peek() {
            Some(b'(') if depth >= DEEPEST => Err(self.error("an expression with fewer brackets")),
            Some(b'(') => {
                self.at += 1;
                let inner = self.sum(depth + 1)?;
                if self.take(b')') { Ok(inner) } else { Err(self.error("`)`")) }
            }
            Some(b'0'..=b'9') => {
                let begin = self.at;
                match self.digits() {
                    b"0" => Ok(V::constant(false)),
                    b"1" => Ok(V::constant(true)),
                    _ => Err(self.source.text_error(begin, "a coefficient over GF(2) is 0 or 1")),
                }
            }
            Some(_) if self.begins_name() => self.variable().map(V::variable),
            _ => Err(self.error("a variable, 0, 1 or `(`")),
        }
    }

    /// True if the next byte begins a name.
    pub fn begins_name(&mut self) -> bool {
        self.peek().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_')
    }

    /// Reads the name of a variable, which may be new, and returns its number.
    pub fn variable(&mut self) -> Result<u32> {
        let begin = self.at;
        let name = self.name()?;
        if self.names.known(&name).is_none() {
            let bytes = Names::bytes_of(&name);
            self.hold(bytes)?;
            self.account.names += bytes;
            if V::MEASURES && self.account.names > self.account.allowed {
                // A name that is not remembered counts at each of its occurrences.
                return Ok(0);
            }
        }
        self.names.number(&name).map_err(|message| self.source.text_error(begin, message))
    }

    fn digits(&mut self) -> &'s [u8] {
        let text = &self.source.bytes()[self.at..self.end];
        let count = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.at += count;
        &text[..count]
    }

    /// Reads a name: letters, digits and underscores, then indices in brackets, if any.
    pub fn name(&mut self) -> Result<String> {
        let text = &self.source.bytes()[self.at..self.end];
        let count = text.iter().take_while(|byte| is_part(byte)).count();
        let mut name = String::from_utf8_lossy(&text[..count]).into_owned();
        self.at += count;
        let (open, close) = match text.get(count) {
            Some(b'(') => ('(', ')'),
            Some(b'[') => ('[', ']'),
            _ => return Ok(name),
        };
        self.at += 1;
        name.push(open);
        loop {
            self.peek();
            let digits = self.digits();
            if digits.is_empty() {
                return Err(self.error("an index"));
            }
            name += &String::from_utf8_lossy(digits);
            if self.take(close as u8) {
                name.push(close);
                return Ok(name);
            }
            if !self.take(b',') {
                return Err(self.error(&format!("`,` or `{close}`")));
            }
            name.push(',');
        }
    }
}

/// Returns a polynomial as text: `x1*x2 + x3 + 1`.
pub fn written(polynomial: &Polynomial, names: &[String]) -> String {
    if polynomial.is_zero() {
        return "0".to_owned();
    }
    let name = |&variable: &u32| names.get(variable as usize).map_or("?", |name| name);
    let product = |term: &Monomial| match term.variables() {
        [] => "1".to_owned(),
        variables => variables.iter().map(name).collect::<Vec<_>>().join("*"),
    };
    polynomial.terms().iter().map(product).collect::<Vec<_>>().join(" + ")
}
