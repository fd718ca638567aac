//! The kernels, compiled once for every set of instructions.

use super::arithmetic::{Factor, Field, Shoup};
use super::cooley_tukey::Down;
use super::gentleman_sande::Up;
use super::lanes::{Lanes, Scalar};
use super::network::{self, Direction};
use super::reorder;
use super::residues;
use super::tables::{Block, Factors, Tables};
use crate::field::Prime;
use crate::ntt::conversion::{Centring, Combination};
use std::ops::Range;

/// Vector instructions that the engine has kernels for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Instructions {
    /// None: one word at a time.
    Scalar,
    /// Eight words at a time (x86-64).
    Avx2,
    /// Sixteen words at a time (x86-64): AVX-512F.
    Avx512,
    /// Four words at a time (64-bit ARM).
    Neon,
}

impl Instructions {
    /// The sets of instructions that this processor has, the widest last.
    pub fn available() -> Vec<Self> {
        let all = [Instructions::Scalar, Instructions::Avx2, Instructions::Avx512, Instructions::Neon];
        all.into_iter().filter(|instructions| instructions.kernels().is_some()).collect()
    }

    /// The widest set that this processor has.
    pub fn widest() -> Self {
        Self::available().pop().unwrap_or(Instructions::Scalar)
    }

    /// The kernels, if this processor can run them.
    pub(super) fn kernels(self) -> Option<&'static Kernels> {
        match self {
            Instructions::Scalar => Some(&scalar::KERNELS),
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 if is_x86_feature_detected!("avx2") => Some(&avx2::KERNELS),
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 if is_x86_feature_detected!("avx512f") => Some(&avx512::KERNELS),
            #[cfg(target_arch = "aarch64")]
            Instructions::Neon => Some(&neon::KERNELS),
            _ => None,
        }
    }
}

impl std::fmt::Display for Instructions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Instructions::Scalar => "scalar",
            Instructions::Avx2 => "AVX2",
            Instructions::Avx512 => "AVX-512",
            Instructions::Neon => "NEON",
        })
    }
}

/// The kernels of one direction of the transform.
#[derive(Debug)]
pub(super) struct Network {
    block: unsafe fn(&mut [u32], &Tables, Block),
    interleaved: unsafe fn(&mut [u32], &Tables, Block),
    pass: unsafe fn(*mut u32, usize, Range<usize>, &Tables, Block),
}

/// All kernels for one set of instructions. A value exists only if the processor has these instructions,
/// see [`Instructions::kernels`]; the safety of every call below relies on that.
#[derive(Debug)]
pub(super) struct Kernels {
    /// The words of a vector, a power of two.
    pub lanes: usize,
    /// From natural order to bit-reversed order.
    pub down: Network,
    /// From bit-reversed order to natural order.
    pub up: Network,
    below: unsafe fn(&[u32], Prime) -> bool,
    scale: unsafe fn(&mut [u32], &[u32], &[u32], Prime),
    quotients: unsafe fn(&mut [u32], &[u32], Prime),
    multiply: unsafe fn(&mut [u32], &[u32], Prime),
    reverse: unsafe fn(*mut u32, u32, Range<usize>),
    centre: unsafe fn(&mut [u32], &[u32], &Centring),
    combine: unsafe fn(&mut [u32], [&[u32]; 2], &Combination),
}

impl Network {
    /// Transforms a whole block, whose tables were made for blocks.
    pub fn block(&self, data: &mut [u32], tables: &Tables, at: Block) {
        // SAFETY: see `Kernels`; a plan whose vectors are shorter than 16 vectors of lanes is
        // interleaved, and longer ones are halved until at most 2^13 words are left.
        unsafe { (self.block)(data, tables, at) }
    }

    /// Transforms vectors that are interleaved lane by lane, with tables made for that.
    pub fn interleaved(&self, data: &mut [u32], tables: &Tables) {
        // SAFETY: see `Kernels`; a plan passes a power of two of entries for each lane.
        unsafe { (self.interleaved)(data, tables, Block::ROOT) }
    }

    /// Does two levels of the block of four times `quarter` words at `block`, only in its `columns`.
    ///
    /// # Safety
    /// The block must be valid, and no other thread may access the columns meanwhile.
    pub unsafe fn pass(
        &self,
        block: *mut u32,
        quarter: usize,
        columns: Range<usize>,
        tables: &Tables,
        at: Block,
    ) {
        // SAFETY: guaranteed by the caller, and see `Kernels`.
        unsafe { (self.pass)(block, quarter, columns, tables, at) }
    }
}

impl Kernels {
    /// True if all words are below p.
    pub fn below(&self, words: &[u32], prime: Prime) -> bool {
        // SAFETY: see `Kernels`.
        unsafe { (self.below)(words, prime) }
    }

    /// Multiplies the words by factors that repeat, both in whole vectors.
    pub fn scale(&self, words: &mut [u32], by: &Factors, prime: Prime) {
        // SAFETY: see `Kernels`.
        unsafe { (self.scale)(words, &by.w, &by.quotients, prime) }
    }

