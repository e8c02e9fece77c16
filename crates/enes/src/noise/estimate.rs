//! The value at the mean: an average, and how far off it may be.

/// What a run recommends.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Recommendation {
    /// The best point that was evaluated; under noise the mean of the search distribution.
    pub point: Vec<f64>,
    /// Its value; under noise the average of its measurements, or, before the run has ended, of the latest
    /// values around it.
    pub value: f64,
    /// The standard error of that average; `None` where values are taken for exact.
    pub standard_error: Option<f64>,
}

/// A cost and how far off it may be.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Estimate {
    pub(crate) cost: f64,
    pub(crate) standard_error: f64,
}

/// An average in which older numbers fade.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Average {
    weight: f64,
    mean: f64,
    squares: f64,
}

impl Average {
    /// Of costs that all count alike.
    pub(crate) fn of(costs: impl Iterator<Item = f64>) -> Self {
        let mut average = Self::default();
        costs.for_each(|cost| average.add(&[cost], f64::INFINITY));
        average
    }

    /// Add costs; those before fade over `memory` of them. What is not finite is left out.
    pub(crate) fn add(&mut self, costs: &[f64], memory: f64) {
        let fade = (1.0 - costs.len() as f64 / memory).max(0.0);
        self.weight *= fade;
        self.squares *= fade;
        for &cost in costs.iter().filter(|c| c.is_finite()) {
            self.weight += 1.0;
            let difference = cost - self.mean;
            self.mean += difference / self.weight;
            self.squares += difference * (cost - self.mean);
        }
    }

    /// `None` where nothing was finite; a standard error of NaN where there is one number only.
    pub(crate) fn estimate(&self) -> Option<Estimate> {
        let Self { weight, mean, squares } = *self;
        let standard_error = (squares / (weight - 1.0).max(0.0) / weight).sqrt();
        (weight > 0.0).then_some(Estimate { cost: mean, standard_error })
    }
}
