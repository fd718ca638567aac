//! Signals and limits: a process that a signal ends leaves no temporary file behind.
#![cfg(unix)]

use crate::common::Folder;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The signals that end a process and that it can receive from others.
const SIGNALS: [i32; 10] = [
    libc::SIGHUP,
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGUSR1,
    libc::SIGUSR2,
    libc::SIGALRM,
    libc::SIGTERM,
    libc::SIGXCPU,
    libc::SIGVTALRM,
    libc::SIGPROF,
];

/// A run that writes gigabytes.
const WRITE: &str = "gen gf2 --rows 60000 --columns 60000 --output-format text -o out";

/// Returns a command whose process calls `before` between fork and exec, which may call functions of the system that are
/// allowed there. Signals have their default actions, which a background process and one under nohup do not inherit.
fn prepare(
    folder: &Folder,
    arguments: &str,
    before: impl Fn() -> std::io::Result<()> + Send + Sync + 'static,
) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("wgalois"));
    command
        .current_dir(folder.path("."))
        .args(arguments.split(' '))
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let before = move || {
        for signal in SIGNALS.into_iter().chain([libc::SIGXFSZ]) {
            // SAFETY: the arguments are valid, and no handler is installed.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
        // No core file appears beside the outputs.
        let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: the call reads the struct behind the pointer.
        unsafe { libc::setrlimit(libc::RLIMIT_CORE, &none) };
        before()
    };
    // SAFETY: the code between fork and exec only calls functions of the system, which may be called there.
    unsafe { command.pre_exec(before) };
    command
}

fn start(folder: &Folder, arguments: &str) -> Child {
    prepare(folder, arguments, || Ok(())).spawn().unwrap()
}

/// True if the process has written to a file in a folder that is to become `out`, or is to vanish. On Linux also files without
/// a name count.
fn is_writing(folder: &std::path::Path, child: &Child) -> bool {
    let is_temporary = |path: &std::path::Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name.starts_with(".wgalois-") || name.ends_with(" (deleted)")
    };
    let is_written = |entry: std::io::Result<std::fs::DirEntry>| {
        let Ok(path) = entry.map(|entry| entry.path()) else { return false };
        let target = std::fs::read_link(&path).unwrap_or(path.clone());
        target.starts_with(folder)
            && is_temporary(&target)
            && std::fs::metadata(&path).is_ok_and(|file| file.len() > 0)
    };
    let place: std::path::PathBuf = match cfg!(target_os = "linux") {
        true => format!("/proc/{}/fd", child.id()).into(),
        false => folder.to_owned(),
    };
    std::fs::read_dir(place).is_ok_and(|mut files| files.any(is_written))
}

