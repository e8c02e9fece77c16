//! Asynchronous evaluation: one worker is the serial run; any order, loss and delay is counted once.

use enes::{AskError, Bounds, Optimizer, Proposal, Restarts, Settings, StopReason, Strategy, TellError};
use proptest::prelude::*;

type Function = fn(&[f64]) -> f64;

fn sphere(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum()
}

fn rosenbrock(x: &[f64]) -> f64 {
    x.windows(2).map(|p| 100.0 * (p[1] - p[0] * p[0]).powi(2) + (1.0 - p[0]).powi(2)).sum()
}

fn rastrigin(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v + 10.0 * (1.0 - (std::f64::consts::TAU * v).cos())).sum()
}

/// A number that follows from the point alone, as noise.
fn hash(x: &[f64], salt: u64) -> f64 {
    let mut h = salt.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for v in x {
        h = (h ^ v.to_bits()).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        h ^= h >> 29;
    }
    (h >> 11) as f64 / (1u64 << 53) as f64
}

/// The run of `ask` and `tell`, within the budget, as the loops do it.
fn serial(settings: &Settings, limit: u64, mut f: impl FnMut(&[f64], u64) -> f64) -> Optimizer {
    let mut es = Optimizer::new(settings).unwrap();
    let mut count = 0;
    while es.stop_reason().is_none() {
        let points: Vec<Vec<f64>> = es.ask().iter().map(<[f64]>::to_vec).collect();
        let affordable = points.len().min((limit - es.evaluations()) as usize);
        let mut value = |x: &Vec<f64>| {
            count += 1;
            f(x, count)
        };
        let values: Vec<f64> = points[..affordable].iter().map(&mut value).collect();
        if affordable == points.len() {
            es.tell(&values).unwrap();
        } else {
            es.tell_and_stop(&values, StopReason::MaxEvaluations { evaluations: limit, limit }).unwrap();
        }
    }
    es
}

/// One point in flight.
fn one_worker(settings: &Settings, mut f: impl FnMut(&[f64], u64) -> f64) -> Optimizer {
    let mut es = Optimizer::new(settings).unwrap();
    let mut count = 0;
    while let Some(Proposal { id, point, .. }) = es.ask_one().unwrap() {
        count += 1;
        es.tell_one(id, f(&point, count)).unwrap();
    }
    es
}

fn assert_same(a: &Optimizer, b: &Optimizer) {
    assert_eq!(a.stop_reason(), b.stop_reason());
    assert_eq!((a.evaluations(), a.generation()), (b.evaluations(), b.generation()));
    assert_eq!(a.best(), b.best());
    assert_eq!(a.recommendation(), b.recommendation());
    assert_eq!(a.mean(), b.mean());
    assert_eq!(a.standard_deviations(), b.standard_deviations());
    // As text, since a search in which nothing was a number has a NaN.
    assert_eq!(format!("{:?}", a.restarts()), format!("{:?}", b.restarts()));
}

#[test]
fn one_worker_is_the_serial_run_bit_for_bit() {
    let limit = 1203;
    let plain = || Settings::new([0.5; 4], 0.7).seed(3).max_evaluations(limit);
    let boxed: Bounds = [(-1.0, 2.0); 4].into();
    let cases: Vec<(&str, Settings, Function)> = vec![
        ("smooth", plain().target(1e-9), rosenbrock),
        ("restarts", plain(), rastrigin),
        ("bounds", plain().bounds(boxed.clone()), rosenbrock),
        (
            "resampled",
            plain().bounds(boxed).bound_handling(enes::BoundHandling::Resample).restarts(Restarts::Off),
            rosenbrock,
        ),
        ("integers", plain().integer([true, false, true, false]), sphere),
        ("failures", plain(), |x| if x[0] > 0.6 { f64::NAN } else { rosenbrock(x) }),
        ("nothing but failures", plain(), |_| f64::NAN),
        ("flat", plain(), |_| 1.0),
        ("maximize", plain().direction(enes::Direction::Maximize), |x| -rosenbrock(x)),
    ];
    for (name, settings, f) in cases {
        let a = serial(&settings, limit, |x, _| f(x));
        let b = one_worker(&settings, |x, _| f(x));
        println!("{name}: {:?}", a.stop_reason());
        assert_same(&a, &b);
    }
}

#[test]
fn one_worker_is_the_serial_run_under_noise() {
    for limit in [300, 2000] {
        let settings = Settings::new([0.5; 4], 0.7).seed(5).noisy(true).max_evaluations(limit).target(0.01);
        let f = |x: &[f64], count: u64| sphere(x) + 0.1 * hash(x, count);
        assert_same(&serial(&settings, limit, f), &one_worker(&settings, f));
    }
}

