//! Expressions: sums and products of variables, constants and brackets.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

use crate::boolean::{Equations, MAX_VARIABLES, Monomial, Polynomial};
use crate::io::{Source, budget::Budget, text};
use crate::{Error, Result};

/// The maximum depth of brackets, since the parser recurses.
const DEEPEST: usize = 64;
/// The maximum number of terms of a product of brackets.
const MOST_TERMS: usize = 1 << 22;

/// Bytes of a term beside its variables, with the room that vectors keep.
const TERM: u64 = 48;

/// The bytes that a term takes.
fn bytes_of(term: &Monomial) -> u64 {
    TERM + 4 * term.degree() as u64
}

/// Names of variables, numbered as they occur.
#[derive(Default)]
pub struct Names {
    numbers: HashMap<String, u32>,
}

impl Names {
    /// Returns the number of a name that has occurred.
    pub fn known(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    /// Returns the number of a name, a new one at its first occurrence; `None` for too many.
    pub fn number(&mut self, name: String) -> Option<u32> {
        let next = self.numbers.len();
        match self.numbers.get(&name) {
            Some(&number) => Some(number),
            None if next >= MAX_VARIABLES => None,
            None => {
                self.numbers.insert(name, next as u32);
                Some(next as u32)
            }
        }
    }

    /// Makes the system of polynomials in these variables, which are renumbered by their names.
    ///
    /// # Errors
    /// Those of [`Equations::new`].
    pub fn equations(self, polynomials: Vec<Polynomial>) -> Result<Equations> {
        let sorted: BTreeMap<Natural, u32> =
            self.numbers.into_iter().map(|(name, number)| (Natural(name), number)).collect();
        let mut places = vec![0; sorted.len()];
        for (place, &number) in sorted.values().enumerate() {
            places[number as usize] = place as u32;
        }
        let renumber = |polynomial: &Polynomial| polynomial.renumbered(|v| places[v as usize]);
        let polynomials = polynomials.iter().map(renumber).collect();
        Equations::new(sorted.into_keys().map(|name| name.0).collect(), polynomials)
    }
}

/// A name in the order in which its numbers count as numbers.
#[derive(PartialEq, Eq)]
struct Natural(String);

impl Ord for Natural {
    fn cmp(&self, other: &Self) -> Ordering {
        let (mut a, mut b) = (self.0.as_bytes(), other.0.as_bytes());
        loop {
            let (x, y) = match (a.first(), b.first()) {
                (Some(x), Some(y)) => (x, y),
                // Names that differ in leading zeros only.
                _ => return a.len().cmp(&b.len()).then_with(|| self.0.cmp(&other.0)),
            };
            if x.is_ascii_digit() && y.is_ascii_digit() {
                let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
                let ((n, rest_a), (m, rest_b)) = (a.split_at(digits(a)), b.split_at(digits(b)));
                let plain = |digits: &[u8]| digits.iter().position(|&d| d != b'0').unwrap_or(digits.len());
                let (n, m) = (&n[plain(n)..], &m[plain(m)..]);
                let order = n.len().cmp(&m.len()).then_with(|| n.cmp(m));
                if order != Ordering::Equal {
                    return order;
                }
                (a, b) = (rest_a, rest_b);
            } else if x != y {
                return x.cmp(y);
            } else {
                (a, b) = (&a[1..], &b[1..]);
            }
        }
    }
}

impl PartialOrd for Natural {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A reader of expressions in a part of a text.
pub struct Parser<'s> {
    source: &'s Source,
    /// The next byte, and the end of the part.
    pub at: usize,
    end: usize,
    /// True if line feeds are white space.
    lines: bool,
    pub names: Names,
    budget: Budget<'s>,
}

impl<'s> Parser<'s> {
    pub fn new(source: &'s Source, memory: u64, lines: bool) -> Self {
        let end = source.bytes().len();
        Parser { source, at: 0, end, lines, names: Names::default(), budget: Budget::new(source, memory) }
    }

    /// Goes to a part of the text.
    pub fn set(&mut self, at: usize, end: usize) {
        (self.at, self.end) = (at, end);
    }

