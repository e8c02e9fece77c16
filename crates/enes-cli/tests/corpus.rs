//! The corpus of the fuzzer, and damaged copies of it: nothing that a reader gets makes it panic.

use std::fs;
use std::path::Path;

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

#[test]
fn good_seeds_are_good() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/checkpoint");
    let body = &fs::read(folder.join("adaptive")).unwrap();
    let head = format!("enes-checkpoint 5 {} {:016x}\n", body.len(), checksum(body));
    let whole = [head.as_bytes(), body].concat();
    assert!(enes::Optimizer::from_checkpoint(&whole).is_ok(), "make new seeds: the format has changed");
}

/// FNV-1a, as checkpoints have it.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |h, &b| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3))
}
