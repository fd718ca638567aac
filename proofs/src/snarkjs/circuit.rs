//! Circuits as circom writes them, `.r1cs`.
//!
//! | section | contents |
//! |---|---|
//! | 1 | r, with its bytes; the numbers of variables, outputs, public and secret inputs, labels, constraints |
//! | 2 | for every constraint the rows A, B and C: a number of entries, and for each its variable and its coefficient |
//! | 3 | for every variable its label, which is not needed here |
//! | 4, 5 | custom gates, of which Groth16 has none |
//!
//! Coefficients are little-endian integers below r. The format is documented in the repository iden3/r1csfile.

use std::io::{self, Write};

use ark_ff::PrimeField;

use super::points::integer;
use super::sections::{Reader, Sections, modulus, write_head, write_modulus, write_section};
use super::zkey_header::expect_field;
use crate::groth16::{Circuit, Constraints, Entry, Row};
use wgalois::curve::ScalarInt;
use wgalois::parallel::*;
use wgalois::{Error, Result};
use wgalois_io::Source;
use wgalois_io::budget::Budget;

/// The first letters of the file.
pub(super) const LETTERS: &[u8; 4] = b"r1cs";

/// Bytes of a coefficient.
const SIZE: usize = 32;

/// Bytes of an entry: a variable and its coefficient.
const ENTRY: usize = 4 + SIZE;

/// Bytes of a constraint without entries: three numbers of them.
const EMPTY: usize = 12;

/// Constraints that a thread reads at a time.
const CHUNK: usize = 1 << 12;

/// Reads a circuit. Its public variables are the outputs, then the public inputs. Custom gates are refused.
pub fn read_circuit<F: PrimeField<BigInt = ScalarInt>>(source: &Source, memory: u64) -> Result<Circuit<F>> {
    let sections = Sections::new(source, LETTERS)?;
    let mut reader = sections.section(1, "the header")?;
    let place = reader.place();
    let other = "the circuit is over the scalar field of another curve";
    expect_field::<F>(&mut reader, "r", place, other)?;
    let place = reader.place();
    let variables = reader.word("the number of variables")? as usize;
    let outputs = reader.word("the number of outputs")?;
    let inputs = reader.word("the number of public inputs")?;
    reader.word("the number of secret inputs")?;
    reader.long("the number of labels")?;
    let constraints = reader.word("the number of constraints")? as usize;
    reader.finish()?;
    let public = u64::from(outputs) + u64::from(inputs);
    if public >= variables as u64 {
        let message = format!("{public} public variables and the constant, of {variables} variables");
        return Err(reader.error_at(place, message));
    }
    check_others(&sections, variables)?;
    let mut reader = sections.section(2, "the constraints")?;
    if constraints.saturating_mul(EMPTY) > reader.left() {
        let message = format!("{} bytes, which hold no {constraints} constraints", reader.left());
        return Err(reader.error_at(reader.place(), message));
    }
    let mut budget = Budget::new(source, memory);
    let mut rows: Vec<[Row<F>; 3]> = budget.vector(constraints)?;
    let begin = reader;
    let Walk { places, entries, fault } = walk(&mut reader, constraints);
    budget.take::<Entry<F>>(entries as u64)?;
    let read = |(first, place): (usize, usize), rows: &mut [[Row<F>; 3]]| {
        let mut reader = begin.at(place);
        let mut numbered = (first..).zip(rows);
        numbered.try_for_each(|(i, parts)| read_constraint(&mut reader, (variables, i), &budget, parts))
    };
    if let Some((i, fault)) = fault {
        // An entry before it may be wrong, too.
        return Err(read((0, begin.place()), &mut rows[..=i]).err().unwrap_or(fault));
    }
    let chunks = rows.par_chunks_mut(CHUNK).zip(&places).enumerate().with_max_len(1);
    chunks.try_for_each(|(chunk, (rows, &place))| read((CHUNK * chunk, place), rows))?;
    reader.finish()?;
    Ok(Circuit { variables, public: public as usize, constraints: rows })
}

/// What a pass over the numbers of entries finds.
struct Walk {
    /// The place of every [`CHUNK`]-th constraint.
    places: Vec<usize>,
    /// The entries of all constraints, or of those before the fault.
    entries: usize,
    /// The first constraint that lacks entries, and the error.
    fault: Option<(usize, Error)>,
}

