//! The runs: both strategies, bounds, logs, integers, noise, constraints, restarts, injection, warm starts, checkpoints.

use enes::{
    Baseline, BoundHandling, Direction, ModelChoice, Restarts, Settings, Shaping, Strategy, WarmStart,
};
use enes_problems::{Function, Problem};

/// What is done besides asking and telling.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Extra {
    None,
    /// A checkpoint is written and read in every third generation, between ask and tell as well.
    Checkpoints,
    /// A point is injected in every fifth generation.
    Injections,
    /// Both.
    Everything,
    /// Values have violations.
    Constraints,
    /// The last generation is told in part.
    CutShort,
}

/// Value and violation of a point; the number of the call makes noise.
pub(super) type Objective = Box<dyn Fn(&[f64], u64) -> (f64, f64)>;

pub(super) struct Case {
    pub(super) name: String,
    pub(super) settings: Settings,
    pub(super) objective: Objective,
    pub(super) extra: Extra,
}

/// Noise that depends on the number of the evaluation only.
fn noise(call: u64) -> f64 {
    let mut z = call.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(0x1234_5678);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64 - 0.5
}

fn problem(function: Function, d: usize, seed: u64) -> (Problem, Vec<f64>) {
    let problem = Problem::new(function, d, seed).expect("a dimension in range");
    let start = problem.start(1.0);
    (problem, start)
}

struct Cases(Vec<Case>);

impl Cases {
    fn add(
        &mut self,
        name: impl Into<String>,
        settings: Settings,
        extra: Extra,
        objective: impl Fn(&[f64], u64) -> (f64, f64) + 'static,
    ) {
        self.0.push(Case { name: name.into(), settings, objective: Box::new(objective), extra });
    }

    /// A function of the paper.
    fn paper(
        &mut self,
        name: &str,
        (function, d): (Function, usize),
        limit: u64,
        extra: Extra,
        change: impl Fn(Settings) -> Settings,
    ) {
        let seed = 17 + self.0.len() as u64;
        let (problem, start) = problem(function, d, seed);
        let settings = change(Settings::new(start, 0.5).seed(seed).max_evaluations(limit));
        self.add(format!("{name} {} d={d}", function.name()), settings, extra, move |x, _| {
            (problem.evaluate(x), 0.0)
        });
    }
}

