//! Elimination in rounds, the published algorithm 2: every schedule of rows and every grid gives the same
//! rows, and they span what the fast method's rows span.

use crate::gpu_common::open;
use wgalois::gf2::generate::Groebner;
use wgalois::gf2::generate::course::CASES;
use wgalois::gf2::{self, F4Matrix, F4Method, Grid, IndexLists, RowSchedule, verify};
use wgalois::gpu::Options;
use wgalois::task::Problem;
use wgalois::timeline::Timeline;
use wgalois::{Cpu, Device};

fn cpu(threads: usize) -> Device {
    Device::Cpu(Cpu { threads, ..Cpu::default() })
}

/// F4 matrices without rows, without reducers, with fewer rows than threads, with one column, and others.
fn f4_matrices() -> Vec<F4Matrix> {
    let lists = |rows: &[&[u32]]| {
        let mut lists = IndexLists::default();
        rows.iter().for_each(|row| lists.push(row).unwrap());
        lists
    };
    let random = |columns, reducers, rows| {
        let shape = Groebner {
            columns,
            reducers,
            rows,
            new_pivots: columns,
            reducer_ones: 8.min(columns),
            row_ones: 12.min(columns),
            seed: 5,
        };
        let (reducers, rows) = shape.generate().unwrap();
        F4Matrix::new(reducers, rows, Some(columns)).unwrap()
    };
    vec![
        F4Matrix::new(lists(&[]), lists(&[]), Some(0)).unwrap(),
        F4Matrix::new(lists(&[&[0]]), lists(&[]), None).unwrap(),
        F4Matrix::new(lists(&[]), lists(&[&[0], &[], &[0]]), None).unwrap(),
        F4Matrix::new(lists(&[&[0]]), lists(&[&[0], &[0]]), Some(1)).unwrap(),
        F4Matrix::new(lists(&[]), lists(&[&[4, 1], &[4], &[1, 0], &[4, 0]]), None).unwrap(),
        random(300, 200, 2),
        random(300, 0, 40),
        random(700, 400, 333),
    ]
}

fn with_rounds(f4: &F4Matrix) -> F4Matrix {
    f4.clone().with_method(F4Method::Rounds)
}

/// The rows of one thread, checked against the span of the fast method's rows.
fn expected(f4: &F4Matrix) -> IndexLists {
    let expected = gf2::eliminate(&cpu(1), &with_rounds(f4)).unwrap();
    verify::elimination(&cpu(2), f4, &expected, F4Method::Rounds, verify::Depth::Full).unwrap();
    let fast = gf2::eliminate(&cpu(2), f4).unwrap();
    let leads = |rows: &IndexLists| {
        let mut leads: Vec<u32> = rows.iter().filter_map(|row| row.first().copied()).collect();
        leads.sort_unstable();
        leads
    };
    assert_eq!(leads(&expected.to_lists()), leads(&fast.to_lists()));
    expected.to_lists()
}

#[test]
fn every_schedule_gives_the_same_rows() {
    for f4 in f4_matrices() {
        let expected = expected(&f4);
        for schedule in RowSchedule::ALL {
            for threads in [0, 1, 2, 7] {
                let f4 = with_rounds(&f4).with_schedule(schedule);
                let result = gf2::eliminate(&cpu(threads), &f4).unwrap();
                assert_eq!(result.to_lists(), expected, "{schedule}, {threads} threads");
            }
        }
    }
}

#[test]
fn every_grid_gives_the_same_rows() {
    let device = Device::Gpu(open(Options::default()));
    let grids = [(256, 32), (10, 1024), (1, 1), (3, 2), (64, 1)];
    for f4 in f4_matrices() {
        let expected = expected(&f4);
        for grid in grids.map(|(threads, blocks)| Grid { threads, blocks }) {
            let result = gf2::eliminate(&device, &with_rounds(&f4).with_grid(grid)).unwrap();
            assert_eq!(result.to_lists(), expected, "{grid}");
        }
    }
}

