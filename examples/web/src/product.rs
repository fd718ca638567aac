//! Factors of products modulo a prime from files, and the check of a product: the package multiplies.

use wasm_bindgen::prelude::*;
use wgalois::field::Prime;
use wgalois::ntt::Product;
use wgalois::{Cpu, Device};
use wgalois_io::Source;
use wgalois_io::coefficients::{self, Format, Residues};

use crate::MEMORY;

/// Reads a file of coefficients modulo `prime`.
#[wasm_bindgen(js_name = readResidues)]
pub fn read_residues(prime: u32, name: String, bytes: Vec<u8>) -> Result<Vec<u32>, JsError> {
    let source = Source::from_bytes(name, bytes);
    let residues = Residues { modulus: Prime::new(prime)?.into(), wrap: false };
    Ok(coefficients::read(&source, Format::of(source.path()), &residues, MEMORY)?)
}

/// Checks that `product` is that of `a` and `b`, and returns how.
#[wasm_bindgen(js_name = checkProduct)]
pub fn check_product(prime: u32, a: Vec<u32>, b: Vec<u32>, product: Vec<u32>) -> Result<String, JsError> {
    let problem = Product::new(Prime::new(prime)?, a.len(), b.len());
    problem.check(&Device::Cpu(Cpu::default()), &a, &b, &product)?;
    Ok("the product's value at random points is that of the factors".into())
}
