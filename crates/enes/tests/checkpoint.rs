//! Checkpoints: resuming continues bit for bit, damage is named.
#![cfg(feature = "serde")]

use enes::{Baseline, CheckpointError, Optimizer, Settings, Shaping, Strategy};

fn objective(x: &[f64]) -> f64 {
    if x[0] > 2.5 { f64::NAN } else { x.iter().enumerate().map(|(i, v)| (1 + i) as f64 * v * v).sum() }
}

fn step(es: &mut Optimizer) {
    let values: Vec<f64> = es.ask().iter().map(objective).collect();
    es.tell(&values).unwrap();
}

fn settings() -> Settings {
    Settings::new([1.0, -2.0, 0.5], [0.5, 1.0, 2.0]).seed(9).population(24).target(f64::NEG_INFINITY)
}

#[test]
fn a_resumed_run_continues_bit_for_bit() {
    let table = Shaping::Table((0..24).map(|r| 1.0 / (1 + r) as f64).collect());
    let published = || settings().strategy(Strategy::Published);
    let others = [
        published().baseline(Baseline::Specific),
        published().shaping(table),
        published().baseline(Baseline::Mean { factor: 1.2 }).drift_correction(true),
        published(),
        settings(),
        settings().population(None),
    ];
    for settings in others {
        let mut whole = Optimizer::new(&settings).unwrap();
        let mut resumed = whole.clone();
        for generation in 0..60 {
            // Resume before every generation, also between ask and tell.
            resumed = Optimizer::from_checkpoint(&resumed.to_checkpoint()).unwrap();
            let _ = resumed.ask();
            resumed = Optimizer::from_checkpoint(&resumed.to_checkpoint()).unwrap();
            step(&mut whole);
            step(&mut resumed);
            assert_eq!(whole.distribution(), resumed.distribution(), "generation {generation}");
            assert_eq!(whole.stop_reason(), resumed.stop_reason());
            assert_eq!(whole.best(), resumed.best());
            assert!(whole.to_checkpoint() == resumed.to_checkpoint(), "generation {generation}");
            assert_eq!((whole.trust(), whole.archive_len()), (resumed.trust(), resumed.archive_len()));
        }
        assert_eq!(whole.reused_share(), resumed.reused_share());
        assert_eq!(resumed.settings(), &settings);
    }
}

#[test]
fn a_resumed_run_stops_where_the_uninterrupted_one_does() {
    let settings = settings().target(1e-6);
    let run = |every: usize| {
        let mut es = Optimizer::new(&settings).unwrap();
        let mut generation = 0;
        while es.stop_reason().is_none() {
            step(&mut es);
            generation += 1;
            if generation % every == 0 {
                es = Optimizer::from_checkpoint(&es.to_checkpoint()).unwrap();
            }
        }
        (es.stop_reason().cloned(), es.generation(), es.evaluations())
    };
    assert_eq!(run(1), run(usize::MAX));
}

#[test]
fn every_truncation_is_an_error() {
    let mut es = Optimizer::new(&settings()).unwrap();
    step(&mut es);
    let bytes = es.to_checkpoint();
    for length in 0..bytes.len() {
        let error = Optimizer::from_checkpoint(&bytes[..length]).unwrap_err();
        let expected = match length {
            0 => error == CheckpointError::NotACheckpoint,
            _ => matches!(error, CheckpointError::Truncated { .. }),
        };
        assert!(expected, "{length}: {error}");
    }
}

#[test]
fn every_flipped_bit_is_an_error() {
    let mut es = Optimizer::new(&settings()).unwrap();
    step(&mut es);
    let bytes = es.to_checkpoint();
    for position in 0..bytes.len() {
        for bit in [0, 5] {
            let mut damaged = bytes.clone();
            damaged[position] ^= 1 << bit;
            let result = Optimizer::from_checkpoint(&damaged);
            // Flipping the case of a hexadecimal digit changes nothing.
            let same = result.as_ref().is_ok_and(|r| r.to_checkpoint() == bytes);
            assert!(result.is_err() || same, "byte {position} bit {bit}");
        }
    }
}

#[test]
fn foreign_and_newer_files_are_named() {
    let load = |bytes: &[u8]| Optimizer::from_checkpoint(bytes).unwrap_err().to_string();
    assert!(load(b"{\"not\": \"ours\"}").contains("not an enes checkpoint"));
    let newer = load(b"enes-checkpoint 7 3 00\nabc");
    assert_eq!(newer, "the checkpoint has version 7, this library reads version 6: update enes");
    let older = load(b"enes-checkpoint 1 3 00\nabc");
    assert_eq!(older, "the checkpoint has version 1, this library reads version 6: start the run anew");
    assert!(load(b"enes-checkpoint x\n").contains("first line cannot be read"));
    assert!(load(b"enes-checkpoint 6 3 cbf29ce484222325\nabc").contains("checksum"));
    let bytes = Optimizer::new(&settings()).unwrap().to_checkpoint();
    assert!(load(&[&bytes[..], b"x"].concat()).contains("bytes follow its end"));
}

#[test]
fn a_valid_checksum_over_nonsense_is_still_an_error() {
    // FNV-1a of the empty body: the frame is sound, the content is not.
    let error = Optimizer::from_checkpoint(b"enes-checkpoint 6 0 cbf29ce484222325\n").unwrap_err();
    assert_eq!(error, CheckpointError::Corrupted { what: "its body cannot be read" });
}
