//! The multimodal functions with the default strategy's automatic restarts, from near and far and inside a box,
//! beside pycma's BIPOP.

use std::fmt::Write;

use enes::{ModelChoice, Restarts};
use enes_problems::Function;

use super::adaptive::{Pair, by_both, geometric_mean, listed, multimodal, ratio_text};
use crate::reproduce::run::{OWN_POPULATION, RunRecord, RunSpec, Start};
use crate::reproduce::section::{Section, Table, Verdict};
use crate::reproduce::statistics::{Cell, count};
use crate::reproduce::{Experiment, Plan};

const FUNCTIONS: [Function; 4] =
    [Function::Rastrigin, Function::Ackley, Function::Griewank, Function::Weierstrass];

/// Half the width of the box, which holds the optimum somewhere.
const HALF_WIDTH: f64 = 5.0;

/// Success that is required, in every cell.
const REQUIRED: f64 = 0.95;

/// From where the runs of a part start.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Part {
    Distances,
    Box,
}

impl Part {
    fn name(self) -> &'static str {
        match self {
            Self::Distances => "restarts-distances",
            Self::Box => "restarts-box",
        }
    }

    /// Distances of the starts; inside the box none is given.
    fn distances(self, plan: Plan) -> &'static [f64] {
        match self {
            Self::Distances => plan.pick(&[0.1, 1.0, 10.0, 100.0], &[1.0, 10.0]),
            Self::Box => &[0.0],
        }
    }
}

/// Dimensions, runs and evaluations for each dimension.
fn sizes(plan: Plan) -> (&'static [usize], u64, u64) {
    plan.pick((&[2, 5, 10], 50, 100_000), (&[2], 2, 10_000))
}

/// The initial scale: a third of the distance where the paper's footnote suggests it, else its 1.
fn sigma(f: Function, distance: f64) -> f64 {
    if matches!(f, Function::Griewank | Function::Ackley) { distance / 3.0 } else { 1.0 }
}

pub(super) fn runs(plan: Plan) -> Vec<RunSpec> {
    let mut specs = Vec::new();
    for part in [Part::Distances, Part::Box] {
        for kind in kinds(part, plan) {
            specs.extend((0..sizes(plan).1).map(|run| spec(part, kind, sizes(plan).2, run)));
        }
    }
    specs.into_iter().flat_map(by_both).collect()
}

fn spec(part: Part, (f, distance, d): Kind, budget: u64, run: u64) -> RunSpec {
    let spec = RunSpec {
        model: ModelChoice::Auto,
        restarts: Restarts::Auto,
        max_evaluations: budget * d as u64,
        ..multimodal(part.name(), (f, distance, sigma(f, distance)), d, OWN_POPULATION, run)
    };
    match part {
        Part::Distances => spec,
        // A quarter of the range, as by default.
        Part::Box => RunSpec { start: Start::Within(HALF_WIDTH), sigma: HALF_WIDTH / 2.0, ..spec },
    }
}

/// A cell: function, distance of the start, dimension.
type Kind = (Function, f64, usize);

fn kinds(part: Part, plan: Plan) -> Vec<Kind> {
    let of_one = |d: usize| {
        FUNCTIONS.into_iter().flat_map(move |f| part.distances(plan).iter().map(move |&r| (f, r, d)))
    };
    sizes(plan).0.iter().flat_map(|&d| of_one(d)).collect()
}

fn cells<'a>(part: Part, plan: Plan, runs: &'a [RunRecord]) -> Vec<(Kind, Pair<'a>)> {
    let pair = |(f, distance, d): Kind| {
        let same = |r: &RunRecord| {
            r.experiment == part.name()
                && r.function == f.name()
                && r.d == d
                && (part == Part::Box || (r.distance - distance).abs() < 1e-9)
        };
        ((f, distance, d), Pair::new(runs, same))
    };
    kinds(part, plan).into_iter().map(pair).collect()
}

