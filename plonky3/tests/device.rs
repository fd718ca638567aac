//! Matrices that stay on the device, little memory, lost devices, and the choice between the device and Plonky3.

mod common;

use common::{Rows, always_on, gpu, gpu_with, random, shift};
use p3_baby_bear::BabyBear;
use p3_dft::{Radix2DitParallel, TwoAdicSubgroupDft};
use p3_field::{Field, PrimeCharacteristicRing};
use p3_koala_bear::KoalaBear;
use p3_matrix::Matrix;
use p3_matrix::bitrev::BitReversibleMatrix;
use wgalois::gpu::{Gpu, Options};
use wgalois::ntt::Order;
use wgalois::{Cpu, Device, Error};
use wgalois_plonky3::{Crossover, Field31, ResidentMatrix, WgaloisDft};

fn resident<F: Field31>() {
    let dft = always_on::<F>(Device::Gpu(gpu().clone()));
    let plonky3 = Radix2DitParallel::<F>::default();
    for (rows, width, added_bits) in [(2, 1, 0), (64, 3, 1), (256, 64, 2)] {
        let (matrix, shift) = (random::<F>(rows, width), shift::<F>(width));
        let trace = dft.upload(&matrix).unwrap();
        assert!(trace.download().unwrap() == matrix);

        let extended = dft.coset_lde_resident(&trace, added_bits, shift).unwrap();
        assert_eq!((extended.width(), extended.height()), (width, rows << added_bits));
        assert_eq!(extended.order(), Order::BitReversed);
        let values = plonky3.coset_lde_batch(matrix.clone(), added_bits, shift);
        assert!(extended.download().unwrap() == values.bit_reverse_rows());

        // A result in bit-reversed order is an input like any other.
        let coefficients = dft.coset_idft_resident(&extended, shift).unwrap();
        assert_eq!(coefficients.order(), Order::Natural);
        let mut padded = plonky3.idft_batch(matrix.clone());
        padded.values.resize(padded.values.len() << added_bits, F::ZERO);
        assert!(coefficients.download().unwrap() == padded);

        let values = dft.coset_dft_resident(&coefficients, shift).unwrap();
        assert!(values.download().unwrap() == extended.download().unwrap());
    }
    assert_eq!(dft.device_runs(), 9);
}

#[test]
fn resident_matrices_of_both_fields() {
    resident::<BabyBear>();
    resident::<KoalaBear>();
}

#[test]
fn resident_matrices_are_whole_rows_of_a_gpu() {
    let words = |len| gpu().zeros::<u32>(len).unwrap();
    let matrix = |len, width| ResidentMatrix::<BabyBear>::from_words(words(len), width, Order::Natural);
    assert!(matrix(7, 2).is_err_and(|error| error.exit_code() == 3));
    assert!(matrix(0, 0).is_err_and(|error| error.exit_code() == 3));
    let dft = always_on::<BabyBear>(Device::Gpu(gpu().clone()));
    let rows = |rows: usize| dft.coset_lde_resident(&matrix(2 * rows, 2).unwrap(), 1, BabyBear::GENERATOR);
    assert!(rows(1).is_err_and(|error| error.exit_code() == 3));
    assert!(rows(3).is_err_and(|error| error.exit_code() == 3));
    assert_eq!(rows(4).unwrap().into_words().len(), 16);
    let too_long = dft.coset_lde_resident(&matrix(8, 2).unwrap(), 26, BabyBear::GENERATOR);
    assert!(too_long.is_err_and(|error| error.exit_code() == 3));
    let zero = dft.coset_dft_resident(&matrix(8, 2).unwrap(), BabyBear::ZERO);
    assert!(zero.is_err_and(|error| error.exit_code() == 3));

    let dft = always_on::<BabyBear>(Device::Cpu(Cpu::default()));
    assert!(matches!(dft.upload(&random(4, 2)), Err(Error::NoDevice(_))));
}

