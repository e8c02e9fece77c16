//! Warm start: a search that begins with what an earlier one has learned.
//!
//! `x0` and `sigma0` stay what they are for restarts, bounds and stop rules. The first search begins from the
//! distribution of an earlier run, or from one fitted to a table of points and values.

mod table;

use super::{Params, Settings};
use crate::error::SettingsError;
use crate::linalg;
use crate::search::SearchDistribution;

/// The least geometric mean of the deviations at the start, in units of those of `sigma0`, unless
/// [`WarmStart::widen`] says otherwise.
///
/// An earlier run that converged is narrow by as much as it was exact, which says nothing of how far the next
/// optimum is. Its shape is what is worth keeping.
const FLOOR: f64 = 0.1;

/// What an earlier run has learned, for [`Settings::warm_start`].
///
/// ```
/// use enes::{Optimizer, Settings, WarmStart};
/// let cigar = |x: &[f64], at: f64| (x[0] - at).powi(2) + 1e6 * (x[1] - at).powi(2);
/// let settings = Settings::new([1.0, 2.0], 0.5).target(1e-9);
/// let mut first = Optimizer::new(&settings)?;
/// while first.stop_reason().is_none() {
///     let values: Vec<f64> = first.ask().iter().map(|x| cigar(x, 0.0)).collect();
///     first.tell(&values)?;
/// }
/// let again = settings.warm_start(WarmStart::from_run(&first));
/// let outcome = enes::minimize(&again, |x| cigar(x, 0.1))?;
/// assert!(outcome.evaluations < first.evaluations());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct WarmStart {
    source: Source,
    widen: Option<f64>,
    points: bool,
}

#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum Source {
    /// The mean in the user's coordinates, the covariance by rows in search coordinates.
    Distribution { mean: Vec<f64>, covariance: Vec<Vec<f64>> },
    /// Points in the user's coordinates and values; none of them NaN.
    Table { points: Vec<Vec<f64>>, values: Vec<f64> },
    /// The mean in the user's coordinates, the deviations in search coordinates.
    Deviations { mean: Vec<f64>, deviations: Vec<f64> },
}

impl WarmStart {
    /// A mean, and a covariance as rows: without fixed coordinates, of ln x on a log scale.
    pub fn from_distribution(mean: impl Into<Vec<f64>>, covariance: Vec<Vec<f64>>) -> Self {
        let source = Source::Distribution { mean: mean.into(), covariance };
        Self { source, widen: None, points: false }
    }

    /// A mean, and the deviation of each coordinate that is searched, of ln x on a log scale: what there is of a run in more
    /// than 1000 dimensions.
    ///
    /// ```
    /// use enes::{Settings, WarmStart};
    /// let warm = WarmStart::from_deviations(vec![1.0; 5000], vec![0.2; 5000]);
    /// let settings = Settings::new(vec![0.0; 5000], 1.0).warm_start(warm);
    /// assert!(settings.validate().is_ok());
    /// ```
    pub fn from_deviations(mean: impl Into<Vec<f64>>, deviations: impl Into<Vec<f64>>) -> Self {
        let source = Source::Deviations { mean: mean.into(), deviations: deviations.into() };
        Self { source, widen: None, points: false }
    }

    /// Points that were evaluated, and their values. Rows whose value is NaN are left out.
    ///
    /// Mean and covariance come from the better half, 4d + 8 points at most, weighted by rank; with few points
    /// the covariance is drawn towards that of `sigma0`. The points enter the first generation, so they must be
    /// values of this objective; [`WarmStart::points`] leaves them out.
    ///
    /// ```
    /// use enes::{Settings, WarmStart};
    /// let points = vec![vec![0.9, 1.1], vec![3.0, 2.0], vec![1.2, 0.7]];
    /// let table = WarmStart::from_table(points, vec![0.02, 5.0, 0.13]);
    /// let settings = Settings::new([0.0, 0.0], 1.0).warm_start(table);
    /// let outcome = enes::minimize(&settings, |x| (x[0] - 1.0).powi(2) + (x[1] - 1.0).powi(2))?;
    /// assert!(outcome.value < 1e-10);
    /// # Ok::<(), enes::SettingsError>(())
    /// ```
    pub fn from_table(points: Vec<Vec<f64>>, values: Vec<f64>) -> Self {
        // Lengths that differ are refused with the settings, where errors are: keep them apart.
        let mut table = Source::Table { points, values };
        if let Source::Table { points, values } = &mut table
            && points.len() == values.len()
        {
            let mut keep = values.iter().map(|v| !v.is_nan());
            points.retain(|_| keep.next().unwrap_or(true));
            values.retain(|v| !v.is_nan());
        }
        Self { source: table, widen: None, points: true }
    }

