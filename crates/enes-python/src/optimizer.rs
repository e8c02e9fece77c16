//! The optimizer as Python sees it: arrays in, arrays out, the interpreter lock released during
//! arithmetic.

use enes::{Optimizer, StopReason};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::beside::{self, Beside};
use crate::history::{History, rows};
use crate::raised::{Raised, start_rule, tell_error, value_error};
use crate::reports;
use crate::settings::{refusal, scale, settings, with_limits};
use crate::warm_start;

/// One run: the library's optimizer and the record of its generations.
#[pyclass(module = "enes._enes")]
#[derive(Debug)]
pub(crate) struct Core {
    es: Optimizer,
    history: History,
    /// What the function that gives the starts has raised.
    raised: Raised,
    /// Values told one at a time since the last generation; NaN for infeasible ones.
    told: Vec<f64>,
}

#[pymethods]
impl Core {
    #[new]
    #[pyo3(signature = (x0, sigma0, seed, options, bounds=None, warn=None))]
    fn new(
        x0: Option<PyReadonlyArray1<'_, f64>>,
        sigma0: Option<&Bound<'_, PyAny>>,
        seed: u64,
        options: &Bound<'_, PyDict>,
        bounds: Option<PyReadonlyArray2<'_, f64>>,
        warn: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let sigma0 = sigma0.map(scale).transpose()?;
        let settings = settings(x0.as_ref(), sigma0, bounds.as_ref(), seed, options)?;
        settings.validate().map_err(|error| refusal(&error))?;
        // Before anything is allocated, which may be more than there is.
        if let Some(warn) = warn {
            for sentence in settings.warnings() {
                warn.call1((sentence,))?;
            }
        }
        let es = Optimizer::new(&settings).map_err(|error| refusal(&error))?;
        Ok(Self { es, history: History::new(), raised: Raised::default(), told: Vec::new() })
    }

    /// Where restarts begin: a function without arguments.
    fn set_starts(&mut self, starts: Py<PyAny>) {
        self.es.set_starts(start_rule(starts, self.raised.clone()));
    }

    /// Continue from a checkpoint, and from a record of earlier generations where there is one.
    #[staticmethod]
    #[pyo3(signature = (checkpoint, history=None))]
    fn restore(checkpoint: &[u8], history: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let es = Optimizer::from_checkpoint(checkpoint).map_err(value_error)?;
        let history = history.map_or_else(|| Ok(History::new()), History::from_columns)?;
        Ok(Self { es, history, raised: Raised::default(), told: Vec::new() })
    }

