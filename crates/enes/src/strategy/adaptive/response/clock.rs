//! Where the time of the model goes, for the benchmark: without the feature `timing` nothing is measured.

/// Parts of the model's work, in the order of `PARTS`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part {
    Products,
    Factors,
    Solutions,
    Power,
    Step,
}

/// Names of the parts.
#[cfg(feature = "timing")]
pub const PARTS: [&str; 5] = ["products", "factors", "solutions", "power", "step"];

#[cfg(feature = "timing")]
#[derive(Clone, Debug)]
pub(crate) struct Clock {
    last: std::time::Instant,
    pub(crate) seconds: [f64; 5],
}

#[cfg(feature = "timing")]
impl Clock {
    pub(crate) fn new() -> Self {
        Self { last: std::time::Instant::now(), seconds: [0.0; 5] }
    }

    /// What follows belongs to the next lap.
    pub(crate) fn start(&mut self) {
        self.last = std::time::Instant::now();
    }

    /// The time since the last lap belongs to this part.
    pub(crate) fn lap(&mut self, part: Part) {
        let now = std::time::Instant::now();
        self.seconds[part as usize] += (now - self.last).as_secs_f64();
        self.last = now;
    }
}

#[cfg(not(feature = "timing"))]
#[derive(Clone, Debug)]
pub(crate) struct Clock;

#[cfg(not(feature = "timing"))]
impl Clock {
    pub(crate) fn new() -> Self {
        Self
    }

    #[inline(always)]
    pub(crate) fn start(&mut self) {}

    #[inline(always)]
    pub(crate) fn lap(&mut self, _: Part) {}
}
