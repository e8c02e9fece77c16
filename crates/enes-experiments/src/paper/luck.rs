//! Values that say nothing of the point: what importance mixing does by itself.

use enes::{Baseline, Optimizer, Settings, Strategy};
use enes_measure::quantile;
use enes_problems::Function;
use enes_reference::RandomNumbers;

use super::plain::{Plain, Reuse};
use super::spec;
use crate::error::ReproduceError;
use crate::measurement::Numbers;
use crate::plan::Plan;
use crate::run::{RunRecord, RunSpec, thin};
use crate::section::{Section, Table, Verdict};
use enes_chart::{Axis, Chart};

pub(crate) const NAME: &str = "luck";
/// The paper's population in 15 dimensions.
const D: usize = 15;
const N: usize = 250;
const GENERATIONS: u64 = 100;

pub(super) const ANEW: &str = "values of kept points drawn anew";
pub(super) const MIXED: &str = "mixing";
pub(super) const UNMIXED: &str = "no mixing";
pub(super) const CORRECTED: &str = "drift correction";

/// The settings of a variant that the library runs; `None`: the plain program does.
fn settings(variant: &str) -> Option<Settings> {
    let settings = Settings::new([0.0; D], 1.0).strategy(Strategy::Published).population(N).tolfacupx(None);
    match variant {
        MIXED => Some(settings),
        UNMIXED => Some(settings.refresh_rate(1.0)),
        CORRECTED => Some(settings.drift_correction(true)),
        "baseline 1.0 × mean" => Some(settings.baseline(Baseline::Mean { factor: 1.0 })),
        "baseline 1.3 × mean" => Some(settings.baseline(Baseline::Mean { factor: 1.3 })),
        "η = 0.5" => Some(settings.learning_rate(0.5)),
        _ => None,
    }
}

/// The lines of the figure.
const DRAWN: [&str; 4] = [UNMIXED, MIXED, ANEW, CORRECTED];

/// In the order of the table.
const VARIANTS: [&str; 12] = [
    UNMIXED,
    MIXED,
    ANEW,
    CORRECTED,
    "baseline 1.0 × mean",
    "baseline 1.3 × mean",
    "η = 0.5",
    "discount 0.9",
    "discount 0.7",
    "cap 10",
    "cap 5",
    "fresh rows for the scale",
];

pub(super) fn reuse(variant: &str) -> Reuse {
    match variant {
        "discount 0.9" => Reuse::Discount(0.9),
        "discount 0.7" => Reuse::Discount(0.7),
        "cap 10" => Reuse::Cap(10),
        "cap 5" => Reuse::Cap(5),
        "fresh rows for the scale" => Reuse::FreshScale,
        _ => Reuse::Anew,
    }
}

pub(crate) fn runs(plan: Plan) -> Vec<RunSpec> {
    let count = plan.pick(40, 4);
    let of = |variant: &str, run| RunSpec {
        variant: variant.to_string(),
        program: Some(execute),
        ..spec(NAME, Function::Sphere, D, N, run)
    };
    VARIANTS.iter().flat_map(|variant| (0..count).map(move |run| of(variant, run))).collect()
}

/// `value` is the change of ln σ a generation, `off` how far the mean came, the trace ln σ against generations: of all for
/// a line of the figure.
fn execute(spec: &RunSpec, seed: u64) -> Result<RunRecord, ReproduceError> {
    let mut trace = vec![(0, 0.0)];
    let mut note = |generation, log_det: f64| trace.push((generation, log_det / D as f64));
    let (mean, evaluations) = match settings(&spec.variant) {
        Some(settings) => {
            let mut numbers = Numbers::new(seed);
            let mut es = Optimizer::new(&settings.seed(seed))?;
            for generation in 1..=GENERATIONS {
                let values: Vec<f64> = es.ask().iter().map(|_| numbers.uniform()).collect();
                es.tell(&values).map_err(|e| ReproduceError::Usage(e.to_string()))?;
                note(generation, es.distribution().log_det());
            }
            (es.mean().to_vec(), es.evaluations())
        }
        None => {
            let mut plain = Plain::new(vec![0.0; D], N, 0.01, reuse(&spec.variant), seed);
            for generation in 1..=GENERATIONS {
                plain.advance(|_, numbers| numbers.uniform())?;
                note(generation, plain.distribution.log_det());
            }
            (plain.distribution.mean().to_vec(), plain.evaluations)
        }
    };
    let last = trace.last().map_or(0.0, |t| t.1);
    Ok(RunRecord {
        function: "random values".into(),
        evaluations,
        generations: GENERATIONS,
        value: last / GENERATIONS as f64,
        off: mean.iter().map(|x| x * x).sum::<f64>().sqrt(),
        reused: 1.0 - evaluations as f64 / (GENERATIONS * N as u64) as f64,
        trace: if DRAWN.contains(&spec.variant.as_str()) { thin(trace) } else { ends(trace) },
        ..spec.blank()
    })
}