/// A run with so many workers in an order that `order` draws, in which `fate` decides what becomes of a point.
#[derive(Clone, Copy, PartialEq)]
enum Fate {
    Returns,
    Fails,
    Dies,
}

/// What a schedule has seen: evaluations told, and the run.
fn scheduled(
    settings: &Settings,
    workers: usize,
    order: u64,
    fate: impl Fn(&[f64], u64) -> Fate,
    f: impl Fn(&[f64]) -> f64,
    save: bool,
) -> (u64, Optimizer) {
    let mut es = Optimizer::new(settings).unwrap();
    let (mut flying, mut told, mut turn) = (Vec::new(), 0, 0u64);
    let mut ids = std::collections::BTreeSet::new();
    loop {
        while flying.len() < workers {
            let Some(proposal) = es.ask_one().unwrap() else { break };
            assert!(ids.insert(proposal.id), "an id is given once");
            assert!(
                es.in_flight().filter(|(_, x)| *x == proposal.point).count() == 1 || settings_round(settings)
            );
            flying.push(proposal);
        }
        assert_eq!(es.in_flight().map(|(id, _)| id).collect::<Vec<_>>(), {
            let mut own: Vec<u64> = flying.iter().map(|p: &Proposal| p.id).collect();
            own.sort_unstable();
            own
        });
        if flying.is_empty() {
            break;
        }
        turn += 1;
        let Proposal { id, point, .. } =
            flying.remove((hash(&[turn as f64], order) * flying.len() as f64) as usize);
        let fate = fate(&point, turn);
        match fate {
            Fate::Returns => es.tell_one(id, f(&point)).unwrap(),
            Fate::Fails => es.tell_one(id, f64::NAN).unwrap(),
            Fate::Dies => es.forget(id).unwrap(),
        }
        told += u64::from(fate != Fate::Dies);
        assert_eq!(es.evaluations(), told, "counted once");
        assert_eq!(es.tell_one(id, 1.0), Err(TellError::NotInFlight { id }));
        assert_eq!(es.forget(id), Err(TellError::NotInFlight { id }));
        if save && turn % 7 == 0 {
            es = Optimizer::from_checkpoint(&es.to_checkpoint()).unwrap();
            // As whoever loads one does, with the limits that there are.
            es.change_limits(|settings| settings).unwrap();
        }
    }
    (told, es)
}

/// Whether rounding may leave no other point.
fn settings_round(settings: &Settings) -> bool {
    format!("{settings:?}").contains("noisy: true") || format!("{settings:?}").contains("true, false, true")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_order_loss_and_failure_is_counted_once_and_a_checkpoint_changes_nothing(
        workers in 1usize..40,
        order in any::<u64>(),
        seed in any::<u64>(),
        limit in 30u64..700,
        case in 0usize..6,
    ) {
        let plain = Settings::new([0.5; 4], 0.7).seed(seed).max_evaluations(limit);
        let settings = match case {
            0 => plain,
            1 => plain.bounds([(-1.0, 2.0); 4]),
            2 => plain.bounds([(-1.0, 2.0); 4]).bound_handling(enes::BoundHandling::Resample).restarts(Restarts::Off),
            3 => plain.integer([true, false, true, false]),
            4 => plain.noisy(true),
            _ => plain.model(enes::ModelChoice::RankOnly),
        };
        // A point that is tried again, as the mean at the end of a noisy run, has another chance.
        let fate = |x: &[f64], turn: u64| match hash(x, order.wrapping_add(turn)) {
            u if u < 0.05 => Fate::Dies,
            u if u < 0.1 => Fate::Fails,
            _ => Fate::Returns,
        };
        let f: fn(&[f64]) -> f64 = if order % 2 == 0 { rastrigin } else { rosenbrock };
        let (told, es) = scheduled(&settings, workers, order, fate, f, false);
        prop_assert!(es.stop_reason().is_some(), "a run without points in flight has ended");
        prop_assert!(told <= limit);
        let (_, again) = scheduled(&settings, workers, order, fate, f, true);
        prop_assert_eq!(es.to_checkpoint(), again.to_checkpoint());
    }

    #[test]
    fn the_best_is_the_best_of_all_that_was_told(workers in 1usize..20, order in any::<u64>()) {
        let settings = Settings::new([0.5; 3], 0.7).seed(order).max_evaluations(300);
        let least = std::cell::Cell::new(f64::INFINITY);
        let f = |x: &[f64]| {
            let value = rosenbrock(x);
            least.set(least.get().min(value));
            value
        };
        let (_, es) = scheduled(&settings, workers, order, |_, _| Fate::Returns, f, false);
        prop_assert_eq!(es.best().unwrap().value, least.get());
        prop_assert_eq!(rosenbrock(es.best().unwrap().point), least.get());
    }
}

