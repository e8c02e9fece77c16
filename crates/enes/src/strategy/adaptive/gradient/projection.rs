//! The least value of a quadratic between bounds, by exchanging blocks of the coordinates that rest on them (Júdice and Pires
//! 1994).

use crate::linalg::{self, CholeskySpace, add_scaled, dot};

/// Exchanges at most; nearly always a handful is enough.
const MOST_EXCHANGES: usize = 60;

/// Exchanges of all at once that may leave as many as before; after them it is one at a time, which comes to an end.
const PATIENCE: u32 = 3;

/// Halvings of a step down the slope at most, where exchanges came to no end.
const MOST_HALVINGS: usize = 60;

/// Where a coordinate is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    Between,
    Lower,
    Upper,
}

/// Scratch space.
#[derive(Clone, Debug)]
pub(super) struct Projection {
    places: Vec<Place>,
    /// The coordinates between their bounds, and the matrix of these.
    between: Vec<usize>,
    part: Vec<f64>,
    solution: Vec<f64>,
    /// g + Mt.
    slope: Vec<f64>,
    space: CholeskySpace,
}

impl Projection {
    pub(super) fn new(d: usize) -> Self {
        let zeros = || vec![0.0; d];
        Self {
            places: vec![Place::Between; d],
            between: Vec::with_capacity(d),
            part: vec![0.0; d * d],
            solution: zeros(),
            slope: zeros(),
            space: CholeskySpace::new(d),
        }
    }

    /// The t between the bounds with the least g·t + ½tᵀMt, from the upper triangle of M; bounds lie on both sides of 0. Where none
    /// is found it is at least less than 0. O(d³) an exchange.
    pub(super) fn solve(&mut self, matrix: &[f64], g: &[f64], lower: &[f64], upper: &[f64], t: &mut [f64]) {
        self.places.fill(Place::Between);
        let (mut least, mut patience) = (usize::MAX, PATIENCE);
        for _ in 0..MOST_EXCHANGES {
            if !self.rest(matrix, g, lower, upper, t) {
                break;
            }
            let misplaced = (0..g.len()).filter(|&j| self.better(j, t[j], lower[j], upper[j]).is_some());
            let count = misplaced.count();
            if count == 0 {
                return;
            }
            let all = count < least || patience > 0;
            patience = if count < least { PATIENCE } else { patience.saturating_sub(1) };
            least = least.min(count);
            // The last one alone, where all at once go in circles (Murty 1974).
            for j in (0..g.len()).rev() {
                if let Some(place) = self.better(j, t[j], lower[j], upper[j]) {
                    self.places[j] = place;
                    if !all {
                        break;
                    }
                }
            }
        }
        self.go_down(matrix, g, lower, upper, t);
    }

    /// With coordinates at their places: where those between have the least value, and the slope there. False where the matrix is
    /// of no use.
    fn rest(&mut self, matrix: &[f64], g: &[f64], lower: &[f64], upper: &[f64], t: &mut [f64]) -> bool {
        let d = g.len();
        for (j, place) in self.places.iter().enumerate() {
            t[j] = match place {
                Place::Between => 0.0,
                Place::Lower => lower[j],
                Place::Upper => upper[j],
            };
        }
        self.between.clear();
        self.between.extend((0..d).filter(|&j| self.places[j] == Place::Between));
        let n = self.between.len();
        if n > 0 {
            self.set_slope(matrix, g, t);
            for (row, &j) in self.part.chunks_exact_mut(n).zip(&self.between) {
                for (entry, &k) in row.iter_mut().zip(&self.between) {
                    *entry = if j <= k { matrix[j * d + k] } else { 0.0 };
                }
            }
            let part = &mut self.part[..n * n];
            if !linalg::cholesky_in_place(part, n, &mut self.space) {
                return false;
            }
            let solution = &mut self.solution[..n];
            solution.iter_mut().zip(&self.between).for_each(|(s, &j)| *s = -self.slope[j]);
            linalg::solve_squared(part, solution);
            self.between.iter().zip(solution).for_each(|(&j, s)| t[j] = *s);
        }
        self.set_slope(matrix, g, t);
        t.iter().all(|t| t.is_finite())
    }

