//! Tests of the progress that eliminations report.

use std::sync::Mutex;

use super::{Dense, F4Matrix, F4Method, Grid, RowSchedule, generate};
use crate::gpu::Options;
use crate::gpu::test_devices::open;
use crate::processes::{self, Threads};
use crate::task::Problem;
use crate::timeline::Timeline;
use crate::{Cpu, Device, Error, Group, Processes, gf2, serve};

fn f4(method: F4Method) -> F4Matrix {
    let shape = generate::Groebner {
        columns: 1700,
        reducers: 900,
        rows: 800,
        new_pivots: 500,
        reducer_ones: 20,
        row_ones: 40,
        seed: 1,
    };
    let (reducers, rows) = shape.generate().unwrap();
    F4Matrix::new(reducers, rows, None).unwrap().with_method(method)
}

/// The shares grow to the whole, with values in between.
fn check(shares: &[f64], what: &str) {
    assert!(shares.is_sorted() && shares.last() == Some(&1.0), "{what}: {shares:?}");
    assert!(shares.iter().filter(|share| (0.05..0.95).contains(*share)).count() >= 2, "{what}: {shares:?}");
}

#[test]
fn every_method_on_the_cpu_tells_its_progress() {
    for method in
        [F4Method::Bands, F4Method::Rounds, F4Method::XorThreads, F4Method::Blocked, F4Method::TwoStage]
    {
        for threads in [1, 2] {
            let cpu = Cpu { threads, ..Cpu::default() };
            gf2::eliminate(&Device::Cpu(cpu.clone()), &f4(method)).unwrap();
            check(&cpu.timeline.shares(), &method.to_string());
            assert_eq!(cpu.timeline.progress(), None);
        }
    }
    for schedule in RowSchedule::ALL {
        let cpu = Cpu::default();
        let f4 = f4(F4Method::Rounds).with_schedule(schedule);
        gf2::eliminate(&Device::Cpu(cpu.clone()), &f4).unwrap();
        check(&cpu.timeline.shares(), "rounds");
    }
}

#[test]
fn every_method_on_a_gpu_tells_its_progress() {
    let gpu = open(Options::default());
    for method in [F4Method::Rounds, F4Method::Blocked, F4Method::TwoStage] {
        let timeline = Timeline::default();
        let own = gpu.with_options(Options { timeline: timeline.clone(), ..gpu.options().clone() });
        gf2::eliminate(&Device::Gpu(own), &f4(method)).unwrap();
        let shares = timeline.shares();
        assert!(shares.iter().all(|share| (0.0..=1.0).contains(share)), "{method}: {shares:?}");
        assert!(shares.iter().any(|share| (0.02..0.98).contains(share)), "{method}: {shares:?}");
        assert!(shares.iter().any(|&share| share > 0.99), "{method}: {shares:?}");
        assert_eq!(timeline.progress(), None);
    }
}

#[test]
fn products_tell_their_progress() {
    let (a, b) = (generate::matrix(3000, 900, 0.5, 1).unwrap(), generate::matrix(900, 1500, 0.5, 2).unwrap());
    let cpu = Cpu::default();
    gf2::multiply(&Device::Cpu(cpu.clone()), &a, &b).unwrap();
    check(&cpu.timeline.shares(), "product");
    assert_eq!(cpu.timeline.progress(), None);
    // A product on files, a third of its rows at a time.
    let cpu = Cpu::default();
    let mut rows = 0;
    let mut take = |band: &gf2::BitMatrix| {
        rows += band.rows();
        Ok(())
    };
    gf2::cpu::multiply_in_bands(&cpu, a.view(), b.view(), 260 * 1000, &mut take).unwrap();
    assert_eq!(rows, 3000);
    check(&cpu.timeline.shares(), "product on files");
}

/// Process 0's shares of the work that `job` does on so many processes with a device of these.
fn shares_on(
    size: usize,
    device: impl Fn(Timeline) -> Device + Sync,
    job: impl Fn(&Device) -> crate::Result<()> + Sync,
) -> Vec<f64> {
    let timeline = Timeline::default();
    let devices: Vec<_> = (0..size)
        .map(|rank| Mutex::new(device(if rank == 0 { timeline.clone() } else { Timeline::default() })))
        .collect();
    Threads::run(size, |processes| {
        let device = devices[processes.rank()].lock().unwrap().clone();
        if processes.rank() > 0 {
            return serve(&**processes, |_| Ok(device.clone()));
        }
        job(&Device::Processes(Processes::new(processes.clone(), device)?))?;
        processes::end(&**processes)
    })
    .unwrap();
    assert_eq!(timeline.progress(), None);
    timeline.shares()
}

#[test]
fn work_of_processes_tells_its_progress() {
    let cpu = |timeline| Device::Cpu(Cpu { threads: 1, timeline, ..Cpu::default() });
    for method in [F4Method::Rounds, F4Method::Blocked, F4Method::TwoStage] {
        for size in [1, 2, 3] {
            let shares = shares_on(size, cpu, |device| {
                let f4 = f4(method);
                f4.plan(device)?.prepare(device)?.run(&f4).map(drop)
            });
            check(&shares, &format!("{method} on {size}"));
        }
    }
    let matrix = generate::matrix(1600, 2600, 0.5, 1).unwrap();
    for size in [1, 2, 3] {
        let shares = shares_on(size, cpu, |device| {
            Dense::rref(1600, 2600)?.plan(device)?.prepare(device)?.run((&matrix, None)).map(drop)
        });
        check(&shares, &format!("rref on {size}"));
    }
}