#[test]
fn many_workers_reach_the_target_on_smooth_functions_at_little_more_evaluations() {
    for workers in [2, 8, 32] {
        let settings = Settings::new([1.5; 5], 1.0).seed(2).target(1e-8).max_evaluations(20_000);
        let (_, es) = scheduled(&settings, workers, 1, |_, _| Fate::Returns, rosenbrock, false);
        assert!(matches!(es.stop_reason(), Some(StopReason::Target { .. })), "{:?}", es.stop_reason());
    }
}

#[test]
fn eight_workers_take_little_more_evaluations_than_one_on_smooth_functions() {
    let ellipsoid: Function = |x| (0..).zip(x).map(|(i, v)| 10f64.powi(i) * v * v).sum();
    let tablet: Function = |x| 1e4 * x[0] * x[0] + sphere(&x[1..]);
    let functions = [("rosenbrock", rosenbrock as Function), ("ellipsoid", ellipsoid), ("tablet", tablet)];
    for (name, f) in functions {
        // The logarithm of the evaluations, in the mean over runs that reach the target.
        let mean = |workers: usize| {
            let runs = (100..150u64).filter_map(|seed| {
                let off: Vec<f64> = (0..5).map(|i| hash(&[i as f64], seed) - 0.5).collect();
                let start: Vec<f64> = off.iter().map(|v| 1.0 + v * (5.0 / sphere(&off)).sqrt()).collect();
                let settings = Settings::new(start, 1.0).seed(seed).target(1e-8).restarts(Restarts::Off);
                let settings = settings.max_evaluations(5000);
                let (told, es) = scheduled(&settings, workers, seed, |_, _| Fate::Returns, f, false);
                es.stop_reason().is_some_and(StopReason::is_target).then_some((told as f64).ln())
            });
            let logarithms: Vec<f64> = runs.collect();
            assert!(logarithms.len() >= 40, "{name} with {workers}: {} of 50", logarithms.len());
            logarithms.iter().sum::<f64>() / logarithms.len() as f64
        };
        let ratio = (mean(8) - mean(1)).exp();
        println!("{name} {ratio}");
        assert!(ratio <= 1.35, "{name}: {ratio}");
    }
}

#[test]
fn a_late_value_of_an_earlier_search_counts_for_the_best_and_not_for_the_present_search() {
    let settings = Settings::new([3.0; 2], 1.0).seed(4).max_evaluations(5000).restarts(Restarts::Ipop);
    let mut es = Optimizer::new(&settings).unwrap();
    let late = es.ask_one().unwrap().unwrap();
    while es.restarts().is_empty() {
        let Proposal { id, point, .. } = es.ask_one().unwrap().unwrap();
        es.tell_one(id, rastrigin(&point) + 1.0).unwrap();
    }
    let (mean, evaluations) = (es.mean().to_vec(), es.evaluations());
    es.tell_one(late.id, -7.0).unwrap();
    assert_eq!((es.best().unwrap().value, es.best().unwrap().point), (-7.0, &late.point[..]));
    assert_eq!((es.mean(), es.evaluations()), (&mean[..], evaluations + 1));
}

#[test]
fn constraints_are_told_one_at_a_time() {
    let settings = Settings::new([3.0; 3], 1.0).seed(1).max_evaluations(2000);
    let mut es = Optimizer::new(&settings).unwrap();
    let mut flying = es.ask_n(6).unwrap();
    while !flying.is_empty() {
        let Proposal { id, point, .. } = flying.remove(flying.len() / 2);
        es.tell_one_constrained(id, sphere(&point), 1.0 - point[0]).unwrap();
        flying.extend(es.ask_one().unwrap());
    }
    let best = es.best().unwrap();
    assert!(best.violation == 0.0 && (best.value - 1.0).abs() < 1e-6, "{best:?}");
    let mut noisy = Optimizer::new(&Settings::new([3.0], 1.0).noisy(true)).unwrap();
    let id = noisy.ask_one().unwrap().unwrap().id;
    assert_eq!(noisy.tell_one_constrained(id, 1.0, 0.0), Err(TellError::NoisyViolations));
    assert_eq!(noisy.in_flight().len(), 1);
}

#[test]
fn an_injected_point_moves_an_asynchronous_search() {
    let distance = |seed: u64, inject: bool| {
        let mut es = Optimizer::new(&Settings::new([30.0; 4], 1.0).seed(seed)).unwrap();
        let mut flying = es.ask_n(4).unwrap();
        while es.evaluations() < 12 {
            let Proposal { id, point, .. } = flying.remove(0);
            es.tell_one(id, sphere(&point)).unwrap();
            if inject && es.evaluations() == 6 {
                es.inject(&[20.0; 4], sphere(&[20.0; 4])).unwrap();
            }
            flying.extend(es.ask_one().unwrap());
        }
        es.mean().iter().map(|m| (m - 20.0).powi(2)).sum::<f64>().sqrt()
    };
    // The move is of four deviations; half of it is left after the next update, on the average.
    let gains: Vec<f64> = (1..=20).map(|seed| distance(seed, false) - distance(seed, true)).collect();
    assert!(gains.iter().sum::<f64>() / 20.0 > 2.0, "{gains:?}");
    assert!(gains.iter().all(|gain| *gain > 0.0), "{gains:?}");
}

