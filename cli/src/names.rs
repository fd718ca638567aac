//! Values of options by their names.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Command};
use wgalois::curve::CurveName;

/// A value of an option: its name, other names that are taken after spaces, what its help says of it, and the value.
pub type Named<T> = (&'static str, &'static str, T);

/// The parser of an option whose help lists these values.
pub fn named<T: Clone + Send + Sync>(table: &'static [Named<T>]) -> impl TypedValueParser<Value = T> {
    let value = |(names, help, _): &Named<T>| {
        let mut names = names.split(' ');
        let value = PossibleValue::new(names.next().unwrap_or_default()).aliases(names);
        if help.is_empty() { value } else { value.help(*help) }
    };
    PossibleValuesParser::new(table.iter().map(value)).try_map(|name| {
        let found = table.iter().find(|(names, ..)| names.split(' ').any(|own| own == name));
        found.map(|(.., value)| value.clone()).ok_or("no such value")
    })
}

/// The parser of `--curve`, whose help lists the curves. It takes other spellings of a name, too, as snarkjs does.
pub fn curves() -> impl TypedValueParser<Value = CurveName> {
    Curves
}

#[derive(Clone)]
struct Curves;

impl TypedValueParser for Curves {
    type Value = CurveName;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<CurveName, clap::Error> {
        match value.to_str().and_then(|name| name.parse().ok()) {
            Some(curve) => Ok(curve),
            // clap's own error lists the names.
            None => listed().parse_ref(command, argument, value),
        }
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(CurveName::all().map(value_of)))
    }
}

fn value_of(name: CurveName) -> PossibleValue {
    PossibleValue::new(name.as_str()).help(name.description())
}

fn listed() -> impl TypedValueParser<Value = CurveName> {
    PossibleValuesParser::new(CurveName::all().map(value_of)).try_map(|name| name.parse::<CurveName>())
}
