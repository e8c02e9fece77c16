//! The record of a run: one row per generation, thinned so that it stays small however long the run.

use std::time::Instant;

use enes::{Mode, Optimizer};
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Beyond this dimension the principal axes, O(d³) a row, are not recorded.
const AXES_UP_TO: usize = 40;

/// Numbers in one of the wide columns at most; rows are thinned beyond.
const WIDE: usize = 400_000;

/// The scalar columns; the wide ones are mean, stds and axes.
const SCALARS: [&str; 10] = [
    "generation",
    "evaluations",
    "best",
    "generation_best",
    "generation_median",
    "violation",
    "reused",
    "surrogate_active",
    "surrogate_error",
    "seconds",
];

/// Columns that have another name in pickles of 0.1.
const FORMER: [(&str, &str); 2] = [("surrogate_active", "model_rules"), ("surrogate_error", "model_error")];

#[derive(Clone, Debug)]
pub(crate) struct History {
    scalars: Vec<[f64; SCALARS.len()]>,
    mean: Vec<f64>,
    stds: Vec<f64>,
    axes: Vec<f64>,
    /// Every how many generations a row is kept: 1, 2, 4, …
    stride: u64,
    start: Instant,
    /// Seconds before `start`: of the run that a pickle or checkpoint continues.
    before: f64,
    sorted: Vec<f64>,
}

impl History {
    pub(crate) fn new() -> Self {
        Self {
            scalars: Vec::new(),
            mean: Vec::new(),
            stds: Vec::new(),
            axes: Vec::new(),
            stride: 1,
            start: Instant::now(),
            before: 0.0,
            sorted: Vec::new(),
        }
    }

    fn rows_at_most(d: usize) -> usize {
        (WIDE / d).clamp(64, 2048)
    }

    pub(crate) fn seconds(&self) -> f64 {
        self.before + self.start.elapsed().as_secs_f64()
    }

    /// Record the generation just told; `values` are those of its fresh points, NaN where infeasible.
    pub(crate) fn record(&mut self, es: &Optimizer, values: &[f64]) {
        // The measurements of the mean at the end of a noisy run are no generation.
        let known = self.scalars.last().is_some_and(|last| last[0] == es.generation() as f64);
        if known || !es.generation().is_multiple_of(self.stride) {
            return;
        }
        let (low, median) = self.low_and_median(values);
        self.scalars.push([
            es.generation() as f64,
            es.evaluations() as f64,
            es.best().filter(|b| b.feasible).map_or(f64::NAN, |b| b.value),
            low,
            median,
            es.best().map_or(f64::NAN, |b| if b.feasible { 0.0 } else { b.violation }),
            es.last_reused_share(),
            match es.uses_surrogate() {
                true => f64::from(es.model().is_some_and(|m| m.mode == Mode::Surrogate)),
                false => f64::NAN,
            },
            es.model().map_or(f64::NAN, |m| m.error),
            self.seconds(),
        ]);
        let (d, searched) = (es.mean().len(), es.distribution().dimension());
        self.mean.extend_from_slice(es.mean());
        self.stds.extend(es.standard_deviations());
        if searched <= AXES_UP_TO {
            self.axes.extend(es.axis_lengths());
        }
        if self.scalars.len() > Self::rows_at_most(d) {
            self.thin();
        }
    }

    fn low_and_median(&mut self, values: &[f64]) -> (f64, f64) {
        self.sorted.clear();
        self.sorted.extend(values.iter().filter(|v| !v.is_nan()));
        self.sorted.sort_unstable_by(f64::total_cmp);
        let at = |i: usize| self.sorted.get(i).copied().unwrap_or(f64::NAN);
        (at(0), at(self.sorted.len() / 2))
    }

    /// Keep the rows of every second recorded generation.
    fn thin(&mut self) {
        self.stride *= 2;
        let keep: Vec<bool> =
            self.scalars.iter().map(|s| (s[0] as u64).is_multiple_of(self.stride)).collect();
        let mut at = 0..;
        self.scalars.retain(|_| keep[at.next().unwrap_or(0)]);
        for column in [&mut self.mean, &mut self.stds, &mut self.axes] {
            let width = (column.len() / keep.len()).max(1);
            let mut at = 0..;
            column.retain(|_| keep[at.next().unwrap_or(0) / width]);
        }
    }

    /// A dictionary of columns; the wide ones have one row per generation: d numbers, axes as many as
    /// coordinates are searched.
    pub(crate) fn columns<'py>(
        &self,
        py: Python<'py>,
        d: usize,
        searched: usize,
    ) -> PyResult<Bound<'py, PyDict>> {
        let columns = PyDict::new(py);
        for (i, name) in SCALARS.iter().enumerate() {
            let column: Vec<f64> = self.scalars.iter().map(|row| row[i]).collect();
            columns.set_item(name, column.into_pyarray(py))?;
        }
        let wide = [("mean", &self.mean, d), ("stds", &self.stds, d), ("axes", &self.axes, searched)];
        for (name, column, width) in wide {
            columns.set_item(name, rows(py, column, width))?;
        }
        Ok(columns)
    }

    /// Take up the columns of a pickle.
    pub(crate) fn from_columns(columns: &Bound<'_, PyDict>) -> PyResult<Self> {
        let mut history = Self::new();
        let column = |name: &str| -> PyResult<Vec<f64>> {
            let former = FORMER.iter().find(|(now, _)| *now == name).map_or(name, |(_, former)| *former);
            let found = match columns.get_item(name)? {
                None => columns.get_item(former)?,
                found => found,
            };
            match found {
                Some(c) => Ok(c.cast_into::<PyArray1<f64>>()?.to_vec()?),
                None => Ok(Vec::new()),
            }
        };
        let wide = |name: &str| -> PyResult<Vec<f64>> {
            match columns.get_item(name)? {
                Some(c) => Ok(c.cast_into::<PyArray2<f64>>()?.to_vec()?),
                None => Ok(Vec::new()),
            }
        };
        let scalars = SCALARS.iter().map(|name| column(name)).collect::<PyResult<Vec<_>>>()?;
        // A pickle of an earlier version lacks the later columns.
        let length = scalars.iter().map(Vec::len).filter(|n| *n > 0).min().unwrap_or(0);
        let entry = |i: usize, row: usize| scalars[i].get(row).copied().unwrap_or(f64::NAN);
        history.scalars = (0..length).map(|row| std::array::from_fn(|i| entry(i, row))).collect();
        (history.mean, history.stds, history.axes) = (wide("mean")?, wide("stds")?, wide("axes")?);
        history.before = history.scalars.last().map_or(0.0, |row| row[SCALARS.len() - 1]);
        let steps = history.scalars.windows(2).map(|w| (w[1][0] - w[0][0]) as u64);
        history.stride = steps.min().unwrap_or(1).max(1);
        Ok(history)
    }
}

/// Rows of d numbers as a two-dimensional array.
pub(crate) fn rows<'py>(py: Python<'py>, numbers: &[f64], d: usize) -> Bound<'py, PyArray2<f64>> {
    let shape = (numbers.len() / d, d);
    let array = Array2::from_shape_vec(shape, numbers[..shape.0 * d].to_vec());
    array.expect("invariant: as many numbers as the shape says").into_pyarray(py)
}
