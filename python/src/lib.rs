//! The native half of the Python package `wgalois`: the library's public API over Python's buffers.
//!
//! The Python half (`package/wgalois`) brings arrays into the layout that these functions take (contiguous, of one element
//! type), and gives results their shape. Nothing here is public: users call the Python half.

mod bits;
mod boolean;
mod buffers;
mod codes;
mod device;
mod device_array;
mod device_matrix;
mod errors;
mod fields;
mod forks;
mod gf2;
mod msm;
mod ntt;
mod plan;
mod prelude;
mod sparse;
mod swaps;
mod work;

use pyo3::prelude::*;

#[pymodule]
mod _native {
    #[pymodule_export]
    use super::bits::BitMatrix;
    #[pymodule_export]
    use super::boolean::boolean_solve;
    #[pymodule_export]
    use super::codes::gf2_lightest;
    #[pymodule_export]
    use super::device::devices;
    #[pymodule_export]
    use super::device_array::DeviceArray;
    #[pymodule_export]
    use super::device_matrix::DeviceMatrix;
    #[pymodule_export]
    use super::fields::{field_multiply, field_transform, fields};
    #[pymodule_export]
    use super::gf2::{eliminate, gf2_compute, gf2_many};
    #[pymodule_export]
    use super::msm::{Bases, curves, sum};
    #[pymodule_export]
    use super::ntt::{
        discrete, discrete_root, exact, ml_kem_multiply, ml_kem_transform, modulus_value, multiply,
        prime_value, product_length, transform,
    };
    #[pymodule_export]
    use super::plan::Plan;
    #[pymodule_export]
    use super::sparse::Lists;
    #[pymodule_export]
    use super::swaps::gf2_by_swaps;
    #[pymodule_export]
    use super::work::settle;

    #[pymodule_init]
    fn init() {
        super::forks::begin();
    }
}
