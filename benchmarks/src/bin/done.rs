//! Smooth functions with one optimum, drawn at random: after how many evaluations a run with restarts is done, against one search.
//!
//! `cargo run --release -p enes-benchmarks --bin done -- SEED RUNS DIMENSION ...`, a line for each family and dimension. Each run has a
//! rotation, a shift, curvatures and powers of its own; 100 d² evaluations and no target are all that is given. The optimum of
//! `rosenbrock` is alone in up to three dimensions only: in more there is a second one, which later searches may find.
//! With DONE_TRACE=1 the searches of every run.
#![allow(clippy::print_stdout)]

use enes::{Restarts, Settings, minimize};
use enes_measure::{SplitMix64, quantile};

const FAMILIES: [&str; 6] = ["quadratic", "logarithm", "quartic", "bent", "powers", "rosenbrock"];

/// A function of one run.
struct Function {
    family: &'static str,
    shift: Vec<f64>,
    /// Orthonormal rows.
    axes: Vec<Vec<f64>>,
    curvatures: Vec<f64>,
    powers: Vec<f64>,
    bend: f64,
}

impl Function {
    fn new(family: &'static str, d: usize, draw: &mut SplitMix64) -> Self {
        let mut axes: Vec<Vec<f64>> = Vec::new();
        while axes.len() < d {
            let mut row: Vec<f64> = (0..d).map(|_| draw.normal()).collect();
            for other in &axes {
                let along: f64 = row.iter().zip(other).map(|(a, b)| a * b).sum();
                row.iter_mut().zip(other).for_each(|(a, b)| *a -= along * b);
            }
            let length = row.iter().map(|a| a * a).sum::<f64>().sqrt();
            axes.push(row.iter().map(|a| a / length).collect());
        }
        let widest = draw.between(0.0, 6.0);
        let highest = draw.between(2.0, 12.0);
        Self {
            family,
            shift: (0..d).map(|_| draw.normal() / (d as f64).sqrt()).collect(),
            axes,
            curvatures: (0..d).map(|_| 10f64.powf(draw.between(0.0, widest))).collect(),
            powers: (0..d).map(|_| draw.between(2.0, highest)).collect(),
            bend: draw.between(0.5, 3.0),
        }
    }

    fn at(&self, x: &[f64]) -> f64 {
        let moved: Vec<f64> = x.iter().zip(&self.shift).map(|(x, s)| x - s).collect();
        let along = |row: &Vec<f64>| row.iter().zip(&moved).map(|(a, b)| a * b).sum();
        let mut y: Vec<f64> = self.axes.iter().map(along).collect();
        let bowl = |y: &[f64]| y.iter().zip(&self.curvatures).map(|(y, c)| c * y * y).sum::<f64>();
        match self.family {
            "quadratic" => bowl(&y),
            "logarithm" => bowl(&y).ln_1p(),
            "quartic" => bowl(&y) + y.iter().map(|y| y.powi(4)).sum::<f64>(),
            // The second coordinate is bent along the first, which takes no optimum away and adds none.
            "bent" => {
                y[1] += self.bend * y[0] * y[0];
                bowl(&y)
            }
            "powers" => y.iter().zip(&self.powers).map(|(y, p)| y.abs().powf(*p)).sum(),
            _ => {
                y.iter_mut().for_each(|y| *y += 1.0);
                y.windows(2).map(|w| 100.0 * (w[1] - w[0] * w[0]).powi(2) + (1.0 - w[0]).powi(2)).sum()
            }
        }
    }
}

fn main() {
    let numbers: Vec<u64> = std::env::args().skip(1).map(|word| word.parse().expect("a number")).collect();
    let [seed, runs, dimensions @ ..] = &numbers[..] else { panic!("done SEED RUNS DIMENSION ...") };
    for (&d, family) in dimensions.iter().flat_map(|d| FAMILIES.map(|family| (d, family))) {
        let (mut each, mut ratios, mut done) = (Vec::new(), Vec::new(), 0);
        for run in 0..*runs {
            let number = 1_000_000 * seed + run;
            let function = Function::new(family, d as usize, &mut SplitMix64(number));
            let settings = Settings::new(vec![0.0; d as usize], 0.5).seed(number);
            let one = settings.clone().restarts(Restarts::Off).max_evaluations(1000 * d * d);
            let one = minimize(&one, |x| function.at(x)).expect("sound settings");
            let all = minimize(&settings.max_evaluations(100 * d * d), |x| function.at(x));
            let all = all.expect("sound settings");
            done += u64::from(all.success && all.evaluations < 100 * d * d);
            ratios.push(all.evaluations as f64 / one.evaluations as f64);
            each.push(format!("{}/{}", all.evaluations, one.evaluations));
            if std::env::var_os("DONE_TRACE").is_some() {
                for search in &all.restarts {
                    println!(
                        "{family} {d} {run} {} {:e} {}",
                        search.evaluations, search.value, search.reason
                    );
                }
                println!("{family} {d} {run} end {} {}", all.evaluations, all.stop);
            }
        }
        let [median, most] = [0.5, 0.9].map(|share| quantile(&ratios, share));
        println!("{family}\t{d}\t{seed}\t{runs}\t{done}\t{median:.2}\t{most:.2}\t{}", each.join(" "));
    }
}
