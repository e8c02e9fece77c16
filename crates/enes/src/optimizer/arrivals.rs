//! What comes back: it belongs to the generation or is late, and as much as a generation moves the distribution.

use super::flight::{Arrival, Flying, Kind};
use super::{Candidate, Given, Optimizer, Told};
use crate::archive::{Entry, Readers};
use crate::error::TellError;
use crate::search::{Row, Search};
use crate::stopping::StopReason;

impl Optimizer {
    pub(super) fn land(&mut self, id: u64, value: f64, constraints: Given<'_>) -> Result<(), TellError> {
        self.check_constraints(Told::new(&[value], constraints))?;
        let flying = self.flight.land(id).ok_or(TellError::NotInFlight { id })?;
        let (violation, constraints) = match constraints {
            Given::Nothing => (None, Vec::new()),
            Given::Violations(violations) => (violations.first().copied(), Vec::new()),
            Given::Values(values) => (None, values.to_vec()),
        };
        let arrival = Arrival { flying, value, violation, constraints };
        if self.stop.is_some() {
            self.count_late(&arrival);
            return Ok(());
        }
        self.begin_asynchronous();
        match self.belongs_to_the_generation(&arrival.flying) {
            true => {
                self.consider_best(&arrival);
                self.flight.arrived.push(arrival);
            }
            false => self.count_late(&arrival),
        }
        self.complete_where_enough();
        self.end_where_nothing_can_come();
        Ok(())
    }

    fn belongs_to_the_generation(&self, flying: &Flying) -> bool {
        let present = flying.search == self.searches.ended.len() as u64;
        let age = self.flight.version - flying.version;
        present
            && match flying.kind {
                Kind::Mean => self.noise.is_ending(),
                Kind::Again(first) => self.flight.has_arrived(first) || self.flight.is_flying(first),
                Kind::Sample => self.strategy.counts(age, true),
                Kind::Model => self.strategy.counts(age, false),
            }
    }

    /// A value that no generation waits for: it counts for the best, as an evaluation, and for the fits of its search.
    fn count_late(&mut self, arrival: &Arrival) {
        let Arrival { flying, value, violation, constraints } = arrival;
        self.counters.evaluations += 1;
        self.consider_best(arrival);
        let (row, judged) = self.judge(&flying.point, *value, constraints, *violation);
        let (cost, violation) = (judged.order, judged.violation);
        if self.noise.is_active() {
            let candidate =
                Candidate { point: &flying.point, cost, value: *value, violation, constraints: &row };
            self.incumbent.consider(candidate, self.counters.evaluations);
        }
        if flying.search < self.searches.ended.len() as u64 {
            return self.searches.record_late(&flying.point, cost);
        }
        self.searches.record(&flying.point, cost, *value, violation);
        if self.searches.looks_around(&self.params, &self.search.distribution) {
            self.searches.keep(&flying.point, cost);
        }
        let cost = judged.merit;
        let entry = Entry { value: *value, violation, cost, measured: 1, readers: Readers::ALL };
        let folded = !self.params.space.is_plain();
        self.archive.add_constrained(&flying.point, folded.then_some(&flying.searched), entry, &row);
    }

    /// Under noise a single value says nothing of the best.
    fn consider_best(&mut self, arrival: &Arrival) {
        let Arrival { flying, value, violation, constraints } = arrival;
        if !self.noise.is_active() {
            let (row, judged) = self.judge(&flying.point, *value, constraints, *violation);
            let candidate = Candidate {
                point: &flying.point,
                cost: judged.order,
                value: *value,
                violation: judged.violation,
                constraints: &row,
            };
            self.incumbent
                .consider(candidate, self.counters.evaluations + self.flight.arrived.len() as u64 + 1);
        }
    }

    /// As much has come back as a generation has: move the distribution.
    fn complete_where_enough(&mut self) {
        if let Some((_, copies)) = self.noise.ending {
            let is_copy = |a: &Arrival| a.flying.kind == Kind::Mean;
            if self.flight.arrived.iter().filter(|a| is_copy(a)).count() == copies {
                let (mean, others) = std::mem::take(&mut self.flight.arrived).into_iter().partition(is_copy);
                self.flight.arrived = others;
                self.end_asynchronously_with(&mean);
            }
            return;
        }
        let (first, second) = self.flight.landed();
        let (rows, again) = (self.search.population.fresh(), self.noise.repetitions());
        // Rows for more workers than λ fill a round of theirs; here nobody waits for one.
        let (d, most) = (self.params.search_dimension, self.flight.most);
        let enough = || self.strategy.enough_in_flight(d, most).unwrap_or(self.searches.population);
        let fresh = if most > 1 { rows.min(enough()) } else { rows };
        if first >= fresh && first + second >= fresh + again {
            self.complete_asynchronously();
        }
    }

