//! Lines through an optimum, one along each coordinate: a start that differs from it in some of them.
//!
//! Coordinates are the user's own, and objectives are often sums of parts that few of them share. Where they are, the best
//! points of the lines make a better one together, and that takes evaluations in proportion to the number of coordinates,
//! where basins are as many as their product.

use super::Searches;
use super::line::Line;
use crate::search::{Population, SearchDistribution};
use crate::settings::Params;
use crate::space::Space;
use crate::stopping::StopReason;

/// Points on a line at first; each time that lines through the same point lead nowhere, twice as many.
const POINTS: usize = 25;

/// And no more than these.
const MOST_POINTS: usize = 800;

/// A coordinate without two bounds has a line of so many initial deviations to both sides.
const HALF_WIDTH: f64 = 2.0;

/// Initial deviations that a search on from here has in a coordinate, at least and at most.
const SCALES: (f64, f64) = (0.01, 1.0);

/// Lines that are being looked at.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Lines {
    /// Its place among the optima, where the point is one.
    place: Option<usize>,
    cost: f64,
    /// Points that each line is to have beside it.
    points: usize,
    /// Where it lies, in coordinates inside the box, and unfolded.
    origin: Vec<f64>,
    unfolded: Vec<f64>,
    lines: Vec<Line>,
    /// The best points of all lines, unfolded, once these are done; and its cost once that is known.
    together: Option<(Vec<f64>, f64)>,
}

/// What to do next.
pub(crate) enum Next {
    /// More points.
    Look,
    /// Nothing better was found: the search ends in the optimum.
    Nothing(StopReason),
    /// A local search from here.
    Begin(SearchDistribution),
}

/// What lines have found.
enum Found {
    Open,
    /// Nothing better than this optimum.
    Nothing(usize),
    Start(SearchDistribution),
}

impl Lines {
    /// Lines through an optimum, given in search coordinates, with this cost.
    pub(super) fn new(params: &Params, place: Option<usize>, mean: &[f64], cost: f64) -> Self {
        let space = &params.space;
        let origin = space.folded(mean);
        let reach: Vec<f64> = params.start.standard_deviations().iter().map(|s| HALF_WIDTH * s).collect();
        let ranges = space.ranges_around(&origin, &reach);
        let lines = origin.iter().zip(ranges).map(|(at, range)| Line::new(range, *at, cost)).collect();
        let mut unfolded = origin.clone();
        space.unfold(&mut unfolded);
        Self { place, cost, points: POINTS, origin, unfolded, lines, together: None }
    }

    /// The root of how many times as many points as the first ones they have.
    pub(super) fn fineness(&self) -> f64 {
        (self.points as f64 / POINTS as f64).sqrt()
    }

    /// Evaluations that they still take.
    pub(super) fn evaluations(&self) -> u64 {
        self.lines.iter().map(|line| (self.points + 1).saturating_sub(line.len()) as u64).sum()
    }

    /// Whether they go through this optimum, or this point where it is none.
    pub(super) fn go_through(&self, place: Option<usize>, point: &[f64]) -> bool {
        self.place == place && (place.is_some() || self.unfolded == point)
    }

    /// The same with twice the points; `None` where there are as many as there may be.
    pub(super) fn with_more_points(&self) -> Option<Self> {
        let points = 2 * self.points;
        (points <= MOST_POINTS).then(|| Self { points, together: None, ..self.clone() })
    }

    /// The point, in search coordinates.
    pub(super) fn start(&self) -> &[f64] {
        &self.unfolded
    }

    /// The points of the next generation: one on each line, or as many as workers want.
    pub(super) fn propose(&self, space: &Space, workers: usize) -> Vec<Vec<f64>> {
        if let Some((together, _)) = &self.together {
            return vec![together.clone()];
        }
        let each = workers.div_ceil(self.lines.len());
        let mut rows = Vec::new();
        for (j, line) in self.lines.iter().enumerate().filter(|(_, line)| line.len() <= self.points) {
            for at in line.next(each.min(self.points + 1 - line.len())) {
                rows.push(self.unfolded_at(space, &[(j, at)]));
            }
        }
        rows
    }

