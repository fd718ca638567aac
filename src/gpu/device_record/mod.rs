//! The device record: the rates of a GPU, by which plans estimate times and choose the arithmetic of kernels.
//!
//! A record is measured on the device at hand ([`Gpu::measure`](super::Gpu::measure)) and kept in the user's cache folder. Until
//! then plans use the shipped record of the device that is most like it.

mod known;
#[cfg(not(target_arch = "wasm32"))]
mod store;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use super::kernel::{Arithmetic, Family};

pub(super) use known::nearest;
#[cfg(not(target_arch = "wasm32"))]
pub use store::shortest_opening;
#[cfg(not(target_arch = "wasm32"))]
pub(super) use store::{add_compiled, compiled, keep, kept};

/// The device that a record belongs to.
#[derive(Clone, Copy, Debug)]
pub struct Identity<'a> {
    pub name: &'a str,
    pub vendor: &'a str,
    #[cfg_attr(target_arch = "wasm32", expect(dead_code, reason = "a page keeps no record"))]
    pub backend: &'a str,
    #[cfg_attr(target_arch = "wasm32", expect(dead_code, reason = "a page keeps no record"))]
    pub driver: &'a str,
    pub kind: &'a str,
    /// The cores on which a software driver computes.
    #[cfg_attr(target_arch = "wasm32", expect(dead_code, reason = "a page keeps no record"))]
    pub cores: Option<usize>,
    /// True if shaders may use 64-bit integers.
    pub int64: bool,
}

/// Where the rates of a record come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// Measured on this device.
    Measured,
    /// Measured on a device of the same name or driver, and shipped with the library.
    Shipped,
    /// Computed from published specifications.
    Estimate,
}

/// Modular products of one family.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Products {
    /// Products per second with 64-bit integers; `None` if the device has none.
    pub int64: Option<f64>,
    /// Products per second without them.
    pub portable: f64,
    /// Seconds of a product that waits for the one before it, with the faster arithmetic.
    pub latency: f64,
}

impl Products {
    /// True if 64-bit integers are the faster choice.
    pub fn prefers_int64(&self) -> bool {
        self.int64.is_some_and(|rate| rate > self.portable)
    }

    /// Seconds of a product on the whole device, with this arithmetic.
    pub fn seconds(&self, int64: bool) -> f64 {
        1.0 / if int64 { self.int64.unwrap_or(self.portable) } else { self.portable }
    }

    fn is_sound(&self) -> bool {
        let rates = [self.int64.unwrap_or(self.portable), self.portable, 1.0 / self.latency];
        rates.into_iter().all(is_rate)
    }
}

/// The rates of a GPU with its driver.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeviceRecord {
    /// The device on which they were measured, or for which they were estimated.
    pub device: String,
    /// Where they come from.
    pub origin: Origin,
    /// Bytes per second of a kernel that copies a long vector, those that it reads and those that it writes.
    pub copied_bytes: f64,
    /// Words of 32 bits per second that a kernel reads at random places of a long vector.
    pub gathered_words: f64,
    /// Vectors of 128 bits per second that are looked up in workgroup memory.
    pub lookups: f64,
    /// Multiply-adds of 32-bit integers per second.
    pub multiply_adds: f64,
    /// Operations of 32-bit logic per second.
    pub logic: f64,
    /// Seconds in which the threads of a workgroup of 256 exchange a word and wait for each other.
    pub exchange: f64,
    /// Seconds of a short dispatch behind another one in a submission.
    pub dispatch: f64,
    /// Seconds from handing one short dispatch to the driver until the host has its answer.
    pub call: f64,
    /// Bytes per second from the host to the device, once there are staging buffers.
    pub upload: f64,
    /// Bytes per second from the device to new memory of the host, once there are staging buffers.
    pub download: f64,
    /// Seconds to make a staging buffer and to touch its memory, a byte: what the first transfers take longer.
    pub staging: f64,
    /// Seconds to compile the reference kernel, which multiplies elements of a field of 255 bits without 64-bit integers.
    pub compile: f64,
    /// Seconds to compile it once more: a driver, or the pipeline cache on the disk, may have kept it.
    pub compile_again: f64,
    /// Seconds to find the adapters and to open this one.
    pub opening: f64,
    /// Products of words.
    pub words: Products,
    /// Products in fields of up to 256 bits; `None` until a problem needs them.
    pub bits255: Option<Products>,
    /// Products in fields of up to 381 bits; `None` until a problem needs them.
    pub bits381: Option<Products>,
}

/// Times the products of a larger field take a product of words, where none was measured: by the products of limbs, of which
/// there are 2 9^2 and 2 13^2 of 30 bits and a few in a product of words. On an H200 they are 52 and 106, as measured.
const WORDS_PER_PRODUCT: [f64; 2] = [60.0, 120.0];

impl DeviceRecord {
    /// The products of a family. Those that were not measured are expected from products of words.
    pub fn products(&self, family: Family) -> Products {
        let times = |factor: f64| Products {
            int64: self.words.int64.map(|rate| rate / factor),
            portable: self.words.portable / factor,
            latency: self.words.latency * factor,
        };
        let [to_255, to_381] = WORDS_PER_PRODUCT;
        match family {
            Family::Words => self.words,
            Family::Bits255 => self.bits255.unwrap_or_else(|| times(to_255)),
            Family::Bits381 => self.bits381.unwrap_or_else(|| times(to_381)),
        }
    }

    /// Returns the arithmetic of kernels of a family on a device that allows `arithmetic`.
    pub(super) fn arithmetic_of(&self, arithmetic: Arithmetic, family: Family) -> Arithmetic {
        Arithmetic { int64: arithmetic.int64 && self.products(family).prefers_int64(), ..arithmetic }
    }

    /// True if the record says how fast products of this family are.
    pub fn knows(&self, family: Family) -> bool {
        match family {
            Family::Words => true,
            Family::Bits255 => self.bits255.is_some(),
            Family::Bits381 => self.bits381.is_some(),
        }
    }

    /// True if every rate is a positive number. A record of a file may be damaged.
    pub fn is_sound(&self) -> bool {
        let rates = [
            self.copied_bytes,
            self.gathered_words,
            self.lookups,
            self.multiply_adds,
            self.logic,
            1.0 / self.exchange,
            1.0 / self.dispatch,
            1.0 / self.call,
            self.upload,
            self.download,
            1.0 / self.staging,
            1.0 / self.compile,
            1.0 / self.compile_again,
            1.0 / self.opening,
        ];
        let products = [Some(self.words), self.bits255, self.bits381];
        rates.into_iter().all(is_rate) && products.iter().flatten().all(Products::is_sound)
    }
}

/// True for a rate per second, or the inverse of a time in seconds.
fn is_rate(rate: f64) -> bool {
    rate.is_finite() && rate > 0.0
}
