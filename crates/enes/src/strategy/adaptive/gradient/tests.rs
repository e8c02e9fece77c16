use super::line::{Line, Next};
use super::look::{Look, Seen};
use super::pairs::Pairs;
use super::secant;
use crate::linalg::{CholeskySpace, dot, squared_norm, transpose_times, upper_times_vector};
use crate::random::Generator;
use crate::strategy::adaptive::tuning::GradientTuning;

fn vectors(d: usize) -> (Vec<f64>, Vec<f64>) {
    let mut generator = Generator::new(3);
    let (mut s, mut y) = (vec![0.0; d], vec![0.0; d]);
    generator.fill_normal(&mut s);
    generator.fill_normal(&mut y);
    // A positive curvature along the step.
    y.iter_mut().zip(&s).for_each(|(y, s)| *y = 0.3 * *y + 2.0 * s);
    (s, y)
}

#[test]
fn the_inverse_of_the_curvatures_leads_from_the_change_of_the_gradient_to_the_step() {
    for d in [2, 17, 50] {
        let (s, y) = vectors(d);
        let (mut factor, mut space) = (vec![0.0; d * d], CholeskySpace::new(d));
        let c = secant::shape(&s, &y, Some(1.5), &mut factor, &mut space).unwrap();
        // UᵀU y = c s
        let (mut once, mut twice) = (vec![0.0; d], vec![0.0; d]);
        upper_times_vector(&factor, &y, &mut once);
        transpose_times(&factor, &once, &mut twice, d);
        for (a, s) in twice.iter().zip(&s) {
            // 1e-9: one factorisation of condition 1e2.
            assert!((a / c - s).abs() < 1e-9 * (1.0 + s.abs()), "{a} {c} {s}");
        }
        let log_det: f64 = factor.iter().step_by(d + 1).map(|u| u.ln()).sum();
        assert!(log_det.abs() < 1e-9);
    }
}

#[test]
fn a_gradient_that_does_not_rise_along_the_step_says_nothing() {
    let (s, mut y) = vectors(5);
    y.iter_mut().for_each(|y| *y = -*y);
    let mut factor = vec![0.0; 25];
    assert_eq!(secant::shape(&s, &y, Some(1.0), &mut factor, &mut CholeskySpace::new(5)), None);
}

/// Where a line ends on this function of the place.
fn end(f: impl Fn(f64) -> f64, slope: f64) -> (Next, usize) {
    let (mut line, tuning) = (Line::new(), GradientTuning::default());
    for tries in 1.. {
        let places = line.places();
        (0..2).for_each(|at| line.tell(at, f(places[at].0)));
        match line.judge(f(0.0), |place| slope * place, 0.1, &tuning) {
            Next::Again => {}
            end => return (end, tries),
        }
    }
    unreachable!()
}

#[test]
fn a_parabola_is_gone_to_the_bottom_of() {
    for bottom in [0.2, 1.0, 2.0, 3.5] {
        let (next, tries) = end(|t| (t - bottom) * (t - bottom), -2.0 * bottom);
        let Next::Go(place, value) = next else { panic!("{next:?}") };
        assert!((place - bottom).abs() < 1e-9 && value < 1e-18, "{bottom}: {place}");
        assert!(tries <= 2);
    }
}

#[test]
fn a_slope_that_promises_too_much_is_not_followed() {
    assert_eq!(end(|t| -0.01 * t, -1.0).0, Next::Leave);
    assert_eq!(end(|t| t, -1.0).0, Next::Leave);
}

/// The function's values for all points of a look around the origin.
fn look_at(d: usize, lambda: usize, close: f64, f: impl Fn(&[f64]) -> f64) -> Seen {
    let mut look = Look::new();
    look.begin(7, lambda);
    let mut s = vec![0.0; d];
    let points: Vec<usize> = look.missing().collect();
    // In another order than they were asked in.
    for at in points.into_iter().rev() {
        look.write(at, close, &mut s);
        look.read(&s.clone(), close, f(&s));
    }
    assert!(look.is_complete());
    look.judge(f(&vec![0.0; d]), close, d, |_| 1.0).unwrap()
}