    /// Computes Shoup's quotients of whole vectors.
    pub fn quotients(&self, quotients: &mut [u32], w: &[u32], prime: Prime) {
        // SAFETY: see `Kernels`.
        unsafe { (self.quotients)(quotients, w, prime) }
    }

    /// Replaces a by a b / 2^32.
    pub fn multiply(&self, a: &mut [u32], b: &[u32], prime: Prime) {
        let whole = a.len() / self.lanes * self.lanes;
        let ((a, a_rest), (b, b_rest)) = (a.split_at_mut(whole), b.split_at(whole));
        let mut last = [[0; 16]; 2];
        last[0][..a_rest.len()].copy_from_slice(a_rest);
        last[1][..b_rest.len()].copy_from_slice(b_rest);
        let [last_a, last_b] = &mut last;
        // SAFETY: see `Kernels`.
        unsafe {
            (self.multiply)(a, b, prime);
            (self.multiply)(last_a, last_b, prime);
        }
        a_rest.copy_from_slice(&last_a[..a_rest.len()]);
    }

    /// Writes the integers nearest to 0 of residues, modulo a prime, to a slice of their length.
    pub fn centre(&self, to: &mut [u32], from: &[u32], centring: &Centring) {
        let whole = from.len() / self.lanes * self.lanes;
        let ((to, to_rest), (from, from_rest)) = (to.split_at_mut(whole), from.split_at(whole));
        let mut last = [[0; 16]; 2];
        last[1][..from_rest.len()].copy_from_slice(from_rest);
        let [last_to, last_from] = &mut last;
        // SAFETY: see `Kernels`.
        unsafe {
            (self.centre)(to, from, centring);
            (self.centre)(last_to, last_from, centring);
        }
        to_rest.copy_from_slice(&last_to[..to_rest.len()]);
    }

    /// Replaces residues modulo the first prime by those modulo the number of `combination`, which says how many slices count.
    pub fn combine(&self, first: &mut [u32], others: [&[u32]; 2], combination: &Combination) {
        let whole = first.len() / self.lanes * self.lanes;
        let (first, first_rest) = first.split_at_mut(whole);
        let mut last = [[0; 16]; 3];
        last[0][..first_rest.len()].copy_from_slice(first_rest);
        for (last, other) in last[1..].iter_mut().zip(&others[..combination.count - 1]) {
            last[..first_rest.len()].copy_from_slice(&other[whole..]);
        }
        let [last_first, others_last @ ..] = &mut last;
        // SAFETY: see `Kernels`.
        unsafe {
            (self.combine)(first, others, combination);
            (self.combine)(last_first, others_last.each_ref().map(|last| &last[..]), combination);
        }
        first_rest.copy_from_slice(&last_first[..first_rest.len()]);
    }

    /// The number of pieces of [`Kernels::reverse`].
    pub fn reverse_pieces(&self, log_n: u32) -> usize {
        1 << log_n.saturating_sub(2 * self.lanes.ilog2())
    }

    /// Does some pieces of the bit reversal of 2^`log_n` words.
    ///
    /// # Safety
    /// The words must be valid, and no other thread may access them except to do other pieces.
    pub unsafe fn reverse(&self, words: *mut u32, log_n: u32, pieces: Range<usize>) {
        // SAFETY: guaranteed by the caller, and see `Kernels`.
        unsafe { (self.reverse)(words, log_n, pieces) }
    }
}

/// # Safety
/// The processor must have the instructions of `V`.
#[inline(always)]
unsafe fn below<V: Lanes>(words: &[u32], prime: Prime) -> bool {
    let (vectors, rest) = words.split_at(words.len() / V::COUNT * V::COUNT);
    // SAFETY: guaranteed by the caller; chunks are whole vectors.
    let largest = unsafe {
        let mut largest = V::splat(0);
        for chunk in vectors.chunks_exact(V::COUNT) {
            largest = largest.max(V::load(chunk.as_ptr()));
        }
        let mut lanes = [0; 16];
        largest.store(lanes.as_mut_ptr());
        lanes
    };
    largest.iter().chain(rest).all(|&word| word < prime.value())
}

/// # Safety
/// The processor must have the instructions of `V`.
#[inline(always)]
unsafe fn scale<V: Lanes>(words: &mut [u32], w: &[u32], quotients: &[u32], prime: Prime) {
    // SAFETY: guaranteed by the caller; chunks are whole vectors.
    unsafe {
        let field = Field::<V>::new(prime);
        for words in words.chunks_exact_mut(w.len()) {
            let factors = w.chunks_exact(V::COUNT).zip(quotients.chunks_exact(V::COUNT));
            for (x, (w, quotient)) in words.chunks_exact_mut(V::COUNT).zip(factors) {
                let factor = Factor::load(w.as_ptr(), quotient.as_ptr());
                field.scale(V::load(x.as_ptr()), factor).store(x.as_mut_ptr());
            }
        }
    }
}

