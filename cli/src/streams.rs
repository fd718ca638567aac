//! Standard output and standard error.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use wgalois::{Error, Result};
use wgalois_io::text::one_line;

/// Maximum number of characters in a message.
const MESSAGE: usize = 1000;

/// True if the process started without a stdout (`>&-`).
static CLOSED: AtomicBool = AtomicBool::new(false);

/// True if the process started without a stdin (`<&-`).
static NO_INPUT: AtomicBool = AtomicBool::new(false);

/// Looks at stdin and stdout before Rust's runtime replaces closed ones by /dev/null, where input would be empty and
/// output lost without an error.
#[cfg(unix)]
mod early {
    use super::{CLOSED, NO_INPUT, Ordering};

    extern "C" fn look() {
        // SAFETY: the calls read the flags of a descriptor. They are allowed for every number, and
        // change nothing.
        let [input, output] = [libc::STDIN_FILENO, libc::STDOUT_FILENO]
            .map(|stream| unsafe { libc::fcntl(stream, libc::F_GETFD) });
        NO_INPUT.store(input == -1, Ordering::Relaxed);
        CLOSED.store(output == -1, Ordering::Relaxed);
    }

    // SAFETY: the section holds pointers to functions of this type, which the system calls in
    // sequence before `main`; `look` needs nothing that `main` would set up.
    #[used]
    #[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
    #[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
    static LOOK: extern "C" fn() = look;
}

/// Refuses to read from a closed stdin.
pub fn expect_stdin() -> Result<()> {
    match NO_INPUT.load(Ordering::Relaxed) {
        true => Err(Error::file("-", io::Error::other("standard input is closed"))),
        false => Ok(()),
    }
}

pub fn stdout_is_closed() -> bool {
    CLOSED.load(Ordering::Relaxed)
}

/// Returns the error for writing to a closed stdout.
pub fn closed() -> Error {
    Error::file("-", io::Error::other("standard output is closed"))
}

/// Writes to stdout. A closed stdout is an error.
pub fn write_stdout(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    let mut out = stdout()?;
    write(&mut out).and_then(|()| out.flush()).map_err(|e| Error::file("-", e))
}

/// Opens stdout. A closed one is an error.
fn stdout() -> Result<io::BufWriter<io::StdoutLock<'static>>> {
    match stdout_is_closed() {
        true => Err(closed()),
        false => Ok(io::BufWriter::with_capacity(1 << 16, io::stdout().lock())),
    }
}

/// Prints one line to stderr. `eprintln!` would panic if stderr is closed.
pub fn complain(message: &str) {
    let _ = writeln!(io::stderr(), "wgalois: {}", one_line(message, MESSAGE));
}

/// Prints an error. The message of a driver or a compiler may have several lines.
pub fn complain_of(error: &Error) {
    let text = error.to_string();
    match error {
        Error::Device(_) | Error::Shader(_) => {
            let lines: Vec<_> = text.lines().map(|line| one_line(line, MESSAGE)).collect();
            let _ = writeln!(io::stderr(), "wgalois: error: {}", lines.join("\n"));
        }
        _ => complain(&format!("error: {text}")),
    }
}

/// True if the reader of a pipe has closed it, which means that it needs no more output.
pub fn is_broken_pipe(error: &Error) -> bool {
    matches!(error, Error::File { source, .. } if source.kind() == io::ErrorKind::BrokenPipe)
}
