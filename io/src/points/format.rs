//! The formats of points, and what of them is trusted.

use std::path::Path;

use crate::identify::by_ending;

/// The file format of points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Consecutive encodings.
    Encoded,
    /// Consecutive compressed encodings.
    Compressed,
    /// Consecutive uncompressed encodings.
    Uncompressed,
    /// arkworks' `Vec` of encodings.
    Ark,
    /// Little-endian affine coordinates.
    Raw,
    /// Encodings as hexadecimal text.
    Hex,
    /// Records of EIP-196, EIP-197 or EIP-2537, as bytes or hexadecimal text.
    Eip,
    /// Such records, each with a scalar of 32 bytes after it.
    EipPairs,
    /// gnark's encodings, compressed or not, with or without their number.
    Gnark,
    /// Aztec's big-endian affine coordinates over BN254.
    Aztec,
    /// Affine coordinates in Montgomery form.
    Montgomery,
}

impl Format {
    /// Returns the format that a file's ending names.
    pub fn of(path: &Path) -> Format {
        use Format::*;
        let endings = [
            ("ark", Ark),
            ("raw", Raw),
            ("hex", Hex),
            ("txt", Hex),
            ("eip", Eip),
            ("eipmsm", EipPairs),
            ("gnark", Gnark),
        ];
        // barretenberg's names of its files.
        let is_aztec = path.file_name().is_some_and(|name| name == "bn254_g1.dat" || name == "bn254_g2.dat");
        by_ending(path, &endings).unwrap_or(if is_aztec { Aztec } else { Encoded })
    }
}

/// The properties that a caller guarantees, so that they are not checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// Nothing is trusted: every point is checked to be on the curve and in the subgroup of order r.
    Nothing,
    /// The caller guarantees both. Multiples of a point outside the subgroup have no meaning.
    Everything,
}
