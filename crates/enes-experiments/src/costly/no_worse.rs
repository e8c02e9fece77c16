//! The surrogate must never cost anything: two requirements that hold for every part.

use crate::comparison::{Contender, Contest, largest, listed, tally};
use crate::section::{Section, Verdict};
use crate::statistics::count;

/// The largest ratio of medians that is allowed.
const ALLOWED: f64 = 1.1;

/// With fewer successes than this on either side a median says little.
const ENOUGH: usize = 3;

/// The two that use the surrogate.
const MODELLED: [Contender; 2] = [Contender::Serial, Contender::Batch];

/// A cell in which one of them ran, and so did rank-based mode.
struct Compared<'a> {
    who: Contender,
    contest: &'a Contest<'a>,
}

impl Compared<'_> {
    fn ratio(&self) -> f64 {
        self.contest.ratio(self.who, Contender::RankBased)
    }

    fn is_judged(&self) -> bool {
        let enough = |who| self.contest.by(who).successes() >= ENOUGH;
        enough(self.who) && enough(Contender::RankBased)
    }

    fn name(&self) -> String {
        format!("{} {}", self.who.name(), self.contest.kind.name())
    }
}

pub(crate) fn claims(contests: &[Contest<'_>], section: &mut Section) {
    let mut cells = Vec::new();
    for contest in contests.iter().filter(|c| c.is_measured(Contender::RankBased)) {
        for who in MODELLED.into_iter().filter(|who| contest.is_measured(*who)) {
            cells.push(Compared { who, contest });
        }
    }
    let judged: Vec<_> = cells.iter().filter(|c| c.is_judged()).collect();
    let lost: Vec<String> = judged
        .iter()
        .filter(|c| c.ratio() > ALLOWED)
        .map(|c| {
            let [ours, theirs] = [c.who, Contender::RankBased].map(|who| count(c.contest.median(who)));
            format!("{}: {ours} against {theirs}", c.name())
        })
        .collect();
    // The README shows the requirements of all parts without their sections.
    let part = section.title;
    section.claim(
        &format!("{part}: medians, serial and batch, nowhere above 1.1 times those of rank-based mode."),
        format!(
            "{} in which both succeed at least {ENOUGH} times; the largest ratio is {}; lost: {}",
            tally(judged.len(), &lost),
            largest(judged.iter().map(|c| c.ratio())),
            listed(&lost)
        ),
        if judged.is_empty() { Verdict::NotMeasured } else { Verdict::met(lost.is_empty()) },
    );
    let below: Vec<String> = cells
        .iter()
        .filter(|c| c.contest.is_below(c.who, Contender::RankBased))
        .map(|c| format!("{}: {}", c.name(), c.contest.shares(c.who, Contender::RankBased)))
        .collect();
    let sum = |who: fn(&Compared<'_>) -> Contender| -> (usize, usize) {
        let of = |c: &Compared<'_>| (c.contest.by(who(c)).successes(), c.contest.by(who(c)).runs.len());
        cells.iter().map(of).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1))
    };
    let (ours, theirs) = (sum(|c| c.who), sum(|_| Contender::RankBased));
    section.claim(
        &format!(
            "{part}: success, serial and batch, nowhere below that of rank-based mode beyond the 95 % interval of \
             the difference."
        ),
        format!(
            "{}; over all of them {}/{} runs succeed, in rank-based mode {}/{}; lost: {}",
            tally(cells.len(), &below),
            ours.0,
            ours.1,
            theirs.0,
            theirs.1,
            listed(&below)
        ),
        Verdict::met(below.is_empty()),
    );
}
