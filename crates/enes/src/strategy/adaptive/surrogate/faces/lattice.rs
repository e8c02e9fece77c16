//! The step where some coordinates are whole numbers.
//!
//! The step within ball and box comes first, as if all were real. Then the whole numbers: what they cost once the other
//! coordinates follow is again a quadratic, of these numbers alone, and a local search over one or two of them at a time
//! lowers it, from the rounded step and from where they are. At last they are held, and the others take their own step.

use super::super::step::Quadratic;
use super::{Faces, Rest, Side, bend_across};
use crate::linalg::{add_scaled, dot, squared_norm, symmetric_times};

/// Moves of a local search, for each whole number.
const MOVES: usize = 8;

/// A curvature of the other coordinates counts as so much of the largest at least.
const FLAT: f64 = 1e-9;

/// Scratch space; square matrices have rows of length d.
#[derive(Clone, Debug)]
pub(super) struct Lattice {
    /// What the whole numbers cost: slope at the best point and curvatures, in their own units; and the square of the length
    /// of a step that changes them.
    slope: Vec<f64>,
    curvature: Vec<f64>,
    length: Vec<f64>,
    /// Directions times the Hessian, and what the others answer.
    bent: Vec<f64>,
    answers: Vec<f64>,
    inverse: Vec<f64>,
    /// From the best point to the chosen numbers, and what these begin with.
    chosen: Vec<f64>,
    rounded: Vec<f64>,
    slope_there: Vec<f64>,
    length_there: Vec<f64>,
    /// The best of the choices.
    best: Vec<f64>,
    /// Bounds that the others rest on.
    others: Vec<Rest>,
}

impl Lattice {
    pub(super) fn new(d: usize) -> Self {
        let (zeros, square) = (|| vec![0.0; d], || vec![0.0; d * d]);
        Self {
            slope: zeros(),
            curvature: square(),
            length: square(),
            bent: square(),
            answers: square(),
            inverse: square(),
            chosen: zeros(),
            rounded: zeros(),
            slope_there: zeros(),
            length_there: zeros(),
            best: zeros(),
            others: Vec::with_capacity(d),
        }
    }
}

/// A change of one number or of two.
type Change = [Option<(usize, f64)>; 2];

impl Faces {
    /// Take a step within ball and box to whole numbers. Returns by how much the response falls, at least 0.
    pub(super) fn settle(
        &mut self,
        lattice: &mut Lattice,
        quadratic: &Quadratic,
        radius: f64,
        step: &mut [f64],
    ) -> f64 {
        let d = self.dimension();
        for j in 0..d {
            lattice.rounded[j] = self.origin[j] + self.moved(j, step);
        }
        self.limits.round(&mut lattice.rounded);
        for j in 0..d {
            let whole = self.limits.is_whole(j);
            lattice.rounded[j] =
                if whole { lattice.rounded[j] - self.origin[j] } else { self.moved(j, step) };
        }
        // Where the others rest on bounds they stay there while whole numbers are chosen.
        lattice.others.clear();
        lattice.others.extend(self.rests.iter().filter(|r| !self.limits.is_whole(r.coordinate)));
        self.pin(&lattice.others);
        let sound = self.stand_on_face() && self.reduce(lattice, quadratic);
        let mut most = f64::NEG_INFINITY;
        // What the search chooses may lie beyond the ball, or promise less than the numbers there are.
        for (start, searches) in [(Start::Rounded, sound), (Start::Best, sound), (Start::Best, false)] {
            self.pin(&lattice.others);
            match searches {
                true => self.choose(lattice, radius, start),
                false => self.begin(lattice, start),
            }
            let decrease = self.step_with(&lattice.chosen, quadratic, radius);
            if decrease > most {
                most = decrease;
                lattice.best.copy_from_slice(&lattice.chosen);
            }
        }
        let decrease = self.step_with(&lattice.best, quadratic, radius);
        step.copy_from_slice(&self.best);
        decrease
    }

    /// Rest on every whole number, and on these bounds.
    fn pin(&mut self, others: &[Rest]) {
        let d = self.dimension();
        self.rests.clear();
        let limits = &self.limits;
        self.rests.extend(
            (0..d).filter(|&j| limits.is_whole(j)).map(|coordinate| Rest { coordinate, side: Side::Lower }),
        );
        self.pinned = self.rests.len();
        self.rests.extend_from_slice(others);
    }

