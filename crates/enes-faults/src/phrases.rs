//! Hostile words: problem files, tables, checkpoints and settings that are mutations of good ones, or nonsense.

use std::time::Duration;

use crate::place::{Place, words};
use crate::random::Random;
use crate::tally::Tally;

/// Files of one case.
const FILES: usize = 12;

/// Enough for any honest run of this size; more is not given.
const MOST_KILOBYTES: u64 = 3_000_000;

const PATIENCE: Duration = Duration::from_secs(12);

const PROBLEM: &str = "name = \"n\"\nworker = false\njobs = 2\ntimeout = 2.0\n[[parameter]]\nname = \"gain\"\n\
    initial = 1.0\nsigma = 1.0\nlower = 0.0\nupper = 10.0\n[[parameter]]\nname = \"rate\"\ninitial = 0.1\n\
    lower = 1e-4\nupper = 1.0\nlog = true\n[[parameter]]\nname = \"size\"\ninitial = 5.0\nfixed = true\n\
    [stop]\ntarget = 1e-6\nmax_evaluations = 5\nmax_seconds = 3.0\nmax_failures = 2\n[search]\nseed = 0\n\
    population = 6\nrestarts = \"off\"\nbound_handling = \"smooth\"\nnoisy = false\nsigma0 = 1.0\n\
    strategy = \"adaptive\"\neta = 1.0\nrefresh_rate = 0.01\nbaseline = \"block\"\n";

const TABLE: &str = "gain,rate,size,value\n1,0.1,5,3\n2.5,0.01,5,2e-3\n3,0.5,5,inf\n4,,5,1\n";
const LINES: &str = "{\"x\":[1,0.1,5],\"value\":3}\n{\"x\":[2,0.2,5],\"value\":null,\"violation\":1}\n";

/// Words that a reader may stumble over.
const NONSENSE: [&str; 40] = [
    "1e308",
    "-1e308",
    "1e999",
    "-1e999",
    "1e-320",
    "nan",
    "-nan",
    "inf",
    "-inf",
    "0",
    "-0.0",
    "-1",
    "9223372036854775807",
    "18446744073709551615",
    "99999999999999999999999",
    "4294967296",
    "65536",
    "1e15",
    "\"\"",
    "\"\u{1b}[31m\"",
    "\"\u{202e}\"",
    "\"../../x\"",
    "\"\\u0000\"",
    "\"a\\nb\"",
    "[]",
    "{}",
    "[[[[[[[[[[]]]]]]]]]]",
    "true",
    "1979-05-27T07:32:00Z",
    "null",
    "\n",
    "\t",
    "=",
    "[search]",
    "[[parameter]]",
    "[stop]",
    "''",
    "\u{0}",
    "{{}}",
    ",,,,",
];

/// Mutate good files and look what the command makes of them.
pub(crate) fn hostile(place: &Place, random: &mut Random) -> Tally {
    let mut tally = Tally::default();
    let program = format!("{} once calls.log -", place.programs.own.display());
    let run = words(&format!("minimize good.toml --quiet --run r -- {program} {{}}"));
    place.write("good.toml", PROBLEM);
    if !tally.behaved("a good file", &place.run(&run)) {
        return tally;
    }
    if resealed(&std::fs::read(place.path("r/settings.json")).unwrap_or_default(), |_| {}).is_none() {
        tally.wrong("the seal of settings.json is another: this case must be told");
    }
    let checkpoint = std::fs::read(place.path("r/checkpoint")).unwrap_or_default();
    let settings = std::fs::read(place.path("r/settings.json")).unwrap_or_default();
    for i in 0..FILES {
        tally.faults += 1;
        let _ = std::fs::remove_dir_all(place.path("x"));
        let (what, command) = match random.below(8) {
            0..=2 => {
                place.write("bad.toml", mutated(PROBLEM.as_bytes(), random));
                // Mutated budgets would run for long.
                (
                    "problem file",
                    format!(
                        "minimize bad.toml --max-evaluations 4 --max-seconds 2 --run x -- {program} {{}}"
                    ),
                )
            }
            3 => {
                let table = if random.chance(0.5) { TABLE } else { LINES };
                place.write("bad.csv", mutated(table.as_bytes(), random));
                ("inject table", "inject r bad.csv".to_string())
            }
            4 => {
                let table = if random.chance(0.5) { TABLE } else { LINES };
                place.write("bad.csv", mutated(table.as_bytes(), random));
                ("warm table", format!("minimize good.toml --warm-start bad.csv --run x -- {program} {{}}"))
            }
            5 | 6 => {
                place.write("bad", resealed_checkpoint(&checkpoint, random));
                ("checkpoint", format!("minimize good.toml --warm-start bad --run x -- {program} {{}}"))
            }
            _ => {
                let _ = std::fs::create_dir(place.path("x"));
                place.write("x/settings.json", resealed_settings(&settings, random));
                ("settings", "resume x --max-evaluations 4 --max-seconds 2".to_string())
            }
        };
        let ended = place.run_limited(&words(&command), MOST_KILOBYTES, PATIENCE);
        if !tally.behaved(&format!("{what}, the file {i} of this case"), &ended) {
            let names = ["bad.toml", "bad.csv", "bad"];
            let name = names
                .into_iter()
                .find(|n| words(&command).iter().any(|w| w == n))
                .unwrap_or("x/settings.json");
            let bytes = std::fs::read(place.path(name)).unwrap_or_default();
            tally.note(String::from_utf8_lossy(&bytes).to_string());
        }
    }
    tally
}

