//! What the archive knows of constraints: the values of each at every point, and the order that follows from them.

use super::Archive;
use crate::constraints::{Constraints, Lagrangian};

impl Archive {
    /// From now on each point has so many constraint values; those that it has have 0 in place of the new ones.
    pub(crate) fn constrain(&mut self, width: usize) {
        let old = self.lagrangian.width();
        if width == old {
            return;
        }
        let mut constraints = Vec::with_capacity(self.entries.capacity() * width);
        for row in 0..self.entries.len() {
            constraints.extend_from_slice(&self.constraints[row * old..(row + 1) * old]);
            constraints.resize((row + 1) * width, 0.0);
        }
        self.constraints = constraints;
        self.lagrangian.widen(width);
    }

    /// What makes one cost of value and constraints.
    pub(crate) fn lagrangian(&self) -> &Lagrangian {
        &self.lagrangian
    }

    pub(crate) fn lagrangian_mut(&mut self) -> &mut Lagrangian {
        &mut self.lagrangian
    }

    /// Order all points anew, by the present multipliers. `sign` makes a cost of a value.
    pub(crate) fn reorder(&mut self, constraints: &Constraints, sign: f64) {
        let width = self.lagrangian.width();
        for (row, (entry, cost)) in self.entries.iter_mut().zip(&mut self.costs).enumerate() {
            let values = &self.constraints[row * width..(row + 1) * width];
            *cost = self.lagrangian.merit(constraints, sign * entry.value, values);
            entry.cost = *cost;
        }
    }

    /// The values of these rows, as the objective returned them.
    pub(crate) fn values_of(&self, rows: &[usize], out: &mut Vec<f64>) {
        out.clear();
        out.extend(rows.iter().map(|&row| self.entries[row].value));
    }

    /// The constraint values of these rows: for each as many as [`Lagrangian::width`] says, row after row.
    pub(crate) fn constraints_of(&self, rows: &[usize], out: &mut Vec<f64>) {
        let width = self.lagrangian.width();
        out.clear();
        rows.iter().for_each(|&row| {
            out.extend_from_slice(&self.constraints[row * width..(row + 1) * width]);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::{Entry, Reader, Readers};

    fn entry(value: f64) -> Entry {
        Entry { value, violation: 0.0, cost: value, measured: 1, readers: Readers::ALL }
    }

    #[test]
    fn constraint_values_stay_with_their_points() {
        let mut archive = Archive::new(1, 1);
        archive.begin_search(3, 2);
        archive.add(&[9.0], None, entry(9.0));
        archive.constrain(2);
        for i in 0..20 {
            let v = f64::from(i);
            archive.add_constrained(&[v], None, entry(v), &[10.0 * v, -v]);
        }
        let (mut rows, mut values, mut constraints) = (Vec::new(), Vec::new(), Vec::new());
        archive.read(Reader::Surrogate, &mut rows);
        archive.values_of(&rows, &mut values);
        archive.constraints_of(&rows, &mut constraints);
        assert_eq!((values, constraints), (vec![18.0, 19.0], vec![180.0, -18.0, 190.0, -19.0]));
    }

    #[test]
    fn points_from_before_the_first_violation_are_feasible() {
        let mut archive = Archive::new(1, 1);
        archive.begin_search(3, 2);
        archive.add(&[1.0], None, entry(1.0));
        archive.constrain(1);
        archive.add_constrained(&[2.0], None, entry(2.0), &[7.0]);
        let mut constraints = Vec::new();
        archive.constraints_of(&[0, 1], &mut constraints);
        assert_eq!(constraints, [0.0, 7.0]);
    }

    #[test]
    fn new_multipliers_give_every_point_its_new_cost() {
        let constraints = Constraints::new(&["g".into()], &[], &[], None);
        let mut archive = Archive::new(1, 1);
        archive.begin_search(9, 9);
        archive.constrain(1);
        for i in 0..6 {
            let x = f64::from(i);
            archive.add_constrained(&[x], None, entry(x), &[3.5 - x]);
        }
        let rows: Vec<f64> = (0..6).flat_map(|i| [f64::from(i), 3.5 - f64::from(i)]).collect();
        archive.lagrangian_mut().learn(&constraints, &rows);
        archive.reorder(&constraints, 1.0);
        let mut costs = Vec::new();
        archive.costs_of(&[0, 1, 2, 3, 4, 5], &mut costs);
        // The least value is the most infeasible, and comes last now.
        assert!(costs[0] > costs[1] && costs[1] > costs[4] && costs[4] < costs[5], "{costs:?}");
        assert_eq!(costs[2], archive.lagrangian().merit(&constraints, 2.0, &[1.5]));
        assert_eq!(archive.entries[2].cost, costs[2]);
    }
}
