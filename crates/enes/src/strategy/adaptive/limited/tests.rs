//! The update against the same one written with dense matrices, and what must not change it.

use super::*;
use crate::linalg::{EigenSpace, dot, eigen};
use crate::random::Generator;
use crate::search::SearchDistribution;

fn begin(d: usize, lambda: usize, scale: f64) -> (Limited, Search, Generator) {
    let start: Vec<f64> = (0..d).map(|j| scale * (1.0 + (j as f64).sin())).collect();
    let deviations: Vec<f64> = (0..d).map(|j| scale * (0.5 + 0.1 * j as f64)).collect();
    let mut search = Search::new(SearchDistribution::limited(start, deviations).unwrap(), lambda);
    let tuning = Tuning::default();
    let config = Config { ignored_by_step: vec![1], oldest_sample: 2, gradient: false, limits: None, tuning };
    let strategy = Limited::new(&config, State::new(&config, d), lambda, &mut search);
    (strategy, search, Generator::new(3))
}

/// The same with a gradient by differences.
fn begin_with_gradient(d: usize) -> (Limited, Search, Generator) {
    let lambda = 16;
    let distribution = SearchDistribution::limited(vec![3.0; d], vec![1.0; d]).unwrap();
    let mut search = Search::new(distribution, lambda);
    let tuning = Tuning::default();
    let config =
        Config { ignored_by_step: Vec::new(), oldest_sample: 2, gradient: true, limits: None, tuning };
    let strategy = Limited::new(&config, State::new(&config, d), lambda, &mut search);
    (strategy, search, Generator::new(3))
}

/// Generations until this is so.
fn until(
    (strategy, search, generator): &mut (Limited, Search, Generator),
    f: impl Fn(&[f64]) -> f64,
    end: impl Fn(&Limited, &Search) -> bool,
) {
    for _ in 0..500 {
        if end(strategy, search) {
            return;
        }
        generation(strategy, search, generator, &f);
    }
    panic!("500 generations were not enough");
}

fn leads(strategy: &Limited) -> bool {
    strategy.state.gradient.as_ref().unwrap().leads()
}

fn cigar(x: &[f64]) -> f64 {
    let along = x.iter().sum::<f64>() / (x.len() as f64).sqrt();
    100.0 * (dot(x, x) - along * along) + along * along
}

fn generation(
    strategy: &mut Limited,
    search: &mut Search,
    generator: &mut Generator,
    f: impl Fn(&[f64]) -> f64,
) {
    strategy.propose(search, generator);
    let costs: Vec<f64> = (0..search.population.len()).map(|i| f(search.population.point(i))).collect();
    search.population.set_costs(costs.into_iter());
    strategy.update(search).unwrap();
}

/// Eigenvalues, smallest first, and vectors of a symmetric matrix.
fn spectrum(matrix: &[f64], d: usize) -> (Vec<f64>, Vec<f64>) {
    let (mut values, mut vectors) = (vec![0.0; d], vec![0.0; d * d]);
    assert!(eigen(matrix, &mut values, &mut vectors, &mut EigenSpace::new(d)));
    (values, vectors)
}

/// Σ g(l_i) v_i v_iᵀ.
fn function_of(matrix: &[f64], d: usize, g: impl Fn(usize, f64) -> f64) -> Vec<f64> {
    let (values, vectors) = spectrum(matrix, d);
    let mut out = vec![0.0; d * d];
    for (i, (l, v)) in values.iter().zip(vectors.chunks_exact(d)).enumerate() {
        for (a, row) in v.iter().zip(out.chunks_exact_mut(d)) {
            row.iter_mut().zip(v).for_each(|(o, b)| *o += g(i, *l) * a * b);
        }
    }
    out
}

fn times(matrix: &[f64], v: &[f64]) -> Vec<f64> {
    matrix.chunks_exact(v.len()).map(|row| dot(row, v)).collect()
}

