//! A run with the user's program: ask, evaluate, record, tell, until there is a reason to stop.

use std::time::{Duration, Instant};

use enes::Optimizer;

use super::asynchronous::Spread;
use super::end::{End, Ending};
use super::evaluator::{Landed, Pool, Reply, Stop, Task};
use super::folder::{GenerationRecord, RunFolder};
use super::intake::give;
use super::parameters::Space;
use super::plan::Plan;
use super::record::{BestSoFar, Evaluation, Tally};
use super::status::Status;
use super::watch::Computing;
use crate::display::words;
use crate::error::CommandError;

/// A checkpoint is written at most this often; what lies between is replayed from the record.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(1);

/// Up to this dimension the axes are recorded, and up to this one the covariance.
pub(crate) const DRAWN: usize = 100;
const WRITTEN: usize = 1000;
/// Up to this one the covariance is written while the run goes on, too: the report shows it.
const WATCHED: usize = 30;

/// Everything a session works with.
pub(crate) struct Session<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) space: &'a Space,
    pub(crate) folder: RunFolder,
    pub(crate) es: Optimizer,
    /// Too many in a row; what was in flight then may still land.
    pub(super) gave_up: bool,
    started: Instant,
    /// Seconds of earlier sessions.
    before: f64,
    checkpointed: Option<Instant>,
    pub(super) computing: Computing,
    /// How far evaluations of a generation differ.
    pub(super) spread: Spread,
    /// Evaluations that run now.
    pub(super) busy: usize,
    /// The program was found, so that its failures are its own.
    found: bool,
}

impl<'a> Session<'a> {
    /// A session that starts from the folder's checkpoint, or from the beginning.
    pub(crate) fn new(
        plan: &'a Plan,
        space: &'a Space,
        mut folder: RunFolder,
        computing: Computing,
    ) -> Result<Self, CommandError> {
        computing.begin();
        let settings = plan.settings(space)?;
        let saved = folder.saved(&settings).unwrap_or_else(|reason| {
            words(&format!(
                "the checkpoint is not used: {reason}; the run goes on from evaluations.jsonl, which costs time and no \
                 evaluation that it has"
            ));
            None
        });
        let es = match saved {
            Some(es) => es,
            None => {
                folder.replay_from_the_start()?;
                Optimizer::new(&settings)?
            }
        };
        let before = folder.latest.as_ref().map_or(0.0, |g| g.seconds);
        // A program that was mended deserves new patience.
        folder.record.tally.failures_in_a_row = 0;
        for taken in &folder.intake.taken {
            let (value, x) = (taken.value, taken.x.clone());
            let violation = injected_violation(plan, &settings, &taken.x, &taken.constraints);
            folder.record.tally.compare(BestSoFar { id: None, value, violation, x });
        }
        Ok(Self {
            plan,
            space,
            folder,
            es,
            gave_up: false,
            started: Instant::now(),
            before,
            checkpointed: None,
            computing,
            spread: Spread::default(),
            busy: 0,
            found: false,
        })
    }

    /// What all evaluations and injected points have given.
    pub(crate) fn tally(&self) -> &Tally {
        &self.folder.record.tally
    }

    pub(crate) fn best(&self) -> Option<&BestSoFar> {
        self.tally().best.as_ref()
    }

    pub(crate) fn seconds(&self) -> f64 {
        self.before + self.started.elapsed().as_secs_f64()
    }

    pub(crate) fn evaluations(&self) -> u64 {
        self.tally().count
    }

    /// Run until there is a reason to stop.
    pub(crate) fn run(&mut self, stop: &Stop, status: &mut Status) -> Result<End, CommandError> {
        let pool = Pool::new(self.plan, stop);
        loop {
            self.computing.begin();
            let end = match self.is_asynchronous() {
                true => {
                    status.asynchronous(self);
                    Some(self.asynchronous(&pool, stop, status)?)
                }
                false => self.generation(&pool, stop, status)?,
            };
            if let Some(end) = end {
                // What others still evaluate nobody needs; the pool's programs end before the last word is written.
                stop.set();
                drop(pool);
                self.computing.begin();
                self.save(true)?;
                self.computing.end();
                return Ok(end);
            }
        }
    }

