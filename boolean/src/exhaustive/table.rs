//! Up to 32 equations side by side: a word for each monomial, and the words of derivatives that a walk starts from.
//!
//! The variables of a window are divided in three:
//!
//! ```text
//! bit   0 .. low            low .. low + up           low + up .. width        width ..
//!       low: a block        up: walked by a thread    thread: one value each   prefix: one value a window
//! ```

/// The highest degree of equations that are searched.
pub const MAX_DEGREE: usize = 4;
/// The maximum number of variables of a search.
pub const MAX_VARIABLES: usize = 63;

/// `CHOOSE[n][k]` is the binomial coefficient n over k.
pub const CHOOSE: [[u32; MAX_DEGREE + 1]; MAX_VARIABLES + 1] = {
    let mut table = [[0; MAX_DEGREE + 1]; MAX_VARIABLES + 1];
    let mut n = 0;
    while n <= MAX_VARIABLES {
        table[n][0] = 1;
        let mut k = 1;
        while k <= MAX_DEGREE && n > 0 {
            table[n][k] = table[n - 1][k - 1] + table[n - 1][k];
            k += 1;
        }
        n += 1;
    }
    table
};

/// Gray code `step`: neighbours differ in one bit.
pub fn gray(step: u64) -> u64 {
    step ^ step >> 1
}

/// Numbers the monomials of a degree at most `degree` in `width` variables: by degree, then with the highest variable
/// first. A monomial is a mask of variables.
#[derive(Clone, Debug)]
pub struct Ranks {
    /// The number of monomials of a lower degree.
    pub offsets: [usize; MAX_DEGREE + 2],
}

impl Ranks {
    pub fn new(width: usize, degree: usize) -> Self {
        let mut offsets = [0; MAX_DEGREE + 2];
        for k in 0..=MAX_DEGREE {
            let count = if k <= degree { CHOOSE[width][k] as usize } else { 0 };
            offsets[k + 1] = offsets[k] + count;
        }
        Ranks { offsets }
    }

    /// Returns the number of monomials.
    pub fn len(&self) -> usize {
        self.offsets[MAX_DEGREE + 1]
    }

    /// Returns the number of a monomial.
    pub fn of(&self, mask: u64) -> usize {
        self.offsets[mask.count_ones() as usize] + part(mask)
    }

    /// Returns all monomials in the order of their numbers.
    pub fn masks(&self, width: usize, degree: usize) -> Vec<u64> {
        let mut masks = vec![0u64];
        for k in 1..=degree.min(width) {
            // The next larger mask with as many ones (Gosper's hack).
            let mut mask = (1u64 << k) - 1;
            while mask < 1 << width {
                masks.push(mask);
                let lowest = mask & mask.wrapping_neg();
                let carried = mask + lowest;
                mask = carried | (((mask ^ carried) >> 2) / lowest);
            }
        }
        masks
    }
}

/// Equations as words: bit e of the word of a monomial is its coefficient in equation e.
#[derive(Clone, Debug)]
pub struct Packed {
    /// At least 2.
    pub degree: usize,
    /// Monomials, as masks, with their words.
    pub terms: Vec<(u64, u32)>,
}

impl Packed {
    /// Returns the values of the equations at an assignment, a bit each.
    pub fn value(&self, at: u64) -> u32 {
        sum_at(&self.terms, at)
    }

    /// Returns the equations with other constants, so that an assignment solves them.
    pub fn planted(&self, at: u64) -> Packed {
        let mut terms = self.terms.clone();
        terms.push((0, self.value(at)));
        Packed { degree: self.degree, terms }
    }

    /// Returns the equations in the first `width` variables, with the values `prefix` of the others.
    pub fn restricted(&self, width: usize, prefix: u64) -> Packed {
        let mut words = std::collections::BTreeMap::<u64, u32>::new();
        for &(mask, word) in self.terms.iter().filter(|(mask, _)| mask >> width & !prefix == 0) {
            *words.entry(mask & ((1 << width) - 1)).or_default() ^= word;
        }
        Packed { degree: self.degree, terms: words.into_iter().filter(|(_, word)| *word != 0).collect() }
    }
}