/// Several mutations of some bytes.
fn mutated(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..random.between(1, 4) {
        if bytes.is_empty() {
            break;
        }
        let at = random.below(bytes.len());
        match random.below(8) {
            0 => bytes[at] = random.next() as u8,
            1 => bytes.truncate(at),
            2 => {
                let length = random.between(1, 30).min(bytes.len() - at);
                let part = bytes[at..at + length].to_vec();
                let many = if random.chance(0.05) { 3000 } else { random.between(1, 4) };
                let to = random.below(bytes.len());
                bytes.splice(to..to, part.repeat(many));
            }
            3 => {
                let length = random.between(1, 30).min(bytes.len() - at);
                bytes.drain(at..at + length);
            }
            4 => {
                let open = *random.pick(&["[", "{", "a.", "(", "\""]);
                bytes.splice(at..at, open.repeat(random.between(1, 5000)).into_bytes());
            }
            _ => replace_word(&mut bytes, at, random),
        }
    }
    bytes
}

/// Put a word of nonsense in the place of a value.
fn replace_word(bytes: &mut Vec<u8>, at: usize, random: &mut Random) {
    let ends = |b: &u8| matches!(b, b' ' | b',' | b'\n' | b'=' | b':' | b'[' | b']' | b'{' | b'}');
    let first = bytes[..at].iter().rposition(ends).map_or(0, |i| i + 1);
    let last = bytes[at..].iter().position(ends).map_or(bytes.len(), |i| at + i);
    if first <= last {
        bytes.splice(first..last, random.pick(&NONSENSE).bytes());
    }
}

/// FNV-1a, as checkpoints have it.
fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |h, &b| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// The checksum of settings: a word of eight bytes at a time, then the length.
fn checksum(bytes: &[u8]) -> u64 {
    let step = |h: u64, word: u64| {
        let h = (h ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        h ^ (h >> 32)
    };
    let (words, rest) = bytes.as_chunks::<8>();
    let sum = words.iter().fold(0xcbf2_9ce4_8422_2325, |h, word| step(h, u64::from_le_bytes(*word)));
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    step(step(sum, u64::from_le_bytes(last)), bytes.len() as u64)
}

/// A checkpoint with other bytes and a checksum that fits them.
fn resealed_checkpoint(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let Some(end) = bytes.iter().position(|b| *b == b'\n') else { return Vec::new() };
    let mut body = bytes[end + 1..].to_vec();
    for _ in 0..random.between(1, 4) {
        let at = random.below(body.len());
        match random.below(4) {
            0 => body[at] = random.next() as u8,
            1 => body[at] ^= 1 << random.below(8),
            2 => body[at] = *random.pick(&[0, 1, 0x7f, 0x80, 0xff]),
            _ => body[at..].iter_mut().take(8).for_each(|b| *b = 0xff),
        }
    }
    let head = String::from_utf8_lossy(&bytes[..end]).to_string();
    let version: Vec<&str> = head.split(' ').take(2).collect();
    let mut whole = format!("{} {} {:016x}\n", version.join(" "), body.len(), fnv(&body)).into_bytes();
    whole.extend(body);
    whole
}

/// Settings with other words and a checksum that fits them.
fn resealed_settings(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let change = |plan: &mut Vec<u8>| {
        for _ in 0..random.between(1, 3) {
            let at = random.below(plan.len());
            replace_word(plan, at, random);
        }
    };
    resealed(bytes, change).unwrap_or_default()
}

/// Settings after a change; `None` where their checksum is not what this campaign takes for one.
fn resealed(bytes: &[u8], change: impl FnOnce(&mut Vec<u8>)) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(bytes).ok()?;
    let (plan, seal) = text.rsplit_once(",\n  \"sum\": \"")?;
    let sum_of = |plan: &[u8]| format!("{:016x}\"\n}}\n", checksum(&[plan, b"\n}"].concat()));
    let mut plan = plan.as_bytes().to_vec();
    if sum_of(&plan) != seal {
        return None;
    }
    change(&mut plan);
    let seal = sum_of(&plan);
    Some([&plan[..], b",\n  \"sum\": \"", seal.as_bytes()].concat())
}