/// # Safety
/// The processor must have the instructions of `V`.
#[inline(always)]
unsafe fn quotients<V: Lanes>(quotients: &mut [u32], w: &[u32], prime: Prime) {
    // SAFETY: guaranteed by the caller; chunks are whole vectors.
    unsafe {
        let field = Field::<V>::new(prime);
        let radix = Factor::splat(Shoup::new(prime, prime.to_montgomery(1)));
        for (q, w) in quotients.chunks_exact_mut(V::COUNT).zip(w.chunks_exact(V::COUNT)) {
            field.quotient(V::load(w.as_ptr()), radix).store(q.as_mut_ptr());
        }
    }
}

/// # Safety
/// The processor must have the instructions of `V`.
#[inline(always)]
unsafe fn multiply<V: Lanes>(a: &mut [u32], b: &[u32], prime: Prime) {
    // SAFETY: guaranteed by the caller; chunks are whole vectors.
    unsafe {
        let field = Field::<V>::new(prime);
        for (a, b) in a.chunks_exact_mut(V::COUNT).zip(b.chunks_exact(V::COUNT)) {
            field.montgomery(V::load(a.as_ptr()), V::load(b.as_ptr())).store(a.as_mut_ptr());
        }
    }
}

/// A function that calls a generic one.
macro_rules! kernel {
    ($(#[$attribute:meta])? $name:ident($($arg:ident: $ty:ty),*) $(-> $out:ty)? = $generic:path) => {
        $(#[$attribute])?
        unsafe fn $name($($arg: $ty),*) $(-> $out)? {
            // SAFETY: guaranteed by the caller.
            unsafe { $generic($($arg),*) }
        }
    };
}

/// The table of the kernels for one type of vectors. Each is a function that has the
/// instructions enabled and calls the generic one, so that all of it is compiled with them.
macro_rules! kernels {
    ($module:ident, $vector:ty, $lanes:literal $(, $features:literal)?) => {
        mod $module {
            use super::*;

            // Each of these requires of its caller what the generic function that it calls requires.

            kernel!($(#[target_feature(enable = $features)])?
                block_down(data: &mut [u32], tables: &Tables, at: Block)
                = network::block::<Down, $vector, $lanes>);
            kernel!($(#[target_feature(enable = $features)])?
                block_up(data: &mut [u32], tables: &Tables, at: Block)
                = network::block::<Up, $vector, $lanes>);
            kernel!($(#[target_feature(enable = $features)])?
                interleaved_down(data: &mut [u32], tables: &Tables, at: Block)
                = network::interleaved::<Down, $vector>);
            kernel!($(#[target_feature(enable = $features)])?
                interleaved_up(data: &mut [u32], tables: &Tables, at: Block)
                = network::interleaved::<Up, $vector>);
            kernel!($(#[target_feature(enable = $features)])?
                pass_down(block: *mut u32, quarter: usize, columns: Range<usize>, tables: &Tables, at: Block)
                = Down::pass::<$vector>);
            kernel!($(#[target_feature(enable = $features)])?
                pass_up(block: *mut u32, quarter: usize, columns: Range<usize>, tables: &Tables, at: Block)
                = Up::pass::<$vector>);
            kernel!($(#[target_feature(enable = $features)])? below(words: &[u32], prime: Prime) -> bool
                = super::below::<$vector>);
            kernel!($(#[target_feature(enable = $features)])?
                scale(words: &mut [u32], w: &[u32], quotients: &[u32], prime: Prime)
                = super::scale::<$vector>);
            kernel!($(#[target_feature(enable = $features)])?
                quotients(quotients: &mut [u32], w: &[u32], prime: Prime)
                = super::quotients::<$vector>);
            kernel!($(#[target_feature(enable = $features)])? multiply(a: &mut [u32], b: &[u32], prime: Prime)
                = super::multiply::<$vector>);
            kernel!($(#[target_feature(enable = $features)])?
                reverse(words: *mut u32, log_n: u32, pieces: Range<usize>)
                = reorder::reverse::<$vector, $lanes>);
            kernel!($(#[target_feature(enable = $features)])?
                centre(to: &mut [u32], from: &[u32], centring: &Centring)
                = residues::centred::<$vector>);
            kernel!($(#[target_feature(enable = $features)])?
                combine(first: &mut [u32], others: [&[u32]; 2], combination: &Combination)
                = residues::combined::<$vector>);

            pub(super) const KERNELS: Kernels = Kernels {
                lanes: $lanes,
                down: Network { block: block_down, interleaved: interleaved_down, pass: pass_down },
                up: Network { block: block_up, interleaved: interleaved_up, pass: pass_up },
                below,
                scale,
                quotients,
                multiply,
                reverse,
                centre,
                combine,
            };
        }
    };
}

kernels!(scalar, Scalar, 1);
#[cfg(target_arch = "x86_64")]
kernels!(avx2, crate::ntt::cpu::x86::Avx2, 8, "avx2");
#[cfg(target_arch = "x86_64")]
kernels!(avx512, crate::ntt::cpu::x86::Avx512, 16, "avx512f");
#[cfg(target_arch = "aarch64")]
kernels!(neon, crate::ntt::cpu::neon::Neon, 4);
