//! Rows stay whole when they move.

use super::*;

fn four_rows() -> Population {
    let mut p = Population::new(4, 2);
    p.points = (0..8).map(f64::from).collect();
    p.whitened = (10..18).map(f64::from).collect();
    p.costs = vec![0.0, 1.0, 2.0, 3.0];
    p
}

#[test]
fn retain_keeps_rows_whole_and_in_order() {
    let mut p = four_rows();
    assert_eq!(p.retain(|row| row % 2 == 1), 2);
    assert_eq!(p.points[..4], [2.0, 3.0, 6.0, 7.0]);
    assert_eq!(p.whitened[..4], [12.0, 13.0, 16.0, 17.0]);
    assert_eq!(p.costs[..2], [1.0, 3.0]);
    assert_eq!((p.fresh(), p.fresh_points().len()), (2, 4));
}

#[test]
fn carried_rows_come_first_in_the_next_generation() {
    let mut p = four_rows();
    p.carry(3);
    p.begin_with_carried(6);
    assert_eq!((p.kept(), p.carried(), p.known(), p.fresh(), p.len()), (0, 3, 3, 3, 6));
    assert_eq!(p.costs()[..3], [1.0, 2.0, 3.0]);
    assert_eq!(p.point(2), [6.0, 7.0]);
}

#[test]
fn rows_that_came_back_keep_what_was_drawn_and_are_whitened_anew_where_they_are_late() {
    let mut p = four_rows();
    p.carry(1);
    p.begin_with_carried(2);
    let row = |i: usize, earlier| {
        let (whitened, point) = ([[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]);
        (whitened[i], point[i], earlier)
    };
    let rows = [row(0, false), row(1, true)];
    p.replace_fresh(
        rows.iter().map(|(s, z, earlier)| Row { whitened: s, point: z, earlier: *earlier }),
        |z, s| s.iter_mut().zip(z).for_each(|(s, z)| *s = -z),
    );
    assert_eq!(p.whitened(), [16.0, 17.0, 1.0, 2.0, 3.0, 4.0]);
    assert_eq!(p.presently_whitened(), [16.0, 17.0, 1.0, 2.0, -7.0, -8.0]);
    assert_eq!((p.len(), p.fresh_points()), (3, &[5.0, 6.0, 7.0, 8.0][..]));
    p.begin(3);
    assert_eq!(p.presently_whitened(), p.whitened());
}

#[test]
fn a_second_measurement_is_averaged() {
    let mut p = four_rows();
    p.begin(4);
    p.set_costs([4.0, 5.0].into_iter());
    p.measure_again(1, |cost, count| (cost * count + 7.0) / (count + 1.0));
    assert_eq!((p.costs()[1], p.measured[1], p.measured[0]), (6.0, 2, 1));
}

#[test]
fn answers_move_with_their_rows_and_order_them() {
    let mut p = four_rows();
    p.constrain(2);
    assert_eq!(p.answers[3..6], [1.0, 0.0, 0.0], "a row without constraints is feasible");
    for row in 0..4 {
        let (_, answers) = p.point_and_answers(row);
        answers.copy_from_slice(&[row as f64, 10.0 * row as f64, -1.0]);
    }
    p.retain(|row| row % 2 == 1);
    assert_eq!(p.answers[..6], [1.0, 10.0, -1.0, 3.0, 30.0, -1.0]);
    p.order(2, |cost, row| cost + row[0] + row[1]);
    assert_eq!(p.costs[..2], [10.0, 32.0]);
    assert_eq!(p.fresh_answers().len(), 6);
    p.constrain(3);
    assert_eq!(p.answers[..8], [1.0, 10.0, -1.0, 0.0, 3.0, 30.0, -1.0, 0.0]);
}
