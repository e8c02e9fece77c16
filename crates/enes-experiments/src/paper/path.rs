//! Figure 3: a typical run on Rastrigin in two dimensions.

use std::f64::consts::TAU;

use enes_measure::quantile;
use enes_problems::{Function, Problem};

use crate::plan::Plan;
use crate::run::{RunRecord, RunSpec, Start};
use crate::section::{Section, Verdict};
use enes_chart::{Axis, Chart, Map, Shape};

pub(crate) const NAME: &str = "path";
const N: usize = 100;
const DISTANCE: f64 = 5.0;
const GENERATIONS: [usize; 3] = [1, 20, 40];

/// Whether the distribution is drawn that so many updates have made.
pub(crate) fn draws_after(updates: usize) -> bool {
    GENERATIONS.contains(&(updates + 1))
}

/// The paper's settings, and every generation drawn anew.
const VARIANTS: [(&str, f64); 2] = [(MIXED, 0.01), (UNMIXED, 1.0)];
const MIXED: &str = "mixing";
const UNMIXED: &str = "no mixing";

pub(crate) fn runs(plan: Plan) -> Vec<RunSpec> {
    let count = plan.pick(20, 5);
    let spec = |run, (variant, refresh_rate): (&str, f64)| RunSpec {
        variant: variant.to_string(),
        start: Start::Exactly(DISTANCE),
        refresh_rate,
        target: 0.01,
        max_evaluations: 100_000,
        path: true,
        ..super::spec(NAME, Function::Rastrigin, 2, N, run)
    };
    (0..count).flat_map(|run| VARIANTS.map(|variant| spec(run, variant))).collect()
}

/// Runs that reach the optimum and runs made.
fn solved(runs: &[RunRecord], variant: &str) -> (usize, usize) {
    let mine = || runs.iter().filter(|r| r.experiment == NAME && r.variant == variant);
    (mine().filter(|r| r.success).count(), mine().count())
}

/// Of the runs that succeeded, the one with the median number of evaluations.
fn typical<'a>(runs: &'a [RunRecord], variant: &str) -> Option<&'a RunRecord> {
    let solved: Vec<&RunRecord> =
        runs.iter().filter(|r| r.experiment == NAME && r.variant == variant && r.success).collect();
    let median = quantile(&solved.iter().map(|r| r.evaluations as f64).collect::<Vec<_>>(), 0.5);
    let off = |r: &RunRecord| (r.evaluations as f64 - median).abs();
    solved.into_iter().min_by(|a, b| off(a).total_cmp(&off(b)).then(a.run.cmp(&b.run)))
}

pub(crate) fn section(plan: Plan, runs: &[RunRecord]) -> Section {
    let mut section = Section::new(
        NAME,
        "Figure 3: a typical run on Rastrigin",
        "Of the runs that found the optimum, the one with the median number of evaluations: d = 2, n = 100, start at \
         distance 5, C = I; with the paper's refresh rate, and with every generation drawn anew. Dark is low; the line is the \
         path of the mean, the ellipses are half a standard deviation in generations 1, 20 and 40, the cross is the \
         optimum.",
    );
    let mut told = Vec::new();
    let mut crosses = [false; 2];
    for ((variant, alpha), crosses) in VARIANTS.into_iter().zip(&mut crosses) {
        let (good, all) = solved(runs, variant);
        let drawn = typical(runs, variant).and_then(|run| {
            let seed = plan.seed.wrapping_mul(100_003).wrapping_add(run.run);
            Some((run, Problem::new(Function::Rastrigin, 2, seed).ok()?))
        });
        let crossed = drawn.as_ref().map_or(0, |(run, problem)| local_optima_crossed(run, problem));
        *crosses = crossed > 0;
        told.push(format!("α = {alpha}: {good} of {all}, the one drawn through {crossed} other basins"));
        if let Some((run, problem)) = drawn {
            let name = if variant == MIXED { "path" } else { "path-no-mixing" };
            let caption =
                format!("{variant}, α = {alpha}, run {}: {} evaluations.", run.run, run.evaluations);
            section.figure(name, figure(run, &problem), caption);
        }
    }
    // A run is typical of the paper's settings where at least half of theirs get there.
    let (good, all) = solved(runs, MIXED);
    section.claim(
        "eNES jumps over local optima to reach the global optimum, in a typical run.",
        format!("from distance {DISTANCE}, runs that reach it with {}", told.join("; with ")),
        Verdict::of(crosses[0] && 2 * good >= all),
    );
    section
}