    /// What the numbers of the rests cost where the other coordinates follow. With directions q across the face, H the
    /// Hessian and H⁺ its inverse on the face: curvatures qᵀHq − qᵀHH⁺Hq and slopes qᵀg − qᵀHH⁺g; then by coordinates.
    fn reduce(&mut self, lattice: &mut Lattice, quadratic: &Quadratic) -> bool {
        let (d, k) = (self.dimension(), self.rests.len());
        let face = &mut self.face;
        face.gradient.copy_from_slice(&quadratic.gradient);
        face.hessian.copy_from_slice(&quadratic.hessian);
        let stiff = quadratic.hessian.iter().fold(f64::MIN_POSITIVE, |most, b| most.max(b.abs()));
        for q in self.across.chunks_exact(d) {
            bend_across(&mut face.hessian, q, stiff, &mut self.to);
            let along = dot(q, &face.gradient);
            add_scaled(&mut face.gradient, -along, q);
        }
        if !face.diagonalize() {
            return false;
        }
        for (i, q) in self.across.chunks_exact(d).enumerate() {
            let (bent, answer) =
                (&mut lattice.bent[i * d..(i + 1) * d], &mut lattice.answers[i * d..(i + 1) * d]);
            symmetric_times(&quadratic.hessian, q, bent);
            self.to.copy_from_slice(bent);
            for p in self.across.chunks_exact(d) {
                let along = dot(p, &self.to);
                add_scaled(&mut self.to, -along, p);
            }
            face.solve_positive(FLAT, &self.to, answer);
        }
        for i in 0..k {
            let q = &self.across[i * d..(i + 1) * d];
            let answer = &lattice.answers[i * d..(i + 1) * d];
            lattice.slope[i] = dot(q, &quadratic.gradient) - dot(answer, &face.gradient);
            for j in 0..k {
                let bent = &lattice.bent[j * d..(j + 1) * d];
                lattice.curvature[i * d + j] = dot(q, bent) - dot(answer, bent);
            }
        }
        self.by_coordinates(lattice);
        true
    }

    /// From directions to coordinates: these are L times those along the directions, L lower triangular.
    fn by_coordinates(&self, lattice: &mut Lattice) {
        let (d, k) = (self.dimension(), self.rests.len());
        let Lattice { inverse, bent, curvature, length, slope, .. } = lattice;
        for column in 0..k {
            for i in 0..k {
                let unit = if i == column { 1.0 } else { 0.0 };
                let sum: f64 = (0..i).map(|l| self.parts[i * d + l] * inverse[l * d + column]).sum();
                inverse[i * d + column] = (unit - sum) / self.parts[i * d + i];
            }
        }
        let times = |i: usize, j: usize, inverse: &[f64], m: &[f64]| -> f64 {
            (0..k).map(|l| m[i * d + l] * inverse[l * d + j]).sum()
        };
        for i in 0..k {
            for j in 0..k {
                bent[i * d + j] = times(i, j, inverse, curvature);
            }
        }
        for i in 0..k {
            for j in 0..k {
                let column = |m: &[f64]| (0..k).map(|l| inverse[l * d + i] * m[l * d + j]).sum::<f64>();
                curvature[i * d + j] = column(bent);
                length[i * d + j] = column(inverse);
            }
        }
        self.transposed(inverse, slope);
    }

    /// L⁻ᵀ times a vector.
    fn transposed(&self, inverse: &[f64], vector: &mut [f64]) {
        let (d, k) = (self.dimension(), self.rests.len());
        // From the first on: entry i takes those from i on.
        for i in 0..k {
            vector[i] = (i..k).map(|l| inverse[l * d + i] * vector[l]).sum();
        }
    }

    /// Where a local search begins.
    fn begin(&self, lattice: &mut Lattice, start: Start) {
        for (chosen, rest) in lattice.chosen.iter_mut().zip(&self.rests) {
            let j = rest.coordinate;
            let whole = self.limits.is_whole(j);
            *chosen = match start {
                Start::Best if whole => 0.0,
                _ if whole => lattice.rounded[j],
                _ => self.room(*rest),
            };
        }
    }

