//! Seeded runs and a fingerprint of each: every point asked, every mean, the end. A change that means to leave
//! runs as they are leaves all fingerprints as they are, bit for bit, on one machine.
//!
//! `cargo run --release -p enes-benchmarks --bin fingerprints -- record FILE` writes them, `-- check FILE` compares
//! and says which differ.

mod cases;

use std::process::ExitCode;

use cases::{Case, Extra, cases};
use enes::{Optimizer, StopReason};

/// FNV-1a over 64-bit words.
struct Fingerprint(u64);

impl Fingerprint {
    fn word(&mut self, word: u64) {
        for byte in word.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    fn numbers(&mut self, numbers: &[f64]) {
        numbers.iter().for_each(|v| self.word(v.to_bits()));
    }

    fn text(&mut self, text: &str) {
        text.bytes().for_each(|b| self.word(u64::from(b)));
    }
}

fn run(case: &Case) -> (u64, u64, f64) {
    let mut print = Fingerprint(0xcbf2_9ce4_8422_2325);
    let mut es = Optimizer::new(&case.settings).unwrap_or_else(|e| panic!("{}: {e}", case.name));
    let (mut values, mut violations, mut calls) = (Vec::new(), Vec::new(), 0u64);
    let saves = matches!(case.extra, Extra::Checkpoints | Extra::Everything);
    let injects = matches!(case.extra, Extra::Injections | Extra::Everything);
    let again = |es: &Optimizer| Optimizer::from_checkpoint(&es.to_checkpoint()).expect("its own checkpoint");
    while es.stop_reason().is_none() {
        if saves && es.generation() % 3 == 1 {
            es = again(&es);
        }
        if injects && es.generation() % 5 == 2 {
            let mut point = es.mean().to_vec();
            point.iter_mut().for_each(|x| *x *= 0.999);
            let (value, _) = (case.objective)(&point, calls);
            print.word(u64::from(es.inject(&point, value).is_ok()));
        }
        values.clear();
        violations.clear();
        let points = es.ask();
        print.numbers(points.as_slice());
        for x in points {
            let (value, violation) = (case.objective)(x, calls);
            calls += 1;
            values.push(value);
            violations.push(violation);
        }
        if saves && es.generation() % 3 == 2 {
            es = again(&es);
        }
        let told = match case.extra {
            Extra::Constraints => es.tell_constrained(&values, &violations),
            Extra::CutShort if es.generation() == 20 => {
                let spent = StopReason::MaxEvaluations { evaluations: calls, limit: calls };
                es.tell_and_stop(&values[..values.len() / 2], spent)
            }
            _ => es.tell(&values),
        };
        told.expect("one value for each point");
        print.numbers(es.mean());
        print.numbers(&es.standard_deviations());
        print.word(es.population_size() as u64);
        print.numbers(&[
            es.trust().unwrap_or(-1.0),
            es.last_reused_share(),
            es.noise_share().unwrap_or(-1.0),
        ]);
        print.numbers(&[es.model().map_or(-1.0, |m| m.error)]);
        print.text(es.model().map_or("none", |m| m.response.name()));
        print.word(es.archive_len().unwrap_or(0) as u64);
    }
    print.text(es.stop_reason().map_or("", StopReason::name));
    print.word(es.evaluations());
    print.word(es.generation());
    for restart in es.restarts() {
        print.text(restart.reason.name());
        print.numbers(&[restart.value, restart.violation, restart.scale]);
        print.word(restart.evaluations);
        print.word(restart.population as u64);
    }
    let best = es.best().map_or(f64::NAN, |best| {
        print.numbers(best.point);
        print.numbers(&[best.value, best.violation]);
        print.word(best.evaluations);
        best.value
    });
    if let Some(recommendation) = es.recommendation() {
        print.numbers(&recommendation.point);
        print.numbers(&[recommendation.value, recommendation.standard_error.unwrap_or(-1.0)]);
    }
    (print.0, es.evaluations(), best)
}

#[allow(clippy::print_stdout, clippy::print_stderr)]
fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [command, file] = &arguments[..] else {
        eprintln!("usage: fingerprints record|check FILE");
        return ExitCode::from(2);
    };
    let lines: Vec<String> = cases()
        .iter()
        .map(|case| {
            let (print, evaluations, best) = run(case);
            format!("{print:016x} {evaluations:>6} {best:>12.4e}  {}", case.name)
        })
        .collect();
    if command == "record" {
        let text = lines.join("\n") + "\n";
        return match std::fs::write(file, text) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("cannot write {file}: {error}");
                ExitCode::from(2)
            }
        };
    }
    let before = std::fs::read_to_string(file).unwrap_or_default();
    let before: Vec<&str> = before.lines().collect();
    let mut differ = 0;
    for (i, line) in lines.iter().enumerate() {
        let was = before.get(i).copied().unwrap_or("nothing");
        if was != line {
            differ += 1;
            println!("was {was}\nnow {line}");
        }
    }
    println!("{} runs, {differ} differ", lines.len());
    if differ == 0 && before.len() == lines.len() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
