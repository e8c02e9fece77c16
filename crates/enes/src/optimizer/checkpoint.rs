//! Checkpoints: the whole state of a run in bytes, versioned and checksummed.
//!
//! A checkpoint is one line of text, `enes-checkpoint <version> <bytes> <checksum>`, and a binary
//! body. It holds the generator too: a resumed run continues bit for bit.

use serde::{Deserialize, Serialize};

use super::Optimizer;
use super::counters::Counters;
use super::flight::Flight;
use super::incumbent::Incumbent;
use super::injection::Injected;
use super::neighbours::{Aside, Trial};
use super::view::View;
use crate::archive::Archive;
use crate::noise::Noise;
use crate::random::Generator;
use crate::restarts::Searches;
use crate::search::Search;
use crate::settings::{Params, Settings};
use crate::stopping::{StopReason, Stopping};
use crate::strategy::{Engine, State};

const MAGIC: &str = "enes-checkpoint";

/// The version this library writes and reads.
const VERSION: u32 = 6;

/// Bytes that are not a usable checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The first line is something else.
    #[error("this is not an enes checkpoint: its first line does not start with `{MAGIC}`")]
    NotACheckpoint,
    /// A newer library wrote it.
    #[error("the checkpoint has version {found}, this library reads version {VERSION}: update enes")]
    NewerVersion {
        /// Version of the checkpoint.
        found: u32,
    },
    /// An older library wrote it, in a form that is no longer read.
    #[error("the checkpoint has version {found}, this library reads version {VERSION}: start the run anew")]
    OlderVersion {
        /// Version of the checkpoint.
        found: u32,
    },
    /// The end is missing.
    #[error("the checkpoint is truncated: {got} of {expected} bytes; use an earlier one")]
    Truncated {
        /// Bytes the first line announces.
        expected: usize,
        /// Bytes there are.
        got: usize,
    },
    /// The bytes have changed.
    #[error("the checkpoint is corrupted: {what}; use an earlier one")]
    Corrupted {
        /// What does not fit.
        what: &'static str,
    },
}

/// What a checkpoint keeps; all else follows from it.
#[derive(Serialize, Deserialize)]
struct Body {
    settings: Settings,
    generator: Generator,
    search: Search,
    archive: Archive,
    strategy: State,
    stopping: Stopping,
    searches: Searches,
    noise: Noise,
    counters: Counters,
    incumbent: Incumbent,
    injected: Injected,
    flight: Flight,
    trial: Option<Trial>,
    asked: bool,
    stop: Option<StopReason>,
}

impl Body {
    /// Whether the parts fit each other and the settings.
    fn is_consistent(&self, params: &Params) -> bool {
        let (n, users, d) = (self.searches.population, params.dimension, params.search_dimension);
        let folded = !params.space.is_plain();
        n >= 2
            && self.search.is_consistent(d, params.strategy.limited(d))
            && self.strategy.is_consistent(&params.strategy, &self.search, n)
            && self.archive.is_consistent((users, d), folded, params.strategy.windows(d, n))
            && self.stopping.is_consistent(n, d, &params.rules)
            && self.counters.is_consistent()
            && self.searches.is_consistent((users, d), (self.counters.evaluations, self.counters.generation))
            && self.noise.is_consistent(params.noisy, self.search.population.len())
            && self.incumbent.is_consistent(users, self.archive.lagrangian().width())
            && self.archive.lagrangian().is_consistent(&params.constraints)
            && self.search.population.has_constraints(self.archive.lagrangian().width())
            && self.injected.is_consistent(d)
            && self.flight.is_consistent(users, d, params.constraints.told())
    }
}

