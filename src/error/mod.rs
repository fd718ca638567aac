//! The error type of the crate. No input, device or file makes the crate panic.

mod fault;
mod make;
mod place;
pub mod quoting;
mod shortage;
mod words;
mod wrong;

pub use fault::Fault;
pub use place::{Place, Position};
pub use shortage::{Shortage, Side};
pub use wrong::Wrong;

use std::borrow::Cow;
use std::path::PathBuf;
use words::{count, last, many, no_prime, no_product, no_root, was};

/// An error of this crate. Each variant has its exit code on the command line.
///
/// The documentation lists errors once, under "Errors" at a module or a type: those that its functions find themselves,
/// with their causes. A function names an error only if it is peculiar to it. The following is not repeated:
///
/// - A function also returns the errors of the functions and closures that it calls.
/// - What works on a device returns its faults: [`DeviceLost`](Self::DeviceLost), [`OutOfMemory`](Self::OutOfMemory),
///   [`Device`](Self::Device) and [`Shader`](Self::Shader). The call that hands work to a device can end before the work
///   does. A later call, at the latest a download or a wait, then returns its faults.
/// - Work ends with [`Stopped`](Self::Stopped) at the limit of its [timeline](crate::timeline::Timeline), or if that is
///   stopped.
/// - What takes memory of the host, or starts threads, returns [`OutOfMemory`](Self::OutOfMemory) if the host refuses.
/// - What reads or writes a file returns [`File`](Self::File).
/// - A check returns [`Check`](Self::Check) for a wrong result.
///
/// A fault that a program can act on has a variant with its data; their texts are here. [`Input`](Self::Input) and
/// [`Usage`](Self::Usage) are the faults that have only a text. serde writes an error as an object with one field, named
/// like the variant.
///
/// ```
/// use wgalois::{Error, field::BABY_BEAR, ntt::Transform};
///
/// // No transform has a length that is not a power of two.
/// let error = Transform::new(BABY_BEAR, 1000).unwrap_err();
/// assert!(matches!(error, Error::NotAPowerOfTwo { value: 1000, least: 2, .. }));
/// assert_eq!(error.exit_code(), 3);
/// ```
#[derive(Debug, thiserror::Error, serde::Serialize)]
#[non_exhaustive]
pub enum Error {
    /// A result failed its verification (exit code 1).
    #[error("check failed: {0}")]
    Check(Wrong),
    /// The device returned values that no correct computation returns, for example more rows than a matrix has
    /// (exit code 1).
    #[error("the device computed nonsense: {0}")]
    Nonsense(Wrong),
    /// The call names something that does not exist, or its arguments contradict each other (exit code 2).
    #[error("{0}")]
    Usage(String),
    /// No such thing has this name (exit code 2).
    #[error("there is no {what} `{name}`: expected {}", known.join(", "))]
    UnknownName {
        /// The kind of thing, in the singular.
        what: &'static str,
        /// The name.
        name: String,
        /// The names that exist.
        known: Vec<String>,
    },
    /// A setting, which is not data, is out of its range (exit code 2).
    #[error("{what} {}: it must be from {} to {}", count(*value), count(*least), count(*most))]
    Setting {
        /// The setting.
        what: &'static str,
        /// Its value.
        value: u64,
        /// The smallest value that is possible.
        least: u64,
        /// The largest one.
        most: u64,
    },
    /// A text is not what it must be (exit code 2).
    #[error("`{found}`: expected {expected}")]
    Unexpected {
        /// The text.
        found: String,
        /// What it must be.
        expected: &'static str,
    },
    /// Something that the call lacks is needed (exit code 2).
    #[error("{who} needs {what}")]
    Needs {
        /// What needs it, in the singular.
        who: Cow<'static, str>,
        /// What is needed.
        what: Cow<'static, str>,
    },
    /// Something does not go with the rest of the call (exit code 2).
    #[error("{what}: only for {scope}")]
    OnlyFor {
        /// A setting, an option, data.
        what: Cow<'static, str>,
        /// What it goes with.
        scope: Cow<'static, str>,
    },
    /// Two outputs, or an output and an input, are one file (exit code 2).
    #[error("{first} and {second} are the same file")]
    SameFile {
        /// One of them.
        first: String,
        /// The other.
        second: String,
    },
    /// A call reaches past the end of a vector (exit code 2).
    #[error("cannot take {count} {what} from number {start} on: the vector has {len}")]
    PastTheEnd {
        /// The elements of the vector, in the plural.
        what: &'static str,
        /// The first element that was wanted, from 0.
        start: usize,
        /// How many were wanted.
        count: usize,
        /// The length of the vector.
        len: usize,
    },
    /// A plan does not fit the call: it was made for something else (exit code 2).
    #[error("the plan was made for another {what}")]
    OtherPlan {
        /// The part of the call that differs: a kind of device, an operation.
        what: &'static str,
    },
    /// Data are on another device, or held by another engine, than that which is to compute (exit code 2).
    #[error("{what} on another device than the one that computes")]
    OtherDevice {
        /// The data, with the verb: `the vector is`.
        what: &'static str,
    },
    /// Data are on two devices (exit code 2).
    #[error("data on different devices: {first} and {second}, or one that was opened twice")]
    DifferentDevices {
        /// The name of one device.
        first: String,
        /// The name of the other.
        second: String,
    },
    /// This kind of device lacks an ability (exit code 2).
    #[error("{device} cannot {what}")]
    Unsupported {
        /// The kind of device.
        device: &'static str,
        /// What it cannot do, and what to do instead.
        what: Cow<'static, str>,
    },
    /// The input data do not fit the task, in a way that no other variant describes (exit code 3).
    #[error("{0}")]
    Input(String),
    /// There are more or fewer elements than the task takes (exit code 3).
    #[error("{found} {what}, where {} expected", was(*expected))]
    WrongLength {
        /// The elements, in the plural.
        what: Cow<'static, str>,
        /// How many the task takes.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// A matrix has another shape than the task takes (exit code 3).
    #[error("{what} of {} x {}, where {} x {} was expected", found[0], found[1], expected[0], expected[1])]
    WrongShape {
        /// The matrix, with its article.
        what: Cow<'static, str>,
        /// Numbers of rows and columns that the task takes.
        expected: [usize; 2],
        /// Numbers of rows and columns of the matrix.
        found: [usize; 2],
    },
    /// The sides of two matrices that must be equal are not (exit code 3).
    #[error("cannot {operation}: A has {} {}, B has {} {}", a.0, a.1, b.0, b.1)]
    ShapeMismatch {
        /// The operation, a verb.
        operation: &'static str,
        /// The side of A, and `rows` or `columns`.
        a: (usize, &'static str),
        /// The side of B, and `rows` or `columns`.
        b: (usize, &'static str),
    },
    /// A matrix that is not square has no inverse (exit code 3).
    #[error(
        "cannot invert: the matrix has {rows} rows and {columns} columns; only square matrices have an inverse"
    )]
    NotSquare {
        /// Number of rows.
        rows: usize,
        /// Number of columns.
        columns: usize,
    },
    /// There are more of something than the task takes (exit code 3).
    #[error("{} {what}: at most {} are allowed", many(*count), self::count(*most))]
    TooMany {
        /// The things, in the plural.
        what: Cow<'static, str>,
        /// How many there are.
        count: u64,
        /// How many are allowed.
        most: u64,
    },
    /// There are fewer of something than the task takes (exit code 3).
    #[error("{count} {what}, where {least} or more were expected")]
    TooFew {
        /// The things, in the plural.
        what: Cow<'static, str>,
        /// How many there are.
        count: u64,
        /// How many are needed.
        least: u64,
    },
    /// An index is past the last (exit code 3).
    #[error("there is no {what} {index}: {}", last(*count))]
    NoSuch {
        /// The kind of thing, in the singular.
        what: &'static str,
        /// The index, from 0.
        index: u64,
        /// How many there are.
        count: u64,
    },
    /// A value is out of its range (exit code 3).
    #[error("{what} {value}: it must be from {} to {}", count(*least), count(*most))]
    OutOfRange {
        /// The value's meaning.
        what: Cow<'static, str>,
        /// The value.
        value: i64,
        /// The smallest value that is possible.
        least: u64,
        /// The largest one.
        most: u64,
    },
    /// A length is not a power of two, or too short or too long a one (exit code 3).
    #[error("{what} {value}: it must be a power of two from {} to {}", count(*least), count(*most))]
    NotAPowerOfTwo {
        /// The length's meaning.
        what: &'static str,
        /// The length.
        value: u64,
        /// The shortest length that is possible.
        least: u64,
        /// The longest one.
        most: u64,
    },
    /// A residue is not below its modulus (exit code 3).
    #[error("{what} {index} is {value}, not below the modulus {modulus}")]
    NotReduced {
        /// The kind of value, with the article of what it is part of, if there are several.
        what: &'static str,
        /// Its number, from 0.
        index: usize,
        /// The value.
        value: u64,
        /// The modulus.
        modulus: u64,
    },
    /// A scalar is not below the order of its field (exit code 3).
    #[error("{what} is {value}, not below the order of the field, {order}")]
    NotBelowOrder {
        /// The kind of value, and its number.
        what: Cow<'static, str>,
        /// The value, in decimal digits.
        value: String,
        /// The order, in decimal digits.
        order: String,
    },
    /// A modulus is not an odd prime (exit code 3).
    #[error("{}", no_prime(*modulus))]
    NotAPrime {
        /// The modulus.
        modulus: u64,
    },
    /// A prime is larger than those that are supported (exit code 3).
    #[error(
        "{prime} is too large: it must be below 2^31 = 2147483648. No prime of 64 bits or more is supported; babybear \
         and koalabear have transforms of up to 2^27 and 2^24 points, and products of integers (polymul without a \
         prime) are exact, for coefficients of the product below 2^89"
    )]
    PrimeTooLarge {
        /// The prime, by name or value.
        prime: String,
    },
    /// A text is neither a number nor the name of a prime (exit code 3).
    #[error("\"{name}\" is neither a number nor the name of a prime: {}", known.join(", "))]
    UnknownPrime {
        /// The text.
        name: String,
        /// The names that exist.
        known: Vec<&'static str>,
    },
    /// A field has no root of unity of this order (exit code 3).
    #[error("{}", no_root(*modulus, *log_order, *largest))]
    NoRootOfUnity {
        /// The prime; `None` for the scalar field of a curve.
        modulus: Option<u32>,
        /// The logarithm of the order to the base of two.
        log_order: u32,
        /// The logarithm of the largest order of which there is a root.
        largest: u32,
    },
    /// A product takes longer transforms than there are (exit code 3).
    #[error("{}", no_product(*lengths, *log_length, *modulus, *largest))]
    NoProduct {
        /// Numbers of coefficients of the factors.
        lengths: [usize; 2],
        /// The logarithm of the length of the transforms to the base of two.
        log_length: u32,
        /// The prime; `None` for an exact product.
        modulus: Option<u32>,
        /// The logarithm of the largest length that there is.
        largest: u32,
    },
    /// An exact product could have a coefficient that is too large (exit code 3).
    #[error(
        "coefficients of magnitude up to {a} and {b}, with {terms} products adding up: the product could have a \
         coefficient of {terms} * {a} * {b}, and exact products are bounded by {most}, about 2^89.4"
    )]
    CoefficientsTooLarge {
        /// How many products add up to a coefficient.
        terms: usize,
        /// The largest magnitude of a coefficient of the first factor.
        a: u64,
        /// The largest one of the second.
        b: u64,
        /// The bound, in decimal digits.
        most: String,
    },
    /// The shift of a coset has no inverse (exit code 3).
    #[error("coset shift 0: it must have an inverse")]
    ZeroShift,
    /// A text is not an integer (exit code 3).
    #[error("byte {place} of the {which} number: {found:?} is no {base} digit{hint}")]
    NotADigit {
        /// The number: first or second.
        which: &'static str,
        /// The place of the byte, from 0.
        place: usize,
        /// The character.
        found: char,
        /// The base: decimal or hexadecimal.
        base: &'static str,
        /// The remedy, if one is known.
        hint: &'static str,
    },
    /// The indices of a row are not strictly descending (exit code 3).
    #[error("row {row}: the indices must be strictly descending")]
    NotDescending {
        /// The row, from 0.
        row: usize,
    },
    /// A list is in another order than it must be (exit code 3).
    #[error("{what} must {order}")]
    Unordered {
        /// The elements, in the plural.
        what: &'static str,
        /// The order, a verb: ascend, descend.
        order: &'static str,
    },
    /// Two reducers have the same lead (exit code 3).
    #[error("eliminators {first} and {second} have the same lead {lead}")]
    SameLead {
        /// One reducer, from 0.
        first: usize,
        /// The other.
        second: usize,
        /// The lead.
        lead: u32,
    },
    /// A point is not on the curve (exit code 3).
    #[error("point {index} is not on {curve}")]
    NotOnCurve {
        /// The point, from 0.
        index: usize,
        /// The name of the curve.
        curve: &'static str,
    },
    /// A point is on the curve, but not in the subgroup of prime order (exit code 3).
    #[error("point {index} is outside the subgroup of order r: sums of such points cannot be verified")]
    OutsideSubgroup {
        /// The point, from 0.
        index: usize,
    },
    /// A value, such as a field element or a point, violates its encoding or its group (exit code 3).
    #[error("{what}: {fault}")]
    Value {
        /// The value.
        what: Cow<'static, str>,
        /// Its fault.
        fault: Box<Fault>,
    },
    /// A method does not solve a problem of this shape (exit code 3).
    #[error("{reason}")]
    Unsuited {
        /// The name of the method.
        method: Cow<'static, str>,
        /// What it lacks, a sentence.
        reason: Cow<'static, str>,
    },
    /// A search cannot go on from a checkpoint (exit code 3).
    #[error("the checkpoint {fault}")]
    Checkpoint {
        /// What is wrong with it, a verb.
        fault: &'static str,
    },
    /// An error of one part of the input, such as one matrix of several or an option's value (the exit code of the
    /// error).
    #[error("{part}: {error}")]
    Of {
        /// The part.
        part: String,
        /// Its error.
        error: Box<Error>,
    },
    /// An input takes more memory than may be used to read it (exit code 3).
    #[error("{0}")]
    TooLarge(Shortage),
    /// A file violates its format (exit code 3).
    #[error("{place}: {fault}{note}")]
    Format {
        /// The file and the position in it.
        place: Place,
        /// The fault.
        fault: Box<Fault>,
        /// A note on the fault, such as the kind of file that this is; it begins with a semicolon if there is one.
        note: String,
    },
    /// No adapter matches the selection, or the processor lacks the requested instructions
    /// (exit code 4).
    #[error("no such device: {0}")]
    NoDevice(String),
    /// The device was lost (exit code 5).
    #[error("device lost: {0}")]
    DeviceLost(String),
    /// The task needs more memory than the device or the host has, or than the caller allows
    /// (exit code 5).
    #[error("out of memory: {0}")]
    OutOfMemory(Shortage),
    /// A call to the driver failed; a defect in this crate or in the driver (exit code 5).
    #[error("device error: {0}")]
    Device(String),
    /// A shader does not compile; the message names the file and line under `shaders/` (exit code 5).
    #[error("shader error: {0}")]
    Shader(String),
    /// The caller's limit ended a search before its answer was known (exit code 8; 7 is that of the answer that there
    /// is none).
    #[error("{0}")]
    Stopped(String),
    /// A file cannot be read or written (exit code 6).
    #[error("{}: {source}", quoting::name(path))]
    File {
        /// The file as the caller named it; `-` is standard input or output.
        #[serde(serialize_with = "quoting::serialize")]
        path: PathBuf,
        /// The error from the operating system.
        #[serde(skip)]
        source: std::io::Error,
    },
}

