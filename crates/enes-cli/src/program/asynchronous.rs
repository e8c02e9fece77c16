//! A session in which no job waits for another.
//!
//! Evaluations are numbered as they come back, so that the record is the order of arrival; each says which point it was
//! and how many had been asked for. Asking and telling again in this order repeats the run, bit for bit.

use std::collections::BTreeSet;

use super::end::End;
use super::evaluator::{Landed, Pool, Reply, Stop, Task};
use super::plan::Schedule;
use super::record::Evaluation;
use super::session::Session;
use super::status::Status;
use crate::error::CommandError;

/// Durations vary where the longest of a generation takes so many times the mean, in the mean over generations.
const VARIED: f64 = 1.25;

/// Waiting for less than this, in seconds over all generations, is not worth a result that depends on it.
const WORTH_WHILE: f64 = 1.0;

/// How far the evaluations of a generation differ in their duration.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Spread {
    longest: f64,
    mean: f64,
}

impl Spread {
    /// A generation has taken so many seconds, point by point.
    pub(super) fn see(&mut self, seconds: &[f64]) {
        self.longest += seconds.iter().copied().fold(0.0, f64::max);
        self.mean += seconds.iter().sum::<f64>() / seconds.len().max(1) as f64;
    }

    fn varies(self) -> bool {
        self.longest > VARIED * self.mean && self.longest - self.mean > WORTH_WHILE
    }
}

impl Session<'_> {
    /// Whether the next evaluations are asynchronous: the record says so, or the plan, or what they took so far.
    pub(super) fn is_asynchronous(&self) -> bool {
        let recorded = self.folder.record.get(self.es.evaluations());
        match (recorded, self.plan.schedule) {
            (Some(evaluation), _) => evaluation.point.is_some(),
            _ if self.es.in_flight().len() > 0 => true,
            (None, Schedule::Async) => true,
            (None, Schedule::Sync) => false,
            (None, Schedule::Auto) => self.plan.jobs > 1 && self.es.trust().is_some() && self.spread.varies(),
        }
    }

    /// Evaluate until there is a reason to stop.
    pub(super) fn asynchronous(
        &mut self,
        pool: &Pool,
        stop: &Stop,
        status: &mut Status,
    ) -> Result<End, CommandError> {
        let mut begun = BTreeSet::new();
        self.take_in(self.es.generation() + 1, 0, status)?;
        self.replay(status)?;
        loop {
            if let Some(end) = self.ended().or_else(|| self.time_is_up()) {
                self.folder.record.told(self.es.evaluations());
                return Ok(end);
            }
            // All that is there is told before more is asked: the next points know of it.
            let landed = match pool.ready() {
                Some(landed) => Some(landed),
                None => self.hand_out_and_wait(pool, stop, &mut begun)?,
            };
            let Some(landed) = landed else {
                self.folder.record.told(self.es.evaluations());
                return Ok(self.interrupted());
            };
            begun.remove(&landed.task.id);
            if landed.reply != Reply::Interrupted {
                self.land(&landed, stop, status)?;
            }
        }
    }

    /// A point for each free worker; then what ends first.
    fn hand_out_and_wait(
        &mut self,
        pool: &Pool,
        stop: &Stop,
        begun: &mut BTreeSet<u64>,
    ) -> Result<Option<Landed>, CommandError> {
        while begun.len() < pool.size() && !stop.is_set() {
            let Some(task) = self.next_task(begun)? else { break };
            begun.insert(task.id);
            if !pool.begin(task) {
                break;
            }
        }
        self.busy = begun.len();
        self.computing.end();
        let landed = if begun.is_empty() { None } else { pool.next() };
        self.computing.begin();
        Ok(landed)
    }

    /// A point that is in flight and that nobody evaluates, or else a new one; none where the budget is in flight.
    fn next_task(&mut self, begun: &BTreeSet<u64>) -> Result<Option<Task>, CommandError> {
        self.find_program()?;
        if let Some((id, x)) = self.es.in_flight().find(|(id, _)| !begun.contains(id)) {
            return Ok(Some(Task { id, x: x.to_vec() }));
        }
        let proposal = self.es.ask_one().map_err(|e| self.foreign(&e.to_string()))?;
        Ok(proposal.map(|p| Task { id: p.id, x: p.point }))
    }

    /// An evaluation has ended: record it, then tell it.
    fn land(&mut self, landed: &Landed, stop: &Stop, status: &mut Status) -> Result<(), CommandError> {
        let evaluation = Evaluation {
            id: self.es.evaluations(),
            point: Some(landed.task.id),
            asked: Some(self.es.asked_one_at_a_time()),
            ..Evaluation::new(landed, self.es.generation() + 1)
        };
        self.busy -= 1;
        self.add(evaluation.clone(), stop, status)?;
        self.tell(&evaluation, status)
    }

    /// Ask and tell what the record has, in its order.
    fn replay(&mut self, status: &mut Status) -> Result<(), CommandError> {
        while let Some(evaluation) = self.folder.record.get(self.es.evaluations()).cloned() {
            if self.es.stop_reason().is_some() {
                return Ok(());
            }
            let asked = evaluation.asked.unwrap_or(0);
            while self.es.asked_one_at_a_time() < asked {
                let proposal = self.es.ask_one().map_err(|e| self.foreign(&e.to_string()))?;
                if proposal.is_none() {
                    return Err(self.foreign("it asks for more points than the search gives"));
                }
            }
            let known = |(id, x): (u64, &[f64])| Some(id) == evaluation.point && x == evaluation.x;
            if !self.es.in_flight().any(known) {
                let id = evaluation.id;
                return Err(self.foreign(&format!("evaluation {id} is not a point of this run")));
            }
            self.tell(&evaluation, status)?;
        }
        Ok(())
    }

    fn tell(&mut self, evaluation: &Evaluation, status: &mut Status) -> Result<(), CommandError> {
        let (before, id) = (self.es.generation(), evaluation.point.unwrap_or(0));
        let told = match evaluation.violation {
            _ if !self.plan.constraints.is_empty() => {
                let row = evaluation.row(self.plan.constraints.told.len());
                self.es.tell_one_with_constraints(id, evaluation.number(), &row)
            }
            None => self.es.tell_one(id, evaluation.number()),
            Some(violation) => self.es.tell_one_constrained(id, evaluation.number(), violation),
        };
        told.map_err(|e| self.foreign(&e.to_string()))?;
        if self.es.generation() > before {
            self.record()?;
            status.generation(self);
            // Between two generations, where a replay takes it in as well.
            if self.es.stop_reason().is_none() {
                self.take_in(self.es.generation() + 1, 0, status)?;
            }
        }
        Ok(())
    }

    fn foreign(&self, what: &str) -> CommandError {
        CommandError::Folder {
            folder: self.folder.path().display().to_string(),
            reason: format!(
                "evaluations.jsonl does not belong to this run, {what}: another version, machine or hand has changed \
                 it; start a new run"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Spread;

    #[test]
    fn durations_vary_where_one_waits_for_another_and_it_is_worth_while() {
        let mut short = Spread::default();
        (0..20).for_each(|_| short.see(&[0.001, 0.01, 0.001]));
        assert!(!short.varies(), "nobody has waited for a second yet");
        let mut even = Spread::default();
        (0..20).for_each(|_| even.see(&[1.0, 1.1, 1.05]));
        assert!(!even.varies());
        let mut varied = Spread::default();
        varied.see(&[1.0, 5.0, 1.0]);
        assert!(varied.varies());
    }
}