    /// Mean, in the user's coordinates, and covariance as rows, where it is a distribution and not a table.
    pub fn distribution(&self) -> Option<(&[f64], &[Vec<f64>])> {
        match &self.source {
            Source::Distribution { mean, covariance } => Some((mean, covariance)),
            Source::Table { .. } | Source::Deviations { .. } => None,
        }
    }

    /// Mean, in the user's coordinates, and deviations, where it has these alone.
    pub fn deviations(&self) -> Option<(&[f64], &[f64])> {
        match &self.source {
            Source::Deviations { mean, deviations } => Some((mean, deviations)),
            Source::Table { .. } | Source::Distribution { .. } => None,
        }
    }

    /// Multiply the deviations by this. Default: none below a tenth of `sigma0` in the geometric mean, wider
    /// ones as they are.
    pub fn widen(mut self, factor: impl Into<Option<f64>>) -> Self {
        self.widen = factor.into();
        self
    }

    /// Whether the points of a table enter the first generation: right where this objective gave their values,
    /// wrong where another did. Default: yes.
    pub fn points(mut self, enter: bool) -> Self {
        self.points = enter;
        self
    }
}

impl Settings {
    /// Begin the first search with what an earlier run has learned. Default: nothing.
    pub fn warm_start(mut self, warm_start: impl Into<Option<WarmStart>>) -> Self {
        self.warm_start = warm_start.into();
        self
    }
}

/// What the first search begins with.
pub(crate) struct FirstSearch {
    /// In search coordinates.
    pub(crate) distribution: SearchDistribution,
    /// Points that were evaluated before, in their order: those that may enter the first generation.
    pub(crate) table: Table,
}

/// Evaluated points, as rows in the user's coordinates and in the search's, with values and costs.
#[derive(Default)]
pub(crate) struct Table {
    pub(crate) points: Vec<f64>,
    pub(crate) searched: Vec<f64>,
    pub(crate) values: Vec<f64>,
    pub(crate) costs: Vec<f64>,
}

impl FirstSearch {
    /// The start of the settings.
    pub(crate) fn cold(distribution: SearchDistribution) -> Self {
        Self { distribution, table: Table::default() }
    }
}

impl WarmStart {
    /// The first search of a run that begins with this.
    ///
    /// # Errors
    /// A warm start that does not fit the settings, with what is wrong.
    pub(crate) fn begin(&self, params: &Params) -> Result<FirstSearch, SettingsError> {
        let Self { source, widen, points: enter } = self;
        let cold = &params.start;
        if let Some(factor) = widen.filter(|w| !(w.is_finite() && *w > 0.0)) {
            return Err(refused(format!(
                "widen must be positive and finite, got {factor}: 1 leaves it as it was"
            )));
        }
        let (warm, table) = match source {
            Source::Distribution { mean, covariance } => {
                let mean = searched("its mean", mean, params)?;
                (given(mean, covariance, cold.is_limited())?, Table::default())
            }
            Source::Deviations { mean, deviations } => {
                let mean = searched("its mean", mean, params)?;
                (independent(mean, deviations, cold.is_limited())?, Table::default())
            }
            Source::Table { points, values } => {
                let table = Table::new(points, values, params)?;
                let fit = table::fit(&table.searched, &table.costs, cold);
                (fit, if *enter { table } else { Table::default() })
            }
        };
        let d = cold.dimension() as f64;
        let relative = ((warm.log_det() - cold.log_det()) / d).exp();
        let scale = widen.unwrap_or_else(|| (FLOOR / relative).max(1.0));
        let distribution = warm
            .moved_to(warm.mean().to_vec(), scale)
            .map_err(|error| refused(format!("it is no distribution: {error}")))?;
        Ok(FirstSearch { distribution, table })
    }
}

