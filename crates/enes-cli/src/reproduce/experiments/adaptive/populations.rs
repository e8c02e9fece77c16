//! The multimodal functions with equal populations, one search each.

use enes_measure::interval;
use enes_problems::Function;

use super::{Pair, STARTS, by_both, geometric_mean, listed, marks, multimodal, ratio_text};
use crate::chart::{Axis, Chart};
use crate::reproduce::run::{RunRecord, RunSpec};
use crate::reproduce::section::{Section, Table, Verdict};
use crate::reproduce::statistics::{Cell, count};
use crate::reproduce::{Experiment, Plan};

pub(super) const NAME: &str = "adaptive-populations";

/// With fewer successes than this on either side a median says little.
const ENOUGH: usize = 5;

/// The largest ratio of medians that is allowed.
const ALLOWED: f64 = 1.2;

/// Dimensions, populations and runs.
fn sizes(plan: Plan) -> (&'static [usize], &'static [usize], u64) {
    plan.pick((&[2, 5, 10], &[20, 50, 100], 50), (&[2], &[20], 5))
}

fn starts(plan: Plan) -> &'static [(Function, f64, f64)] {
    plan.pick(&STARTS, &STARTS[..3])
}

/// A cell: function, distance of the start, dimension, population.
type Kind = (Function, f64, usize, usize);

fn kinds(plan: Plan) -> Vec<Kind> {
    let (dimensions, populations, _) = sizes(plan);
    let mut all = Vec::new();
    for &(f, distance, _) in starts(plan) {
        for &d in dimensions {
            all.extend(populations.iter().map(|&n| (f, distance, d, n)));
        }
    }
    all
}

pub(super) fn runs(plan: Plan) -> Vec<RunSpec> {
    let (dimensions, populations, count) = sizes(plan);
    let mut specs = Vec::new();
    for &start in starts(plan) {
        for &d in dimensions {
            for &n in populations {
                let spec = |run| RunSpec {
                    max_evaluations: 20_000 * d as u64,
                    ..multimodal(NAME, start, d, n, run)
                };
                specs.extend((0..count).flat_map(|run| by_both(spec(run))));
            }
        }
    }
    specs
}

fn name((f, distance, d, n): &Kind) -> String {
    format!("{f} d = {d} n = {n} from {distance}")
}

