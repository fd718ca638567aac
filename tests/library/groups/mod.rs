//! Groups: several devices share the work, and the result is that of one. The devices are the first adapter,
//! opened several times.

mod dense;
mod empty;
mod f4_matrices;
mod losses;
mod tasks;

use std::sync::OnceLock;

use crate::gpu_common::{both_drivers, open_another};
use dense::deficient;
use f4_matrices::{by_definition, f4};
use wgalois::curve::Bn254;
use wgalois::gf2::{self, Dense, F4Method, generate};
use wgalois::gpu::{Adapters, Gpu, Options};
use wgalois::msm::Multiplication;
use wgalois::task::{Planned, Problem, Profile};
use wgalois::timeline::{Phase, Timeline};
use wgalois::{Cpu, Device, Error, Group};

/// Two devices, opened once.
fn two() -> &'static [Gpu; 2] {
    static TWO: OnceLock<[Gpu; 2]> = OnceLock::new();
    TWO.get_or_init(|| [0, 1].map(|_| open_another(Options::default())))
}

/// A group of the two devices with these speeds, with a timeline of its own.
fn group(speeds: [f64; 2]) -> Group {
    let timeline = Timeline::with_events();
    let member =
        |gpu: &Gpu| gpu.with_options(Options { timeline: timeline.clone(), ..gpu.options().clone() });
    Group::new(two().iter().map(member).collect()).unwrap().with_speeds(&speeds).unwrap()
}

/// Bytes to and from the devices of a group, and dispatches, so far.
fn traffic(group: &Group) -> [u64; 3] {
    let events = group.timeline().recording().events;
    let bytes = |phase| events.iter().filter(|event| event.phase == phase).map(|event| event.bytes).sum();
    [bytes(Phase::Upload), bytes(Phase::Download), group.timeline().dispatches().values().sum()]
}

/// Runs `work`, which must send as many bytes as the plan counts. A software driver gets long dispatches in
/// several, so there may be more of them; tests of the crate count them on a device that does not.
fn counted<P: Problem, T>(group: &Group, plan: &Planned<P>, work: impl FnOnce() -> T) -> T {
    let before = traffic(group);
    let result = work();
    let after = traffic(group);
    let counted = plan.traffic();
    assert_eq!([after[0] - before[0], after[1] - before[1]], [counted.upload, counted.download], "{plan}");
    assert!(after[2] - before[2] >= counted.dispatches.unwrap(), "{plan}");
    result
}

#[test]
fn a_plan_for_a_group_has_the_shares_and_the_times_of_equal_devices() {
    let profile = Device::Group(group([1.0, 0.25])).profile();
    let text = Multiplication::<Bn254>::new(1000).plan_for(&profile).unwrap().to_string();
    for line in ["device 0       800 points: ", "device 1       200 points: ", "equal devices  1: about "] {
        assert!(text.contains(line), "{line} in\n{text}");
    }
    assert!(text.contains("speed 0.250"));
    // Work that is not shared is planned for the faster device.
    let one = Device::Gpu(two()[0].clone()).profile();
    let rank = Dense::rank(100, 70).unwrap();
    let of_one = rank.plan_for(&one).unwrap().to_string();
    let line = "devices        1 of 2, the fastest: this work is not shared\n";
    let of_group = rank.plan_for(&profile).unwrap().to_string();
    assert_eq!(of_group.replacen(line, "", 1), of_one);
    assert!(of_group.contains(line), "{of_group}");
    // The memory of a group is that of each device.
    let little = Profile { device_memory: 1 << 10, ..profile };
    let refused = Multiplication::<Bn254>::new(1 << 20).plan_for(&little);
    assert!(matches!(refused, Err(Error::OutOfMemory(_))));
}

#[test]
fn groups_without_devices_and_wrong_speeds_are_refused() {
    assert!(matches!(Group::new(Vec::new()), Err(Error::Needs { .. })));
    for speeds in [&[1.0][..], &[1.0, 0.0], &[1.0, f64::NAN], &[1.0, -1.0], &[1.0, f64::INFINITY]] {
        assert!(matches!(group([1.0, 1.0]).with_speeds(speeds), Err(Error::Needs { .. })), "{speeds:?}");
    }
    assert_eq!(group([3.0, 6.0]).speeds(), [0.5, 1.0]);
}

/// Runs in a process of its own, which sees both drivers.
#[test]
fn unlike_devices_share_eliminations_and_agree() {
    const CHILD: &str = "WGALOIS_TEST_BOTH_DRIVERS";
    const NAME: &str = "groups::unlike_devices_share_eliminations_and_agree";
    if std::env::var_os(CHILD).is_none() {
        let Some(drivers) = both_drivers() else {
            assert!(std::env::var_os("CI").is_none(), "lavapipe or SwiftShader is missing");
            eprintln!("NOT RUN: two unlike devices need lavapipe and SwiftShader (Debian's chromium)");
            return;
        };
        let mut command = std::process::Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", NAME, "--nocapture"]).env(CHILD, "1");
        let command = command.env("VK_ICD_FILENAMES", &drivers).env("VK_DRIVER_FILES", &drivers);
        assert!(command.status().unwrap().success());
        return;
    }
    let group = Group::open(&Adapters::All, Options::default()).unwrap();
    let names: Vec<_> = group.members().iter().map(|gpu| gpu.adapter().name.clone()).collect();
    let has = |driver: &str| names.iter().any(|name| name.contains(driver));
    assert!(has("llvmpipe") && has("SwiftShader"), "{names:?}");
    let (cpu, device) = (Device::Cpu(Cpu::default()), Device::Group(group.clone()));
    for matrix in [generate::matrix(300, 520, 0.5, 1).unwrap(), deficient(200, 600)] {
        for speeds in [group.speeds(), vec![1.0; names.len()]] {
            let device = Device::Group(group.clone().with_speeds(&speeds).unwrap());
            let problem = Dense::rref(matrix.rows(), matrix.columns()).unwrap().with_sharing(true);
            let form = problem.plan(&device).unwrap().prepare(&device).unwrap().run((&matrix, None)).unwrap();
            assert!(form.into_form().unwrap() == gf2::rref(&cpu, &matrix).unwrap(), "{speeds:?}");
        }
    }
    assert_eq!(gf2::rank(&device, &deficient(200, 600)).unwrap(), 100);
    for method in [F4Method::Blocked, F4Method::TwoStage] {
        let f4 = f4(900, Some(2), 300, 20).with_method(method).with_sharing(true);
        let result = gf2::eliminate(&device, &f4).unwrap();
        assert!(result.to_lists() == by_definition(f4).to_lists(), "{method}");
    }
}
