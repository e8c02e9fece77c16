//! The unimodal functions: medians beside pycma's and beside the printed ones.

use std::fmt::Write;

use enes::{ModelChoice, Strategy};
use enes_problems::Function;

use super::{Pair, by_both, geometric_mean, listed, ratio_text};
use crate::chart::{Axis, Chart};
use crate::reproduce::run::{OWN_POPULATION, RunRecord, RunSpec};
use crate::reproduce::section::{Section, Table, Verdict};
use crate::reproduce::statistics::{Cell, count};
use crate::reproduce::{Experiment, Plan};

pub(super) const NAME: &str = "adaptive-table";

/// The columns, in the order of the printed table.
pub(in crate::reproduce::experiments) const FUNCTIONS: [Function; 9] = [
    Function::Sphere,
    Function::Schwefel,
    Function::Cigar,
    Function::Tablet,
    Function::Ellipsoid,
    Function::DiffPow,
    Function::Rosenbrock,
    Function::ParabR,
    Function::SharpR,
];

/// Medians of the design's prototype (adaptive.md, Part A, rows "this"): dimension, then the nine functions.
const PRINTED: [(usize, [f64; 9]); 6] = [
    (3, [235.0, 240.0, 395.0, 365.0, 375.0, 210.0, 530.0, 155.0, 185.0]),
    (5, [342.0, 384.0, 618.0, 582.0, 606.0, 324.0, 978.0, 288.0, 318.0]),
    (10, [651.0, 805.0, 1435.0, 1197.0, 1295.0, 707.0, 2289.0, 651.0, 896.0]),
    (15, [968.0, 1304.0, 2248.0, 1936.0, 2184.0, 1232.0, 4320.0, 1056.0, 1792.0]),
    (20, [1280.0, 1904.0, 3072.0, 2896.0, 3528.0, 1912.0, 6704.0, 1304.0, 2808.0]),
    (40, [2511.0, 4941.0, 6183.0, 7254.0, 10665.0, 6039.0, 22347.0, 2538.0, 9639.0]),
];

/// Rosenbrock's local minimum, in four dimensions and more, has a value in here.
pub(in crate::reproduce::experiments) const LOCAL_MINIMUM: std::ops::Range<f64> = 3.5..4.2;

/// The variant with the default stop rules.
const BY_RULES: &str = "default stop rules";

/// The least share of successes that is required, in per cent.
const REQUIRED: f64 = 98.0;

/// Dimension, runs of each function, name of the table.
fn sizes(plan: Plan) -> &'static [(usize, u64, &'static str)] {
    plan.pick(
        &[
            (2, 51, "adaptive-d2"),
            (3, 51, "adaptive-d3"),
            (5, 51, "adaptive-d5"),
            (10, 31, "adaptive-d10"),
            (15, 21, "adaptive-d15"),
            (20, 21, "adaptive-d20"),
            (40, 21, "adaptive-d40"),
        ],
        &[(2, 3, "adaptive-d2"), (5, 3, "adaptive-d5")],
    )
}

pub(super) fn functions(plan: Plan) -> &'static [Function] {
    plan.pick(&FUNCTIONS, &[Function::Sphere, Function::Ellipsoid, Function::Rosenbrock])
}

/// A run of the table, by us.
pub(super) fn spec(name: &'static str, f: Function, d: usize, run: u64) -> RunSpec {
    RunSpec {
        strategy: Strategy::Adaptive,
        model: ModelChoice::RankOnly,
        to_the_end: true,
        max_evaluations: 10_000 * d as u64,
        ..RunSpec::new(name, f, d, OWN_POPULATION, run)
    }
}

pub(super) fn runs(plan: Plan) -> Vec<RunSpec> {
    let mut specs = Vec::new();
    for &(d, count, _) in sizes(plan) {
        for &f in functions(plan) {
            specs.extend((0..count).flat_map(|run| by_both(spec(NAME, f, d, run))));
            specs.extend((0..count).map(|run| RunSpec {
                variant: BY_RULES.to_string(),
                to_the_end: false,
                ..spec(NAME, f, d, run)
            }));
        }
    }
    specs
}

pub(super) fn pair(runs: &[RunRecord], f: Function, d: usize) -> Pair<'_> {
    of_variant(runs, "", f, d)
}

fn of_variant<'a>(runs: &'a [RunRecord], variant: &str, f: Function, d: usize) -> Pair<'a> {
    Pair::new(runs, |r| r.experiment == NAME && r.variant == variant && r.function == f.name() && r.d == d)
}

fn printed(f: Function, d: usize) -> f64 {
    let column = FUNCTIONS.iter().position(|g| *g == f);
    let row = PRINTED.iter().find(|row| row.0 == d);
    row.zip(column).map_or(f64::NAN, |(row, i)| row.1[i])
}

/// A cell of the table.
struct Entry<'a> {
    f: Function,
    d: usize,
    pair: Pair<'a>,
    /// Ours with the default stop rules.
    by_rules: Cell<'a>,
}

