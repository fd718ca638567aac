//! Whether the points of a key are checked: unless the user trusts them, or the file passed in an earlier run.

use super::keys::KeyForm;
use crate::prelude::*;
use crate::report::checked;
use wgalois::curve::PairingCurve;
use wgalois_io::known::Known;
use wgalois_io::points::Trust;

/// The user's choice.
#[derive(clap::Args, Clone, Copy)]
pub struct CheckOptions {
    /// Do not check that a key's bases are in the subgroups; the points of its header and of the public variables always are
    #[arg(long)]
    pub unchecked: bool,
    /// Check a key's points although the file passed in an earlier run
    #[arg(long, conflicts_with = "unchecked")]
    recheck: bool,
}

/// The check of the points of a key.
pub struct PointCheck {
    /// What is remembered of the file; `None` if the user trusts it.
    known: Option<Known>,
}

impl PointCheck {
    /// Looks up whether the file passed in an earlier run.
    pub fn look_up<E: PairingCurve, F: KeyForm<E>>(
        context: &Context,
        options: CheckOptions,
        source: &Source,
        _: &F,
    ) -> Self {
        let look_up = || Known::look_up(F::CHECK, source, options.recheck);
        let known = (!options.unchecked).then(|| context.step(Phase::Reading, "digest of the key", look_up));
        PointCheck { known }
    }

    /// No check, and no look at the file.
    pub fn none() -> Self {
        PointCheck { known: None }
    }

    fn passed_earlier(&self) -> bool {
        self.known.as_ref().is_some_and(Known::passed)
    }

    /// True if the points are to be checked in this run.
    pub fn is_due(&self) -> bool {
        self.known.as_ref().is_some_and(|known| !known.passed())
    }

    /// What the reader of the file need not check. Points that the user trusts are checked to be on their curves all the same.
    pub fn trust(&self) -> Trust {
        if self.passed_earlier() { Trust::Everything } else { Trust::Nothing }
    }

    /// Remembers that the file passed, if it was checked, and reports when that was.
    pub fn passed(self, context: &Context) {
        context.report("key_checked", checked(self.is_due(), self.passed_earlier()));
        if let Some(known) = self.known {
            known.remember();
        }
    }
}
