//! The Python peers: they ask for values, so that there is no second version of any landscape.

use serde::{Deserialize, Serialize};

use super::contender::Search;
use super::counted::Counted;
use super::expected;
use super::landscape::Landscape;
use super::spec::{Searched, Spec};
use crate::error::ReproduceError;
use crate::peer::{Peer, Peers};

pub(super) const SCRIPT: &str = include_str!("peer.py");

/// What to run: one line to the peer.
#[derive(Serialize)]
struct Job {
    contender: &'static str,
    start: Vec<f64>,
    sigma: f64,
    max_evaluations: u64,
    noisy: bool,
    to_the_end: bool,
    restarts: bool,
    lr_adapt: bool,
    max_seconds: Option<f64>,
    seed: u64,
}

/// What a peer says at the end of a run.
#[derive(Deserialize)]
struct Answer {
    population: usize,
    stop: String,
    seconds: f64,
}

/// One run by a peer.
pub(super) fn search(
    spec: &Spec,
    landscape: &Landscape,
    counted: &Counted<'_>,
    seed: u64,
    peers: &Peers,
) -> Result<Searched, ReproduceError> {
    let job = Job {
        contender: spec.contender.name(),
        start: landscape.start(),
        sigma: landscape.sigma,
        max_evaluations: spec.budget(),
        noisy: landscape.is_noisy(),
        to_the_end: spec.goes_to_the_end(),
        restarts: spec.search == Search::Restarts,
        lr_adapt: spec.family.wants_small_rates(),
        max_seconds: expected::limit(spec.contender),
        // pycma takes 32 bits, and 0 for the clock.
        seed: 1 + seed % 0x7fff_ffff,
    };
    let at = format!("{} d = {}", spec.function(), spec.d);
    peers.with(&at, |peer| converse(peer, &job, counted))
}

/// Answer the questions of a run until it ends.
fn converse(peer: &mut Peer, job: &Job, counted: &Counted<'_>) -> Result<Searched, String> {
    peer.send(&serde_json::to_string(job).map_err(|e| e.to_string())?)?;
    let mut generations = 0;
    loop {
        let line = peer.line()?;
        let (letter, rest) = line.split_at(line.len().min(1));
        match letter {
            "v" => {
                generations += 1;
                let points = numbers(rest)?;
                let values: Vec<f64> =
                    points.chunks_exact(job.start.len()).map(|x| counted.evaluate(x)).collect();
                // Under noise the target is judged by what the search makes of these values.
                let over = !job.noisy && counted.is_over();
                peer.send(&if over { "end".to_string() } else { text(&values) })?;
            }
            "r" => {
                counted.judge(&numbers(rest)?);
                peer.send(if counted.is_over() { "end" } else { "on" })?;
            }
            _ => {
                let Answer { population, stop, seconds } = Peer::parse(&line)?;
                return Ok(Searched { population, generations, stop, seconds });
            }
        }
    }
}

/// Doubles as hexadecimal digits of their bytes, the lowest first.
fn text(values: &[f64]) -> String {
    values.iter().flat_map(|v| v.to_le_bytes()).map(|byte| format!("{byte:02x}")).collect()
}

fn numbers(text: &str) -> Result<Vec<f64>, String> {
    let digits = text.trim_end().as_bytes();
    let half = |digit: u8| (digit as char).to_digit(16).map(|h| h as u8);
    let byte = |pair: &[u8]| Some(16 * half(pair[0])? + half(pair[1])?);
    let bytes: Option<Vec<u8>> = digits.chunks_exact(2).map(byte).collect();
    let bytes = bytes.filter(|b| 2 * b.len() == digits.len() && b.len() % 8 == 0);
    let bytes = bytes.ok_or("its points are no hexadecimal doubles")?;
    let double = |eight: &[u8]| f64::from_le_bytes(std::array::from_fn(|i| eight[i]));
    Ok(bytes.chunks_exact(8).map(double).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::landscapes::contender::Contender;
    use crate::landscapes::family::Family;
    use std::path::Path;

    /// A peer that asks for the values at the start and at ten times the start, and wants no NumPy.
    const CURIOUS: &str = r#"
import json, struct, sys
print(json.dumps({"cma": "0", "numpy": "0", "python": "3"}), flush=True)
job = json.loads(sys.stdin.readline())
d = len(job["start"])
points = job["start"] + [10 * x for x in job["start"]]
print("v" + struct.pack(f"<{2 * d}d", *points).hex(), flush=True)
values = struct.unpack("<2d", bytes.fromhex(sys.stdin.readline().strip()))
answer = {"population": 2, "stop": ",".join(map(repr, values)), "seconds": 0.0}
print(json.dumps(answer), flush=True)
"#;

    #[test]
    fn a_peer_sees_the_same_function_and_its_evaluations_are_counted() {
        let (family, d, seed) = (Family::Asymmetric, 5, 3);
        let (peers, _) = Peers::start(Path::new("python3"), CURIOUS).unwrap();
        let member = &family.members()[2];
        let spec = Spec { family, member, d, search: Search::One, contender: Contender::Pycma, run: 0 };
        let landscape = Landscape::new(family, member, d, seed).unwrap();
        let counted = Counted::new(&landscape, spec.budget(), seed);
        let searched = search(&spec, &landscape, &counted, seed, &peers).unwrap();
        let seen: Vec<f64> = searched.stop.split(',').map(|v| v.parse().unwrap()).collect();
        let tenfold: Vec<f64> = landscape.start().iter().map(|x| 10.0 * x).collect();
        assert_eq!(seen, [landscape.value(&landscape.start()), landscape.value(&tenfold)]);
        assert_eq!((searched.generations, counted.evaluations()), (1, 2));
        assert_eq!(counted.best(), seen[0].min(seen[1]));
    }

    #[test]
    fn doubles_cross_the_bridge_bit_for_bit() {
        let all = [0.1, -1e-308, f64::INFINITY, 0.0, -0.0];
        let back = numbers(&text(&all)).unwrap();
        assert!(back.iter().zip(&all).all(|(a, b)| a.to_bits() == b.to_bits()));
        assert!(numbers("0123").is_err() && numbers("zz").is_err());
    }
}
