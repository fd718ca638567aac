//! A sign of life on stderr for work that takes long.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;
use wgalois::io::text::one_line;

/// Characters of a name at most: it may be that of a file.
const NAME: usize = 60;
/// Work shorter than this shows nothing.
const PATIENCE: Duration = Duration::from_millis(800);

/// A spinner or a bar that appears when its work turns out to be long, and vanishes with it.
pub struct Progress {
    bar: ProgressBar,
    /// Dropping it wakes the thread that would show the bar.
    _done: Option<Sender<()>>,
}

impl Progress {
    /// A spinner with the elapsed time.
    pub fn spinner(name: &str, visible: bool) -> Self {
        Self::start(ProgressBar::hidden(), "{spinner} {msg} {elapsed}", name, visible)
    }

    /// A spinner with the bytes that have gone through [`Progress::through`].
    pub fn bytes(name: &str, visible: bool) -> Self {
        Self::start(ProgressBar::hidden(), "{spinner} {msg} {bytes} {elapsed}", name, visible)
    }

    /// What is written to `out`, counted.
    pub fn through<W: std::io::Write>(&self, out: W) -> impl std::io::Write {
        self.bar.wrap_write(out)
    }

    /// A bar of `length` steps with the time that remains.
    pub fn bar(name: &str, length: u64, visible: bool) -> Self {
        let bar = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::hidden());
        Self::start(bar, "{msg} {wide_bar} {pos}/{len} {eta}", name, visible)
    }

    /// Reports `steps` more steps as done.
    pub fn advance(&self, steps: u64) {
        self.bar.inc(steps);
    }

    fn start(bar: ProgressBar, template: &str, name: &str, visible: bool) -> Self {
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_message(one_line(name, NAME));
        let done = visible.then(|| {
            let (done, wait) = channel();
            let late = bar.clone();
            let show = move || {
                if wait.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) && !late.is_finished() {
                    late.set_draw_target(ProgressDrawTarget::stderr());
                    late.enable_steady_tick(Duration::from_millis(100));
                }
            };
            // Where no thread is to be had, nothing is shown.
            let _ = std::thread::Builder::new().spawn(show);
            done
        });
        Progress { bar, _done: done }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
