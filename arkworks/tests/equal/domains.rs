//! Transforms beside ark-poly's.

use ark_bn254::Fr;
use ark_ec::{CurveGroup, VariableBaseMSM};
use ark_ff::UniformRand;
use ark_poly::univariate::DensePolynomial;
use ark_poly::{
    DenseUVPolynomial, EvaluationDomain, GeneralEvaluationDomain, MixedRadixEvaluationDomain,
    Radix2EvaluationDomain,
};
use wgalois::Device;
use wgalois::curve::{Bls12_377, Bls12_381, Bls24_315, ScalarField};
use wgalois::gpu::Gpu;
use wgalois::scalars::Scalar;
use wgalois_arkworks::{Bases, GpuDomain};

use crate::{cpu, gpu, rng};

fn random<F: Scalar>(len: usize) -> Vec<F> {
    let mut rng = rng(len as u64);
    (0..len).map(|_| F::rand(&mut rng)).collect()
}

/// Whole vectors and shorter ones, to values and to coefficients, on the subgroup and on cosets.
fn transforms_are_theirs<F: Scalar>(device: &Device, log_sizes: impl IntoIterator<Item = u32>) {
    for log_size in log_sizes {
        let n = 1 << log_size;
        let theirs = Radix2EvaluationDomain::<F>::new(n).unwrap();
        let ours = GpuDomain::<F>::new(device, n).unwrap();
        assert_eq!((ours.domain(), ours.size(), ours.group_gen()), (&theirs, n, theirs.group_gen));
        for offset in [F::ONE, F::GENERATOR] {
            let (theirs, ours) = (theirs.get_coset(offset).unwrap(), ours.get_coset(offset).unwrap());
            assert_eq!((ours.domain(), ours.coset_offset()), (&theirs, offset));
            for len in [n, n.div_ceil(3)] {
                let scalars = random::<F>(len);
                assert!(ours.fft(&scalars).unwrap() == theirs.fft(&scalars), "fft, {n} {len}");
                let mut in_place = scalars.clone();
                ours.ifft_in_place(&mut in_place).unwrap();
                assert!(in_place == theirs.ifft(&scalars), "ifft, {n} {len}");
                assert!(ours.ifft(&scalars).unwrap() == in_place, "ifft, {n} {len}");
                ours.fft_in_place(&mut in_place).unwrap();
                assert!(in_place[..len] == scalars && in_place[len..].iter().all(F::is_zero), "{n} {len}");
            }
        }
    }
}

#[test]
fn transforms_of_all_sizes_on_the_cpu_engine() {
    transforms_are_theirs::<Fr>(&cpu(), 0..=14);
    transforms_are_theirs::<ScalarField<Bls12_381>>(&cpu(), 0..=14);
    transforms_are_theirs::<ScalarField<Bls12_377>>(&cpu(), 0..=14);
    transforms_are_theirs::<ScalarField<Bls24_315>>(&cpu(), 0..=14);
}

#[test]
fn transforms_on_a_gpu() {
    transforms_are_theirs::<Fr>(&gpu(), [0, 1, 2, 7, 14]);
    transforms_are_theirs::<ScalarField<Bls12_381>>(&gpu(), [5]);
    transforms_are_theirs::<ScalarField<Bls12_377>>(&gpu(), [9]);
    transforms_are_theirs::<ScalarField<Bls24_315>>(&gpu(), [10]);
}

#[test]
#[ignore = "compiles the kernels of every size, which takes minutes on lavapipe"]
fn transforms_of_all_sizes_on_a_gpu() {
    transforms_are_theirs::<Fr>(&gpu(), 0..=14);
    transforms_are_theirs::<ScalarField<Bls12_381>>(&gpu(), 0..=14);
    transforms_are_theirs::<ScalarField<Bls12_377>>(&gpu(), 0..=14);
    transforms_are_theirs::<ScalarField<Bls24_315>>(&gpu(), 0..=14);
}

#[test]
fn several_vectors_in_one_run() {
    for device in [cpu(), gpu()] {
        let n = 1 << 6;
        let ours = GpuDomain::<Fr>::new_coset(&device, n, Fr::from(5)).unwrap();
        let lengths: [&[usize]; 4] = [&[], &[3], &[n, 0, 1, n - 1], &[n; 7]];
        for lengths in lengths {
            let vectors: Vec<Vec<Fr>> = lengths.iter().map(|&len| random(len)).collect();
            let mut results = vectors.clone();
            ours.fft_many_in_place(&mut results).unwrap();
            assert!(results.iter().zip(&vectors).all(|(values, x)| *values == ours.domain().fft(x)));
            let mut results = vectors.clone();
            ours.ifft_many_in_place(&mut results).unwrap();
            assert!(results.iter().zip(&vectors).all(|(values, x)| *values == ours.domain().ifft(x)));
        }
        // One that is too long leaves all as they are.
        let vectors = vec![random::<Fr>(n), random(n + 1)];
        let mut results = vectors.clone();
        assert!(ours.fft_many_in_place(&mut results).is_err_and(|error| error.exit_code() == 3));
        assert!(results == vectors);
    }
}

