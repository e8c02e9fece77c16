//! What a run says about its searches, the optima they found and its model: rows by name.

use enes::{Optimizer, Optimum, Restart};
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The searches that ended and were followed by another.
pub(crate) fn restarts<'py>(py: Python<'py>, es: &Optimizer) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let row = |restart: &Restart| {
        let row = PyDict::new(py);
        row.set_item("stop", restart.reason.name())?;
        row.set_item("message", restart.reason.to_string())?;
        row.set_item("evaluations", restart.evaluations)?;
        row.set_item("generations", restart.generations)?;
        row.set_item("population", restart.population)?;
        row.set_item("scale", restart.scale)?;
        row.set_item("fun", restart.value)?;
        row.set_item("violation", restart.violation)?;
        Ok(row)
    };
    es.restarts().iter().map(row).collect()
}

/// The optima in which searches have converged, the best first.
pub(crate) fn optima<'py>(py: Python<'py>, es: &Optimizer) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let row = |optimum: Optimum| {
        let row = PyDict::new(py);
        row.set_item("x", optimum.point.into_pyarray(py))?;
        row.set_item("fun", optimum.value)?;
        row.set_item("violation", optimum.violation)?;
        row.set_item("found", optimum.found)?;
        row.set_item("nfev", optimum.evaluations)?;
        Ok(row)
    };
    es.optima().into_iter().map(row).collect()
}

/// The best surrogate of the latest generation, where there is one.
pub(crate) fn model<'py>(py: Python<'py>, es: &Optimizer) -> PyResult<Option<Bound<'py, PyDict>>> {
    let Some(status) = es.model() else { return Ok(None) };
    let row = PyDict::new(py);
    row.set_item("mode", status.mode.name())?;
    row.set_item("response", status.response.name())?;
    row.set_item("error", status.error)?;
    Ok(Some(row))
}
