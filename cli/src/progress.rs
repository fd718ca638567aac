//! Progress display on stderr for long work.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;
use wgalois::timeline::Timeline;
use wgalois_io::text::one_line;

/// Maximum number of characters of a name, which may be the name of a file.
const NAME: usize = 60;
/// Work shorter than this shows no progress.
const PATIENCE: Duration = Duration::from_millis(800);
/// The time between two steps of the spinner, and between two looks at the share of the work that is done.
const LOOK: Duration = Duration::from_millis(100);

/// Returns a line such as `rank 43%, 12 s left`.
fn message(name: &str, progress: &wgalois::timeline::Progress) -> String {
    let percent = (100.0 * progress.share).floor();
    match progress.left().map(|left| left.as_secs_f64().ceil() as u64) {
        Some(seconds) if seconds >= 120 => format!("{name} {percent}%, {} min left", seconds.div_ceil(60)),
        Some(seconds) => format!("{name} {percent}%, {seconds} s left"),
        None => format!("{name} {percent}%"),
    }
}

/// A spinner or a bar. It appears if the work takes long, and disappears when the work ends.
pub struct Progress {
    bar: ProgressBar,
    /// Dropping it wakes the thread that waits to show the bar.
    _done: Option<Sender<()>>,
}

impl Progress {
    /// Creates a spinner with the elapsed time, and with the percentage and the remaining time while work of a known
    /// amount is under way on the timeline.
    pub fn of_work(name: &str, timeline: &Timeline, visible: bool) -> Self {
        let timeline = visible.then(|| timeline.clone());
        Self::start(ProgressBar::hidden(), "{spinner} {msg} {elapsed}", name, timeline, visible)
    }

    /// Creates a spinner with the number of bytes written through [`Progress::through`].
    pub fn bytes(name: &str, visible: bool) -> Self {
        Self::start(ProgressBar::hidden(), "{spinner} {msg} {bytes} {elapsed}", name, None, visible)
    }

    /// Returns a writer to `out` that counts the bytes.
    pub fn through<W: std::io::Write>(&self, out: W) -> impl std::io::Write {
        self.bar.wrap_write(out)
    }

    /// Creates a bar of `length` steps with the remaining time.
    pub fn bar(name: &str, length: u64, visible: bool) -> Self {
        let bar = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::hidden());
        Self::start(bar, "{msg} {wide_bar} {percent}% ({pos}/{len}) {eta} left", name, None, visible)
    }

    /// Adds `steps` to the number of finished steps.
    pub fn advance(&self, steps: u64) {
        self.bar.inc(steps);
    }

    fn start(
        bar: ProgressBar,
        template: &str,
        name: &str,
        timeline: Option<Timeline>,
        visible: bool,
    ) -> Self {
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_message(one_line(name, NAME));
        let done = visible.then(|| {
            let (done, wait) = channel();
            let late = bar.clone();
            let name = one_line(name, NAME);
            let show = move || {
                if wait.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) && !late.is_finished() {
                    late.set_draw_target(ProgressDrawTarget::stderr());
                }
                // A ticker of indicatif would panic where the system refuses its thread.
                while wait.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                    if let Some(timeline) = &timeline {
                        let share = timeline.progress().map(|progress| message(&name, &progress));
                        late.set_message(share.unwrap_or_else(|| name.clone()));
                    }
                    late.tick();
                }
            };
            // If the thread cannot be started, no progress is shown.
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
