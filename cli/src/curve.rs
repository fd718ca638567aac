//! The names of curves as values of options.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use wgalois::curve::CurveName;

/// The parser of `--curve`, whose help lists the curves.
pub fn names() -> impl TypedValueParser<Value = CurveName> {
    let value = |name: CurveName| PossibleValue::new(name.as_str()).help(name.description());
    PossibleValuesParser::new(CurveName::all().map(value)).try_map(|name| name.parse::<CurveName>())
}