pub(super) fn sections(plan: Plan, runs: &[RunRecord]) -> Vec<Section> {
    let mut far = Section::new(
        Experiment::Restarts,
        "From near and far",
        "Runs to 1e-8 within 100,000 d evaluations with all defaults, beside cma.fmin2(restarts=9, bipop=True). The \
         initial scale is 1; for Griewank's and Ackley's function a third of the distance, as the paper's footnote \
         suggests. Restarts of both programs begin at a draw from the initial distribution.",
    );
    far.part = Some("distances");
    let mut boxed = Section::new(
        Experiment::Restarts,
        "Inside a box",
        "The same inside the box from -5 to 5 in every coordinate, which holds the optimum somewhere. Nothing but the \
         box is given: the first search starts in its centre, with a quarter of its range. Restarts of both programs \
         begin anywhere in it.",
    );
    boxed.part = Some("box");
    for (part, section) in [(Part::Distances, &mut far), (Part::Box, &mut boxed)] {
        let cells = cells(part, plan, runs);
        section.tables.push(table(part, &cells));
        claims(part, &cells, section);
    }
    vec![far, boxed]
}

fn table(part: Part, cells: &[(Kind, Pair<'_>)]) -> Table {
    let row = |(kind, pair): &(Kind, Pair<'_>)| {
        let Pair { ours, theirs } = pair;
        let numbers = [ours.evaluations(0.5), theirs.evaluations(0.5), expected(ours), expected(theirs)];
        let words =
            [kind.0.name().to_string(), kind.2.to_string(), from(*kind), ours.share(), theirs.share()];
        words.into_iter().chain(numbers.map(count)).collect()
    };
    Table {
        name: part.name(),
        caption:
            "Successes; medians of the evaluations of the runs that succeeded; expected evaluations to a \
                  success, which are those of all runs divided by the successes."
                .into(),
        header: vec![
            "function",
            "d",
            "distance",
            "enes",
            "pycma",
            "median enes",
            "median pycma",
            "expected enes",
            "expected pycma",
        ],
        rows: cells.iter().map(row).collect(),
    }
}

/// Where a run starts, for a table.
fn from((_, distance, _): Kind) -> String {
    if distance > 0.0 { format!("{distance}") } else { "box".to_string() }
}

/// Evaluations of all runs, divided by the successes.
fn expected(cell: &Cell<'_>) -> f64 {
    cell.runs.iter().map(|r| r.evaluations as f64).sum::<f64>() / cell.successes() as f64
}

fn claims(part: Part, cells: &[(Kind, Pair<'_>)], section: &mut Section) {
    let place = if part == Part::Box { "Inside a box: " } else { "From near and far: " };
    let named = |(f, distance, d): &Kind| format!("{f} d = {d} from {}", from((*f, *distance, *d)));
    let below = |pair: &Pair<'_>| (pair.ours.successes() as f64) < REQUIRED * pair.ours.runs.len() as f64;
    let lost: Vec<String> = cells
        .iter()
        .filter(|(_, pair)| below(pair))
        .map(|(kind, pair)| format!("{}: {}", named(kind), pair.ours.share()))
        .collect();
    section.claim(
        &format!("{place}at least 95 % of the runs succeed with automatic restarts, in every cell."),
        format!("{} of {} cells; lost: {}", cells.len() - lost.len(), cells.len(), listed(&lost)),
        Verdict::met(lost.is_empty()),
    );
    let measured: Vec<_> = cells.iter().filter(|c| c.1.is_measured()).collect();
    let words = &format!("{place}medians of the evaluations not above those of pycma with restarts.");
    if measured.is_empty() {
        return section.claim(words, "pycma was not run".into(), Verdict::NotMeasured);
    }
    let sum = |of: fn(&Pair<'_>) -> usize| measured.iter().map(|c| of(&c.1)).sum::<usize>();
    let ratio = |pair: &Pair<'_>| expected(&pair.ours) / expected(&pair.theirs);
    let more: Vec<String> = measured
        .iter()
        .filter(|c| c.1.ratio() > 1.0)
        .map(|c| format!("{} ({})", named(&c.0), ratio_text(c.1.ratio())))
        .collect();
    section.claim(
        words,
        format!(
            "{} of our runs succeed, {} of pycma's; geometric mean of the ratios {:.2} by medians, {:.2} by expected \
             evaluations; medians above pycma's: {}",
            sum(|p| p.ours.successes()),
            sum(|p| p.theirs.successes()),
            geometric_mean(measured.iter().map(|c| c.1.ratio())),
            geometric_mean(measured.iter().map(|c| ratio(&c.1))),
            listed(&more)
        ),
        Verdict::met(more.is_empty()),
    );
}

/// The guide's table: a row for each function and dimension, evaluations of both programs from each start.
pub(super) fn markdown(plan: Plan, runs: &[RunRecord]) -> String {
    let (far, boxed) = (cells(Part::Distances, plan, runs), cells(Part::Box, plan, runs));
    let distances = Part::Distances.distances(plan);
    let mut out = String::from("| function | d |");
    for r in distances {
        let _ = write!(out, " from {r} |");
    }
    let _ = writeln!(out, " box |\n|---|---|{}---|", "---|".repeat(distances.len()));
    for (boxed, far) in boxed.iter().zip(far.chunks(distances.len())) {
        let _ = write!(out, "| {} | {} |", boxed.0.0, boxed.0.2);
        for (_, pair) in far.iter().chain([boxed]) {
            let _ = write!(out, " {} : {} |", pair.ours.short(), pair.theirs.short());
        }
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::Set;
    use crate::reproduce::run::Solver;
    use enes::Settings;
    use enes_problems::Problem;

    const PLAN: Plan = Plan { set: Set::Restarts, quick: true, seed: 3 };

    #[test]
    fn runs_are_those_of_the_defaults_from_a_start_or_in_a_box() {
        let kind = (Function::Griewank, 10.0, 2);
        for part in [Part::Distances, Part::Box] {
            let record = spec(part, kind, 10_000, 4).execute(PLAN, None).unwrap();
            let seed = 3 * 100_003 + 4;
            let problem = Problem::new(kind.0, kind.2, seed).unwrap();
            let settings = match part {
                Part::Distances => Settings::new(problem.start(10.0), 10.0 / 3.0),
                Part::Box => Settings::within([(-5.0, 5.0); 2]),
            };
            let settings = settings.seed(seed).target(1e-8).max_evaluations(20_000);
            let outcome = enes::minimize(&settings, |x| problem.evaluate(x)).unwrap();
            assert_eq!((record.evaluations, record.value), (outcome.evaluations, outcome.value), "{part:?}");
        }
    }

    #[test]
    fn cells_are_judged_by_their_successes_and_compared_by_all_evaluations() {
        let mut records = Vec::new();
        for run in 0..20 {
            let one = spec(Part::Distances, (Function::Ackley, 1.0, 2), 10_000, run);
            let mut ours = one.execute(PLAN, None).unwrap();
            ours.success = run > 1;
            ours.evaluations = if ours.success { 200 } else { 1000 };
            let theirs = RunRecord { solver: Solver::Pycma, success: true, evaluations: 160, ..ours.clone() };
            records.extend([ours, theirs]);
        }
        let sections = sections(PLAN, &records);
        let words: Vec<&str> = sections[0].claims.iter().map(|c| c.measured.as_str()).collect();
        assert!(words[0].ends_with("lost: ackley d = 2 from 1: 18/20"), "{}", words[0]);
        assert!(sections[0].claims.iter().all(|c| c.verdict == Verdict::NotMet));
        // (18·200 + 2·1000)/18 = 311 evaluations to a success, beside 160.
        assert!(words[1].contains("18 of our runs succeed, 20 of pycma's"), "{}", words[1]);
        assert!(words[1].contains("1.25 by medians, 1.94 by expected evaluations"), "{}", words[1]);
        assert!(words[1].ends_with("medians above pycma's: ackley d = 2 from 1 (1.25)"), "{}", words[1]);
        let row = &sections[0].tables[0].rows[2];
        assert_eq!(row[2..], ["1", "18/20", "20/20", "200", "160", "311", "160"]);
    }
}
