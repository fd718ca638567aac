//! The pipeline cache on disk: it saves time, and no content of it can make a job fail.

use crate::common::Folder;
use std::path::PathBuf;

/// Runs a small job on the GPU with the cache in the folder; returns its stderr.
fn run(folder: &Folder) -> String {
    let mut command = folder.command("polymul m m --prime babybear --device gpu");
    command.env("XDG_CACHE_HOME", folder.path("cache")).env_remove("RUST_LOG");
    command.timeout(std::time::Duration::from_secs(120));
    let output = command.assert().success().stdout("1\n2\n1\n").get_output().clone();
    String::from_utf8(output.stderr).unwrap()
}

/// Returns the cache's file if the device has one.
fn file(folder: &Folder) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder.path("cache/wgalois")).ok()?;
    entries.map(|entry| entry.unwrap().path()).find(|path| path.is_file())
}

#[cfg(target_os = "linux")]
#[test]
fn a_damaged_cache_is_replaced_and_said_once() {
    let folder = Folder::new();
    folder.write("m", "1 1");
    assert_eq!(run(&folder), "");
    let Some(path) = file(&folder) else {
        // The device keeps no pipelines.
        return;
    };
    let whole = std::fs::read(&path).unwrap();
    let changed = |from: usize, to: usize| {
        let mut bytes = whole.clone();
        bytes[from..to].iter_mut().for_each(|byte| *byte ^= 0xa5);
        bytes
    };
    let len = whole.len();
    let random = (0..len as u64).map(|i| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8).collect();
    for damaged in [
        changed(0, 16),
        changed(16, 32),
        changed(56, 72),
        changed(72, 88),
        changed(len / 2, len / 2 + 1),
        changed(len - 1, len),
        whole[..len / 2].to_vec(),
        whole[..20].to_vec(),
        // The driver's bytes alone.
        whole[56..].to_vec(),
        Vec::new(),
        random,
    ] {
        std::fs::write(&path, damaged).unwrap();
        let said = run(&folder);
        assert!(said.contains("pipeline cache") && said.lines().count() == 1, "{said}");
        assert_eq!(run(&folder), "", "the file was not repaired");
    }
    // The cache can be neither read nor written: the job still succeeds.
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    assert!(run(&folder).contains("pipeline cache"));
    std::fs::remove_dir_all(folder.path("cache")).unwrap();
    folder.write("cache", "no folder");
    assert!(run(&folder).contains("pipeline cache"));
    std::fs::remove_file(folder.path("cache")).unwrap();
    // Several processes at the same time.
    std::thread::scope(|scope| {
        (0..4).for_each(|_| drop(scope.spawn(|| assert_eq!(run(&folder), ""))));
    });
    assert_eq!(run(&folder), "");
}

/// Pipes without a writer or a reader, where the caches are: nothing waits for them.
#[cfg(target_os = "linux")]
#[test]
fn a_pipe_in_place_of_a_cache_makes_no_job_wait() {
    let folder = Folder::new();
    folder.write("m", "1 1");
    let pipe = |path: &std::path::Path| {
        assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
    };
    run(&folder);
    if let Some(path) = file(&folder) {
        std::fs::remove_file(&path).unwrap();
        pipe(&path);
        assert!(run(&folder).contains("pipeline cache"));
    }
    // The speeds of the device, which are measured where a search takes long.
    std::fs::create_dir_all(folder.path("cache/wgalois")).unwrap();
    pipe(&folder.path("cache/wgalois/boolean_speeds.json"));
    folder.write("q", "a*b + c + 1\na + b\nb*c + c\n");
    let mut solve = folder.command("solve q --device cpu");
    solve.env("XDG_CACHE_HOME", folder.path("cache")).timeout(std::time::Duration::from_secs(120));
    solve.assert().success();
}
