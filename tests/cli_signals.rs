//! Signals: a process that a signal ends leaves no temporary file behind.
#![cfg(unix)]

mod cli_common;

use cli_common::Folder;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// HUP, INT and TERM.
const SIGNALS: [i32; 3] = [1, 2, 15];

/// Starts a run. Signals have their default actions, which a shell's background process does not inherit.
fn start(folder: &Folder, arguments: &str) -> Child {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("wgalois"));
    command
        .current_dir(folder.path("."))
        .args(arguments.split(' '))
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let before = || {
        // SAFETY: the arguments are valid, and no handler is installed.
        unsafe { libc::signal(libc::SIGINT, libc::SIG_DFL) };
        Ok(())
    };
    // SAFETY: the code between fork and exec calls a single function of the system, which may be called there.
    unsafe { command.pre_exec(before) };
    command.spawn().unwrap()
}

/// Waits until the temporary file exists or the process has ended.
fn wait_for_file(folder: &Folder, child: &mut Child) {
    let start = Instant::now();
    while !folder.names().iter().any(|name| name.starts_with(".wgalois-")) {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it wrote");
        assert!(start.elapsed() < Duration::from_secs(120));
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Like [`wait_for_file`], but waits until something is written: the check of outputs creates a file
/// too.
fn wait_for_writing(folder: &Folder, child: &mut Child) {
    loop {
        wait_for_file(folder, child);
        let written = |name: &String| std::fs::metadata(folder.path(name)).is_ok_and(|file| file.len() > 0);
        if folder.names().iter().any(|name| name.starts_with(".wgalois-") && written(name)) {
            return;
        }
    }
}

/// Waits until something is written to a file without a name in a folder, as a scratch file is.
#[cfg(target_os = "linux")]
fn wait_for_scratch(folder: &Folder, child: &mut Child) {
    let start = Instant::now();
    let scratch = folder.path("scratch").canonicalize().unwrap();
    let is_written = |entry: std::io::Result<std::fs::DirEntry>| {
        let path = entry.unwrap().path();
        let target = std::fs::read_link(&path);
        target.is_ok_and(|target| target.starts_with(&scratch))
            && std::fs::metadata(&path).is_ok_and(|file| file.len() > 0)
    };
    let files = format!("/proc/{}/fd", child.id());
    while !std::fs::read_dir(&files).is_ok_and(|mut files| files.any(is_written)) {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it wrote");
        assert!(start.elapsed() < Duration::from_secs(120));
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn send(child: &Child, signal: i32) {
    let kill = Command::new("kill").args([format!("-{signal}"), child.id().to_string()]).status();
    assert!(kill.unwrap().success());
}

#[test]
fn no_temporary_file_stays() {
    for signal in SIGNALS {
        let folder = Folder::new();
        folder.write("out", "before");
        // It writes for some seconds.
        let mut child = start(&folder, "gen gf2 --rows 60000 --columns 60000 --output-format text -o out");
        wait_for_writing(&folder, &mut child);
        send(&child, signal);
        // It ends by the signal, like a process without a handler: 128 + n in a shell.
        assert_eq!(child.wait().unwrap().signal(), Some(signal));
        assert_eq!(folder.names(), ["out"]);
        assert_eq!(folder.text("out"), "before");
    }
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
        for signal in SIGNALS {
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
