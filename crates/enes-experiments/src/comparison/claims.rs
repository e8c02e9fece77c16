//! Claims that several studies make of their contests.

use enes_measure::interval;
use enes_problems::Function;

use super::{Contender, Contest, geometric_mean, largest, listed, ratio_text, tally};
use crate::run::RunRecord;
use crate::section::{Section, Verdict};
use crate::statistics::{Cell, count};

/// Rosenbrock's local minimum, in four dimensions and more, has a value in here.
const LOCAL_MINIMUM: std::ops::Range<f64> = 3.5..4.2;

/// The least share of successes that is required, in per cent.
const REQUIRED: f64 = 98.0;

/// Medians of the first contender are below those of another in at least this share of the cells.
pub(crate) fn medians_below(
    words: &str,
    contests: &[Contest<'_>],
    ours: &[Contender],
    theirs: Contender,
    required: f64,
    section: &mut Section,
) {
    let first = ours[0];
    let cells: Vec<_> = contests.iter().filter(|c| c.is_between(first, theirs)).collect();
    if cells.is_empty() {
        return section.claim(words, "pycma was not run".into(), Verdict::NotMeasured);
    }
    let lost = cells.iter().filter(|c| !c.beats(first, theirs));
    let lost: Vec<String> = lost
        .map(|c| {
            let [ours, theirs] = [first, theirs].map(|who| count(c.median(who)));
            format!("{}: {ours} against {theirs}", c.kind.name())
        })
        .collect();
    let others: String = ours[1..]
        .iter()
        .map(|who| {
            let won = cells.iter().filter(|c| c.beats(*who, theirs)).count();
            format!(", {} in {won}", who.name())
        })
        .collect();
    let who = if ours.len() > 1 { format!("{} in ", first.name()) } else { String::new() };
    let ratios = || cells.iter().map(|c| c.ratio(first, theirs));
    section.claim(
        words,
        format!(
            "{who}{}{others}; the largest ratio is {}, the geometric mean {}; lost: {}",
            tally(cells.len(), &lost),
            largest(ratios()),
            ratio_text(geometric_mean(ratios())),
            listed(&lost)
        ),
        Verdict::met((cells.len() - lost.len()) as f64 >= required * cells.len() as f64),
    );
}

/// Runs that succeeded, over all contests.
pub(crate) fn all_successes<'a>(
    contests: impl IntoIterator<Item = &'a &'a Contest<'a>>,
    contender: Contender,
) -> usize {
    contests.into_iter().map(|c| c.by(contender).successes()).sum()
}

/// Runs that succeeded and runs that count: one that ended in Rosenbrock's local minimum does not, unless pycma does
/// better and that matters.
fn counted(contest: &Contest<'_>, who: Contender, unless_pycma_is_better: bool) -> (usize, usize) {
    let cell = contest.by(who);
    let pycma: &Cell<'_> = contest.by(Contender::Pycma);
    let worse = unless_pycma_is_better && pycma.success() > cell.success();
    let local = |r: &&&RunRecord| !r.success && LOCAL_MINIMUM.contains(&r.value);
    let excused = match contest.kind.f == Function::Rosenbrock && !worse {
        true => cell.runs.iter().filter(local).count(),
        false => 0,
    };
    (cell.successes(), cell.runs.len() - excused)
}

/// At least 98 % of the runs succeed: over all, and in no cell fewer beyond its 95 % interval.
pub(crate) fn success(
    words: &str,
    contests: &[Contest<'_>],
    ours: &[Contender],
    unless_pycma_is_better: bool,
    section: &mut Section,
) {
    let (mut good, mut all, mut excused, mut lost) = (0, 0, 0, false);
    let mut failing = Vec::new();
    for contest in contests {
        for &who in ours.iter().filter(|who| contest.is_measured(**who)) {
            let (succeeded, count) = counted(contest, who, unless_pycma_is_better);
            (good, all) = (good + succeeded, all + count);
            excused += contest.by(who).runs.len() - count;
            // A cell of fifteen runs cannot tell 98 % from 90 %: it is a loss where its whole interval is below.
            lost |= count > 0 && interval(succeeded, count).1 < REQUIRED;
            if succeeded < count {
                let name = if ours.len() > 1 { format!("{} ", who.name()) } else { String::new() };
                let pycma = contest.by(Contender::Pycma);
                let theirs =
                    if pycma.runs.is_empty() { String::new() } else { format!(" (pycma {})", pycma.share()) };
                failing.push(format!("{name}{}: {succeeded}/{count}{theirs}", contest.kind.name()));
            }
        }
    }
    let share = 100.0 * good as f64 / all as f64;
    section.claim(
        words,
        format!(
            "{good} of {all} runs, {share:.2} %; {excused} more ended in Rosenbrock's local minimum and do not count; \
             not all of: {}",
            listed(&failing)
        ),
        Verdict::met(share >= REQUIRED && !lost),
    );
}
