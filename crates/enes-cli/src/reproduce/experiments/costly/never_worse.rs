//! The model must never cost anything: two requirements that hold for every part.

use enes_measure::difference_interval;

use super::{Contest, Way};
use crate::reproduce::experiments::adaptive::{listed, ratio_text};
use crate::reproduce::section::{Section, Verdict};
use crate::reproduce::statistics::{Cell, count};

/// The largest ratio of medians that is allowed.
const ALLOWED: f64 = 1.1;

/// With fewer successes than this on either side a median says little.
const ENOUGH: usize = 3;

/// The two ways that use the model.
const MODELLED: [Way; 2] = [Way::Serial, Way::Batch];

/// A cell in which one of them ran beside ranks alone.
struct Compared<'a> {
    way: Way,
    contest: &'a Contest<'a>,
}

impl Compared<'_> {
    fn ratio(&self) -> f64 {
        self.contest.median(self.way) / self.contest.median(Way::Ranks)
    }

    fn is_judged(&self) -> bool {
        let enough = |way: Way| self.contest.by(way).successes() >= ENOUGH;
        enough(self.way) && enough(Way::Ranks)
    }

    /// Fewer succeed, beyond the 95 % interval of the difference.
    fn is_below(&self) -> bool {
        let count = |cell: &Cell<'_>| (cell.successes(), cell.runs.len());
        let (ours, theirs) = (self.contest.by(self.way), self.contest.by(Way::Ranks));
        difference_interval(count(ours), count(theirs)).1 < 0.0
    }

    fn name(&self) -> String {
        format!("{} {}", self.way.name(), self.contest.kind.name())
    }
}

pub(super) fn claims(contests: &[Contest<'_>], section: &mut Section) {
    let mut cells = Vec::new();
    for contest in contests.iter().filter(|c| c.is_measured(Way::Ranks)) {
        for way in MODELLED.into_iter().filter(|way| contest.is_measured(*way)) {
            cells.push(Compared { way, contest });
        }
    }
    let judged: Vec<_> = cells.iter().filter(|c| c.is_judged()).collect();
    let lost: Vec<String> = judged
        .iter()
        .filter(|c| c.ratio() > ALLOWED)
        .map(|c| {
            let [ours, theirs] = [c.way, Way::Ranks].map(|way| count(c.contest.median(way)));
            format!("{}: {ours} against {theirs}", c.name())
        })
        .collect();
    // The README shows the requirements of all parts without their sections.
    let part = section.title;
    section.claim(
        &format!("{part}: medians, serial and batch, nowhere above 1.1 times those of ranks alone."),
        format!(
            "{} of {} cells in which both succeed at least {ENOUGH} times; the largest ratio is {}; lost: {}",
            judged.len() - lost.len(),
            judged.len(),
            ratio_text(judged.iter().map(|c| c.ratio()).fold(f64::NAN, f64::max)),
            listed(&lost)
        ),
        if judged.is_empty() { Verdict::NotMeasured } else { Verdict::met(lost.is_empty()) },
    );
    let below: Vec<String> = cells
        .iter()
        .filter(|c| c.is_below())
        .map(|c| {
            let [ours, theirs] = [c.way, Way::Ranks].map(|way| c.contest.by(way).share());
            format!("{}: {ours} against {theirs}", c.name())
        })
        .collect();
    let sum = |way: fn(&Compared<'_>) -> Way| -> (usize, usize) {
        let of = |c: &Compared<'_>| (c.contest.by(way(c)).successes(), c.contest.by(way(c)).runs.len());
        cells.iter().map(of).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1))
    };
    let (ours, theirs) = (sum(|c| c.way), sum(|_| Way::Ranks));
    section.claim(
        &format!(
            "{part}: success, serial and batch, nowhere below that of ranks alone beyond the 95 % interval of the \
             difference."
        ),
        format!(
            "{} of {} cells; over all of them {}/{} runs succeed, by ranks alone {}/{}; lost: {}",
            cells.len() - below.len(),
            cells.len(),
            ours.0,
            ours.1,
            theirs.0,
            theirs.1,
            listed(&below)
        ),
        Verdict::met(below.is_empty()),
    );
}