    fn set_slope(&mut self, matrix: &[f64], g: &[f64], t: &[f64]) {
        linalg::symmetric_times_vector(matrix, t, &mut self.slope);
        add_scaled(&mut self.slope, 1.0, g);
    }

    /// Where a coordinate should be instead; `None` where it is right.
    fn better(&self, j: usize, t: f64, lower: f64, upper: f64) -> Option<Place> {
        match self.places[j] {
            Place::Between if t < lower => Some(Place::Lower),
            Place::Between if t > upper => Some(Place::Upper),
            Place::Lower if self.slope[j] < 0.0 => Some(Place::Between),
            Place::Upper if self.slope[j] > 0.0 => Some(Place::Between),
            _ => None,
        }
    }

    /// From what was found last, moved to the box, or from 0 down the slope: to a value less than 0.
    fn go_down(&mut self, matrix: &[f64], g: &[f64], lower: &[f64], upper: &[f64], t: &mut [f64]) {
        t.iter_mut()
            .zip(lower.iter().zip(upper))
            .for_each(|(t, (lower, upper))| *t = t.clamp(*lower, *upper));
        let mut by = 1.0;
        for _ in 0..MOST_HALVINGS {
            linalg::symmetric_times_vector(matrix, t, &mut self.slope);
            if dot(g, t) + 0.5 * dot(t, &self.slope) < 0.0 {
                return;
            }
            let bounds = lower.iter().zip(upper);
            t.iter_mut()
                .zip(g)
                .zip(bounds)
                .for_each(|((t, g), (lower, upper))| *t = (-by * g).clamp(*lower, *upper));
            by *= 0.5;
        }
        t.fill(0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Generator;

    /// At the least value every slope is 0, or points out of the box at a bound.
    #[test]
    fn no_step_within_the_box_leads_down_from_where_it_ends() {
        let mut generator = Generator::new(4);
        for (d, scale) in [(3, 1.0), (20, 1.0), (60, 1e3), (60, 1e6), (130, 1.0)] {
            let mut vectors = vec![0.0; d * 2 * d];
            generator.fill_normal(&mut vectors);
            let mut matrix = vec![0.0; d * d];
            for (k, v) in vectors.chunks_exact(d).enumerate() {
                let weight = if k == 0 { scale } else { 1.0 } / d as f64;
                for i in 0..d {
                    (i..d).for_each(|j| matrix[i * d + j] += weight * v[i] * v[j]);
                }
            }
            // The diagonal becomes 1.
            let roots: Vec<f64> = (0..d).map(|j| matrix[j * d + j].sqrt()).collect();
            (0..d * d).for_each(|at| matrix[at] /= roots[at / d] * roots[at % d]);
            let mut g = vec![0.0; d];
            generator.fill_normal(&mut g);
            // Some coordinates begin on a bound, or next to one, and some have none.
            let lower: Vec<f64> = (0..d).map(|j| [0.0, -0.1, f64::NEG_INFINITY, -1e-9][j % 4]).collect();
            let upper: Vec<f64> = (0..d).map(|j| [0.3, 0.0, 1e-7, 0.2, f64::INFINITY][j % 5]).collect();
            let mut t = vec![f64::NAN; d];
            Projection::new(d).solve(&matrix, &g, &lower, &upper, &mut t);
            let mut slope = vec![0.0; d];
            linalg::symmetric_times_vector(&matrix, &t, &mut slope);
            add_scaled(&mut slope, 1.0, &g);
            for j in 0..d {
                assert!((lower[j]..=upper[j]).contains(&t[j]), "{d} {j}");
                let held = t[j] <= lower[j] && slope[j] > 0.0 || t[j] >= upper[j] && slope[j] < 0.0;
                // 1e-7: rounding of a factor of condition up to 1e7.
                assert!(held || slope[j].abs() < 1e-7, "{d} {j} {} {}", t[j], slope[j]);
            }
        }
    }
}