/// Half of the generations and all: between them is the late drift.
fn ends(trace: Vec<(u64, f64)>) -> Vec<(u64, f64)> {
    trace.into_iter().filter(|t| [GENERATIONS / 2, GENERATIONS].contains(&t.0)).collect()
}

/// The average of a field over the runs of a variant, and its standard error.
fn average(runs: &[RunRecord], variant: &str, field: impl Fn(&RunRecord) -> f64) -> (f64, f64) {
    let values: Vec<f64> =
        runs.iter().filter(|r| r.experiment == NAME && r.variant == variant).map(field).collect();
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (mean, (variance / n).sqrt())
}

/// The change of ln σ a generation, with its standard error.
pub(super) fn drift(runs: &[RunRecord], variant: &str) -> (f64, f64) {
    average(runs, variant, |r| r.value)
}

/// The same from half of the generations on.
fn late_drift(runs: &[RunRecord], variant: &str) -> (f64, f64) {
    let half = GENERATIONS / 2;
    let at = |r: &RunRecord, generation| r.trace.iter().find(|t| t.0 == generation).map_or(f64::NAN, |t| t.1);
    average(runs, variant, |r| (at(r, GENERATIONS) - at(r, half)) / half as f64)
}

/// |x|² a generation.
pub(super) fn diffusion(runs: &[RunRecord], variant: &str) -> f64 {
    average(runs, variant, |r| r.off * r.off / r.generations as f64).0
}

pub(crate) fn section(runs: &[RunRecord]) -> Section {
    let mut section = Section::new(
        NAME,
        "Luck persists",
        "Values are random numbers, which say nothing of their points: d = 15, n = 250, 100 generations, 40 runs. Whatever \
         happens to the distribution then is the doing of the algorithm. A fair one leaves ln σ where it is. The variants \
         that the library does not have are run by a plain program (discounts take the mean utility for their \
         baseline; a capped row is drawn anew).",
    );
    let row = |variant: &str| {
        let ((drift, error), fresh) = (drift(runs, variant), average(runs, variant, |r| 1.0 - r.reused).0);
        vec![
            variant.to_string(),
            format!("{drift:.5}"),
            format!("{error:.5}"),
            format!("{:.5}", late_drift(runs, variant).0),
            format!("{:.4}", drift / fresh),
            format!("{:.4}", diffusion(runs, variant)),
            format!("{:.1}", 100.0 * fresh),
        ]
    };
    section.tables.push(Table::new(
        "luck",
        "Change of ln σ a generation and for n fresh points, squared way of the mean a generation, fresh points in %.",
        &["variant", "drift", "± (standard error)", "from generation 50", "drift for n fresh points", "diffusion", "fresh %"],
        VARIANTS.iter().map(|v| row(v)).collect(),
    ));
    let told = |variant: &str| {
        let (drift, error) = drift(runs, variant);
        format!("{variant} {drift:.5} ± {error:.5}")
    };
    section.claim(
        "It can be proven that the updated population conforms to the mutation distribution.",
        format!(
            "for a θ that does not depend on the population; in the loop it does: drift of ln σ a generation {}, {}, {}; \
             diffusion of the mean {:.3}, {:.3}, {:.3}",
            told(UNMIXED),
            told(MIXED),
            told(ANEW),
            diffusion(runs, UNMIXED),
            diffusion(runs, MIXED),
            diffusion(runs, ANEW)
        ),
        Verdict::of(drift(runs, MIXED).0.abs() < 0.0005),
    );
    let ((repaired, error), (late, late_error)) = (drift(runs, CORRECTED), late_drift(runs, CORRECTED));
    section.claim(
        "(with the drift correction: at most 0.0005 a generation)",
        format!("{repaired:.5} ± {error:.5}; from generation 50 on {late:.5} ± {late_error:.5}"),
        Verdict::met(repaired.abs() <= 0.0005),
    );
    section
}

/// ln σ against generations, averages of the runs.
pub(super) fn figure(runs: &[RunRecord]) -> String {
    let mut chart = Chart::new(
        "Values that say nothing, d = 15, n = 250",
        Axis::linear("generations").range(0.0, GENERATIONS as f64),
        Axis::linear("ln σ, average of the runs").range(-0.55, 0.1),
    );
    for (colour, variant) in DRAWN.into_iter().enumerate() {
        let mine: Vec<&RunRecord> =
            runs.iter().filter(|r| r.experiment == NAME && r.variant == variant).collect();
        let at = |i: usize| {
            let values: Vec<f64> = mine.iter().map(|r| r.trace[i].1).collect();
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            (mine[0].trace[i].0 as f64, mean, quantile(&values, 0.25), quantile(&values, 0.75))
        };
        let points: Vec<_> = (0..mine[0].trace.len()).map(at).collect();
        chart.banded(
            variant,
            colour,
            points.iter().map(|p| (p.0, p.1)).collect(),
            points.iter().map(|p| (p.0, p.2, p.3)).collect(),
        );
    }
    chart.svg()
}