    /// One generation: ask, take in what was injected, evaluate what the record does not have, tell.
    fn generation(
        &mut self,
        pool: &Pool,
        stop: &Stop,
        status: &mut Status,
    ) -> Result<Option<End>, CommandError> {
        let generation = self.es.generation() + 1;
        let stopped = self.es.stop_reason().is_some();
        if stopped && !self.waits(generation)? {
            return Ok(self.ended());
        }
        let first = self.es.evaluations();
        let points: Vec<Vec<f64>> = self.es.ask().iter().map(<[f64]>::to_vec).collect();
        self.take_in(generation, points.len(), status)?;
        if stopped {
            return Ok(self.ended());
        }
        let limit = self.plan.max_evaluations.unwrap_or(u64::MAX);
        let affordable = usize::try_from(limit.saturating_sub(first)).unwrap_or(usize::MAX).min(points.len());
        let tasks = self.missing(first, &points[..affordable])?;
        // An injected point may have met the target; a generation that is complete is told nevertheless.
        if !tasks.is_empty() && self.es.stop_reason().is_some() {
            return Ok(self.ended());
        }
        self.computing.end();
        self.evaluate(pool, tasks, generation, stop, status)?;
        self.computing.begin();
        if stop.is_set() {
            return Ok(Some(self.interrupted()));
        }
        self.take_in(generation, points.len(), status)?;
        if affordable < points.len() {
            let reached = self.target_reached();
            return Ok(Some(reached.unwrap_or(End {
                name: "maxfevals".into(),
                message: format!("the budget is spent: {limit} of {limit} evaluations"),
                kind: Ending::Normal,
            })));
        }
        let evaluations: Vec<&Evaluation> =
            (0..points.len()).filter_map(|row| self.folder.record.get(first + row as u64)).collect();
        let values: Vec<f64> = evaluations.iter().map(|e| e.number()).collect();
        let durations: Vec<f64> = evaluations.iter().map(|e| e.seconds).collect();
        let width = self.plan.constraints.told.len();
        let one_by_one = !self.plan.constraints.is_empty();
        let told = match evaluations.iter().any(|e| e.violation.is_some()) {
            _ if one_by_one => {
                let rows = evaluations.iter().map(|e| e.row(width));
                self.es.tell_with_constraints(&values, &rows.collect::<Vec<_>>().concat())
            }
            false => self.es.tell(&values),
            true => {
                let violations: Vec<f64> = evaluations.iter().map(|e| e.violation.unwrap_or(0.0)).collect();
                self.es.tell_constrained(&values, &violations)
            }
        };
        told.expect("invariant: one value for each point asked");
        self.spread.see(&durations);
        self.record()?;
        status.generation(self);
        Ok(self.time_is_up())
    }

    /// Take in what was injected, between `ask` and `tell`: what the log has for this generation, then what is new,
    /// unless the record has evaluations of a later one, which came about without it.
    pub(super) fn take_in(
        &mut self,
        generation: u64,
        asked: usize,
        status: &mut Status,
    ) -> Result<(), CommandError> {
        let log = &self.folder.intake.taken;
        let known = self.es.injected() as usize;
        if known > log.len() || log.get(known).is_some_and(|taken| taken.generation < generation) {
            let reason = "does not belong to its checkpoint and its evaluations: restore the file";
            return Err(self.folder.intake.wrong(reason));
        }
        for taken in log[known..].iter().take_while(|taken| taken.generation == generation) {
            give(&mut self.es, self.space, &taken.x, taken.value, &taken.constraints)
                .map_err(|reason| self.folder.intake.wrong(&format!("has another run's points: {reason}")))?;
        }
        let replayed = self.es.injected() as usize == log.len();
        // A generation that the record has as complete came about without what is new.
        let recorded = self.folder.latest.as_ref().is_some_and(|last| last.generation >= generation);
        if !replayed || recorded || self.evaluations() > self.es.evaluations() + asked as u64 {
            return Ok(());
        }
        let new = self.folder.intake.arrived()?;
        if new.is_empty() {
            return Ok(());
        }
        for (place, given) in new.iter().enumerate() {
            give(&mut self.es, self.space, &given.x, given.value, &given.constraints)
                .map_err(|reason| self.folder.intake.refused(place, &reason))?;
            let (value, x) = (given.value, given.x.clone());
            let violation = injected_violation(self.plan, self.es.settings(), &given.x, &given.constraints);
            self.folder.record.tally.compare(BestSoFar { id: None, value, violation, x });
        }
        status.injected(new.len());
        self.folder.intake.log(generation, new)
    }

    /// Whether a run that has come to its limit has points to take in, which may meet the target; under noise they
    /// cannot.
    fn waits(&mut self, generation: u64) -> Result<bool, CommandError> {
        if self.plan.noisy || !self.es.stop_reason().is_some_and(enes::StopReason::is_limit) {
            return Ok(false);
        }
        let intake = &mut self.folder.intake;
        Ok(match intake.taken.get(self.es.injected() as usize) {
            Some(taken) => taken.generation == generation,
            None => !intake.arrived()?.is_empty(),
        })
    }