    /// A local search for the whole numbers, within the ball.
    fn choose(&self, lattice: &mut Lattice, radius: f64, start: Start) {
        let (d, k) = (self.dimension(), self.rests.len());
        self.begin(lattice, start);
        for i in 0..k {
            let there = &lattice.chosen[..k];
            lattice.slope_there[i] = lattice.slope[i] + dot(&lattice.curvature[i * d..i * d + k], there);
            lattice.length_there[i] = dot(&lattice.length[i * d..i * d + k], there);
        }
        for _ in 0..MOVES * self.pinned {
            let room = radius * radius - dot(&lattice.length_there[..k], &lattice.chosen[..k]);
            let Some(change) = self.best_change(lattice, room) else { return };
            for (i, by) in change.into_iter().flatten() {
                lattice.chosen[i] += by;
                for j in 0..k {
                    lattice.slope_there[j] += by * lattice.curvature[j * d + i];
                    lattice.length_there[j] += by * lattice.length[j * d + i];
                }
            }
        }
    }

    /// The change of one or two numbers that lowers the response most and does not leave the ball; from outside of it, comes
    /// nearer.
    fn best_change(&self, lattice: &Lattice, room: f64) -> Option<Change> {
        let d = self.dimension();
        let Lattice { slope_there, length_there, curvature, length, .. } = lattice;
        let scale: f64 = (0..self.pinned).map(|i| curvature[i * d + i].abs()).sum();
        let mut best = (-1e-12 * scale, None);
        let gain = |i: usize, by: f64, at: &[f64], m: &[f64]| by * (at[i] + 0.5 * by * m[i * d + i]);
        let mut consider = |gain: f64, longer: f64, change: Change| {
            let stays = 2.0 * longer <= room.max(0.0);
            if stays && gain < best.0 {
                best = (gain, Some(change));
            }
        };
        for i in 0..self.pinned {
            for up in [false, true] {
                let Some(by) = self.change(lattice, i, up) else { continue };
                let (one, longer) = (gain(i, by, slope_there, curvature), gain(i, by, length_there, length));
                let group = self.limits.group_of(self.rests[i].coordinate);
                if group.is_none() {
                    consider(one, longer, [Some((i, by)), None]);
                }
                for j in 0..i {
                    if self.limits.group_of(self.rests[j].coordinate) != group {
                        continue;
                    }
                    for also_up in [false, true] {
                        // Of a category one choice takes the place of another.
                        if group.is_some() && also_up == up {
                            continue;
                        }
                        let Some(also) = self.change(lattice, j, also_up) else { continue };
                        let (two, cross) = (gain(j, also, slope_there, curvature), by * also);
                        let further = gain(j, also, length_there, length) + cross * length[i * d + j];
                        let change = [Some((i, by)), Some((j, also))];
                        consider(one + two + cross * curvature[i * d + j], longer + further, change);
                    }
                }
            }
        }
        best.1
    }

    /// By how much the next whole number up or down is away.
    fn change(&self, lattice: &Lattice, i: usize, up: bool) -> Option<f64> {
        let j = self.rests[i].coordinate;
        let here = self.origin[j] + lattice.chosen[i];
        self.limits.neighbour(j, here, up).map(|next| next - here)
    }

