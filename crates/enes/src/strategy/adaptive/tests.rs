//! Trajectories of an independent program; trust and volume, step by step.

use serde_json::Value;

use super::rank_based::{Constants, Model, Skill, Sources, Stage, Trust};
use super::*;
use crate::archive::{Entry, Readers};
use crate::linalg::CholeskySpace;
use crate::math::ranks::Ranks;
use crate::random::Generator;
use crate::search::SearchDistribution;
use crate::tests::oracle_data;

/// The rank-based update, generation by generation, from a program that shares no code with this one.
const TRAJECTORIES: &[u8] = include_bytes!("../../../tests/data/adaptive-rule.json.gz");

fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(items) => items.iter().flat_map(numbers).collect(),
        number => vec![number.as_f64().unwrap()],
    }
}

/// The first form, which the independent programs know: equal exponents, no floor, no need, no trust region.
fn first_form() -> Tuning {
    let mut tuning = Tuning::default();
    (tuning.ranks.mean_exponent, tuning.ranks.shape_exponent, tuning.ranks.floor) = (2.0, 2.0, false);
    (tuning.surrogate.doubt, tuning.surrogate.trust_region) = (0.0, false);
    tuning
}

fn config(surrogate: bool, batch: Option<usize>) -> Config {
    let mut tuning = first_form();
    if surrogate {
        tuning.ranks.gain_low = tuning.ranks.gain;
    }
    Config {
        gradient: false,
        surrogate,
        batch,
        workers: 1,
        narrow: f64::NEG_INFINITY,
        units: Vec::new(),
        small: surrogate,
        grows: false,
        integers: Vec::new(),
        limits: None,
        constrained: None,
        tuning,
    }
}

/// A search, its archive and a strategy with populations of λ.
fn begin(start: SearchDistribution, config: &Config, lambda: usize) -> (Search, Archive, Adaptive) {
    let d = start.dimension();
    let mut search = Search::new(start, lambda);
    let strategy = Adaptive::new(config, State::new(config, d, lambda), lambda, &mut search);
    let mut archive = Archive::new(d, d);
    let (ranks, surrogate) = config.windows(d, lambda);
    archive.begin_search(ranks, surrogate);
    (search, archive, strategy)
}

/// Values of the fresh points, which enter the archive, and the update that follows.
fn tell(search: &mut Search, archive: &mut Archive, strategy: &mut Adaptive, values: &[f64]) {
    let population = &mut search.population;
    population.set_costs(values.iter().copied());
    for (row, &cost) in (population.known()..).zip(values) {
        let entry = Entry { value: cost, violation: 0.0, cost, measured: 1, readers: Readers::ALL };
        archive.add(population.point(row), None, entry);
    }
    strategy.update(search, archive).unwrap();
}

/// The upper triangle, which is what the library fills.
fn upper(full: &[f64], d: usize) -> Vec<f64> {
    full.iter().enumerate().map(|(i, v)| if i % d < i / d { 0.0 } else { *v }).collect()
}

