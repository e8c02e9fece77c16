//! Integer coordinates at 10 and 20 dimensions: success rates, and what they are without the margin.

use enes::{ModelChoice, Settings, Strategy};
use enes_acceptance::integers::*;

/// 18 of 20: where 99 % of runs succeed, fewer are seen once in a thousand sets of seeds.
#[test]
fn half_of_the_coordinates_may_be_integers() {
    for strategy in STRATEGIES {
        for d in [10, 20].into_iter().filter(|d| *d < 20 || strategy == Strategy::Adaptive) {
            for (name, f) in [("sphere", sphere as Objective), ("ellipsoid", ellipsoid)] {
                let count = successes(&search(d, every_second, strategy, true), f);
                assert!(count >= 18, "{name} d = {d} {strategy:?}: {count} of {SEEDS}");
            }
        }
    }
}

#[test]
fn all_coordinates_may_be_integers() {
    for strategy in STRATEGIES {
        for d in [10, 20].into_iter().filter(|d| *d < 20 || strategy == Strategy::Adaptive) {
            for (name, f) in [("sphere", sphere as Objective), ("ellipsoid", ellipsoid)] {
                let count = successes(&search(d, every, strategy, true), f);
                assert!(count >= 18, "{name} d = {d} {strategy:?}: {count} of {SEEDS}");
            }
        }
    }
}

/// Without the margin, and without a surrogate: searches freeze beside the optimum, which is what the margin is for. Where all coordinates
/// of the default are integers they do not any more, since generations of equal values widen the search. Shown by
/// `cargo test -p enes-acceptance --test main integers::freeze -- --nocapture`.
#[test]
fn without_the_margin_searches_freeze() {
    let ranks = |settings: Settings| settings.model(ModelChoice::RankOnly);
    let (adaptive, published) = (Strategy::Adaptive, Strategy::Published);
    type Make = Box<dyn Fn(bool) -> Settings>;
    // What, how to search it, and the least number of 20 runs that the margin must save.
    let cases: [(&str, Make, Objective, u64); 5] = [
        (
            "adaptive, d = 10, half integer",
            Box::new(move |m| ranks(search(10, every_second, adaptive, m))),
            ellipsoid,
            4,
        ),
        (
            "adaptive, d = 10, all integer",
            Box::new(move |m| ranks(search(10, every, adaptive, m))),
            ellipsoid,
            0,
        ),
        (
            "adaptive, d = 20, all integer",
            Box::new(move |m| ranks(search(20, every, adaptive, m))),
            ellipsoid,
            0,
        ),
        (
            "adaptive, d = 20, leading ones",
            Box::new(move |m| ranks(binary(20, adaptive, m))),
            leading_ones,
            0,
        ),
        ("published, d = 4, all integer", Box::new(move |m| search(4, every, published, m)), ellipsoid, 6),
    ];
    for (name, settings, f, least) in cases {
        let count = |margin| successes(&settings(margin), f);
        let (with, without) = (count(true), count(false));
        println!("{name}: {with} of {SEEDS} with the margin, {without} without");
        assert!(with >= 18, "{name}: {with} with the margin");
        assert!(with >= without + least, "{name}: {with} with the margin, {without} without");
    }
}
