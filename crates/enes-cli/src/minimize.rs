//! `enes minimize` for built-in problems.

use std::io::Write;
use std::ops::ControlFlow;

use enes::{Outcome, Run, Settings};
use enes_problems::{Function, Problem};
use serde::Serialize;

use crate::arguments::MinimizeArguments;
use crate::display::{
    Progress, grouped, optima_words, optimum_object, restart_object, restart_words, reused_words, words,
};
use crate::error::CommandError;
use crate::names::{PopulationName, RateName, baseline};
use crate::stopping::{StopArguments, Target, with_rules};
use crate::warm_start;

/// What `--json` prints.
#[derive(Serialize)]
struct Report<'a> {
    problem: &'a str,
    dim: usize,
    seed: u64,
    strategy: &'a str,
    population: usize,
    evaluations: u64,
    generations: u64,
    value: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    standard_error: Option<f64>,
    best_x: &'a [f64],
    mean: &'a [f64],
    stop: &'a str,
    stop_message: String,
    reused_share: f64,
    seconds: f64,
    success: bool,
    restarts: Vec<serde_json::Value>,
    optima: Vec<serde_json::Value>,
}

/// Whether the run met its target, or ended in order without one.
pub(crate) fn run(arguments: &MinimizeArguments) -> Result<bool, CommandError> {
    let function = arguments.problem.ok_or_else(|| CommandError::Usage("--problem is missing".into()))?;
    let target = target(arguments, function);
    check_settings(arguments, target)?;
    let problem = build_problem(arguments, function)?;
    let start = problem.start(arguments.distance.unwrap_or(1.0));
    let settings = build_settings(arguments, start, target)?.warm_start(warm_start::of(arguments, &[])?);
    let outcome = optimize(&settings, &problem, arguments.quiet)?;
    let met = target.is_none() || outcome.stop.is_target();
    if !arguments.quiet {
        describe(&problem, &outcome, met);
    }
    if arguments.json {
        print_json(arguments, &problem, &outcome)?;
    }
    Ok(met)
}

/// Settings first: a rotation of high dimension takes its time, an error should not.
fn check_settings(arguments: &MinimizeArguments, target: Option<f64>) -> Result<(), CommandError> {
    let d = dimension(arguments);
    if d == 0 || d > enes_problems::MAX_DIMENSION {
        return Err(enes_problems::ProblemError::Dimension { got: d }.into());
    }
    let settings = build_settings(arguments, vec![0.0; d], target)?;
    settings.validate()?;
    crate::cost::of_a_generation(&settings)?;
    if !arguments.quiet {
        crate::cost::warn(&settings);
    }
    Ok(())
}

fn dimension(arguments: &MinimizeArguments) -> usize {
    arguments.dim.unwrap_or(10)
}

fn build_problem(arguments: &MinimizeArguments, function: Function) -> Result<Problem, CommandError> {
    let make = if arguments.no_rotation { Problem::unrotated } else { Problem::new };
    Ok(make(function, dimension(arguments), arguments.seed.unwrap_or(0))?)
}

fn target(arguments: &MinimizeArguments, function: Function) -> Option<f64> {
    match arguments.stopping.target {
        None => Some(function.target()),
        Some(Target::None) => None,
        Some(Target::Value(value)) => Some(value),
    }
}

