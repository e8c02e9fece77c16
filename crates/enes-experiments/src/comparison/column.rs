//! The columns of a table of contests.

use super::{Baseline, Contender, Contest, ratio_text};
use crate::section::Table;
use crate::statistics::count;

/// What a column shows of a contest.
#[derive(Clone, Copy)]
pub(crate) enum Column {
    Function,
    Dimension,
    Population,
    Distance,
    Median(Contender),
    Quartiles(Contender),
    Solved(Contender),
    /// Evaluations of all runs, divided by the successes.
    Expected(Contender),
    /// Median over median.
    Ratio(Contender, Contender),
    /// `below` where fewer succeed, beyond the 95 % interval of the difference.
    BeyondChance(Contender, Contender),
    /// The prototype's median.
    Baseline(Baseline, Contender),
    /// The median over the prototype's.
    OverBaseline(Baseline, Contender),
}

impl Column {
    /// Median, quartiles and successes.
    pub(crate) fn all_of(contender: Contender) -> [Self; 3] {
        [Self::Median(contender), Self::Quartiles(contender), Self::Solved(contender)]
    }

    fn header(self, name: &dyn Fn(Contender) -> &'static str) -> String {
        match self {
            Self::Function => "function".into(),
            Self::Dimension => "d".into(),
            Self::Population => "n".into(),
            Self::Distance => "distance".into(),
            Self::Median(c) => name(c).into(),
            Self::Quartiles(c) => format!("quartiles, {}", name(c)),
            Self::Solved(c) => format!("solved, {}", name(c)),
            Self::Expected(c) => format!("expected, {}", name(c)),
            Self::Ratio(a, b) => format!("{} / {}", name(a), name(b)),
            Self::BeyondChance(..) => "beyond chance".into(),
            Self::Baseline(_, c) => format!("prototype, {}", name(c)),
            Self::OverBaseline(_, c) => format!("{} / prototype", name(c)),
        }
    }

    fn text(self, contest: &Contest<'_>) -> String {
        let kind = &contest.kind;
        match self {
            Self::Function => kind.function(),
            Self::Dimension => kind.d.to_string(),
            Self::Population => kind.n.to_string(),
            Self::Distance => kind.place(),
            Self::Median(c) => count(contest.median(c)),
            Self::Quartiles(c) => {
                let [low, _, high] = contest.by(c).quartiles();
                format!("{low} to {high}")
            }
            Self::Solved(c) => contest.by(c).share(),
            Self::Expected(c) => count(contest.by(c).expected()),
            Self::Ratio(a, b) => ratio_text(contest.ratio(a, b)),
            Self::BeyondChance(a, b) => if contest.is_below(a, b) { "below" } else { "" }.into(),
            Self::Baseline(baseline, c) => count(baseline.median(c, kind.f, kind.d)),
            Self::OverBaseline(baseline, c) => {
                ratio_text(contest.median(c) / baseline.median(c, kind.f, kind.d))
            }
        }
    }

    /// A table with a row for each contest: its name and caption, and how it calls the contenders.
    pub(crate) fn table(
        columns: &[Self],
        (name, caption): (&str, &str),
        label: &dyn Fn(Contender) -> &'static str,
        contests: &[&Contest<'_>],
    ) -> Table {
        let row = |contest: &&Contest<'_>| columns.iter().map(|c| c.text(contest)).collect();
        Table {
            name: name.to_string(),
            caption: caption.to_string(),
            header: columns.iter().map(|c| c.header(label)).collect(),
            rows: contests.iter().map(row).collect(),
        }
    }
}