    fn complete_asynchronously(&mut self) {
        self.strategy.set_in_flight(self.flight.most);
        let before = self.counters.evaluations;
        let (values, violations, constraints) = self.assemble();
        let given = match &violations {
            Some(violations) => Given::Violations(violations),
            None if constraints.is_empty() => Given::Nothing,
            None => Given::Values(&constraints),
        };
        let told = Told::new(&values, given);
        self.asked = true;
        self.set_costs(told, usize::eq).expect("invariant: as many values as rows");
        self.complete_generation(told);
        self.incumbent.stamp(before, self.counters.evaluations);
        self.flight.version += u64::from(self.search.population.carried() == 0);
        self.flight.most = self.flight.flying.len();
        self.flight.end_generation();
    }

    /// The fresh rows of the population become what came back: what is no sample of the latest distributions first, then
    /// the samples in the order of arrival. Returns the values, second measurements last, violations where one is
    /// known, and constraint values. What waits for its first measurement stays.
    fn assemble(&mut self) -> (Vec<f64>, Option<Vec<f64>>, Vec<f64>) {
        let arrived = std::mem::take(&mut self.flight.arrived);
        let (second, first): (Vec<_>, Vec<_>) = arrived.into_iter().partition(|a| a.first_id().is_some());
        let age = |f: &Flying| self.flight.version - f.version;
        let (samples, mut first): (Vec<_>, Vec<_>) =
            first.into_iter().partition(|Arrival { flying, .. }| {
                flying.kind == Kind::Sample && self.strategy.is_recent(age(flying))
            });
        let apart = first.len();
        first.extend(samples);
        let known = self.search.population.known();
        let place = |a: &Arrival| first.iter().position(|f| Some(f.flying.id) == a.first_id());
        let (second, waiting): (Vec<_>, Vec<_>) = second.into_iter().partition(|a| place(a).is_some());
        self.noise.set_repeated(second.iter().filter_map(place).map(|row| known + row).collect());
        let Search { population, distribution, .. } = &mut self.search;
        let rows = first.iter().map(|Arrival { flying, .. }| Row {
            whitened: &flying.whitened,
            point: &flying.searched,
            earlier: flying.version < self.flight.version,
        });
        population.replace_fresh(rows, |z, s| distribution.whiten_into(z, s));
        population.set_apart(apart);
        self.view.show_points(&self.params.space, population);
        self.flight.arrived = waiting;
        let all = || first.iter().chain(&second);
        let constrained = all().any(|a| a.violation.is_some());
        let violations = constrained.then(|| all().map(|a| a.violation.unwrap_or(0.0)).collect());
        let constraints = all().flat_map(|a| &a.constraints).copied().collect();
        (all().map(|a| a.value).collect(), violations, constraints)
    }

    /// The values of the mean, once all are there.
    fn end_asynchronously_with(&mut self, mean: &[Arrival]) {
        let values: Vec<f64> = mean.iter().map(|a| a.value).collect();
        self.asked = true;
        self.end_with_mean(&values, usize::eq, None).expect("invariant: as many values as copies");
        self.flight.end_generation();
        self.count_what_waits();
    }

    /// A noisy run whose budget has no room for its mean ends without.
    pub(super) fn end_without_copies(&mut self) {
        if self.noise.ending.as_ref().is_some_and(|(_, copies)| *copies == 0) {
            self.end_asynchronously_with(&[]);
        }
    }

    /// The budget is spent within a generation: its values count towards the best, not towards an update.
    pub(super) fn end_where_nothing_can_come(&mut self) {
        let Some(limit) = self.params.rules.max_evaluations else { return };
        let nothing_flies = self.flight.flying.is_empty();
        if self.stop.is_some() || self.noise.is_ending() || !nothing_flies || self.evaluations() < limit {
            return;
        }
        self.stop = Some(StopReason::MaxEvaluations { evaluations: limit, limit });
        let before = self.counters.evaluations;
        self.count_what_waits();
        self.incumbent.stamp(before, before);
        self.stop = self.target_reached().or(self.stop.take());
    }

    /// After the last update: values that wait for others count towards the best.
    fn count_what_waits(&mut self) {
        if self.stop.is_some() {
            let waiting = std::mem::take(&mut self.flight.arrived);
            waiting.iter().for_each(|arrival| self.count_late(arrival));
        }
    }
}
