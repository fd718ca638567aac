//! Files that passed a long check, remembered by their digests in the user's cache folder.
//!
//! The list is a text of lines, each the BLAKE3 digest of a check's name and of a file's bytes. A damaged list can only lack files, which
//! are then checked again: no other text is a file's digest. A list that cannot be read or written is no error. Who can write the
//! list can have files taken unchecked.

use std::path::{Path, PathBuf};

use super::Source;
use wgalois::files::cached;

/// The most files that are remembered. The oldest is forgotten first.
const MOST: usize = 1000;
/// The most bytes of a list that is read.
const MOST_BYTES: u64 = 1 << 17;
/// The list's name in the cache folder.
const NAME: &str = "checked_files";

/// A file and a check, which the file may have passed in an earlier run.
pub struct Known {
    list: Option<List>,
    digest: String,
    passed: bool,
}

impl Known {
    /// Looks up whether the bytes of `source` passed the check of this name, which says all that the check depends on. With `again` the
    /// file is forgotten, so that it is checked again.
    pub fn look_up(check: &str, source: &Source, again: bool) -> Known {
        Self::look_up_in(List::open(), check, source.bytes(), again)
    }

    fn look_up_in(list: Option<List>, check: &str, bytes: &[u8], again: bool) -> Known {
        let digest = digest(check, bytes);
        if let (Some(list), true) = (&list, again) {
            list.forget(&digest);
        }
        let passed = list.as_ref().is_some_and(|list| list.has(&digest));
        Known { list, digest, passed }
    }

    /// True if the file passed the check before.
    pub fn passed(&self) -> bool {
        self.passed
    }

    /// Remembers that the file passed.
    pub fn remember(self) {
        if let (Some(list), false) = (&self.list, self.passed) {
            list.add(&self.digest);
        }
    }
}

/// The list of files that passed checks.
struct List(PathBuf);

impl List {
    /// The list in the user's cache folder; `None` if there is no such folder.
    fn open() -> Option<List> {
        Some(List(cached::folder()?.join(NAME)))
    }

    /// True if the list has this digest.
    fn has(&self, digest: &str) -> bool {
        read(&self.0).iter().any(|line| line == digest)
    }

    /// Adds a digest to the list, as its newest.
    fn add(&self, digest: &str) {
        let mut lines = read(&self.0);
        lines.retain(|line| line != digest);
        lines.push(digest.to_owned());
        let surplus = lines.len().saturating_sub(MOST);
        self.write(&lines[surplus..]);
    }

    /// Removes a digest from the list.
    fn forget(&self, digest: &str) {
        let mut lines = read(&self.0);
        let count = lines.len();
        lines.retain(|line| line != digest);
        if lines.len() < count {
            self.write(&lines);
        }
    }

    /// Replaces the list as a whole. A failure is only logged.
    fn write(&self, lines: &[String]) {
        let text: String = lines.iter().flat_map(|line| [line, "\n"]).collect();
        if cached::write(&self.0, |out| out.write_all(text.as_bytes())).is_err() {
            log::info!("{}: the list of checked files cannot be kept", self.0.display());
        }
    }
}

/// The digest of a file for a check, in hexadecimal digits. All cores compute it.
fn digest(check: &str, bytes: &[u8]) -> String {
    let mut hash = blake3::Hasher::new_derive_key(check);
    hash.update_rayon(bytes);
    hash.finalize().to_hex().to_string()
}

/// The lines of a list that are digests; none of a file that is missing, too long, or no regular file.
fn read(path: &Path) -> Vec<String> {
    let bytes = cached::read(path, MOST_BYTES).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let is_digest = |line: &&str| line.len() == 64 && line.bytes().all(|byte| byte.is_ascii_hexdigit());
    text.lines().filter(is_digest).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn files_are_remembered_and_a_damaged_list_only_lacks_some() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/list");
        let look_up = |i: usize, again| {
            Known::look_up_in(Some(List(path.clone())), "check", i.to_string().as_bytes(), again)
        };
        let passed = |i| look_up(i, false).passed();
        assert!(!passed(0));
        (0..MOST + 3).for_each(|i| look_up(i, false).remember());
        // The oldest three are forgotten.
        let found: Vec<bool> = (0..MOST + 3).map(passed).collect();
        assert_eq!(found.iter().position(|found| *found), Some(3));
        assert!(found[3..].iter().all(|found| *found));
        // A file that is to be checked again is forgotten until it passes.
        assert!(!look_up(7, true).passed() && !passed(7) && passed(8));
        look_up(7, false).remember();
        assert!(passed(7));
        // A bit of the last line is flipped, the first is cut, and others are no text.
        let mut bytes = fs::read(&path).unwrap();
        let end = bytes.len() - 2;
        bytes[end] ^= 1;
        fs::write(&path, [&bytes[1..], b"\xff\0\n"].concat()).unwrap();
        assert!(!passed(7) && !passed(3) && passed(4));
        look_up(0, false).remember();
        assert!(passed(0) && passed(4));
        fs::write(&path, vec![b'a'; MOST_BYTES as usize + 1]).unwrap();
        assert!(!passed(4));
        look_up(4, false).remember();
        assert!(passed(4));
        // A folder in its place: nothing is remembered, and nothing fails.
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        look_up(4, false).remember();
        assert!(!passed(4));
    }

    #[test]
    fn digests_differ_by_check_and_by_byte() {
        assert_ne!(digest("check", b"1"), digest("other", b"1"));
        assert_ne!(digest("ab", b"c"), digest("a", b"bc"));
        // Longer than what one thread hashes.
        let mut bytes = vec![3; 1 << 20];
        let whole = digest("check", &bytes);
        for at in [0, 1 << 19, (1 << 20) - 1] {
            bytes[at] ^= 1;
            assert_ne!(digest("check", &bytes), whole, "byte {at}");
            bytes[at] ^= 1;
        }
        assert_eq!(digest("check", &bytes), whole);
    }
}
