//! The benchmark functions of the paper.

use enes_problems::{Function, Problem as Instance};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// A rotated and shifted instance.
#[pyclass(module = "enes._enes", frozen)]
#[derive(Debug)]
pub(crate) struct Problem(Instance);

fn value_error(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

#[pymethods]
impl Problem {
    #[new]
    fn new(name: &str, dim: usize, seed: u64, rotated: bool) -> PyResult<Self> {
        let function: Function = name.parse().map_err(value_error)?;
        let make = if rotated { Instance::new } else { Instance::unrotated };
        make(function, dim, seed).map(Self).map_err(value_error)
    }

    /// Every name, with its description and whether it has one optimum only.
    #[staticmethod]
    fn names() -> Vec<(&'static str, &'static str, bool)> {
        Function::ALL.iter().map(|f| (f.name(), f.description(), f.is_unimodal())).collect()
    }

    fn start<'py>(&self, py: Python<'py>, distance: f64) -> Bound<'py, PyArray1<f64>> {
        self.0.start(distance).into_pyarray(py)
    }

    fn optimum<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.0.optimum().into_pyarray(py)
    }

    #[getter]
    fn target(&self) -> f64 {
        self.0.function().target()
    }

    /// The values at the rows of an array.
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        points: PyReadonlyArray2<'py, f64>,
    ) -> Bound<'py, PyArray1<f64>> {
        let points = points.as_array();
        let mut values = vec![f64::NAN; points.nrows()];
        let owned;
        let numbers = match points.as_slice() {
            Some(numbers) => numbers,
            None => {
                owned = points.iter().copied().collect::<Vec<f64>>();
                &owned
            }
        };
        py.detach(|| self.0.evaluate_rows(numbers, &mut values));
        values.into_pyarray(py)
    }
}
