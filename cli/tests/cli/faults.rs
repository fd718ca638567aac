//! Tests of the three tasks with a lost device, too little memory or small limits. A run gives the correct
//! answer or an error with the right exit code, never a wrong answer; no file is half-written, and the
//! next call works.

use crate::common::{Folder, P};
use crate::gpu_common::{open, open_another};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use wgalois::curve::{Affine, Bn254};
use wgalois::field::BABY_BEAR;
use wgalois::gf2::{self, BitMatrix, F4Matrix, IndexLists, generate};
use wgalois::gpu::{Gpu, Options};
use wgalois::msm::{self, Known};
use wgalois::ntt::{self, Product};
use wgalois::{Cpu, Device, Error, Result};

/// A job of each task, small enough to be run many times.
struct Jobs {
    factors: [Vec<u32>; 2],
    f4: F4Matrix,
    points: Known<Bn254>,
    scalars: Vec<<Bn254 as ark_ec::CurveConfig>::ScalarField>,
    expected: (Vec<u32>, IndexLists, Affine<Bn254>),
}

#[derive(Clone, Copy, Debug)]
enum Task {
    Product,
    Elimination,
    Sum,
}

const TASKS: [Task; 3] = [Task::Product, Task::Elimination, Task::Sum];

impl Jobs {
    fn new() -> Self {
        let factors = [1, 2].map(|seed| crate::gpu_common::random(BABY_BEAR, 5000, seed));
        let shape = generate::Groebner {
            columns: 900,
            reducers: 500,
            rows: 700,
            new_pivots: 300,
            reducer_ones: 20,
            row_ones: 30,
            seed: 1,
        };
        let (reducers, rows) = shape.generate().unwrap();
        let f4 = F4Matrix::new(reducers, rows, None).unwrap();
        let points = Known::<Bn254>::random(300, 1);
        let scalars = msm::random_scalars::<Bn254>(300, &mut ChaCha8Rng::seed_from_u64(2));
        let cpu = Device::Cpu(Cpu::default());
        let [a, b] = &factors;
        let product = ntt::multiply(&cpu, &Product::new(BABY_BEAR, a.len(), b.len()), a, b).unwrap();
        let reduced = gf2::eliminate(&cpu, &f4).unwrap().to_lists();
        let sum = points.sum(&scalars);
        Jobs { factors, f4, points, scalars, expected: (product, reduced, sum) }
    }

    /// Runs the task and returns its error, if any; panics on a wrong result.
    fn run(&self, task: Task, gpu: &Gpu) -> Result<()> {
        let device = Device::Gpu(gpu.clone());
        let right = match task {
            Task::Product => {
                let [a, b] = &self.factors;
                ntt::multiply(&device, &Product::new(BABY_BEAR, a.len(), b.len()), a, b)? == self.expected.0
            }
            Task::Elimination => gf2::eliminate(&device, &self.f4)?.to_lists() == self.expected.1,
            Task::Sum => {
                let points = &self.points.points;
                msm::multiply::<Bn254>(&device, points, &self.scalars)? == self.expected.2
            }
        };
        assert!(right, "{task:?} gives a wrong result");
        Ok(())
    }
}

#[test]
fn a_device_lost_in_the_middle_of_a_job_is_an_error() {
    let jobs = Jobs::new();
    for task in TASKS {
        let mut lost = 0;
        // Lose the device after 0, 1, 2, ... submissions, until the whole job is done before the loss.
        for count in 0.. {
            let gpu = open_another(Options { lose_after: Some(count), ..Options::default() });
            match jobs.run(task, &gpu) {
                Ok(()) => break,
                Err(Error::DeviceLost(_)) => lost += 1,
                Err(other) => panic!("{task:?} after {count} submissions: {other}"),
            }
            let again = jobs.run(task, &gpu);
            assert!(
                matches!(again, Err(Error::DeviceLost(_))),
                "{task:?} goes on with a lost device: {again:?}"
            );
        }
        assert!(lost >= 2, "{task:?} was never interrupted");
        jobs.run(task, &open(Options::default())).unwrap();
    }
}

/// Runs every task with `options`. Returns true for a task that is done, false for one refused with exit
/// code 5 and a message with one of `words` and a figure.
fn done(jobs: &Jobs, options: impl Fn() -> Options, words: &[&str]) -> [bool; 3] {
    TASKS.map(|task| match jobs.run(task, &open(options())) {
        Ok(()) => true,
        Err(error) => {
            assert!(matches!(error, Error::OutOfMemory(_)), "{task:?}: {error}");
            assert_eq!(error.exit_code(), 5);
            let message = error.to_string();
            assert!(words.iter().any(|word| message.contains(word)), "{task:?}: {message}");
            assert!(message.contains(|c: char| c.is_ascii_digit()), "{task:?} without a figure: {message}");
            false
        }
    })
}

