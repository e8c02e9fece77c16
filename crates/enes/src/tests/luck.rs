//! Importance mixing in the loop, where the motion was computed from the population that it is to move: luck persists.
//!
//! `mixing.rs` tests the law for a motion that knows nothing of the population: there it holds, as the paper proves.

use enes_problems::{Function, Problem};

use crate::archive::Archive;
use crate::linalg::squared_norm;
use crate::random::Generator;
use crate::search::Search;
use crate::settings::{Params, Settings, Strategy};
use crate::strategy::Engine;

/// The paper's population in 15 dimensions.
const D: usize = 15;
const N: usize = 250;

fn settings() -> Settings {
    Settings::new([0.0; D], 1.0).strategy(Strategy::Published).population(N)
}

/// Which values a generation is told.
#[derive(Clone, Copy, PartialEq)]
enum Values {
    /// Random ones, which a kept row keeps.
    Kept,
    /// Random ones for all rows.
    Anew,
}

/// What a number of runs gave, with the standard error of the first.
struct Neutral {
    /// Change of ln σ a generation.
    drift: f64,
    error: f64,
    /// The same from half of the generations on.
    late: f64,
    /// |x|² a generation, in initial deviations.
    diffusion: f64,
}

/// Runs on values that say nothing of the point.
fn neutral(settings: &Settings, values: Values, runs: usize, generations: usize) -> Neutral {
    let params = Params::new(settings).expect("valid settings");
    let archive = Archive::new(D, D);
    let mut generator = Generator::new(2024);
    let (mut drifts, mut late, mut diffusion) = (Vec::new(), 0.0, 0.0);
    for _ in 0..runs {
        let mut search = Search::new(params.start.clone(), N);
        let mut strategy = Engine::start(&params.strategy, N, &mut search);
        for generation in 0..generations {
            if 2 * generation == generations {
                late -= search.distribution.log_det() / (D * runs) as f64;
            }
            strategy.propose(&mut search, &mut generator);
            search.population.set_costs(std::iter::repeat_with(|| generator.uniform()));
            let again = if values == Values::Anew { search.population.kept() } else { 0 };
            (0..again).for_each(|row| search.population.measure_again(row, |_, _| generator.uniform()));
            strategy.update(&mut search, &archive).expect("a sound distribution");
        }
        late += search.distribution.log_det() / (D * runs) as f64;
        drifts.push(search.distribution.log_det() / (D * generations) as f64);
        diffusion += squared_norm(search.distribution.mean()) / (runs * generations) as f64;
    }
    let drift = drifts.iter().sum::<f64>() / runs as f64;
    let variance = drifts.iter().map(|x| (x - drift).powi(2)).sum::<f64>() / (runs - 1) as f64;
    let late = 2.0 * late / generations as f64;
    Neutral { drift, error: (variance / runs as f64).sqrt(), late, diffusion }
}

#[test]
fn without_mixing_values_that_say_nothing_move_ln_sigma_by_the_noise_of_a_step_only() {
    let Neutral { drift, error, diffusion, .. } =
        neutral(&settings().refresh_rate(1.0), Values::Kept, 20, 100);
    // −½ E M_kk² = −Var(u)/(4n) = −0.0001, from the additive rule; four standard errors, level 6e-5.
    assert!((drift + 0.0001).abs() < 4.0 * error && error < 1e-4, "{drift} ± {error}");
    // d Var(u)/n = 0.0063, somewhat more with b < ū.
    assert!((0.005..0.009).contains(&diffusion), "{diffusion}");
}

#[test]
fn luck_persists_where_kept_rows_keep_their_values() {
    let Neutral { drift, error, diffusion, .. } = neutral(&settings(), Values::Kept, 20, 100);
    // Far beyond any error: the same lucky rows pull again and again.
    assert!((-0.006..-0.0035).contains(&drift) && error < 3e-4, "{drift} ± {error}");
    assert!(diffusion > 0.02, "{diffusion}");
}

#[test]
fn it_is_the_values_that_persist_not_the_points() {
    let Neutral { drift, error, diffusion, .. } = neutral(&settings(), Values::Anew, 20, 100);
    assert!((drift + 0.0001).abs() < 4.0 * error && error < 1e-4, "{drift} ± {error}"); // level 6e-5
    assert!((0.005..0.010).contains(&diffusion), "{diffusion}");
}

#[test]
fn in_the_loop_the_population_is_narrower_than_its_distribution() {
    // With α = 1 the mean of |s|²/d is 1; with reuse the distribution follows the rows it has, and keeps those.
    let problem = Problem::new(Function::Sphere, D, 7).expect("a valid instance");
    let width = |alpha: f64| {
        let start = Settings::new(problem.start(1.0), 1.0).strategy(Strategy::Published).population(N);
        let params = Params::new(&start.refresh_rate(alpha)).expect("valid settings");
        let mut search = Search::new(params.start.clone(), N);
        let mut strategy = Engine::start(&params.strategy, N, &mut search);
        let mut generator = Generator::new(11);
        let mut sum = 0.0;
        for _ in 0..150 {
            strategy.propose(&mut search, &mut generator);
            sum += squared_norm(search.population.whitened()) / (N * D * 150) as f64;
            let values: Vec<f64> =
                search.population.fresh_points().chunks_exact(D).map(|z| problem.evaluate(z)).collect();
            search.population.set_costs(values.into_iter());
            strategy.update(&mut search, &Archive::new(D, D)).expect("a sound distribution");
        }
        sum
    };
    // Its standard error without reuse is √(2/(150 n d)) = 0.0019: four of them, level 6e-5.
    assert!((width(1.0) - 1.0).abs() < 0.0076, "{}", width(1.0));
    assert!((0.90..0.96).contains(&width(0.01)), "{}", width(0.01));
}

#[test]
fn a_corrected_run_does_not_drift() {
    let Neutral { drift, error, late, .. } =
        neutral(&settings().drift_correction(true), Values::Kept, 60, 160);
    // What is asked is 0.0005 a generation, and that the runs suffice to see it; from the start, and later on.
    assert!(drift.abs() < 0.0005 && error < 0.000_13, "{drift} ± {error}");
    assert!(late.abs() < 0.0006, "{late}"); // half of the generations: its error is 0.0002 at most
}

#[test]
fn a_corrected_run_drifts_a_third_as_much_at_another_refresh_rate() {
    let drift = |settings: &Settings| neutral(settings, Values::Kept, 30, 60);
    let other = settings().refresh_rate(0.1);
    let (before, after) = (drift(&other), drift(&other.drift_correction(true)));
    // Level 6e-5 where it is a third exactly.
    assert!(3.0 * after.drift.abs() < before.drift.abs() + 12.0 * after.error, "{}", after.drift);
    assert!(before.drift < -0.003, "{}", before.drift);
}
