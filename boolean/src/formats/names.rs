//! The names of variables: spelled as the file spells them, numbered as they occur, ordered by their numbers.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

use crate::{Equations, MAX_VARIABLES, Polynomial};
use wgalois::Result;
use wgalois_io::Source;

/// Which spellings are one variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// Each spelling is a variable of its own.
    Exact,
    /// The spellings that are the same [`canonical`] name are one variable, so a file may have only one of them.
    Folded,
}

impl Spelling {
    fn key(self, name: &str) -> String {
        match self {
            Spelling::Exact => name.to_owned(),
            Spelling::Folded => canonical(name),
        }
    }
}

/// Names of variables, numbered as they occur.
pub struct Names {
    spelling: Spelling,
    numbers: HashMap<String, u32>,
    /// The names as they are spelled, by number.
    spelled: Vec<String>,
}

impl Names {
    pub fn new(spelling: Spelling) -> Self {
        Names { spelling, numbers: HashMap::new(), spelled: Vec::new() }
    }

    /// Returns a bound of the bytes that a name takes: in the map, the list, and the order of the names.
    pub fn bytes_of(name: &str) -> u64 {
        256 + 2 * name.len() as u64
    }

    /// Returns the names as they are spelled, by number.
    pub fn spelled(&self) -> &[String] {
        &self.spelled
    }

    /// Returns the number of a name that has occurred.
    pub fn known(&self, name: &str) -> Option<u32> {
        match self.spelling {
            Spelling::Exact => self.numbers.get(name).copied(),
            Spelling::Folded => self.numbers.get(&canonical(name)).copied(),
        }
    }

    /// Returns the number of a name, a new one at its first occurrence. Refuses too many names, and another spelling
    /// of one that has occurred.
    pub fn number(&mut self, name: &str) -> Result<u32, String> {
        if let Some(number) = self.known(name) {
            let first = &self.spelled[number as usize];
            return match first == name {
                true => Ok(number),
                false => Err(format!(
                    "`{name}` and `{first}` are spellings of one variable in this format: one spelling of it was \
                     expected"
                )),
            };
        }
        let number = self.spelled.len();
        if number >= MAX_VARIABLES {
            return Err(format!("more than {MAX_VARIABLES} variables"));
        }
        self.numbers.insert(self.spelling.key(name), number as u32);
        self.spelled.push(name.to_owned());
        Ok(number as u32)
    }

    /// Makes the system of polynomials in these variables, which are renumbered by their names.
    pub fn equations(mut self, polynomials: Vec<Polynomial>, source: &Source) -> Result<Equations> {
        let names = std::mem::take(&mut self.spelled).into_iter().map(Natural);
        let sorted: BTreeMap<Natural, u32> = names.zip(0..).collect();
        let mut places = vec![0; sorted.len()];
        for (place, &number) in sorted.values().enumerate() {
            places[number as usize] = place as u32;
        }
        let renumber = |polynomial: Polynomial| {
            polynomial.renumbered_within(|v| places[v as usize], || source.check_end())
        };
        let polynomials = polynomials.into_iter().map(renumber).collect::<Result<_>>()?;
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

/// Returns the name that stands, in ANF, for all spellings of a variable: x1 for X1, x(1) and x01.
pub fn canonical(name: &str) -> String {
    let number = name.strip_prefix(['x', 'X']).map(|rest| {
        let inner = rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
        inner.unwrap_or(rest)
    });
    match number.filter(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())) {
        Some(digits) => match digits.trim_start_matches('0') {
            "" => "x0".to_owned(),
            digits => format!("x{digits}"),
        },
        None => name.to_owned(),
    }
}

/// True for the letters, digits and the underscore of names.
pub fn is_part(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || *byte == b'_'
}

/// True if a text is a name that the readers take: a word, perhaps with indices in brackets.
pub fn is_name(text: &str) -> bool {
    let count = text.bytes().take_while(is_part).count();
    let (word, rest) = text.split_at(count);
    let indices = match rest.as_bytes() {
        [] => None,
        [b'(', .., b')'] | [b'[', .., b']'] => Some(&rest[1..rest.len() - 1]),
        _ => return false,
    };
    let is_index = |index: &str| !index.is_empty() && index.bytes().all(|byte| byte.is_ascii_digit());
    !word.is_empty()
        && !word.as_bytes()[0].is_ascii_digit()
        && indices.is_none_or(|indices| indices.split(',').all(is_index))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_variable() {
        for (name, expected) in [
            ("x1", "x1"),
            ("X1", "x1"),
            ("x(1)", "x1"),
            ("X(01)", "x1"),
            ("x00", "x0"),
            ("x(1,2)", "x(1,2)"),
            ("x[1]", "x[1]"),
            ("k01", "k01"),
            ("x", "x"),
            ("x()", "x()"),
            ("X", "X"),
        ] {
            assert_eq!(canonical(name), expected);
        }
        let mut exact = Names::new(Spelling::Exact);
        let mut folded = Names::new(Spelling::Folded);
        for (number, name) in ["x1", "X1", "x01", "x(1)"].iter().enumerate() {
            assert_eq!(exact.number(name), Ok(number as u32));
            assert_eq!(folded.number(name).is_ok(), number == 0, "{name}");
        }
        let system = exact.equations(vec![Polynomial::variable(2)], &Source::from_bytes("f", "")).unwrap();
        assert_eq!(system.names(), ["X1", "x(1)", "x01", "x1"]);
        assert_eq!(system.polynomials(), [Polynomial::variable(2)]);
    }

    #[test]
    fn what_is_a_name() {
        for name in ["a", "x1", "_", "S_a[1,2]", "x(01)", "K[7]"] {
            assert!(is_name(name), "{name}");
        }
        for text in
            ["", "1", "1a", "a b", "a+b", "x(", "x()", "x(1]", "x(1,)", "x(a)", "[1]", "\u{fc}", "x(1)2"]
        {
            assert!(!is_name(text), "{text}");
        }
    }
}
