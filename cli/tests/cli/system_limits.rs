//! Limits that the system sets to a process: its addresses, files, threads, and what it is told of the memory. Within each the
//! program does its work, or says what it lacks.

use crate::common::Folder;

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
fn no_more_threads_than_work() {
    let folder = Folder::new();
    folder.write("m", "101\n010\n");
    folder.write("e", "5 1 \n");
    let start = std::time::Instant::now();
    assert_eq!(folder.run("gf2 rank m --threads 10000"), "2\n");
    assert_eq!(folder.run("eliminate --eliminators e --rows e --threads 65535"), "\n");
    assert!(start.elapsed() < std::time::Duration::from_secs(10));
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
