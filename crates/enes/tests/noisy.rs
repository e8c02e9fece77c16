//! Objectives with noise: the mean is the answer. That it is better than without: `enes-acceptance`.

use enes::{ModelChoice, Optimizer, Restarts, Settings, SettingsError, StopReason, Strategy, TellError};
use enes_acceptance::noisy::*;

#[test]
fn the_result_is_the_mean_and_its_measured_value() {
    for strategy in BOTH {
        let outcome = run(&settings(strategy, 5, 1).noisy(true).max_evaluations(5000), 1.0, 1);
        assert_eq!(outcome.point, outcome.mean);
        let error = outcome.standard_error.unwrap();
        // At least 50 measurements of deviation 1; 4 standard errors: a chance of 1 in 16,000.
        assert!(error > 0.05 && error < 0.2, "{error}");
        assert!((outcome.value - sphere(&outcome.point)).abs() < 4.0 * error, "{outcome:?}");
        // The luckiest point is there too, and boasts.
        assert!(outcome.best.unwrap().1 < outcome.value - 1.0);
    }
}

#[test]
fn the_share_of_noise_is_measured() {
    for strategy in BOTH {
        let share = |f: &mut dyn FnMut(&[f64]) -> f64| {
            let mut es = Optimizer::new(&settings(strategy, 5, 2).noisy(true).tolflatfitness(None)).unwrap();
            let (mut sum, mut count) = (0.0, 0.0);
            while es.evaluations() < 5000 {
                let values: Vec<f64> = es.ask().iter().map(&mut *f).collect();
                es.tell(&values).unwrap();
                (sum, count) = (sum + es.noise_share().unwrap(), count + 1.0);
            }
            sum / count
        };
        assert_eq!(share(&mut |x| sphere(x)), 0.0, "{strategy:?}");
        assert_eq!(share(&mut |_| 1.0), 0.0, "{strategy:?}");
        let mut noise = Noise::new(3);
        let all = share(&mut |_| noise.normal());
        // It starts at 0 and is cut at 1: not quite 1.
        assert!(all > 0.75, "{strategy:?}: {all}");
    }
    assert_eq!(Optimizer::new(&settings(Strategy::Adaptive, 2, 0)).unwrap().noise_share(), None);
}

#[test]
fn the_budget_holds_to_the_last_evaluation() {
    for strategy in BOTH {
        for limit in [1, 2, 5, 8, 19, 20, 21, 40, 77, 333, 1000, 3001] {
            let mut calls = 0;
            let mut noise = Noise::new(limit);
            let chosen = settings(strategy, 3, limit).noisy(true).max_evaluations(limit);
            let outcome = enes::minimize(&chosen, |x| {
                calls += 1;
                sphere(x) + noise.normal()
            });
            let outcome = outcome.unwrap();
            assert_eq!((outcome.evaluations, calls), (limit, limit), "{strategy:?}");
            assert_eq!(outcome.stop.name(), "maxfevals");
            assert!(outcome.standard_error.is_some(), "{limit}: {outcome:?}");
        }
    }
}

#[test]
fn a_target_is_judged_by_the_mean() {
    for strategy in BOTH {
        // The least value there is is 0. Single values are below −1 in one of six evaluations near it.
        let outcome = run(&settings(strategy, 4, 4).noisy(true).target(-1.0).max_evaluations(6000), 1.0, 4);
        assert_eq!(outcome.stop.name(), "maxfevals", "{}", outcome.stop);
        let outcome = run(&settings(strategy, 4, 5).noisy(true).target(0.5).max_evaluations(50_000), 1.0, 5);
        assert!(outcome.stop.is_target(), "{}", outcome.stop);
        assert!(outcome.value <= 0.5 && sphere(&outcome.point) < 2.0, "{outcome:?}");
    }
}

#[test]
fn exact_values_cost_little() {
    for strategy in BOTH {
        let middle = |noisy: bool| {
            let one = |seed| {
                // Compared with the rank-based mode: what a surrogate saves is another matter.
                let model = match strategy {
                    Strategy::Adaptive => ModelChoice::RankOnly,
                    _ => ModelChoice::Auto,
                };
                let chosen = settings(strategy, 10, seed).model(model).noisy(noisy).target(1e-10);
                run(&chosen, 0.0, seed).evaluations
            };
            let mut counts: Vec<u64> = (1..=7).map(one).collect();
            counts.sort_unstable();
            counts[3] as f64
        };
        let ratio = middle(true) / middle(false);
        assert!(ratio < 1.3, "{strategy:?}: {ratio}");
    }
}