#[test]
fn a_job_past_the_memory_is_done_in_parts_or_refused_with_the_figure() {
    let jobs = Jobs::new();
    let with = |memory| move || Options { memory, ..Options::default() };
    let words = ["bytes of device memory", "pass the limit"];
    assert_eq!(done(&jobs, with(64 << 20), &words), [true; 3]);
    assert_eq!(done(&jobs, with(1 << 10), &words), [false; 3]);
    for log in 11..24 {
        done(&jobs, with(1 << log), &words);
    }
}

#[test]
fn a_job_past_a_binding_is_done_in_chunks_or_refused_with_the_figure() {
    let jobs = Jobs::new();
    let with = |max_chunk_bytes| move || Options { max_chunk_bytes, ..Options::default() };
    let words = ["binding", "element"];
    for log in [6, 10, 13, 16, 18, 20] {
        done(&jobs, with(1 << log), &words);
    }
    assert_eq!(done(&jobs, with(1 << 20), &words), [true; 3]);
}

#[test]
fn a_product_is_refused_before_it_begins() {
    let gpu = open(Options { memory: 6 << 20, ..Options::default() });
    let factor = vec![1; 1 << 17];
    let product = Product::new(BABY_BEAR, factor.len(), factor.len());
    let refused = ntt::multiply(&Device::Gpu(gpu.clone()), &product, &factor, &factor);
    let message = refused.unwrap_err().to_string();
    assert!(message.contains("this product needs") && message.contains("6291456 may be used"), "{message}");
    assert_eq!(gpu.timeline().dispatches().values().sum::<u64>(), 0);
}

/// Creates a folder with the inputs for one job of each task; returns it with the jobs.
fn inputs() -> (Folder, [String; 3]) {
    let folder = Folder::new();
    folder.run(&format!("gen poly --terms 3000 --prime {P} --seed 1 -o a"));
    folder.run(&format!("gen poly --terms 2000 --prime {P} --seed 2 -o b"));
    let shape = "--columns 600 --eliminators 300 --rows 400 --promoted 200 --seed 3";
    folder.run(&format!("gen eliminate {shape} --eliminator-ones 20 --row-ones 30 -o s"));
    folder.run("gen msm --curve bn254 --count 100 --seed 4 -o m");
    let jobs = [
        format!("polymul a b --prime {P}"),
        "eliminate --eliminators s/eliminators.txt --rows s/rows.txt --method blocked".to_owned(),
        "msm --curve bn254 --points m/points.bin --scalars m/scalars.bin".to_owned(),
    ];
    (folder, jobs)
}

#[test]
fn a_lost_device_leaves_no_file_and_the_next_call_works() {
    let (folder, jobs) = inputs();
    for job in jobs {
        let expected = folder.run(&job);
        for count in [0, 1] {
            folder.write("old", "before");
            let lose = |output: &str| {
                let mut command = folder.command(&format!("{job} --device gpu -o {output}"));
                let output = command.env("WGALOIS_LOSE_AFTER", count.to_string()).assert().code(5);
                let stderr = String::from_utf8_lossy(&output.get_output().stderr).into_owned();
                assert!(stderr.contains("device lost"), "{job}: {stderr}");
                assert!(output.get_output().stdout.is_empty());
            };
            let before = folder.names();
            lose("new");
            lose("old");
            assert_eq!(folder.names(), before, "{job}");
            assert_eq!(folder.text("old"), "before");
        }
        assert_eq!(folder.run(&format!("{job} --device gpu")), expected);
    }
}

#[test]
fn an_adapter_that_is_gone_is_told_and_auto_does_without() {
    let (folder, jobs) = inputs();
    for job in jobs {
        let expected = folder.run(&job);
        let without = |device: &str| {
            let mut command = folder.command(&format!("{job} --device {device} -o new"));
            // These variables tell the system's Vulkan loader where to find drivers.
            command.env("VK_DRIVER_FILES", "/none").env("VK_ICD_FILENAMES", "/none");
            command.env("WGPU_BACKEND", "vulkan").assert()
        };
        for device in ["gpu", "0", "llvmpipe"] {
            let output = without(device).code(4).get_output().clone();
            let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(stderr.contains("no such device"), "{job}: {stderr}");
            assert!(output.stdout.is_empty() && !folder.names().contains(&"new".to_owned()));
        }
        folder.fail(&format!("{job} --device 99 -o new"), 4);
        without("auto").success();
        assert_eq!(folder.text("new"), expected);
        std::fs::remove_file(folder.path("new")).unwrap();
    }
}

