//! Automatic restarts with all defaults: from near and far, and inside a box.

use enes::Restarts;
use enes_problems::Function;

use crate::comparison::{
    Column, Contender, Contest, Kind, Part, Tables, all_successes, geometric_mean, listed, ratio_text, tally,
};
use crate::plan::Plan;
use crate::run::{RunSpec, Start};
use crate::section::{Section, Verdict};

pub(super) const OURS: Contender = Contender::Batch;
const PYCMA: Contender = Contender::Pycma;

const FUNCTIONS: [Function; 4] =
    [Function::Rastrigin, Function::Ackley, Function::Griewank, Function::Weierstrass];

/// Half the width of the box, which holds the optimum somewhere.
const HALF_WIDTH: f64 = 5.0;

/// Success that is required, in every cell.
const REQUIRED: f64 = 0.95;

pub(super) const DISTANCES: Part = Part {
    name: "restarts-distances",
    title: "From near and far",
    intro: || {
        "Runs to 1e-8 within 100,000 d evaluations with all defaults, compared with cma.fmin2(restarts=9, bipop=True). \
         The initial scale is 1; for Griewank's and Ackley's function a third of the distance, as the paper's footnote \
         suggests. Restarts of both programs begin at a draw from the initial distribution."
            .into()
    },
    labels: &[(OURS, "enes")],
    kinds: |plan| {
        let of_one = |f, d| distances(plan).iter().map(move |&r| Kind::from((f, r, sigma(f, r)), d));
        let all = dimensions(plan).iter().flat_map(|&d| FUNCTIONS.map(|f| (f, d)));
        all.flat_map(|(f, d)| of_one(f, d)).collect()
    },
    contenders: |_| &[OURS, PYCMA],
    runs: |plan, _, _| plan.pick(50, 2),
    change: |_, spec| RunSpec { restarts: Restarts::Auto, max_evaluations: 100_000 * spec.d as u64, ..spec },
    tables: Tables::One(
        "Successes; medians of the evaluations of the runs that succeeded; expected evaluations to a success, which \
         are those of all runs divided by the successes.",
    ),
    columns: |_| {
        vec![
            Column::Function,
            Column::Dimension,
            Column::Distance,
            Column::Solved(OURS),
            Column::Solved(PYCMA),
            Column::Median(OURS),
            Column::Median(PYCMA),
            Column::Expected(OURS),
            Column::Expected(PYCMA),
        ]
    },
    judge: |contests, section| judge("From near and far: ", contests, section),
};

pub(super) const BOX: Part = Part {
    name: "restarts-box",
    title: "Inside a box",
    intro: || {
        "The same inside the box from -5 to 5 in every coordinate, which holds the optimum somewhere. Nothing but the \
         box is given: the first search starts in its centre, with a quarter of its range. Restarts of both programs \
         begin anywhere in it."
            .into()
    },
    kinds: |plan| {
        // A quarter of the range, as by default.
        let boxed =
            |f, d| Kind { start: Start::Within(HALF_WIDTH), ..Kind::from((f, 0.0, HALF_WIDTH / 2.0), d) };
        dimensions(plan).iter().flat_map(|&d| FUNCTIONS.map(|f| boxed(f, d))).collect()
    },
    judge: |contests, section| judge("Inside a box: ", contests, section),
    ..DISTANCES
};

/// Distances of the starts.
pub(super) fn distances(plan: Plan) -> &'static [f64] {
    plan.pick(&[0.1, 1.0, 10.0, 100.0], &[1.0, 10.0])
}

fn dimensions(plan: Plan) -> &'static [usize] {
    plan.pick(&[2, 5, 10], &[2])
}

/// The initial scale: a third of the distance where the paper's footnote suggests it, else its 1.
fn sigma(f: Function, distance: f64) -> f64 {
    if matches!(f, Function::Griewank | Function::Ackley) { distance / 3.0 } else { 1.0 }
}

