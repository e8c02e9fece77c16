use super::line::{Line, Next};
use super::secant;
use crate::linalg::{CholeskySpace, transpose_times, upper_times_vector};
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
        match line.judge(f(0.0), slope, 0.1, &tuning) {
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
