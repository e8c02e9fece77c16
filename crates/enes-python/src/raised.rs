//! What is raised: the library's refusals, and what the function that gives the starts raises.

use std::sync::{Arc, Mutex};

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

pub(crate) type Raised = Arc<Mutex<Option<PyErr>>>;

/// The start of a restart from a Python function; what it raises is kept, and no start is one that
/// cannot be used.
pub(crate) fn start_rule(starts: Py<PyAny>, raised: Raised) -> impl Fn(u64) -> Vec<f64> + Send + Sync {
    move |_| {
        Python::attach(|py| {
            let start = starts.call0(py).and_then(|x| x.extract::<Vec<f64>>(py));
            start.unwrap_or_else(|error| {
                *raised.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(error);
                Vec::new()
            })
        })
    }
}

pub(crate) fn value_error(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

pub(crate) fn tell_error(error: enes::TellError) -> PyErr {
    match error {
        enes::TellError::NothingAsked => PyRuntimeError::new_err(error.to_string()),
        _ => value_error(error),
    }
}
