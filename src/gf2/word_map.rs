//! Linear maps of 64-bit words by table.

/// Bits a table is indexed by.
const BITS: usize = 5;
const TABLES: usize = 64usize.div_ceil(BITS);

/// A linear map from 64 bits to 64 bits: 13 look-ups a word.
pub(crate) struct WordMap([[u64; 1 << BITS]; TABLES]);

impl WordMap {
    /// The map that takes the word with bit k alone to `image(k)`.
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
        let look_up =
            |(t, table): (usize, &[u64; 1 << BITS])| table[(word >> (BITS * t)) as usize % (1 << BITS)];
        self.0.iter().enumerate().map(look_up).fold(0, |sum, part| sum ^ part)
    }
}