#[test]
fn neither_threads_nor_batches_change_a_run() {
    // Noise that depends on the point alone: the same whoever evaluates.
    let f = |x: &[f64]| {
        let bits = x.iter().fold(17u64, |h, v| (h ^ v.to_bits()).wrapping_mul(0x0000_0100_0000_01b3));
        sphere(x) + Noise::new(bits).normal()
    };
    for strategy in BOTH {
        let chosen = settings(strategy, 4, 6).noisy(true).max_evaluations(3000);
        let serial = enes::minimize(&chosen, f).unwrap();
        let batch = enes::minimize_batch(&chosen, |points, values| {
            for i in (0..points.len()).rev() {
                values[i] = f(&points[i]);
            }
        });
        let batch = batch.unwrap();
        assert_eq!((batch.point, batch.value, batch.best), (serial.point.clone(), serial.value, serial.best));
        #[cfg(feature = "rayon")]
        for threads in [1, 2, 3] {
            let parallel = enes::minimize_parallel_sync(&chosen, threads, f).unwrap();
            assert_eq!(parallel.point, serial.point);
            assert_eq!((parallel.value, parallel.evaluations), (serial.value, serial.evaluations));
        }
    }
}

#[test]
#[cfg(feature = "serde")]
fn a_resumed_run_continues_bit_for_bit() {
    let box_ = [(-5.0, 5.0), (2.0, 2.0), (0.0, f64::INFINITY), (1e-3, 10.0)];
    for strategy in BOTH {
        let free = settings(strategy, 4, 7).noisy(true).max_evaluations(4000);
        let bounded = Settings::new([3.0, 2.0, 3.0, 3.0], 2.0).bounds(box_).strategy(strategy);
        for chosen in [free, bounded.log_scale([false, false, false, true]).noisy(true).max_evaluations(3000)]
        {
            let mut noise = Noise::new(8);
            let mut whole = Optimizer::new(&chosen).unwrap();
            let mut resumed = whole.clone();
            let mut sizes = vec![];
            while whole.stop_reason().is_none() {
                resumed = Optimizer::from_checkpoint(&resumed.to_checkpoint()).unwrap();
                let points = resumed.ask().as_slice().to_vec();
                resumed = Optimizer::from_checkpoint(&resumed.to_checkpoint()).unwrap();
                assert_eq!(resumed.ask().as_slice(), points);
                assert_eq!(whole.ask().as_slice(), points);
                let values: Vec<f64> = whole.ask().iter().map(|x| sphere(x) + noise.normal()).collect();
                whole.tell(&values).unwrap();
                resumed.tell(&values).unwrap();
                assert!(whole.to_checkpoint() == resumed.to_checkpoint(), "{}", whole.generation());
                sizes.push(whole.population_size());
            }
            assert_eq!(whole.recommendation(), resumed.recommendation());
            assert_eq!(whole.stop_reason(), resumed.stop_reason());
            sizes.dedup();
            assert_eq!(sizes.len() > 3, strategy == Strategy::Adaptive, "{sizes:?}");
            let mean = whole.recommendation().unwrap().point;
            let bounds = chosen.dimension() == 4 && mean[1] == 2.0;
            assert!(!bounds || mean.iter().zip(box_).all(|(x, (low, high))| (low..=high).contains(x)));
        }
    }
}

#[test]
fn a_run_whose_budget_is_raised_goes_on() {
    let mut noise = Noise::new(9);
    let mut es =
        Optimizer::new(&settings(Strategy::Adaptive, 3, 9).noisy(true).max_evaluations(500)).unwrap();
    let mut go = |es: &mut Optimizer| {
        while es.stop_reason().is_none() {
            let values: Vec<f64> = es.ask().iter().map(|x| sphere(x) + noise.normal()).collect();
            es.tell(&values).unwrap();
        }
        es.evaluations()
    };
    assert_eq!(go(&mut es), 500);
    es.change_limits(|settings| settings.max_evaluations(1500)).unwrap();
    assert_eq!(go(&mut es), 1500);
}

