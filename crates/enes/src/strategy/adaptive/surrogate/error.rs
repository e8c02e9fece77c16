//! How well a model predicts the latest points it has not seen: the yardstick for all models.
//!
//! Responses of the objective (values, their ranks, powers of them) have different scales. Predictions are
//! taken to normal scores, through the latest points' own values and scores, so that their errors compare.

use crate::math::ranks::{NormalScores, Ranks};
use crate::strategy::adaptive::tuning::SurrogateTuning;

/// A prediction is exact that is off by so much of the range of the latest responses; the first form had no such thing. What a power is
/// off by has fewer digits than what values are.
const EXACT: f64 = 1e-12;
const EXACT_POWER: f64 = 1e-10;

/// What keeps a bound from being met by rounding alone.
const ROUNDED_UP: f64 = 1.0 + 1e-9;

/// The latest points: normal scores of their values, weights, order.
#[derive(Clone, Debug)]
pub(super) struct Latest {
    most: usize,
    tuning: SurrogateTuning,
    ranks: Ranks,
    normal: NormalScores,
    /// Scores sc_i, small for small values; of mean 0 and variance 1.
    scores: Vec<f64>,
    /// e_i = 1/max(1, q_i/d): a point far away counts less.
    weights: Vec<f64>,
    /// Indices by value, ties by age.
    order: Vec<usize>,
    variance: f64,
    /// Responses and scores in order, for the map from one to the other.
    responses: Vec<f64>,
    ordered: Vec<f64>,
}

impl Latest {
    /// At most `most` points.
    pub(super) fn new(most: usize, tuning: SurrogateTuning) -> Self {
        Self {
            most,
            tuning,
            ranks: Ranks::new(most),
            normal: NormalScores::new(most),
            scores: Vec::with_capacity(most),
            weights: Vec::with_capacity(most),
            order: Vec::with_capacity(most),
            variance: 0.0,
            responses: Vec::with_capacity(most),
            ordered: Vec::with_capacity(most),
        }
    }

    /// Take the latest of these points; false where their values are all equal, or they are too few.
    pub(super) fn rank(&mut self, costs: &[f64], norms: &[f64], d: usize) -> bool {
        let count = costs.len().min(self.most);
        if count < 3 {
            return false;
        }
        let (costs, norms) = (&costs[costs.len() - count..], &norms[norms.len() - count..]);
        self.scores.clear();
        // The normal scores of ranks are large for small values.
        self.scores.extend(self.normal.of(self.ranks.of(costs)).iter().map(|u| -u));
        self.weights.clear();
        self.weights.extend(norms.iter().map(|q| 1.0 / (q / d as f64).max(1.0)));
        self.order.clear();
        self.order.extend(0..count);
        self.order.sort_unstable_by(|&i, &j| costs[i].total_cmp(&costs[j]).then(i.cmp(&j)));
        self.ordered.clear();
        self.ordered.extend(self.order.iter().map(|&i| self.scores[i]));
        let weighted: f64 = self.weights.iter().zip(&self.scores).map(|(e, s)| e * s).sum();
        let mean = weighted / self.weights.iter().sum::<f64>();
        let squares = self.weights.iter().zip(&self.scores).map(|(e, s)| e * (s - mean).powi(2));
        self.variance = squares.sum();
        self.variance > 0.0
    }

    pub(super) fn len(&self) -> usize {
        self.order.len()
    }

    /// The index, among the latest, of the value in the middle.
    pub(super) fn middle(&self) -> usize {
        self.order[self.order.len() / 2]
    }

    /// The error E of leave-one-out predictions: 1 for one that knows nothing, near 0 for a perfect one.
    pub(super) fn error(&mut self, responses: &[f64], predictions: &[f64]) -> f64 {
        self.error_of(responses, predictions, EXACT)
    }

    /// The same for an exact power of the values.
    pub(super) fn error_of_power(&mut self, responses: &[f64], predictions: &[f64]) -> f64 {
        self.error_of(responses, predictions, EXACT_POWER)
    }

    fn error_of(&mut self, responses: &[f64], predictions: &[f64], exact: f64) -> f64 {
        let floor = self.tuning.error_floor;
        (self.loss_beyond(responses, predictions, exact) + floor) / (self.variance + floor)
    }