    /// The step of the other coordinates where the whole numbers are these; left in `best`. Returns by how much the response
    /// falls.
    fn step_with(&mut self, numbers: &[f64], quadratic: &Quadratic, radius: f64) -> f64 {
        for (rest, number) in self.rests[..self.pinned].iter().zip(numbers) {
            (self.down[rest.coordinate], self.up[rest.coordinate]) = (*number, *number);
        }
        self.rests.truncate(self.pinned);
        let decrease = self.walk(quadratic, radius);
        let length = squared_norm(&self.best).sqrt();
        if length <= radius * (1.0 + 1e-9) { decrease } else { f64::NEG_INFINITY }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Start {
    /// The rounded step.
    Rounded,
    /// The best point.
    Best,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::SearchDistribution;
    use crate::space::Limits;
    use crate::strategy::adaptive::tuning::SurrogateTuning;
    use proptest::prelude::*;

    /// The step for a quadratic around a point of whole numbers and halves, with a diagonal factor.
    struct Case {
        quadratic: Quadratic,
        deviations: Vec<f64>,
        step: Vec<f64>,
        decrease: f64,
    }

    impl Case {
        /// Curvatures and slopes in the user's coordinates, as a full matrix and a vector.
        fn solve(hessian: &[f64], gradient: &[f64], deviations: &[f64], whole: usize, radius: f64) -> Self {
            let d = gradient.len();
            let mut quadratic = Quadratic::new(d, SurrogateTuning::default());
            for i in 0..d {
                quadratic.gradient[i] = gradient[i] * deviations[i];
                (i..d).for_each(|j| {
                    quadratic.hessian[i * d + j] = hessian[i * d + j] * deviations[i] * deviations[j];
                });
            }
            let mut factor = vec![0.0; d * d];
            (0..d).for_each(|i| factor[i * d + i] = deviations[i]);
            let distribution = SearchDistribution::new(vec![0.0; d], factor).unwrap();
            let limits = Limits::with_wholes(&vec![(-3.0, 3.0); d], |j| j < whole);
            let mut faces = Faces::new(limits, SurrogateTuning::default());
            faces.stand_at(&distribution);
            faces.make_room(&vec![0.0; d]);
            assert!(quadratic.diagonalize());
            let mut step = vec![0.0; d];
            let ball = quadratic.step_within(radius, &mut step);
            let decrease = faces.keep_within(&quadratic, radius, ball, &mut step);
            Self { quadratic, deviations: deviations.to_vec(), step, decrease }
        }

        fn users(&self) -> Vec<f64> {
            self.step.iter().zip(&self.deviations).map(|(s, a)| s * a).collect()
        }
    }

    proptest! {
        #[test]
        fn the_step_is_whole_within_the_box_and_as_low_as_it_says(
            d in 2..5usize, whole in 1..5usize, numbers in prop::collection::vec(-2.0..2.0f64, 40), radius in 0.5..9.0f64,
        ) {
            let whole = whole.min(d);
            let root = &numbers[..d * d];
            let entry = |i: usize, j: usize| (0..d).map(|k| root[i * d + k] * root[j * d + k]).sum::<f64>();
            let hessian: Vec<f64> = (0..d * d).map(|k| entry(k / d, k % d)).collect();
            let deviations: Vec<f64> = numbers[30..30 + d].iter().map(|n| 0.3 + n.abs()).collect();
            let case = Case::solve(&hessian, &numbers[20..20 + d], &deviations, whole, radius);
            let users = case.users();
            for (j, x) in users.iter().enumerate() {
                prop_assert!(x.abs() <= 3.0 + 1e-9, "{users:?}");
                prop_assert!(j >= whole || (x - x.round()).abs() < 1e-9, "{users:?}");
            }
            prop_assert!(squared_norm(&case.step).sqrt() <= radius * (1.0 + 1e-6));
            let mut slope = vec![0.0; d];
            let decrease = case.quadratic.decrease(&case.step, &mut slope);
            prop_assert!(case.decrease >= 0.0 && (decrease - case.decrease).abs() <= 1e-9 * (1.0 + decrease.abs()));
        }

        /// Where coordinates do not depend on each other the best whole numbers are the rounded ones.
        #[test]
        fn independent_numbers_are_the_best_there_are(
            curvatures in prop::collection::vec(0.1..5.0f64, 4), at in prop::collection::vec(-2.9..2.9f64, 4),
        ) {
            let mut hessian = vec![0.0; 16];
            (0..4).for_each(|i| hessian[i * 5] = curvatures[i]);
            let gradient: Vec<f64> = at.iter().zip(&curvatures).map(|(x, l)| -l * x).collect();
            let users = Case::solve(&hessian, &gradient, &[1.0, 0.5, 2.0, 1.0], 2, 100.0).users();
            for (j, (x, best)) in users.iter().zip(&at).enumerate() {
                let cost = |x: f64| (x - best).powi(2);
                let least = if j < 2 { cost(best.round()) } else { 0.0 };
                prop_assert!(cost(*x) <= least + 1e-9, "{users:?} for {at:?}");
            }
        }
    }

    /// Two numbers that must change together: rounding one after the other stays where it is.
    #[test]
    fn two_numbers_change_at_once() {
        // 10(x − y)² + ½(x − 2)², from (0, 0): x = y = 2.
        let users = Case::solve(&[21.0, -20.0, -20.0, 20.0], &[-2.0, 0.0], &[1.0, 1.0], 2, 100.0).users();
        assert!(users.iter().all(|x| (x - 2.0).abs() < 1e-9), "{users:?}");
    }
}
