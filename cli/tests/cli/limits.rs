//! Sizes above the limits: each is refused with a message that states the limit, and none crashes
//! the process.

use crate::common::Folder;

#[test]
fn indices_past_32_bits_are_refused() {
    let folder = Folder::new();
    folder.write("e", "5 1 \n");
    folder.write("r", "5 1 \n");
    folder.write("far", "4294967301 3 \n");
    folder.write("last", "4294967295 3 \n");
    let systems = ["--eliminators e --rows far", "--eliminators far --rows e"];
    for columns in ["", "--columns 4294967296"] {
        for system in systems {
            for verb in ["eliminate", "check eliminate --result r"] {
                let refused = folder.fail(&format!("{verb} {system} {columns}"), 3);
                assert!(refused.contains("far:1:1: index \"4294967301\""), "{refused}");
                assert!(refused.contains("4294967295"), "{refused}");
            }
        }
        for verb in ["rank", "kernel", "transpose"] {
            let refused = folder.fail(&format!("gf2 {verb} far --format lists {columns}"), 3);
            assert!(refused.contains("4294967295"), "{refused}");
        }
        assert_eq!(
            folder.run(&format!("eliminate --eliminators e --rows last {columns}")),
            "4294967295 3 \n"
        );
    }
    for columns in ["4294967297", "1099511627776", "18446744073709551615", "18446744073709551616"] {
        for verb in ["eliminate --eliminators e --rows r", "gf2 rank e --format lists"] {
            let refused = folder.fail(&format!("{verb} --columns {columns}"), 2);
            assert!(refused.contains("4294967296") || columns.len() == 20, "{refused}");
        }
    }
}

#[test]
fn sides_past_32_bits_are_refused() {
    let folder = Folder::new();
    for size in ["4294967296", "1000000000000", "9223372036854775807", "18446744073709551616"] {
        for arguments in [
            format!("--rows 0 --columns {size}"),
            format!("--rows {size} --columns 0"),
            format!("--rows 1 --columns {size}"),
            format!("--rows 1 --rank {size}"),
        ] {
            folder.fail(&format!("gen gf2 {arguments}"), 2);
        }
    }
    // No rows, with the largest number of columns.
    assert_eq!(folder.run("gen gf2 --rows 0 --columns 4294967295"), "# 0 x 4294967295\n");
    for format in ["text", "lists", "mtx", "npy", "packed"] {
        folder.run(&format!("gen gf2 --rows 0 --columns 4294967295 --output-format {format} -o m"));
    }
    let market = |sizes: &str| {
        folder.write("m.mtx", format!("%%MatrixMarket matrix coordinate pattern general\n{sizes}\n"));
    };
    for sizes in ["0 4000000000 0", "0 4294967295 0"] {
        market(sizes);
        assert_eq!(folder.run("gf2 rank m.mtx"), "0\n");
        let columns = sizes.split(' ').nth(1).unwrap();
        assert_eq!(folder.run("gf2 rref m.mtx"), format!("# 0 x {columns}\n"));
        folder.fail("gf2 kernel m.mtx", 5);
    }
    for sizes in ["4294967296 0 0", "0 4294967296 0", "18446744073709551616 1 0"] {
        market(sizes);
        folder.fail("gf2 rank m.mtx", 3);
    }
}

#[test]
fn empty_matrices_of_many_rows() {
    let folder = Folder::new();
    folder.write("tall.mtx", "%%MatrixMarket matrix coordinate pattern general\n400000000 0 0\n");
    // Rows without columns take no bits, but a word each, and their offsets.
    let refused = folder.fail("gf2 rank tall.mtx --memory 1G", 3);
    assert!(refused.contains("may be used"), "{refused}");
    let refused = folder.fail("gf2 rref tall.mtx --memory 1G", 3);
    assert!(refused.contains("may be used"), "{refused}");
}

