//! The reductions of the kernels, as the host sees them: the form of constants, and what
//! goes in and comes out of a product. The shaders' side is `shaders/ntt/arithmetic.wgsl`.

use serde::Serialize;

use crate::field::Prime;
use crate::gpu::Arithmetic;
use crate::ntt::Reduction;

/// A reduction chosen for a prime and an adapter.
#[derive(Clone, Copy, Debug)]
pub(super) struct Modulus {
    pub prime: Prime,
    reduction: Reduction,
    arithmetic: Arithmetic,
}

/// The template variables of `shaders/ntt/arithmetic.wgsl`.
#[derive(Serialize)]
pub(super) struct ModulusContext {
    p: u32,
    p_inverse: u32,
    reduction: &'static str,
    lazy: bool,
    k: u32,
    mu: u32,
}

impl Modulus {
    pub fn new(prime: Prime, reduction: Reduction, arithmetic: Arithmetic) -> Self {
        // Shoup's products measured fastest for constants (10^9 a second on an H200: 4.1 to
        // Montgomery's 3.2 with 64-bit integers, 3.1 to 1.9 without).
        let reduction = if reduction == Reduction::Auto { Reduction::Shoup } else { reduction };
        Modulus { prime, reduction, arithmetic }
    }

    pub fn context(self) -> ModulusContext {
        let p = self.prime.value();
        let k = u32::BITS - p.leading_zeros();
        ModulusContext {
            p,
            p_inverse: self.prime.p_inverse(),
            reduction: match self.reduction {
                Reduction::Auto | Reduction::Shoup => "shoup",
                Reduction::Montgomery => "montgomery",
                Reduction::Barrett => "barrett",
                Reduction::Plain => "plain",
            },
            lazy: self.is_lazy(),
            k,
            mu: ((1u64 << (2 * k)) / u64::from(p)) as u32,
        }
    }

    /// The pair of words that `mul_const` takes for the constant `w`.
    pub fn constant(self, w: u32) -> [u32; 2] {
        match self.reduction {
            Reduction::Auto | Reduction::Shoup => [w, self.prime.shoup_quotient(w)],
            Reduction::Montgomery => [self.prime.to_montgomery(w), 0],
            Reduction::Barrett | Reduction::Plain => [w, 0],
        }
    }

    /// The word that `mul_var` takes so that x comes out as x w.
    pub fn variable(self, w: u32) -> u32 {
        if self.divides_by_r() { self.prime.to_montgomery(w) } else { w }
    }

    /// The constant that makes up for `mul_var` on two plain values: R or 1.
    pub fn product_factor(self) -> u32 {
        if self.divides_by_r() { self.prime.to_montgomery(1) } else { 1 }
    }

    /// Products take x below this many p; every word has at most this.
    pub fn factor_bound(self) -> u32 {
        match self.reduction {
            Reduction::Barrett | Reduction::Plain => 1,
            _ => self.capacity(),
        }
    }

    /// `mul_const` answers below this many p.
    pub fn constant_product_bound(self) -> u32 {
        match self.reduction {
            Reduction::Auto | Reduction::Shoup if self.is_lazy() && !self.arithmetic.int64 => 4,
            Reduction::Auto | Reduction::Shoup => 2,
            _ => 1,
        }
    }

    /// How many p fit a word.
    pub fn capacity(self) -> u32 {
        u32::MAX / self.prime.value()
    }

    /// Whether 4p fits a word, so that sloppier quotients do.
    fn is_lazy(self) -> bool {
        self.prime.value() < 1 << 30
    }

    fn divides_by_r(self) -> bool {
        !matches!(self.reduction, Reduction::Barrett | Reduction::Plain)
    }
}