    /// The optimum with some coordinates elsewhere.
    fn unfolded_at(&self, space: &Space, elsewhere: &[(usize, f64)]) -> Vec<f64> {
        let mut row = self.origin.clone();
        elsewhere.iter().for_each(|(j, at)| row[*j] = *at);
        space.unfold(&mut row);
        row
    }

    /// What was found at these points. Samples that others asked for beside them are not on a line, and say nothing.
    pub(super) fn take(&mut self, space: &Space, population: &Population) {
        let first = population.known();
        for (row, &cost) in (first..).zip(population.fresh_costs()) {
            let point = population.point(row);
            match &mut self.together {
                Some((together, known)) if together == point => *known = cost,
                _ => {
                    let mut moved = (0..point.len()).filter(|&j| point[j] != self.unfolded[j]);
                    if let (Some(j), None) = (moved.next(), moved.next()) {
                        self.lines[j].add(space.folded(point)[j], cost);
                    }
                }
            }
        }
    }

    /// What follows. Differences of less than `tolerance` are none.
    fn next(&mut self, params: &Params, tolerance: f64) -> Found {
        let space = &params.space;
        if self.lines.iter().any(|line| line.len() <= self.points && !line.next(1).is_empty()) {
            return Found::Open;
        }
        let better = |line: &Line| line.best().1 < self.cost - tolerance;
        let moved: Vec<(usize, f64)> =
            self.lines.iter().enumerate().filter(|(_, l)| better(l)).map(|(j, l)| (j, l.best().0)).collect();
        let least = |a: &&(usize, f64), b: &&(usize, f64)| {
            self.lines[a.0].best().1.total_cmp(&self.lines[b.0].best().1)
        };
        let Some(best) = moved.iter().min_by(least).copied() else {
            return self.place.map_or_else(|| self.begin(params, &[]), Found::Nothing);
        };
        match &self.together {
            None if moved.len() > 1 => {
                self.together = Some((self.unfolded_at(space, &moved), f64::NAN));
                Found::Open
            }
            Some((_, cost)) if *cost <= self.lines[best.0].best().1 => self.begin(params, &moved),
            _ => self.begin(params, &[best]),
        }
    }

    /// A search where these coordinates are elsewhere, each as wide as its points on the line are apart.
    fn begin(&self, params: &Params, moved: &[(usize, f64)]) -> Found {
        let mean = self.unfolded_at(&params.space, moved);
        let d = mean.len();
        let mut factor = vec![0.0; d * d];
        for (j, (first, line)) in params.start.standard_deviations().iter().zip(&self.lines).enumerate() {
            factor[j * d + j] = line.spacing().clamp(SCALES.0 * first, SCALES.1 * first);
        }
        let first = || params.start.clone();
        Found::Start(SearchDistribution::new(mean, factor).unwrap_or_else(|_| first()))
    }

    #[cfg(feature = "serde")]
    pub(super) fn is_consistent(&self, d: usize, optima: usize) -> bool {
        self.place.is_none_or(|place| place < optima)
            && self.lines.len() == d
            && self.origin.len() == d
            && self.unfolded.len() == d
            && self.together.as_ref().is_none_or(|(point, _)| point.len() == d)
            && self.lines.iter().all(Line::is_consistent)
    }
}

impl Searches {
    /// The points that the present search looks at before it begins, as rows in search coordinates; `None` once it has begun.
    pub(crate) fn points_on_lines(&self, params: &Params) -> Option<Vec<Vec<f64>>> {
        let lines = self.lines.as_ref().filter(|_| self.on_lines)?;
        Some(lines.propose(&params.space, params.strategy.workers()))
    }

