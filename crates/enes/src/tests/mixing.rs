//! Importance mixing: the population's law, how much is kept, how much is drawn.

use super::statistics::{ks_critical, ks_normal, normal_cdf};
use crate::archive::Archive;
use crate::linalg::squared_norm;
use crate::random::Generator;
use crate::search::{Motion, Population, Search, SearchDistribution};
use crate::settings::{Params, Settings, Strategy};
use crate::strategy::Engine;
use crate::strategy::published::Mixing;

fn standard_population(n: usize, d: usize, generator: &mut Generator) -> Population {
    let mut population = Population::new(n, d);
    generator.fill_normal(population.whitened_mut());
    population.set_costs(std::iter::repeat_n(0.0, n));
    population
}

/// A motion in d dimensions that shifts, stretches and shears.
fn some_motion(d: usize) -> Motion {
    let mut motion = Motion::none(d);
    for k in 0..d {
        motion.shift[k] = 0.3 * ((k + 1) as f64).sin();
        motion.factor[k * d + k] = 1.0 + 0.25 * ((k + 1) as f64).cos();
        for l in k + 1..d {
            motion.factor[k * d + l] = 0.15 * ((3 * k + l) as f64).sin();
        }
    }
    motion.log_det = (0..d).map(|k| motion.factor[k * d + k].ln()).sum();
    motion
}

/// Populations of the old law, mixed for the new one, over and over.
fn mix_many(
    n: usize,
    d: usize,
    motion: &Motion,
    alpha: f64,
    times: usize,
    mut see: impl FnMut(&Population, usize),
) {
    let mut generator = Generator::new(2009);
    let mut mixing = Mixing::new(n, d, alpha);
    for _ in 0..times {
        let mut population = standard_population(n, d, &mut generator);
        let drawn = mixing.mix(&mut population, motion, &mut generator, 1);
        see(&population, drawn);
    }
}

#[test]
fn the_mixed_population_follows_the_new_density() {
    for (d, alpha) in [(1, 0.01), (3, 0.01), (3, 0.3), (10, 0.01), (4, 1.0)] {
        let motion = some_motion(d);
        let mut coordinates = vec![Vec::new(); d];
        let mut radii = Vec::new();
        mix_many(50, d, &motion, alpha, 300, |population, _| {
            for s in population.whitened().chunks_exact(d) {
                s.iter().zip(&mut coordinates).for_each(|(x, all)| all.push(*x));
                radii.push(squared_norm(s));
            }
        });
        // In the new whitened coordinates every coordinate is N(0, 1). Level 1e-4 each, 21 in all.
        for (k, sample) in coordinates.iter().enumerate() {
            let distance = ks_normal(sample);
            assert!(distance < ks_critical(1e-4), "d {d} alpha {alpha} coordinate {k}: {distance}");
        }
        // |s|² has mean d and variance 2d: four standard errors, level 6e-5.
        let mean = radii.iter().sum::<f64>() / radii.len() as f64;
        let error = (2.0 * d as f64 / radii.len() as f64).sqrt();
        assert!((mean - d as f64).abs() < 4.0 * error, "d {d} alpha {alpha}: {mean}");
    }
}

#[test]
fn without_reverse_rejection_the_law_would_be_wrong() {
    // The same check must see a population in which only step 1 was done: its kept rows alone.
    let motion = some_motion(3);
    let mut kept = Vec::new();
    mix_many(50, 3, &motion, 0.01, 300, |population, _| {
        kept.extend(population.whitened()[..population.kept() * 3].iter().step_by(3));
    });
    assert!(ks_normal(&kept) > ks_critical(1e-4));
}

#[test]
fn the_fresh_share_is_the_refresh_rate_when_nothing_moved() {
    let (n, times) = (40, 2000);
    for alpha in [0.01, 0.1, 0.5, 1.0] {
        let mut fresh = 0;
        mix_many(n, 3, &Motion::none(3), alpha, times, |p, _| fresh += p.fresh());
        let total = (n * times) as f64;
        // A binomial share: four standard deviations, level 6e-5.
        let bound = 4.0 * (alpha * (1.0 - alpha) / total).sqrt() + 1e-12;
        assert!((fresh as f64 / total - alpha).abs() < bound, "{alpha}: {}", fresh as f64 / total);
    }
}

#[test]
fn the_fresh_share_exceeds_the_refresh_rate_when_the_distribution_moves() {
    for alpha in [0.01, 0.1, 0.5] {
        let mut fresh = 0;
        mix_many(40, 3, &some_motion(3), alpha, 200, |p, _| fresh += p.fresh());
        assert!(fresh as f64 / 8000.0 > alpha + 0.02, "{alpha}: {fresh}");
    }
}