    /// Returns the next byte that is not white space.
    pub fn peek(&mut self) -> Option<u8> {
        let text = &self.source.bytes()[..self.end];
        while let Some(&byte) = text.get(self.at) {
            let is_space = matches!(byte, b' ' | b'\t' | b'\r') || self.lines && byte == b'\n';
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
        self.source.text_error(self.at, format!("{expected} was expected, not {found}"))
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
    pub fn equation(&mut self) -> Result<Polynomial> {
        let left = self.sum(0)?;
        if !self.take(b'=') {
            return Ok(left);
        }
        self.take(b'=');
        Ok(left.plus(&self.sum(0)?))
    }

    fn sum(&mut self, depth: usize) -> Result<Polynomial> {
        // Of long sums all terms are sorted once.
        let mut terms = Vec::new();
        loop {
            let product = self.product(depth)?;
            self.budget.take_bytes(product.terms().iter().map(bytes_of).sum())?;
            terms.extend_from_slice(product.terms());
            if !self.take(b'+') {
                return Ok(Polynomial::new(terms));
            }
        }
    }

    fn product(&mut self, depth: usize) -> Result<Polynomial> {
        let mut product = Polynomial::one();
        // Of long products of variables all are sorted once.
        let mut variables = Vec::new();
        loop {
            let begin = self.at;
            let factor = self.power(depth)?;
            match factor.terms() {
                [term] => variables.extend_from_slice(term.variables()),
                terms => {
                    let count = product.terms().len().saturating_mul(terms.len());
                    if count > MOST_TERMS {
                        let message = format!("a product of more than {MOST_TERMS} terms");
                        return Err(self.source.text_error(begin, message));
                    }
                    let degree = product.degree() + factor.degree();
                    self.budget.expect((count as u64).saturating_mul(2 * TERM + 8 * degree as u64))?;
                    product = product.times(&factor);
                }
            }
            if !self.take(b'*') {
                break;
            }
        }
        match (variables.is_empty(), product.is_one()) {
            (true, _) => Ok(product),
            (false, true) => Ok(Polynomial::new([Monomial::new(variables)])),
            (false, false) => {
                let terms = product.terms().len() as u64;
                let degree = (product.degree() + variables.len()) as u64;
                self.budget.expect(terms.saturating_mul(2 * TERM + 8 * degree))?;
                Ok(product.times_monomial(&Monomial::new(variables)))
            }
        }
    }

    /// Reads a factor with an exponent, `x^2` or `x**2`, if there is one.
    fn power(&mut self, depth: usize) -> Result<Polynomial> {
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
            digits if digits.iter().all(|&digit| digit == b'0') => Ok(Polynomial::one()),
            // p^2 = p for every value of p.
            _ => Ok(factor),
        }
    }

    fn factor(&mut self, depth: usize) -> Result<Polynomial> {
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
                    b"0" => Ok(Polynomial::zero()),
                    b"1" => Ok(Polynomial::one()),
                    _ => Err(self.source.text_error(begin, "a coefficient over GF(2) is 0 or 1")),
                }
            }
            Some(b'a'..=b'z' | b'A'..=b'Z' | b'_') => {
                let begin = self.at;
                let name = self.name()?;
                self.budget.take::<u8>(name.len() as u64 + 64)?;
                let too_many =
                    || self.source.text_error(begin, format!("more than {MAX_VARIABLES} variables"));
                Ok(Polynomial::variable(self.names.number(name).ok_or_else(too_many)?))
            }
            _ => Err(self.error("a variable, 0, 1 or `(`")),
        }
    }

    fn digits(&mut self) -> &'s [u8] {
        let text = &self.source.bytes()[self.at..self.end];
        let count = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.at += count;
        &text[..count]
    }

    /// Reads a name: letters, digits and underscores, then indices in brackets, if any. `x(1)` and `X1` are `x1`.
    pub fn name(&mut self) -> Result<String> {
        let text = &self.source.bytes()[self.at..self.end];
        let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
        let count = text.iter().take_while(is_part).count();
        let word = String::from_utf8_lossy(&text[..count]).into_owned();
        self.at += count;
        let close = match text.get(count) {
            Some(b'(') => b')',
            Some(b'[') => b']',
            _ => return Ok(canonical(&word)),
        };
        let open = text[count] as char;
        self.at += 1;
        let mut indices = String::new();
        loop {
            self.peek();
            let digits = self.digits();
            if digits.is_empty() {
                return Err(self.error("an index"));
            }
            indices += &String::from_utf8_lossy(digits);
            if self.take(close) {
                break;
            }
            if !self.take(b',') {
                return Err(self.error(&format!("`,` or `{}`", close as char)));
            }
            indices.push(',');
        }
        if open == '(' && matches!(&word[..], "x" | "X") && !indices.contains(',') {
            return Ok(canonical(&format!("x{indices}")));
        }
        Ok(format!("{word}{open}{indices}{}", close as char))
    }
}

/// Returns the name that stands for all spellings of a variable: x1 for X1, x(1) and x01.
pub fn canonical(word: &str) -> String {
    let inner = word.strip_prefix(['x', 'X']).and_then(|rest| rest.strip_prefix('(')?.strip_suffix(')'));
    if let Some(inner) = inner.filter(|inner| !inner.contains(',')) {
        return canonical(&format!("x{}", inner.trim()));
    }
    let digits = word.strip_prefix(['x', 'X']);
    match digits.filter(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())) {
        Some(digits) => match digits.trim_start_matches('0') {
            "" => "x0".to_owned(),
            digits => format!("x{digits}"),
        },
        None => word.to_owned(),
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