fn judge(place: &str, contests: &[Contest<'_>], section: &mut Section) {
    let below = contests.iter().filter(|c| {
        let ours = c.by(OURS);
        (ours.successes() as f64) < REQUIRED * ours.runs.len() as f64
    });
    let lost: Vec<String> = below.map(|c| format!("{}: {}", c.kind.name(), c.by(OURS).share())).collect();
    section.claim(
        &format!("{place}at least 95 % of the runs succeed with automatic restarts, in every cell."),
        format!("{}; lost: {}", tally(contests.len(), &lost), listed(&lost)),
        Verdict::met(lost.is_empty()),
    );
    let measured: Vec<_> = contests.iter().filter(|c| c.is_between(OURS, PYCMA)).collect();
    let words = &format!("{place}medians of the evaluations not above those of pycma with restarts.");
    if measured.is_empty() {
        return section.claim(words, "pycma was not run".into(), Verdict::NotMeasured);
    }
    let more: Vec<String> = measured
        .iter()
        .filter(|c| c.ratio(OURS, PYCMA) > 1.0)
        .map(|c| format!("{} ({})", c.kind.name(), ratio_text(c.ratio(OURS, PYCMA))))
        .collect();
    section.claim(
        words,
        format!(
            "{} of our runs succeed, {} of pycma's; geometric mean of the ratios {:.2} by medians, {:.2} by expected \
             evaluations; medians above pycma's: {}",
            all_successes(&measured, OURS),
            all_successes(&measured, PYCMA),
            geometric_mean(measured.iter().map(|c| c.ratio(OURS, PYCMA))),
            geometric_mean(measured.iter().map(|c| c.by(OURS).expected() / c.by(PYCMA).expected())),
            listed(&more)
        ),
        Verdict::met(more.is_empty()),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Study;
    use crate::run::{RunRecord, Solver};
    use crate::runner::Task;
    use enes::Settings;
    use enes_problems::Problem;

    const PLAN: Plan = Plan { study: Study::Restarts, quick: true, seed: 3 };

    fn spec(part: &Part, kind: Kind, run: u64) -> RunSpec {
        let spec = OURS.of((part.change)(OURS, kind.spec(part.name, run)));
        RunSpec { max_evaluations: 10_000 * kind.d as u64, ..spec }
    }

    #[test]
    fn runs_are_those_of_the_defaults_from_a_start_or_in_a_box() {
        for (part, place) in [(&DISTANCES, "10"), (&BOX, "box")] {
            let kinds = (part.kinds)(PLAN);
            let kind = kinds.iter().find(|k| k.f == Function::Griewank && k.d == 2 && k.place() == place);
            let record = spec(part, *kind.unwrap(), 4).execute(PLAN, None).unwrap();
            let seed = 3 * 100_003 + 4;
            let problem = Problem::new(Function::Griewank, 2, seed).unwrap();
            let settings = match place {
                "box" => Settings::within([(-5.0, 5.0); 2]),
                _ => Settings::new(problem.start(10.0), 10.0 / 3.0),
            };
            let settings = settings.seed(seed).target(1e-8).max_evaluations(20_000);
            let outcome = enes::minimize(&settings, |x| problem.evaluate(x)).unwrap();
            assert_eq!((record.evaluations, record.value), (outcome.evaluations, outcome.value), "{place}");
        }
    }

    #[test]
    fn cells_are_judged_by_their_successes_and_compared_by_all_evaluations() {
        let mut records = Vec::new();
        for run in 0..20 {
            let one = spec(&DISTANCES, Kind::from((Function::Ackley, 1.0, 1.0 / 3.0), 2), run);
            let mut ours = one.execute(PLAN, None).unwrap();
            ours.success = run > 1;
            ours.evaluations = if ours.success { 200 } else { 1000 };
            let (solver, variant) = (Solver::Pycma, String::new());
            let theirs = RunRecord { solver, variant, success: true, evaluations: 160, ..ours.clone() };
            records.extend([ours, theirs]);
        }
        let section = DISTANCES.section(PLAN, &records).unwrap();
        let words: Vec<&str> = section.claims.iter().map(|c| c.measured.as_str()).collect();
        assert!(words[0].ends_with("lost: ackley d = 2 from 1: 18/20"), "{}", words[0]);
        assert!(section.claims.iter().all(|c| c.verdict == Verdict::NotMet));
        // (18·200 + 2·1000)/18 = 311 evaluations to a success, compared with 160.
        assert!(words[1].contains("18 of our runs succeed, 20 of pycma's"), "{}", words[1]);
        assert!(words[1].contains("1.25 by medians, 1.94 by expected evaluations"), "{}", words[1]);
    }
}
