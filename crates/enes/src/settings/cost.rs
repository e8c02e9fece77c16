//! What a generation costs the optimizer itself, estimated before it is made.

use super::{ModelChoice, Settings, Strategy};
use crate::strategy::adaptive::Tuning;
use crate::strategy::adaptive::limited::directions;
use crate::strategy::adaptive::sizes::{regression_window, surrogate_window};

/// Seconds for a multiplication and an addition in the kernels, on an ordinary core.
const PRODUCT: f64 = 2e-10;

/// Seconds for a point, whatever its dimension.
const POINT: f64 = 5e-7;

/// Numbers in the buffers of the matrix kernels.
const BUFFERS: f64 = 2.5e5;

/// A generation that takes the optimizer longer, in seconds, is worth a word before the run.
const LONG: f64 = 1.0;

/// So is one that holds more memory, in bytes.
const LARGE: u64 = 1_000_000_000;

/// From here on the published strategy says how large its generations are: thousands of points.
const PUBLISHED_UP_TO: usize = 200;

/// What one generation costs the optimizer itself, without the objective.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct GenerationCost {
    /// Points to evaluate, at most.
    pub points: usize,
    /// Memory that the optimizer holds, in bytes.
    pub bytes: u64,
    /// Time on one ordinary core, in seconds; right to a factor of about three.
    pub seconds: f64,
}

impl Settings {
    /// Estimate what a generation of the first search costs the optimizer itself, before anything is allocated.
    ///
    /// ```
    /// use enes::{Settings, Strategy};
    /// let settings = Settings::new(vec![0.0; 10_000], 1.0);
    /// let cost = settings.generation_cost();
    /// assert!(cost.bytes < 1 << 27 && cost.seconds < 1.0);
    /// let published = settings.strategy(Strategy::Published).generation_cost();
    /// assert!(published.bytes > 1 << 30 && published.seconds > 10.0);
    /// ```
    pub fn generation_cost(&self) -> GenerationCost {
        let points = self.population_size();
        let (d, n) = (self.search_dimension() as f64, points as f64);
        // Numbers that are held, and products that are made: measured, see tests/generation_cost.rs.
        let (numbers, products) = match self.strategy {
            Strategy::Published => (n * (4.0 * d + 20.0) + 6.0 * d * d, 0.6 * n * d * d + d * d * d),
            Strategy::Adaptive if self.is_limited() => {
                let k = directions(self.search_dimension()) as f64;
                // The stop rules remember as many generations as pycma's do.
                let histories = 3.0 * (100.0 * d.powf(1.5) / n).min(1e6);
                ((4.0 * n + 3.0 * k + 100.0) * d + histories, (4.0 * k + n + 30.0) * n * d + k * k * d)
            }
            Strategy::Adaptive => {
                // Points of the archive, and of a fit.
                let tuning = Tuning::default().ranks;
                let seen = regression_window(self.search_dimension(), 0, true, &tuning) as f64;
                let ranks =
                    (12.0 * n * d + 5.0 * seen * d + 5.0 * d * d, 2.0 * n * d * d + 0.5 * (seen + d) * d * d);
                let window = surrogate_window(self.search_dimension(), points) as f64;
                let fits = match self.has_surrogate() {
                    true => (BUFFERS + 3.0 * window * window, 1.5 * window * window * (window / 3.0 + d)),
                    false => (0.0, 0.0),
                };
                // A gradient has factors of its own, and within bounds a matrix that is factorised for each set of them.
                let gradient = match (self.search_dimension() > ModelChoice::MOST_DIMENSIONS, &self.bounds) {
                    (true, Some(_)) => (BUFFERS + 19.0 * d * d, 2.0 * d * d * d),
                    (true, None) => (BUFFERS + 8.0 * d * d, 0.5 * d * d * d),
                    (false, _) => (0.0, 0.0),
                };
                (ranks.0 + fits.0 + gradient.0, ranks.1 + fits.1 + gradient.1)
            }
        };
        let seconds = PRODUCT * products + POINT * n;
        GenerationCost { points, bytes: (8.0 * numbers) as u64, seconds }
    }