#[test]
fn larger_is_better_where_the_user_says_so() {
    let mut noise = Noise::new(10);
    let chosen = settings(Strategy::Adaptive, 4, 10).noisy(true).max_evaluations(4000);
    let outcome = enes::maximize(&chosen, |x| 7.0 - sphere(x) + noise.normal()).unwrap();
    // At least 40 measurements of deviation 1.
    assert!((outcome.value - 7.0).abs() < 0.7, "{outcome:?}");
    assert!(outcome.best.unwrap().1 > 8.0);
}

#[test]
fn failures_among_the_measurements_do_no_harm() {
    for strategy in BOTH {
        let mut noise = Noise::new(11);
        let chosen = settings(strategy, 4, 11).noisy(true).max_evaluations(6000);
        let outcome = enes::minimize(&chosen, |x| match noise.uniform() {
            u if u < 0.1 => f64::NAN,
            _ => sphere(x) + 0.1 * noise.normal(),
        });
        let outcome = outcome.unwrap();
        assert!(sphere(&outcome.point) < 0.1 && outcome.value.is_finite(), "{strategy:?}: {outcome:?}");
    }
}

#[test]
fn restarts_are_refused_and_not_made() {
    for restarts in [Restarts::Ipop, Restarts::Bipop] {
        let error = settings(Strategy::Adaptive, 2, 0).restarts(restarts).noisy(true).validate();
        assert_eq!(error, Err(SettingsError::NoisyRestarts));
        assert!(error.unwrap_err().to_string().contains("leave them out"));
    }
    let outcome = run(&Settings::new([3.0; 3], 1.0).noisy(true).max_evaluations(5000), 100.0, 12);
    assert_eq!(outcome.restarts, []);
}

#[test]
fn without_limits_a_noisy_run_ends_by_itself() {
    let outcome = run(&settings(Strategy::Adaptive, 2, 13).noisy(true), 1.0, 13);
    assert_eq!(outcome.stop.name(), "tolstagnation");
    assert!(outcome.evaluations < 2_000_000);
}

#[test]
fn values_with_noise_are_not_modelled() {
    let noisy = settings(Strategy::Adaptive, 10, 14).noisy(true);
    let ranks = settings(Strategy::Adaptive, 10, 14).model(ModelChoice::RankOnly);
    assert_eq!(noisy.population_size(), ranks.population_size());
    let es = Optimizer::new(&noisy).unwrap();
    assert!(!es.uses_surrogate() && es.model().is_none());
    let error = noisy.clone().batch(3).validate().unwrap_err();
    assert_eq!(error, SettingsError::NoisyBatch { value: 3 });
    assert!(error.to_string().contains("must be left out"));
    // `model` says nothing then.
    let max = |s: Settings| run(&s.max_evaluations(600), 1.0, 14);
    let (auto, ranks) = (max(noisy.clone()), max(noisy.model(ModelChoice::RankOnly)));
    assert_eq!((auto.point, auto.value), (ranks.point, ranks.value));
}

#[test]
fn constraints_are_refused_and_nothing_changes() {
    let settings = settings(Strategy::Adaptive, 3, 15).noisy(true).max_evaluations(100);
    let error = enes::minimize_constrained(&settings, |_| unreachable!("nothing is evaluated"));
    assert_eq!(error, Err(SettingsError::NoisyConstraints));
    let mut es = Optimizer::new(&settings).unwrap();
    let values = vec![1.0; es.ask().len()];
    let zeros = vec![0.0; values.len()];
    assert_eq!(es.tell_constrained(&values, &zeros), Err(TellError::NoisyViolations));
    let stop = StopReason::Observer { generation: 0 };
    assert_eq!(es.tell_and_stop_constrained(&values, &zeros, stop), Err(TellError::NoisyViolations));
    assert_eq!(es.evaluations(), 0);
    assert_eq!(es.tell(&values), Ok(()));
}

