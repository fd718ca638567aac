//! Values of options by their names.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
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

/// The parser of `--curve`, whose help lists the curves.
pub fn curves() -> impl TypedValueParser<Value = CurveName> {
    let value = |name: CurveName| PossibleValue::new(name.as_str()).help(name.description());
    PossibleValuesParser::new(CurveName::all().map(value)).try_map(|name| name.parse::<CurveName>())
}
