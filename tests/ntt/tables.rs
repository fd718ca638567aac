//! Tables on the device: zeros between vectors, a vector in each column, longer ones than a binding.

use crate::gpu_common::{full, portable, random};
use wgalois::Device;
use wgalois::field::BABY_BEAR;
use wgalois::gpu::{Gpu, Options};
use wgalois::ntt::{self, PreparedTransform, Transform};
use wgalois::task::Problem;

fn prepare(gpu: &Gpu, spec: &Transform) -> wgalois::Result<PreparedTransform> {
    let device = Device::Gpu(gpu.clone());
    spec.plan(&device)?.prepare(&device)
}

/// The device with 256 words a chunk.
fn tiny() -> Gpu {
    full().with_options(Options { max_chunk_bytes: 1 << 10, ..full().options().clone() })
}

#[test]
fn zeros_between_vectors_come_on_the_device() {
    for gpu in [full(), &tiny()] {
        // Vectors of 96 words cross the borders of chunks.
        for (batch, width, stride) in [(5, 96, 256), (3, 300, 512), (1, 1, 2), (4, 8, 8), (0, 3, 4)] {
            let data = random(BABY_BEAR, batch * width, 1);
            let mut padded = vec![0; batch * stride];
            padded
                .chunks_mut(stride)
                .zip(data.chunks(width))
                .for_each(|(to, from)| to[..width].copy_from_slice(from));
            let source = gpu.upload(&data).unwrap();
            let mut values = gpu.upload(&vec![7u32; batch * stride]).unwrap();
            values.assign_padded(&source, width, stride).unwrap();
            assert!(values.download().unwrap() == padded, "{batch} x {width} in {stride}");
            if batch > 0 {
                // The values of the polynomials at more points than they have coefficients.
                let spec = Transform::new(BABY_BEAR, stride).unwrap().with_batch(batch);
                prepare(gpu, &spec).unwrap().run_on_device(&mut values).unwrap();
                assert!(values.download().unwrap() == spec.by_definition(&padded).unwrap());
            }
        }
    }
    let (source, mut target) = (full().upload(&[1u32; 6]).unwrap(), full().zeros::<u32>(8).unwrap());
    for (width, stride) in [(0, 4), (4, 4), (3, 2), (3, 6), (2, usize::MAX)] {
        assert!(target.assign_padded(&source, width, stride).is_err(), "{width} {stride}");
    }
    target.assign_padded(&source, 3, 5).unwrap();
    assert_eq!(target.download().unwrap(), [1, 1, 1, 0, 0, 1, 1, 1]);
}

#[test]
fn columns_are_transformed_on_the_device() {
    // Rows, columns and tiles cross the borders of chunks.
    for gpu in [full(), &tiny(), portable()] {
        for (rows, columns) in [
            (1, 1),
            (1, 700),
            (700, 1),
            (16, 1),
            (8, 2),
            (32, 32),
            (33, 31),
            (64, 128),
            (64, 81),
            (512, 5),
            (1024, 3),
            (3, 1000),
        ] {
            let table = random(BABY_BEAR, rows * columns, 7);
            let column = |c: usize| table.iter().skip(c).step_by(columns).copied();
            let expected: Vec<u32> = (0..columns).flat_map(column).collect();
            let source = gpu.upload(&table).unwrap();
            let mut vectors = ntt::transposed(&source, rows, columns).unwrap();
            assert!(vectors.download().unwrap() == expected, "{rows} x {columns}");
            assert!(source.download().unwrap() == table);
            if rows > 1 && rows.is_power_of_two() {
                let spec = Transform::new(BABY_BEAR, rows).unwrap().with_batch(columns);
                prepare(gpu, &spec).unwrap().run_on_device(&mut vectors).unwrap();
                let values = spec.by_definition(&expected).unwrap();
                let back = ntt::transposed(&vectors, columns, rows).unwrap().download().unwrap();
                let is_right = |(i, &x): (usize, &u32)| x == values[i % columns * rows + i / columns];
                assert!(back.iter().enumerate().all(is_right), "{rows} x {columns}");
            }
        }
    }
}

#[test]
fn a_table_of_columns_is_extended_on_the_device() {
    // Rows of zeros are appended; the columns' values are those of the coefficients at more points.
    let (rows, columns, points) = (64, 21, 256);
    for gpu in [full(), &tiny()] {
        let table = random(BABY_BEAR, rows * columns, 3);
        let mut padded = gpu.zeros(points * columns).unwrap();
        padded.assign_padded(&gpu.upload(&table).unwrap(), rows * columns, points * columns).unwrap();
        let mut vectors = ntt::transposed(&padded, points, columns).unwrap();
        let spec = Transform::new(BABY_BEAR, points).unwrap().with_batch(columns);
        prepare(gpu, &spec).unwrap().run_on_device(&mut vectors).unwrap();
        let values = ntt::transposed(&vectors, columns, points).unwrap().download().unwrap();
        let p = BABY_BEAR;
        for (j, c) in [(0, 0), (1, 20), (77, 13), (255, 1)] {
            let point = p.pow(spec.root().unwrap(), j as u64);
            let value = (0..rows).rev().fold(0, |sum, i| p.add(p.mul(sum, point), table[i * columns + c]));
            assert_eq!(values[j * columns + c], value, "column {c} at point {j}");
        }
    }
}

#[test]
fn tables_of_other_shapes_are_refused() {
    let source = full().upload(&[1u32; 12]).unwrap();
    for (rows, columns) in [(4, 4), (5, 2), (0, 0), (0, 12), (usize::MAX, 2), (1 << 31, 1 << 33)] {
        assert_eq!(ntt::transposed(&source, rows, columns).unwrap_err().exit_code(), 2, "{rows} x {columns}");
    }
    let empty = full().upload::<u32>(&[]).unwrap();
    assert!(ntt::transposed(&empty, 0, 5).unwrap().is_empty());
    // There must be room for the transpose beside the matrix.
    let small = full().with_options(Options { memory: 6 << 10, ..full().options().clone() });
    let table = small.upload(&[1u32; 1 << 10]).unwrap();
    assert_eq!(ntt::transposed(&table, 32, 32).unwrap_err().exit_code(), 5);
}
