//! What tests expect of the kernels that compute in large fields.

use ark_ff::PrimeField;

use super::big::split;
use super::bound::Product;
use super::{BigField, CoordinateField, Formula, Mark, PrimeOf};

impl Formula {
    /// Runs the formula on the host, over any field, as the shader does: an oracle. Over an extension each register has an
    /// element of the prime field or, where threads share coordinates, a coordinate.
    pub fn run<F: ark_ff::Field>(&self, registers: &mut Vec<F>) -> Vec<Mark> {
        registers.resize(registers.len().max(self.registers as usize), F::ZERO);
        let mut marks = Vec::new();
        // The first product of a marked value in an extension: whether it is 0.
        let mut half = None;
        for step in &self.steps {
            let scaled = |factor: i32, register: u32| registers[register as usize] * F::from(factor);
            let first = registers[step.first as usize];
            let second = step.second.map_or(F::ONE, |second| registers[second as usize]);
            let other = step.others.map_or(F::ZERO, |[a, b]| registers[a as usize] * registers[b as usize]);
            let product = match step.product {
                Product::Single | Product::Sum => first * second + other,
                // `F` is the extension.
                Product::Shared(_) => first * second,
                Product::Difference(k) => first * second - F::from(k) * other,
                Product::Square => first.square() - second.square(),
            };
            let terms: F = step.terms.iter().map(|(factor, register)| scaled(*factor, *register)).sum();
            let value = F::from(step.scale) * product + terms;
            match step.mark {
                Some(Mark::Half) => half = Some(value.is_zero()),
                Some(mark) => marks.extend((half.take() != Some(false) && value.is_zero()).then_some(mark)),
                None => {}
            }
            if !marks.contains(&Mark::SameX) || half.is_some() {
                registers[step.destination as usize] = value;
            }
        }
        marks
    }
}

impl BigField {
    /// `x` as the device keeps it: x R mod p in `words` words of 32 bits for each of its elements.
    pub fn to_device<F: CoordinateField>(&self, x: &F) -> Vec<u32> {
        let radix = self.radix::<PrimeOf<F>>();
        let words = |x: PrimeOf<F>| split((x * radix).into_bigint().as_ref(), 32, self.words);
        x.to_base_prime_field_elements().flat_map(words).collect()
    }
}