#[test]
fn runs_equal_those_of_an_independent_program() {
    let data = oracle_data(TRAJECTORIES);
    for case in data["cases"].as_array().unwrap() {
        let d = case["d"].as_u64().unwrap() as usize;
        let lambda = case["lam"].as_u64().unwrap() as usize;
        let x0 = numbers(&case["x0"]);
        let sigma0 = case["sigma0"].as_f64().unwrap();
        let factor = (0..d * d).map(|i| if i % (d + 1) == 0 { sigma0 } else { 0.0 }).collect();
        let start = SearchDistribution::new(x0, factor).unwrap();
        let (mut search, mut archive, mut strategy) = begin(start, &config(false, None), lambda);
        assert_eq!(archive.capacity(Reader::Ranks) as u64, case["archive"].as_u64().unwrap());
        for (generation, expected) in case["generations"].as_array().unwrap().iter().enumerate() {
            let check = |what: &str, ours: &[f64]| {
                let theirs = numbers(&expected[what]);
                assert_eq!(ours.len(), theirs.len());
                for (a, b) in ours.iter().zip(&theirs) {
                    // 1e-8 of the scale: rounding, carried through fourteen generations.
                    let tolerance = 1e-8 * (1.0 + b.abs());
                    assert!((a - b).abs() < tolerance, "d {d}, generation {generation}, {what}: {a} {b}");
                }
            };
            search.population.begin(lambda);
            search.population.whitened_mut().copy_from_slice(&numbers(&expected["normals"]));
            search.orthogonalize_samples();
            search.place_samples(1);
            check("points", search.population.points());
            tell(&mut search, &mut archive, &mut strategy, &numbers(&expected["values"]));
            let rank_based::State { model, path, skill, .. } = &strategy.state.ranks;
            let distribution = &search.distribution;
            check("g", &model.gradient);
            let curvature = upper(&numbers(&expected["E"]), d);
            for (a, b) in model.curvature.iter().zip(&curvature) {
                assert!((a - b).abs() < 1e-8 * (1.0 + b.abs()), "d {d}, generation {generation}, E: {a} {b}");
            }
            check("rho", &[skill.quality]);
            check("evidence", &[skill.evidence]);
            check("drift", &[skill.drift]);
            check("gate", &[strategy.ranks.constants.gate(skill)]);
            check("gate_step", &[strategy.ranks.constants.step_gate(skill)]);
            check("trust", &[strategy.trust()]);
            check("mean", distribution.mean());
            check("path", path);
            let sigma = (distribution.log_det() / d as f64).exp();
            check("sigma", &[sigma]);
            let shape: Vec<f64> = distribution.factor().iter().map(|a| a / sigma).collect();
            check("factor", &shape);
        }
    }
}

#[test]
fn trust_is_0_for_a_useless_model_and_1_for_a_perfect_one() {
    // The default population, and a large one.
    for lambda in [6, 60] {
        let rule = Constants::new(5, lambda, false, RankTuning::default());
        let after = |correlation: f64| {
            let mut skill = Skill::new(&RankTuning::default());
            (0..500).for_each(|_| rule.judge(&mut skill, correlation, correlation, &[1.0; 5]));
            rule.trust(&skill, Stage::LATE)
        };
        let all = |trust: f64| Trust { step: trust, mean: trust, shape: trust };
        assert!(after(0.0).step < 1e-12);
        assert_eq!((after(-0.5), after(1.0)), (all(0.0), all(1.0)));
    }
}

#[test]
fn half_a_prediction_leads_the_step_more_than_the_mean_and_the_mean_more_than_the_shape() {
    let rule = Constants::new(20, 13, false, RankTuning::default());
    let with = |quality: f64, curvature: f64| {
        let skill = Skill { quality, curvature, evidence: 0.5, ..Skill::new(&RankTuning::default()) };
        rule.trust(&skill, Stage::LATE)
    };
    let asymmetric = with(0.35, 0.05);
    assert!(asymmetric.step > 0.4 && asymmetric.mean < 0.25 && asymmetric.shape < 0.02, "{asymmetric:?}");
    // A curvature that predicts by itself leads, whatever the rest is worth.
    assert!(with(0.2, 0.45).shape > 0.7);
    assert_eq!(with(0.6, 0.0).shape, 1.0);
}

#[test]
fn beside_a_surrogate_half_a_prediction_is_trusted_less() {
    let trust = |small: bool| {
        let rule = Constants::new(20, 13, small, RankTuning::default());
        let skill = Skill { quality: 0.5, evidence: 0.5, ..Skill::new(&RankTuning::default()) };
        rule.trust(&skill, Stage::LATE)
    };
    let (beside, alone) = (trust(true), trust(false));
    assert!(beside.step < 0.7 && alone.step > 0.9, "{beside:?} {alone:?}");
    assert!(beside.mean < 0.45 && beside.shape < 0.1, "{beside:?}");
}

