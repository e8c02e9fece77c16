//! Where there is nothing to learn the adaptive strategy stays put.

use enes::{Optimizer, Settings};

/// A generator of its own, so that the objective's numbers have nothing to do with the search's.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[test]
fn nothing_but_failures_moves_nothing() {
    for d in [2, 3, 10, 30] {
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut es = Optimizer::new(&Settings::new(vec![0.3; d], 1.0)).unwrap();
            let before = es.distribution().clone();
            while es.evaluations() < 20_000 {
                let values = vec![value; es.ask().len()];
                es.tell(&values).unwrap();
            }
            assert_eq!(es.distribution(), &before);
        }
    }
}

#[test]
fn noise_is_noticed_and_makes_room_for_a_larger_population() {
    let mut noise = Noise(3);
    let outcome = enes::minimize(&Settings::new([0.0; 5], 1.0).max_evaluations(20_000), |_| noise.next());
    let reasons: Vec<&str> = outcome.unwrap().restarts.iter().map(|r| r.reason.name()).collect();
    assert!(reasons.contains(&"nosignal"), "{reasons:?}");
}