impl Table {
    fn new(points: &[Vec<f64>], values: &[f64], params: &Params) -> Result<Self, SettingsError> {
        let (n, got) = (points.len(), values.len());
        if n != got {
            return Err(refused(format!(
                "the table has {n} points and {got} values: one value for each point"
            )));
        }
        if n == 0 {
            return Err(refused("the table has no value that is a number: leave it out".into()));
        }
        let mut rows = Vec::with_capacity(n * params.search_dimension);
        for (i, point) in points.iter().enumerate() {
            rows.extend(searched(&format!("point {i} of the table"), point, params)?);
        }
        Ok(Self {
            points: points.concat(),
            searched: rows,
            values: values.to_vec(),
            costs: values.iter().map(|v| params.sign * v).collect(),
        })
    }
}

/// The search coordinates of a point of the user's.
fn searched(what: &str, point: &[f64], params: &Params) -> Result<Vec<f64>, SettingsError> {
    let (d, got) = (params.dimension, point.len());
    if got != d {
        return Err(refused(format!("{what} has {got} coordinates, there are {d}: they must match")));
    }
    if let Some((i, v)) = point.iter().enumerate().find(|(_, v)| !v.is_finite()) {
        return Err(refused(format!("coordinate {i} of {what} must be finite, got {v}: leave it out")));
    }
    params.space.start_at(point).map_err(|error| match error {
        SettingsError::StartOutside { index, value, lower, upper } => refused(format!(
            "coordinate {index} of {what}, {value}, lies outside its bounds [{lower}, {upper}]: leave it out"
        )),
        SettingsError::StartNotPositive { index, value } => refused(format!(
            "coordinate {index} of {what} must be above 0 on a log scale, got {value}: leave it out"
        )),
        other => other,
    })
}

fn refused(reason: String) -> SettingsError {
    SettingsError::WarmStart { reason }
}

/// Independent coordinates, as a full covariance or one of limited memory.
fn independent(
    mean: Vec<f64>,
    deviations: &[f64],
    limited: bool,
) -> Result<SearchDistribution, SettingsError> {
    let (d, got) = (mean.len(), deviations.len());
    if got != d {
        return Err(refused(format!(
            "it has {got} deviations, {d} coordinates are searched: they must match"
        )));
    }
    if let Some((i, s)) = deviations.iter().enumerate().find(|(_, s)| !(s.is_finite() && **s > 0.0)) {
        return Err(refused(format!("deviation {i} must be positive and finite, got {s}")));
    }
    let distribution = match limited {
        true => SearchDistribution::limited(mean, deviations.to_vec()),
        false => {
            let mut factor = vec![0.0; d * d];
            factor.iter_mut().step_by(d + 1).zip(deviations).for_each(|(a, s)| *a = *s);
            SearchDistribution::new(mean, factor)
        }
    };
    distribution.map_err(|error| refused(format!("it is no distribution: {error}")))
}

/// A distribution that somebody else wrote; with limited memory its deviations are all that is used.
fn given(
    mean: Vec<f64>,
    covariance: &[Vec<f64>],
    limited: bool,
) -> Result<SearchDistribution, SettingsError> {
    let d = mean.len();
    if covariance.len() != d || covariance.iter().any(|row| row.len() != d) {
        let (rows, columns) = (covariance.len(), covariance.first().map_or(0, Vec::len));
        return Err(refused(format!(
            "its covariance is {rows} by {columns}, {d} coordinates are searched: it must be {d} by {d}"
        )));
    }
    if limited {
        let deviations: Vec<f64> = covariance.iter().enumerate().map(|(i, row)| row[i].sqrt()).collect();
        return independent(mean, &deviations, limited);
    }
    let entries: Vec<f64> = covariance.iter().flatten().copied().collect();
    let factor = linalg::cholesky(&entries, d)
        .map_err(|pivot| refused(format!("its covariance is not positive definite (pivot {pivot})")))?;
    SearchDistribution::new(mean, factor).map_err(|error| refused(format!("it is no distribution: {error}")))
}
