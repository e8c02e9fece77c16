//! Leave-one-out by leaving out, the step by its conditions, guards by the worst input.

use super::kernel::{Fit, Frame};
use super::responses::predict;
use super::step::Quadratic;
use super::*;
use crate::archive::{Entry, Readers};
use crate::linalg;
use crate::random::Generator;
use crate::search::Motion;
use crate::strategy::adaptive::sizes::coefficients;
use crate::strategy::adaptive::tuning::Configuration;

fn sample(n: usize, d: usize, seed: u64) -> (Vec<f64>, Vec<f64>) {
    let mut generator = Generator::new(seed);
    let (mut s, mut y) = (vec![0.0; n * d], vec![0.0; n]);
    generator.fill_normal(&mut s);
    generator.fill_normal(&mut y);
    s[..d].iter_mut().for_each(|x| *x *= 4.0); // a far point
    (s, y)
}

fn identity(d: usize) -> Vec<f64> {
    (0..d * d).map(|i| if i % (d + 1) == 0 { 1.0 } else { 0.0 }).collect()
}

/// Take points into a frame as they are.
fn take_in(frame: &mut Frame, points: &[f64], d: usize) -> bool {
    let n = points.len() / d;
    let mut archive = Archive::new(d, d);
    archive.begin_search(0, n);
    for point in points.chunks_exact(d) {
        archive.add(
            point,
            None,
            Entry { value: 0.0, violation: 0.0, cost: 0.0, measured: 1, readers: Readers::ALL },
        );
    }
    let rows: Vec<usize> = (0..n).collect();
    frame.whiten(&rows, &archive, &SearchDistribution::new(vec![0.0; d], identity(d)).unwrap())
}

/// The prediction of a quadratic, up to a constant.
fn value(q: &Quadratic, x: &[f64]) -> f64 {
    let d = x.len();
    let bend = |k: usize, l: usize| q.hessian[k.min(l) * d + k.max(l)];
    let square: f64 = (0..d).map(|k| (0..d).map(|l| 0.5 * x[k] * bend(k, l) * x[l]).sum::<f64>()).sum();
    linalg::dot(&q.gradient, x) + square
}

/// Kernel model by the formulas, without the library's kernels: α and the constant.
fn plain_prediction(c: Configuration, s: &[f64], y: &[f64], d: usize, at: &[f64]) -> f64 {
    let size = d as f64;
    let norm = |a: &[f64]| a.iter().map(|v| v * v).sum::<f64>();
    let kernel = |a: &[f64], b: &[f64]| {
        let x = linalg::dot(a, b) / size;
        1.0 + x + 0.5 * x * x + (norm(a) - size) * (norm(b) - size) / (2.0 * size)
    };
    let rows: Vec<&[f64]> = s.chunks_exact(d).collect();
    let n = rows.len();
    // (K + νD)α = y by elimination.
    let mut m: Vec<Vec<f64>> = (0..n)
        .map(|i| {
            let mut row: Vec<f64> = rows.iter().map(|t| kernel(rows[i], t)).collect();
            row[i] += c.ridge * (norm(rows[i]) / size).max(1.0).powf(c.falloff);
            row.push(y[i]);
            row
        })
        .collect();
    for k in 0..n {
        let p = (k..n).max_by(|&a, &b| m[a][k].abs().total_cmp(&m[b][k].abs())).unwrap();
        m.swap(k, p);
        for i in 0..n {
            if i != k {
                let factor = m[i][k] / m[k][k];
                let pivot = m[k].clone();
                m[i].iter_mut().zip(&pivot).for_each(|(a, b)| *a -= factor * b);
            }
        }
    }
    rows.iter().enumerate().map(|(i, t)| m[i][n] / m[i][i] * kernel(t, at)).sum()
}