fn wait_within(folder: &Folder, name: &str, child: &mut Child) {
    let (start, within) = (Instant::now(), folder.path(name).canonicalize().unwrap());
    while !is_writing(&within, child) {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it wrote");
        assert!(start.elapsed() < Duration::from_secs(120));
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Waits until something is written to the output: the check of outputs creates a file too.
fn wait_for_writing(folder: &Folder, child: &mut Child) {
    wait_within(folder, ".", child);
}

/// Waits until something is written to a scratch file.
#[cfg(target_os = "linux")]
fn wait_for_scratch(folder: &Folder, child: &mut Child) {
    wait_within(folder, "scratch", child);
}

fn send(child: &Child, signal: i32) {
    let kill = Command::new("kill").args([format!("-{signal}"), child.id().to_string()]).status();
    assert!(kill.unwrap().success());
}

/// Sends each of the signals to a run that writes, in a process that `before` has prepared.
fn nothing_stays(signals: &[i32], before: impl Fn() -> std::io::Result<()> + Copy + Send + Sync + 'static) {
    for &signal in signals {
        let folder = Folder::new();
        folder.write("out", "before");
        let mut child = prepare(&folder, WRITE, before).spawn().unwrap();
        wait_for_writing(&folder, &mut child);
        send(&child, signal);
        // It ends by the signal, like a process without a handler: 128 + n in a shell.
        assert_eq!(child.wait().unwrap().signal(), Some(signal));
        assert_eq!(folder.names(), ["out"], "signal {signal}");
        assert_eq!(folder.text("out"), "before");
    }
}

#[test]
fn no_temporary_file_stays() {
    nothing_stays(&SIGNALS, || Ok(()));
}

/// Even of a process that cannot heed its end, where the file system has files without a name.
#[cfg(target_os = "linux")]
#[test]
fn nothing_stays_of_a_killed_process() {
    use std::os::unix::fs::OpenOptionsExt;
    let folder = Folder::new();
    let mut unnamed = std::fs::File::options();
    if unnamed.write(true).custom_flags(libc::O_TMPFILE).open(folder.path(".")).is_ok() {
        nothing_stays(&[libc::SIGKILL, libc::SIGILL], || Ok(()));
    }
}

/// Has the system refuse a call with an error from now on if `flag` is among the bits of its third argument.
#[cfg(target_os = "linux")]
fn refuse(call: libc::c_long, flag: i32, error: i32) -> std::io::Result<()> {
    let step = |code: u32, jt, jf, k: u32| libc::sock_filter { code: code as u16, jt, jf, k };
    let load = libc::BPF_LD | libc::BPF_W | libc::BPF_ABS;
    let end = libc::BPF_RET | libc::BPF_K;
    // The number of the call is at byte 0 of what the system gives the filter, and its arguments are from byte 16 on.
    let argument = 16 + 2 * 8 + if cfg!(target_endian = "big") { 4 } else { 0 };
    let mut filter = [
        step(load, 0, 0, 0),
        step(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 0, 3, call as u32),
        step(load, 0, 0, argument),
        step(libc::BPF_JMP | libc::BPF_JSET | libc::BPF_K, 0, 1, flag as u32),
        step(end, 0, 0, libc::SECCOMP_RET_ERRNO | error as u32),
        step(end, 0, 0, libc::SECCOMP_RET_ALLOW),
    ];
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_mut_ptr() };
    // SAFETY: the calls change this process alone; the second reads the filter, which outlives it.
    let outcome = unsafe {
        let [zero, one, mode] = [0, 1, libc::SECCOMP_MODE_FILTER.into()] as [libc::c_ulong; 3];
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, one, zero, zero, zero);
        libc::prctl(libc::PR_SET_SECCOMP, mode, &raw const program)
    };
    if outcome == 0 { Ok(()) } else { Err(std::io::Error::last_os_error()) }
}

/// As a file system does that has no files without a name.
#[cfg(target_os = "linux")]
fn refuse_unnamed_files() -> std::io::Result<()> {
    refuse(libc::SYS_openat, libc::O_TMPFILE & !libc::O_DIRECTORY, libc::EOPNOTSUPP)
}

/// Where temporary files have names, the signals remove them.
#[cfg(target_os = "linux")]
#[test]
fn no_named_temporary_file_stays() {
    nothing_stays(&SIGNALS, refuse_unnamed_files);
}

/// Outputs appear, with the mode that the umask leaves or that the old file had, whether or not files without a name exist
/// and can get one.
#[cfg(target_os = "linux")]
#[test]
fn outputs_appear_on_every_file_system() {
    use std::os::unix::fs::PermissionsExt;
    // The third argument of linkat is a descriptor of a folder, here the current one: -100, whose highest bit is set.
    let refuse_names = || refuse(libc::SYS_linkat, i32::MIN, libc::EPERM);
    let prepared: [fn() -> std::io::Result<()>; 3] = [|| Ok(()), refuse_unnamed_files, refuse_names];
    for before in prepared {
        let folder = Folder::new();
        let before = move || {
            // SAFETY: every number is a valid mask.
            unsafe { libc::umask(0o027) };
            before()
        };
        let mode = || std::fs::metadata(folder.path("out")).unwrap().permissions().mode() & 0o7777;
        let write = |seed: u32| {
            let arguments = format!("gen gf2 --rows 9 --columns 9 --seed {seed} -o out");
            assert!(prepare(&folder, &arguments, before).status().unwrap().success());
            assert_eq!(folder.names(), ["out"]);
            assert_eq!(
                folder.text("out"),
                folder.run(&format!("gen gf2 --rows 9 --columns 9 --seed {seed}"))
            );
        };
        write(1);
        assert_eq!(mode(), 0o640);
        std::fs::set_permissions(folder.path("out"), PermissionsExt::from_mode(0o604)).unwrap();
        write(2);
        assert_eq!(mode(), 0o604);
    }
}

/// Sets a limit of the process itself, soft alone.
#[cfg(target_os = "linux")]
fn limit(resource: libc::__rlimit_resource_t, most: u64) -> std::io::Result<()> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the calls write and read the struct behind the pointer.
    let outcome = unsafe {
        libc::getrlimit(resource, &mut limit);
        limit.rlim_cur = most;
        libc::setrlimit(resource, &limit)
    };
    if outcome == 0 { Ok(()) } else { Err(std::io::Error::last_os_error()) }
}

