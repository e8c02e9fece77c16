//! How well a model predicts the latest points it has not seen: the yardstick for all models.
//!
//! Responses of the objective (values, their ranks, powers of them) have different scales. Predictions are
//! taken to normal scores, through the latest points' own values and scores, so that their errors compare.

use crate::strategy::adaptive::ranks::{NormalScores, Ranks};

/// A prediction beyond the latest values counts at most so many scores more than the outermost.
const BEYOND: f64 = 1.5;

/// Added to error and variance, so that an error is never 0 and few points do not decide alone.
const FLOOR: f64 = 0.01;

/// The latest points: normal scores of their values, weights, order.
#[derive(Clone, Debug)]
pub(super) struct Recent {
    most: usize,
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

impl Recent {
    /// At most `most` points.
    pub(super) fn new(most: usize) -> Self {
        Self {
            most,
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

    /// Look at the latest of these points; false where their values are all equal, or they are too few.
    pub(super) fn look(&mut self, costs: &[f64], norms: &[f64], d: usize) -> bool {
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
        (self.loss(responses, predictions) + FLOOR) / (self.variance + FLOOR)
    }

    /// Σ e_i(u_i − sc_i)², u_i the prediction taken to scores. Both slices are those of the latest points.
    pub(super) fn loss(&mut self, responses: &[f64], predictions: &[f64]) -> f64 {
        self.responses.clear();
        self.responses.extend(self.order.iter().map(|&i| responses[i]));
        let map = ScoreMap::new(&self.responses, &self.ordered);
        let points = predictions.iter().zip(&self.scores).zip(&self.weights);
        points
            .map(|((p, score), e)| e * (map.score(*p).unwrap_or(score + 2.0 * BEYOND) - score).powi(2))
            .sum()
    }
}

/// Piecewise linear from responses to scores through the given pairs; beyond the ends along the slope of the
/// outer quarter, by at most 1.5.
struct ScoreMap<'a> {
    responses: &'a [f64],
    scores: &'a [f64],
    slopes: (f64, f64),
}

impl<'a> ScoreMap<'a> {
    fn new(responses: &'a [f64], scores: &'a [f64]) -> Self {
        let last = responses.len() - 1;
        let inwards = (responses.len() / 4).clamp(1, last);
        let slope = |a: usize, b: usize| match responses[b] > responses[a] {
            true => (scores[b] - scores[a]) / (responses[b] - responses[a]),
            false => 0.0,
        };
        Self { responses, scores, slopes: (slope(0, inwards), slope(last - inwards, last)) }
    }

    /// `None` for a prediction that is no number.
    fn score(&self, prediction: f64) -> Option<f64> {
        let (y, s, last) = (self.responses, self.scores, self.responses.len() - 1);
        if !prediction.is_finite() {
            return None;
        }
        Some(if prediction <= y[0] {
            s[0] - ((y[0] - prediction) * self.slopes.0).min(BEYOND)
        } else if prediction >= y[last] {
            s[last] + ((prediction - y[last]) * self.slopes.1).min(BEYOND)
        } else {
            let b = y.partition_point(|v| *v <= prediction);
            let a = b - 1;
            s[a] + (s[b] - s[a]) * (prediction - y[a]) / (y[b] - y[a])
        })
    }
}
