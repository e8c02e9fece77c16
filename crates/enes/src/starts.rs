//! Where searches begin: at x0, around it, anywhere in a box, or where a function of the user's says.

use std::fmt;
use std::sync::Arc;

use crate::gaussian::SearchDistribution;
use crate::optimizer::Optimizer;
use crate::random::Generator;
use crate::scale::Scale;
use crate::settings::Settings;
use crate::space::Prepared;

/// Where restarts begin.
#[derive(Clone, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Starts {
    /// Whether there was a rule: a function cannot be kept in a checkpoint.
    given: bool,
    #[cfg_attr(feature = "serde", serde(skip))]
    rule: Option<Arc<dyn Fn(u64) -> Vec<f64> + Send + Sync>>,
}

impl fmt::Debug for Starts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.given { "by a function" } else { "around x0" })
    }
}

impl PartialEq for Starts {
    fn eq(&self, other: &Self) -> bool {
        self.given == other.given
    }
}

impl Settings {
    /// Start where a function says, restarts included: it gets 0 for the first start, then 1, 2, …
    ///
    /// ```
    /// use enes::Settings;
    /// let settings = Settings::with_starts(|run| vec![3.0 * run as f64, 1.0], 0.5).target(1e-8);
    /// let outcome = enes::minimize(&settings, |x| x[0] * x[0] + x[1] * x[1])?;
    /// assert!(outcome.stop.is_target());
    /// # Ok::<(), enes::SettingsError>(())
    /// ```
    pub fn with_starts(
        rule: impl Fn(u64) -> Vec<f64> + Send + Sync + 'static,
        sigma0: impl Into<Scale>,
    ) -> Self {
        Self::new(rule(0), sigma0).starts(rule)
    }

    /// Where restarts begin: the function gets the number of the restart, from 1 on. Default: anywhere in
    /// the box in coordinates with two bounds, the others drawn from the initial distribution.
    pub fn starts(mut self, rule: impl Fn(u64) -> Vec<f64> + Send + Sync + 'static) -> Self {
        self.starts = Starts { given: true, rule: Some(Arc::new(rule)) };
        self
    }
}

impl Optimizer {
    /// Give the function of [`Settings::starts`] again: a checkpoint does not keep it.
    pub fn set_starts(&mut self, rule: impl Fn(u64) -> Vec<f64> + Send + Sync + 'static) {
        self.settings.starts = Starts { given: true, rule: Some(Arc::new(rule)) };
    }
}

impl Starts {
    /// The distribution from which a restart begins, or what is wrong with it.
    pub(crate) fn begin(
        &self,
        settings: &Settings,
        restart: u64,
        scale: f64,
        generator: &mut Generator,
    ) -> Result<SearchDistribution, String> {
        let Prepared { space, distribution: first } =
            settings.prepare().map_err(|error| error.to_string())?;
        let mean = match self {
            Self { given: true, rule: Some(rule) } => {
                let (start, d) = (rule(restart), settings.dimension());
                if start.len() != d {
                    return Err(format!("it gave {} coordinates, {d} are needed", start.len()));
                }
                match &space {
                    Some(space) => space.start_at(&start).map_err(|error| error.to_string())?,
                    None => start,
                }
            }
            Self { given: true, rule: None } => {
                let what = "a checkpoint does not keep the function that gives the starts: give it again";
                return Err(what.into());
            }
            _ => {
                let (mut s, mut start) = (vec![0.0; first.dimension()], vec![0.0; first.dimension()]);
                generator.fill_normal(&mut s);
                first.points_from(&s, &mut start); // x ~ N(x0, AᵀA)
                if let Some(space) = &space {
                    space.draw_in_box(&mut start, generator);
                }
                start
            }
        };
        let factor = first.factor().iter().map(|a| a * scale).collect();
        SearchDistribution::new(mean, factor).map_err(|error| error.to_string())
    }
}
