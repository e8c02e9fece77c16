//! What an exact model has said of the values: a quadratic that outlives the fit, and the search.

use super::transform::Power;
use crate::linalg::{add_scaled, dot};

/// The last exact model of the values, or of a power of them, in the coordinates of the search, folded where there are bounds; empty where there is none.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct KnownQuadratic {
    pub(super) power: Option<Power>,
    /// A place and its response, the slope there, and the curvatures, both triangles of them.
    pub(super) place: Vec<f64>,
    pub(super) height: f64,
    pub(super) slope: Vec<f64>,
    pub(super) curvatures: Vec<f64>,
}

impl KnownQuadratic {
    /// None yet.
    pub(super) fn new(d: usize) -> Self {
        let [place, slope, curvatures] = [d, d, d * d].map(Vec::with_capacity);
        Self { power: None, place, height: 0.0, slope, curvatures }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.place.is_empty()
    }

    /// The cost that it predicts for a point; d² multiply-adds. `way` is scratch space.
    pub(crate) fn predict(&self, point: &[f64], way: &mut Vec<f64>) -> f64 {
        way.clear();
        way.extend_from_slice(point);
        add_scaled(way, -1.0, &self.place);
        let rows = self.curvatures.chunks_exact(self.place.len());
        let bent: f64 = rows.zip(&*way).map(|(row, w)| w * dot(row, way)).sum();
        let response = self.height + dot(&self.slope, way) + 0.5 * bent;
        self.power.map_or(response, |power| power.value(response))
    }

    pub(crate) fn dimension(&self) -> usize {
        self.place.len()
    }

    /// Numbers that are kept.
    pub(crate) fn size(&self) -> usize {
        self.curvatures.len()
    }

    #[cfg(feature = "serde")]
    pub(crate) fn is_consistent(&self, d: usize) -> bool {
        let lengths = [self.place.len(), self.slope.len(), self.curvatures.len()];
        let mut numbers = self.place.iter().chain(&self.slope).chain(&self.curvatures);
        (lengths == [0; 3] || lengths == [d, d, d * d])
            && self.height.is_finite()
            && self.power.is_none_or(Power::is_consistent)
            && numbers.all(|v| v.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const D: usize = 2;

    #[test]
    fn a_power_of_what_is_known_predicts_costs() {
        // f = 2 + √q, q = 1 + |x|² around the origin: the square of f − 2.
        let power = Some(Power { offset: 2.0, exponent: 2.0, scale: 1.0, exact: true });
        let curvatures = vec![1.0, 0.0, 0.0, 1.0];
        let known =
            KnownQuadratic { power, place: vec![0.0; D], height: 0.0, slope: vec![0.0; D], curvatures };
        let cost = known.predict(&[2.0, 2.0], &mut Vec::new());
        assert!((cost - 5.0).abs() < 1e-12, "{cost}");
    }

    #[cfg(feature = "serde")]
    #[test]
    fn what_is_known_has_all_its_numbers() {
        let known = KnownQuadratic {
            power: None,
            height: 0.5,
            place: vec![0.0; D],
            slope: vec![1.0; D],
            curvatures: vec![2.0; D * D],
        };
        assert!(known.is_consistent(D) && KnownQuadratic::new(D).is_consistent(D));
        let parts: [fn(&mut KnownQuadratic) -> &mut Vec<f64>; 3] =
            [|known| &mut known.place, |known| &mut known.slope, |known| &mut known.curvatures];
        for part in parts {
            let (mut short, mut odd) = (known.clone(), known.clone());
            part(&mut short).pop();
            part(&mut odd)[1] = f64::NAN;
            assert!(!short.is_consistent(D) && !odd.is_consistent(D));
        }
        assert!(!known.is_consistent(D + 1));
        let power = Some(Power { offset: 0.0, exponent: 1.0, scale: 0.0, exact: true });
        assert!(!KnownQuadratic { power, ..known }.is_consistent(D), "a scale of 0");
    }
}
