//! Where searches begin: at x0, around it, anywhere in a box, or where a function of the user's says.

use std::fmt;
use std::sync::Arc;

use super::{Params, Settings};
use crate::random::Generator;
use crate::space::Scale;

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
    /// the box in coordinates with two bounds, the others drawn from the initial distribution, away from where searches have
    /// begun and ended.
    pub fn starts(mut self, rule: impl Fn(u64) -> Vec<f64> + Send + Sync + 'static) -> Self {
        self.starts = Starts::by(rule);
        self
    }
}

impl Starts {
    /// Where a function says.
    pub(crate) fn by(rule: impl Fn(u64) -> Vec<f64> + Send + Sync + 'static) -> Self {
        Self { given: true, rule: Some(Arc::new(rule)) }
    }

    /// Whether the user says where.
    pub(crate) fn are_given(&self) -> bool {
        self.given
    }

    /// Where a restart begins, in search coordinates, or what is wrong with it.
    pub(crate) fn draw(
        &self,
        params: &Params,
        restart: u64,
        generator: &mut Generator,
    ) -> Result<Vec<f64>, String> {
        let Params { space, start: first, .. } = params;
        match self {
            Self { given: true, rule: Some(rule) } => {
                let (start, d) = (rule(restart), params.dimension);
                if start.len() != d {
                    return Err(format!("it gave {} coordinates, {d} are needed", start.len()));
                }
                space.start_at(&start).map_err(|error| error.to_string())
            }
            Self { given: true, rule: None } => {
                let what = "a checkpoint does not keep the function that gives the starts: give it again";
                Err(what.into())
            }
            _ => {
                let (mut s, mut start) = (vec![0.0; first.dimension()], vec![0.0; first.dimension()]);
                generator.fill_normal(&mut s);
                first.points_from(&s, &mut start); // x ~ N(x0, AᵀA)
                space.draw_in_box(&mut start, generator);
                Ok(start)
            }
        }
    }
}
