//! File names and texts of files as messages show them.

use std::path::Path;

/// Returns `text` on one terminal line: escapes control characters and characters that change the
/// writing direction, and cuts the line before it, escapes included, exceeds `most` characters.
pub fn one_line(text: &str, most: usize) -> String {
    let mut line = String::new();
    let mut length = 0;
    for c in text.chars() {
        let start = line.len();
        match c {
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                line.extend(c.escape_unicode());
            }
            c if c.is_control() => line.extend(c.escape_default()),
            c => line.push(c),
        }
        length += line[start..].chars().count();
        if length > most {
            line.truncate(start);
            line.push_str("...");
            break;
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

#[cfg(test)]
mod tests {
    #[test]
    fn a_line_is_escaped_and_no_longer_than_asked() {
        assert_eq!(super::one_line("a\tb\u{202e}", 40), r"a\tb\u{202e}");
        assert_eq!(super::one_line("abcdef", 6), "abcdef");
        assert_eq!(super::one_line("abcdefg", 6), "abcdef...");
        assert_eq!(super::one_line("abcde\nf", 6), "abcde...");
        assert_eq!(super::one_line("ééé", 2), "éé...");
    }
}
