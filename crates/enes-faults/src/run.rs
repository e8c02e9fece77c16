//! A run that is drawn by lot from all that the command line offers, its undisturbed outcome, and comparisons with it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::place::{Ended, Place, is_alive, lines, words};
use crate::random::Random;
use crate::tally::Tally;

/// A run that can be started any number of times.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) worker: bool,
    pub(crate) jobs: usize,
    pub(crate) evaluations: usize,
    problem: String,
    flags: Vec<String>,
    traits: String,
}

/// What an undisturbed run leaves.
#[derive(Debug)]
pub(crate) struct Expected {
    pub(crate) result: Value,
    pub(crate) record: Record,
    pub(crate) took: Duration,
}

/// The record of a run, without what depends on the clock.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Record {
    evaluations: BTreeMap<u64, Value>,
    generations: Vec<Value>,
    duplicated: u64,
}

impl Run {
    /// Any run of at most so many evaluations.
    pub(crate) fn draw(random: &mut Random, most: usize) -> Self {
        let worker = random.chance(0.75);
        Self::with(random, most, worker)
    }

    /// Any run with a worker, or with a program that is started for each evaluation.
    pub(crate) fn with(random: &mut Random, most: usize, worker: bool) -> Self {
        let d = random.between(1, 4);
        let noisy = random.chance(0.15);
        let constrained = !noisy && random.chance(0.2);
        let evaluations = random.between(most / 3, if worker { most } else { most / 2 });
        let mut traits = String::new();
        for (letter, has) in
            [('n', noisy), ('c', constrained), ('f', random.chance(0.2)), ('s', random.chance(0.4))]
        {
            if has {
                traits.push(letter);
            }
        }
        let mut flags = words(&format!("--max-evaluations {evaluations} --seed {}", random.below(1000)));
        let published = random.chance(0.3);
        if published {
            flags.extend(words(&format!("--strategy published --population {}", random.between(8, 20))));
        } else if random.chance(0.3) {
            flags.extend(words("--model rank-only"));
        } else if !noisy && random.chance(0.2) {
            flags.extend(words(&format!("--batch {}", random.between(1, 3))));
        }
        if !noisy {
            flags.extend(words(&format!("--restarts {}", random.pick(&["auto", "off", "ipop", "bipop"]))));
            if random.chance(0.3) {
                flags.extend(words(&format!("--target {}", random.pick(&["1e-3", "1e-300"]))));
            }
        }
        if constrained && !worker {
            flags.push("--constrained".into());
        }
        if random.chance(0.1) {
            flags.extend(words("--warm-start warm.csv"));
        }
        if random.chance(0.2) {
            flags.extend(words("--timeout 25"));
        }
        let problem = Self::problem(random, d, published);
        Self { worker, jobs: random.between(1, 4), evaluations, problem, flags, traits }
    }

    fn problem(random: &mut Random, d: usize, published: bool) -> String {
        let mut text = String::from("name = \"faults\"\n");
        let handlings =
            if published { &["smooth", "reflect"][..] } else { &["smooth", "reflect", "resample"] };
        let _ = writeln!(text, "[search]\nbound_handling = \"{}\"", random.pick(handlings));
        for i in 0..d {
            let _ = writeln!(text, "[[parameter]]\nname = \"p{i}\"\ninitial = 2.0\nsigma = 1.0");
            text.push_str(match random.below(6) {
                0 => "lower = 0.0\nupper = 5.0\n",
                1 => "lower = 0.001\nupper = 100.0\nlog = true\n",
                2 => "lower = -3.0\n",
                3 if i > 0 => "lower = -10.0\nupper = 10.0\ninteger = true\n",
                4 if i > 0 => "fixed = true\n",
                _ => "",
            });
        }
        text
    }

    pub(crate) fn has_target(&self) -> bool {
        self.flags.iter().any(|flag| flag == "--target")
    }

    /// `enes minimize` into this folder; the log of calls has this name.
    pub(crate) fn minimize(&self, place: &Place, folder: &str, log: &str) -> Vec<String> {
        place.write("problem.toml", &self.problem);
        let d = self.problem.matches("[[parameter]]").count();
        let row = |i: usize| format!("{}{},{}\n", 2.0 - 0.1 * i as f64, ",2.0".repeat(d - 1), 10 - i);
        place.write("warm.csv", (0..10).map(row).collect::<String>());
        let mut all = words("minimize problem.toml --json --run");
        all.push(folder.into());
        all.extend(self.flags.clone());
        // A run that is killed must end as one that is not: whole generations, whatever takes how long.
        all.extend(words(&format!("--sync --jobs {}", self.jobs)));
        if self.worker {
            all.push("--worker".into());
        }
        all.push("--".into());
        all.push(place.programs.own.display().to_string());
        all.push(if self.worker { "serve" } else { "once" }.into());
        all.push(place.path(log).display().to_string());
        all.push(format!("-{}", self.traits));
        if !self.worker {
            all.push("{}".into());
        }
        all
    }