fn entries(plan: Plan, runs: &[RunRecord]) -> Vec<Entry<'_>> {
    let sizes = sizes(plan).iter();
    sizes
        .flat_map(|&(d, ..)| {
            functions(plan).iter().map(move |&f| {
                let by_rules = of_variant(runs, BY_RULES, f, d).ours;
                Entry { f, d, pair: pair(runs, f, d), by_rules }
            })
        })
        .collect()
}

pub(super) fn section(plan: Plan, runs: &[RunRecord]) -> Section {
    let mut section = Section::new(
        Experiment::Adaptive,
        "Unimodal functions",
        "By ranks alone, without the model of the values. Evaluations to 1e-10 (ridges to −1000), whole generations, of the runs that reached it. Start at distance 1, \
         sigma 1, default populations, one search, at most 10,000 d evaluations. pycma has its default options. enes \
         runs to the target or the budget; the column \"by the rules\" counts the successes of the same runs with the \
         default stop rules, under which a sharp ridge in many dimensions looks like convergence (tolx). Part A is \
         the printed table of the prototype; it has no row for d = 2.",
    );
    section.part = Some("table");
    let entries = entries(plan, runs);
    if entries.iter().any(|e| e.pair.is_measured()) {
        section.figure("adaptive-ratio", figure(plan, &entries), caption(plan, &entries));
    }
    for &(d, count, name) in sizes(plan) {
        section.tables.push(table(d, count, name, &entries));
    }
    claims(&entries, &mut section);
    section
}

fn figure(plan: Plan, entries: &[Entry<'_>]) -> String {
    let title = "Evaluations relative to pycma's, by dimension";
    let mut chart = Chart::new(title, Axis::log("dimension d"), Axis::log("median over pycma's median"));
    for (colour, &f) in functions(plan).iter().enumerate() {
        let cells = entries.iter().filter(|e| e.f == f);
        let points = cells.map(|e| (e.d as f64, e.pair.ratio())).filter(|p| p.1.is_finite()).collect();
        chart.marked(f.name(), colour, colour >= 8, points);
    }
    chart.svg()
}

fn caption(plan: Plan, entries: &[Entry<'_>]) -> String {
    let mean = |d: usize| geometric_mean(entries.iter().filter(|e| e.d == d).map(|e| e.pair.ratio()));
    let means: Vec<String> =
        sizes(plan).iter().map(|s| format!("d = {}: {}", s.0, ratio_text(mean(s.0)))).collect();
    format!(
        "Below 1 is better than pycma. A function that pycma never solves has no point. Geometric means over the \
         functions: {}.",
        means.join(", ")
    )
}

fn table(d: usize, runs: u64, name: &'static str, entries: &[Entry<'_>]) -> Table {
    let row = |e: &Entry<'_>| {
        let side = |cell: &Cell<'_>| {
            let [low, median, high] = cell.quartiles();
            [median, format!("{low} to {high}"), cell.share()]
        };
        let printed = printed(e.f, d);
        let mut row = vec![e.f.name().to_string()];
        row.extend(side(&e.pair.ours));
        row.push(e.by_rules.share());
        row.extend(side(&e.pair.theirs));
        row.extend([ratio_text(e.pair.ratio()), count(printed)]);
        row.push(ratio_text(e.pair.ours.evaluations(0.5) / printed));
        row
    };
    Table {
        name,
        caption: format!(
            "d = {d}, {runs} runs of each function: medians of the evaluations, quartiles, successes."
        ),
        header: vec![
            "function",
            "enes",
            "quartiles",
            "solved",
            "by the rules",
            "pycma",
            "quartiles ",
            "solved ",
            "enes / pycma",
            "Part A",
            "enes / Part A",
        ],
        rows: entries.iter().filter(|e| e.d == d).map(row).collect(),
    }
}

