//! What is told beside values: a total violation, or the values of constraints one by one.

use enes::{ConstraintKind, Optimizer, StopReason, TellError};
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// What came with the values.
#[derive(Clone, Debug)]
pub(crate) enum Beside {
    Nothing,
    Violations(Vec<f64>),
    /// Row after row.
    Constraints(Vec<f64>),
}

impl Beside {
    pub(crate) fn new(
        violations: Option<PyReadonlyArray1<'_, f64>>,
        constraints: Option<PyReadonlyArray2<'_, f64>>,
    ) -> Self {
        match (violations, constraints) {
            (Some(violations), _) => Self::Violations(violations.as_array().to_vec()),
            (None, Some(constraints)) => Self::Constraints(constraints.as_array().iter().copied().collect()),
            (None, None) => Self::Nothing,
        }
    }

    pub(crate) fn tell(&self, es: &mut Optimizer, values: &[f64]) -> Result<(), TellError> {
        match self {
            Self::Nothing => es.tell(values),
            Self::Violations(violations) => es.tell_constrained(values, violations),
            Self::Constraints(constraints) => es.tell_with_constraints(values, constraints),
        }
    }

    pub(crate) fn tell_and_stop(
        &self,
        es: &mut Optimizer,
        values: &[f64],
        stop: StopReason,
    ) -> Result<(), TellError> {
        match self {
            Self::Nothing => es.tell_and_stop(values, stop),
            Self::Violations(violations) => es.tell_and_stop_constrained(values, violations, stop),
            Self::Constraints(constraints) => es.tell_and_stop_with_constraints(values, constraints, stop),
        }
    }

    pub(crate) fn tell_one(&self, es: &mut Optimizer, id: u64, value: f64) -> Result<(), TellError> {
        match self {
            Self::Nothing => es.tell_one(id, value),
            Self::Violations(violation) => es.tell_one_constrained(id, value, violation[0]),
            Self::Constraints(constraints) => es.tell_one_with_constraints(id, value, constraints),
        }
    }

    /// The record is of feasible values: the others become NaN. Linear constraints, which are not told, are not looked at.
    pub(crate) fn hide_infeasible(&self, es: &Optimizer, values: &mut [f64]) {
        let settings = es.settings();
        let (inequalities, equalities) = settings.declared_constraints();
        let width = inequalities + equalities;
        for (i, value) in values.iter_mut().enumerate() {
            let feasible = match self {
                Self::Nothing => true,
                Self::Violations(violations) => violations[i] <= settings.violation_tolerance(),
                Self::Constraints(constraints) => {
                    let row = &constraints[i * width..(i + 1) * width];
                    let tolerance = settings.constraint_tolerance();
                    let met =
                        |(j, c): (usize, &f64)| if j < inequalities { *c } else { c.abs() } <= tolerance;
                    row.iter().enumerate().all(met)
                }
            };
            if !feasible {
                *value = f64::NAN;
            }
        }
    }
}

/// Every constraint at the best point, as dictionaries.
pub(crate) fn statuses<'py>(py: Python<'py>, es: &Optimizer) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let each = es.constraints().into_iter().map(|constraint| {
        let row = PyDict::new(py);
        row.set_item("name", constraint.name)?;
        let kind = match constraint.kind {
            ConstraintKind::Inequality => "inequality",
            ConstraintKind::Equality => "equality",
        };
        row.set_item("kind", kind)?;
        row.set_item("value", constraint.value)?;
        row.set_item("multiplier", constraint.multiplier)?;
        row.set_item("active", constraint.active)?;
        Ok(row)
    });
    each.collect()
}