#[test]
fn leave_one_out_predictions_are_those_of_models_without_the_point() {
    let tuning = SurrogateTuning::default();
    for (n, d, configuration) in [(9, 2, tuning.high_ridge), (30, 4, tuning.low_ridge), (14, 4, tuning.exact)]
    {
        let (s, y) = sample(n, d, 3);
        let latest = d + 5;
        let mut frame = Frame::new(n, d);
        assert!(take_in(&mut frame, &s, d));
        frame.multiply(n);
        let mut fit = Fit::new(configuration, n, latest);
        assert!(fit.factorize(&frame, latest));
        let mut alpha = y.clone();
        fit.solve(&mut alpha);
        let (mut predictions, mut errors) = (Vec::new(), Vec::new());
        fit.predict_latest(&y, &alpha, &mut predictions);
        fit.errors_of_latest(&mut errors);
        let mut again = Vec::new();
        predict(&errors, &y, latest, &mut again);
        for (i, (p, q)) in predictions.iter().zip(&again).enumerate() {
            let out = n - latest + i;
            let keep = |v: &[f64], k: usize| -> Vec<f64> {
                v.chunks_exact(k)
                    .enumerate()
                    .filter(|(j, _)| *j != out)
                    .flat_map(|(_, r)| r.to_vec())
                    .collect()
            };
            let truth = plain_prediction(configuration, &keep(&s, d), &keep(&y, 1), d, &s[out * d..][..d]);
            // 1e-5: the exact model has a condition near 1e10 here.
            assert!((p - truth).abs() < 1e-5 * (1.0 + truth.abs()), "n {n} d {d} point {i}: {p} {truth}");
            assert!((p - q).abs() < 1e-5 * (1.0 + truth.abs()));
        }
    }
}

#[test]
fn an_exact_model_of_a_quadratic_is_that_quadratic() {
    for d in [1, 2, 5, 12] {
        let n = coefficients(d) + 3;
        let (s, c) = sample(n, d, 5);
        let (g, h) = (&c[..d], |k: usize, l: usize| ((k * l) as f64).cos() + if k == l { 3.0 } else { 0.0 });
        let f = |x: &[f64]| {
            let bend: f64 = (0..d).map(|k| (0..d).map(|l| 0.5 * x[k] * h(k, l) * x[l]).sum::<f64>()).sum();
            1.5 + linalg::dot(g, x) + bend
        };
        let mut alpha: Vec<f64> = s.chunks_exact(d).map(f).collect();
        let mut frame = Frame::new(n, d);
        assert!(take_in(&mut frame, &s, d));
        frame.multiply(n);
        let mut fit = Fit::new(SurrogateTuning::default().exact, n, latest(d).min(n));
        assert!(fit.factorize(&frame, latest(d).min(n)));
        fit.solve(&mut alpha);
        let mut quadratic = Quadratic::new(d, SurrogateTuning::default());
        frame.expand(&alpha, fit.weight(), &mut quadratic);
        for k in 0..d {
            // 1e-6: a ridge of 1e-13 against eigenvalues of the kernel down to about 1e-4.
            assert!((quadratic.gradient[k] - g[k]).abs() < 1e-6, "d {d}: {} {}", quadratic.gradient[k], g[k]);
            for l in k..d {
                assert!((quadratic.hessian[k * d + l] - h(k, l)).abs() < 1e-6);
            }
        }
    }
}

