//! What is required of the default on all landscapes, and whether it is met.

use super::cells::Cell;
use super::contender::{Contender, Search};
use super::rivalry::{ALLOWED, Rivalry};
use crate::comparison::{geometric_mean, listed, ratio_text};
use crate::section::{Section, Verdict};
use crate::statistics::count;

/// The geometric mean of all ratios that is required.
const MEAN: f64 = 0.5;

/// The named members at d = 20, one search: their median is at most this.
const NAMED: [(&str, f64); 4] = [
    ("asymmetric/sphere1", 7_700.0),
    ("asymmetric/sector", 10_500.0),
    ("nonsmooth/max", 24_500.0),
    ("nonsmooth/l1", 6_500.0),
];
const NAMED_DIMENSION: usize = 20;
/// And here at most 1.1 times pycma's.
const NAMED_RELATIVE: usize = 40;

pub(super) fn claims(cells: &[Cell<'_>], ours: &[Rivalry<'_>], section: &mut Section) {
    named(cells, section);
    named_relative(ours, section);
    let less_sure = ours.iter().filter(|r| r.is_less_sure()).count();
    let solved = |r: &[Rivalry<'_>]| r.iter().map(|r| r.ours.successes()).sum::<usize>();
    let pycma: usize = ours.iter().map(|r| r.surest().1.successes()).sum();
    claim(
        "Success not below that of the better pycma beyond the 95 % interval of the difference, in every cell.",
        format!(
            "{} of {} cells; over all of them {} of our runs succeed, {pycma} of pycma's",
            ours.len() - less_sure,
            ours.len(),
            solved(ours)
        ),
        less_sure == 0,
        ours,
        section,
    );
    let slower: Vec<_> = ours.iter().filter(|r| r.is_slower()).collect();
    let beyond_chance = slower.iter().filter(|r| r.least_ratio() > ALLOWED).count();
    claim(
        "Expected evaluations at most 1.1 times those of the better pycma, in every cell.",
        format!(
            "{} of {} cells; {beyond_chance} of the {} others beyond chance",
            ours.len() - slower.len(),
            ours.len(),
            slower.len()
        ),
        slower.is_empty(),
        ours,
        section,
    );
    let mean = |all: &[Rivalry<'_>]| geometric_mean(all.iter().filter_map(Rivalry::finite_ratio));
    let only = |which: fn(&&Rivalry<'_>) -> bool| ours.iter().filter(which).count();
    let ranks = mean(&Rivalry::all(cells, Contender::Ranks));
    claim(
        "The geometric mean of the ratios of expected evaluations at most 0.5.",
        format!(
            "{} over {} cells that both solve ({} in rank-based mode); {} are solved by us alone, {} by pycma alone, {} \
             by neither",
            ratio_text(mean(ours)),
            only(|r| r.finite_ratio().is_some()),
            ratio_text(ranks),
            only(|r| r.ratio() == 0.0),
            only(|r| r.ratio() == f64::INFINITY),
            only(|r| r.ratio().is_nan()),
        ),
        mean(ours) <= MEAN,
        ours,
        section,
    );
}

/// A claim that needs pycma.
fn claim(words: &str, measured: String, met: bool, ours: &[Rivalry<'_>], section: &mut Section) {
    match ours.is_empty() {
        true => section.claim(words, "pycma was not run".into(), Verdict::NotMeasured),
        false => section.claim(words, measured, Verdict::met(met)),
    }
}

/// The named cells, by their medians.
fn named(cells: &[Cell<'_>], section: &mut Section) {
    let (mut measured, mut met) = (Vec::new(), true);
    for (function, limit) in NAMED {
        let here =
            |c: &&Cell<'_>| c.search == Search::One && c.d == NAMED_DIMENSION && c.function == function;
        let Some(runs) = cells.iter().find(here).and_then(|c| c.by(Contender::Enes)) else { continue };
        let median = runs.evaluations(0.5);
        // A median of the successes alone would hide failures.
        met &= runs.all_succeed() && median <= limit;
        measured.push(format!("{function} {} ({}, at most {limit})", count(median), runs.share()));
    }
    section.claim(
        "sphere1, sector, max and l1 at d = 20, one search: every run succeeds, medians at most 7700, 10,500, 24,500 and \
         6500.",
        listed(&measured),
        if measured.len() < NAMED.len() { Verdict::NotMeasured } else { Verdict::met(met) },
    );
}

fn named_relative(ours: &[Rivalry<'_>], section: &mut Section) {
    let is_named = |r: &&Rivalry<'_>| {
        let named = NAMED.iter().any(|n| n.0 == r.cell.function);
        named && r.cell.d == NAMED_RELATIVE && r.cell.search == Search::One
    };
    let all: Vec<_> = ours.iter().filter(is_named).collect();
    let text =
        |r: &&Rivalry<'_>| format!("{} {} ({})", r.cell.function, ratio_text(r.ratio()), r.ours.share());
    let measured: Vec<String> = all.iter().map(text).collect();
    section.claim(
        "The same at d = 40: expected evaluations at most 1.1 times pycma's.",
        listed(&measured),
        match all.len() < NAMED.len() {
            true => Verdict::NotMeasured,
            false => Verdict::met(all.iter().all(|r| r.ratio() <= ALLOWED)),
        },
    );
}