/// The number of a monomial among those of its degree: a sum of binomials of its variables.
pub fn part(mask: u64) -> usize {
    let (mut part, mut rest, mut k) = (0, mask, 0);
    while rest != 0 {
        k += 1;
        part += CHOOSE[rest.trailing_zeros() as usize][k] as usize;
        rest &= rest - 1;
    }
    part
}

/// The sum of the words of the terms that are 1 at an assignment.
pub fn sum_at<W: std::ops::BitXor<Output = W> + Copy + Default>(terms: &[(u64, W)], at: u64) -> W {
    terms.iter().filter(|(mask, _)| mask & !at == 0).fold(W::default(), |sum, &(_, word)| sum ^ word)
}

/// The division of a window's variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    pub low: usize,
    pub up: usize,
    /// Variables of the window.
    pub width: usize,
}

/// The data that all windows of a search share.
#[derive(Clone, Debug)]
pub struct Windows {
    pub layout: Layout,
    pub degree: usize,
    pub ranks: Ranks,
    masks: Vec<u64>,
    /// By place in a block: the value that the equations' lower terms must have there for all of them to hold, that is
    /// the sum of the terms of the highest degree in the low variables.
    pub targets: Vec<u32>,
}

impl Windows {
    pub fn new(packed: &Packed, layout: Layout) -> Self {
        let ranks = Ranks::new(layout.width, packed.degree);
        let masks = ranks.masks(layout.width, packed.degree);
        let low = (1u64 << layout.low) - 1;
        let top = packed.terms.iter().filter(|(mask, _)| is_top(*mask, packed.degree, low));
        let top: Vec<_> = top.copied().collect();
        let targets = (0..1 << layout.low).map(|place| sum_at(&top, gray(place))).collect();
        Windows { layout, degree: packed.degree, ranks, masks, targets }
    }

    /// Returns the words of a window's derivatives, by the number of their monomial M, at the point where a walk first
    /// uses them. Terms of the highest degree in low variables alone are left out: they are in the targets.
    ///
    /// ```text
    /// word[M] = sum of the coefficients of all M T, where T divides the point p(M)
    /// p(M)    = gray(s - 1), where s is the first step whose lowest bits are M's, low and up variables apart
    /// ```
    pub fn derivatives(&self, packed: &Packed, prefix: u64) -> Vec<u32> {
        let Layout { low, up, width } = self.layout;
        let low_mask = (1u64 << low) - 1;
        let inside = (1u64 << width) - 1;
        let mut coefficients = vec![0; self.ranks.len()];
        for &(mask, word) in &packed.terms {
            let is_one = mask >> width & !prefix == 0;
            if is_one && !is_top(mask, self.degree, low_mask) {
                coefficients[self.ranks.of(mask & inside)] ^= word;
            }
        }
        let point = |part: u64| if part == 0 { 0 } else { gray(part - 1) };
        let word = |&mask: &u64| {
            let up_part = mask >> low & ((1 << up) - 1);
            let at = (point(mask & low_mask) | point(up_part) << low) & !mask;
            let room = self.degree as u32 - mask.count_ones();
            // All divisors of the point, of the degrees that are left.
            let mut sum = 0;
            let mut divisor = 0u64;
            loop {
                if divisor.count_ones() <= room {
                    sum ^= coefficients[self.ranks.of(mask | divisor)];
                }
                divisor = divisor.wrapping_sub(at) & at;
                if divisor == 0 {
                    return sum;
                }
            }
        };
        self.masks.iter().map(word).collect()
    }
}

/// True for a term of the highest degree in low variables alone.
fn is_top(mask: u64, degree: usize, low: u64) -> bool {
    mask & !low == 0 && mask.count_ones() as usize == degree
}
