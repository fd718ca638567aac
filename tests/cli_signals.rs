//! Signals: a process that a signal ends leaves no temporary file behind.
#![cfg(unix)]

mod cli_common;

use cli_common::Folder;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Starts a run that writes for some seconds. Signals have their default actions, which a shell's background
/// process does not inherit.
fn start(folder: &Folder) -> Child {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("wgalois"));
    command
        .current_dir(folder.path("."))
        .args("gen gf2 --rows 60000 --columns 60000 --output-format text -o out".split(' '))
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

fn send(child: &Child, signal: i32) {
    let kill = Command::new("kill").args([format!("-{signal}"), child.id().to_string()]).status();
    assert!(kill.unwrap().success());
}

#[test]
fn no_temporary_file_stays() {
    const HUP: i32 = 1;
    const INT: i32 = 2;
    const TERM: i32 = 15;
    for signal in [HUP, INT, TERM] {
        let folder = Folder::new();
        folder.write("out", "before");
        let mut child = start(&folder);
        wait_for_writing(&folder, &mut child);
        send(&child, signal);
        // It ends by the signal, like a process without a handler: 128 + n in a shell.
        assert_eq!(child.wait().unwrap().signal(), Some(signal));
        assert_eq!(folder.names(), ["out"]);
        assert_eq!(folder.text("out"), "before");
    }
}