/// The same update, with S = Σ(r² − 1)qqᵀ as a matrix and B = (I + S)^½ by its eigenvectors.
struct Dense {
    mean: Vec<f64>,
    scales: Vec<f64>,
    s: Vec<f64>,
    path: Vec<f64>,
    course: Vec<f64>,
    trend: f64,
    log_scale: f64,
    updates: i32,
    evaluations: f64,
}

impl Dense {
    fn new(search: &Search) -> Self {
        let d = search.dimension();
        Self {
            mean: search.distribution.mean().to_vec(),
            scales: search.distribution.standard_deviations(),
            s: vec![0.0; d * d],
            path: vec![0.0; d],
            course: vec![0.0; d],
            trend: 0.0,
            log_scale: 0.0,
            updates: 0,
            evaluations: 0.0,
        }
    }

    fn root(&self, power: f64) -> Vec<f64> {
        function_of(&self.s, self.mean.len(), |_, l| (1.0 + l).powf(power))
    }

    fn covariance(&self) -> Vec<f64> {
        let d = self.mean.len();
        let entry = |i: usize, j: usize| {
            self.scales[i] * self.scales[j] * (f64::from(u8::from(i == j)) + self.s[i * d + j])
        };
        (0..d * d).map(|at| entry(at / d, at % d)).collect()
    }

    /// Samples in whitened coordinates, and costs without equal ones.
    fn update(&mut self, samples: &[f64], costs: &[f64], probed: bool) {
        let (d, n) = (self.mean.len(), costs.len());
        let size = d as f64;
        let rank: Vec<usize> = costs.iter().map(|c| costs.iter().filter(|o| *o < c).count()).collect();
        let raw = |i: usize| (0.5 * (n as f64 + 1.0)).ln() - (i as f64 + 1.0).ln();
        let plus: f64 = (0..n).map(|i| raw(i).max(0.0)).sum();
        let minus: f64 = (0..n).map(|i| (-raw(i)).max(0.0)).sum();
        let weight = |i: usize| raw(rank[i]).max(0.0) / plus;
        let mu = 1.0 / (0..n).map(|i| weight(i).powi(2)).sum::<f64>();
        let row = |i: usize| &samples[i * d..(i + 1) * d];
        let z: Vec<f64> = (0..d).map(|j| (0..n).map(|i| weight(i) * row(i)[j]).sum()).collect();
        let (cs, cc) = (mu.sqrt() / (size.sqrt() + mu.sqrt()), 40.0 / (size + 40.0));
        let advance = |p: &mut [f64], by: &[f64], c: f64| {
            p.iter_mut().zip(by).for_each(|(p, z)| *p = (1.0 - c) * *p + (c * (2.0 - c) * mu).sqrt() * z);
        };
        advance(&mut self.path, &z, cs);
        self.updates += 1;
        self.evaluations += n as f64;
        let started = 1.0 - (1.0 - cs).powi(2 * self.updates);
        let mut by_step = cs / (1.0 + cs) * (dot(&self.path, &self.path) / (size * started) - 1.0) / 2.0;
        if probed {
            let r = (rank[1] as f64 - rank[0] as f64) / (n as f64 - 1.0);
            self.trend = 0.7 * self.trend + 0.3 * r.signum() * r.abs().sqrt();
            by_step += self.trend / size.sqrt();
        }
        let clip = |x: f64| x.clamp(0.0, 1.0);
        let part =
            1.0 + 0.5 * clip(2.0 - self.evaluations / (10.0 * size)) * clip(1.5 + self.log_scale / 2f64.ln());
        let bz = times(&self.root(0.5), &z);
        advance(&mut self.course, &bz, cc);
        let white = times(&self.root(-0.5), &self.course);
        let one = (size + 2.0) / 3.0 * 2.0 / ((size + 1.3).powi(2) + mu);
        let many = 2.0 * (size + 2.0) / 3.0 * 2.0 * (mu - 2.0 + 1.0 / mu) / ((size + 2.0).powi(2) + mu);
        let signed = |i: usize| if raw(rank[i]) > 0.0 { raw(rank[i]) / plus } else { raw(rank[i]) / minus };
        let change: Vec<f64> = (0..d)
            .map(|j| {
                let by_samples: f64 = (0..n).map(|i| signed(i) * (row(i)[j].powi(2) - 1.0)).sum();
                0.5 * many.min(1.0) * by_samples + 0.5 * one.min(1.0) * (white[j].powi(2) - 1.0)
            })
            .collect();
        let centre = change.iter().sum::<f64>() / size;
        for j in 0..d {
            self.mean[j] += part * self.scales[j] * bz[j];
        }
        let c = 0.5 / (size + 0.5);
        for (at, s) in self.s.iter_mut().enumerate() {
            *s = (1.0 - c) * *s + c * self.course[at / d] * self.course[at % d];
        }
        let k = super::directions(d);
        // The k + 1st largest is subtracted from the k largest; nothing is left of the others.
        let values = spectrum(&self.s, d).0;
        let left_out = if d > k { values[d - 1 - k].max(0.0) } else { 0.0 };
        self.s = function_of(&self.s, d, |i, l| if i + k >= d { (l - left_out).max(0.0) } else { 0.0 });
        for j in 0..d {
            let change = (change[j] - centre).clamp(-1.0, 1.0);
            self.scales[j] *= (change + by_step.min(1.0)).exp();
            self.course[j] *= (-change).exp();
        }
        self.log_scale += by_step.min(1.0);
        self.path[1] = 1.0; // what is ignored by the step
    }
}