#[test]
fn the_isotropic_model_finds_a_sphere_from_a_few_points() {
    let d = 8;
    let n = d + 4;
    let (s, centre) = sample(n, d, 2);
    let centre = &centre[..d];
    let y: Vec<f64> =
        s.chunks_exact(d).map(|x| x.iter().zip(centre).map(|(x, c)| (x - c).powi(2)).sum()).collect();
    let norms: Vec<f64> = s.chunks_exact(d).map(linalg::squared_norm).collect();
    let mut model = Isotropic::new(SurrogateTuning::default().exact, n, d);
    assert!(model.factorize(&s, &norms));
    let (mut errors, mut predictions) = (Vec::new(), Vec::new());
    model.errors_of_latest(n, &mut errors);
    predict(&errors, &y, n, &mut predictions);
    // Each point follows from the others: one more than there are coefficients is left.
    predictions.iter().zip(&y).for_each(|(p, y)| assert!((p - y).abs() < 1e-5 * (1.0 + y), "{p} {y}"));
    let mut quadratic = Quadratic::new(d, SurrogateTuning::default());
    model.expand(&y, &mut quadratic);
    assert!(quadratic.diagonalize());
    let mut step = vec![0.0; d];
    quadratic.gradient.iter().zip(centre).for_each(|(g, c)| assert!((g + 2.0 * c).abs() < 1e-6));
    quadratic.step_within(1.5, &mut step);
    assert!(linalg::squared_norm(&step).sqrt() <= 1.5 * (1.0 + 1e-9));
}

#[test]
fn the_step_is_the_least_in_the_ball() {
    // Positive, indefinite, negative, flat, and the hard case, in which the gradient lacks an axis.
    let cases: [(&[f64], &[f64]); 6] = [
        (&[0.1, 0.2, -0.1], &[1.0, 2.0, 3.0]),
        (&[1.0, -2.0, 0.5], &[-1.0, 0.5, 4.0]),
        (&[1e-3, 2.0, 1.0], &[-3.0, -2.0, -1.0]),
        (&[0.0, 1.0, 1.0], &[-2.0, 1.0, 1.0]),
        (&[1.0, 1.0, 1.0], &[0.0, 0.0, 0.0]),
        (&[0.0, 0.0, 0.0], &[0.0, 0.0, 0.0]),
    ];
    let d = 3;
    let radius = 0.6 * 3f64.sqrt();
    for (gradient, curvatures) in cases {
        let mut q = Quadratic::new(d, SurrogateTuning::default());
        q.gradient.copy_from_slice(gradient);
        (0..d).for_each(|k| q.hessian[k * d + k] = curvatures[k]);
        assert!(q.diagonalize());
        let mut step = vec![0.0; d];
        let decrease = q.step_within(radius, &mut step);
        let length = linalg::squared_norm(&step).sqrt();
        assert!(length <= radius * (1.0 + 1e-9), "{gradient:?} {curvatures:?}: {step:?}");
        let least = value(&q, &step);
        assert!((least + decrease).abs() < 1e-12, "{least} {decrease}");
        let mut generator = Generator::new(1);
        for _ in 0..2000 {
            let mut x = [0.0; 3];
            generator.fill_normal(&mut x);
            let far = radius * generator.uniform().cbrt() / linalg::squared_norm(&x).sqrt();
            x.iter_mut().for_each(|x| *x *= far);
            assert!(value(&q, &x) >= least - 1e-9, "{gradient:?} {curvatures:?}: {step:?} {x:?}");
        }
    }
}

/// What a surrogate makes of these points.
fn judged(d: usize, points: &[f64], costs: &[f64], factor: Vec<f64>) -> (State, Surrogate) {
    let tuning = SurrogateTuning::default();
    let (mut state, mut surrogate) = (State::new(d, &tuning), Surrogate::new(d, 4, None, None, tuning));
    let mut archive = Archive::new(d, d);
    archive.begin_search(0, surrogate_window(d, 4));
    for (point, &cost) in points.chunks_exact(d).zip(costs) {
        let entry = Entry { value: cost, violation: 0.0, cost, measured: 1, readers: Readers::ALL };
        archive.add(point, None, entry);
    }
    state.count(costs.len());
    let distribution = SearchDistribution::new(vec![0.0; d], factor).unwrap();
    let doubt = Doubt { need: 0.0, complete: true, serial: false };
    surrogate.choose_mode(&mut state, &distribution, &archive, doubt);
    (state, surrogate)
}

