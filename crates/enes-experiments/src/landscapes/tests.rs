//! The families: optima, determinism, variety.

use super::contender::{Contender, Search};
use super::draw::Draw;
use super::family::{Family, Member};
use super::landscape::Landscape;
use crate::run::RunRecord;

fn everyone() -> impl Iterator<Item = (Family, &'static Member)> {
    Family::ALL.into_iter().flat_map(|f| f.members().iter().map(move |m| (f, m)))
}

/// A record of a cell that nothing was run for.
pub(super) fn record(search: Search, who: Contender, run: u64, evaluations: u64, success: bool) -> RunRecord {
    RunRecord {
        key: format!("{}/{}/{run}", search.experiment(), who.name()),
        experiment: search.experiment().into(),
        variant: who.name().into(),
        solver: who.solver(),
        function: "rugged/lattice".into(),
        d: 5,
        n: 8,
        distance: 1.0,
        run,
        evaluations,
        generations: 1,
        value: 1.0,
        off: 1.0,
        success,
        stop: String::new(),
        reused: 0.0,
        seconds: 0.1,
        trace: Vec::new(),
        path: Vec::new(),
    }
}

fn make(family: Family, member: &Member, d: usize, seed: u64) -> Landscape {
    Landscape::new(family, member, d, seed).unwrap()
}

/// The optimum and a random point at this distance from it.
fn aside(landscape: &Landscape, distance: f64, draw: &mut Draw) -> Vec<f64> {
    let optimum = landscape.optimum();
    let direction = draw.normals(optimum.len());
    let length = direction.iter().map(|v| v * v).sum::<f64>().sqrt();
    optimum.iter().zip(&direction).map(|(x, v)| x + distance * v / length).collect()
}

#[test]
fn the_optimum_has_the_least_value_and_solves_the_task() {
    for (family, member) in everyone() {
        for (d, seed) in [(2, 1), (5, 2), (20, 3)] {
            let landscape = make(family, member, d, seed);
            let name = format!("{}/{} d = {d}", family.name(), member.name);
            let mut draw = Draw::new(&["points"], d, seed);
            let least = landscape.value(&landscape.optimum());
            if landscape.is_known {
                // Rounding of the rotation moves y = 0 by 1e-16 or so, to which a root of p = ½ is the most sensitive.
                assert!(least.abs() <= landscape.target && least.abs() < 1e-6, "{name}: {least:e}");
            }
            for k in 0..200 {
                let value =
                    landscape.value(&aside(&landscape, 10f64.powf(0.5 - 0.02 * f64::from(k)), &mut draw));
                assert!(value.is_finite() && value >= 0.0, "{name}: {value:e}");
                assert!(!landscape.is_known || value >= least, "{name}: {value:e} below {least:e}");
            }
            assert!(
                landscape.value(&landscape.start()) > landscape.target,
                "{name} is solved where it starts"
            );
        }
    }
}

#[test]
fn an_instance_is_its_seed_and_another_seed_is_another() {
    for (family, member) in everyone() {
        let value = |d: usize, seed: u64| {
            let landscape = make(family, member, d, seed);
            // The same place relative to the optimum, so that shape and rotation make the difference.
            landscape.value(&aside(&landscape, 0.7, &mut Draw::new(&["point"], d, 0)))
        };
        assert_eq!(value(5, 1), value(5, 1), "{}", member.name);
        let others: Vec<f64> = (2..6).map(|seed| value(5, seed)).collect();
        assert!(others.iter().any(|other| *other != value(5, 1)), "{}", member.name);
    }
}

#[test]
fn the_named_members_are_what_they_are_called() {
    let value = |family: Family, name: &str, y: [f64; 2]| {
        let member = family.members().iter().find(|m| m.name == name).unwrap();
        ((member.make)(2, &mut Draw::new(&[], 2, 1)).shape)(&y)
    };
    let near = |value: f64, wanted: f64| (value / wanted - 1.0).abs() < 1e-12;
    assert!(near(value(Family::Asymmetric, "sphere1", [1.0, -2.0]), 10_004.0));
    assert!(near(value(Family::Asymmetric, "sector", [-1.0, 2.0]), (1.0f64 + 4e5).powf(0.9)));
    assert!(near(value(Family::Nonsmooth, "l1", [-1.0, 2.0]), 2001.0));
    assert!(near(value(Family::Nonsmooth, "max", [-1.0, 2.0]), 2000.0));
}

#[test]
fn names_are_those_of_the_arguments_and_no_two_are_alike() {
    use clap::ValueEnum;
    for family in Family::ALL {
        assert_eq!(family.to_possible_value().unwrap().get_name(), family.name());
    }
    for contender in Contender::ALL {
        assert_eq!(contender.to_possible_value().unwrap().get_name(), contender.name());
    }
    let mut names: Vec<&str> = everyone().map(|(_, m)| m.name).collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all);
}

#[test]
fn noise_is_that_of_the_run_and_leaves_true_values_alone() {
    for member in Family::Noise.members() {
        let landscape = make(Family::Noise, member, 5, 1);
        assert!(landscape.is_noisy());
        let start = landscape.start();
        let seen = |seed| {
            let mut draw = Draw::new(&["run"], 5, seed);
            (0..50).map(|_| landscape.measured(landscape.value(&start), &mut draw)).collect::<Vec<f64>>()
        };
        assert_eq!(seen(1), seen(1));
        assert_ne!(seen(1), seen(2));
        assert_eq!(landscape.value(&start), landscape.value(&start));
    }
}