    /// The error of predictions that are asked for one by one, as long as it can be at most so much; more where it is more.
    pub(super) fn error_up_to(
        &mut self,
        most: f64,
        responses: &[f64],
        prediction: impl FnMut(usize) -> f64,
    ) -> f64 {
        let floor = self.tuning.error_floor;
        let most_loss = ROUNDED_UP * most * (self.variance + floor);
        (self.loss_up_to(most_loss, responses, EXACT, prediction) + floor) / (self.variance + floor)
    }

    /// Σ e_i(u_i − sc_i)², u_i the prediction taken to scores. Both slices are those of the latest points.
    pub(super) fn loss(&mut self, responses: &[f64], predictions: &[f64]) -> f64 {
        self.loss_beyond(responses, predictions, EXACT)
    }

    fn loss_beyond(&mut self, responses: &[f64], predictions: &[f64], exact: f64) -> f64 {
        self.loss_up_to(f64::INFINITY, responses, exact, |i| predictions[i])
    }

    fn loss_up_to(
        &mut self,
        most: f64,
        responses: &[f64],
        exact: f64,
        mut prediction: impl FnMut(usize) -> f64,
    ) -> f64 {
        self.responses.clear();
        self.responses.extend(self.order.iter().map(|&i| responses[i]));
        let beyond = self.tuning.beyond;
        let map = ScoreMap::new(&self.responses, &self.ordered, beyond);
        let exact = if self.tuning.trust_region { exact } else { 0.0 };
        let exact = exact * (self.responses[self.responses.len() - 1] - self.responses[0]);
        let mut loss = 0.0;
        for i in 0..responses.len() {
            if loss > most {
                break;
            }
            let prediction = prediction(i);
            // Values that rounding decides have ranks, too, which no model predicts.
            if (prediction - responses[i]).abs() < exact {
                continue;
            }
            let off = map.score(prediction).map_or(2.0 * beyond, |score| score - self.scores[i]);
            loss += self.weights[i] * off * off;
        }
        loss
    }
}

/// Piecewise linear from responses to scores through the given pairs; beyond the ends along the slope of the
/// outer quarter, by at most 1.5.
struct ScoreMap<'a> {
    responses: &'a [f64],
    scores: &'a [f64],
    beyond: f64,
    slopes: (f64, f64),
}

impl<'a> ScoreMap<'a> {
    fn new(responses: &'a [f64], scores: &'a [f64], beyond: f64) -> Self {
        let last = responses.len() - 1;
        let inwards = (responses.len() / 4).clamp(1, last);
        let slope = |a: usize, b: usize| match responses[b] > responses[a] {
            true => (scores[b] - scores[a]) / (responses[b] - responses[a]),
            false => 0.0,
        };
        Self { responses, scores, beyond, slopes: (slope(0, inwards), slope(last - inwards, last)) }
    }

    /// `None` for a prediction that is no number.
    fn score(&self, prediction: f64) -> Option<f64> {
        let (y, s, last) = (self.responses, self.scores, self.responses.len() - 1);
        if !prediction.is_finite() {
            return None;
        }
        Some(if prediction <= y[0] {
            s[0] - ((y[0] - prediction) * self.slopes.0).min(self.beyond)
        } else if prediction >= y[last] {
            s[last] + ((prediction - y[last]) * self.slopes.1).min(self.beyond)
        } else {
            let b = y.partition_point(|v| *v <= prediction);
            let a = b - 1;
            s[a] + (s[b] - s[a]) * (prediction - y[a]) / (y[b] - y[a])
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prediction_that_only_rounding_keeps_from_the_value_has_no_error() {
        // Four values that a fit cannot tell apart, in an order of their own.
        let values = [9.0, 4.0, 1.0, 3e-27, 2e-25, 0.0, 1e-23];
        let mut latest = Latest::new(values.len(), SurrogateTuning::default());
        assert!(latest.rank(&values, &[1.0; 7], 2));
        let rounded = [9.0, 4.0, 1.0, 1e-16, 0.0, 2e-16, -1e-16];
        assert_eq!(latest.loss(&values, &rounded), 0.0);
        let wrong = [9.0, 4.0, 1.0, 1e-3, 0.0, 2e-16, -1e-16];
        assert!(latest.loss(&values, &wrong) > 0.1);
        let unknown = [f64::NAN, 4.0, 1.0, 0.0, 0.0, 0.0, 0.0];
        assert!(latest.loss(&values, &unknown) > 1.0);
    }
}