#[test]
fn the_worst_input_gives_no_model_or_a_finite_one() {
    let d = 3;
    let n = 24;
    let (s, y) = sample(n, d, 9);
    let bowl: Vec<f64> = s.chunks_exact(d).map(linalg::squared_norm).collect();
    let times = |c: f64| bowl.iter().map(|v| c * v).collect::<Vec<f64>>();
    let mut some_fail = bowl.clone();
    some_fail.iter_mut().step_by(3).for_each(|v| *v = f64::NAN);
    some_fail.iter_mut().skip(1).step_by(5).for_each(|v| *v = f64::INFINITY);
    let costs: Vec<Vec<f64>> = vec![
        vec![f64::NAN; n],
        vec![f64::INFINITY; n],
        vec![f64::NEG_INFINITY; n],
        vec![1.0; n],
        times(1e300),
        times(1e-300),
        times(5e-324),
        bowl.iter().map(|v| 1e16 + v).collect(),
        y.iter().map(|v| if *v > 0.0 { 1e308 } else { -1e308 }).collect(),
        some_fail,
        y,
        bowl.clone(),
    ];
    let duplicated: Vec<f64> = s[..d].iter().copied().cycle().take(n * d).collect();
    let collinear: Vec<f64> = (0..n * d).map(|i| (i / d) as f64).collect();
    let bad: Vec<f64> =
        (0..d * d).map(|i| if i % (d + 1) == 0 { 10f64.powi(-8 * (i / d) as i32) } else { 0.0 }).collect();
    for points in [&s, &duplicated, &collinear] {
        for factor in [identity(d), bad.clone()] {
            for costs in &costs {
                let (mut state, mut surrogate) = judged(d, points, costs, factor.clone());
                let Some(best) = state.best else { continue };
                assert!(best.error.is_finite() && best.error > 0.0);
                let mut motion = Motion::none(d);
                let distribution = SearchDistribution::new(vec![0.0; d], factor.clone()).unwrap();
                surrogate.step(&mut state, &distribution, &mut motion, false);
                let moved = motion.shift.iter().chain(&motion.factor);
                assert!(moved.into_iter().all(|v| v.is_finite()), "{costs:?}");
            }
        }
    }
    // A bowl is seen as one at any scale that values can have.
    for c in [1e300, 1e-300, 1.0] {
        let best = judged(d, &s, &times(c), identity(d)).0.best.unwrap();
        assert!(best.error < 0.05, "{c:e}: {best:?}");
    }
}

#[test]
fn a_step_whose_value_comes_later_is_judged_then_by_its_own_radius() {
    let tuning = SurrogateTuning::default();
    let (mut state, mut archive) = (State::new(2, &tuning), Archive::new(2, 2));
    archive.begin_search(0, 8);
    let promise = Promise { power: None, deviation: 1.0, best: 10.0, decrease: 4.0, length: 1.0 };
    state.promise = Some(promise);
    state.judge_steps(Some((&[1.0, 1.0], None)), &archive, &tuning);
    assert!(!state.is_judged() && state.record.kept_promise.is_none());
    let mut motion = Motion::none(2);
    motion.scale(0.5);
    state.count_motion(&motion);
    let entry = Entry { value: 6.0, violation: 0.0, cost: 6.0, measured: 1, readers: Readers::ALL };
    archive.add(&[1.0, 1.0], None, entry);
    state.judge_steps(None, &archive, &tuning);
    // Twice the radius that it had, which is four times the present one.
    assert!((state.log_step.unwrap() - 4f64.ln()).abs() < 1e-12, "{:?}", state.log_step);
    assert_eq!(state.record.kept_promise, Some(true));
    state.judge_steps(None, &archive, &tuning);
    assert_eq!((state.log_step, state.record.kept_promise), (Some(0.0), None));
}