#[test]
fn whole_runs_equal_a_program_of_dense_matrices() {
    for (d, lambda) in [(5, 6), (9, 12), (14, 9)] {
        let (mut strategy, mut search, mut generator) = begin(d, lambda, 1.0);
        let mut dense = Dense::new(&search);
        for generation in 0..60 {
            strategy.propose(&mut search, &mut generator);
            let costs: Vec<f64> = (0..lambda).map(|i| cigar(search.population.point(i))).collect();
            search.population.set_costs(costs.iter().copied());
            let samples = search.population.whitened().to_vec();
            strategy.update(&mut search).unwrap();
            dense.update(&samples, &costs, generation > 0);
            // 1e-7: sixty decompositions; the last directions are the differences of close numbers.
            for (a, b) in search.distribution.mean().iter().zip(&dense.mean) {
                assert!((a - b).abs() < 1e-7 * (1.0 + b.abs()), "d {d} generation {generation}: {a} {b}");
            }
            let covariance = dense.covariance();
            let deviations: Vec<f64> = (0..d).map(|j| covariance[j * d + j].sqrt()).collect();
            let ours = search.distribution.standard_deviations();
            for (a, b) in ours.iter().zip(&deviations) {
                assert!((a / b - 1.0).abs() < 1e-7, "d {d} generation {generation}: {ours:?} {deviations:?}");
            }
            // Aᵀe_j, squared, is the variance along row j of B D: all of C through products.
            let (v, mut out) = ((0..d).map(|j| (j as f64).cos()).collect::<Vec<_>>(), vec![0.0; d]);
            search.distribution.times(&mut v.clone(), &mut out);
            let (long, expected) = (dot(&out, &out), dot(&v, &times(&covariance, &v)));
            assert!((long / expected - 1.0).abs() < 1e-7, "{long} {expected}");
        }
        assert!(search.distribution.limited_factor().unwrap().directions().1.len() > 1);
    }
}

#[test]
fn a_long_axis_becomes_a_direction() {
    let d = 30;
    let (mut strategy, mut search, mut generator) = begin(d, 14, 1.0);
    (0..400).for_each(|_| generation(&mut strategy, &mut search, &mut generator, cigar));
    let (rows, stretches) = search.distribution.limited_factor().unwrap().directions();
    let along = rows[..d].iter().sum::<f64>() / (d as f64).sqrt();
    assert!(stretches[0] > 2.0 && along.abs() > 0.8, "{stretches:?} {along}");
}

