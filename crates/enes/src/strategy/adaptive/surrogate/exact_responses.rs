//! Which responses the exact model is right about: the values, the power that is known, or one that is looked for.

use super::exact::Ground;
use super::state::{Assessment, State};
use super::unbend::Seen;
use super::{Best, EXACT, Source, Surrogate};
use crate::linalg::add_scaled;
use crate::search::SearchDistribution;
use crate::strategy::adaptive::mode::ResponseKind;
use crate::strategy::adaptive::sizes::coefficients;

/// A power is looked for where there are so many more points than coefficients: two for offset and exponent, and one to tell whether
/// there is one.
const SPARE: usize = 3;

impl Surrogate {
    /// Fit the exact model of all points to every response, and to the power of the values that it is exact of; true where it counts
    /// for one.
    pub(super) fn try_exact(
        &mut self,
        state: &mut State,
        distribution: &SearchDistribution,
        best: &mut Option<Best>,
    ) -> bool {
        if !self.fits[EXACT].factorize(&self.frame, self.latest.len()) {
            return false;
        }
        let mut place = std::mem::take(&mut self.exact.place);
        distribution.transpose_times(&self.center, &mut place);
        add_scaled(&mut place, 1.0, self.faces.as_ref().map_or(distribution.mean(), |faces| &faces.mean));
        let (mut counts, mut of_values) = (false, false);
        for response in 0..self.responses.len() {
            let is_power = self.responses.power(response).is_some();
            let good = self.judge_exact(response, !is_power, state, (&place, distribution), best);
            counts |= good;
            of_values |= good && !is_power;
        }
        let enough = self.costs.len() >= coefficients(place.len()) + SPARE;
        let predicts = best.is_some_and(|best| best.assessment.error < 1.0);
        let looks = self.tuning.trust_region && !of_values && enough && predicts;
        if looks && state.looks_for_power() && self.unbend(state) {
            counts |= self.judge_exact(self.responses.len() - 1, true, state, (&place, distribution), best);
        }
        self.exact.place = place;
        counts
    }

    /// Look for a power of the values that is a quadratic: one more response. Where no model predicts anything there is none.
    fn unbend(&mut self, state: &mut State) -> bool {
        self.fits[EXACT].errors_of_latest(&mut self.errors);
        let costs = &self.costs[self.costs.len() - self.frame.window..];
        let seen = Seen { costs, errors: &self.errors, middle: self.latest.middle() };
        let found = self.unbending.solve(seen, state.power);
        let power = found.filter(|power| self.responses.add(*power, &self.costs, self.latest.len()));
        state.power = power.or(state.power);
        state.count_power(power.is_some(), self.latest.len());
        self.unbent = power.is_some();
        self.unbent
    }

    /// Fit the exact model to a response; whether it counts. To the precision of the values only these and an exact power are quadratics.
    fn judge_exact(
        &mut self,
        response: usize,
        precise: bool,
        state: &mut State,
        (place, distribution): (&[f64], &SearchDistribution),
        best: &mut Option<Best>,
    ) -> bool {
        let (n, r, m) = (self.costs.len(), self.latest.len(), self.frame.window);
        let (fit, exact, power) = (&self.fits[EXACT], &mut self.exact, self.responses.power(response));
        let y = &self.responses.of(response)[n - m..];
        let mut height = [self.costs[n - 1]];
        if let Some(power) = power {
            power.transform(&self.costs[n - 1..], &mut height);
        }
        let ground =
            Ground { place, distribution, deviation: self.responses.deviation(response), height: height[0] };
        let known = if power.is_some() { &mut state.unbent } else { &mut state.known };
        let precise = precise && self.tuning.trust_region;
        match precise {
            true => exact.refine(fit, &mut self.frame, y, (known, power), ground),
            false => exact.solve(fit, &mut self.frame, y),
        }
        fit.predict_latest(y, &exact.alpha, &mut self.predictions);
        let error = match power {
            Some(power) if power.exact => self.latest.error_of_power(&y[m - r..], &self.predictions),
            _ => self.latest.error(&y[m - r..], &self.predictions),
        };
        let counts = error <= self.tuning.exact_error;
        if counts && precise {
            exact.remember(ground, power, known);
        }
        if counts && best.is_none_or(|b| error < b.assessment.error) {
            let assessment = Assessment { response: ResponseKind::of(power.is_some()), error };
            *best = Some(Best { assessment, source: Source::Kernel(EXACT), response });
            exact.keep_as_best();
        }
        counts
    }
}
