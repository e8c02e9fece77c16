//! A cell in which we and pycma ran: success and expected evaluations against the better variant of pycma.

use enes_measure::{difference_interval, quantile};

use super::cells::Cell;
use super::contender::{Contender, Search};
use super::draw::Draw;
use crate::statistics::Cell as Runs;

/// The largest ratio of expected evaluations that is allowed.
pub(super) const ALLOWED: f64 = 1.1;

/// Samples of the bootstrap.
const SAMPLES: usize = 400;

/// Ours in a cell, and pycma's.
pub(super) struct Rivalry<'a> {
    pub(super) cell: &'a Cell<'a>,
    pub(super) ours: &'a Runs<'a>,
    /// pycma's variants: one search, and BIPOP where restarts are allowed.
    theirs: Vec<(Contender, &'a Runs<'a>)>,
}

impl<'a> Rivalry<'a> {
    /// Every cell in which both ran. With restarts, pycma without them is a rival, too.
    pub(super) fn all(cells: &'a [Cell<'a>], who: Contender) -> Vec<Self> {
        let one = |cell: &Cell<'_>| {
            cells.iter().find(|c| c.search == Search::One && c.d == cell.d && c.function == cell.function)
        };
        let rivalry = |cell: &'a Cell<'a>| {
            let bipop = cell.by(Contender::Bipop).map(|runs| (Contender::Bipop, runs));
            let plain = one(cell).and_then(|c| c.by(Contender::Pycma)).map(|runs| (Contender::Pycma, runs));
            // Without BIPOP a cell with restarts has no rival yet.
            let theirs: Vec<_> = match cell.search {
                Search::One => plain.into_iter().collect(),
                Search::Restarts => bipop.into_iter().flat_map(|b| [Some(b), plain]).flatten().collect(),
            };
            let ours = cell.by(who)?;
            (!theirs.is_empty()).then_some(Self { cell, ours, theirs })
        };
        cells.iter().filter_map(rivalry).collect()
    }

    /// The variant of pycma that succeeds most often.
    pub(super) fn surest(&self) -> (Contender, &'a Runs<'a>) {
        let by_success = |a: &&(Contender, &Runs<'_>), b: &&(Contender, &Runs<'_>)| {
            a.1.success().total_cmp(&b.1.success())
        };
        // Of equals the first, which is BIPOP where there is one.
        *self.theirs.iter().rev().max_by(by_success).expect("invariant: a rivalry has a rival")
    }

    /// The variant of pycma with the fewest expected evaluations.
    pub(super) fn fastest(&self) -> (Contender, &'a Runs<'a>) {
        let by_expected = |a: &&(Contender, &Runs<'_>), b: &&(Contender, &Runs<'_>)| {
            a.1.expected().total_cmp(&b.1.expected())
        };
        *self.theirs.iter().min_by(by_expected).expect("invariant: a rivalry has a rival")
    }

    /// Fewer of our runs succeed, beyond the 95 % interval of the difference.
    pub(super) fn is_less_sure(&self) -> bool {
        let count = |runs: &Runs<'_>| (runs.successes(), runs.runs.len());
        difference_interval(count(self.ours), count(self.surest().1)).1 < 0.0
    }

    /// Expected evaluations over pycma's; NaN where neither succeeds, infinite or 0 where one does.
    pub(super) fn ratio(&self) -> f64 {
        ratio(self.ours.expected(), self.fastest().1.expected())
    }

    pub(super) fn is_slower(&self) -> bool {
        self.ratio() > ALLOWED
    }

    /// The lower end of the ratio's 95 % interval, by bootstrap: above what is allowed, chance did not do it.
    pub(super) fn least_ratio(&self) -> f64 {
        let mut draw = Draw::new(&["bootstrap", &self.cell.function], self.cell.d, 0);
        let mut sample = |runs: &Runs<'_>| {
            let (mut evaluations, mut successes) = (0.0, 0.0);
            for _ in 0..runs.runs.len() {
                let run = runs.runs[draw.count(0, runs.runs.len() - 1)];
                evaluations += run.evaluations as f64;
                successes += f64::from(u8::from(run.success));
            }
            evaluations / successes
        };
        let theirs = self.fastest().1;
        let ratios: Vec<f64> = (0..SAMPLES).map(|_| ratio(sample(self.ours), sample(theirs))).collect();
        // A sample in which nobody succeeds says nothing against us; one in which only they do is as bad as can be.
        let ratios: Vec<f64> =
            ratios.into_iter().map(|r| if r.is_nan() { 1.0 } else { r.min(1e9) }).collect();
        quantile(&ratios, 0.025)
    }

    /// Evaluations of both, where both succeed.
    pub(super) fn finite_ratio(&self) -> Option<f64> {
        Some(self.ratio()).filter(|r| r.is_finite() && *r > 0.0)
    }
}

/// Of expected evaluations; NaN where neither succeeds, infinite or 0 where one does.
pub(super) fn ratio(ours: f64, theirs: f64) -> f64 {
    match (ours.is_finite(), theirs.is_finite()) {
        (true, true) => ours / theirs,
        (true, false) => 0.0,
        (false, true) => f64::INFINITY,
        (false, false) => f64::NAN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::landscapes::tests::record;

    #[test]
    fn success_and_expected_evaluations_are_judged_by_the_better_variant() {
        let mut runs = Vec::new();
        for run in 0..20 {
            let restarts =
                |who, evaluations, success| record(Search::Restarts, who, run, evaluations, success);
            runs.push(restarts(Contender::Enes, 1000, run < 8));
            runs.push(restarts(Contender::Bipop, 1500, true));
            runs.push(record(Search::One, Contender::Pycma, run, 500, run < 10));
        }
        let cells = Cell::all(&runs);
        let all = Rivalry::all(&cells, Contender::Enes);
        // We did not run with one search: there is one rivalry.
        assert_eq!(all.len(), 1);
        // 1000·20/8 against min(1500, 500·20/10).
        assert_eq!((all[0].fastest().0, all[0].ratio()), (Contender::Pycma, 2.5));
        assert!(all[0].surest().0 == Contender::Bipop && all[0].is_less_sure() && all[0].is_slower());
        let least = all[0].least_ratio();
        assert!((1.1..2.4).contains(&least), "{least}");
    }

    #[test]
    fn a_cell_that_only_one_of_them_solves_is_won_or_lost_and_one_that_nobody_solves_is_neither() {
        let judged = |ours: bool, theirs: bool| {
            let mut runs = Vec::new();
            for run in 0..15 {
                runs.push(record(Search::One, Contender::Enes, run, 100, ours));
                runs.push(record(Search::One, Contender::Pycma, run, 100, theirs));
            }
            let cells = Cell::all(&runs);
            let rivalry = &Rivalry::all(&cells, Contender::Enes)[0];
            (rivalry.is_slower(), rivalry.is_less_sure(), rivalry.finite_ratio())
        };
        assert_eq!(judged(true, false), (false, false, None));
        assert_eq!(judged(false, true), (true, true, None));
        assert_eq!(judged(false, false), (false, false, None));
        assert_eq!(judged(true, true), (false, false, Some(1.0)));
    }
}