fn build_settings(
    arguments: &MinimizeArguments,
    start: Vec<f64>,
    target: Option<f64>,
) -> Result<Settings, CommandError> {
    let scale = match arguments.sigma0[..] {
        [] => enes::Scale::Uniform(1.0),
        [sigma] => enes::Scale::Uniform(sigma),
        _ => arguments.sigma0.clone().into(),
    };
    let settings = Settings::new(start, scale)
        .strategy(arguments.strategy.unwrap_or_default().into())
        .restarts(arguments.restarts.unwrap_or_default().into())
        .model(arguments.model.unwrap_or_default().into())
        .batch(arguments.batch)
        .noisy(arguments.noisy)
        .seed(arguments.seed.unwrap_or(0))
        .population(arguments.population.and_then(PopulationName::size))
        .auto_population(arguments.population == Some(PopulationName::Auto))
        .learning_rate(arguments.eta.map_or(1.0, RateName::eta))
        .adaptive_learning_rate(arguments.eta == Some(RateName::Adaptive))
        .refresh_rate(arguments.refresh_rate.unwrap_or(0.01))
        .baseline(baseline(arguments.baseline, arguments.baseline_factor)?)
        .shaping(arguments.shaping.clone().unwrap_or_default().into())
        .drift_correction(arguments.drift_correction)
        .algebra_threads(arguments.algebra_threads.map_or(1, usize::from))
        .target(target)
        .max_evaluations(arguments.stopping.max_evaluations)
        .max_time(arguments.stopping.max_seconds);
    let StopArguments { same_optimum, unseen_optima, tolerances, .. } = arguments.stopping;
    Ok(with_rules(settings, same_optimum, unseen_optima, tolerances))
}

fn optimize(settings: &Settings, problem: &Problem, quiet: bool) -> Result<Outcome, CommandError> {
    let mut progress = Progress::new();
    let mut run = Run::new(settings);
    if !quiet {
        run = run.observe(|es| {
            progress.update(es);
            ControlFlow::Continue(())
        });
    }
    Ok(run.minimize(|x| problem.evaluate(x))?)
}

fn describe(problem: &Problem, outcome: &Outcome, met: bool) {
    let (f, d) = (problem.function(), problem.dimension());
    let verdict = if met { "done" } else { "stopped short of the target" };
    let coordinates: Vec<String> = outcome.point.iter().take(8).map(|x| format!("{x:.6}")).collect();
    let more = if d > 8 { format!(", … {} more", d - 8) } else { String::new() };
    words("");
    words(&format!("{verdict}: {f} in {d} dimension{}", if d == 1 { "" } else { "s" }));
    match outcome.standard_error {
        None => words(&format!("  best value   {:.6e}", outcome.value)),
        Some(error) => words(&format!("  mean's value {:.6e} ± {error:.1e}", outcome.value)),
    }
    words(&format!("  at           [{}{more}]", coordinates.join(", ")));
    if !f.is_unbounded() {
        let optimum = problem.optimum();
        let squares = outcome.point.iter().zip(&optimum).map(|(a, b)| (a - b).powi(2));
        words(&format!("  off by       {:.2e} (distance from the optimum)", squares.sum::<f64>().sqrt()));
    }
    words(&format!(
        "  evaluations  {} in {} generations of {} points{}",
        grouped(outcome.evaluations),
        grouped(outcome.generations),
        outcome.population,
        reused_words(outcome.reused_share)
    ));
    restart_words(&outcome.restarts).iter().for_each(|line| words(line));
    optima_words(&outcome.optima).iter().for_each(|line| words(line));
    words(&format!("  time         {:.2} s", outcome.seconds));
    words(&format!("  stopped      {}", outcome.stop));
}

fn print_json(
    arguments: &MinimizeArguments,
    problem: &Problem,
    outcome: &Outcome,
) -> Result<(), CommandError> {
    let report = Report {
        problem: problem.function().name(),
        dim: problem.dimension(),
        seed: arguments.seed.unwrap_or(0),
        strategy: arguments.strategy.unwrap_or_default().text(),
        population: outcome.population,
        evaluations: outcome.evaluations,
        generations: outcome.generations,
        value: outcome.value,
        standard_error: outcome.standard_error,
        best_x: &outcome.point,
        mean: &outcome.mean,
        stop: outcome.stop.name(),
        stop_message: outcome.stop.to_string(),
        reused_share: outcome.reused_share,
        seconds: outcome.seconds,
        success: outcome.success,
        restarts: outcome.restarts.iter().map(restart_object).collect(),
        optima: outcome.optima.iter().map(optimum_object).collect(),
    };
    let text = serde_json::to_string(&report).map_err(std::io::Error::from)?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{text}")?;
    Ok(out.flush()?)
}