/// A result with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// Returns the process exit code for this error.
    pub fn exit_code(&self) -> u8 {
        match self {
            Error::Check(_) | Error::Nonsense(_) => 1,
            Error::Usage(_)
            | Error::UnknownName { .. }
            | Error::Setting { .. }
            | Error::Unexpected { .. }
            | Error::Needs { .. }
            | Error::OnlyFor { .. }
            | Error::SameFile { .. }
            | Error::PastTheEnd { .. }
            | Error::OtherPlan { .. }
            | Error::OtherDevice { .. }
            | Error::DifferentDevices { .. }
            | Error::Unsupported { .. } => 2,
            Error::NoDevice(_) => 4,
            Error::DeviceLost(_) | Error::OutOfMemory(_) | Error::Device(_) | Error::Shader(_) => 5,
            Error::File { .. } => 6,
            Error::Of { error, .. } => error.exit_code(),
            Error::Stopped(_) => 8,
            // Faults of the input.
            _ => 3,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Error, Wrong};

    #[test]
    fn nonsense_of_a_device_is_a_failed_check() {
        let error = Error::Nonsense("a rank of 9 for 8 rows".into());
        assert_eq!(error.exit_code(), 1);
        assert_eq!(error.to_string(), "the device computed nonsense: a rank of 9 for 8 rows");
    }

    #[test]
    fn errors_of_parts_keep_their_code_and_data() {
        let wrong = || Error::WrongLength { what: "scalars".into(), expected: 1, found: 3 };
        assert_eq!(wrong().to_string(), "3 scalars, where 1 was expected");
        let error = wrong().of("matrix 1");
        assert_eq!((error.exit_code(), error.to_string()), (3, format!("matrix 1: {}", wrong())));
        let data = serde_json::to_value(&error).unwrap();
        assert_eq!(data["Of"]["error"]["WrongLength"]["expected"], 1);
    }

    #[test]
    fn wrong_results_have_data() {
        let error = Wrong::expect_length("scalars", 3, 4).unwrap_err();
        assert_eq!(
            (error.exit_code(), &*error.to_string()),
            (1, "check failed: 4 scalars, where 3 were expected")
        );
        assert_eq!(serde_json::to_value(&error).unwrap()["Check"]["found"], 4);
    }

    #[test]
    fn files_are_serialized_by_name() {
        let error = Error::file("a", std::io::Error::other("no"));
        assert_eq!(serde_json::to_string(&error).unwrap(), r#"{"File":{"path":"a"}}"#);
    }
}
