//! Steps whose values come later than the next update: each is judged when its value is there, by the radius it was made with.

use super::region::Promise;
use crate::archive::{Archive, Reader};
use crate::strategy::adaptive::mode::Record;
use crate::strategy::adaptive::tuning::SurrogateTuning;

/// So many steps are waited for: a point that was given up is never told.
const MOST_OPEN: usize = 64;

/// A step that was made before the last update, and whose value was not there then.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Open {
    /// In search coordinates.
    point: Vec<f64>,
    promise: Promise,
    /// By how much ln σ has changed since.
    since: f64,
}

/// All steps that have no value yet, the oldest first.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct OpenSteps(Vec<Open>);

impl OpenSteps {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// One more, which ended in this point.
    pub(super) fn add(&mut self, point: &[f64], promise: Promise) {
        if self.0.len() == MOST_OPEN {
            self.0.remove(0);
        }
        self.0.push(Open { point: point.to_vec(), promise, since: 0.0 });
    }

    /// ln σ has changed.
    pub(super) fn count_motion(&mut self, log_step: f64) {
        self.0.iter_mut().for_each(|open| open.since += log_step);
    }

    /// Judge those whose values have come.
    pub(super) fn judge(
        &mut self,
        archive: &Archive,
        verdict: &mut Verdict,
        record: &mut Record,
        tuning: &SurrogateTuning,
    ) {
        self.0.retain(|open| match archive.cost_of(Reader::Surrogate, &open.point) {
            Some(cost) => {
                verdict.add(&open.promise, cost, open.since, record, tuning);
                false
            }
            None => true,
        });
    }

    #[cfg(feature = "serde")]
    pub(super) fn is_consistent(&self, d: usize) -> bool {
        let fits =
            |open: &Open| open.point.len() == d && open.since.is_finite() && open.promise.is_consistent();
        self.0.len() <= MOST_OPEN && self.0.iter().all(fits)
    }
}

/// By how much ln σ should change, from all steps that are judged at once.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Verdict(pub(super) Option<f64>);

impl Verdict {
    /// A step that was made before ln σ changed by `since` ended in a point of this cost. What it says of the radius it says
    /// of its own: where that has been halved since, it is not halved again.
    pub(super) fn add(
        &mut self,
        promise: &Promise,
        cost: f64,
        since: f64,
        record: &mut Record,
        tuning: &SurrogateTuning,
    ) {
        let kept = promise.kept(cost);
        let log_step = promise.log_step(kept, tuning);
        let so_far = self.0.unwrap_or(0.0);
        let wanted = (log_step - since).clamp(-MOST_AT_ONCE, MOST_AT_ONCE);
        self.0 = Some(match log_step {
            shorter if shorter < 0.0 => so_far.min(wanted),
            longer if longer > 0.0 => so_far.max(wanted),
            _ => so_far,
        });
        let kept = promise.is_empty() || kept >= tuning.kept;
        record.kept_promise = Some(kept);
        record.count_end(!cost.is_finite());
        record.unbroken &= kept;
        if kept && (promise.is_empty() || log_step >= 0.0) {
            record.forgive();
        }
    }
}

/// The radius changes by no more than a step that promises nothing would change it.
const MOST_AT_ONCE: f64 = 1.5;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::{Entry, Readers};

    fn promise() -> Promise {
        Promise { power: None, deviation: 1.0, best: 10.0, decrease: 4.0, length: 1.0 }
    }

    fn archive_with(points: &[([f64; 2], f64)]) -> Archive {
        let mut archive = Archive::new(2, 2);
        archive.begin_search(0, 8);
        for (point, cost) in points {
            let entry =
                Entry { value: *cost, violation: 0.0, cost: *cost, measured: 1, readers: Readers::ALL };
            archive.add(point, None, entry);
        }
        archive
    }

    /// The verdict on two open steps, and what is remembered, once these points have come.
    fn judged(since: [f64; 2], points: &[([f64; 2], f64)]) -> (Verdict, Option<bool>, usize) {
        let tuning = SurrogateTuning::default();
        let (mut open, mut verdict, mut record) =
            (OpenSteps::default(), Verdict::default(), Record::new(&tuning));
        open.add(&[1.0, 1.0], promise());
        open.count_motion(since[0] - since[1]);
        open.add(&[2.0, 2.0], promise());
        open.count_motion(since[1]);
        open.judge(&archive_with(points), &mut verdict, &mut record, &tuning);
        (verdict, record.kept_promise, open.0.len())
    }

    #[test]
    fn a_step_is_judged_once_its_value_has_come() {
        assert_eq!(judged([0.0; 2], &[([3.0, 3.0], 1.0)]), (Verdict(None), None, 2));
        let (verdict, kept, open) = judged([0.0; 2], &[([2.0, 2.0], 6.0), ([3.0, 3.0], 1.0)]);
        assert_eq!((verdict, kept, open), (Verdict(Some(2f64.ln())), Some(true), 1));
    }

    #[test]
    fn two_steps_that_failed_from_one_radius_halve_it_once() {
        let half = 0.5f64.ln();
        let both = [([1.0, 1.0], 11.0), ([2.0, 2.0], 12.0)];
        assert_eq!(judged([0.0; 2], &both), (Verdict(Some(half)), Some(false), 0));
        // It was halved since, so it stays; it was doubled since, so it is a quarter.
        assert_eq!(judged([half; 2], &both).0, Verdict(Some(0.0)));
        assert_eq!(judged([-half; 2], &both).0, Verdict(Some(2.0 * half)));
    }

    #[test]
    fn the_later_step_decides_whether_promises_are_kept() {
        let (verdict, kept, _) = judged([0.0; 2], &[([1.0, 1.0], 6.0), ([2.0, 2.0], 12.0)]);
        assert_eq!((verdict, kept), (Verdict(Some(0.5f64.ln())), Some(false)));
    }

    #[test]
    fn what_never_comes_is_given_up() {
        let mut open = OpenSteps::default();
        (0..3 * MOST_OPEN).for_each(|i| open.add(&[i as f64, 0.0], promise()));
        assert_eq!(open.0.len(), MOST_OPEN);
        assert_eq!(open.0[0].point[0], (2 * MOST_OPEN) as f64);
    }
}