#[test]
fn domains_are_arkworks_domains() {
    let device = cpu();
    // Sizes are rounded up, and bounded by the field: 2^28 here.
    for num_coeffs in [0, 1, 3, 4, 5] {
        let theirs = Radix2EvaluationDomain::<Fr>::new(num_coeffs).unwrap();
        assert_eq!(GpuDomain::<Fr>::new(&device, num_coeffs).unwrap().domain(), &theirs);
    }
    for num_coeffs in [(1 << 28) + 1, usize::MAX] {
        assert!(GpuDomain::<Fr>::new(&device, num_coeffs).is_err_and(|error| error.exit_code() == 3));
    }
    let domain = GpuDomain::<Fr>::new(&device, 8).unwrap();
    assert!(domain.get_coset(Fr::from(0)).is_err_and(|error| error.exit_code() == 3));
    assert!(domain.fft(&random(9)).is_err_and(|error| error.exit_code() == 3));
    assert!(domain.ifft_in_place(&mut random(9)).is_err_and(|error| error.exit_code() == 3));
    assert!(domain.upload(&random(9)).is_err_and(|error| error.exit_code() == 3));

    let general = GeneralEvaluationDomain::<Fr>::new_coset(16, Fr::from(3)).unwrap();
    let ours = GpuDomain::from_domain(&device, &general).unwrap();
    assert_eq!((ours.size(), ours.coset_offset()), (16, Fr::from(3)));
    assert!(ours.fft(&random(16)).unwrap() == general.fft(&random::<Fr>(16)));
    // Another generator numbers the elements in another way.
    let group_gen = domain.group_gen() * domain.group_gen() * domain.group_gen();
    let other = Radix2EvaluationDomain { group_gen, ..*domain.domain() };
    assert!(GpuDomain::from_domain(&device, &other).is_err_and(|error| error.exit_code() == 3));
    let of_three = MixedRadixEvaluationDomain::<ScalarField<Bls12_381>>::new(3).unwrap();
    assert_eq!(of_three.size(), 3);
    assert!(GpuDomain::from_domain(&device, &of_three).is_err_and(|error| error.exit_code() == 3));
}

/// A quotient as a prover computes it, whose vectors stay on the device, and its commitment.
#[test]
fn vectors_stay_on_the_device() {
    type G1 = wgalois::curve::Projective<wgalois::curve::Bn254>;
    let (n, m) = (1 << 7, 1 << 5);
    let [a, b] = [40, 60].map(|len| DensePolynomial::from_coefficients_vec(random::<Fr>(len)));
    let product = &a * &b;
    let (quotient, remainder) =
        product.divide_by_vanishing_poly(Radix2EvaluationDomain::<Fr>::new(m).unwrap());
    let points = {
        let mut rng = rng(1);
        let points: Vec<_> = (0..n).map(|_| G1::rand(&mut rng)).collect();
        G1::normalize_batch(&points)
    };
    for device in [cpu(), gpu()] {
        let coset = GpuDomain::<Fr>::new_coset(&device, n, Fr::from(7)).unwrap();
        let [mut values, other, rest] = [&a.coeffs, &b.coeffs, &remainder.coeffs].map(|coefficients| {
            let mut values = coset.upload(coefficients).unwrap();
            coset.fft_resident(&mut values).unwrap();
            values
        });
        coset.mul_polynomials_in_evaluation_domain(&mut values, &other).unwrap();
        assert!(values.download().unwrap() == coset.domain().fft(&product.coeffs));
        coset.vectors().subtract(&mut values, &rest).unwrap();
        coset.divide_by_vanishing_poly_on_coset(&mut values, m).unwrap();
        coset.ifft_resident(&mut values).unwrap();
        let coefficients = values.download().unwrap();
        assert!(coefficients[..quotient.len()] == quotient.coeffs);
        assert!(coefficients[quotient.len()..].iter().all(|x| *x == Fr::from(0)));
        let bases = Bases::new(&device, &points).unwrap();
        assert_eq!(bases.msm_resident(&values).unwrap(), G1::msm(&points, &coefficients).unwrap());

        assert!(
            coset
                .divide_by_vanishing_poly_on_coset(&mut values, 3)
                .is_err_and(|error| error.exit_code() == 3)
        );
        let subgroup = coset.get_coset(Fr::from(1)).unwrap();
        assert!(
            subgroup
                .divide_by_vanishing_poly_on_coset(&mut values, m)
                .is_err_and(|error| error.exit_code() == 3)
        );
    }
    let (on_host, on_gpu) =
        (GpuDomain::<Fr>::new(&cpu(), n).unwrap(), GpuDomain::<Fr>::new(&gpu(), n).unwrap());
    let mut vector = on_gpu.upload(&a.coeffs).unwrap();
    assert!(on_host.fft_resident(&mut vector).is_err_and(|error| error.exit_code() == 2));
}

#[test]
fn threads_share_a_domain_and_a_lost_device_is_an_error() {
    let gpu = Gpu::new().unwrap();
    let domain = GpuDomain::<Fr>::new(&Device::Gpu(gpu.clone()), 1 << 9).unwrap();
    let scalars = random::<Fr>(1 << 9);
    let [values, coefficients] = [domain.domain().fft(&scalars), domain.domain().ifft(&scalars)];
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for _ in 0..3 {
                    assert!(domain.fft(&scalars).unwrap() == values);
                    assert!(domain.ifft(&scalars).unwrap() == coefficients);
                }
            });
        }
    });
    gpu.destroy();
    assert!(domain.fft(&scalars).is_err());
}