#[test]
fn processes_with_gpus_tell_their_progress() {
    let gpu = open(Options::default());
    let own = |timeline| Device::Gpu(gpu.with_options(Options { timeline, ..gpu.options().clone() }));
    for method in [F4Method::Rounds, F4Method::Blocked] {
        let shares = shares_on(2, own, |device| {
            let f4 = f4(method);
            f4.plan(device)?.prepare(device)?.run(&f4).map(drop)
        });
        assert!(shares.iter().any(|share| (0.02..0.98).contains(share)), "{method}: {shares:?}");
    }
}

#[test]
fn rounds_of_a_grid_tell_their_progress() {
    // One thread for all rows: the rows that are reduced and those that wait are seen on the way.
    let gpu = open(Options::default());
    let timeline = Timeline::default();
    let own = gpu.with_options(Options { timeline: timeline.clone(), ..gpu.options().clone() });
    let f4 = f4(F4Method::Rounds).with_grid(Grid { threads: 1, blocks: 1 });
    gf2::eliminate(&Device::Gpu(own), &f4).unwrap();
    check(&timeline.shares(), "one thread");
}

#[test]
fn eliminations_on_the_cpu_tell_their_progress() {
    let matrix = generate::matrix(1600, 1600, 0.5, 1).unwrap();
    let cpu = Cpu::default();
    gf2::rank(&Device::Cpu(cpu.clone()), &matrix).unwrap();
    let shares = cpu.timeline.shares();
    // Four blocks of 512 columns: most of the work comes with the first of them.
    assert!(shares.len() == 5 && shares.is_sorted(), "{shares:?}");
    assert!(shares[0] == 0.0 && shares[1] > 0.3 && shares[3] < 1.0 && shares[4] == 1.0, "{shares:?}");
    assert_eq!(cpu.timeline.progress(), None);
}

#[test]
fn eliminations_on_one_gpu_and_on_two_tell_their_progress() {
    let matrix = generate::matrix(1500, 1400, 0.5, 1).unwrap();
    let problem = Dense::rref(1500, 1400).unwrap();
    let gpu = open(Options::default());
    let timeline = Timeline::default();
    let own = || gpu.with_options(Options { timeline: timeline.clone(), ..gpu.options().clone() });
    problem
        .plan(&Device::Gpu(own()))
        .unwrap()
        .prepare(&Device::Gpu(own()))
        .unwrap()
        .run((&matrix, None))
        .unwrap();
    let one = timeline.shares();
    assert!(one.contains(&1.0) && timeline.progress().is_none(), "{one:?}");
    if !gpu.takes_threads() {
        // OpenGL takes one call at a time: one device does the work of a group.
        return;
    }
    let group = Device::Group(Group::new(vec![own(), own()]).unwrap());
    let plan = problem.with_sharing(true).plan(&group).unwrap();
    plan.prepare(&group).unwrap().run((&matrix, None)).unwrap();
    let two = timeline.shares().split_off(one.len());
    // Each device reports its blocks as they are done.
    assert!(two.len() >= 4 && two.iter().all(|share| (0.0..=1.0).contains(share)), "{two:?}");
    assert!(two.iter().any(|share| (0.01..0.99).contains(share)), "{two:?}");
    assert_eq!(timeline.progress(), None);
}

#[test]
fn f4_matrices_on_two_gpus_tell_their_progress() {
    let gpu = open(Options::default());
    if !gpu.takes_threads() {
        return;
    }
    for method in [F4Method::Blocked, F4Method::TwoStage] {
        let timeline = Timeline::default();
        let own = || gpu.with_options(Options { timeline: timeline.clone(), ..gpu.options().clone() });
        let group = Device::Group(Group::new(vec![own(), own()]).unwrap());
        let f4 = f4(method).with_sharing(true);
        f4.plan(&group).unwrap().prepare(&group).unwrap().run(&f4).unwrap();
        // Two stages are one work, which does not begin again. The devices report their last blocks when the work may
        // have ended.
        let shares = timeline.shares();
        assert!(shares.is_sorted() && shares.last().is_some_and(|&last| last > 0.8), "{method}: {shares:?}");
        assert!(shares.iter().any(|share| (0.05..0.95).contains(share)), "{method}: {shares:?}");
        assert_eq!(timeline.progress(), None);
    }
}

#[test]
fn eliminations_end_at_the_limit_of_their_time() {
    let matrix = generate::matrix(5000, 5200, 0.5, 1).unwrap();
    let gpu = open(Options::default());
    let timeline = Timeline::default();
    let own = || gpu.with_options(Options { timeline: timeline.clone(), ..gpu.options().clone() });
    let mut devices = vec![Device::Cpu(Cpu::default()), Device::Gpu(own())];
    if gpu.takes_threads() {
        devices.push(Device::Group(Group::new(vec![own(), own()]).unwrap()));
    }
    let problem = Dense::rank(5000, 5200).unwrap().with_sharing(true);
    let rank = |device: &Device| gf2::compute(device, &problem, &matrix, None).map(|rank| rank.into_pivots());
    for device in &devices {
        let now = web_time::Instant::now();
        let ended = device.timeline().limited(Some(now));
        assert!(matches!(rank(device), Err(Error::Stopped(_))), "{device:?}");
        drop(ended);
        let stopped = [device.timeline().stop(), device.timeline().stop()];
        assert!(matches!(rank(device), Err(Error::Stopped(_))), "{device:?}");
        drop(stopped);
        let without = rank(device).unwrap().unwrap();
        // A limit that is not reached changes nothing: on a GPU, batches are smaller.
        let _far = device.timeline().limited(Some(now + std::time::Duration::from_secs(10_000)));
        assert_eq!(rank(device).unwrap().unwrap(), without);
    }
}