#[test]
fn a_matrix_past_the_memory_is_eliminated_in_parts() {
    // 10 MB of rows with a limit of 4 MiB.
    let matrix = generate::matrix(40_000, 2000, 0.5, 1).unwrap();
    let gpu = open(Options { memory: 4 << 20, ..Options::default() });
    let reduced = gf2::rref(&Device::Gpu(gpu.clone()), &matrix).unwrap();
    assert_eq!(reduced.pivots.len(), 2000);
    let mut identity = BitMatrix::zeros(40_000, 2000).unwrap();
    (0..2000).for_each(|i| identity.set(i, i, true));
    assert!(reduced.matrix == identity);
    assert!(gpu.timeline().dispatches().values().sum::<u64>() > 0);
}

/// A device that computes wrongly: a template of the kernels with one text replaced by another.
struct Fault {
    template: &'static str,
    from: &'static str,
    to: &'static str,
}

impl Fault {
    /// Writes the changed template under `folder`, for WGALOIS_SHADERS.
    fn write(&self, folder: &std::path::Path) {
        let text = std::fs::read_to_string(crate::common::repository(&format!("shaders/{}", self.template)))
            .unwrap();
        assert_eq!(text.matches(self.from).count(), 1, "{}: {}", self.template, self.from);
        let target = folder.join(self.template);
        std::fs::create_dir_all(target.parent().unwrap()).unwrap();
        std::fs::write(target, text.replace(self.from, self.to)).unwrap();
    }
}

#[test]
fn a_device_that_computes_nonsense_ends_in_an_error_that_says_so() {
    let (folder, [_, blocked, _]) = inputs();
    folder.run("gen gf2 --rows 400 --columns 300 --seed 5 -o matrix.txt");
    folder.run("gen gf2 --rows 400 --columns 2 --seed 6 -o sides.txt");
    let rounds = blocked.replace("blocked", "rounds");
    let never =
        ("the search never ends", "gf2/panel/block.wgsl", "return any_open != 0u && window_count > WINDOW;");
    let elsewhere = ("another block failed", "gf2/panel/moves.wgsl", "outcome[DONE] = first + count;");
    let pivots = ("all columns have pivots", "gf2/panel/block.wgsl", "info[base + lane] = present[lane];");
    let lead = ("no such lead", "gf2/panel/block.wgsl", "leads[index] = 256u * params.block + lead;");
    let waiting = ("rows always wait", "gf2/reduce_rows.wgsl", "if (progress[row] != DONE) {");
    let done = ("rows are done at once", "gf2/reduce_rows.wgsl", "var below = progress[row];");
    let cases = [
        ("gf2 rank matrix.txt", never, "return true;", "without progress"),
        ("gf2 rank matrix.txt", elsewhere, "outcome[FAILED] = 99u;", "block 98 failed"),
        ("gf2 rank matrix.txt", elsewhere, "outcome[DONE] = 99999u;", "pivot row 99998 of 400 rows"),
        ("gf2 rank matrix.txt", pivots, "info[base + lane] = 0xffffffffu;", "pivot"),
        ("gf2 kernel matrix.txt", pivots, "info[base + lane] = 0xffffffffu;", "pivot"),
        ("gf2 solve matrix.txt sides.txt", pivots, "info[base + lane] = 0xffffffffu;", "pivot"),
        (blocked.as_str(), lead, "leads[index] = 0xfffffff0u;", "which is not open"),
        (blocked.as_str(), never, "return true;", "without progress"),
        (
            rounds.as_str(),
            waiting,
            "atomicStore(&waiting, 1u); if (progress[row] != DONE) {",
            "rows wait for more pivots",
        ),
        (rounds.as_str(), done, "var below = 0u;", "has the lead"),
    ];
    for (number, (job, (what, template, from), to, expected)) in cases.into_iter().enumerate() {
        let shaders = folder.path(&format!("shaders{number}"));
        Fault { template, from, to }.write(&shaders);
        let mut command = folder.command(&format!("{job} --device gpu -o new"));
        command.env("WGALOIS_SHADERS", &shaders).timeout(std::time::Duration::from_secs(300));
        let output = command.assert().code(1).get_output().clone();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(stderr.contains("the device computed nonsense: "), "{what}, {job}: {stderr}");
        assert!(stderr.contains(expected), "{what}, {job}: {stderr}");
        assert!(!folder.names().contains(&"new".to_owned()));
    }
}
