//! `wgalois formats`, and `wgalois help formats`: the file formats.

use super::{Context, Run};
use wgalois::Result;

/// Describe the file formats
#[derive(clap::Args)]
#[command(after_long_help = PAGE)]
pub struct FormatPage {}

impl Run for FormatPage {
    fn run(&self, context: &Context) -> Result<()> {
        context.write(|out| writeln!(out, "{PAGE}"))
    }
}

const PAGE: &str = "\
Matrices over GF(2) (gf2, eliminate): by ending, then by the first bytes, or --format
  text     .txt    a row per line: 101, 1 0 1, 1,0,1 or [1 0 1]; the last line may state the shape, as # 2 x 3
  lists    .lists  a row per line: the columns of its ones, from 0, descending; --format lists for other endings;
                   the last line may state the shape
  mtx      .mtx    Matrix Market: coordinate or array; pattern, integer or real; general or symmetric
  npy      .npy    NumPy: booleans, integers or floats; a vector is a column
  npz      .npz    SciPy: scipy.sparse.save_npz (csr, csc, coo); or an array of numpy.savez, of several
                   that of FILE.npz:NAME
  packed   .gf2    a bit per entry, see below; mapped, and read in parts if memory is short
  Numbers other than 0 and 1 are refused; --wrap takes integers modulo 2. gf2 writes the shape where the rows of text
  or lists do not show it: no rows or no columns in text, no one in the last column in lists.

The packed format. All numbers are little-endian.
  bytes 0 to 7    89 57 47 46 32 0D 0A 1A
  8 to 15         1, the version
  16 to 39        the numbers of rows, of columns, and of 32-bit words from a row to the next (64 bits each)
  40 to 63        0
  64 on           rows; column c is bit c mod 32 (0 is the lowest) of word c / 32; bits past the last column are 0
  In NumPy:
    def write_gf2(path, a):
        rows, columns = a.shape
        words = -(-columns // 32)
        bits = np.zeros((rows, 32 * words), np.uint8)
        bits[:, :columns] = a
        with open(path, 'wb') as f:
            f.write(b'\\x89WGF2\\r\\n\\x1a' + np.array([1, rows, columns, words, 0, 0, 0], '<u8').tobytes())
            f.write(np.packbits(bits, axis=1, bitorder='little').tobytes())
    def read_gf2(path):
        data = np.fromfile(path, np.uint8)
        rows, columns, words = data[16:40].view('<u8').astype(int)
        return np.unpackbits(data[64:].reshape(rows, 4 * words), axis=1, bitorder='little')[:, :columns]

Coefficients and entries (polymul, ntt)
  text     .txt               decimal numbers between white space
  npy      .npy               NumPy: integers of 8 to 64 bits
  raw      .raw .bin .u32     little-endian 32-bit words

Points (msm --points-format)
  encoded  any other          consecutive encodings: ZCash's for bls12-381 and its G2, arkworks' for other curves;
                              compressed and uncompressed say of which kind where a short file does not show it
  ark      .ark               arkworks' Vec: the number of points in 64 bits, then encodings
  raw      .raw               x and y as little-endian words; zeros for infinity
  hex      .hex .txt          encodings as hexadecimal digits, one per line
  eip      .eip               EIP-196 (bn254, 64 bytes), EIP-197 (bn254-g2, 128) or EIP-2537 (bls12-381, 128;
                              bls12-381-g2, 256), as bytes or as hexadecimal digits, a record per line or all in one
                              number
  pairs    .eipmsm            the same, each with its scalar of 32 bytes after it: no --scalars is needed

Scalars (msm --scalars-format)
  bytes    any other          little-endian integers of 32 bytes
  be       .be                big-endian integers of 32 bytes
  ark      .ark               arkworks' Vec
  text     .txt               decimal numbers, or hexadecimal ones after 0x
  hex      .hex               hexadecimal numbers

Equations over GF(2) (solve, gen boolean): by the beginning of the file, or --format; every polynomial is to be 0
  anf        a polynomial per line, x1*x2 + x3 + 1; names such as k5, x(3), S[1,2]; brackets and powers;
             p = q for p + q; a list of variables, x1, x2; comments after `#`, or after `c ` if the line can be no
             polynomial; x1, X1, x01 and x(1) are one variable, and a file has one of these spellings
  sage       what Sage and Magma print: a list [x0*x1 + x2, x0 + 1], an ideal of a ring over GF(2), or lines;
             each spelling is a variable
  challenge  the Fukuoka MQ challenge's coefficients, over GF(2)
Solutions are written one per line, x1=0 x2=1; a certificate is a line for each product, monomial : equation.

Proofs (groth16, gen groth16), as circom and snarkjs have them, over bn254 and bls12-381
  .r1cs                  a circuit: rows A, B, C of every constraint
  .zkey                  a key: sections of points, with coordinates in Montgomery form, and of coefficients
  .wtns                  a witness: the value of every variable, 32 little-endian bytes each
  verification_key.json, proof.json, public.json

Blobs (kzg), as Ethereum has them
  trusted_setup.txt      two counts, then compressed points in hexadecimal digits
  a blob                 4096 big-endian integers of 32 bytes, as bytes or as hexadecimal digits
Commitments, proofs and values are hexadecimal digits, a blob a line.

Outputs take the format of their ending; a file without an ending takes that of the first input.";