pub(super) fn cases() -> Vec<Case> {
    use Function as F;
    let mut cases = Cases(Vec::new());
    let same = |s: Settings| s;
    let ranks = |s: Settings| s.model(ModelChoice::RankOnly);
    let published = |s: Settings| s.strategy(Strategy::Published);
    for (function, d, limit) in [
        (F::Sphere, 1, 200),
        (F::Rosenbrock, 2, 600),
        (F::Ellipsoid, 3, 500),
        (F::Cigar, 5, 600),
        (F::SharpR, 5, 1500),
        (F::Rosenbrock, 10, 2500),
        (F::DiffPow, 10, 2500),
        (F::Schwefel, 16, 1500),
        (F::Tablet, 17, 1500),
        (F::Rosenbrock, 20, 3000),
        (F::Ellipsoid, 40, 1800),
        (F::Rastrigin, 2, 4000),
        (F::Ackley, 10, 4000),
        (F::Ellipsoid, 41, 3000),
        (F::Cigar, 60, 4000),
    ] {
        cases.paper("default", (function, d), limit, Extra::None, same);
    }
    for (function, d, limit) in [
        (F::Sphere, 1, 400),
        (F::Rosenbrock, 3, 1500),
        (F::Tablet, 10, 3000),
        (F::SharpR, 10, 4000),
        (F::Ellipsoid, 20, 5000),
        (F::Rosenbrock, 40, 6000),
        (F::Griewank, 5, 6000),
    ] {
        cases.paper("rank-based", (function, d), limit, Extra::None, ranks);
    }
    for (function, d, limit) in [
        (F::Sphere, 1, 400),
        (F::Rosenbrock, 2, 3000),
        (F::Cigar, 5, 4000),
        (F::Ellipsoid, 15, 9000),
        (F::Sphere, 60, 20000),
    ] {
        cases.paper("published", (function, d), limit, Extra::None, published);
    }
    for baseline in [Baseline::None, Baseline::Uniform, Baseline::Specific] {
        cases.paper("published baseline", (F::Ellipsoid, 4), 3000, Extra::None, |s| {
            published(s).baseline(baseline)
        });
    }
    for shaping in [Shaping::Logarithmic, Shaping::Linear, Shaping::Raw] {
        cases.paper("published shaping", (F::Sphere, 3), 2000, Extra::None, |s| {
            published(s).shaping(shaping.clone()).learning_rate(0.3)
        });
    }
    cases.paper("published refresh 1", (F::Tablet, 6), 4000, Extra::None, |s| published(s).refresh_rate(1.0));
    cases.paper("published restarts", (F::Rastrigin, 2), 9000, Extra::Checkpoints, |s| {
        published(s).restarts(Restarts::Bipop).population(20)
    });
    cases.paper("published inject", (F::Cigar, 5), 4000, Extra::Everything, published);
    cases.paper("batch 1", (F::Rosenbrock, 6), 900, Extra::Checkpoints, |s| s.batch(1));
    cases.paper("batch 12", (F::Ellipsoid, 6), 900, Extra::None, |s| s.batch(12));
    cases.paper("workers 9", (F::Rosenbrock, 4), 900, Extra::None, |s| s.workers(9));
    cases.paper("population 30", (F::Rastrigin, 4), 4000, Extra::None, |s| s.population(30));
    cases.paper("population 100 rank-based", (F::Rastrigin, 4), 8000, Extra::None, |s| {
        ranks(s).population(100)
    });
    cases.paper("checkpoints", (F::Rosenbrock, 7), 1500, Extra::Checkpoints, same);
    cases.paper("checkpoints rank-based", (F::Tablet, 18), 3000, Extra::Checkpoints, ranks);
    cases.paper("checkpoints published", (F::Cigar, 4), 3000, Extra::Checkpoints, published);
    cases.paper("inject", (F::Rosenbrock, 5), 1200, Extra::Injections, same);
    cases.paper("inject rank-based", (F::Cigar, 12), 3000, Extra::Everything, ranks);
    cases.paper("inject d=41", (F::Ellipsoid, 41), 2500, Extra::Everything, same);
    cases.paper("cut short", (F::Ellipsoid, 5), 3000, Extra::CutShort, same);
    cases.paper("restarts off", (F::Rastrigin, 3), 3000, Extra::None, |s| s.restarts(Restarts::Off));
    cases.paper("ipop", (F::Rastrigin, 3), 9000, Extra::Checkpoints, |s| s.restarts(Restarts::Ipop));
    cases.paper("ipop rank-based", (F::Weierstrass, 3), 9000, Extra::None, |s| {
        ranks(s).restarts(Restarts::Ipop)
    });
    cases.paper("max restarts", (F::Ackley, 3), 9000, Extra::None, |s| s.max_restarts(2));
    cases.paper("covariance", (F::Ellipsoid, 2), 900, Extra::None, |s| {
        s.sigma0(vec![vec![1.0, 0.3], vec![0.3, 0.5]])
    });
    bounded(&mut cases);
    with_integers(&mut cases);
    with_noise(&mut cases);
    constrained(&mut cases);
    warm(&mut cases);
    failing(&mut cases);
    cases.0
}

/// A quadratic with its optimum at `at` in every coordinate, and a valley.
fn valley(x: &[f64], at: f64) -> f64 {
    let bend = |w: &[f64]| 10.0 * (w[1] - w[0]).powi(2);
    x.iter().map(|v| (v - at).powi(2)).sum::<f64>() + x.windows(2).map(bend).sum::<f64>()
}

