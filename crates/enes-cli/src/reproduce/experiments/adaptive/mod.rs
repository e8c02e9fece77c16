//! The adaptive strategy by ranks alone, without its model of the values, beside pycma: the same instances, the same starts, the same way of counting.

mod ablation;
mod populations;
mod restarts;
mod table;

use enes::{ModelChoice, Strategy};
use enes_measure::difference_interval;
use enes_problems::Function;

use crate::chart::Chart;
use crate::reproduce::Plan;
use crate::reproduce::run::{RunRecord, RunSpec, Solver, Start};
use crate::reproduce::section::Section;
use crate::reproduce::statistics::Cell;
pub(super) use table::{FUNCTIONS, LOCAL_MINIMUM};

/// The target of the multimodal functions.
pub(super) const TARGET: f64 = 1e-8;

/// Where runs on the multimodal functions start: near the optimum; and far, with a scale of a third of the distance.
pub(super) const STARTS: [(Function, f64, f64); 8] = [
    (Function::Rastrigin, 1.0, 1.0),
    (Function::Rastrigin, 5.0, 5.0 / 3.0),
    (Function::Ackley, 1.0, 1.0),
    (Function::Ackley, 10.0, 10.0 / 3.0),
    (Function::Griewank, 1.0, 1.0),
    (Function::Griewank, 10.0, 10.0 / 3.0),
    (Function::Weierstrass, 1.0, 1.0),
    (Function::Weierstrass, 5.0, 5.0 / 3.0),
];

pub(super) fn runs(plan: Plan) -> Vec<RunSpec> {
    [table::runs(plan), populations::runs(plan), restarts::runs(plan), ablation::runs(plan)].concat()
}

/// A section for each part that has records.
pub(super) fn sections(plan: Plan, runs: &[RunRecord]) -> Vec<Section> {
    let has = |name: &str| runs.iter().any(|r| r.experiment == name);
    let mut sections = Vec::new();
    for (name, section) in [
        (table::NAME, table::section as fn(Plan, &[RunRecord]) -> Section),
        (populations::NAME, populations::section),
        (restarts::NAME, restarts::section),
        (ablation::NAME, ablation::section),
    ] {
        sections.extend(has(name).then(|| section(plan, runs)));
    }
    sections
}

/// The README's table: medians by dimension and function.
pub(super) fn markdown(plan: Plan, runs: &[RunRecord]) -> String {
    table::markdown(plan, runs)
}

/// A multimodal run of the adaptive strategy.
pub(super) fn multimodal(
    name: &'static str,
    start: (Function, f64, f64),
    d: usize,
    n: usize,
    run: u64,
) -> RunSpec {
    let (f, distance, sigma) = start;
    RunSpec {
        strategy: Strategy::Adaptive,
        model: ModelChoice::RankOnly,
        start: Start::Exactly(distance),
        sigma,
        target: TARGET,
        ..RunSpec::new(name, f, d, n, run)
    }
}

/// The same run by both programs.
pub(super) fn by_both(spec: RunSpec) -> [RunSpec; 2] {
    [spec.clone(), RunSpec { solver: Solver::Pycma, ..spec }]
}

/// Runs of one kind by both programs.
pub(super) struct Pair<'a> {
    pub(super) ours: Cell<'a>,
    pub(super) theirs: Cell<'a>,
}

impl<'a> Pair<'a> {
    pub(super) fn new(runs: &'a [RunRecord], keep: impl Fn(&RunRecord) -> bool) -> Self {
        let of = |solver: Solver| Cell::new(runs, |r| r.solver == solver && keep(r));
        Self { ours: of(Solver::Enes), theirs: of(Solver::Pycma) }
    }

    fn by(&self, solver: Solver) -> &Cell<'a> {
        if solver == Solver::Enes { &self.ours } else { &self.theirs }
    }

    /// Both programs have run.
    pub(super) fn is_measured(&self) -> bool {
        !self.ours.runs.is_empty() && !self.theirs.runs.is_empty()
    }

    /// Our median over theirs, of the runs that succeeded; NaN where one has none.
    pub(super) fn ratio(&self) -> f64 {
        self.ours.evaluations(0.5) / self.theirs.evaluations(0.5)
    }

    /// Fewer of ours succeed, beyond the 95 % interval of the difference.
    fn is_below(&self) -> bool {
        let count = |cell: &Cell<'_>| (cell.successes(), cell.runs.len());
        self.is_measured() && difference_interval(count(&self.ours), count(&self.theirs)).1 < 0.0
    }

    /// `20/50 against 30/50`.
    fn shares(&self) -> String {
        format!("{} against {}", self.ours.share(), self.theirs.share())
    }
}

/// Marks without lines between them: a series for each, the first of which has the name.
fn marks(chart: &mut Chart, name: &str, colour: usize, points: Vec<(f64, f64)>) {
    for (i, point) in points.into_iter().enumerate() {
        chart.marked(if i == 0 { name } else { "" }, colour, false, vec![point]);
    }
}

/// A list for people; `none` where it is empty.
pub(super) fn listed(items: &[String]) -> String {
    if items.is_empty() { "none".to_string() } else { items.join(", ") }
}

/// A ratio for a table, `-` where there is none.
pub(super) fn ratio_text(value: f64) -> String {
    if value.is_finite() { format!("{value:.2}") } else { "-".to_string() }
}

/// e to the mean logarithm of the finite ones; NaN where there are none.
pub(super) fn geometric_mean(values: impl Iterator<Item = f64>) -> f64 {
    let logs: Vec<f64> = values.filter(|v| v.is_finite() && *v > 0.0).map(f64::ln).collect();
    (logs.iter().sum::<f64>() / logs.len() as f64).exp()
}
