//! What an earlier run has learned, from Python: `_warm_start.py` has made it a dictionary of arrays.

use enes::{Optimizer, WarmStart};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::history::rows;

/// Two vectors of Python's.
pub(crate) type Pair<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>);

fn vectors(array: &PyReadonlyArray2<'_, f64>) -> Vec<Vec<f64>> {
    array.as_array().rows().into_iter().map(|row| row.to_vec()).collect()
}

/// `points` and `values`, or `mean` and `covariance` or, in many dimensions, `deviations`; `widen` and `enter` where they are not the default.
pub(crate) fn warm_start(given: &Bound<'_, PyDict>) -> PyResult<WarmStart> {
    let item = |name: &str| -> PyResult<Bound<'_, PyAny>> {
        given.get_item(name)?.ok_or_else(|| PyValueError::new_err(format!("a warm start needs {name}")))
    };
    let warm = if given.contains("points")? {
        let values: PyReadonlyArray1<'_, f64> = item("values")?.extract()?;
        WarmStart::from_table(vectors(&item("points")?.extract()?), values.as_array().to_vec())
    } else {
        let mean: PyReadonlyArray1<'_, f64> = item("mean")?.extract()?;
        let mean = mean.as_array().to_vec();
        match given.get_item("deviations")? {
            Some(deviations) => {
                let deviations: PyReadonlyArray1<'_, f64> = deviations.extract()?;
                WarmStart::from_deviations(mean, deviations.as_array().to_vec())
            }
            None => WarmStart::from_distribution(mean, vectors(&item("covariance")?.extract()?)),
        }
    };
    let warm = match given.get_item("enter")? {
        Some(enter) => warm.points(enter.extract()?),
        None => warm,
    };
    Ok(match given.get_item("widen")? {
        Some(widen) => warm.widen(widen.extract::<Option<f64>>()?),
        None => warm,
    })
}

/// Mean and covariance of the search that found the best point; the covariance has no rows where it has limited memory.
pub(crate) fn learned<'py>(
    py: Python<'py>,
    es: &Optimizer,
) -> (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray2<f64>>) {
    let warm = WarmStart::from_run(es);
    match warm.distribution() {
        Some((mean, covariance)) => {
            (mean.to_vec().into_pyarray(py), rows(py, &covariance.concat(), covariance.len()))
        }
        None => (es.best_search().0.into_pyarray(py), rows(py, &[], es.distribution().dimension())),
    }
}

/// Start and initial deviations, where restarts begin.
pub(crate) fn initial<'py>(py: Python<'py>, es: &Optimizer) -> PyResult<Pair<'py>> {
    let cold = es.settings().clone().warm_start(None);
    let cold = Optimizer::new(&cold).map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok((cold.mean().to_vec().into_pyarray(py), cold.standard_deviations().into_pyarray(py)))
}