fn figure(run: &RunRecord, problem: &Problem) -> String {
    let optimum = problem.optimum();
    let reach = 0.5 * DISTANCE + 2.2;
    let start = problem.start(DISTANCE);
    let middle = [0.5 * (optimum[0] + start[0]), 0.5 * (optimum[1] + start[1])];
    let (x, y) = (Axis::linear("first coordinate"), Axis::linear("second coordinate"));
    let x = x.range(middle[0] - reach, middle[0] + reach);
    let y = y.range(middle[1] - reach, middle[1] + reach);
    let mut chart = Chart::new("A run on Rastrigin's function", x, y).square();
    // The frame is wider than high: fill it all.
    let (width, height, cells) = (1.8 * reach, 1.05 * reach, 84);
    let corner =
        |i: i32, half: f64, centre: f64| centre - half + 2.0 * half * f64::from(i) / f64::from(cells);
    let mut map = Map {
        from: (middle[0] - width, middle[1] - height),
        to: (middle[0] + width, middle[1] + height),
        columns: cells as usize,
        darkness: Vec::new(),
        colour: 5,
    };
    for j in 0..cells {
        for i in 0..cells {
            let at = |i: i32, half: f64, centre: f64| {
                0.5 * (corner(i, half, centre) + corner(i + 1, half, centre))
            };
            let value = problem.evaluate(&[at(i, width, middle[0]), at(j, height, middle[1])]);
            map.darkness.push((1.0 - (value / 130.0).sqrt()).clamp(0.0, 1.0).powi(2));
        }
    }
    chart.map(map);
    let mut path = vec![(start[0], start[1])];
    path.extend(run.path.iter().map(|(mean, _)| (mean[0], mean[1])));
    for (colour, generation) in GENERATIONS.into_iter().enumerate() {
        // Generation g samples from the distribution that g − 1 updates have made.
        let (centre, factor) = match generation.checked_sub(2) {
            None => (start.clone(), vec![1.0, 0.0, 0.0, 1.0]),
            Some(i) => match run.path.get(i) {
                Some((mean, factor)) => (mean.clone(), factor.clone()),
                None => continue,
            },
        };
        let point = |k: i32| {
            let (sin, cos) = (TAU * f64::from(k) / 60.0).sin_cos();
            // ½ Aᵀ(cos, sin)
            let dx = 0.5 * factor[0] * cos;
            let dy = 0.5 * (factor[1] * cos + factor[3] * sin);
            (centre[0] + dx, centre[1] + dy)
        };
        let colour = [1, 2, 6][colour];
        chart.shape(Shape::Outline { points: (0..60).map(point).collect(), colour });
        chart.line(&format!("generation {generation}"), colour, false, Vec::new());
    }
    chart.line("path of the mean", 7, false, path);
    chart.shape(Shape::Cross { at: (optimum[0], optimum[1]), colour: 1 });
    chart.svg()
}

/// Basins of Rastrigin's lattice, other than the start's and the optimum's, that the mean was in.
fn local_optima_crossed(run: &RunRecord, problem: &Problem) -> usize {
    let basin = |z: &[f64]| problem.own_coordinates(z).iter().map(|y| y.round() as i64).collect::<Vec<_>>();
    let ends = [basin(&problem.start(DISTANCE)), basin(&problem.optimum())];
    let mut basins: Vec<_> =
        run.path.iter().map(|(mean, _)| basin(mean)).filter(|b| !ends.contains(b)).collect();
    basins.sort_unstable();
    basins.dedup();
    basins.len()
}
