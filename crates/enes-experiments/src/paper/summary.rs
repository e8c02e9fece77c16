//! What was found: two paragraphs and three pictures for readers of the paper.

use enes_problems::Function;

use super::{fresh, luck, small};
use crate::plan::Plan;
use crate::run::RunRecord;
use crate::section::Section;

const NAME: &str = "found";

pub(crate) fn section(plan: Plan, runs: &[RunRecord]) -> Section {
    let mut section = Section::new(NAME, "What was found", words(plan, runs));
    section.figure(
        "found-drift",
        luck::figure(runs),
        "Random values: ln σ should stay. With mixing it falls, unless the values of kept points are drawn anew, or the \
         drift is corrected. Averages, quartiles as bands.",
    );
    section.figure(
        "found-fresh",
        fresh::figure(runs),
        "Success follows the number of fresh points a generation, whether they come from a higher refresh rate, a larger \
         population, or no mixing at all.",
    );
    section.figure(
        "found-baselines",
        small::figure(runs),
        "Runs solved against the population, by baseline: solid the cigar in 5 dimensions, dashed the ellipsoid in 15.",
    );
    section
}

fn words(plan: Plan, runs: &[RunRecord]) -> String {
    let drift = |variant: &str| luck::drift(runs, variant).0;
    let rastrigin = |alpha: f64, n: usize| fresh::success(runs, alpha, n);
    let solved = |variant: &str| small::cell(runs, variant, Function::Cigar, 5, 25).share();
    format!(
        "Importance mixing keeps the law of the population where θ does not depend on it; but θ was computed from it. Each \
         generation moves towards the points with high utilities, mixing keeps just these, and they pull again: \
         luck persists. On random values ln σ changes by {:.5} a generation with mixing, by {:.5} without, and by \
         {:.5} when kept points get new values: what harms is not that points are used again but that their \
         values are. On Rastrigin's function, n = 100, success is {:.0} % at α = 0.01, {:.0} % at 0.1, {:.0} % at 0.3 and \
         {:.0} % at 1, and it follows the number of fresh points a generation. With α between 0.3 and 0.5 the paper's words \
         hold: n = 20 is unreliable ({:.0} to {:.0} %), n = 100 reliable ({:.0} to {:.0} %).\n\n\
         Baselines matter for the same reason. The update is the covariance of utilities and scores, plus ū − b times \
         the scores' mean. In a population that is drawn anew that mean is noise, and any b will do; in one that is \
         kept it persists, and since the paper's b is below ū the distribution contracts upon its own population. A \
         constant b = c ū with c from 1 on does not: on the cigar, d = 5, n = 25, block baselines solve {}, c = 1 solves {} and \
         c = 1.3 {}{}. Two options follow, both off by default: the baseline `mean`, and \
         `drift_correction`, with which ln σ changes by {:.5} a generation on random values.",
        drift(luck::MIXED),
        drift(luck::UNMIXED),
        drift(luck::ANEW),
        rastrigin(0.01, 100),
        rastrigin(0.1, 100),
        rastrigin(0.3, 100),
        rastrigin(1.0, 100),
        rastrigin(0.3, 20),
        rastrigin(0.5, 20),
        rastrigin(0.3, 100),
        rastrigin(0.5, 100),
        solved("block"),
        solved("1.0 × mean"),
        solved("1.3 × mean"),
        plan.pick("", " (a reduced set of runs)"),
        drift(luck::CORRECTED)
    )
}
