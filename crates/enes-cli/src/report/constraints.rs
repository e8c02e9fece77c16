//! Constraints: what each of them is at the best point, and the trade between value and violation.

use enes_chart::{Axis, Chart};
use serde::Deserialize;

use super::folder::Run;
use super::html::{Figure, Table, number, rough};

/// So many points of the front are kept.
const MOST: usize = 400;
/// So many constraints are listed.
const LISTED: usize = 60;

/// A constraint of `best.json`.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Constraint {
    name: String,
    kind: String,
    value: Option<f64>,
    multiplier: Option<f64>,
    active: bool,
}

/// The points of which no other is better in value and violation: violation and value, from the least violation on.
#[derive(Clone, Debug, Default)]
pub(super) struct Front(Vec<(f64, f64)>);

impl Front {
    /// Take in a point; 0 is feasible.
    pub(super) fn take(&mut self, violation: f64, value: f64) {
        let place = self.0.partition_point(|p| p.0 <= violation);
        if place > 0 && self.0[place - 1].1 <= value {
            return;
        }
        let worse = self.0[place..].iter().take_while(|p| p.1 >= value).count();
        // One with the same violation and a larger value stands before it.
        let first = if place > 0 && self.0[place - 1].0 == violation { place - 1 } else { place };
        self.0.splice(first..place + worse, [(violation, value)]);
        if self.0.len() > 2 * MOST {
            let last = self.0.len() - 1;
            let mut number = 0;
            self.0.retain(|_| {
                number += 1;
                number % 2 == 1 || number == last + 1
            });
        }
    }
}

/// How much less value a violation buys; none where fewer than three points say so.
pub(super) fn trade(run: &Run) -> Option<Figure> {
    let front = &run.trace.front.0;
    let least = front.iter().map(|p| p.0).find(|v| *v > 0.0)?;
    if front.len() < 3 {
        return None;
    }
    let axis = Axis::symmetric("largest violation", least.max(1e-9));
    let mut chart = Chart::new("Value against violation", axis, Axis::linear("value")).small();
    chart.marked("", 0, false, front.clone());
    let feasible = match front.first() {
        Some((0.0, value)) => format!(" At the left, at 0, is the best feasible value, {}.", number(*value)),
        _ => " No point was feasible.".to_string(),
    };
    let (violation, value) = front.last()?;
    let caption = format!(
        "The least value that was seen with at most this violation, up to {} at a violation of {}.{feasible} The axis is \
         logarithmic, and linear near 0.",
        number(*value),
        rough(*violation)
    );
    Some(Figure { svg: chart.svg(), caption })
}

/// Each constraint at the best point; none where the run has none.
pub(super) fn table(run: &Run, place: usize) -> Option<Table> {
    let constraints = &run.best.as_ref()?.constraints;
    if constraints.is_empty() {
        return None;
    }
    let word = |v: Option<f64>| v.map_or_else(String::new, number);
    let row = |c: &Constraint| {
        let active = if c.active { "yes" } else { "no" };
        vec![c.name.clone(), c.kind.clone(), word(c.value), word(c.multiplier), active.to_string()]
    };
    Some(Table {
        id: format!("constraints-{place}"),
        caption: "Constraints at the best point. A multiplier is by about how much the best value would fall if the \
                  constraint were relaxed by one."
            .to_string(),
        header: vec!["constraint", "kind", "value", "multiplier", "active"],
        rows: constraints.iter().take(LISTED).map(row).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::Front;

    #[test]
    fn the_front_has_what_nothing_else_beats() {
        let mut front = Front::default();
        for (violation, value) in
            [(1.0, 5.0), (2.0, 6.0), (0.0, 9.0), (0.5, 7.0), (1.0, 4.0), (3.0, 1.0), (0.0, 8.0), (2.5, 4.0)]
        {
            front.take(violation, value);
        }
        assert_eq!(front.0, [(0.0, 8.0), (0.5, 7.0), (1.0, 4.0), (3.0, 1.0)]);
        front.take(0.2, 0.5);
        assert_eq!(front.0, [(0.0, 8.0), (0.2, 0.5)]);
    }

    #[test]
    fn a_long_front_stays_bounded() {
        let mut front = Front::default();
        (0..5000).for_each(|i| front.take(f64::from(i), -f64::from(i)));
        assert!(front.0.len() <= 800 && front.0[0] == (0.0, 0.0), "{}", front.0.len());
        assert_eq!(front.0.last(), Some(&(4999.0, -4999.0)));
    }
}