#[test]
fn a_case_of_the_course_in_both_published_forms() {
    let f4 = CASES[2].stand_in(1).unwrap();
    let expected = expected(&f4);
    for schedule in [RowSchedule::Static, RowSchedule::Dynamic] {
        let f4 = with_rounds(&f4).with_schedule(schedule);
        assert_eq!(gf2::eliminate(&cpu(7), &f4).unwrap().to_lists(), expected, "{schedule}");
    }
    let gpu = Device::Gpu(open(Options::default()));
    for grid in [Grid { threads: 256, blocks: 32 }, Grid { threads: 10, blocks: 1024 }] {
        let f4 = with_rounds(&f4).with_grid(grid);
        assert_eq!(gf2::eliminate(&gpu, &f4).unwrap().to_lists(), expected, "{grid}");
    }
}

#[test]
fn options_of_another_method_or_engine_are_refused() {
    let f4 = &f4_matrices()[4];
    let grid = Grid { threads: 256, blocks: 32 };
    let (cpu, gpu) = (cpu(2), Device::Gpu(open(Options::default())));
    let scheduled = |method| f4.clone().with_method(method).with_schedule(RowSchedule::Static);
    let gridded = |method, grid| f4.clone().with_method(method).with_grid(grid);
    for (device, f4) in [
        (&gpu, scheduled(F4Method::Rounds)),
        (&cpu, scheduled(F4Method::Blocked)),
        (&cpu, scheduled(F4Method::Auto)),
        (&cpu, gridded(F4Method::Rounds, grid)),
        (&gpu, gridded(F4Method::TwoStage, grid)),
        (&gpu, gridded(F4Method::Rounds, Grid { threads: 0, ..grid })),
        (&gpu, gridded(F4Method::Rounds, Grid { blocks: 0, ..grid })),
        (&gpu, gridded(F4Method::Rounds, Grid { threads: 1 << 20, ..grid })),
        (&gpu, gridded(F4Method::Rounds, Grid { blocks: 65_536, ..grid })),
    ] {
        assert_eq!(f4.plan(device).unwrap_err().exit_code(), 2);
    }
    let plan = gridded(F4Method::Rounds, grid).plan(&gpu).unwrap().to_string();
    assert!(plan.contains("grid           256 threads x 32 blocks"), "{plan}");
    for text in ["", "256", "256x", "x32", "0x1", "1x0", "256x32x1", "1x65536", "-1x2"] {
        assert!(text.parse::<Grid>().is_err(), "{text:?}");
    }
}

#[test]
fn every_thread_of_the_cpu_engine_has_a_track() {
    let f4 = CASES[3].stand_in(1).unwrap();
    for (method, schedule) in [
        (F4Method::Rounds, RowSchedule::Static),
        (F4Method::Rounds, RowSchedule::Dynamic),
        (F4Method::Rounds, RowSchedule::Stealing),
        (F4Method::XorThreads, RowSchedule::Stealing),
        (F4Method::Blocked, RowSchedule::Stealing),
        (F4Method::TwoStage, RowSchedule::Stealing),
    ] {
        let timeline = Timeline::detailed();
        let device = Device::Cpu(Cpu { threads: 2, timeline: timeline.clone(), ..Cpu::default() });
        gf2::eliminate(&device, &f4.clone().with_method(method).with_schedule(schedule)).unwrap();
        let events = timeline.recording().events;
        let threads: Vec<usize> = events.iter().filter_map(|event| event.thread).collect();
        assert!(!threads.is_empty() && threads.iter().all(|&thread| thread < 2), "{method} {schedule}");
        if schedule == RowSchedule::Static || method == F4Method::XorThreads {
            // Each thread has its share in each round or addition.
            assert!(threads.contains(&0) && threads.contains(&1), "{method} {schedule}");
        }
    }
}