impl Optimizer {
    /// The whole state in bytes: settings, distribution, population, generator, counters.
    ///
    /// ```
    /// use enes::{Optimizer, Settings};
    /// let mut es = Optimizer::new(&Settings::new([1.0, 2.0], 0.5))?;
    /// let bytes = es.to_checkpoint();
    /// let mut again = Optimizer::from_checkpoint(&bytes)?;
    /// assert_eq!(es.ask(), again.ask());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_checkpoint(&self) -> Vec<u8> {
        let body = Body {
            settings: self.settings.clone(),
            generator: self.generator.clone(),
            search: self.search.clone(),
            archive: self.archive.clone(),
            strategy: self.strategy.state(),
            stopping: self.stopping.clone(),
            searches: self.searches.clone(),
            noise: self.noise.clone(),
            counters: self.counters.clone(),
            incumbent: self.incumbent.clone(),
            injected: self.injected.clone(),
            flight: self.flight.clone(),
            trial: self.trial.clone(),
            asked: self.asked,
            stop: self.stop.clone(),
        };
        let body = postcard::to_stdvec(&body).expect("invariant: plain data always serializes");
        let mut bytes = format!("{MAGIC} {VERSION} {} {:016x}\n", body.len(), checksum(&body)).into_bytes();
        bytes.extend_from_slice(&body);
        bytes
    }

    /// Continue from a checkpoint, bit for bit as if the run had never stopped.
    ///
    /// # Errors
    /// Bytes that are no checkpoint, truncated, corrupted or of another version.
    pub fn from_checkpoint(bytes: &[u8]) -> Result<Self, CheckpointError> {
        let body = verified_body(bytes)?;
        let corrupted = |what| CheckpointError::Corrupted { what };
        let mut body: Body = postcard::from_bytes(body).map_err(|_| corrupted("its body cannot be read"))?;
        let params = Params::new(&body.settings).map_err(|_| corrupted("its settings are not valid"))?;
        if !body.is_consistent(&params) {
            return Err(corrupted("its parts do not fit together"));
        }
        body.search.prepare();
        let (n, state) = (body.searches.population, body.strategy);
        let strategy = Engine::resume(&params.strategy, state, n, &mut body.search);
        let mut es = Self {
            strategy: strategy.ok_or_else(|| corrupted("its strategy is another"))?,
            settings: body.settings,
            params,
            generator: body.generator,
            search: body.search,
            archive: body.archive,
            stopping: body.stopping,
            searches: body.searches,
            noise: body.noise,
            counters: body.counters,
            incumbent: body.incumbent,
            injected: body.injected,
            flight: body.flight,
            trial: body.trial,
            tried: false,
            aside: Aside::default(),
            asked: body.asked,
            stop: body.stop,
            view: View::default(),
        };
        es.prepare();
        Ok(es)
    }
}

/// The body, once first line, length and checksum have been checked.
fn verified_body(bytes: &[u8]) -> Result<&[u8], CheckpointError> {
    let starts = bytes.starts_with(MAGIC.as_bytes());
    if !starts {
        // A file cut within its first word is truncated, anything else is not ours.
        let cut = MAGIC.as_bytes().starts_with(bytes) && !bytes.is_empty();
        let truncated = CheckpointError::Truncated { expected: MAGIC.len(), got: bytes.len() };
        return Err(if cut { truncated } else { CheckpointError::NotACheckpoint });
    }
    let Some(end) = bytes.iter().take(120).position(|&b| b == b'\n') else {
        return Err(CheckpointError::Truncated { expected: 120, got: bytes.len().min(119) });
    };
    let malformed = CheckpointError::Corrupted { what: "its first line cannot be read" };
    let line = std::str::from_utf8(&bytes[..end]).map_err(|_| malformed.clone())?;
    let mut words = line.split(' ').skip(1);
    let mut word = || words.next().ok_or(malformed.clone());
    let version: u32 = word()?.parse().map_err(|_| malformed.clone())?;
    if version > VERSION {
        return Err(CheckpointError::NewerVersion { found: version });
    }
    if version < VERSION {
        return Err(CheckpointError::OlderVersion { found: version });
    }
    let expected: usize = word()?.parse().map_err(|_| malformed.clone())?;
    let sum = u64::from_str_radix(word()?, 16).map_err(|_| malformed.clone())?;
    let body = &bytes[end + 1..];
    if body.len() < expected {
        return Err(CheckpointError::Truncated { expected, got: body.len() });
    }
    if body.len() > expected {
        return Err(CheckpointError::Corrupted { what: "bytes follow its end" });
    }
    match checksum(body) == sum {
        true => Ok(body),
        false => Err(CheckpointError::Corrupted { what: "its checksum does not match" }),
    }
}

/// FNV-1a, 64 bits: every step is a bijection, so no change of a single byte goes unseen.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |h, &b| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3))
}