#[test]
fn an_injected_value_is_a_measurement_and_no_target() {
    let mut noise = Noise::new(16);
    let settings = settings(Strategy::Adaptive, 3, 16).noisy(true).target(-5.0).max_evaluations(3000);
    let mut es = Optimizer::new(&settings).unwrap();
    let mut measured = false;
    while es.stop_reason().is_none() {
        let points = es.ask();
        measured = points.len() > 1 && points.iter().all(|x| x == &points[0]);
        let values: Vec<f64> = points.iter().map(|x| sphere(x) + noise.normal()).collect();
        if es.generation() < 20 {
            // Far too good to be true, and better each time.
            es.inject(&[1.0, 1.0, 1.0], -10.0 - es.generation() as f64).unwrap();
        }
        assert!(es.stop_reason().is_none());
        es.tell(&values).unwrap();
    }
    assert!(measured && es.injected() == 20);
    assert_eq!(es.stop_reason().unwrap().name(), "maxfevals");
    assert!(es.best().unwrap().value < -20.0);
    assert!(sphere(&es.recommendation().unwrap().point) < 0.5);
}

#[test]
fn bounds_and_integers_hold_while_the_population_changes() {
    let settings = Settings::new([3.0; 4], 1.5).bounds(vec![(-4.0, 5.0); 4]).seed(17);
    let settings = settings.integer([true, false, true, false]).noisy(true).max_evaluations(4000);
    let mut noise = Noise::new(17);
    let (mut largest, mut es) = (0, Optimizer::new(&settings).unwrap());
    while es.stop_reason().is_none() {
        let points = es.ask();
        let inside = |x: &[f64]| x.iter().all(|v| (-4.0..=5.0).contains(v)) && x[0].fract() == 0.0;
        assert!(points.iter().all(inside));
        let values: Vec<f64> = points.iter().map(|x| sphere(x) + 20.0 * noise.normal()).collect();
        es.tell(&values).unwrap();
        largest = largest.max(es.population_size());
    }
    assert!(largest > 2 * settings.population_size());
    assert_eq!(es.evaluations(), 4000);
}

/// As a run that goes on from a checkpoint does: the same limits are set again, while the mean is being measured.
#[test]
fn the_mean_is_measured_though_limits_are_set_again() {
    for budget in [30, 222] {
        let settings = settings(Strategy::Adaptive, 4, 1).noisy(true).max_evaluations(budget);
        let end = |again: bool| {
            let mut es = Optimizer::new(&settings).unwrap();
            while es.stop_reason().is_none() {
                let values: Vec<f64> = es.ask().iter().map(sphere).collect();
                if again {
                    es.change_limits(|settings| settings).unwrap();
                    assert_eq!(es.stop_reason(), None, "{} of {budget}", es.evaluations());
                }
                es.tell(&values).unwrap();
                if again {
                    es.change_limits(|settings| settings).unwrap();
                }
            }
            (es.evaluations(), es.recommendation())
        };
        assert_eq!(end(true), end(false));
        assert_eq!(end(true).0, budget);
    }
}

#[test]
fn a_budget_that_was_lowered_leaves_room_for_the_mean() {
    let mut es =
        Optimizer::new(&settings(Strategy::Adaptive, 4, 1).noisy(true).max_evaluations(500)).unwrap();
    let step = |es: &mut Optimizer| {
        let values: Vec<f64> = es.ask().iter().map(sphere).collect();
        es.tell(&values).unwrap();
    };
    while es.evaluations() < 100 {
        step(&mut es);
    }
    let lower = es.evaluations() + 3;
    es.change_limits(|settings| settings.max_evaluations(lower)).unwrap();
    while es.stop_reason().is_none() {
        step(&mut es);
    }
    assert_eq!(es.evaluations(), lower);
    let (mean, measured) = (es.mean().to_vec(), es.recommendation().unwrap());
    assert_eq!((measured.point.clone(), measured.value), (mean.clone(), sphere(&mean)));
}

#[test]
fn noise_that_falls_with_the_values_does_not_make_the_population_grow_on() {
    for seed in [1, 2] {
        let mut noise = Noise::new(seed);
        let settings = Settings::new(vec![1.0; 30], 1.0).seed(seed).noisy(true).max_evaluations(18_000);
        let outcome = enes::minimize(&settings, |x| sphere(x) * (1.0 + 0.3 * noise.normal())).unwrap();
        assert!(sphere(&outcome.mean) < 1e-3, "{seed}: {}", sphere(&outcome.mean));
    }
}