fn bounded(cases: &mut Cases) {
    for (handling, name) in [
        (BoundHandling::Smooth, "smooth"),
        (BoundHandling::Reflect, "reflect"),
        (BoundHandling::Resample, "resample"),
    ] {
        for (d, at) in [(2, 0.3), (8, 1.0)] {
            let settings = Settings::within(vec![(-1.0, 1.0); d]).seed(d as u64).max_evaluations(1500);
            cases.add(
                format!("box {name} d={d}"),
                settings.bound_handling(handling),
                Extra::Checkpoints,
                move |x, _| (valley(x, at), 0.0),
            );
        }
    }
    let logs =
        Settings::within([(1e-6, 1.0), (-5.0, 5.0), (0.0, 0.0)]).log_scale([true, false, false]).seed(4);
    cases.add("logs and a fixed one", logs.max_evaluations(1200), Extra::Everything, |x, _| {
        ((x[0] / 1e-4).ln().powi(2) + (x[1] - 1.5).powi(2) + x[2], 0.0)
    });
    let half =
        Settings::new([2.0; 12], 0.5).bounds(vec![(0.0, f64::INFINITY); 12]).model(ModelChoice::RankOnly);
    cases.add("half bounded rank-based", half.seed(5).max_evaluations(3000), Extra::None, |x, _| {
        (valley(x, 0.0), 0.0)
    });
    let published =
        Settings::within([(-1.0, 2.0); 4]).strategy(Strategy::Published).seed(6).max_evaluations(4000);
    cases.add("box published", published.clone(), Extra::Everything, |x, _| (valley(x, 0.5), 0.0));
    let resample = published.refresh_rate(1.0).bound_handling(BoundHandling::Resample);
    cases.add("resample published", resample, Extra::None, |x, _| (valley(x, 0.5), 0.0));
    let many = Settings::within([(-5.0, 5.0); 2]).seed(8).max_evaluations(6000);
    cases.add("box restarts", many, Extra::None, |x, _| {
        (20.0 + x.iter().map(|v| v * v - 10.0 * (std::f64::consts::TAU * v).cos()).sum::<f64>(), 0.0)
    });
}

fn with_integers(cases: &mut Cases) {
    let square = |x: &[f64]| x.iter().enumerate().map(|(i, v)| (v - 0.7 * i as f64).powi(2)).sum::<f64>();
    for (d, strategy) in [(3, Strategy::Adaptive), (20, Strategy::Adaptive), (4, Strategy::Published)] {
        let flags: Vec<bool> = (0..d).map(|i| i % 2 == 0).collect();
        let settings = Settings::new(vec![5.0; d], 2.0).integer(flags).strategy(strategy).seed(d as u64);
        cases.add(
            format!("integers {} d={d}", strategy.name()),
            settings.max_evaluations(3000),
            Extra::Checkpoints,
            move |x, _| (square(x), 0.0),
        );
    }
    let all = Settings::within([(0.0, 30.0), (1.0, 1000.0)]).integer(true).log_scale([false, true]).seed(3);
    cases.add("integers in a box", all.max_evaluations(2000), Extra::None, |x, _| {
        ((x[0] - 7.0).powi(2) + (x[1].ln() - 4.0).powi(2), 0.0)
    });
}

fn with_noise(cases: &mut Cases) {
    for (d, strategy, size) in [
        (2, Strategy::Adaptive, 0.1),
        (10, Strategy::Adaptive, 2.0),
        (10, Strategy::Adaptive, 0.0),
        (5, Strategy::Published, 1.0),
    ] {
        let settings = Settings::new(vec![2.0; d], 0.7).strategy(strategy).noisy(true).seed(d as u64 + 1);
        let extra = if d == 2 { Extra::None } else { Extra::Everything };
        cases.add(
            format!("noisy {} d={d} {size}", strategy.name()),
            settings.max_evaluations(3000),
            extra,
            move |x, call| (valley(x, 0.0) + size * noise(call), 0.0),
        );
    }
    let boxed = Settings::within([(-2.0, 3.0); 5]).noisy(true).target(0.05).seed(9).max_evaluations(4000);
    cases.add("noisy box target", boxed, Extra::Checkpoints, |x, call| {
        (valley(x, 0.5) + 0.3 * noise(call), 0.0)
    });
}