fn claims(entries: &[Entry<'_>], section: &mut Section) {
    let against = |e: &Entry<'_>, other: f64| {
        format!("{} d = {}: {} against {}", e.f, e.d, count(e.pair.ours.evaluations(0.5)), count(other))
    };
    let worst = |ratios: &mut dyn Iterator<Item = f64>| ratio_text(ratios.fold(f64::NAN, f64::max));
    let ratio = |e: &Entry<'_>| e.pair.ours.evaluations(0.5) / printed(e.f, e.d);
    let cells: Vec<_> = entries.iter().filter(|e| printed(e.f, e.d).is_finite()).collect();
    // A cell without a success is a loss, too.
    let lost: Vec<_> = cells.iter().filter(|e| ratio(e).is_nan() || ratio(e) > 1.1).collect();
    section.claim(
        "Medians not above those of Part A's table by more than 10 % in any cell.",
        format!(
            "{} of {} cells; the largest ratio is {}; lost: {}",
            cells.len() - lost.len(),
            cells.len(),
            worst(&mut cells.iter().map(|e| ratio(e))),
            listed(&lost.iter().map(|e| against(e, printed(e.f, e.d))).collect::<Vec<_>>())
        ),
        Verdict::met(lost.is_empty()),
    );
    let cells: Vec<_> = entries.iter().filter(|e| e.pair.is_measured()).collect();
    let below = |e: &Entry<'_>| {
        e.pair.ours.successes() > 0 && (e.pair.theirs.successes() == 0 || e.pair.ratio() < 1.0)
    };
    let lost: Vec<_> = cells.iter().filter(|e| !below(e)).collect();
    let words = "Medians below pycma's in every cell.";
    if cells.is_empty() {
        section.claim(words, "pycma was not run".into(), Verdict::NotMeasured);
    } else {
        let measured = format!(
            "{} of {} cells; the largest ratio is {}, the geometric mean {}; lost: {}",
            cells.len() - lost.len(),
            cells.len(),
            worst(&mut cells.iter().map(|e| e.pair.ratio())),
            ratio_text(geometric_mean(cells.iter().map(|e| e.pair.ratio()))),
            listed(&lost.iter().map(|e| against(e, e.pair.theirs.evaluations(0.5))).collect::<Vec<_>>())
        );
        section.claim(words, measured, Verdict::met(lost.is_empty()));
    }
    success(entries, section);
    stopped_early(entries, section);
}

/// What the default stop rules end before the target.
fn stopped_early(entries: &[Entry<'_>], section: &mut Section) {
    let count = |e: &Entry<'_>| (e.by_rules.successes(), e.by_rules.runs.len());
    let (good, all) = entries.iter().map(count).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
    let fewer = entries.iter().filter(|e| count(e).0 < e.pair.ours.successes());
    let names: Vec<String> = fewer.map(|e| format!("{} d = {}: {}", e.f, e.d, e.by_rules.share())).collect();
    section.claim(
        "The default stop rules end no run that would have reached the target.",
        format!("{good} of {all} runs reach it under them; fewer than to the end: {}", listed(&names)),
        Verdict::met(names.is_empty()),
    );
}

/// Runs that count, and those of them that succeeded: a run that ended in Rosenbrock's local minimum does not count
/// unless pycma does better in this cell.
fn counted(e: &Entry<'_>) -> (usize, usize) {
    let share = |cell: &Cell<'_>| cell.successes() as f64 / cell.runs.len() as f64;
    let pycma_better = e.pair.is_measured() && share(&e.pair.theirs) > share(&e.pair.ours);
    let local = |r: &RunRecord| e.f == Function::Rosenbrock && !r.success && LOCAL_MINIMUM.contains(&r.value);
    let excused = if pycma_better { 0 } else { e.pair.ours.runs.iter().filter(|r| local(r)).count() };
    (e.pair.ours.successes(), e.pair.ours.runs.len() - excused)
}

fn success(entries: &[Entry<'_>], section: &mut Section) {
    let (good, all) = entries.iter().map(counted).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
    let failing: Vec<_> = entries.iter().filter(|e| counted(e).0 < counted(e).1).collect();
    let excused = entries.iter().map(|e| e.pair.ours.runs.len() - counted(e).1).sum::<usize>();
    // A cell of twenty runs cannot tell 98 % from 95 %: it is a loss where its whole interval is below.
    let lost = entries.iter().any(|e| {
        let (good, all) = counted(e);
        all > 0 && enes_measure::interval(good, all).1 < REQUIRED
    });
    let share = 100.0 * good as f64 / all as f64;
    let names = failing.iter().map(|e| {
        let (good, all) = counted(e);
        let theirs =
            if e.pair.is_measured() { format!(" (pycma {})", e.pair.theirs.share()) } else { String::new() };
        format!("{} d = {}: {good}/{all}{theirs}", e.f, e.d)
    });
    section.claim(
        "Success at least 98 % (Rosenbrock's local minimum counted as failure only where pycma does better): over all \
         runs, and no cell below it beyond its 95 % interval.",
        format!(
            "{good} of {all} runs, {share:.2} %; {excused} more ended in Rosenbrock's local minimum and do not count; \
             not all of: {}",
            listed(&names.collect::<Vec<_>>())
        ),
        Verdict::met(share >= REQUIRED && !lost),
    );
}

/// Two rows for each dimension, as the printed table has them.
pub(super) fn markdown(plan: Plan, runs: &[RunRecord]) -> String {
    let names: Vec<&str> = functions(plan).iter().map(|f| f.name()).collect();
    let mut out = format!("| d | | {} |\n|{}\n", names.join(" | "), "---|".repeat(names.len() + 2));
    for &(d, ..) in sizes(plan) {
        let pairs: Vec<_> = functions(plan).iter().map(|&f| pair(runs, f, d)).collect();
        let row = |cells: Vec<String>| cells.join(" | ");
        let _ = writeln!(out, "| {d} | enes | {} |", row(pairs.iter().map(|p| p.ours.short()).collect()));
        let _ = writeln!(out, "| | pycma | {} |", row(pairs.iter().map(|p| p.theirs.short()).collect()));
    }
    out
}
