//! Categories: of a group of coordinates exactly one is 1.

use enes::{BoundHandling, ModelChoice, Optimizer, Settings, SettingsError, StopReason, Strategy, minimize};

/// A number that is as good as it can be for each choice, and what two categories of three and four choices cost together, by a
/// seed.
struct Shop {
    costs: [[f64; 4]; 3],
    best: [f64; 3],
}

impl Shop {
    fn new(seed: u64) -> Self {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 40) as f64 / (1u64 << 24) as f64
        };
        Self { costs: [(); 3].map(|()| [(); 4].map(|()| next())), best: [(); 3].map(|()| 4.0 * next() - 2.0) }
    }

    fn evaluate(&self, x: &[f64]) -> f64 {
        let choice = |group: &[f64]| group.iter().position(|v| *v == 1.0).unwrap();
        let (first, second) = (choice(&x[2..5]), choice(&x[5..9]));
        let number = x[0] - self.best[first];
        number * number + 3.0 * (x[1] - x[0]).powi(2) + self.costs[first][second]
    }

    fn least(&self) -> f64 {
        self.costs.iter().flatten().fold(f64::INFINITY, |least, c| least.min(*c))
    }

    fn settings() -> Settings {
        Settings::new([0.0; 9], 1.0).one_hot([vec![2, 3, 4], vec![5, 6, 7, 8]])
    }
}

fn is_one_hot(group: &[f64]) -> bool {
    group.iter().all(|v| *v == 0.0 || *v == 1.0) && group.iter().sum::<f64>() == 1.0
}

#[test]
fn every_point_has_one_choice_of_each_category() {
    for strategy in [Strategy::Adaptive, Strategy::Published] {
        for handling in [BoundHandling::Smooth, BoundHandling::Reflect, BoundHandling::Resample] {
            for model in [ModelChoice::Auto, ModelChoice::RankOnly] {
                let shop = Shop::new(3);
                let settings = Shop::settings().strategy(strategy).bound_handling(handling).seed(4);
                let settings = if strategy == Strategy::Adaptive {
                    settings.model(model)
                } else {
                    settings.refresh_rate(1.0)
                };
                let mut es = Optimizer::new(&settings).unwrap();
                for _ in 0..40 {
                    let points = es.ask();
                    assert!(points.iter().all(|x| is_one_hot(&x[2..5]) && is_one_hot(&x[5..])));
                    let values: Vec<f64> = points.iter().map(|x| shop.evaluate(x)).collect();
                    es.tell(&values).unwrap();
                }
                let mean = es.mean();
                assert!(is_one_hot(&mean[2..5]) && is_one_hot(&mean[5..]), "{mean:?}");
            }
        }
    }
}

/// Of 40 shops with twelve pairs of choices the best pair, and its numbers, are found in 38 at least, with a median of 250
/// evaluations at most: all pairs by themselves, each with a search of two numbers, would take more.
#[test]
fn the_best_choices_and_numbers_are_found() {
    let mut evaluations: Vec<u64> = Vec::new();
    for seed in 0..40 {
        let shop = Shop::new(seed + 100);
        let settings = Shop::settings().seed(seed).max_evaluations(1000).target(shop.least() + 1e-6);
        let outcome = minimize(&settings, |x| shop.evaluate(x)).unwrap();
        let solved = matches!(outcome.stop, StopReason::Target { .. });
        evaluations.push(if solved { outcome.evaluations } else { u64::MAX });
    }
    evaluations.sort_unstable();
    assert!(evaluations[37] < u64::MAX && evaluations[20] <= 250, "{evaluations:?}");
}

#[test]
fn categories_alone_are_counted_out() {
    let costs = [3.0, 1.0, 2.0];
    let settings = Settings::new([1.0, 0.0, 0.0, 1.0, 0.0], 0.5).one_hot([vec![0, 1, 2], vec![3, 4]]).seed(2);
    let mut asked = 0;
    let outcome = minimize(&settings, |x| {
        asked += 1;
        costs.iter().zip(x).map(|(c, x)| c * x).sum::<f64>() + 5.0 * x[3]
    })
    .unwrap();
    assert_eq!(outcome.point, [0.0, 1.0, 0.0, 0.0, 1.0]);
    assert!(matches!(outcome.stop, StopReason::AllEvaluated { points: 6 }), "{:?}", outcome.stop);
    assert!(asked <= 12, "{asked}");
}

#[test]
fn a_run_with_categories_continues_bit_for_bit() {
    let shop = Shop::new(9);
    let settings = Shop::settings().seed(6);
    let mut es = Optimizer::new(&settings).unwrap();
    for _ in 0..40 {
        let mut other = Optimizer::from_checkpoint(&es.to_checkpoint()).unwrap();
        let points = es.ask().as_slice().to_vec();
        assert_eq!(other.ask().as_slice(), points);
        let values: Vec<f64> = points.chunks(9).map(|x| shop.evaluate(x)).collect();
        es.tell(&values).unwrap();
        if es.stop_reason().is_some() {
            break;
        }
    }
}

#[test]
fn groups_that_are_no_category_are_refused_with_the_remedy() {
    let refused = |settings: Settings| match settings.validate() {
        Err(error @ SettingsError::OneHot { .. }) => error.to_string(),
        other => panic!("{other:?}"),
    };
    let base = || Settings::new([0.0; 4], 1.0);
    for (settings, words) in [
        (base().one_hot([[1]]), "one_hot[0]: it has 1 coordinates, at least two are needed"),
        (base().one_hot([[1, 7]]), "there is no coordinate 7: there are 4, counted from 0"),
        (base().one_hot([[0, 1], [1, 2]]), "one_hot[1]: coordinate 1 is named twice"),
        (base().one_hot([[0, 1]]).log_scale(vec![true, false, false, false]), "on a log scale"),
        (base().one_hot([[0, 1]]).bounds(vec![(0.0, 2.0); 4]), "has bounds (0, 2), but it is 0 or 1"),
    ] {
        let said = refused(settings);
        assert!(said.contains(words), "{said}");
    }
    base().one_hot([[0, 1]]).bounds(vec![(0.0, 1.0); 4]).validate().unwrap();
}
