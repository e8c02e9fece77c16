//! Why a session ended.

use super::session::Session;

/// Why a session ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct End {
    pub(crate) name: String,
    pub(crate) message: String,
    pub(crate) kind: Ending,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Ending {
    Target,
    Normal,
    TooManyFailures,
    Interrupted,
}

impl Session<'_> {
    /// Why a session ends before its run does.
    pub(super) fn interrupted(&self) -> End {
        let tried = self.plan.max_failures;
        match self.gave_up {
            true => End {
                name: "maxfailures".into(),
                message: format!("{tried} evaluations in a row have failed; see evaluations.jsonl"),
                kind: Ending::TooManyFailures,
            },
            false => End {
                name: "interrupted".into(),
                message: format!("interrupted; continue with `enes resume {}`", self.folder.path().display()),
                kind: Ending::Interrupted,
            },
        }
    }

    pub(super) fn target_reached(&self) -> Option<End> {
        // Under noise the luckiest value says nothing.
        let (best, target) = (self.best().filter(|_| !self.plan.noisy)?, self.plan.target?);
        (best.violation == 0.0 && best.value <= target)
            .then(|| finished(&enes::StopReason::Target { value: best.value, target }))
    }

    /// Why the search has ended, where it has; a target that an injected point met later counts for more.
    pub(super) fn ended(&self) -> Option<End> {
        let reason = self.es.stop_reason()?;
        Some(self.target_reached().unwrap_or_else(|| finished(reason)))
    }

    pub(super) fn time_is_up(&self) -> Option<End> {
        let limit = self.plan.max_seconds.filter(|&l| self.seconds() >= l)?;
        // A reason of the search itself counts for more.
        if self.es.stop_reason().is_some() {
            return None;
        }
        Some(End {
            name: "timeout".into(),
            message: format!("the time is up: {:.1} of {limit} seconds", self.seconds()),
            kind: Ending::Normal,
        })
    }
}

fn finished(reason: &enes::StopReason) -> End {
    let kind = if reason.is_target() { Ending::Target } else { Ending::Normal };
    End { name: reason.name().into(), message: reason.to_string(), kind }
}