#[test]
fn a_look_sees_slope_and_curvature_of_a_quadratic_however_stiff() {
    let d = 400;
    let gradient: Vec<f64> = (0..d).map(|j| (j as f64).cos()).collect();
    let stiff = |s: &[f64]| {
        let along = s.iter().sum::<f64>();
        dot(&gradient, s) + 1.5 * squared_norm(s) + 50.0 * along * along / d as f64
    };
    let seen = look_at(d, 40, 1e-6, stiff);
    assert!(seen.error < 1e-6, "{seen:?}");
    // Along thirteen directions of 400: a fifth of the slope, and of what the stiff axis adds to the curvature.
    let slope = squared_norm(&gradient).sqrt();
    assert!((0.6..1.5).contains(&(seen.slope / slope)), "{seen:?} {slope}");
    assert!((3.0..3.6).contains(&seen.curvature), "{seen:?}");
}

#[test]
fn a_look_sees_no_error_in_a_stiff_quadratic_however_long_its_differences() {
    let stiff = |s: &[f64]| s.iter().enumerate().map(|(j, s)| (j as f64).cos() * s + 50.0 * s * s).sum();
    let seen = look_at(60, 16, 0.1, stiff);
    // 1e-9: rounding of values of 3000 over a tenth.
    assert!(seen.error < 1e-9, "{seen:?}");
}

#[test]
fn a_look_sees_ripples() {
    let rippled = |s: &[f64]| s.iter().map(|s| s + (40.0 * s).sin()).sum::<f64>();
    assert!(look_at(300, 30, 1e-6, rippled).error > 1.0);
}

#[test]
fn a_point_beside_those_of_a_look_is_none_of_them() {
    let (mut look, d) = (Look::new(), 50);
    look.begin(1, 13);
    let mut s = vec![0.0; d];
    look.write(0, 1e-3, &mut s);
    s.iter_mut().for_each(|s| *s *= 1.05);
    look.read(&s, 1e-3, 1.0);
    assert_eq!(look.missing().count(), 12);
}

#[test]
fn secants_in_limited_memory_lead_where_the_shape_does() {
    let d = 12;
    let mut generator = Generator::new(9);
    let (mut pairs, c) = (Pairs::new(), 1.7);
    // H as a matrix, by the same updates.
    let mut h: Vec<f64> = (0..d * d).map(|at| if at % (d + 1) == 0 { 1.0 / c } else { 0.0 }).collect();
    for _ in 0..5 {
        let (mut s, mut y) = (vec![0.0; d], vec![0.0; d]);
        generator.fill_normal(&mut s);
        generator.fill_normal(&mut y);
        y.iter_mut().zip(&s).for_each(|(y, s)| *y = 0.3 * *y + 2.0 * s);
        let product = dot(&s, &y);
        assert!((pairs.push(&s, &y) - squared_norm(&y) / product).abs() < 1e-12);
        let hy: Vec<f64> = h.chunks_exact(d).map(|row| dot(row, &y)).collect();
        let more = (1.0 + dot(&y, &hy) / product) / product;
        for (at, h) in h.iter_mut().enumerate() {
            let (i, j) = (at / d, at % d);
            *h += more * s[i] * s[j] - (hy[i] * s[j] + s[i] * hy[j]) / product;
        }
    }
    let (mut g, mut out) = (vec![0.0; d], vec![0.0; d]);
    generator.fill_normal(&mut g);
    pairs.apply(&g, c, &mut out);
    for (row, out) in h.chunks_exact(d).zip(&out) {
        // 1e-10: five updates of condition 1e2.
        assert!((c * dot(row, &g) - out).abs() < 1e-10 * (1.0 + out.abs()));
    }
    // In coordinates that are three times as long gradients are, too, and steps a third.
    pairs.scale(3.0);
    let longer: Vec<f64> = g.iter().map(|g| 3.0 * g).collect();
    let mut again = vec![0.0; d];
    pairs.apply(&longer, 9.0 * c, &mut again);
    assert!(again.iter().zip(&out).all(|(a, b)| (a / 9.0 / c - b / c / 3.0).abs() < 1e-10));
}

#[test]
fn the_oldest_secants_are_forgotten() {
    let (d, mut pairs) = (3, Pairs::new());
    pairs.push(&[1.0, 0.0, 0.0], &[1e3, 0.0, 0.0]);
    (0..40).for_each(|_| {
        pairs.push(&[0.0, 1.0, 0.0], &[0.0, 2.0, 0.0]);
    });
    let mut out = vec![0.0; d];
    pairs.apply(&[1.0, 1.0, 1.0], 1.0, &mut out);
    assert_eq!(out, [1.0, 0.5, 1.0]);
    assert_eq!(pairs.range(), 1.0);
}