    /// These points have their costs: what follows; `None` where the present search has begun.
    pub(crate) fn follow_lines(&mut self, params: &Params, population: &Population) -> Option<Next> {
        let lines = self.lines.as_mut().filter(|_| self.on_lines)?;
        lines.take(&params.space, population);
        Some(match lines.next(params, params.rules.tolfun.unwrap_or(0.0)) {
            Found::Open => Next::Look,
            Found::Nothing(place) => Next::Nothing(StopReason::KnownOptimum {
                optimum: place + 1,
                value: self.optima.value(place),
            }),
            Found::Start(distribution) => {
                self.on_lines = false;
                let narrower = distribution.log_det() - params.start.log_det();
                self.scale = (narrower / params.search_dimension as f64).exp();
                Next::Begin(distribution)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    fn params() -> Params {
        Params::new(&Settings::within([(-4.0, 5.0), (-4.0, 5.0)]).max_evaluations(1000)).unwrap()
    }

    /// What lines through a point of this objective lead to, and the evaluations they take.
    fn follow(place: Option<usize>, from: [f64; 2], f: impl Fn(&[f64]) -> f64) -> (Found, usize) {
        let (params, mut evaluations) = (params(), 0);
        let mut lines = Lines::new(&params, place, &from, f(&from));
        loop {
            let rows = lines.propose(&params.space, 1);
            let mut population = Population::new(rows.len(), 2);
            for (i, row) in rows.iter().enumerate() {
                population.row_mut(i).1.copy_from_slice(row);
            }
            let inside: Vec<Vec<f64>> = rows.iter().map(|row| params.space.folded(row)).collect();
            population.set_costs(inside.iter().map(|x| f(x)));
            evaluations += rows.len();
            lines.take(&params.space, &population);
            match lines.next(&params, 1e-11) {
                Found::Open => {}
                found => return (found, evaluations),
            }
        }
    }

    fn rastrigin(x: &[f64]) -> f64 {
        x.iter().map(|v| v * v + 10.0 * (1.0 - (std::f64::consts::TAU * v).cos())).sum()
    }

    #[test]
    fn the_best_basin_of_a_sum_is_found_coordinate_by_coordinate() {
        let (Found::Start(start), evaluations) = follow(Some(0), [2.99, -1.99], rastrigin) else {
            panic!("no start")
        };
        assert!(start.mean().iter().all(|x| x.abs() < 0.3), "{start:?}");
        assert!(start.standard_deviations().iter().all(|s| *s < 0.5), "{start:?}");
        assert_eq!(evaluations, 2 * POINTS + 1);
    }

    #[test]
    fn where_coordinates_are_no_parts_of_a_sum_the_best_point_of_one_line_is_the_start() {
        // Either coordinate may change its sign, not both.
        let f = |x: &[f64]| {
            (x[0].abs() - 2.0).powi(2) + (x[1].abs() - 2.0).powi(2) + x[0].signum() * x[1].signum()
        };
        let (Found::Start(start), _) = follow(Some(0), [2.0, 2.0], f) else { panic!("no start") };
        assert!(start.mean()[0] * start.mean()[1] < 0.0, "{start:?}");
    }

    #[test]
    fn nothing_is_better_than_the_optimum_of_a_bowl_and_a_point_that_is_none_is_a_start() {
        let bowl = |x: &[f64]| x.iter().map(|v| v * v).sum::<f64>();
        assert!(matches!(follow(Some(3), [0.0, 0.0], bowl).0, Found::Nothing(3)));
        assert!(matches!(follow(None, [0.0, 0.0], bowl).0, Found::Start(_)));
    }

    #[test]
    fn lines_through_the_same_optimum_get_twice_the_points() {
        let params = params();
        let lines = Lines::new(&params, Some(1), &[0.0, 0.0], 1.0);
        assert!(lines.go_through(Some(1), &[7.0, 7.0]) && !lines.go_through(Some(0), &[0.0, 0.0]));
        let more = |lines: Lines| lines.with_more_points();
        let all: Vec<Lines> = std::iter::successors(Some(lines), |l| more(l.clone())).collect();
        assert_eq!(all.iter().map(|l| l.points).collect::<Vec<_>>(), [25, 50, 100, 200, 400, 800]);
        // Four times the points cost twice as much for each evaluation.
        assert_eq!([0, 2, 4].map(|i: usize| all[i].fineness()), [1.0, 2.0, 4.0]);
    }
}