#[test]
fn while_no_step_has_come_back_newtons_length_counts_for_a_certain_model_alone() {
    let (d, n) = (3, 24);
    let (s, y) = sample(n, d, 9);
    let far = |x: &[f64]| x.iter().map(|v| (v - 20.0).powi(2)).sum();
    let bowl: Vec<f64> = s.chunks_exact(d).map(far).collect();
    let log_step = |costs: &[f64]| {
        let (mut state, mut surrogate) = judged(d, &s, costs, identity(d));
        let mut motion = Motion::none(d);
        let distribution = SearchDistribution::new(vec![0.0; d], identity(d)).unwrap();
        surrogate.step(&mut state, &distribution, &mut motion, false);
        (state.best.unwrap().error, motion.log_scale())
    };
    let (certain, longer) = log_step(&bowl);
    assert!(certain < 0.05 && (longer - 0.5).abs() < 1e-12, "{certain} {longer}");
    let (uncertain, same) = log_step(&y);
    assert!(uncertain > 0.05 && same.abs() < 1e-12, "{uncertain} {same}");
}

#[test]
fn the_shape_that_is_given_back_is_the_last_that_a_certain_model_has_seen() {
    let (d, n) = (3, 24);
    let (s, y) = sample(n, d, 9);
    let bowl: Vec<f64> = s.chunks_exact(d).map(linalg::squared_norm).collect();
    let scaled = |by: f64| identity(d).iter().map(|a| by * a).collect::<Vec<f64>>();
    let (mut state, mut surrogate) = judged(d, &s, &bowl, identity(d));
    let mut step = |state: &mut State, by: f64| {
        let distribution = SearchDistribution::new(vec![0.0; d], scaled(by)).unwrap();
        surrogate.step(state, &distribution, &mut Motion::none(d), false);
    };
    step(&mut state, 1.0);
    step(&mut state, 2.0);
    assert_eq!(state.sound, scaled(2.0));
    state.best = judged(d, &s, &y, identity(d)).0.best;
    step(&mut state, 4.0);
    assert_eq!(state.sound, scaled(2.0), "a model that was not certain");
}

#[test]
fn an_exact_model_that_failed_is_tried_again_the_later_the_more_it_costs() {
    let tuning = SurrogateTuning::default();
    for (d, every) in [(2, 1), (10, 4), (20, 16)] {
        let n = coefficients(d);
        let mut archive = Archive::new(d, d);
        archive.begin_search(0, n);
        let entry = Entry { value: 0.0, violation: 0.0, cost: 0.0, measured: 1, readers: Readers::ALL };
        (1..n).for_each(|_| archive.add(&vec![0.0; d], None, entry));
        let mut state = State::new(d, &tuning);
        assert!(!state.tries_exact(&archive, d, &tuning), "a point is missing in {d} dimensions");
        archive.add(&vec![0.0; d], None, entry);
        let tried = (0..32).filter(|_| !state.rests(true) && state.tries_exact(&archive, d, &tuning));
        assert_eq!(tried.count(), 32 / every, "{d} dimensions");
        state.exact_counts = true;
        assert!(state.tries_exact(&archive, d, &tuning), "one that counts is made every time");
        state.exact_counts = false;
        assert!(!state.rests(true) && state.tries_exact(&archive, d, &tuning) == (every == 1));
        // With a history of new points it is due.
        state.count(n);
        assert!(state.exact_is_due(&archive) && state.tries_exact(&archive, d, &tuning));
        assert!(!state.exact_is_due(&archive));
    }
}

#[test]
fn a_quadratic_is_known_as_long_as_the_exact_model_counts() {
    let mut state = State::new(2, &SurrogateTuning::default());
    state.exact_counts = true;
    assert!(state.known_quadratics().next().is_none(), "there was none");
    (state.known.place, state.known.slope) = (vec![1.0, 2.0], vec![0.0, 1.0]);
    (state.known.height, state.known.curvatures) = (3.0, vec![2.0, 1.0, 1.0, 4.0]);
    // 3 + 1 + (2 + 2 + 4)/2 at (2, 3).
    assert_eq!(state.known_quadratics().next().unwrap().predict(&[2.0, 3.0], &mut Vec::new()), 8.0);
    state.exact_counts = false;
    assert!(state.known_quadratics().next().is_none(), "what it said of a wider landscape");
}