#[test]
fn a_shape_step_keeps_the_volume() {
    let mut generator = Generator::new(8);
    for (d, lambda, trust) in
        [(1, 4, 1.0), (2, 5, 1.0), (5, 6, 1.0), (5, 60, 0.3), (20, 8, 1.0), (20, 200, 0.0)]
    {
        let rule = Constants::new(d, lambda, false, RankTuning::default());
        let rank_mu: Vec<f64> = (0..d * d).map(|i| if i % (d + 1) == 0 { 3.0 } else { 0.1 }).collect();
        let path = vec![1.5; d];
        let (mut factor, mut space) = (vec![0.0; d * d], CholeskySpace::new(d));
        // From mild curvatures to such that the step must be halved, or cannot be made at all.
        for size in [0.0, 0.01, 0.3, 3.0, 1e3, 1e12] {
            let mut model = Model::flat(d);
            generator.fill_normal(&mut model.curvature);
            model.curvature.iter_mut().for_each(|e| *e *= size);
            let rates = rule.shape_rates(trust, 1.0, d);
            let sources = Sources { model: &model, samples: &rank_mu, path: &path };
            rule.shape_step(rates, sources, &mut factor, &mut space);
            let diagonal: Vec<f64> = factor.iter().step_by(d + 1).copied().collect();
            let log_det: f64 = diagonal.iter().map(|u| u.ln()).sum();
            // 1e-12: the rounding of d logarithms.
            assert!(log_det.abs() < 1e-12, "d {d}, curvature {size}: {log_det:e}");
            assert!(diagonal.iter().all(|u| *u > 0.0 && u.is_finite()), "d {d}, curvature {size}");
        }
    }
}

#[test]
fn equal_values_share_their_weights() {
    let rule = Constants::new(2, 4, false, RankTuning::default());
    let (s, mut z) = ([1.0, 0.0, 0.0, 1.0, 5.0, 5.0, 7.0, 7.0], [0.0; 2]);
    // The first two are the best and equal: they take up the ranks 1 and 2.
    rule.recombine(&s, Ranks::new(4).of(&[3.0, 3.0, 4.0, 5.0]), &mut z);
    // All that there is, since the worse half has none.
    assert_eq!(z, [0.5, 0.5]);
}

/// The strategy with a surrogate, generation by generation, from a program that shares no code with this
/// one. Every generation starts from its state, since the search for a power may amplify rounding.
const RESPONSES: &[u8] = include_bytes!("../../../tests/data/response-rule.json.gz");

#[test]
fn a_large_population_keeps_its_quick_steps_in_many_dimensions() {
    let eased =
        |d: usize, lambda: usize| Constants::new(d, lambda, false, RankTuning::default()).eased(Stage::LATE);
    assert_eq!([eased(40, 18), eased(50, 1000), eased(80, 1000)], [0.7; 3]);
    assert_eq!([eased(42, 15), eased(50, 15), eased(60, 16), eased(320, 21)], [0.35, 0.35, 0.0, 0.0]);
}

/// The window of the regression is shorter than three points a dimension from 110 on.
#[test]
fn what_is_not_trusted_is_cma_es_own_update_in_all_dimensions() {
    for d in [2, 40, 80, 110, 200, 1000] {
        let tuning = RankTuning::default();
        let lambda = sizes::usual_population(d);
        let window = sizes::regression_window(d, lambda, false, &tuning);
        let rule = Constants::new(d, lambda, false, tuning);
        assert_eq!((rule.floor(d, d), rule.floor(window, d)), (0.0, 1.0), "{d}");
        let [by_model, by_samples, by_path] = rule.shape_rates(0.0, rule.floor(window, d), d);
        assert!(by_model == 0.0 && by_samples > 0.0 && by_path > 0.0, "{d}");
    }
}

