//! Asynchronous evaluation: points asked one at a time, told in any order.
//!
//! No worker waits for another. The rows of a generation are handed out one by one, and samples of the present
//! distribution beside them for those who ask for more. What comes back counts in the order in which it comes: when
//! as much has arrived as a generation has, the distribution moves. The order of the calls decides everything, so a
//! run is repeated by repeating it. With one point in flight it is the run of `ask` and `tell`, bit for bit.

use super::flight::{Flying, Kind};
use super::{Given, Optimizer};
use crate::error::{AskError, TellError};
use crate::search::Queue;

/// Draws of a sample that is not in flight already; beyond, it is handed out all the same.
const MOST_DRAWS: usize = 20;

/// A point to evaluate, and the number under which its value is told.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Proposal {
    /// Counts from 0 in the order of asking.
    pub id: u64,
    /// The point.
    pub point: Vec<f64>,
}

impl Optimizer {
    /// One more point to evaluate, at any time, however many are in flight; `None` where there is a reason to stop, and
    /// where the points in flight use up [`Settings::max_evaluations`](crate::Settings::max_evaluations).
    ///
    /// ```
    /// use enes::{Optimizer, Settings};
    /// let mut es = Optimizer::new(&Settings::new([1.0, 2.0], 0.5).seed(1).target(1e-9))?;
    /// let mut running = es.ask_n(4)?;
    /// while let Some(done) = running.pop() { // whichever is first
    ///     es.tell_one(done.id, done.point[0].powi(2) + done.point[1].powi(2))?;
    ///     running.splice(0..0, es.ask_one()?);
    /// }
    /// assert!(es.best().unwrap().value <= 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The published strategy, whose importance mixing needs whole generations; or points of `ask` that await their
    /// `tell`. Nothing has changed then.
    pub fn ask_one(&mut self) -> Result<Option<Proposal>, AskError> {
        if !self.strategy.is_asynchronous() {
            return Err(AskError::Published);
        }
        if self.asked {
            return Err(AskError::GenerationOpen);
        }
        if self.stop.is_some() || !self.has_room() {
            return Ok(None);
        }
        self.begin_asynchronous();
        if self.stop.is_some() || !self.has_room() {
            return Ok(None);
        }
        let Some((kind, searched, whitened)) = self.next_row().or_else(|| self.one_more_sample()) else {
            return Ok(None);
        };
        let mut point = vec![0.0; self.params.dimension];
        self.params.space.users(&searched, &mut point);
        let (search, version) = (self.searches.ended.len() as u64, self.flight.version);
        let id = self.flight.next;
        self.flight.next += 1;
        self.flight.flying.push(Flying {
            id,
            kind,
            search,
            version,
            point: point.clone(),
            searched,
            whitened,
        });
        self.flight.most = self.flight.most.max(self.flight.flying.len());
        Ok(Some(Proposal { id, point }))
    }

    /// So many points to evaluate, or as many as [`Optimizer::ask_one`] gives.
    ///
    /// # Errors
    /// As [`Optimizer::ask_one`].
    pub fn ask_n(&mut self, count: usize) -> Result<Vec<Proposal>, AskError> {
        let mut proposals = Vec::new();
        while proposals.len() < count {
            match self.ask_one()? {
                Some(proposal) => proposals.push(proposal),
                None => break,
            }
        }
        Ok(proposals)
    }

    /// The value of a point in flight: any number, infinities and NaN included. However late it comes, it counts: for
    /// the best, as an evaluation, and in every fit of its search. After a stop it counts for the best.
    ///
    /// # Errors
    /// A point that is not in flight; nothing has changed then.
    pub fn tell_one(&mut self, id: u64, value: f64) -> Result<(), TellError> {
        self.land(id, value, Given::Nothing)
    }

    /// The same with the values of the constraints that the settings declare, inequalities before equalities.
    ///
    /// # Errors
    /// A point that is not in flight, or another number of constraint values; nothing has changed then.
    pub fn tell_one_with_constraints(
        &mut self,
        id: u64,
        value: f64,
        constraints: &[f64],
    ) -> Result<(), TellError> {
        self.land(id, value, Given::Values(constraints))
    }

    /// The same with by how much the point violates the constraints: 0 or less where it is feasible.
    ///
    /// # Errors
    /// A point that is not in flight, or values with noise; nothing has changed then.
    pub fn tell_one_constrained(&mut self, id: u64, value: f64, violation: f64) -> Result<(), TellError> {
        self.land(id, value, Given::Violations(&[violation]))
    }

