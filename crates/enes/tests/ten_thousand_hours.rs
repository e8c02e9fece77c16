//! Ten thousand simulated hours with workers that die, hang and return late: nothing is lost, nothing counted twice.

use enes::{Optimizer, Proposal, Settings, TellError};

fn rastrigin(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v + 10.0 * (1.0 - (std::f64::consts::TAU * v).cos())).sum()
}

/// A number that follows from the point alone, as noise.
fn hash(x: &[f64], salt: u64) -> f64 {
    let mut h = salt.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for v in x {
        h = (h ^ v.to_bits()).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        h ^= h >> 29;
    }
    (h >> 11) as f64 / (1u64 << 53) as f64
}

/// Eight workers for 10,000 hours: evaluations of an hour in the mean, of which one in fifty hangs until somebody gives it
/// up after a day, and one in fifty dies with its worker. What was given up comes back all the same, much later. Searches end
/// while points of theirs are in flight, and every week the driver dies and goes on from its checkpoint.
#[test]
fn in_ten_thousand_hours_nothing_is_lost_and_nothing_is_counted_twice() {
    let settings = Settings::new([2.3, -1.7], 1.0).seed(6).max_evaluations(u64::from(u32::MAX));
    let settings = settings.same_optimum(None).unseen_optima(None);
    let mut es = Optimizer::new(&settings).unwrap();
    // When it ends, which point, whether the driver has given it up by then, and which search asked for it.
    let mut running: Vec<(f64, Proposal, bool, usize)> = Vec::new();
    let (mut now, mut turn, mut told, mut given_up, mut too_late) = (0.0, 0u64, 0u64, 0u64, 0u64);
    let (mut best, mut after_a_restart, mut drivers) = (f64::INFINITY, 0u64, 1u32);
    while now < 10_000.0 {
        while running.iter().filter(|r| !r.2).count() < 8 {
            let proposal = es.ask_one().unwrap().unwrap();
            turn += 1;
            let fate = hash(&[turn as f64], 1);
            let hours = -hash(&[turn as f64], 2).max(1e-9).ln();
            let ends = if fate < 0.02 { now + 24.0 } else { now + hours };
            running.push((ends, proposal, false, es.restarts().len()));
        }
        let next = (0..running.len()).min_by(|&a, &b| running[a].0.total_cmp(&running[b].0)).unwrap();
        let (at, proposal, was_given_up, search) = running.swap_remove(next);
        now = at;
        if now > f64::from(drivers) * 168.0 {
            es = Optimizer::from_checkpoint(&es.to_checkpoint()).unwrap();
            drivers += 1;
        }
        let value = rastrigin(&proposal.point);
        let fate = hash(&[at], 3);
        match was_given_up {
            true => {
                assert_eq!(es.tell_one(proposal.id, value), Err(TellError::NotInFlight { id: proposal.id }));
                too_late += 1;
            }
            false if fate < 0.02 => {
                es.forget(proposal.id).unwrap();
                given_up += 1;
                running.push((now + 500.0, proposal, true, search));
            }
            false => {
                after_a_restart += u64::from(es.restarts().len() > search);
                es.tell_one(proposal.id, value).unwrap();
                (told, best) = (told + 1, best.min(value));
            }
        }
        assert_eq!((es.evaluations(), es.in_flight().len()), (told, running.iter().filter(|r| !r.2).count()));
    }
    assert_eq!(es.best().unwrap().value, best);
    assert!(told > 50_000 && given_up > 1000 && too_late > 900 && drivers > 58, "{told} {given_up}");
    assert!(after_a_restart > 300, "{after_a_restart}");
}
