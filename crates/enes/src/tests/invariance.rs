//! Invariance: to order-preserving transformations bit for bit, to translation, to rotation.

use enes_problems::{Function, Problem};

use super::statistics::{ks_critical, ks_two_samples};
use crate::{Baseline, ModelChoice, Optimizer, Settings, Shaping, Strategy};

const STRATEGIES: [Strategy; 2] = [Strategy::Adaptive, Strategy::Published];

/// Settings under which nothing but the order of the values counts.
fn ranks_only(settings: Settings) -> Settings {
    match settings.summary().strategy {
        Strategy::Published => settings,
        Strategy::Adaptive => settings.model(ModelChoice::RankOnly),
    }
}

/// Means of the first 40 generations.
fn trajectory(settings: &Settings, f: impl Fn(&[f64]) -> f64) -> Vec<Vec<f64>> {
    let mut es = Optimizer::new(settings).unwrap();
    (0..40)
        .map(|_| {
            let values: Vec<f64> = es.ask().iter().map(&f).collect();
            es.tell(&values).unwrap();
            [es.mean(), es.distribution().factor()].concat()
        })
        .collect()
}

fn bowl(x: &[f64]) -> f64 {
    x.iter().enumerate().map(|(i, v)| (1 + i) as f64 * v * v).sum()
}

/// Strictly increasing, also in floating-point numbers where values differ by more than rounding.
const TRANSFORMATIONS: [fn(f64) -> f64; 4] =
    [|f| f.exp(), |f| f.powi(3), |f| 1e-3 * f - 7.0, |f| -1.0 / (1.0 + f)];

#[test]
fn a_monotone_transformation_gives_the_identical_run() {
    let settings = ranks_only(Settings::new([1.0, -2.0, 0.5], 0.8).seed(3));
    let plain = trajectory(&settings, bowl);
    for g in TRANSFORMATIONS {
        assert_eq!(plain, trajectory(&settings, |x| g(bowl(x))));
    }
}

#[test]
fn a_monotone_transformation_of_tied_and_failing_values_gives_the_identical_run() {
    // Values on a coarse grid, one in eight not a number: exactly order-preserving maps.
    let steps = |x: &[f64]| match (4.0 * bowl(x)).floor() {
        f if f % 8.0 == 3.0 => f64::NAN,
        f => f,
    };
    let maps: [fn(f64) -> f64; 3] = [|f| 8.0 * f, |f| f * f * f, |f| if f > 5.0 { f + 1e9 } else { f - 1e9 }];
    for strategy in STRATEGIES {
        let settings = ranks_only(Settings::new([1.0, -2.0, 0.5], 0.8).seed(3).strategy(strategy));
        let plain = trajectory(&settings, steps);
        for g in maps {
            let transformed = trajectory(&settings, |x| g(steps(x)));
            assert!(plain.iter().flatten().eq(transformed.iter().flatten()), "{strategy:?}");
        }
    }
}

#[test]
fn a_monotone_transformation_gives_the_identical_published_run() {
    let mean = Baseline::Mean { factor: 1.1 };
    for baseline in [Baseline::None, Baseline::Uniform, Baseline::Specific, Baseline::Block, mean] {
        for shaping in [Shaping::Paper, Shaping::Logarithmic, Shaping::Linear] {
            let settings = Settings::new([1.0, -2.0, 0.5], 0.8).strategy(Strategy::Published).seed(3);
            let settings = settings.baseline(baseline).shaping(shaping).drift_correction(baseline == mean);
            let plain = trajectory(&settings, bowl);
            for g in TRANSFORMATIONS {
                assert_eq!(plain, trajectory(&settings, |x| g(bowl(x))), "{baseline:?}");
            }
        }
    }
}

#[test]
fn raw_fitness_is_not_invariant() {
    // The test above could not fail if the transformed values were never used.
    let settings = Settings::new([1.0, -2.0], 0.5).strategy(Strategy::Published);
    let settings = settings.shaping(Shaping::Raw).learning_rate(0.01);
    assert_ne!(trajectory(&settings, bowl), trajectory(&settings, |x| bowl(x).sqrt()));
}

#[test]
fn a_translation_of_the_problem_translates_the_run() {
    let shift = 16.0; // a power of two, so that the start is translated exactly
    let ways = STRATEGIES.map(|strategy| (strategy, ModelChoice::RankOnly));
    for (strategy, model) in ways.into_iter().chain([(Strategy::Adaptive, ModelChoice::Auto)]) {
        let settings = |x0: [f64; 2]| {
            let settings = Settings::new(x0, 0.8).seed(3).strategy(strategy);
            if strategy == Strategy::Adaptive { settings.model(model) } else { settings }
        };
        let near = trajectory(&settings([1.0, -2.0]), bowl);
        let far = trajectory(&settings([1.0 + shift, -2.0 + shift]), |x| {
            bowl(&x.iter().map(|v| v - shift).collect::<Vec<_>>())
        });
        // As far as the shifted coordinates have digits: the surrogate finds this optimum to the last one.
        let digits = near.iter().take_while(|state| bowl(&state[..2]) > 1e-12).count();
        assert!(digits == 40 || model == ModelChoice::Auto && digits > 1, "{strategy:?}: {digits}");
        for (a, b) in near.iter().zip(&far).take(digits) {
            for (i, (a, b)) in a.iter().zip(b).enumerate() {
                let expected = if i < 2 { a + shift } else { *a };
                assert!((expected - b).abs() < 1e-12 * shift, "{strategy:?}: {expected} {b}");
            }
        }
    }
}

#[test]
fn maximizing_the_negative_is_minimizing() {
    // Maximizing −f is minimizing f, bit for bit.
    for strategy in STRATEGIES {
        let settings = Settings::new([1.0, -2.0], 0.8).seed(3).strategy(strategy);
        let down = trajectory(&settings, bowl);
        let up = trajectory(&settings.direction(crate::Direction::Maximize), |x| -bowl(x));
        assert_eq!(down, up);
    }
}

#[test]
fn a_rotation_of_the_problem_does_not_change_the_law_of_the_run() {
    let evaluations = |strategy: Strategy, rotated: bool| -> Vec<f64> {
        (0..120)
            .map(|seed| {
                let make = if rotated { Problem::new } else { Problem::unrotated };
                let problem = make(Function::Ellipsoid, 4, seed).unwrap();
                // Other seeds for the two samples: they must not be coupled.
                let settings = Settings::new(problem.start(1.0), 1.0)
                    .seed(seed + if rotated { 1000 } else { 0 })
                    .strategy(strategy)
                    .population((strategy == Strategy::Published).then_some(40))
                    .target(1e-10);
                let outcome = crate::minimize(&settings, |x| problem.evaluate(x)).unwrap();
                assert!(outcome.stop.is_target(), "{}", outcome.stop);
                outcome.evaluations as f64
            })
            .collect()
    };
    for strategy in STRATEGIES {
        let distance = ks_two_samples(&evaluations(strategy, false), &evaluations(strategy, true));
        assert!(distance < ks_critical(1e-3), "{strategy:?}: {distance}"); // level 1e-3 each
    }
}
