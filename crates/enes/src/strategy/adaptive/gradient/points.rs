//! The points of each phase, and which of them came back: as whitened coordinates, in a box by displacements inside it.

use super::state::{Phase, State};
use super::{Gradient, LONGEST};
use crate::linalg::squared_norm;
use crate::math::cost::is_infeasible;
use crate::search::{Population, Search};

/// How far a point that came back may be from where it was proposed, against its distance from the mean.
const NEAR: f64 = 0.01;

impl Gradient {
    /// The points of a generation: those of the present phase whose values are missing.
    pub(in crate::strategy::adaptive) fn propose(&mut self, state: &State, search: &mut Search) {
        match state.phase {
            Phase::Off => return,
            Phase::Look => self.propose_look(state, search),
            Phase::Probe => self.propose_differences(state, search),
            Phase::Line => self.propose_line(state, search),
        }
        let rows = search.population.len();
        search.population.set_apart(rows);
    }

    fn propose_look(&mut self, state: &State, search: &mut Search) {
        let close = self.measure_all(state, &search.distribution);
        let (look, has_room) = (&state.look, self.inside.as_ref().is_none_or(|inside| inside.has_room()));
        let missing = || look.missing().filter(|_| has_room);
        // Without room it is the mean alone, and a look that sees nothing.
        let first = usize::from(state.value.is_infinite() || !has_room);
        let rows = begin(search, first + missing().count(), first);
        rows.zip(missing()).for_each(|(s, at)| look.write(at, close, s));
        search.place_samples(1);
        if let Some(inside) = &mut self.inside {
            for (row, at) in missing().enumerate() {
                search.place(first + row, |z| inside.write_look(at, close, z));
            }
        }
    }

    fn propose_differences(&mut self, state: &State, search: &mut Search) {
        self.measure(state, &search.distribution);
        let first = usize::from(state.value.is_infinite());
        let room = self.most_rows.max(first + 1) - first;
        let missing = || (0..state.probes.len()).filter(|&i| state.probes[i].is_infinite()).take(room);
        let rows = begin(search, first + missing().count(), first);
        rows.zip(missing()).for_each(|(s, i)| s[i] = self.lengths[i]);
        search.place_samples(1);
        if let Some(inside) = &self.inside {
            let Search { distribution, population, .. } = search;
            for (row, i) in missing().enumerate() {
                let (s, z) = population.row_mut(first + row);
                inside.write_difference(i, self.lengths[i], distribution, s, z);
            }
        }
    }

    fn propose_line(&mut self, state: &State, search: &mut Search) {
        let along = state.along();
        let missing = || state.line.places().into_iter().filter(|(_, value)| value.is_infinite());
        let rows = begin(search, missing().count(), 0);
        for (s, (place, _)) in rows.zip(missing()) {
            s.iter_mut().zip(state.direction()).for_each(|(s, v)| *s = place * along * v);
        }
        search.place_samples(1);
        self.prepare_line(state, &search.distribution);
        if let Some(inside) = &mut self.inside {
            for (row, (place, _)) in missing().enumerate() {
                search.place(row, |z| inside.write_line(place, z));
            }
        }
    }

    /// Whether a row is a difference, of which no other model should learn: d points in one place. In a box it is another point
    /// than the mean in one coordinate only.
    pub(in crate::strategy::adaptive) fn is_difference(
        &self,
        state: &State,
        search: &Search,
        row: usize,
    ) -> bool {
        let (population, d) = (&search.population, search.dimension());
        let s = &population.presently_whitened()[row * d..(row + 1) * d];
        let others = || population.point(row).iter().zip(search.distribution.mean()).filter(|(z, x)| z != x);
        let is_close = (f64::MIN_POSITIVE..=2.0 * LONGEST * LONGEST).contains(&squared_norm(s));
        matches!(state.phase, Phase::Probe | Phase::Look)
            && (is_close || self.inside.is_some() && others().count() == 1)
    }

    /// Values of the mean and of the look; false where one failed.
    pub(super) fn read_look(&mut self, state: &mut State, search: &Search) -> bool {
        let close = self.measure_all(state, &search.distribution);
        if self.inside.as_ref().is_some_and(|inside| !inside.has_room()) {
            return false;
        }
        let population = &search.population;
        for row in population.known()..population.len() {
            let cost = population.costs()[row];
            if fails(cost) {
                return false;
            }
            match &mut self.inside {
                _ if population.point(row) == search.distribution.mean() => state.value = cost,
                Some(inside) => {
                    inside.displacement(population, row);
                    state.look.read_among(inside.displaced(), inside.directions(), close, cost);
                }
                None => {
                    let s = whitened(population, row);
                    if squared_norm(s).sqrt() < NEAR * close {
                        state.value = cost;
                    } else {
                        state.look.read(s, close, cost);
                    }
                }
            }
        }
        true
    }

    /// Values of the mean and of the points close to it; false where one failed.
    pub(super) fn read_differences(&mut self, state: &mut State, search: &Search) -> bool {
        self.measure(state, &search.distribution);
        let population = &search.population;
        for row in population.known()..population.len() {
            let cost = population.costs()[row];
            let s = match &mut self.inside {
                Some(inside) => inside.displacement(population, row),
                None => whitened(population, row),
            };
            let longest =
                s.iter().enumerate().fold(0, |at, (i, v)| if v.abs() > s[at].abs() { i } else { at });
            let (length, square) = (self.lengths[longest], squared_norm(s));
            let place = if square.sqrt() < NEAR * length.abs() {
                &mut state.value
            } else {
                let beside = square - s[longest] * s[longest] + (s[longest] - length).powi(2);
                if beside.sqrt() > NEAR * length.abs() {
                    continue; // a sample that was in flight
                }
                &mut state.probes[longest]
            };
            if fails(cost) {
                return false;
            }
            *place = cost;
        }
        true
    }

    /// Values along the step: what failed is worse than all.
    pub(super) fn read_line(&mut self, state: &mut State, search: &Search) -> bool {
        self.prepare_line(state, &search.distribution);
        let (population, along) = (&search.population, state.along());
        let length = along.abs() * squared_norm(state.direction()).sqrt();
        for row in population.known()..population.len() {
            let cost = population.costs()[row];
            if let Some(inside) = &mut self.inside {
                inside.displacement(population, row);
            }
            for at in 0..2 {
                let (place, _) = state.line.places()[at];
                let is_there = match &self.inside {
                    Some(inside) => inside.is_at(place, NEAR),
                    None => {
                        let steps = whitened(population, row).iter().zip(state.direction());
                        let beside: f64 = steps.map(|(s, v)| (s - place * along * v).powi(2)).sum();
                        beside.sqrt() <= NEAR * place * length
                    }
                };
                if is_there {
                    state.line.tell(at, if fails(cost) { f64::MAX } else { cost });
                }
            }
        }
        true
    }
}

/// A generation of so many points at the mean: its rows without the first ones, whitened.
fn begin(search: &mut Search, rows: usize, first: usize) -> std::slice::ChunksExactMut<'_, f64> {
    let d = search.dimension();
    search.population.begin(rows);
    search.population.whitened_mut().fill(0.0);
    search.population.whitened_mut()[first * d..].chunks_exact_mut(d)
}

/// The whitened coordinates of a row.
fn whitened(population: &Population, row: usize) -> &[f64] {
    let d = population.dimension();
    &population.presently_whitened()[row * d..(row + 1) * d]
}

fn fails(cost: f64) -> bool {
    !cost.is_finite() || is_infeasible(cost)
}