#[test]
fn runs_with_a_surrogate_equal_those_of_an_independent_program() {
    let data = oracle_data(RESPONSES);
    let mut seen = std::collections::BTreeMap::new();
    for case in data["cases"].as_array().unwrap() {
        let whole = |key: &str| case[key].as_u64().unwrap() as usize;
        let (d, lambda, batch) = (whole("d"), whole("lam"), whole("batch"));
        let sigma0 = case["sigma0"].as_f64().unwrap();
        let scaled = |factor: &[f64], sigma: f64| factor.iter().map(|a| sigma * a).collect::<Vec<f64>>();
        let one: Vec<f64> = (0..d * d).map(|i| if i % (d + 1) == 0 { 1.0 } else { 0.0 }).collect();
        let start = SearchDistribution::new(numbers(&case["x0"]), scaled(&one, sigma0)).unwrap();
        let (mut search, mut archive, mut strategy) = begin(start, &config(true, Some(batch)), lambda);
        for (generation, expected) in case["generations"].as_array().unwrap().iter().enumerate() {
            let place = format!("{} generation {generation}", case["function"]);
            propose_given(&mut search, &mut strategy, &numbers(&expected["samples"]));
            let points = numbers(&expected["points"]);
            let ours = search.population.fresh_points();
            assert_eq!(ours.len(), points.len(), "{place}");
            ours.iter()
                .zip(&points)
                .for_each(|(a, b)| assert!((a - b).abs() < 1e-9 * (1.0 + b.abs()), "{place}"));
            let number = |v: &Value| v.as_f64().unwrap_or(f64::NAN);
            let values: Vec<f64> = expected["values"].as_array().unwrap().iter().map(number).collect();
            tell(&mut search, &mut archive, &mut strategy, &values);

            let sigma = expected["sigma"].as_f64().unwrap();
            let factor = scaled(&numbers(&expected["factor"]), sigma);
            let mean = numbers(&expected["mean"]);
            let did = expected["did"].as_str().unwrap();
            *seen.entry(did.to_string()).or_insert(0) += 1;
            let expected_mode = match did {
                "model" => Mode::Surrogate,
                "locked" => Mode::Assisting,
                _ => Mode::Ranks,
            };
            // A generation that declines to move carries its samples: its mode is that of ranks.
            assert!(strategy.state.mode == expected_mode || did == "decline", "{place}: {did}");
            let best = strategy.state.surrogate.as_ref().unwrap().best;
            let tolerance = 1e-7 + 1e4 * expected["sensitivity"].as_f64().unwrap();
            if let Some(best) = best {
                let error = expected["winner"]["error"].as_f64().unwrap();
                assert!(
                    (best.error - error).abs() < tolerance.max(1e-6) * (1.0 + error),
                    "{place}: {best:?} {error}"
                );
            } else {
                assert!(expected["winner"].is_null(), "{place}");
            }
            // Where several values failed the library lets them share their weights, the other program does not.
            let failed = search.population.costs().iter().filter(|c| c.is_nan()).count();
            let tolerance = if failed > 1 && did != "model" { f64::INFINITY } else { tolerance };
            let distribution = &search.distribution;
            for (a, b) in distribution.mean().iter().zip(&mean) {
                assert!((a - b).abs() < tolerance * (sigma + b.abs()), "{place} {did}, mean: {a} {b}");
            }
            for (a, b) in distribution.factor().iter().zip(&factor) {
                assert!((a - b).abs() < tolerance * sigma.max(b.abs()), "{place} {did}, factor: {a} {b}");
            }
            search.distribution = SearchDistribution::new(mean, factor).unwrap();
            strategy.state.ranks.path = numbers(&expected["path"]);
            let [quality, evidence, drift] = ["rho", "evidence", "drift"].map(|key| number(&expected[key]));
            let skill = &mut strategy.state.ranks.skill;
            *skill = Skill { quality, evidence, drift, ..skill.clone() };
            let power = &expected["power"];
            if !power.is_null() {
                let [c, p, s] = ["c", "p", "s"].map(|key| power[key].as_f64().unwrap());
                let stride = expected["power_step"].as_f64().unwrap();
                strategy.state.surrogate.as_mut().unwrap().set_power([c, p, s], stride);
            }
        }
    }
    // Every way to end a generation has been there.
    assert!(["model", "rank", "locked", "decline"].iter().all(|did| seen[*did] > 5), "{seen:?}");
}

/// As `propose`, with these samples in place of drawn ones.
fn propose_given(search: &mut Search, strategy: &mut Adaptive, samples: &[f64]) {
    if strategy.state.mode == Mode::Surrogate || search.population.carried() > 0 {
        let mut rows = samples.chunks_exact(search.dimension());
        return strategy.propose_from_queue(search, |_, s| s.copy_from_slice(rows.next().unwrap()));
    }
    search.population.begin(strategy.lambda);
    search.population.whitened_mut().copy_from_slice(samples);
    search.place_samples(1);
}
