//! The table of the guide: how many evaluations to expect, by kind of objective.

use std::collections::BTreeSet;
use std::fmt::Write;

use enes_problems::Function;

use super::{parts, table};
use crate::comparison::{Contender, Contest, Kind};
use crate::objective::Perturbation;
use crate::plan::Plan;
use crate::run::RunRecord;
use crate::statistics::count;

/// Bent, sharp or flat: no quadratic fits them from far.
const HARD: [Function; 3] = [Function::DiffPow, Function::Rosenbrock, Function::SharpR];

type Belongs = fn(&Kind) -> bool;

/// What a column is about, and which cells belong to it.
const COLUMNS: [(&str, Belongs); 5] = [
    ("nearly quadratic", |k| {
        k.perturbation == Perturbation::None && k.f.is_unimodal() && !HARD.contains(&k.f)
    }),
    ("bent, sharp or flat", |k| k.perturbation == Perturbation::None && HARD.contains(&k.f)),
    ("1 % noise", |k| k.perturbation == Perturbation::Noise(0.01)),
    ("10 % noise", |k| k.perturbation == Perturbation::Noise(0.1)),
    ("rugged, one search", |k| !k.f.is_unimodal()),
];

/// A row for each dimension and contender: the range of the medians over the functions, and how many runs succeed.
pub(crate) fn markdown(plan: Plan, runs: &[RunRecord]) -> String {
    let mut contests = table::PART.contests(plan, runs);
    contests.extend(parts::noise_and_one_search(plan, runs));
    let dimensions: BTreeSet<usize> = contests.iter().map(|c| c.kind.d).collect();
    let names: Vec<&str> = COLUMNS.iter().map(|c| c.0).collect();
    let mut out = format!("| d | | {} |\n|{}\n", names.join(" | "), "---|".repeat(names.len() + 2));
    for d in dimensions {
        for (who, first) in [(Contender::Serial, d.to_string()), (Contender::Batch, String::new())] {
            let cells = COLUMNS.map(|(_, belongs)| {
                let cells: Vec<_> = contests.iter().filter(|c| c.kind.d == d && belongs(&c.kind)).collect();
                text(who, &cells)
            });
            let _ = writeln!(out, "| {first} | {} | {} |", who.name(), cells.join(" | "));
        }
    }
    out
}

/// `19 to 25`, with the share of successes where not all succeed; `-` where nothing was run.
fn text(who: Contender, contests: &[&Contest<'_>]) -> String {
    let medians = || contests.iter().map(|c| c.median(who)).filter(|m| m.is_finite());
    let all: usize = contests.iter().map(|c| c.by(who).runs.len()).sum();
    let good: usize = contests.iter().map(|c| c.by(who).successes()).sum();
    let share = 100.0 * good as f64 / all as f64;
    let [least, most] = [medians().fold(f64::NAN, f64::min), medians().fold(f64::NAN, f64::max)].map(count);
    let solved = if good < all { format!(" ({share:.0} % solved)") } else { String::new() };
    match (all, good) {
        (0, _) => "-".to_string(),
        (_, 0) => "not solved".to_string(),
        _ if least == most => format!("{least}{solved}"),
        _ => format!("{least} to {most}{solved}"),
    }
}
