//! What was told of a generation: values and constraints, and the costs that follow from both.

use super::incumbent::Candidate;
use super::view::View;
use super::{Noise, Optimizer, Search};
use crate::error::TellError;
use crate::math::cost;
use crate::settings::Params;

/// Values, and what was told of constraints beside them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Told<'a> {
    pub(super) values: &'a [f64],
    pub(super) constraints: Given<'a>,
}

/// What was told of constraints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Given<'a> {
    /// Nothing.
    Nothing,
    /// A total violation of each point.
    Violations(&'a [f64]),
    /// The values of all that the settings declare, point after point.
    Values(&'a [f64]),
}

impl<'a> Told<'a> {
    pub(super) fn new(values: &'a [f64], constraints: Given<'a>) -> Self {
        Self { values, constraints }
    }

    /// What was told of one point: constraint values and a total violation.
    fn row(&self, index: usize, told: usize) -> (&'a [f64], f64) {
        match self.constraints {
            Given::Nothing => (&[], 0.0),
            Given::Violations(violations) => (&[], violations[index]),
            Given::Values(values) => (&values[index * told..(index + 1) * told], 0.0),
        }
    }
}

impl Optimizer {
    /// Whether what is told of constraints fits the settings.
    pub(super) fn check_constraints(&self, told: Told<'_>) -> Result<(), TellError> {
        let (expected, values) = (self.params.constraints.told(), told.values.len());
        let got = match told.constraints {
            Given::Violations(_) if self.noise.is_active() => return Err(TellError::NoisyViolations),
            Given::Violations(_) if expected > 0 => return Err(TellError::TotalViolation { expected }),
            Given::Violations(violations) if violations.len() != values => {
                return Err(TellError::WrongViolations { values, violations: violations.len() });
            }
            Given::Violations(_) => return Ok(()),
            Given::Nothing => 0,
            Given::Values(constraints) => constraints.len(),
        };
        match got == expected * values {
            true => Ok(()),
            false => Err(TellError::WrongConstraints { expected, values, got }),
        }
    }

    /// Rows of constraint values have as many as are known from now on.
    pub(super) fn expect_constraints(&mut self, total_violation: bool) {
        let known = self.params.constraints.len() + usize::from(total_violation);
        let width = known.max(self.archive.lagrangian().width());
        self.archive.constrain(width);
        self.search.population.constrain(width);
    }

    /// Values become costs of the fresh rows; where there are constraints, of all rows and points, since the
    /// multipliers learn from a whole generation first.
    pub(super) fn order_generation(&mut self, told: Told<'_>, complete: bool) {
        let total = matches!(told.constraints, Given::Violations(_));
        self.expect_constraints(total);
        let (sign, width) = (self.params.sign, self.archive.lagrangian().width());
        if width == 0 {
            let costs = told.values.iter().map(|v| cost::unconstrained(sign * v));
            return self.search.population.set_costs(costs);
        }
        let learns = complete && !self.strategy.sets_multipliers();
        let Self { params, search, view, archive, .. } = self;
        let (constraints, population) = (&params.constraints, &mut search.population);
        for (i, value) in told.values.iter().enumerate() {
            let (row, violation) = told.row(i, constraints.told());
            let (searched, answers) = population.point_and_answers(i);
            let point = view.shown(&params.space, i).unwrap_or(searched);
            answers[0] = sign * value;
            constraints.fill(point, row, violation, &mut answers[1..]);
        }
        let rows = population.known() + told.values.len();
        if learns {
            archive.lagrangian_mut().learn(constraints, population.fresh_answers());
            archive.reorder(constraints, sign);
        }
        let lagrangian = archive.lagrangian();
        population.order(rows, |cost, row| lagrangian.merit(constraints, cost, row));
        population.count_measurements();
    }
    /// The row of constraint values of a point, and how it stands to them.
    pub(super) fn judge(
        &mut self,
        point: &[f64],
        value: f64,
        told: &[f64],
        violation: Option<f64>,
    ) -> (Vec<f64>, Judged) {
        self.expect_constraints(violation.is_some());
        let Self { params, archive, .. } = self;
        let mut row = vec![0.0; archive.lagrangian().width()];
        params.constraints.fill(point, told, violation.unwrap_or(0.0), &mut row);
        let cost = params.sign * value;
        let judged = match row.is_empty() {
            true => {
                let cost = cost::unconstrained(cost);
                Judged { order: cost, merit: cost, violation: 0.0 }
            }
            false => Judged {
                order: params.constraints.order(cost, &row),
                merit: archive.lagrangian().merit(&params.constraints, cost, &row),
                violation: params.constraints.violation(&row).0,
            },
        };
        (row, judged)
    }

    /// The multipliers that are shown are those of the search that found the best point.
    pub(super) fn note_holder(&mut self) {
        if self.holds_the_best() {
            self.archive.lagrangian_mut().holds_the_best();
        }
    }
}

/// How a point stands to others and to the constraints.
#[derive(Clone, Copy, Debug)]
pub(super) struct Judged {
    /// What decides which point is the best: feasible ones by value, then infeasible ones by violation.
    pub(super) order: f64,
    /// What orders points for the search.
    pub(super) merit: f64,
    /// The largest violation; 0 where there is none.
    pub(super) violation: f64,
}

/// The fresh rows, as points of the user's with value, violation and the cost that decides which is the best.
pub(super) fn fresh<'a>(
    told: Told<'a>,
    params: &'a Params,
    noise: &Noise,
    search: &'a Search,
    view: &'a View,
) -> impl Iterator<Item = Candidate<'a>> + use<'a> {
    let (sign, noisy, population) = (params.sign, noise.is_active(), &search.population);
    let points = view.points(&params.space, population);
    let rows = points.into_iter().zip(population.fresh_costs()).zip(told.values).enumerate();
    rows.map(move |(i, ((point, &cost), &value))| {
        let constraints = population.fresh_constraints(i);
        let constrained = !constraints.is_empty();
        Candidate {
            point,
            cost: if constrained { params.constraints.order(sign * value, constraints) } else { cost },
            // Under noise a cost may be an average.
            value: if noisy { sign * cost } else { value },
            violation: params.constraints.violation(constraints).0,
            constraints,
        }
    })
}
