//! The twiddles between the steps of a tile.

use std::fmt::Write as _;

use super::butterfly::{Program, frequency};
use super::reduction::Modulus;
use super::tile::{Place, Shape, Window};

/// log2 of the longest table of a step of whole vectors: a longer one would take as long to read as the
/// data, so that its entries are computed by multiplication instead.
const LOG_TABLE: u32 = 11;

impl Place {
    /// True if the table of the step has only the twiddles of frequency 1, as words, from which those of 2
    /// and 3 are computed.
    fn is_made(self) -> bool {
        self.window == Window::Vectors && self.low + self.bits > LOG_TABLE
    }

    /// Entries of the step's table.
    pub fn twiddles(self) -> u32 {
        match self.low {
            0 => 0,
            low if self.is_made() => 1 << low,
            low => 1 << (low + self.bits),
        }
    }
}

impl Shape {
    /// The twiddles of all steps: for each but the last, 2^s slots by 2^low powers, slot a and power m
    /// at (a << low) | m holding w_{2^(low + s)}^(frequency(a) m), where `root` is w_{2^b}. For a step that
    /// computes twiddles itself, only the powers m of w.
    pub fn twiddles(&self, modulus: Modulus, root: u32) -> Vec<[u32; 2]> {
        let prime = modulus.prime;
        let mut table = Vec::new();
        for place in self.places().into_iter().filter(|place| place.low > 0) {
            let Place { low, bits, .. } = place;
            let w = prime.pow(root, 1 << (self.rows - low - bits));
            let mut powers = |step: u32, entry: &dyn Fn(u32) -> [u32; 2]| {
                let mut power = 1;
                for _ in 0..1 << low {
                    table.push(entry(power));
                    power = prime.mul(power, step);
                }
            };
            if place.is_made() {
                powers(w, &|power| [modulus.variable(power), 0]);
                continue;
            }
            for a in 0..1 << bits {
                powers(prime.pow(w, frequency(a, bits) as u64), &|power| modulus.constant(power));
            }
        }
        table
    }
}

/// The twiddles that a step reads from its table, which begins at `offset`.
pub(super) struct StepTable {
    pub at: Place,
    pub offset: u32,
    pub registers: u32,
}

impl StepTable {
    /// The digit that register `k` holds in the step.
    fn digit(&self, k: usize) -> u32 {
        (k as u32 >> self.at.offset()) & ((1 << self.at.bits) - 1)
    }

    /// The registers whose twiddle is not always 1.
    fn used(&self) -> impl Iterator<Item = usize> {
        (0..1 << self.registers).filter(|&k| self.digit(k) != 0)
    }

    /// Multiplies the registers by the twiddles that [`StepTable::loads`] declares.
    pub fn multiply(&self, program: &mut Program, step: usize) {
        for k in self.used() {
            if self.at.is_made() {
                program.twiddle_word(k, step);
            } else {
                program.twiddle(k, step);
            }
        }
    }

    /// Declarations of `t{step}_{register}`, from `low{step}`.
    pub fn loads(&self, step: usize) -> String {
        let mut text = String::new();
        if self.at.is_made() {
            // Digits 2, 1 and 3 stand at frequencies 1, 2 and 3.
            for lower in 0..1 << self.at.offset() {
                let [one, two, three] = [2, 1, 3].map(|digit| lower | digit << self.at.offset());
                let _ = writeln!(
                    text,
                    "    let t{step}_{one} = twiddles[low{step} + {}u].x;",
                    self.offset + lower
                );
                let _ = writeln!(text, "    let t{step}_{two} = mul_var(t{step}_{one}, t{step}_{one});");
                let _ = writeln!(text, "    let t{step}_{three} = mul_var(t{step}_{two}, t{step}_{one});");
            }
            return text;
        }
        for k in self.used() {
            let lower = k as u32 & ((1 << self.at.offset()) - 1);
            let within = match self.at.window {
                Window::From(w) => lower << w,
                Window::Vectors => lower,
            };
            let at = self.offset + (self.digit(k) << self.at.low) + within;
            let _ = writeln!(text, "    let t{step}_{k} = twiddles[low{step} + {at}u];");
        }
        text
    }
}
