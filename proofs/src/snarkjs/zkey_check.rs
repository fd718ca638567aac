//! The check of a proving key's points, which needs a device.

use super::points::Stored;
use super::sections::Sections;
use super::zkey::{A, B, B_IN_G2, QUOTIENT, SECRET};
use super::zkey_header::LETTERS;
use crate::groth16::{ProvingKey, Queries};
use wgalois::curve::PairingCurve;
use wgalois::gpu::block_on;
use wgalois::{Device, Fault, Result, msm};
use wgalois_io::Source;

/// Checks on `device` that the bases of a key are in the subgroups of order r; `source` is the file that the key was
/// read from. The error has the section and place of the first one that is not.
pub fn check_key<E: PairingCurve>(source: &Source, key: &ProvingKey<E>, device: &Device) -> Result<()> {
    block_on(check_key_async(source, key, device))
}

/// The asynchronous form of [`check_key`], for browsers.
pub async fn check_key_async<E: PairingCurve>(
    source: &Source,
    key: &ProvingKey<E>,
    device: &Device,
) -> Result<()> {
    let sections = Sections::new(source, LETTERS)?;
    let Queries { a, b, b2, secret, quotient } = &key.queries;
    // Only the bases of the quotient are not in the order of the file.
    let outside = |number, offset, i, what| match sections.section(number, what) {
        Ok(reader) => reader
            .error_at(reader.place() + offset, Fault::OutsideSubgroup.of(format!("point {i} of {what}"))),
        Err(error) => error,
    };
    for (number, points, what) in [(5, a, A), (6, b, B), (8, secret, SECRET), (9, quotient, QUOTIENT)] {
        if let Some(i) = msm::first_outside_async(device, points).await? {
            let i = if number == 9 { key.domain.odd_number(i) } else { i };
            return Err(outside(number, i * <E::G1 as Stored>::SIZE, i, what));
        }
    }
    match msm::first_outside_async(device, b2).await? {
        Some(i) => Err(outside(7, i * <E::G2 as Stored>::SIZE, i, B_IN_G2)),
        None => Ok(()),
    }
}