/// The device takes as many columns at a time as its memory holds.
#[test]
fn columns_that_do_not_fit_are_halved() {
    let (rows, width, added_bits) = (1 << 10, 16, 1);
    let matrix = random::<BabyBear>(rows, width);
    let expected =
        Radix2DitParallel::default().coset_lde_batch(matrix.clone(), added_bits, BabyBear::GENERATOR);
    let expected = Rows::from(expected);
    // The result alone has 128 KiB.
    for memory in [u64::MAX, 400 << 10, 200 << 10, 120 << 10] {
        let gpu = gpu_with(Options { memory, ..Options::default() });
        let dft = always_on::<BabyBear>(Device::Gpu(gpu));
        let values = dft.coset_lde_batch(matrix.clone(), added_bits, BabyBear::GENERATOR);
        assert!(Rows::from(values) == expected, "{memory}");
        assert!(dft.last_error().is_none(), "{memory}: {:?}", dft.last_error());
        assert_eq!(dft.device_runs(), 1);
    }
    // Not even one column fits: the work is Plonky3's, and the error tells.
    let gpu = gpu_with(Options { memory: 4 << 10, ..Options::default() });
    let dft = always_on::<BabyBear>(Device::Gpu(gpu));
    assert!(Rows::from(dft.coset_lde_batch(matrix, added_bits, BabyBear::GENERATOR)) == expected);
    assert_eq!(dft.device_runs(), 0);
    assert!(matches!(dft.last_error().as_deref(), Some(Error::OutOfMemory(_))), "{:?}", dft.last_error());
}

#[test]
fn plonky3_does_the_work_of_a_lost_device() {
    let gpu = Gpu::new().unwrap();
    let dft = always_on::<KoalaBear>(Device::Gpu(gpu.clone()));
    let matrix = random::<KoalaBear>(64, 3);
    let expected = Rows::from(Radix2DitParallel::default().dft_batch(matrix.clone()));
    assert!(Rows::from(dft.dft_batch(matrix.clone())) == expected);
    assert_eq!((dft.device_runs(), dft.last_error().is_none()), (1, true));
    gpu.destroy();
    // Twice: the device that was lost is not asked again.
    for _ in 0..2 {
        assert!(Rows::from(dft.dft_batch(matrix.clone())) == expected);
        assert_eq!(dft.device_runs(), 1);
        assert!(dft.last_error().is_some());
    }
}

#[test]
fn the_crossover_is_the_number_of_words_of_the_result() {
    let runs = |crossover, rows: usize, added_bits| {
        let dft = WgaloisDft::<BabyBear>::on(Device::Cpu(Cpu::default())).with_crossover(crossover);
        let values = dft.coset_lde_batch(random(rows, 3), added_bits, BabyBear::GENERATOR);
        assert_eq!(values.height(), rows << added_bits);
        dft.device_runs()
    };
    assert_eq!(runs(Crossover::Words(3 << 8), 1 << 7, 1), 1);
    assert_eq!(runs(Crossover::Words((3 << 8) + 1), 1 << 7, 1), 0);
    assert_eq!(runs(Crossover::Words(usize::MAX), 1 << 7, 1), 0);
    // Too small to be worth a measurement.
    assert_eq!(runs(Crossover::Measured, 1 << 7, 1), 0);
}

/// Clones count together, and several threads use one value.
#[test]
fn threads_share_a_device() {
    let dft = always_on::<BabyBear>(Device::Gpu(gpu().clone()));
    let matrix = random::<BabyBear>(1 << 11, 6);
    let expected = Rows::from(Radix2DitParallel::default().coset_lde_batch(matrix.clone(), 1, BabyBear::TWO));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let dft = dft.clone();
                for _ in 0..4 {
                    let values = dft.coset_lde_batch(matrix.clone(), 1, BabyBear::TWO);
                    assert!(Rows::from(values) == expected);
                }
            });
        }
    });
    assert_eq!(dft.device_runs(), 16);
}