#[test]
fn units_and_order_preserving_transformations_change_nothing() {
    let run = |scale: f64, f: &dyn Fn(&[f64]) -> f64| {
        let (mut strategy, mut search, mut generator) = begin(12, 10, scale);
        (0..30).for_each(|_| generation(&mut strategy, &mut search, &mut generator, f));
        search.distribution.mean().iter().map(|x| x / scale).collect::<Vec<f64>>()
    };
    let plain = run(1.0, &cigar);
    assert_eq!(plain, run(4.0, &|x| cigar(&x.iter().map(|x| x / 4.0).collect::<Vec<_>>())));
    assert_eq!(plain, run(1.0, &|x| cigar(x).powi(3) - 7.0));
}

#[test]
fn a_sample_without_two_points_leaves_the_trend_alone() {
    let (mut strategy, mut search, mut generator) = begin(6, 8, 1.0);
    (0..3).for_each(|_| generation(&mut strategy, &mut search, &mut generator, cigar));
    let before = strategy.state.trend;
    assert_ne!(before, 0.0);
    strategy.propose(&mut search, &mut generator);
    search.population.row_mut(0).0[0] += 1.0;
    let costs: Vec<f64> = (0..8).map(|i| cigar(search.population.point(i))).collect();
    search.population.set_costs(costs.into_iter());
    strategy.update(&mut search).unwrap();
    assert_eq!(strategy.state.trend, before);
}

#[test]
fn moving_to_a_point_begins_the_paths_anew() {
    let (mut strategy, mut search, mut generator) = begin(6, 8, 1.0);
    (0..20).for_each(|_| generation(&mut strategy, &mut search, &mut generator, cigar));
    let before = search.distribution.mean().to_vec();
    let near: Vec<f64> = before.iter().map(|x| x + 1e-9).collect();
    strategy.move_towards(&near, &mut search);
    for (a, b) in search.distribution.mean().iter().zip(&near) {
        assert!((a - b).abs() < 1e-12);
    }
    assert!(strategy.state.path.iter().chain(&strategy.state.course).all(|p| *p == 0.0));
    strategy.move_towards(&[1e9; 6], &mut search);
    let moved: Vec<f64> = search.distribution.mean().iter().zip(&near).map(|(a, b)| a - b).collect();
    let mut whitened = moved.clone();
    search.distribution.solve_transpose(&mut whitened);
    let length = squared_norm(&whitened).sqrt();
    assert!((length - (6f64.sqrt() + 2.0)).abs() < 1e-6, "{length}");
}

#[test]
fn a_stint_begins_without_the_directions_that_a_path_has_left() {
    let mut run = begin_with_gradient(20);
    let kinked = |x: &[f64]| x.iter().map(|x| x.abs().sqrt()).sum();
    let directions = |search: &Search| search.distribution.limited_factor().unwrap().directions().1.len();
    until(&mut run, kinked, |_, search| directions(search) > 2);
    assert!(!leads(&run.0));
    until(&mut run, cigar, |strategy, _| leads(strategy));
    assert_eq!(directions(&run.1), 0);
}

#[test]
fn paths_begin_anew_after_a_stint_that_has_moved_the_mean_alone() {
    let path = |strategy: &Limited| strategy.state.path.clone();
    for moved in [false, true] {
        let mut run = begin_with_gradient(20);
        until(&mut run, cigar, |strategy, _| leads(strategy));
        let begun = path(&run.0);
        assert!(begun.iter().any(|p| *p != 0.0));
        let has_moved = |strategy: &Limited| strategy.state.gradient.as_ref().unwrap().has_moved();
        if moved {
            until(&mut run, cigar, |strategy, _| has_moved(strategy));
        }
        until(&mut run, |_| f64::INFINITY, |strategy, _| !leads(strategy));
        assert_eq!(path(&run.0), if moved { vec![0.0; 20] } else { begun });
    }
}
