//! Medians of the prototypes that the strategies were designed with: what an implementation must not fall behind.

use enes_problems::Function;

use super::{Contender, Contest, FUNCTIONS, Kind, geometric_mean, largest, listed, ratio_text, tally};
use crate::section::{Section, Verdict};
use crate::statistics::count;

/// Who, in which dimension, the medians of the nine functions.
#[derive(Clone, Copy)]
pub(crate) struct Baseline(pub(crate) &'static [(Contender, usize, [f64; 9])]);

impl Baseline {
    /// NaN where there is none.
    pub(crate) fn median(self, contender: Contender, f: Function, d: usize) -> f64 {
        let column = FUNCTIONS.iter().position(|g| *g == f);
        let row = self.0.iter().find(|row| row.0 == contender && row.1 == d);
        row.zip(column).map_or(f64::NAN, |(row, i)| row.2[i])
    }

    /// Medians are not above the baseline's by more than `allowed` says of the contender, the kind and its median.
    pub(crate) fn claim(
        self,
        words: &str,
        contests: &[Contest<'_>],
        allowed: fn(Contender, &Kind, f64) -> f64,
        section: &mut Section,
    ) {
        let mut contenders: Vec<Contender> = self.0.iter().map(|row| row.0).collect();
        contenders.dedup();
        let mut cells = Vec::new();
        for contest in contests {
            for &contender in contenders.iter().filter(|c| contest.is_measured(**c)) {
                let baseline = self.median(contender, contest.kind.f, contest.kind.d);
                if baseline.is_finite() {
                    cells.push((contest, contender, baseline));
                }
            }
        }
        // A cell without a success is lost, too.
        let is_lost = |median: f64, limit: f64| median.is_nan() || median > limit;
        let lost: Vec<String> = cells
            .iter()
            .filter(|(c, who, baseline)| is_lost(c.median(*who), allowed(*who, &c.kind, *baseline)))
            .map(|(c, who, baseline)| {
                let name = if contenders.len() > 1 { format!("{} ", who.name()) } else { String::new() };
                format!("{name}{}: {} against {baseline}", c.kind.name(), count(c.median(*who)))
            })
            .collect();
        let ratios = || cells.iter().map(|(c, who, baseline)| c.median(*who) / baseline);
        section.claim(
            words,
            format!(
                "{}; the largest ratio is {}, the geometric mean {}; lost: {}",
                tally(cells.len(), &lost),
                largest(ratios()),
                ratio_text(geometric_mean(ratios())),
                listed(&lost)
            ),
            Verdict::met(lost.is_empty()),
        );
    }
}
