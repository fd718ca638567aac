//! Files that passed a long check, remembered by their digests in the user's cache folder.
//!
//! The list is a text of lines, each the SHA-256 of a check's name and of a file's bytes. A damaged list can only lack files, which are then
//! checked again: no other text is a file's digest. A list that cannot be read or written is no error.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use wgalois::files::cached;

/// The most files that are remembered. The oldest is forgotten first.
const MOST: usize = 100;
/// The most bytes of a list that is read.
const MOST_BYTES: u64 = 1 << 16;

/// The list of files that passed a check.
pub struct Known {
    path: PathBuf,
}

impl Known {
    /// The list in the user's cache folder; `None` if there is no such folder.
    pub fn open(name: &str) -> Option<Known> {
        Some(Known { path: cached::folder()?.join(name) })
    }

    /// True if the list has this digest.
    pub fn has(&self, digest: &str) -> bool {
        read(&self.path).iter().any(|line| line == digest)
    }

    /// Adds a digest to the list, which is replaced as a whole. A failure is only logged.
    pub fn add(&self, digest: &str) {
        let mut lines = read(&self.path);
        lines.retain(|line| line != digest);
        lines.push(digest.to_owned());
        let surplus = lines.len().saturating_sub(MOST);
        let text = lines[surplus..].join("\n") + "\n";
        if cached::write(&self.path, |out| out.write_all(text.as_bytes())).is_err() {
            log::warn!("{}: the list of checked files cannot be kept", self.path.display());
        }
    }
}

/// The digest of a file for a check, in hexadecimal digits.
pub fn digest(check: &str, bytes: &[u8]) -> String {
    let mut hash = Sha256::new();
    // The length keeps the name and the bytes apart.
    hash.update((check.len() as u64).to_be_bytes());
    hash.update(check);
    hash.update(bytes);
    super::text::hex(&hash.finalize())
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
        let known = Known { path: folder.path().join("new/list") };
        let digests: Vec<String> = (0..MOST + 3).map(|i| digest("check", i.to_string().as_bytes())).collect();
        assert!(!known.has(&digests[0]));
        digests.iter().for_each(|digest| known.add(digest));
        // The oldest three are forgotten.
        let found: Vec<bool> = digests.iter().map(|digest| known.has(digest)).collect();
        assert_eq!(found.iter().position(|found| *found), Some(3));
        assert!(found[3..].iter().all(|found| *found));
        assert_ne!(digest("check", b"1"), digest("other", b"1"));
        assert_ne!(digest("ab", b"c"), digest("a", b"bc"));
        // A bit of the last line is flipped, the first is cut, and others are no text.
        let mut bytes = fs::read(&known.path).unwrap();
        let end = bytes.len() - 2;
        bytes[end] ^= 1;
        fs::write(&known.path, [&bytes[1..], b"\xff\0\n"].concat()).unwrap();
        assert!(!known.has(&digests[MOST + 2]) && !known.has(&digests[3]) && known.has(&digests[4]));
        known.add(&digests[0]);
        assert!(known.has(&digests[0]) && known.has(&digests[4]));
        fs::write(&known.path, vec![b'a'; MOST_BYTES as usize + 1]).unwrap();
        assert!(!known.has(&digests[4]));
        known.add(&digests[4]);
        assert!(known.has(&digests[4]));
        // A folder in its place: nothing is remembered, and nothing fails.
        fs::remove_file(&known.path).unwrap();
        fs::create_dir(&known.path).unwrap();
        known.add(&digests[4]);
        assert!(!known.has(&digests[4]));
    }
}