#[test]
fn the_kept_share_follows_the_mean_shift() {
    let (n, times) = (50, 400);
    for shift in [0.1, 0.5, 1.0, 2.0] {
        let mut motion = Motion::none(2);
        motion.shift = vec![0.6 * shift, 0.8 * shift];
        let mut kept = 0;
        mix_many(n, 2, &motion, 1e-9, times, |p, _| kept += p.kept());
        let expected = 2.0 * normal_cdf(-0.5 * shift);
        let total = (n * times) as f64;
        // Four standard deviations of a binomial share, level 6e-5.
        let bound = 4.0 * (expected * (1.0 - expected) / total).sqrt();
        assert!((kept as f64 / total - expected).abs() < bound, "{shift}: {}", kept as f64 / total);
    }
}

#[test]
fn about_as_many_candidates_are_drawn_as_the_population_has_rows() {
    for alpha in [1e-12, 0.01, 1.0] {
        let (mut drawn, mut most) = (0, 0);
        mix_many(50, 3, &some_motion(3), alpha, 200, |_, n| {
            drawn += n;
            most = most.max(n);
        });
        assert!(drawn < 2 * 50 * 200, "{alpha}: {drawn}");
        assert!(most < 10 * 50, "{alpha}: {most}");
    }
}

#[test]
fn draws_are_capped_where_acceptance_is_hopeless() {
    // One row is missing, and a candidate is accepted with probability 1e-12 only.
    let (n, d) = (10, 2);
    let mut generator = Generator::new(1);
    let mut mixing = Mixing::new(n, d, 1e-12);
    let mut population = standard_population(n, d, &mut generator);
    let mut motion = Motion::none(d);
    motion.log_det = 2e-13; // a hair's breadth, so that row rejection stays possible in principle
    population.whitened_mut()[0] = f64::NAN; // a row that no ratio accepts
    let drawn = mixing.mix(&mut population, &motion, &mut generator, 1);
    assert_eq!(population.kept(), n - 1);
    assert!(drawn >= 1000 * n && drawn < 1000 * n + 2 * n, "{drawn}");
    assert!(population.whitened().iter().all(|s| s.is_finite()));
}

#[test]
fn a_kept_row_keeps_its_point_and_cost() {
    let (n, d) = (30, 2);
    let mut generator = Generator::new(3);
    let mut population = standard_population(n, d, &mut generator);
    let identity = SearchDistribution::new(vec![0.0; d], Motion::none(d).factor).expect("the identity");
    let (whitened, points) = population.fresh_rows_mut();
    identity.points_from(whitened, points);
    let costs: Vec<f64> = population.whitened().chunks_exact(d).map(|s| s[0]).collect();
    population.set_costs(costs.into_iter());
    let motion = some_motion(d);
    Mixing::new(n, d, 0.01).mix(&mut population, &motion, &mut generator, 1);
    assert!(population.kept() > 0 && population.kept() < n);
    for row in 0..population.kept() {
        assert_eq!(population.point(row)[0], population.costs()[row]);
        // s' = Tᵀ s + c gives the old coordinates back.
        let s = &population.whitened()[row * d..(row + 1) * d];
        let mut before = vec![0.0; d];
        crate::linalg::transpose_times(&motion.factor, s, &mut before, d);
        assert!((before[0] + motion.shift[0] - population.point(row)[0]).abs() < 1e-14);
    }
}

#[test]
fn mixing_works_at_dimension_200_whatever_the_scale() {
    use crate::{Optimizer, Settings, Strategy};
    let shares: Vec<f64> = [1e-9, 1.0, 1e9]
        .into_iter()
        .map(|scale| {
            let settings = Settings::new(vec![scale; 200], scale)
                .strategy(Strategy::Published)
                .population(100)
                .tolx(None);
            let mut es = Optimizer::new(&settings).unwrap();
            for _ in 0..15 {
                let squares = |x: &[f64]| x.iter().map(|v| (v / scale).powi(2)).sum();
                let values: Vec<f64> = es.ask().iter().map(squares).collect();
                es.tell(&values).unwrap();
            }
            es.reused_share()
        })
        .collect();
    // The paper's densities are 0/0 at both ends; here the scale drops out.
    assert!(shares[1] > 0.05 && shares[1] < 0.99, "{shares:?}");
    assert!((shares[0] - shares[1]).abs() < 0.05 && (shares[2] - shares[1]).abs() < 0.05, "{shares:?}");
}

