//! Products of polynomials modulo a prime.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use wgalois::field::Prime;
use wgalois::ntt::{self, Product};
use wgalois::{Cpu, Device, Error, Result};
use wgalois_io::Source;
use wgalois_io::coefficients::{self, Format, Residues};

use crate::MEMORY;
use crate::job::Task;

/// The largest length of the polynomials that the page offers, as a logarithm.
const MAX_LOG: u32 = 24;

pub struct Multiply {
    prime: Prime,
    a: Vec<u32>,
    b: Vec<u32>,
}

pub fn generate(prime: Prime, log_terms: u32) -> Result<Multiply> {
    if log_terms > MAX_LOG {
        return Err(Error::Usage(format!("2^{log_terms} coefficients: at most 2^{MAX_LOG}")));
    }
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut residues = || (0..1u32 << log_terms).map(|_| random.next_u32() % prime.value()).collect();
    Ok(Multiply { prime, a: residues(), b: residues() })
}

pub fn read(prime: Prime, a: (String, Vec<u8>), b: (String, Vec<u8>)) -> Result<Multiply> {
    let read = |(name, bytes): (String, Vec<u8>)| {
        let source = Source::from_bytes(name, bytes);
        let format = Format::of(source.path());
        coefficients::read(&source, format, &Residues { modulus: prime.into(), wrap: false }, MEMORY)
    };
    Ok(Multiply { prime, a: read(a)?, b: read(b)? })
}

impl Multiply {
    fn product(&self) -> Product {
        Product::new(self.prime, self.a.len(), self.b.len())
    }
}

impl Task for Multiply {
    type Output = Vec<u32>;

    const FILES: &'static [&'static str] = &["product.txt"];

    fn describe(&self) -> String {
        format!("{} by {} coefficients modulo {}", self.a.len(), self.b.len(), self.prime)
    }

    async fn run(&self, device: &Device) -> Result<Vec<u32>> {
        ntt::multiply_async(device, &self.product(), &self.a, &self.b).await
    }

    fn check(&self, product: &Vec<u32>) -> Result<String> {
        self.product().check(&Device::Cpu(Cpu::default()), &self.a, &self.b, product)?;
        Ok("the product's value at random points is that of the factors".into())
    }

    fn write(&self, product: &Vec<u32>, _: usize) -> Result<Vec<u8>> {
        let mut file = Vec::new();
        coefficients::write_residues(&mut file, Format::Text, product)
            .map_err(|e| Error::file("product", e))?;
        Ok(file)
    }
}