pub(super) fn section(plan: Plan, runs: &[RunRecord]) -> Section {
    let mut section = Section::new(
        Experiment::Adaptive,
        "Multimodal functions, equal populations",
        "Runs to 1e-8, one search each, both programs with the same population, from a start near the optimum \
         (distance 1, sigma 1) and from a far one (sigma a third of the distance); at most 20,000 d evaluations. \
         Success is compared by Newcombe's 95 % interval for the difference of two shares.",
    );
    section.part = Some("populations");
    let cells: Vec<(Kind, Pair<'_>)> = kinds(plan)
        .into_iter()
        .map(|kind| {
            let (f, distance, d, n) = kind;
            let same = move |r: &RunRecord| {
                r.experiment == NAME
                    && r.function == f.name()
                    && r.d == d
                    && r.n == n
                    && (r.distance - distance).abs() < 1e-9
            };
            (kind, Pair::new(runs, same))
        })
        .collect();
    // Without the peer there is nothing to compare, and nothing to draw.
    if cells.iter().any(|(_, pair)| pair.is_measured()) {
        section.figure(
            "adaptive-populations",
            figure(&cells),
            "Every dot is a function, a start, a dimension and a population; above the line more of our runs succeed.",
        );
    }
    section.tables.push(table(&cells));
    claims(&cells, &mut section);
    section
}

fn figure(cells: &[(Kind, Pair<'_>)]) -> String {
    let axis = |label: &str| Axis::linear(label).range(-4.0, 104.0);
    let mut chart =
        Chart::new("Success at equal populations", axis("pycma: success in %"), axis("enes: success in %"));
    chart.line("", 7, true, vec![(0.0, 0.0), (100.0, 100.0)]);
    let functions = [Function::Rastrigin, Function::Ackley, Function::Griewank, Function::Weierstrass];
    for (colour, f) in functions.into_iter().enumerate() {
        let share = |c: &Cell<'_>| 100.0 * c.successes() as f64 / c.runs.len() as f64;
        let of_f = cells.iter().filter(|(kind, pair)| kind.0 == f && pair.is_measured());
        marks(&mut chart, f.name(), colour, of_f.map(|(_, p)| (share(&p.theirs), share(&p.ours))).collect());
    }
    chart.svg()
}

fn table(cells: &[(Kind, Pair<'_>)]) -> Table {
    let row = |((f, distance, d, n), pair): &(Kind, Pair<'_>)| {
        vec![
            f.name().to_string(),
            format!("{distance}"),
            d.to_string(),
            n.to_string(),
            pair.ours.share(),
            pair.theirs.share(),
            if pair.is_below() { "below" } else { "" }.to_string(),
            count(pair.ours.evaluations(0.5)),
            count(pair.theirs.evaluations(0.5)),
            ratio_text(pair.ratio()),
        ]
    };
    Table {
        name: "adaptive-populations",
        caption: "Successes, and medians of the evaluations of the runs that succeeded.".into(),
        header: vec![
            "function",
            "distance",
            "d",
            "n",
            "enes",
            "pycma",
            "beyond chance",
            "enes ",
            "pycma ",
            "ratio",
        ],
        rows: cells.iter().map(row).collect(),
    }
}

fn claims(cells: &[(Kind, Pair<'_>)], section: &mut Section) {
    let (below, slow) = (
        "Success not below pycma's at equal population beyond the 95 % interval of 50 runs.",
        "Median evaluations of successful runs not above 1.2 times pycma's.",
    );
    let measured: Vec<_> = cells.iter().filter(|c| c.1.is_measured()).collect();
    if measured.is_empty() {
        section.claim(below, "pycma was not run".into(), Verdict::NotMeasured);
        section.claim(slow, "pycma was not run".into(), Verdict::NotMeasured);
        return;
    }
    let lost: Vec<String> = measured
        .iter()
        .filter(|c| c.1.is_below())
        .map(|(kind, pair)| format!("{}: {}", name(kind), pair.shares()))
        .collect();
    // The stricter reading takes pycma's share as known.
    let stricter = measured.iter().filter(|(_, pair)| {
        let (ours, theirs) = (&pair.ours, &pair.theirs);
        interval(ours.successes(), ours.runs.len()).1
            < 100.0 * theirs.successes() as f64 / theirs.runs.len() as f64
    });
    let sum = |of: fn(&Pair<'_>) -> usize| measured.iter().map(|c| of(&c.1)).sum::<usize>();
    section.claim(
        below,
        format!(
            "{} of {} cells; over all of them {} runs succeed, of pycma's {}; pycma's share lies above our own interval \
             in {}; lost: {}",
            measured.len() - lost.len(),
            measured.len(),
            sum(|p| p.ours.successes()),
            sum(|p| p.theirs.successes()),
            stricter.count(),
            listed(&lost)
        ),
        Verdict::met(lost.is_empty()),
    );
    let enough = |p: &Pair<'_>| p.ours.successes() >= ENOUGH && p.theirs.successes() >= ENOUGH;
    let exceeds = |enough_successes: bool| {
        let chosen = measured.iter().filter(|c| enough(&c.1) == enough_successes && c.1.ratio() > ALLOWED);
        let text = |(kind, pair): &&(Kind, Pair<'_>)| format!("{}: {}", name(kind), ratio_text(pair.ratio()));
        chosen.map(text).collect::<Vec<_>>()
    };
    let (lost, few) = (exceeds(true), exceeds(false));
    let judged: Vec<_> = measured.iter().filter(|c| enough(&c.1)).collect();
    section.claim(
        slow,
        format!(
            "{} of {} cells in which both succeed at least {ENOUGH} times; the geometric mean of the ratios is {}; \
             lost: {}; above it with fewer successes, not judged: {}",
            judged.len() - lost.len(),
            judged.len(),
            ratio_text(geometric_mean(judged.iter().map(|c| c.1.ratio()))),
            listed(&lost),
            listed(&few)
        ),
        Verdict::met(lost.is_empty()),
    );
}
