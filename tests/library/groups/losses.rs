//! Devices that are lost in the middle.

use crate::gpu_common::{open_another, random};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use wgalois::curve::Bn254;
use wgalois::field::BABY_BEAR;
use wgalois::gf2::{self, Dense, F4Method, generate};
use wgalois::gpu::Options;
use wgalois::msm::{self, Known};
use wgalois::ntt::{self, Product, Transform};
use wgalois::task::Problem;
use wgalois::{Cpu, Device, Error, Group};

use super::f4_matrices::{by_definition, f4};
use super::two;

/// A group whose device `number` is lost after so many submissions.
fn losing(number: usize, lose_after: u64, keeps_going: bool) -> Group {
    let members = (0..2).map(|member| match member == number {
        true => open_another(Options { lose_after: Some(lose_after), ..Options::default() }),
        false => two()[member].clone(),
    });
    Group::new(members.collect()).unwrap().with_keep_going(keeps_going)
}

#[test]
fn a_lost_device_ends_the_work_or_its_share_goes_to_another() {
    let known = Known::<Bn254>::random(100, 3);
    let scalars = msm::random_scalars::<Bn254>(100, &mut ChaCha8Rng::seed_from_u64(4));
    let transform = Transform::new(BABY_BEAR, 64).unwrap().with_batch(6);
    let data = random(BABY_BEAR, transform.len(), 5);
    let expected = transform.by_definition(&data).unwrap();
    let product = Product::new(BABY_BEAR, 64, 64);
    let [a, b] = [&data[..64], &data[64..128]];
    let product_of = ntt::multiply(&Device::Cpu(Cpu::default()), &product, a, b).unwrap();
    let sum = |device: &Device| {
        let sum = msm::multiply::<Bn254>(device, &known.points, &scalars)?;
        assert_eq!(sum, known.sum(&scalars));
        Ok(())
    };
    let transformed = |device: &Device| {
        let mut result = data.clone();
        ntt::transform(device, &transform, &mut result)?;
        assert!(result == expected);
        Ok(())
    };
    let multiplied = |device: &Device| {
        let result = ntt::multiply(device, &product, a, b)?;
        assert!(result == product_of);
        Ok(())
    };
    let (left, right) =
        (generate::matrix(90, 300, 0.5, 1).unwrap(), generate::matrix(300, 70, 0.5, 2).unwrap());
    let matrix = gf2::multiply(&Device::Cpu(Cpu::default()), &left, &right).unwrap();
    let matrices = |device: &Device| {
        assert!(gf2::multiply(device, &left, &right)? == matrix);
        Ok(())
    };
    let form_of_left = gf2::rref(&Device::Cpu(Cpu::default()), &left).unwrap();
    let rank = |device: &Device| {
        assert_eq!(gf2::rank(device, &left)?, 90);
        Ok(())
    };
    let shared = |device: &Device| {
        let problem = Dense::rref(90, 300)?.with_sharing(true);
        let form = problem.plan(device)?.prepare(device)?.run((&left, None))?.into_form()?;
        assert!(form == form_of_left);
        Ok(())
    };
    type Job<'a> = (&'a str, &'a dyn Fn(&Device) -> wgalois::Result<()>);
    let jobs: [Job; 6] = [
        ("elimination", &shared),
        ("sum", &sum),
        ("transforms", &transformed),
        ("product", &multiplied),
        ("matrices", &matrices),
        ("rank", &rank),
    ];
    for (name, job) in jobs {
        let (mut losses, mut left_out) = (0, 0);
        let number = usize::from(!["product", "rank"].contains(&name));
        for lose_after in 0.. {
            let ended = job(&Device::Group(losing(number, lose_after, false)));
            let kept = losing(number, lose_after, true);
            job(&Device::Group(kept.clone())).unwrap();
            match ended {
                Ok(()) => break,
                Err(Error::DeviceLost(message)) => {
                    assert!(message.starts_with(&format!("device {number}, ")), "{message}");
                    // The number of submissions depends on measured times, so this run may have had one less.
                    left_out += usize::from(kept.speeds()[number] == 0.0);
                    // The group goes on without it.
                    job(&Device::Group(kept)).unwrap();
                    losses += 1;
                }
                Err(other) => panic!("{name} after {lose_after} submissions: {other}"),
            }
        }
        assert!(losses > 0 && left_out > 0, "{name} was never interrupted");
    }
}

#[test]
fn a_device_that_is_lost_in_an_f4_matrix_ends_the_work_or_the_other_begins_again() {
    let sparse = f4(600, Some(3), 230, 20);
    let expected = by_definition(sparse.clone()).to_lists();
    for method in [F4Method::Blocked, F4Method::TwoStage] {
        let f4 = sparse.clone().with_method(method).with_sharing(true);
        for lose_after in [0, 5] {
            match gf2::eliminate(&Device::Group(losing(1, lose_after, false)), &f4) {
                Err(Error::DeviceLost(message)) => assert!(message.starts_with("device 1, "), "{message}"),
                other => panic!("{method} after {lose_after} submissions: {other:?}"),
            }
            let kept = losing(1, lose_after, true);
            let result = gf2::eliminate(&Device::Group(kept.clone()), &f4).unwrap();
            assert!(result.to_lists() == expected, "{method} after {lose_after} submissions");
            assert_eq!(kept.speeds(), [1.0, 0.0]);
        }
    }
}

#[test]
fn a_group_that_is_lost_gives_no_result() {
    let known = Known::<Bn254>::random(20, 3);
    let scalars = msm::random_scalars::<Bn254>(20, &mut ChaCha8Rng::seed_from_u64(4));
    let transform = Transform::new(BABY_BEAR, 4).unwrap().with_batch(3);
    for (keeps_going, losing) in [(true, [true; 2]), (false, [true, false])] {
        let lose_after = |loses: bool| Options { lose_after: loses.then_some(0), ..Options::default() };
        let members = losing.map(|loses| open_another(lose_after(loses))).to_vec();
        let device = Device::Group(Group::new(members).unwrap().with_keep_going(keeps_going));
        for _ in 0..3 {
            let sum = msm::multiply::<Bn254>(&device, &known.points, &scalars);
            assert!(matches!(sum, Err(Error::DeviceLost(_))), "{sum:?}");
            let transformed = ntt::transform(&device, &transform, &mut [1; 12]);
            assert!(matches!(transformed, Err(Error::DeviceLost(_))), "{transformed:?}");
            let rank = gf2::rank(&device, &generate::matrix(9, 9, 0.5, 1).unwrap());
            assert!(matches!(rank, Err(Error::DeviceLost(_))), "{rank:?}");
        }
    }
}
