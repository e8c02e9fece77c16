//! Beyond the paper: a population, and a learning rate, that follow the ratio of signal to noise in the gradient.

use enes::{Restarts, Settings, Strategy};
use enes_measure::{difference_interval, quantile};
use enes_problems::Function;

use crate::plan::Plan;
use crate::run::{RunRecord, RunSpec};
use crate::section::{Section, Table, Verdict};
use crate::statistics::{Cell, count};

pub(crate) const NAME: &str = "signal";

/// What is changed about the published strategy.
struct Variant {
    name: &'static str,
    change: fn(Settings) -> Settings,
    restarts: Restarts,
}

const PUBLISHED: Variant = Variant { name: "published", change: |s| s, restarts: Restarts::Off };
const AUTO: Variant = Variant { name: "auto population", change: |s| s.auto_population(true), ..PUBLISHED };
const RATE: Variant =
    Variant { name: "adaptive rate", change: |s| s.adaptive_learning_rate(true), ..PUBLISHED };
const BOTH: Variant =
    Variant { name: "both", change: |s| s.auto_population(true).adaptive_learning_rate(true), ..PUBLISHED };
const IPOP: Variant = Variant { name: "published, IPOP", restarts: Restarts::Ipop, ..PUBLISHED };
const AUTO_IPOP: Variant = Variant { name: "auto population, IPOP", restarts: Restarts::Ipop, ..AUTO };
const VARIANTS: [Variant; 4] = [PUBLISHED, AUTO, RATE, BOTH];
const WITH_RESTARTS: [Variant; 6] = [PUBLISHED, AUTO, RATE, BOTH, IPOP, AUTO_IPOP];

fn variants(f: Function) -> &'static [Variant] {
    if f == Function::Rastrigin { &WITH_RESTARTS } else { &VARIANTS }
}

/// A function with its population, budget and number of runs.
struct Task {
    function: Function,
    d: usize,
    n: usize,
    budget: u64,
    runs: u64,
}

fn tasks(plan: Plan) -> Vec<Task> {
    let task = |function, d, n, budget, runs| Task { function, d, n, budget, runs };
    let default = |d| Strategy::Published.default_population(d);
    let quick = vec![
        task(Function::Rosenbrock, 5, default(5), 20_000, 3),
        task(Function::Rastrigin, 2, default(2), 20_000, 10),
    ];
    let full = vec![
        task(Function::Sphere, 15, default(15), 100_000, 10),
        task(Function::Ellipsoid, 15, default(15), 100_000, 10),
        task(Function::Rosenbrock, 15, 250, 400_000, 10),
        task(Function::Rosenbrock, 15, default(15), 1_000_000, 10),
        task(Function::Rosenbrock, 30, default(30), 4_000_000, 5),
        task(Function::Rosenbrock, 50, default(50), 2_000_000, 1),
        task(Function::Rastrigin, 2, default(2), 50_000, 100),
        task(Function::Rastrigin, 5, default(5), 100_000, 50),
        task(Function::Rastrigin, 10, default(10), 200_000, 20),
    ];
    plan.pick(full, quick)
}

pub(crate) fn runs(plan: Plan) -> Vec<RunSpec> {
    let mut specs = Vec::new();
    for Task { function, d, n, budget, runs } in tasks(plan) {
        for variant in variants(function) {
            specs.extend((0..runs).map(|run| {
                let spec = RunSpec {
                    variant: variant.name.to_string(),
                    change: variant.change,
                    restarts: variant.restarts,
                    max_evaluations: budget,
                    ..RunSpec::new(NAME, function, d, n, run)
                };
                if function == Function::Rastrigin { RunSpec { target: 0.01, ..spec } } else { spec }
            }));
        }
    }
    specs
}

pub(crate) fn section(plan: Plan, runs: &[RunRecord]) -> Section {
    let mut section = Section::new(
        NAME,
        "A population and a learning rate that follow the signal",
        "Beyond the paper, and off by default: with `population = auto` generations grow, up to 16 times, while the natural \
         gradient is more noise than signal; with `learning_rate = adaptive` the rate is the ratio of the two, from 0.01 to \
         3. From distance 1, with the library's rules to stop; Rastrigin's function to 0.01. Runs that end at their budget \
         or in another optimum are not solved.",
    );
    let mut rows = Vec::new();
    let (mut below, mut above, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for Task { function: f, d, n, budget, .. } in tasks(plan) {
        let of = |variant: &Variant| Cell::of(runs, NAME, variant.name, f, d, n);
        let before = of(&PUBLISHED);
        for variant in variants(f) {
            let cell = of(variant);
            let ratio = cell.evaluations(0.5) / before.evaluations(0.5);
            let each = |number: fn(&RunRecord) -> f64| {
                quantile(&cell.runs.iter().map(|r| number(r)).collect::<Vec<_>>(), 0.5)
            };
            let named = format!(
                "{f} d = {d} n = {n}, {} ({} against {})",
                variant.name,
                cell.share(),
                before.share()
            );
            if variant.restarts == Restarts::Off && variant.name != PUBLISHED.name {
                let pair = |c: &Cell<'_>| (c.successes(), c.runs.len());
                let (low, high) = difference_interval(pair(&cell), pair(&before));
                if high < 0.0 {
                    below.push(named);
                } else if low > 0.0 {
                    above.push(named);
                }
                if ratio.is_finite() && before.all_succeed() && cell.all_succeed() {
                    ratios.push(ratio);
                }
            }
            rows.push(vec![
                f.name().to_string(),
                d.to_string(),
                n.to_string(),
                budget.to_string(),
                variant.name.to_string(),
                cell.share(),
                count(cell.evaluations(0.5)),
                count(each(|r| r.generations as f64)),
                format!("{:.1e}", each(|r| r.value)),
            ]);
        }
    }
    section.tables.push(Table::new(
        "signal",
        "Runs solved, median evaluations of these; medians of all runs: generations and best value.",
        &["function", "d", "n", "budget", "variant", "solved", "evaluations", "generations", "value"],
        rows,
    ));
    let or_none = |list: &[String]| if list.is_empty() { "nowhere".to_string() } else { list.join(", ") };
    section.claim(
        "(success never below the published strategy's, 95 % interval of the difference)",
        format!("below: {}; above: {}", or_none(&below), or_none(&above)),
        Verdict::met(below.is_empty()),
    );
    if !ratios.is_empty() {
        section.claim(
            "(evaluations where all runs of both are solved)",
            format!(
                "{:.2} times the published strategy's in the median of cells and options, from {:.2} to {:.2}",
                quantile(&ratios, 0.5),
                quantile(&ratios, 0.0),
                quantile(&ratios, 1.0)
            ),
            Verdict::NotClaimed,
        );
    }
    section
}
