//! File names and texts of files as messages show them.

use std::path::Path;

/// Returns `text` on one terminal line: escapes control characters and characters that change the
/// writing direction, and cuts the text after `most` characters.
pub fn one_line(text: &str, most: usize) -> String {
    let mut line = String::new();
    for (count, c) in text.chars().enumerate() {
        match c {
            _ if count >= most => {
                line.push_str("...");
                break;
            }
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                line.extend(c.escape_unicode());
            }
            c if c.is_control() => line.extend(c.escape_default()),
            c => line.push(c),
        }
    }
    line
}

/// Maximum number of characters of a file name, or of a file's text, in a message.
const SHOWN: usize = 200;

/// Returns a file's name as messages show it.
pub fn name(path: &Path) -> String {
    one_line(&path.to_string_lossy(), SHOWN)
}

/// Serializes a file's name as messages show it.
pub(super) fn serialize<S: serde::Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&name(path))
}

/// Returns a library's message about a file's content as messages show it.
pub fn excerpt(text: &str) -> String {
    one_line(text, SHOWN)
}

/// Returns a token as error messages show it: quoted, escaped, and cut to fit a line.
pub fn quote(token: &[u8]) -> String {
    const SHOWN: usize = 32;
    let shown = &token[..token.len().min(SHOWN)];
    let dots = if token.len() > SHOWN { "..." } else { "" };
    format!("\"{}{dots}\"", String::from_utf8_lossy(shown).escape_debug())
}
