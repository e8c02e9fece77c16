//! A virtual clock: workers that take their time, without anybody waiting.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use enes::{Optimizer, Settings};
use enes_reference::RandomNumbers;

use crate::error::ReproduceError;
use crate::measurement::Numbers;

/// How long evaluations take: lognormal of mean 1, with this deviation of the logarithm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Durations(pub(crate) f64);

impl Durations {
    fn draw(self, numbers: &mut Numbers) -> f64 {
        match self.0 {
            0.0 => 1.0,
            sigma => (sigma * numbers.normal() - 0.5 * sigma * sigma).exp(),
        }
    }
}

/// What a run took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Clocked {
    /// Wall time, in mean durations.
    pub(crate) time: f64,
    /// The share of it in which workers were busy.
    pub(crate) busy: f64,
    pub(crate) evaluations: u64,
    pub(crate) generations: u64,
    pub(crate) value: f64,
    pub(crate) success: bool,
}

/// An evaluation that will end.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Ends {
    at: f64,
    id: u64,
    value: f64,
}

impl Eq for Ends {}

impl Ord for Ends {
    /// The earliest is the greatest; at the same time the lowest number.
    fn cmp(&self, other: &Self) -> Ordering {
        other.at.total_cmp(&self.at).then(other.id.cmp(&self.id))
    }
}

impl PartialOrd for Ends {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Workers, and how long their evaluations take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Workers {
    pub(crate) count: usize,
    pub(crate) durations: Durations,
    pub(crate) seed: u64,
}

impl Workers {
    /// The numbers that their durations are drawn with.
    fn numbers(self) -> Numbers {
        Numbers::new(self.seed ^ 0x0063_6c6f_636b)
    }
}

/// A run in which no worker waits. What comes back at the same time is told before more is asked, as the drivers do it.
pub(crate) fn asynchronous(
    settings: &Settings,
    workers: Workers,
    objective: impl Fn(&[f64]) -> f64,
) -> Result<Clocked, ReproduceError> {
    let mut es = Optimizer::new(settings)?;
    let mut numbers = workers.numbers();
    let mut running = BinaryHeap::new();
    let (mut now, mut work, mut cut) = (0.0, 0.0, 0.0);
    while es.stop_reason().is_none() {
        while running.len() < workers.count {
            let Some(proposal) = es.ask_one()? else { break };
            let duration = workers.durations.draw(&mut numbers);
            work += duration;
            let value = objective(&proposal.point);
            running.push(Ends { at: now + duration, id: proposal.id, value });
        }
        let Some(Ends { at, id, value }) = running.pop() else { break };
        now = at;
        es.tell_one(id, value)?;
        while es.stop_reason().is_none() && running.peek().is_some_and(|ends: &Ends| ends.at <= now) {
            let Some(Ends { id, value, .. }) = running.pop() else { break };
            es.tell_one(id, value)?;
        }
    }
    // Work that the end of the run cuts off was not done.
    running.iter().for_each(|ends| cut += ends.at - now);
    Ok(clocked(&es, now, (work - cut) / workers.count as f64))
}

/// The same with whole generations, each of which waits for its slowest point.
pub(crate) fn with_barrier(
    settings: &Settings,
    workers: Workers,
    objective: impl Fn(&[f64]) -> f64,
) -> Result<Clocked, ReproduceError> {
    let mut es = Optimizer::new(settings)?;
    let mut numbers = workers.numbers();
    let (mut now, mut work) = (0.0, 0.0);
    while es.stop_reason().is_none() {
        let values: Vec<f64> = es.ask().iter().map(&objective).collect();
        let (span, done) = makespan(values.len(), workers.count, workers.durations, &mut numbers);
        now += span;
        work += done;
        es.tell(&values)?;
    }
    Ok(clocked(&es, now, work / workers.count as f64))
}

/// How long so many points take when each free worker takes the next one; and the work in them.
pub(crate) fn makespan(
    points: usize,
    workers: usize,
    durations: Durations,
    numbers: &mut Numbers,
) -> (f64, f64) {
    let mut free = vec![0.0f64; workers];
    let mut work = 0.0;
    for _ in 0..points {
        let duration = durations.draw(numbers);
        work += duration;
        if let Some(first) = free.iter_mut().min_by(|a, b| a.total_cmp(b)) {
            *first += duration;
        }
    }
    (free.into_iter().fold(0.0, f64::max), work)
}

fn clocked(es: &Optimizer, time: f64, busy: f64) -> Clocked {
    Clocked {
        time,
        busy: if time > 0.0 { busy / time } else { 1.0 },
        evaluations: es.evaluations(),
        generations: es.generation(),
        value: es.best().map_or(f64::NAN, |best| best.value),
        success: es.stop_reason().is_some_and(enes::StopReason::is_target),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_mean_one() {
        for sigma in [0.0, 1.0, 1.5] {
            let mut numbers = Numbers::new(1);
            let n = 400_000;
            let mean = (0..n).map(|_| Durations(sigma).draw(&mut numbers)).sum::<f64>() / f64::from(n);
            // Four standard errors: the variance is e^(σ²) − 1, at most 8.5.
            assert!((mean - 1.0).abs() < 4.0 * (8.5 / f64::from(n)).sqrt(), "{sigma} {mean}");
        }
    }

    #[test]
    fn five_points_on_four_workers_take_two_rounds() {
        let mut numbers = Numbers::new(1);
        assert_eq!(makespan(5, 4, Durations(0.0), &mut numbers), (2.0, 5.0));
        assert_eq!(makespan(4, 4, Durations(0.0), &mut numbers), (1.0, 4.0));
    }

    #[test]
    fn one_worker_takes_the_serial_run_and_is_always_busy() {
        let settings = Settings::new([1.0; 4], 1.0).target(1e-6).seed(3);
        let sphere = |x: &[f64]| x.iter().map(|v| v * v).sum();
        let one = Workers { count: 1, durations: Durations(1.0), seed: 3 };
        let a = asynchronous(&settings, one, sphere).unwrap();
        let b = with_barrier(&settings, one, sphere).unwrap();
        assert_eq!(a.evaluations, b.evaluations);
        assert!((a.time - b.time).abs() < 1e-9 * a.time && (a.busy - 1.0).abs() < 1e-12, "{a:?} {b:?}");
        assert!(a.success && b.success);
    }

    #[test]
    fn nobody_waits() {
        let settings = Settings::new([1.0; 6], 1.0).target(1e-6).seed(3);
        let sphere = |x: &[f64]| x.iter().map(|v| v * v).sum();
        let seven = Workers { count: 7, durations: Durations(1.5), seed: 3 };
        let clocked = asynchronous(&settings, seven, sphere).unwrap();
        assert!(clocked.busy > 0.999, "{clocked:?}");
    }
}