fn constrained(cases: &mut Cases) {
    for (d, strategy) in [(2, Strategy::Adaptive), (10, Strategy::Adaptive), (5, Strategy::Published)] {
        let settings =
            Settings::new(vec![-2.0; d], 1.0).strategy(strategy).seed(d as u64).max_evaluations(2500);
        cases.add(format!("constrained {} d={d}", strategy.name()), settings, Extra::Constraints, |x, _| {
            (valley(x, 0.0), 1.0 - x[0] + 0.3 * (x[1] - 0.5).max(0.0))
        });
    }
    let boxed = Settings::within([(-3.0, 3.0); 4]).seed(5).model(ModelChoice::RankOnly).max_evaluations(2500);
    cases.add(
        "constrained box maximize",
        boxed.direction(Direction::Maximize),
        Extra::Constraints,
        |x, _| (-valley(x, 0.0), x.iter().sum::<f64>() - 2.0),
    );
}

fn warm(cases: &mut Cases) {
    let rows: Vec<Vec<f64>> = (0..60).map(|i| (0..4).map(|k| 2.0 * noise(7 * i + k)).collect()).collect();
    let values: Vec<f64> = rows.iter().map(|x| valley(x, 0.2)).collect();
    let table = WarmStart::from_table(rows, values);
    for strategy in [Strategy::Adaptive, Strategy::Published] {
        let settings = Settings::new([1.0; 4], 1.0).strategy(strategy).warm_start(table.clone()).seed(2);
        cases.add(
            format!("warm table {}", strategy.name()),
            settings.max_evaluations(2500),
            Extra::Checkpoints,
            |x, _| (valley(x, 0.2), 0.0),
        );
    }
    let ranks = Settings::within([(-2.0, 2.0); 4]).warm_start(table).model(ModelChoice::RankOnly).seed(2);
    cases.add("warm table box rank-based", ranks.max_evaluations(1500), Extra::None, |x, _| {
        (valley(x, 0.2), 0.0)
    });
    let covariance = vec![vec![0.5, 0.2], vec![0.2, 0.4]];
    let given = WarmStart::from_distribution([0.5, 0.4], covariance);
    let settings = Settings::new([1.0; 2], 1.0).warm_start(given).seed(3).max_evaluations(900);
    cases.add("warm distribution", settings, Extra::None, |x, _| (valley(x, 0.2), 0.0));
}

fn failing(cases: &mut Cases) {
    let settings = |d: usize| Settings::new(vec![1.5; d], 1.0).seed(d as u64).max_evaluations(2500);
    cases.add("failures", settings(6), Extra::Checkpoints, |x, call| {
        (if noise(call) > 0.4 { f64::NAN } else { valley(x, 0.0) }, 0.0)
    });
    cases.add("infinities rank-based", settings(9).model(ModelChoice::RankOnly), Extra::None, |x, _| {
        (if x[0] < 0.2 { f64::INFINITY } else { valley(x, 0.0) }, 0.0)
    });
    cases.add("steps", settings(5), Extra::None, |x, _| ((4.0 * valley(x, 0.0)).floor(), 0.0));
    cases.add("one-sided", settings(10), Extra::None, |x, _| {
        (x.iter().map(|v| if *v > 0.0 { 1e3 * v } else { v * v }).sum(), 0.0)
    });
    cases.add(
        "target, maximize",
        settings(3).direction(Direction::Maximize).target(-1e-9),
        Extra::None,
        |x, _| (-valley(x, 0.0), 0.0),
    );
    cases.add("noise alone", settings(4), Extra::None, |_, call| (noise(call), 0.0));
}
