//! The corpus of the fuzzer, and damaged copies of it: nothing that a reader gets makes it panic.

use std::fs;
use std::path::{Path, PathBuf};

use enes::{BoundHandling, ModelChoice, Optimizer, Restarts, Settings, Strategy};
use enes_cli::fuzzing::TARGETS;

/// Every file of a target's corpus.
fn corpus(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    let mut paths: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).unwrap()).collect()
}

#[test]
fn every_reader_bears_its_corpus_and_flipped_bits_in_it() {
    for (target, read) in TARGETS {
        let files = corpus(target);
        assert!(!files.is_empty(), "{target} has no corpus");
        for bytes in files {
            read(&bytes);
            // Some of its bits, spread over the file.
            let count = bytes.len().min(64);
            for i in 0..count {
                let mut damaged = bytes.clone();
                damaged[i * bytes.len() / count] ^= 1 << (i % 8);
                read(&damaged);
            }
        }
    }
}

/// The corpus of checkpoints.
fn checkpoints() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/checkpoint")
}

/// Searches of every kind, some generations on, as checkpoints; their first line apart.
fn seeds() -> Vec<(&'static str, Vec<u8>, Vec<u8>)> {
    let at = |d: usize| Settings::new(vec![1.0; d], 0.5).seed(3);
    let boxed = at(3).bounds(vec![(0.01, 9.0), (-3.0, 3.0), (-5.0, 5.0)]);
    let kinds = [
        ("adaptive", at(3)),
        ("one", at(1)),
        ("ranks", at(4).model(ModelChoice::RankOnly)),
        ("published", at(2).strategy(Strategy::Published).population(8)),
        ("ipop", at(2).restarts(Restarts::Ipop).max_evaluations(2000)),
        ("noisy", at(2).noisy(true).max_evaluations(400)),
        ("mirror", at(2).bounds(vec![(-2.0, 3.0); 2]).bound_handling(BoundHandling::Reflect)),
        ("space", boxed.log_scale(vec![true, false, false]).integer(vec![false, false, true])),
    ];
    let checkpoint = |(name, settings): (&'static str, Settings)| {
        let mut es = Optimizer::new(&settings).unwrap();
        for _ in 0..6 {
            let values: Vec<f64> = es.ask().iter().map(|x| x.iter().map(|v| v * v).sum()).collect();
            es.tell(&values).unwrap();
        }
        let mut head = es.to_checkpoint();
        let body = head.split_off(head.iter().position(|b| *b == b'\n').unwrap() + 1);
        (name, head, body)
    };
    kinds.into_iter().map(checkpoint).collect()
}

#[test]
fn good_seeds_are_good() {
    // Once, when the format of checkpoints has changed.
    if std::env::var_os("ENES_NEW_SEEDS").is_some() {
        make_seeds();
    }
    for (name, head, _) in seeds() {
        let body = fs::read(checkpoints().join(name)).unwrap();
        let version = String::from_utf8(head).unwrap().split(' ').nth(1).unwrap().to_string();
        let head = format!("enes-checkpoint {version} {} {:016x}\n", body.len(), checksum(&body));
        let whole = [head.as_bytes(), &body].concat();
        assert!(
            Optimizer::from_checkpoint(&whole).is_ok(),
            "{name}: the format has changed; `ENES_NEW_SEEDS=1 cargo test -p enes-cli --test main corpus` makes new seeds"
        );
    }
}

/// Write the seeds anew.
fn make_seeds() {
    for (name, head, body) in seeds() {
        fs::write(checkpoints().join(name), &body).unwrap();
        if name == "adaptive" {
            fs::write(checkpoints().join("whole"), [head, body].concat()).unwrap();
        }
    }
}

/// FNV-1a, as checkpoints have it.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |h, &b| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3))
}