    /// The undisturbed run; `None`, with a note, where it does not even run.
    pub(crate) fn expected(&self, place: &Place, tally: &mut Tally) -> Option<Expected> {
        let start = Instant::now();
        let ended = place.run(&self.minimize(place, "undisturbed", "undisturbed.log"));
        if !tally.behaved("the undisturbed run", &ended) {
            return None;
        }
        let Some(result) = result_of(&ended) else {
            tally.wrong(format!("the undisturbed run: {}", ended.words()));
            return None;
        };
        let record = record_of(place, "undisturbed");
        Some(Expected { result, record, took: start.elapsed() })
    }
}

impl Record {
    /// How many coordinates a point has.
    pub(crate) fn coordinates(&self) -> usize {
        self.evaluations.values().next().and_then(|e| e["x"].as_array()).map_or(0, Vec::len)
    }
}

/// The object that `--json` prints, without what depends on clock and place.
pub(crate) fn result_of(ended: &Ended) -> Option<Value> {
    let mut result: Value = serde_json::from_slice(&ended.stdout).ok()?;
    let object = result.as_object_mut()?;
    object.remove("seconds");
    object.remove("run");
    Some(result)
}

pub(crate) fn record_of(place: &Place, folder: &str) -> Record {
    let read = |name: &str| -> Vec<Value> {
        let timeless = |line: &String| {
            let mut record: Value = serde_json::from_str(line).ok()?;
            record.as_object_mut()?.retain(|key, _| key != "seconds" && key != "sum");
            Some(record)
        };
        lines(&place.path(folder).join(name)).iter().filter_map(timeless).collect()
    };
    let mut record = Record { generations: read("generations.jsonl"), ..Record::default() };
    for evaluation in read("evaluations.jsonl") {
        let id = evaluation["id"].as_u64().unwrap_or(u64::MAX);
        record.duplicated += u64::from(record.evaluations.insert(id, evaluation).is_some());
    }
    record
}

impl Expected {
    /// Compare a finished run with the undisturbed one.
    pub(crate) fn compare(&self, place: &Place, folder: &str, ended: &Ended, tally: &mut Tally) {
        if !tally.behaved("the last resume", ended) {
            return;
        }
        let Some(result) = result_of(ended) else {
            tally.wrong(format!("no result: {}", ended.words()));
            return;
        };
        if result != self.result {
            tally.wrong(format!("the result differs: {}", difference(&self.result, &result)));
        }
        self.compare_records(place, folder, tally);
    }

    pub(crate) fn compare_records(&self, place: &Place, folder: &str, tally: &mut Tally) {
        let record = record_of(place, folder);
        tally.duplicated += record.duplicated;
        let missing =
            self.record.evaluations.keys().filter(|id| !record.evaluations.contains_key(id)).count();
        if missing > 0 {
            tally.lost += missing as u64;
            tally.note(format!("{missing} evaluations are lost"));
        }
        let differs =
            |id: &&u64| record.evaluations.get(id).is_some_and(|e| *e != self.record.evaluations[id]);
        if let Some(id) = self.record.evaluations.keys().find(differs) {
            tally.wrong(format!("evaluation {id} differs"));
        }
        if record.evaluations.len() > self.record.evaluations.len() {
            tally.wrong("the record has evaluations that the undisturbed one has not");
        }
        if record.generations != self.record.generations {
            let (there, all) = (record.generations.len(), self.record.generations.len());
            if there < all {
                tally.lost += (all - there) as u64;
            } else {
                tally.wrong += 1;
            }
            tally.note(format!("generations differ: {there} of {all}"));
        }
    }
}

fn difference(a: &Value, b: &Value) -> String {
    let (Some(x), Some(y)) = (a.as_object(), b.as_object()) else { return format!("{a} {b}") };
    let keys: BTreeSet<&String> = x.keys().chain(y.keys()).collect();
    let differ = keys.into_iter().filter(|k| x.get(*k) != y.get(*k));
    differ.map(|k| format!("{k}: {:?} -> {:?}; ", x.get(k), y.get(k))).collect()
}

/// Calls in the log of a program.
pub(crate) fn calls(place: &Place, log: &str) -> usize {
    lines(&place.path(log)).iter().filter(|line| line.ends_with("call")).count()
}

/// The processes that have written the log.
pub(crate) fn pids(place: &Place, log: &str) -> BTreeSet<u32> {
    let pid = |line: &String| line.split(' ').next().and_then(|word| word.parse().ok());
    lines(&place.path(log)).iter().filter_map(pid).collect()
}

/// Programs that are still there a second after their optimizer has ended.
pub(crate) fn check_orphans(place: &Place, log: &str, tally: &mut Tally) {
    let end = Instant::now() + Duration::from_secs(1);
    loop {
        let alive = pids(place, log).into_iter().filter(|pid| is_alive(*pid)).count();
        if alive == 0 {
            return;
        }
        if Instant::now() > end {
            tally.orphans += alive as u64;
            tally.note(format!("{alive} programs outlive their optimizer"));
            return;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// What continues a run: `resume` where there is one, `minimize` where it died before.
pub(crate) fn next_words(run: &Run, place: &Place, jobs: Option<usize>) -> Vec<String> {
    if fs::exists(place.path("r").join("settings.json")).unwrap_or(false) {
        let jobs = jobs.map_or_else(String::new, |n| format!(" --jobs {n}"));
        words(&format!("resume r --json{jobs}"))
    } else {
        run.minimize(place, "r", "calls.log")
    }
}
