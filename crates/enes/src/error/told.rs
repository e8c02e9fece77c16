//! What cannot be asked or told.

/// Values that do not fit the points that were asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TellError {
    /// There is nothing to tell about.
    #[error("tell without ask: call ask, evaluate its points, then tell their values once")]
    NothingAsked,
    /// The number of values differs from the number of points.
    #[error("ask returned {expected} points, tell got {got} values: one value per point, in order")]
    WrongCount {
        /// Points that `ask` returned.
        expected: usize,
        /// Values given.
        got: usize,
    },
    /// The number of violations differs from the number of values.
    #[error(
        "tell got {values} values and {violations} violations: one violation per value, 0 where feasible"
    )]
    WrongViolations {
        /// Values given.
        values: usize,
        /// Violations given.
        violations: usize,
    },
    /// The settings declare constraints, and their values are missing or too many.
    #[error(
        "the settings declare {expected} constraints, {values} values came with {got} constraint values: tell all of \
         them, inequalities before equalities, point after point, with the function for constraints"
    )]
    WrongConstraints {
        /// Constraints of a point, linear ones aside.
        expected: usize,
        /// Values given.
        values: usize,
        /// Constraint values given.
        got: usize,
    },
    /// The settings declare constraints, and a total violation was told in their place.
    #[error(
        "the settings declare {expected} constraints, and a total violation was told: tell their values, or declare none"
    )]
    TotalViolation {
        /// Constraints of a point, linear ones aside.
        expected: usize,
    },
    /// A violation is no measurement that could be averaged with others.
    #[error(
        "violations cannot be told with noisy: values of a point are averaged, and whether it is feasible is not; \
         leave noisy out, or add a penalty for the violation to the value"
    )]
    NoisyViolations,
    /// A value, or an end, of a point that nobody waits for.
    #[error(
        "point {id} is not in flight: it was told or forgotten before, or never asked; tell each point of ask_one once"
    )]
    NotInFlight {
        /// The number given.
        id: u64,
    },
}

/// Why there is no point to ask for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    /// Importance mixing needs whole generations.
    #[error(
        "the published strategy cannot be asked for single points: its importance mixing needs whole generations; use          ask and tell, or the adaptive strategy"
    )]
    Published,
    /// Points of `ask` await their values.
    #[error("a generation of ask awaits its values: tell it before asking for single points")]
    GenerationOpen,
}
