//! Tests that output files appear complete, at the place that their name denotes, or not at all.

use super::*;
use std::fs;

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn a_file_appears_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    for text in ["first", "second"] {
        write_whole(&path, |out| out.write_all(text.as_bytes())).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
    assert_eq!(names(folder.path()), ["out"]);
}

#[test]
fn a_failure_leaves_everything_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    let fail = |out: &mut dyn Write| {
        out.write_all(b"half")?;
        Err(io::ErrorKind::StorageFull.into())
    };
    assert_eq!(write_whole(&path, fail).unwrap_err().exit_code(), 6);
    assert!(names(folder.path()).is_empty());
    fs::write(&path, "before").unwrap();
    assert!(write_whole(&path, fail).is_err());
    assert_eq!(fs::read_to_string(&path).unwrap(), "before");
    assert_eq!(names(folder.path()), ["out"]);
}

#[test]
fn places_that_cannot_be_written_are_refused_beforehand() {
    let folder = tempfile::tempdir().unwrap();
    assert!(check_writable(&folder.path().join("out")).is_ok());
    let error = check_writable(&folder.path().join("none/out")).unwrap_err();
    assert!(!error.to_string().contains(".wgalois-"), "{error}");
    assert!(check_writable(folder.path()).is_err());
    assert!(names(folder.path()).is_empty());
}

#[cfg(unix)]
#[test]
fn links_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let (file, link) = (folder.path().join("file"), folder.path().join("link"));
    fs::write(&file, "old").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    symlink(&file, &link).unwrap();
    write_whole(&link, |out| out.write_all(b"new")).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), "new");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    write_whole(Path::new("/dev/null"), |out| out.write_all(b"gone")).unwrap();
}

#[cfg(unix)]
#[test]
fn a_link_to_nothing_makes_its_target() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("other")).unwrap();
    // A relative link is relative to its own folder.
    symlink("other/middle", at("link")).unwrap();
    symlink("../file", at("other/middle")).unwrap();
    check_writable(&at("link")).unwrap();
    assert_eq!(destination(&at("link")).unwrap(), destination(&at("file")).unwrap());
    write_whole(&at("link"), |out| out.write_all(b"new")).unwrap();
    assert_eq!(fs::read_to_string(at("file")).unwrap(), "new");
    assert!(fs::symlink_metadata(at("link")).unwrap().is_symlink());
    symlink("circle", at("circle")).unwrap();
    assert_eq!(check_writable(&at("circle")).unwrap_err().exit_code(), 6);
    symlink("none/file", at("lost")).unwrap();
    assert_eq!(check_writable(&at("lost")).unwrap_err().exit_code(), 6);
}

#[test]
fn all_names_of_a_file_have_one_destination() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| destination(&folder.path().join(name)).unwrap();
    fs::create_dir(folder.path().join("sub")).unwrap();
    let file = at("file");
    assert!(file.is_some());
    for name in ["./file", "sub/../file", "sub/.././file"] {
        assert_eq!(at(name), file, "{name}");
    }
    assert_ne!(at("other"), file);
    assert_ne!(at("sub/file"), file);
}

#[test]
fn names_of_no_file_are_refused_beforehand() {
    let folder = tempfile::tempdir().unwrap();
    let long = "x".repeat(300);
    for name in ["new/", "new/.", "sub/new/", ".", "..", "none/file", long.as_str()] {
        let path = folder.path().join(name);
        assert_eq!(check_writable(&path).unwrap_err().exit_code(), 6, "{name}");
        assert_eq!(write_whole(&path, |_| Ok(())).unwrap_err().exit_code(), 6, "{name}");
    }
    assert_eq!(check_writable(Path::new("")).unwrap_err().exit_code(), 6);
    assert!(names(folder.path()).is_empty());
}

/// Where the file system has files without a name, nothing could stay of an output that is not finished.
#[cfg(target_os = "linux")]
#[test]
fn an_unfinished_file_has_no_name() {
    let folder = tempfile::tempdir().unwrap();
    let is_unnamed = super::unnamed::create(folder.path(), 0o600).unwrap().is_some();
    for text in ["first", "second"] {
        let write = |out: &mut dyn Write| {
            let hidden = names(folder.path()).into_iter().filter(|name| name != "out").count();
            assert_eq!(hidden, usize::from(!is_unnamed));
            out.write_all(text.as_bytes())
        };
        write_whole(&folder.path().join("out"), write).unwrap();
        assert_eq!(fs::read_to_string(folder.path().join("out")).unwrap(), text);
    }
    assert_eq!(names(folder.path()), ["out"]);
}
