//! Linear maps of 64-bit words, by table look-up.

/// The number of bits that index a table.
const BITS: usize = 5;
const TABLES: usize = 64usize.div_ceil(BITS);

/// The index that a word has in table `t`.
fn index(word: u64, t: usize) -> usize {
    (word >> (BITS * t)) as usize % (1 << BITS)
}

/// A linear map from 64 bits to 64 bits: 13 look-ups a word.
pub(crate) struct WordMap([[u64; 1 << BITS]; TABLES]);

impl WordMap {
    /// Makes the map that takes the word with only bit k set to `image(k)`.
    pub fn new(image: impl Fn(usize) -> u64) -> Self {
        let mut tables = [[0; 1 << BITS]; TABLES];
        for (t, table) in tables.iter_mut().enumerate() {
            for bit in 0..BITS.min(64 - BITS * t) {
                let image = image(BITS * t + bit);
                for x in 0..1 << bit {
                    table[x + (1 << bit)] = table[x] ^ image;
                }
            }
        }
        WordMap(tables)
    }

    pub fn apply(&self, word: u64) -> u64 {
        let look_up = |(t, table): (usize, &[u64; 1 << BITS])| table[index(word, t)];
        self.0.iter().enumerate().map(look_up).fold(0, |sum, part| sum ^ part)
    }
}

/// For each of 64 bits, the sum of the values whose word has that bit: 13 additions per word. This is
/// the transpose of a [`WordMap`].
pub(crate) struct WordSums([[u64; 1 << BITS]; TABLES]);

impl Default for WordSums {
    fn default() -> Self {
        WordSums([[0; 1 << BITS]; TABLES])
    }
}

impl WordSums {
    /// Adds `value` to the sums of all bits that are set in `word`.
    pub fn add(&mut self, word: u64, value: u64) {
        self.0.iter_mut().enumerate().for_each(|(t, table)| table[index(word, t)] ^= value);
    }

    /// Returns the sum of each bit.
    pub fn finish(&self) -> [u64; 64] {
        std::array::from_fn(|k| {
            let (t, bit) = (k / BITS, k % BITS);
            let with_bit = self.0[t].iter().enumerate().filter(|(x, _)| x >> bit & 1 == 1);
            with_bit.fold(0, |sum, (_, value)| sum ^ value)
        })
    }
}
