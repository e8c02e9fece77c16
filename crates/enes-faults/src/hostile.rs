//! Hostile programs: whatever one prints, or does not read, time limits hold and memory is bounded.

use std::fs;
use std::io::BufRead;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::place::{Place, words};
use crate::random::{Random, mix};
use crate::run::check_orphans;
use crate::tally::Tally;
use crate::worker::{question, say};

/// What a program may do with a question. `any` does something else each time.
const MANNERS: [&str; 17] = [
    "any", "foreign", "flood", "endless", "deaf", "closed", "bytes", "nan", "inf", "twice", "late", "dies",
    "huge", "deep", "escape", "stderr", "empty",
];

const TIMEOUT: f64 = 0.25;

/// The most memory that an optimizer may take for such a run.
const MOST_KILOBYTES: u64 = 150_000;

/// Run a hostile program, as a worker or started for each evaluation.
pub(crate) fn programs(place: &Place, random: &mut Random) -> Tally {
    let mut tally = Tally { faults: 1, ..Tally::default() };
    let (manner, worker) = (*random.pick(&MANNERS), random.chance(0.7));
    let (jobs, budget) = (random.between(1, 3), random.between(2, 5));
    let mut all = words(&format!(
        "minimize --dim 2 --timeout {TIMEOUT} --max-failures 3 --max-evaluations {budget} --jobs {jobs} --run r"
    ));
    if worker {
        all.push("--worker".into());
    }
    all.push("--".into());
    all.push(place.programs.own.display().to_string());
    all.extend(words(if worker { "hostile" } else { "hostile-once" }));
    all.push(place.path("calls.log").display().to_string());
    all.push(format!("{manner}:{}", random.below(1000)));
    if !worker {
        all.push("{}".into());
    }
    let start = Instant::now();
    // Each evaluation may take its limit, and a second; a second for the rest.
    let patience = Duration::from_secs_f64((TIMEOUT + 1.0) * budget as f64 + 1.0);
    let ended = crate::place::finish(&mut place.enes(&all), patience);
    let what = format!("{manner}, worker {worker}, jobs {jobs}");
    if tally.behaved(&what, &ended) && ended.peak_kilobytes > MOST_KILOBYTES {
        tally.wrong(format!("{what}: {} kB of memory in {:?}", ended.peak_kilobytes, start.elapsed()));
    }
    check_orphans(place, "calls.log", &mut tally);
    let record = fs::read(place.path("r").join("evaluations.jsonl")).unwrap_or_default();
    if record.len() > 12_000 * budget {
        tally.wrong(format!("{what}: {} bytes of record", record.len()));
    }
    let verified = place.run(&words("verify r"));
    if tally.behaved(&what, &verified) && verified.code() != Some(0) {
        tally.wrong(format!("{what}: the folder is not sound: {}", verified.words()));
    }
    tally
}

/// The program: as a worker until the end of its input, or once.
pub(crate) fn serve(log: &Path, manner: &str, once: bool) -> u8 {
    crate::worker::note(log, &format!("{} start", std::process::id()));
    let (manner, seed) = manner.split_once(':').unwrap_or((manner, "0"));
    let seed = seed.parse().unwrap_or(0);
    if once {
        return behave(manner, seed, 0);
    }
    if manner == "deaf" {
        std::thread::sleep(Duration::from_secs(20));
    }
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let Some((id, _)) = question(&line) else { return 1 };
        let code = behave(manner, seed, id);
        if code != 0 {
            return code;
        }
    }
    0
}

fn behave(manner: &str, seed: u64, id: u64) -> u8 {
    let line = |text: String| u8::from(say(text.as_bytes()).is_err());
    let answer = |value: &str| line(format!("{{\"id\":{id},\"value\":{value}}}\n"));
    match manner {
        "any" => {
            behave(MANNERS[1 + (mix(seed ^ mix(id + 1)) % (MANNERS.len() as u64 - 1)) as usize], seed, id)
        }
        "foreign" => line(format!("{{\"id\":{},\"value\":-1e9}}\n", id + 1 + seed)),
        "flood" => {
            while say(format!("{{\"id\":{},\"value\":1}}\n", u64::MAX).repeat(500).as_bytes()).is_ok() {}
            1
        }
        "endless" => {
            while say(&[b'x'; 1 << 16]).is_ok() {}
            1
        }
        "closed" => {
            use std::os::unix::process::CommandExt;
            let _ = std::process::Command::new("sh").args(["-c", "exec >&-; sleep 20"]).exec();
            1
        }
        "bytes" => u8::from(say(b"\xff\xfe\x00\xc3\x28\n").is_err()),
        "nan" => answer(["NaN", "\"nan\"", "null", "nan"][(seed % 4) as usize]),
        "inf" => answer(["1e999", "-1e999", "Infinity", "-inf"][(seed % 4) as usize]),
        "twice" => answer("1").max(answer("0.5")),
        "late" => {
            std::thread::sleep(Duration::from_secs_f64(
                TIMEOUT * (0.8 + 0.4 * (mix(id + seed) % 100) as f64 / 100.0),
            ));
            answer("2")
        }
        "dies" => match mix(id ^ seed) % 3 {
            0 => std::process::abort(),
            1 => 7,
            _ => answer("3"),
        },
        "huge" => line(format!("{{\"id\":{id},\"error\":\"{}\"}}\n", "e".repeat(900_000))),
        "deep" => line(format!("{}\n", "[".repeat(200_000))),
        "escape" => line(format!(
            "{{\"id\":{id},\"error\":\"\u{1b}]0;owned\u{7}\u{202e}\\u001b[31m\\u202e\\u0000\\u009b\"}}\n\u{1b}[2J\u{9b}31m\n"
        )),
        "stderr" => {
            use std::io::Write;
            let mut out = std::io::stderr().lock();
            let text = "\u{1b}[31m\u{202e}no end ".repeat(4000);
            (0..200).for_each(|_| drop(out.write_all(text.as_bytes())));
            5
        }
        "empty" => line("\n\n\n".into()),
        _ => {
            std::thread::sleep(Duration::from_secs(20));
            0
        }
    }
}