    /// Points whose evaluation is not in the record, and a check that the record is this run's.
    fn missing(&self, first: u64, points: &[Vec<f64>]) -> Result<Vec<Task>, CommandError> {
        let mut tasks = Vec::new();
        for (row, x) in points.iter().enumerate() {
            let id = first + row as u64;
            match self.folder.record.get(id) {
                None => tasks.push(Task { id, x: x.clone() }),
                Some(known) if known.x == *x => {}
                Some(_) => {
                    return Err(CommandError::Folder {
                        folder: self.folder.path().display().to_string(),
                        reason: format!(
                            "evaluation {id} of evaluations.jsonl is not a point of this run: another version, \
                             machine or hand has changed it; start a new run"
                        ),
                    });
                }
            }
        }
        Ok(tasks)
    }

    fn evaluate(
        &mut self,
        pool: &Pool,
        tasks: Vec<Task>,
        generation: u64,
        stop: &Stop,
        status: &mut Status,
    ) -> Result<(), CommandError> {
        if !tasks.is_empty() {
            self.find_program()?;
        }
        pool.evaluate(tasks, |landed: Landed| match landed.reply {
            Reply::Interrupted => Ok(()),
            _ => self.add(Evaluation::new(&landed, generation), stop, status),
        })
    }

    /// Before the first evaluation: whether there is a program to start.
    pub(super) fn find_program(&mut self) -> Result<(), CommandError> {
        if !std::mem::replace(&mut self.found, true) {
            super::found::check(&self.plan.command)?;
        }
        Ok(())
    }

    /// Record an evaluation as it lands.
    pub(super) fn add(
        &mut self,
        mut evaluation: Evaluation,
        stop: &Stop,
        status: &mut Status,
    ) -> Result<(), CommandError> {
        if !self.plan.constraints.is_empty() && evaluation.failure.is_none() {
            let (violation, feasible) =
                self.es.settings().violation_at(&evaluation.x, &evaluation.constraints);
            evaluation.violation = Some(if feasible { 0.0 } else { violation.min(f64::MAX) });
        }
        if self.plan.noisy && evaluation.violation.is_some() {
            return Err(enes::SettingsError::NoisyConstraints.into());
        }
        if let Some(reason) = &evaluation.failure {
            status.failure(evaluation.id, reason);
        }
        self.folder.add_evaluation(evaluation)?;
        status.evaluation(self);
        if self.tally().failures_in_a_row >= self.plan.max_failures {
            self.gave_up = true;
            stop.set();
        }
        Ok(())
    }

    pub(super) fn record(&mut self) -> Result<(), CommandError> {
        let es = &self.es;
        let record = GenerationRecord {
            generation: es.generation(),
            evaluations: es.evaluations(),
            failures: self.folder.record.failures_before(es.evaluations()),
            best: es.best().filter(|b| b.feasible).map(|b| b.value).filter(|v| v.is_finite()),
            violation: es.best().filter(|b| !b.feasible).map(|b| b.violation).filter(|v| *v > 0.0),
            population: es.population_size(),
            mean: es.mean().to_vec(),
            stds: es.distribution().standard_deviations(),
            axes: if es.distribution().dimension() <= DRAWN { es.axis_lengths() } else { Vec::new() },
            sigma: Some((es.distribution().log_det() / es.distribution().dimension() as f64).exp()),
            reused: es.trust().is_none().then(|| es.last_reused_share()),
            trust: es.trust(),
            archive: es.archive_len(),
            mode: es.uses_surrogate().then(|| es.model().map_or("ranks", |m| m.mode.name()).to_string()),
            response: es.model().map(|m| m.response.name().to_string()),
            error: es.model().map(|m| m.error).filter(|e| e.is_finite()),
            noise: es.noise_share(),
            restarts: es.restarts().len(),
            seconds: self.seconds(),
        };
        self.folder.add_generation(record)?;
        self.save(false)
    }

    /// Write the checkpoint, and the covariance for the report; often enough, or now.
    fn save(&mut self, now: bool) -> Result<(), CommandError> {
        if !now && self.checkpointed.is_some_and(|t| t.elapsed() < CHECKPOINT_EVERY) {
            return Ok(());
        }
        self.folder.write_checkpoint(&self.es.to_checkpoint(), self.es.evaluations())?;
        let mean = self.es.distribution().mean();
        let d = mean.len();
        if d <= if now { WRITTEN } else { WATCHED } {
            let covariance: Vec<Vec<f64>> = self.es.covariance().chunks(d).map(<[f64]>::to_vec).collect();
            let text = serde_json::json!({"mean": mean, "covariance": covariance}).to_string();
            self.folder.write("covariance.json", crate::files::sealed_object(&text))?;
        }
        self.checkpointed = Some(Instant::now());
        Ok(())
    }
}

/// By how much an injected point violates the constraints of a run: 0 within the tolerance.
fn injected_violation(plan: &Plan, settings: &enes::Settings, x: &[f64], constraints: &[f64]) -> f64 {
    match settings.violation_at(x, constraints) {
        (violation, false) if !plan.constraints.is_empty() => violation.min(f64::MAX),
        _ => 0.0,
    }
}