fn walk(reader: &mut Reader, constraints: usize) -> Walk {
    let mut walk = Walk { places: Vec::new(), entries: 0, fault: None };
    for i in 0..constraints {
        if i % CHUNK == 0 {
            walk.places.push(reader.place());
        }
        for part in 0..3 {
            let count = count_of(reader, (part, i));
            // The bytes were compared with those that are left.
            match count.and_then(|count| reader.bytes(count * ENTRY, "entries").map(|_| count)) {
                Ok(count) => walk.entries += count,
                Err(error) => return Walk { fault: Some((i, error)), ..walk },
            }
        }
    }
    walk
}

/// Refuses labels for another number of variables, and custom gates.
fn check_others(sections: &Sections, variables: usize) -> Result<()> {
    let present = |number: u32| sections.list().iter().any(|other| other.number == number);
    if present(3) {
        sections.section(3, "the labels")?.records(variables, 8, "labels")?;
    }
    for number in [4, 5].into_iter().filter(|&number| present(number)) {
        let mut reader = sections.section(number, "custom gates")?;
        let place = reader.place();
        if reader.word("the number of custom gates")? != 0 {
            return Err(
                reader.error_at(place, "custom gates, which are for PLONK: Groth16 cannot prove them")
            );
        }
    }
    Ok(())
}

/// The number of entries of a row of constraint `i`, which the section has room for.
fn count_of(reader: &mut Reader, row: (usize, usize)) -> Result<usize> {
    let place = reader.place();
    let count = reader.word("a number of entries")? as usize;
    if count.saturating_mul(ENTRY) > reader.left() {
        let message = format!("{}: {count} entries, where {} bytes are left", name(row), reader.left());
        return Err(reader.error_at(place, message));
    }
    Ok(count)
}

fn name((part, i): (usize, usize)) -> String {
    format!("row {} of constraint {i}", ["A", "B", "C"][part])
}

/// Reads the rows of constraint `i`, whose memory was counted.
fn read_constraint<F: PrimeField<BigInt = ScalarInt>>(
    reader: &mut Reader,
    (variables, i): (usize, usize),
    budget: &Budget,
    rows: &mut [Row<F>; 3],
) -> Result<()> {
    for (part, row) in rows.iter_mut().enumerate() {
        let count = count_of(reader, (part, i))?;
        *row = budget.room(count)?;
        for _ in 0..count {
            let place = reader.place();
            let entry = reader.bytes(ENTRY, "an entry")?;
            let refused =
                |place, fault: String| reader.error_at(place, format!("{}: {fault}", name((part, i))));
            let (variable, coefficient) = entry.split_at(4);
            let variable = variable.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte));
            if variable as usize >= variables {
                return Err(refused(place, format!("variable {variable} of {variables}")));
            }
            let coefficient: F = integer(coefficient)
                .ok_or_else(|| refused(place + 4, "a coefficient is not below r".into()))?;
            row.push((coefficient, variable));
        }
    }
    Ok(())
}

/// Writes a circuit, whose public variables are called inputs, and whose other variables are no inputs. Labels are
/// left out. A circuit with variables that do not exist is refused ([`InvalidInput`](io::ErrorKind::InvalidInput)).
pub fn write_circuit<F: PrimeField<BigInt = ScalarInt>>(
    out: &mut dyn Write,
    circuit: &dyn Constraints<F>,
) -> io::Result<()> {
    let (variables, public) = (circuit.variables(), circuit.public());
    let (mut constraints, mut entries, mut largest) = (0usize, 0usize, public as u32);
    circuit.each(&mut |rows| {
        constraints += 1;
        entries += rows.iter().map(Vec::len).sum::<usize>();
        rows.iter().flatten().for_each(|(_, variable)| largest = largest.max(*variable));
    });
    if largest as usize >= variables {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    write_head(out, LETTERS, 1, 2)?;
    write_section(out, 1, 4 + modulus::<F>().len() + 28)?;
    write_modulus::<F>(out)?;
    for size in [variables, 0, public, 0] {
        out.write_all(&(size as u32).to_le_bytes())?;
    }
    out.write_all(&(variables as u64).to_le_bytes())?;
    out.write_all(&(constraints as u32).to_le_bytes())?;
    write_section(out, 2, constraints * EMPTY + entries * ENTRY)?;
    let (mut bytes, mut written) = (Vec::new(), Ok(()));
    circuit.each(&mut |rows| {
        bytes.clear();
        for row in rows {
            bytes.extend_from_slice(&(row.len() as u32).to_le_bytes());
            for (coefficient, variable) in row {
                bytes.extend_from_slice(&variable.to_le_bytes());
                let integer = coefficient.into_bigint();
                integer.0.iter().for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
            }
        }
        if written.is_ok() {
            written = out.write_all(&bytes);
        }
    });
    written
}