#[test]
fn options_of_benches_are_bounded() {
    let folder = Folder::new();
    for samples in ["0", "4294967295", "18446744073709551616"] {
        for verb in ["bench msm --sizes 2^4", "bench gf2 --sizes 64", "bench ntt --sizes 2^4"] {
            folder.fail(&format!("{verb} --samples {samples} --device gpu"), 2);
        }
    }
    for size in ["9223372036854775807", "18446744073709551615"] {
        for verb in ["bench msm", "bench gf2", "bench gf2 --kind doubled", "bench ntt"] {
            let run = folder.command(&format!("{verb} --sizes {size} --device gpu")).assert();
            let code = run.get_output().status.code();
            assert!(matches!(code, Some(2..=5)), "{verb} {size}: {code:?}");
        }
    }
}

#[test]
fn the_smallest_doubled_matrix_is_measured_or_refused() {
    let folder = Folder::new();
    let run = folder.command("bench gf2 --kind doubled --sizes 1 --samples 1 --device gpu").assert();
    let output = run.get_output();
    let code = output.status.code();
    assert!(matches!(code, Some(0 | 2 | 3 | 4)), "{code:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// A limit of the address space bounds plans, and allocations that fail nonetheless end with a code.
#[cfg(target_os = "linux")]
#[test]
fn a_limit_of_addresses_is_an_error() {
    let folder = Folder::new();
    folder.run("gen poly --terms 1000000 --bits 20 --signed --seed 1 --format npy -o z.npy");
    folder.run("gen msm --count 2000 --curve bn254 --seed 1 -o m");
    folder.run("gen gf2 --rows 6000 --columns 6000 --seed 1 -o a.gf2");
    let verbs = [
        "polymul z.npy z.npy -o r",
        "gf2 inverse a.gf2 -o r",
        "msm --curve bn254 --points m/points.bin --scalars m/scalars.bin --unchecked",
        "gen poly --terms 20000000 --prime 17 -o r",
    ];
    let program = assert_cmd::cargo::cargo_bin!("wgalois");
    for mebibytes in [60, 100, 150, 250] {
        for verb in verbs {
            let mut command = std::process::Command::new("prlimit");
            command.current_dir(folder.path("")).arg(format!("--as={}", mebibytes << 20)).arg(program);
            let device: &[&str] = if crate::common::has_device(verb) { &["--device", "cpu"] } else { &[] };
            let run = command.args(verb.split_whitespace()).args(device).output();
            let run = run.expect("prlimit, of util-linux");
            let errors = String::from_utf8_lossy(&run.stderr);
            // A program that does not even load ends with 127.
            let code = run.status.code();
            assert!(matches!(code, Some(0..=7 | 127)), "{verb} in {mebibytes} MiB: {code:?}: {errors}");
        }
    }
}

#[test]
fn no_more_threads_than_work() {
    let folder = Folder::new();
    folder.write("m", "101\n010\n");
    folder.write("e", "5 1 \n");
    let start = std::time::Instant::now();
    assert_eq!(folder.run("gf2 rank m --threads 10000"), "2\n");
    assert_eq!(folder.run("eliminate --eliminators e --rows e --threads 65535"), "\n");
    assert!(start.elapsed() < std::time::Duration::from_secs(10));
}

/// Verbs that start threads and open files in different ways, on small inputs in the folder, and one without an input.
#[cfg(target_os = "linux")]
fn small_verbs(folder: &Folder) -> Vec<String> {
    folder.write("m", "101\n010\n");
    folder.write("p", "1 1");
    folder.run("gen msm --count 300 --curve bls12-381 --seed 1 -o b");
    folder.run("gen msm --count 300 --curve bn254 --seed 1 -o n");
    let key = crate::common::repository("examples/data/groth16/bls12381");
    std::fs::copy(format!("{key}/circuit.zkey"), folder.path("key")).unwrap();
    std::fs::copy(format!("{key}/witness.wtns"), folder.path("witness")).unwrap();
    let msm = |folder: &str, curve: &str| {
        format!(
            "msm --curve {curve} --points {folder}/points.bin --scalars {folder}/scalars.bin --device cpu"
        )
    };
    vec![
        "gf2 rank m --format text --device cpu".to_owned(),
        "gf2 rank m --format text --device gpu".to_owned(),
        "polymul p p --prime babybear --device cpu".to_owned(),
        msm("b", "bls12-381"),
        msm("n", "bn254"),
        "groth16 prove key witness --proof proof --public public --device cpu".to_owned(),
        "gen gf2 --rows 3 --columns 3 --seed 1 -o out".to_owned(),
        "devices".to_owned(),
    ]
}

#[cfg(target_os = "linux")]
#[test]
fn a_limit_of_descriptors_is_an_error_or_none() {
    let folder = Folder::new();
    let verbs = small_verbs(&folder);
    let program = assert_cmd::cargo::cargo_bin!("wgalois");
    for descriptors in (3..=12).chain([16, 20]) {
        for verb in &verbs {
            let mut command = std::process::Command::new("prlimit");
            command.current_dir(folder.path("")).arg(format!("--nofile={descriptors}")).arg(program);
            let run = command.args(verb.split_whitespace()).output().expect("prlimit, of util-linux");
            let errors = String::from_utf8_lossy(&run.stderr);
            // A program that does not even load ends with 127.
            let code = run.status.code();
            let is_right = matches!(code, Some(0 | 4 | 5 | 6 | 127));
            assert!(is_right, "{verb} with {descriptors} descriptors: {code:?}: {errors}");
        }
    }
}

/// As in some containers: nothing tells the memory of the machine. Mounting takes a namespace of its own, which not every
/// system grants.
#[cfg(target_os = "linux")]
#[test]
fn no_file_need_tell_the_memory() {
    let folder = Folder::new();
    let verbs = small_verbs(&folder);
    let program = assert_cmd::cargo::cargo_bin!("wgalois").display().to_string();
    for hidden in ["/proc", "/proc/meminfo"] {
        let mount = match hidden {
            "/proc" => "mount -t tmpfs none /proc",
            _ => "mount --bind /dev/null /proc/meminfo",
        };
        for verb in verbs.iter().filter(|verb| !verb.contains("gpu") && *verb != "devices") {
            let script =
                format!("{mount} || exit 99; cd '{}'; exec '{program}' {verb}", folder.path("").display());
            let run = std::process::Command::new("unshare")
                .args(["--map-root-user", "--mount", "sh", "-c", &script])
                .output()
                .expect("unshare, of util-linux");
            let errors = String::from_utf8_lossy(&run.stderr);
            if run.status.code() == Some(99) || errors.contains("unshare") {
                return;
            }
            assert_eq!(run.status.code(), Some(0), "{verb} without {hidden}: {errors}");
        }
    }
}

#[test]
fn more_threads_than_a_system_can_have_are_not_started() {
    let folder = Folder::new();
    folder.write("m", "101\n010\n");
    for count in ["99999", "18446744073709551615"] {
        let mut command = folder.command("gf2 rank m");
        let run = command.env("RAYON_NUM_THREADS", count).assert().success().stdout("2\n");
        assert!(String::from_utf8_lossy(&run.get_output().stderr).contains(count));
    }
}

/// The limit does not apply to the superuser, so the test runs as another user.
#[cfg(target_os = "linux")]
#[test]
fn every_verb_works_under_a_limit_of_processes() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let mut verbs = small_verbs(&folder);
    // Drivers start threads of their own.
    verbs.retain(|verb| !verb.contains("gpu") && verb != "devices");
    folder.write("setup", crate::common::trusted_setup());
    folder.write("blob", [1; 4096 * 32]);
    std::fs::set_permissions(folder.path(""), PermissionsExt::from_mode(0o777)).unwrap();
    let program = assert_cmd::cargo::cargo_bin!("wgalois").display().to_string();
    let commit = "kzg commit --setup setup blob --verify --device cpu".to_owned();
    for processes in 1..=8 {
        // The check of a setup takes more than all others together.
        let long = (processes <= 2).then_some(&commit);
        for verb in verbs.iter().chain(long) {
            let run = std::process::Command::new("setpriv")
                .current_dir(folder.path(""))
                .env_remove("RUST_BACKTRACE")
                .args(["--reuid=54322", "--regid=54322", "--clear-groups", "prlimit"])
                .args([format!("--nproc={processes}"), program.clone()])
                .args(verb.split_whitespace())
                .output();
            // This user is not the superuser, the program is missing, or other users may not enter the build folder.
            let Ok(run) = run else { return };
            let errors = String::from_utf8_lossy(&run.stderr);
            if run.status.code() == Some(127)
                || errors.contains("setpriv")
                || errors.contains("failed to execute")
            {
                return;
            }
            // A library may start threads that the system refuses meanwhile: one plain message then.
            let is_refused = run.status.code() == Some(5)
                && errors.starts_with("wgalois: error: out of memory: ")
                && errors.lines().count() == 1;
            let is_done = run.status.code() == Some(0);
            assert!(is_done || is_refused, "{verb} with {processes} processes: {errors}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_limit_of_processes_leaves_one_thread() {
    let folder = Folder::new();
    folder.write("m", "101\n010\n");
    // The limit does not apply to the superuser, so the test runs as another user.
    let program = assert_cmd::cargo::cargo_bin!("wgalois").display().to_string();
    let user = ["--reuid=54321", "--regid=54321", "--clear-groups", "prlimit", "--nproc=1"];
    let run = std::process::Command::new("setpriv")
        .args(user)
        .args([program.as_str(), "gf2", "rank", "/dev/stdin", "--format", "text", "--device", "cpu"])
        .stdin(std::fs::File::open(folder.path("m")).unwrap())
        .output();
    match run {
        // This user is not the superuser, the program is missing, or other users may not enter the
        // build folder.
        Err(_) => (),
        Ok(run)
            if run.status.code() == Some(127) || String::from_utf8_lossy(&run.stderr).contains("setpriv") => {
        }
        Ok(run) if String::from_utf8_lossy(&run.stderr).contains("failed to execute") => (),
        Ok(run) => {
            assert_eq!(
                String::from_utf8_lossy(&run.stdout),
                "2\n",
                "{}",
                String::from_utf8_lossy(&run.stderr)
            );
            assert_eq!(run.status.code(), Some(0));
        }
    }
}

/// arkworks starts threads of its own, and panics where it cannot.
#[cfg(target_os = "linux")]
#[test]
fn a_limit_of_processes_leaves_sums() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    folder.run("gen msm --count 50 --curve bn254 --seed 1 -o m");
    let sum = "msm --curve bn254 --points m/points.bin --scalars m/scalars.bin";
    let expected = folder.run(sum);
    let open = std::fs::Permissions::from_mode(0o755);
    ["", "m"].iter().for_each(|name| std::fs::set_permissions(folder.path(name), open.clone()).unwrap());
    // The limit does not apply to the superuser, so the test runs as another user.
    let program = assert_cmd::cargo::cargo_bin!("wgalois").display().to_string();
    let run = std::process::Command::new("setpriv")
        .current_dir(folder.path(""))
        .args(["--reuid=54321", "--regid=54321", "--clear-groups", "prlimit", "--nproc=1", &program])
        .args(sum.split_whitespace())
        .args(["--device", "cpu"])
        .output();
    let Ok(run) = run else { return };
    let errors = String::from_utf8_lossy(&run.stderr);
    // Not the superuser, or a folder that other users may not enter.
    if run.status.code() == Some(127) || errors.contains("setpriv") || errors.contains("failed to execute") {
        return;
    }
    assert_eq!(run.status.code(), Some(0), "{errors}");
    assert_eq!(String::from_utf8_lossy(&run.stdout), expected);
}

/// The `--memory` that an error names.
fn named(errors: &str) -> u64 {
    let (_, after) = errors.split_once("--memory ").unwrap_or_else(|| panic!("no --memory in {errors}"));
    after.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap()
}

#[test]
fn refusals_of_small_inputs_and_of_pipes_name_the_memory_that_suffices() {
    let folder = Folder::new();
    for format in ["text", "lists", "mtx", "npy", "packed"] {
        folder.run(&format!("gen gf2 --rows 60 --columns 70 --seed 1 --output-format {format} -o {format}"));
    }
    folder.write("m", "3 2 1\n4\n");
    folder.write("far", "4000000 1 \n2 \n");
    folder.run("gen poly --terms 50 --prime 97 -o a");
    folder.run("gen msm --count 5 -o set");
    let verbs = [
        ("gf2 rank text", 2),
        ("gf2 rref packed", 2),
        ("gf2 kernel npy", 2),
        ("gf2 rank mtx --format mtx", 2),
        ("gf2 rank lists --format lists", 2),
        ("gf2 rank far --format lists", 2),
        ("gf2 transpose text", 2),
        ("polymul a a", 3),
        ("polymul a a --prime 998244353", 3),
        ("eliminate --eliminators m --rows far --sort", 4),
        ("msm --points set/points.bin --scalars set/scalars.bin", 3),
    ];
    for (verb, most) in verbs {
        let mut memory = 1;
        let mut refusals = 0;
        loop {
            let output = folder.command(&format!("{verb} --memory {memory}")).output().unwrap();
            if output.status.success() {
                break;
            }
            let errors = String::from_utf8(output.stderr).unwrap();
            assert!(matches!(output.status.code(), Some(3 | 5)), "{verb}: {errors}");
            assert!(named(&errors) > memory, "{verb} at {memory}: {errors}");
            memory = named(&errors);
            refusals += 1;
        }
        // One for each input, one for a system's index, one for the plan: what an error names suffices for its step.
        assert!((1..=most).contains(&refusals), "{verb}: {refusals} refusals, {memory} bytes");
    }
    // A pipe is counted to its end, then its content.
    let piped = |memory: u64| {
        let mut command = folder.command(&format!("gf2 rank - --memory {memory}"));
        command.write_stdin(folder.read("text")).output().unwrap()
    };
    let held = named(&String::from_utf8(piped(10).stderr).unwrap());
    assert_eq!(held, folder.read("text").len() as u64);
    let read = piped(held);
    assert_eq!(read.status.code(), Some(3));
    let read = named(&String::from_utf8(read.stderr).unwrap());
    assert!(read > held);
    let planned = piped(read);
    assert_eq!(planned.status.code(), Some(5));
    assert!(piped(named(&String::from_utf8(planned.stderr).unwrap())).status.success());
}

#[test]
fn verbs_have_no_options_that_they_ignore() {
    let folder = Folder::new();
    folder.write("m", "11\n01\n");
    folder.write("r", "2\n");
    let cases = [
        ("gf2 rank", "--output-format", "npy", "m"),
        ("gf2 transpose", "--pivots", "p", "m"),
        ("gf2 transpose", "--threads", "2", "m"),
        ("check gf2 rank", "--pivots", "p", "m --result r"),
        ("check gf2 rref", "--output-format", "npy", "m --result m"),
        ("check polymul", "--output-format", "npy", "m m --prime 97 --result m"),
        ("check ntt", "--output-format", "npy", "m --prime 97 --result m"),
        ("check msm", "--compressed", "", "--points m --scalars m --result m"),
        ("check eliminate", "--grid", "64x2", "--eliminators m --rows m --result m"),
    ];
    for (verb, option, value, rest) in cases {
        for help in ["--help", "-h"] {
            let help = folder.run(&format!("{verb} {help}"));
            assert!(!help.contains(&format!("{option} ")), "{verb}:\n{help}");
        }
        let refused = folder.fail(&format!("{verb} {option} {value} {rest}"), 2);
        assert!(refused.contains(&format!("has no option {option}")), "{refused}");
        assert!(!folder.run("completions bash").is_empty());
    }
    for verb in ["gen gf2 --rows 2", "devices", "shaders --dump d", "completions bash", "bench gf2"] {
        assert!(folder.fail(&format!("{verb} --plan"), 2).contains("has no option --plan"));
    }
    // Operations on matrices have one method.
    assert!(folder.fail("gf2 rank m --method dense", 2).contains("--method"));
    // The verbs that share the arguments keep them.
    assert!(folder.run("gf2 rref --help").contains("--pivots"));
    assert!(folder.run("gf2 transpose --help").contains("--output-format"));
    assert!(folder.run("gf2 rank --help").contains("--pivots"));
}