    fn checkpoint<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let bytes = py.detach(|| self.es.to_checkpoint());
        PyBytes::new(py, &bytes)
    }

    /// Change target and budgets.
    fn set_limits(&mut self, limits: &Bound<'_, PyDict>) -> PyResult<()> {
        let changed = with_limits(self.es.settings().clone(), limits)?;
        self.es.change_limits(|_| changed).map_err(|error| refusal(&error))
    }

    fn copy(&self) -> Self {
        let Self { es, history, raised, told } = self;
        Self { es: es.clone(), history: history.clone(), raised: raised.clone(), told: told.clone() }
    }

    /// The fresh points of this generation: a new array, the caller's to keep.
    fn ask<'py>(&mut self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        let es = &mut self.es;
        let points = py.detach(|| es.ask());
        rows(py, points.as_slice(), points.dimension())
    }

    /// Values, and violations or the values of the constraints that are declared, as rows.
    #[pyo3(signature = (values, violations=None, constraints=None))]
    fn tell(
        &mut self,
        py: Python<'_>,
        values: PyReadonlyArray1<'_, f64>,
        violations: Option<PyReadonlyArray1<'_, f64>>,
        constraints: Option<PyReadonlyArray2<'_, f64>>,
    ) -> PyResult<()> {
        let mut values = values.as_array().to_vec();
        let beside = Beside::new(violations, constraints);
        let Self { es, history, raised, .. } = self;
        py.detach(|| {
            beside.tell(es, &values)?;
            beside.hide_infeasible(es, &mut values);
            history.record(es, &values);
            Ok(())
        })
        .map_err(tell_error)?;
        match raised.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take() {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    /// So many points, each with its id; fewer where there is a reason to stop or the budget is in flight.
    fn ask_n<'py>(
        &mut self,
        py: Python<'py>,
        count: usize,
    ) -> PyResult<Vec<(u64, Bound<'py, PyArray1<f64>>)>> {
        let es = &mut self.es;
        let proposals = py.detach(|| es.ask_n(count)).map_err(|e| PyRuntimeError::new_err(e.to_string()))?;
        Ok(proposals.into_iter().map(|p| (p.id, p.point.into_pyarray(py))).collect())
    }

    /// The value of one point in flight; true where a generation is complete with it.
    #[pyo3(signature = (id, value, violation=None, constraints=None))]
    fn tell_one(
        &mut self,
        py: Python<'_>,
        id: u64,
        value: f64,
        violation: Option<f64>,
        constraints: Option<PyReadonlyArray1<'_, f64>>,
    ) -> PyResult<bool> {
        let beside = match (violation, constraints) {
            (Some(violation), _) => Beside::Violations(vec![violation]),
            (None, Some(constraints)) => Beside::Constraints(constraints.as_array().to_vec()),
            (None, None) => Beside::Nothing,
        };
        let Self { es, history, raised, told } = self;
        let complete = py
            .detach(|| {
                let before = es.generation();
                beside.tell_one(es, id, value)?;
                let mut values = [value];
                beside.hide_infeasible(es, &mut values);
                told.push(values[0]);
                let complete = es.generation() > before;
                if complete {
                    history.record(es, told);
                    told.clear();
                }
                Ok(complete)
            })
            .map_err(tell_error)?;
        match raised.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take() {
            Some(error) => Err(error),
            None => Ok(complete),
        }
    }

    /// A point in flight that will never come back.
    fn forget(&mut self, id: u64) -> PyResult<()> {
        self.es.forget(id).map_err(tell_error)
    }

    /// The points in flight, with their ids.
    fn in_flight<'py>(&self, py: Python<'py>) -> Vec<(u64, Bound<'py, PyArray1<f64>>)> {
        self.es.in_flight().map(|(id, x)| (id, x.to_vec().into_pyarray(py))).collect()
    }

    /// Points asked one at a time so far.
    #[getter]
    fn asked(&self) -> u64 {
        self.es.asked_one_at_a_time()
    }

    /// Values of the first points of a generation whose rest will not be evaluated.
    #[pyo3(signature = (values, violations=None, constraints=None, limit=None))]
    fn tell_and_stop(
        &mut self,
        values: PyReadonlyArray1<'_, f64>,
        violations: Option<PyReadonlyArray1<'_, f64>>,
        constraints: Option<PyReadonlyArray2<'_, f64>>,
        limit: Option<u64>,
    ) -> PyResult<()> {
        let stop = match limit {
            Some(limit) => StopReason::MaxEvaluations { evaluations: limit, limit },
            None => StopReason::Observer { generation: self.es.generation() },
        };
        let values = values.as_array().to_vec();
        Beside::new(violations, constraints).tell_and_stop(&mut self.es, &values, stop).map_err(tell_error)
    }

    /// How many inequalities and equalities each evaluation tells.
    #[getter]
    fn declared(&self) -> (usize, usize) {
        self.es.settings().declared_constraints()
    }

    /// Every constraint at the best point.
    fn constraints<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        beside::statuses(py, &self.es)
    }

    /// The largest violation of the best point, and whether it counts as none.
    fn violation(&self) -> Option<(f64, bool)> {
        self.es.best().map(|best| (best.violation, best.feasible))
    }

    /// A point that was evaluated elsewhere.
    #[pyo3(signature = (point, value, constraints=None))]
    fn inject(
        &mut self,
        point: PyReadonlyArray1<'_, f64>,
        value: f64,
        constraints: Option<PyReadonlyArray1<'_, f64>>,
    ) -> PyResult<()> {
        let constraints = constraints.map(|c| c.as_array().to_vec()).unwrap_or_default();
        let point = point.as_array().to_vec();
        self.es.inject_with_constraints(&point, value, &constraints).map_err(value_error)
    }

    #[getter]
    fn injected(&self) -> u64 {
        self.es.injected()
    }

    /// Mean and covariance of the search that found the best point.
    fn learned<'py>(&self, py: Python<'py>) -> (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray2<f64>>) {
        warm_start::learned(py, &self.es)
    }

    /// Start and initial deviations, where restarts begin.
    fn initial<'py>(&self, py: Python<'py>) -> PyResult<warm_start::Pair<'py>> {
        warm_start::initial(py, &self.es)
    }

    /// Name, threshold and sentence of the reason to stop.
    fn stop_reason(&self) -> Option<(&'static str, f64, String)> {
        let reason = self.es.stop_reason()?;
        Some((reason.name(), reason.threshold(), reason.to_string()))
    }

    /// The best point, its value, by how much it is infeasible, 0 where it is not, and the evaluations when it was found.
    fn best<'py>(&self, py: Python<'py>) -> Option<(Bound<'py, PyArray1<f64>>, f64, f64, u64)> {
        let best = self.es.best()?;
        let infeasible = if best.feasible { 0.0 } else { best.violation };
        Some((best.point.to_vec().into_pyarray(py), best.value, infeasible, best.evaluations))
    }

    /// What the run recommends, its value and, under noise, the standard error.
    fn recommendation<'py>(&self, py: Python<'py>) -> Option<(Bound<'py, PyArray1<f64>>, f64, Option<f64>)> {
        let recommended = self.es.recommendation()?;
        Some((recommended.point.into_pyarray(py), recommended.value, recommended.standard_error))
    }

    /// The share of noise in the differences between values; None where they are taken for exact.
    #[getter]
    fn noise_share(&self) -> Option<f64> {
        self.es.noise_share()
    }

    /// Mean and deviations of the search that found the best point.
    fn best_search<'py>(&self, py: Python<'py>) -> (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>) {
        let (mean, stds) = self.es.best_search();
        (mean.into_pyarray(py), stds.into_pyarray(py))
    }

    /// The searches that ended and were followed by another.
    fn restarts<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        reports::restarts(py, &self.es)
    }

    /// The optima in which searches have converged, the best first.
    fn optima<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        reports::optima(py, &self.es)
    }

    /// Whether the run has what it was asked for.
    #[getter]
    fn success(&self) -> bool {
        self.es.is_successful()
    }

    /// Trust in the model and points in the archive, where the strategy has them.
    #[getter]
    fn trust(&self) -> Option<f64> {
        self.es.trust()
    }

    #[getter]
    fn archive(&self) -> Option<usize> {
        self.es.archive_len()
    }

    /// The best surrogate of the latest generation, where there is one.
    fn model<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        reports::model(py, &self.es)
    }

    #[getter]
    fn mean<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.es.mean().to_vec().into_pyarray(py)
    }

    #[getter]
    fn stds<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.es.standard_deviations().into_pyarray(py)
    }

    fn covariance<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        let covariance = py.detach(|| self.es.covariance());
        rows(py, &covariance, self.es.distribution().dimension())
    }

    fn axis_lengths<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        py.detach(|| self.es.axis_lengths()).into_pyarray(py)
    }

    fn history<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.history.columns(py, self.dimension(), self.es.distribution().dimension())
    }

    #[getter]
    fn dimension(&self) -> usize {
        self.es.mean().len()
    }

    #[getter]
    fn population(&self) -> usize {
        self.es.population_size()
    }

    #[getter]
    fn evaluations(&self) -> u64 {
        self.es.evaluations()
    }

    #[getter]
    fn generation(&self) -> u64 {
        self.es.generation()
    }

    #[getter]
    fn reused_share(&self) -> f64 {
        self.es.reused_share()
    }

    #[getter]
    fn seconds(&self) -> f64 {
        self.history.seconds()
    }

    #[getter]
    fn seed(&self) -> u64 {
        self.es.settings().summary().seed
    }

    #[getter]
    fn strategy(&self) -> &'static str {
        self.es.settings().summary().strategy.name()
    }

    #[getter]
    fn ftarget(&self) -> Option<f64> {
        self.es.settings().summary().target
    }

    #[getter]
    fn maxfevals(&self) -> Option<u64> {
        self.es.settings().summary().max_evaluations
    }

    #[getter]
    fn timeout(&self) -> Option<f64> {
        self.es.settings().summary().max_time.map(|t| t.as_secs_f64())
    }
}