#[cfg(target_os = "linux")]
#[test]
fn a_limit_of_file_sizes_is_an_error_of_the_file() {
    let folder = Folder::new();
    folder.run("gen gf2 --rows 6000 --columns 6000 --seed 1 -o a.gf2");
    folder.write("out", "before");
    std::fs::create_dir(folder.path("scratch")).unwrap();
    let names = folder.names();
    let runs = [
        ("gen gf2 --rows 6000 --columns 6000 --output-format text -o out", "out"),
        ("gf2 rref a.gf2 --memory 4M --device cpu --scratch scratch -o out", "scratch"),
        ("gf2 transpose a.gf2 --device cpu -o out", "out"),
    ];
    for (run, place) in runs {
        for is_ignored in [false, true] {
            let before = move || {
                if is_ignored {
                    // SAFETY: the arguments are valid.
                    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
                }
                limit(libc::RLIMIT_FSIZE, 1 << 20)
            };
            let output = prepare(&folder, run, before).stderr(Stdio::piped()).output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(6), "{run}: {said}");
            assert!(said.starts_with(&format!("wgalois: error: {place}: ")), "{said}");
            assert!(said.to_lowercase().contains("file too large"), "{said}");
            assert_eq!((folder.names(), folder.text("out")), (names.clone(), "before".to_owned()));
        }
    }
    // Standard output is a file too.
    let out = std::fs::File::create(folder.path("stdout")).unwrap();
    let run = "gen gf2 --rows 6000 --columns 6000 --output-format text";
    let status = prepare(&folder, run, || limit(libc::RLIMIT_FSIZE, 1 << 20)).stdout(out).status();
    assert_eq!(status.unwrap().code(), Some(6));
}

#[cfg(target_os = "linux")]
#[test]
fn a_limit_of_processor_time_leaves_nothing() {
    let folder = Folder::new();
    let status = prepare(&folder, WRITE, || limit(libc::RLIMIT_CPU, 1)).status().unwrap();
    assert_eq!(status.signal(), Some(libc::SIGXCPU));
    assert!(folder.names().is_empty());
}

/// Work on files that are larger than `--memory`: neither a scratch file nor a hidden output stays.
#[cfg(target_os = "linux")]
#[test]
fn no_scratch_file_stays() {
    let folder = Folder::new();
    folder.run("gen gf2 --rows 6000 --columns 6000 --seed 1 -o a.gf2");
    folder.run("gen eliminate --columns 8000 --eliminators 3000 --rows 2500 --promoted 1500 --seed 1 -o s");
    folder.write("out", "before");
    std::fs::create_dir(folder.path("scratch")).unwrap();
    let names = folder.names();
    // An elimination writes scratch files, and a product is computed while it is written.
    let runs = [
        ("gf2 rref a.gf2 --memory 4M", wait_for_scratch as fn(&Folder, &mut Child)),
        ("gf2 mul a.gf2 a.gf2 --memory 3M", wait_for_writing),
        ("eliminate --eliminators s/eliminators.txt --rows s/rows.txt --memory 3M", wait_for_scratch),
    ];
    for (run, wait) in runs {
        for signal in [libc::SIGHUP, libc::SIGINT, libc::SIGTERM, libc::SIGQUIT] {
            let mut child = start(&folder, &format!("{run} --device cpu --scratch scratch -o out"));
            wait(&folder, &mut child);
            send(&child, signal);
            assert_eq!(child.wait().unwrap().signal(), Some(signal), "{run}");
            assert_eq!(folder.names(), names, "{run}");
            assert_eq!(folder.text("out"), "before");
            assert_eq!(std::fs::read_dir(folder.path("scratch")).unwrap().count(), 0);
        }
    }
}

/// A library that panics, here where the system refuses random numbers: one message, and an exit code of its own.
#[cfg(target_os = "linux")]
#[test]
fn an_internal_error_is_one_message() {
    let folder = Folder::new();
    folder.write("m", "101\n010\n");
    let refuse_random = || refuse(libc::SYS_getrandom, libc::GRND_INSECURE as i32, libc::EIO);
    let mut command = prepare(&folder, "gf2 rank m --device cpu -o out", refuse_random);
    let output = command.env_remove("RUST_BACKTRACE").stderr(Stdio::piped()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(70), "{said}");
    assert!(said.starts_with("wgalois: an internal error: failed to generate random data at "), "{said}");
    assert!(said.ends_with("; please report it\n") && said.lines().count() == 1, "{said}");
    assert_eq!(folder.names(), ["m"]);
    let help = folder.run("--help");
    assert!(help.split_whitespace().collect::<Vec<_>>().join(" ").contains("70 an internal error"));
}