    /// A point in flight will never come back: it is no evaluation, and nothing waits for it.
    ///
    /// # Errors
    /// A point that is not in flight; nothing has changed then.
    pub fn forget(&mut self, id: u64) -> Result<(), TellError> {
        let flying = self.flight.land(id).ok_or(TellError::NotInFlight { id })?;
        if flying.kind == Kind::Mean {
            self.flight.handed = self.flight.handed.saturating_sub(1); // another copy takes its place
        }
        self.end_where_nothing_can_come();
        Ok(())
    }

    /// The points in flight, with their ids, in the order of asking.
    pub fn in_flight(&self) -> impl ExactSizeIterator<Item = (u64, &[f64])> {
        self.flight.flying.iter().map(|f| (f.id, &f.point[..]))
    }

    /// Points asked one at a time so far: the id of the next.
    pub fn asked_one_at_a_time(&self) -> u64 {
        self.flight.next
    }

    /// Whether the budget has room for one more point beside those in flight. A noisy run keeps evaluations back for its
    /// mean; the rows of a generation had their room when it began.
    fn has_room(&self) -> bool {
        let Some(limit) = self.params.rules.max_evaluations else { return true };
        let beside = self.flight.begun && self.flight.handed >= self.rows_to_hand_out();
        let kept_back = if beside && !self.noise.is_ending() { self.kept_back() } else { 0 };
        self.asked_for() + kept_back < limit
    }

    /// Draw a generation where there is none.
    pub(super) fn begin_asynchronous(&mut self) {
        if self.flight.begun {
            return;
        }
        self.strategy.set_in_flight(self.flight.flying.len() + 1);
        self.draw_generation();
        self.flight.end_generation();
        self.flight.begun = true;
        self.end_without_copies();
    }

    /// Rows of the generation: fresh ones and second measurements, or copies of the mean.
    fn rows_to_hand_out(&self) -> usize {
        match &self.noise.ending {
            Some((_, copies)) => *copies,
            None => self.search.population.fresh() + self.noise.repetitions(),
        }
    }

    /// The next row of the generation, in search coordinates and whitened; `None` where all are out.
    fn next_row(&mut self) -> Option<(Kind, Vec<f64>, Vec<f64>)> {
        let d = self.params.search_dimension;
        while self.flight.handed < self.rows_to_hand_out() {
            let index = self.flight.handed;
            self.flight.handed += 1;
            if self.noise.is_ending() {
                return Some((Kind::Mean, self.search.distribution.mean().to_vec(), vec![0.0; d]));
            }
            let population = &self.search.population;
            let (known, fresh) = (population.known(), population.fresh());
            let row = if index < fresh { known + index } else { self.noise.repeated_row(index - fresh) };
            let searched = population.point(row).to_vec();
            let whitened = population.whitened()[row * d..(row + 1) * d].to_vec();
            let kind = match index {
                _ if index < population.apart() => Kind::Model,
                _ if index < fresh => Kind::Sample,
                _ => self.flight.id_of(row - known).map_or(Kind::Sample, Kind::Again),
            };
            if index < fresh {
                self.flight.ids.push(self.flight.next);
            }
            match kind {
                Kind::Model if self.is_in_flight(&searched) => {} // a sample takes its place
                Kind::Sample if self.is_in_flight(&searched) => return self.one_more_sample(),
                _ => return Some((kind, searched, whitened)),
            }
        }
        None
    }

    fn is_in_flight(&self, searched: &[f64]) -> bool {
        if self.flight.flying.is_empty() {
            return false;
        }
        let mut point = vec![0.0; self.params.dimension];
        self.params.space.users(searched, &mut point);
        self.flight.holds(&point)
    }

    /// A sample beside the generation; none while the mean is measured.
    fn one_more_sample(&mut self) -> Option<(Kind, Vec<f64>, Vec<f64>)> {
        if self.noise.is_ending() {
            return None;
        }
        let d = self.params.search_dimension;
        let (mut s, mut z) = (vec![0.0; d], vec![0.0; d]);
        for _ in 0..MOST_DRAWS {
            let queue = self.flight.queue.get_or_insert_with(|| Queue::new(d));
            queue.next(&mut s, &mut self.generator);
            let distribution = &self.search.distribution;
            distribution.points_from(&s, &mut z); // z = x + Aᵀs ~ N(x, AᵀA)
            self.strategy.place_inside(distribution, &mut s, &mut z);
            self.params.space.resample_one(distribution, &mut s, &mut z, &mut self.generator);
            if !self.is_in_flight(&z) {
                break;
            }
        }
        Some((Kind::Sample, z, s))
    }
}