    /// What to know before a run that is likely to disappoint, as sentences; empty for most runs.
    ///
    /// A generation that takes the optimizer itself more than a second or holds more than 1 GB, by
    /// [`generation_cost`](Self::generation_cost), is said with its numbers. The published strategy says beyond 200
    /// dimensions how many points a generation has, where they are not given, and whether the budget completes one.
    ///
    /// ```
    /// use enes::{Settings, Strategy};
    /// let settings = Settings::new(vec![0.0; 300], 1.0).max_evaluations(600);
    /// assert!(settings.warnings().is_empty());
    /// let published = settings.strategy(Strategy::Published).warnings();
    /// assert!(published[0].starts_with("a generation of the published strategy has 10116 points in 300 dimensions"));
    /// ```
    pub fn warnings(&self) -> Vec<String> {
        let (cost, d) = (self.generation_cost(), self.search_dimension());
        let points = cost.points;
        let mut found = Vec::new();
        let spent = self.rules.max_evaluations.filter(|budget| *budget < points as u64);
        // A population that is given is known, unless the budget shows that it is not.
        let unknown = self.population.is_none() || spent.is_some();
        if self.strategy == Strategy::Published && d > PUBLISHED_UP_TO && unknown {
            let budget = spent.map_or_else(String::new, |budget| {
                format!(", and a budget of {budget} evaluations does not complete one")
            });
            found.push(format!(
                "a generation of the published strategy has {points} points in {d} dimensions{budget}: the adaptive \
                 strategy has {} there",
                Strategy::Adaptive.default_population(d)
            ));
        }
        if cost.seconds > LONG || cost.bytes > LARGE {
            let other = match self.strategy {
                Strategy::Published => ", or leave out the published strategy",
                Strategy::Adaptive => "",
            };
            found.push(format!(
                "a generation is {cost}, in {d} dimensions: search fewer coordinates at once, or give a smaller \
                 population{other}"
            ));
        }
        found
    }
}

/// How many points, what they hold and how long they take, as in `24 points; the optimizer itself holds about …`.
impl std::fmt::Display for GenerationCost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (bytes, s) = (self.bytes as f64, self.seconds);
        write!(f, "{} points; the optimizer itself holds ", self.points)?;
        match bytes {
            _ if bytes < 1e6 => write!(f, "less than 1 MB")?,
            _ if bytes < 1e9 => write!(f, "about {:.0} MB", bytes / 1e6)?,
            _ => write!(f, "about {:.1} GB", bytes / 1e9)?,
        }
        match s {
            _ if s < 1e-3 => write!(f, " and computes for less than 1 ms"),
            _ if s < 1.0 => write!(f, " and computes for about {:.0} ms", 1e3 * s),
            _ if s < 120.0 => write!(f, " and computes for about {s:.0} s"),
            _ if s < 7200.0 => write!(f, " and computes for about {:.0} minutes", s / 60.0),
            _ => write!(f, " and computes for about {:.0} hours", s / 3600.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(d: usize) -> Settings {
        Settings::new(vec![0.0; d], 1.0)
    }

    #[test]
    fn costs_are_words() {
        let words = |bytes, seconds| GenerationCost { points: 5, bytes, seconds }.to_string();
        let holds = "5 points; the optimizer itself holds";
        assert_eq!(words(10, 1e-4), format!("{holds} less than 1 MB and computes for less than 1 ms"));
        assert_eq!(words(2_500_000_000, 0.02), format!("{holds} about 2.5 GB and computes for about 20 ms"));
        assert_eq!(words(2_500_000, 600.0), format!("{holds} about 2 MB and computes for about 10 minutes"));
    }

    #[test]
    fn ordinary_runs_are_not_warned_of() {
        for d in [1, 10, 40, 41, 320, 1000, 1001, 10_000, 100_000] {
            assert_eq!(at(d).warnings(), Vec::<String>::new(), "d = {d}");
        }
        for d in [1, 50, 200] {
            assert!(at(d).strategy(Strategy::Published).max_evaluations(10).warnings().is_empty(), "d = {d}");
        }
    }

    #[test]
    fn the_published_strategy_says_how_large_its_generations_are() {
        let published = at(201).strategy(Strategy::Published);
        let said = published.warnings();
        assert_eq!(said.len(), 1);
        assert!(
            said[0].contains("8136 points in 201 dimensions: the adaptive strategy has 19 there"),
            "{said:?}"
        );
        let given = published.clone().population(400);
        assert!(given.warnings().is_empty() && given.max_evaluations(399).warnings().len() == 1);
        let spent = published.max_evaluations(8135).warnings();
        assert!(spent[0].contains("and a budget of 8135 evaluations does not complete one:"), "{spent:?}");
    }

    #[test]
    fn a_long_or_large_generation_is_said_with_its_numbers() {
        let long = at(4000).strategy(Strategy::Published).warnings();
        assert!(long[1].contains("84116 points; the optimizer itself holds about 11.5 GB"), "{long:?}");
        assert!(long[1].ends_with("or leave out the published strategy"), "{long:?}");
        let large = at(100_000).population(2000).warnings();
        assert!(
            large[0].starts_with("a generation is 2000 points; the optimizer itself holds about"),
            "{large:?}"
        );
        assert!(large[0].ends_with(
            "in 100000 dimensions: search fewer coordinates at once, or give a smaller population"
        ));
    }
}