#[test]
fn a_move_towards_an_injected_point_keeps_the_law() {
    let (n, d) = (50, 3);
    let old = SearchDistribution::new(vec![1.0; d], Motion::none(d).factor).expect("the identity");
    let mut search = Search::new(old.clone(), n);
    search.motion = some_motion(d);
    search.follow_motion().expect("a motion that can be followed");
    search.move_towards(&[5.0, -2.0, 0.0], 1.0);
    let Search { distribution: new, motion, .. } = search;
    let mut coordinates = vec![Vec::new(); d];
    let mut generator = Generator::new(2011);
    let mut mixing = Mixing::new(n, d, 0.01);
    for _ in 0..300 {
        let mut population = standard_population(n, d, &mut generator);
        let (whitened, points) = population.fresh_rows_mut();
        old.points_from(whitened, points);
        mixing.mix(&mut population, &motion, &mut generator, 1);
        // The motion leads to the new distribution: kept points have the coordinates that mixing gave them.
        let kept = population.kept() * d;
        let whitened = new.whiten(&population.points()[..kept]).expect("some rows are kept");
        let differ = |(a, b): (&f64, &f64)| (a - b).abs() > 1e-12;
        assert!(!whitened.iter().zip(population.whitened()).any(differ));
        for s in population.whitened().chunks_exact(d) {
            s.iter().zip(&mut coordinates).for_each(|(x, all)| all.push(*x));
        }
    }
    // Level 1e-4 each, 3 in all.
    for (k, sample) in coordinates.iter().enumerate() {
        let distance = ks_normal(sample);
        assert!(distance < ks_critical(1e-4), "coordinate {k}: {distance}");
    }
}

#[test]
fn a_first_population_from_a_table_follows_the_start() {
    // A table of N(1, I), a start that is shifted and narrower: whatever enters, rows follow the start.
    let (n, d) = (60, 2);
    let settings = Settings::new([0.6, 1.2], 0.7).strategy(Strategy::Published).population(n);
    let mut generator = Generator::new(2012);
    let (mut coordinates, mut kept) = (vec![Vec::new(); d], 0);
    for _ in 0..200 {
        let mut table = vec![0.0; 40 * d];
        generator.fill_normal(&mut table);
        table.iter_mut().for_each(|z| *z += 1.0);
        let params = Params::new(&settings).expect("valid settings");
        let mut search = Search::new(params.start.clone(), n);
        let mut strategy = Engine::start(&params.strategy, n, &mut search);
        strategy.begin_with(&table, &[0.0; 40], &mut search, &Archive::new(d, d), &mut generator);
        strategy.propose(&mut search, &mut generator);
        kept += search.population.kept();
        for s in params.start.whiten(search.population.points()).expect("whole points").chunks_exact(d) {
            s.iter().zip(&mut coordinates).for_each(|(x, all)| all.push(*x));
        }
    }
    assert!(kept > 200 * 10, "{kept}");
    // Level 1e-4 each, 2 in all. The fit q of 40 points is not the law itself; that is within the noise here.
    for (k, sample) in coordinates.iter().enumerate() {
        let distance = ks_normal(sample);
        assert!(distance < ks_critical(1e-4), "coordinate {k}: {distance}");
    }
}

#[test]
fn a_population_of_another_size_follows_the_new_density() {
    // Smaller, larger, and much larger than the one that is mixed. Level 1e-4 each, 9 in all.
    let (n, d) = (60, 3);
    let params =
        Params::new(&Settings::new([0.0; 3], 1.0).strategy(Strategy::Published).population(n)).unwrap();
    for size in [25, 80, 300] {
        let mut generator = Generator::new(19);
        let mut coordinates = vec![Vec::new(); d];
        let mut kept = 0;
        for _ in 0..200 {
            let mut search = Search::new(params.start.clone(), n);
            let mut strategy = Engine::start(&params.strategy, n, &mut search);
            strategy.propose(&mut search, &mut generator);
            search.population.set_costs(std::iter::repeat(1.0));
            search.motion = some_motion(d);
            strategy.set_population(size, &mut search);
            strategy.propose(&mut search, &mut generator);
            let population = &search.population;
            assert_eq!(population.len(), size);
            assert!(population.costs()[..population.kept()].iter().all(|c| *c == 1.0));
            kept += population.kept();
            for s in population.whitened().chunks_exact(d) {
                s.iter().zip(&mut coordinates).for_each(|(x, all)| all.push(*x));
            }
        }
        // What can be kept is kept.
        assert!(kept > 200 * size.min(n) / 2, "{size}: {kept}");
        for (k, sample) in coordinates.iter().enumerate() {
            let distance = ks_normal(sample);
            assert!(distance < ks_critical(1e-4), "size {size} coordinate {k}: {distance}");
        }
    }
}
