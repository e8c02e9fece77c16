//! The step within ball and box, by its conditions; widths at a bound.

use super::*;
use crate::space::Limits;
use proptest::prelude::*;

/// Gradient, Hessian, factor, rooms to the bounds, radius.
type Problem = (Vec<f64>, Vec<f64>, Vec<f64>, Vec<(f64, f64)>, f64);

/// A quadratic, a factor and a box around the origin, in d coordinates.
fn problems() -> impl Strategy<Value = Problem> {
    (1..6usize).prop_flat_map(|d| {
        let numbers = |n| prop::collection::vec(-2.0..2.0f64, n);
        let room = prop_oneof![Just(0.0), 0.01..1.5f64];
        (
            numbers(d),
            numbers(d * d),
            numbers(d * d),
            prop::collection::vec((room.clone(), room), d)
                .prop_map(|rooms| rooms.into_iter().map(|(a, b)| (-a - 1e-9, b)).collect()),
            0.1..3.0f64,
        )
    })
}

struct Solved {
    step: Vec<f64>,
    decrease: f64,
    rests: usize,
    quadratic: Quadratic,
    rows: Vec<f64>,
}

fn solve(gradient: &[f64], hessian: &[f64], factor: &[f64], rooms: &[(f64, f64)], radius: f64) -> Solved {
    let d = gradient.len();
    let mut quadratic = Quadratic::new(d, SurrogateTuning::default());
    quadratic.gradient.copy_from_slice(gradient);
    quadratic.hessian.copy_from_slice(hessian);
    let upper = |i: usize, j: usize| match i.cmp(&j) {
        std::cmp::Ordering::Less => factor[i * d + j],
        std::cmp::Ordering::Equal => 0.3 + factor[i * d + j].abs(),
        std::cmp::Ordering::Greater => 0.0,
    };
    let factor = (0..d * d).map(|k| upper(k / d, k % d)).collect();
    let distribution = SearchDistribution::new(vec![0.0; d], factor).unwrap();
    let mut faces = Faces::new(Limits::plain(rooms), SurrogateTuning::default());
    faces.stand_at(&distribution);
    faces.make_room(&vec![0.0; d]);
    assert!(quadratic.diagonalize());
    let mut step = vec![0.0; d];
    let ball = quadratic.step_within(radius, &mut step);
    let decrease = faces.keep_within(&quadratic, radius, ball, &mut step);
    Solved { step, decrease, rests: faces.rests.len(), quadratic, rows: faces.rows.clone() }
}

proptest! {
    /// Inside ball and box, and as low as it says; where the response is convex, no small step that stays inside leads
    /// lower. Where it is not, a walk over faces finds one of its minima or a point on the way there.
    #[test]
    fn the_step_is_a_minimiser_within_ball_and_box(
        convex in prop::bool::ANY,
        (gradient, hessian, factor, rooms, radius) in problems(),
        ways in prop::collection::vec(prop::collection::vec(-1.0..1.0f64, 6), 40),
    ) {
        let d = gradient.len();
        let mut hessian = hessian;
        if convex {
            hessian.iter_mut().step_by(d + 1).for_each(|b| *b += 2.1 * d as f64);
        }
        let solved = solve(&gradient, &hessian, &factor, &rooms, radius);
        let place = |x: &[f64], j: usize| dot(&solved.rows[j * d..(j + 1) * d], x);
        let inside = |x: &[f64], slack: f64| {
            squared_norm(x) <= radius * radius * (1.0 + slack)
                && (0..d).all(|j| {
                    (rooms[j].0 - slack..=rooms[j].1 + slack).contains(&place(x, j))
                })
        };
        prop_assert!(inside(&solved.step, 1e-9), "{:?}", solved.step);
        let mut scratch = vec![0.0; d];
        let decrease = solved.quadratic.decrease(&solved.step, &mut scratch);
        prop_assert!((decrease - solved.decrease).abs() <= 1e-9 * (1.0 + decrease.abs()));
        prop_assert!(decrease >= 0.0);
        for way in &ways {
            let near: Vec<f64> = solved.step.iter().zip(way).map(|(x, w)| x + 1e-4 * w).collect();
            if convex && inside(&near, 0.0) {
                let other = solved.quadratic.decrease(&near, &mut scratch);
                prop_assert!(other <= decrease + 1e-7, "{other} {decrease}");
            }
        }
    }
}

#[test]
fn a_coordinate_rests_on_its_bound_and_leaves_it_again() {
    // (x − 2)² + (y − 1)² from the corner of the unit square: to the face x = 1, y free.
    let (hessian, factor) = ([2.0, 0.0, 0.0, 2.0], [0.7, 0.0, 0.0, 0.7]);
    let corner = [(0.0, 1.0), (0.0, 5.0)];
    let solved = solve(&[-4.0, -2.0], &hessian, &factor, &corner, 10.0);
    assert!((solved.step[0] - 1.0).abs() < 1e-12 && (solved.step[1] - 1.0).abs() < 1e-12);
    assert_eq!(solved.rests, 1);
    // Both coordinates push out of the corner: nothing to gain.
    let stuck = solve(&[4.0, 2.0], &hessian, &factor, &corner, 10.0);
    assert_eq!((stuck.decrease, stuck.rests), (0.0, 2));
}

#[test]
fn samples_are_narrow_across_a_steep_bound_only() {
    let d = 2;
    let mut quadratic = Quadratic::new(d, SurrogateTuning::default());
    quadratic.gradient.copy_from_slice(&[40.0, -1.0]);
    quadratic.hessian.copy_from_slice(&[1.0, 0.0, 0.0, 1.0]);
    assert!(quadratic.diagonalize());
    let distribution = SearchDistribution::new(vec![0.0; d], vec![1.0, 0.0, 0.0, 1.0]).unwrap();
    let mut faces = Faces::new(Limits::plain(&[(0.0, 9.0), (-9.0, 9.0)]), SurrogateTuning::default());
    faces.stand_at(&distribution);
    faces.make_room(&[0.0, 0.0]);
    let mut step = [0.0; 2];
    let ball = quadratic.step_within(2.0, &mut step);
    faces.keep_within(&quadratic, 2.0, ball, &mut step);
    let mut widths = [7.0; 2];
    faces.narrow(quadratic.mean_curvature(), 0.0, &mut widths);
    // λ = 40, L = 1, d = 2: half of Ld against λ.
    assert!((widths[0] - 1.0 / 40.0).abs() < 1e-12 && widths[1] == 1.0, "{widths:?}");
    faces.narrow(0.0, 0.0, &mut widths);
    assert_eq!(widths, [1.0, 1.0]);
}