#[test]
fn what_cannot_be_asynchronous_says_so() {
    let mut es = Optimizer::new(&Settings::new([1.0; 3], 1.0).strategy(Strategy::Published)).unwrap();
    assert_eq!(es.ask_one(), Err(AskError::Published));
    let text = AskError::Published.to_string();
    assert!(text.contains("ask and tell") && text.contains("adaptive"), "{text}");
    let mut es = Optimizer::new(&Settings::new([1.0; 3], 1.0)).unwrap();
    let n = es.ask().len();
    assert_eq!(es.ask_n(3), Err(AskError::GenerationOpen));
    es.tell(&vec![1.0; n]).unwrap();
    assert_eq!(es.ask_n(3).unwrap().len(), 3);
    assert_eq!(es.tell_one(17, 1.0), Err(TellError::NotInFlight { id: 17 }));
    assert!(TellError::NotInFlight { id: 17 }.to_string().contains("17"));
}

#[test]
fn a_generation_between_single_points_loses_none_of_them() {
    let mut es = Optimizer::new(&Settings::new([1.0; 3], 1.0).seed(1)).unwrap();
    let flying = es.ask_n(6).unwrap();
    es.tell_one(flying[5].id, sphere(&flying[5].point)).unwrap();
    let values: Vec<f64> = es.ask().iter().map(sphere).collect();
    es.tell(&values).unwrap();
    for p in &flying[..5] {
        es.tell_one(p.id, sphere(&p.point)).unwrap();
    }
    assert_eq!((es.evaluations(), es.in_flight().len()), (6 + values.len() as u64, 0));
}

#[test]
fn threads_reach_the_target_and_one_thread_is_the_serial_run() {
    let settings = Settings::new([1.5; 5], 1.0).seed(2).target(1e-8).max_evaluations(20_000);
    let mut generations = 0;
    let outcome = enes::Run::new(&settings)
        .observe(|es| {
            generations = es.generation();
            std::ops::ControlFlow::Continue(())
        })
        .minimize_parallel(3, rosenbrock)
        .unwrap();
    assert!(outcome.stop.is_target() && outcome.value <= 1e-8);
    assert_eq!(outcome.generations, generations);
    let (alone, serial) = (
        enes::minimize_parallel(&settings, 1, rosenbrock).unwrap(),
        enes::minimize(&settings, rosenbrock).unwrap(),
    );
    assert_eq!((alone.point, alone.evaluations), (serial.point, serial.evaluations));
    let budget = Settings::new([1.5; 5], 1.0).max_evaluations(137);
    assert_eq!(enes::minimize_parallel(&budget, 4, rosenbrock).unwrap().evaluations, 137);
    let published = Settings::new([1.5; 3], 1.0).strategy(Strategy::Published).max_evaluations(200);
    assert_eq!(
        enes::minimize_parallel(&published, 2, sphere).unwrap().value,
        enes::minimize(&published, sphere).unwrap().value
    );
}

#[test]
fn a_panic_of_the_objective_leaves_the_threads() {
    let settings = Settings::new([1.5; 3], 1.0).max_evaluations(1000);
    let count = std::sync::atomic::AtomicU64::new(0);
    let run = || {
        enes::minimize_parallel(&settings, 3, |x| {
            assert!(count.fetch_add(1, std::sync::atomic::Ordering::Relaxed) < 50, "enough");
            rosenbrock(x)
        })
    };
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err());
}

#[test]
fn a_noisy_run_whose_budget_is_nearly_in_flight_ends() {
    for seed in 0..60 {
        let settings = Settings::new([1.0; 3], 1.0).seed(seed).max_evaluations(100 + seed % 40).noisy(true);
        let mut es = Optimizer::new(&settings.target(1e-3)).unwrap();
        let (mut running, mut turn) = (Vec::new(), seed as usize);
        while es.stop_reason().is_none() {
            running.extend(es.ask_n(4 - running.len()).unwrap());
            assert!(!running.is_empty(), "seed {seed}: it goes on, with nothing to evaluate");
            // Any of them is first.
            turn = (7 * turn + 3) % 31;
            let done: enes::Proposal = running.swap_remove(turn % running.len());
            es.tell_one(done.id, done.point.iter().map(|x| x * x).sum()).unwrap();
        }
        assert!(es.evaluations() <= 100 + seed % 40);
    }
}
