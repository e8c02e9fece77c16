//! Stop and continue: `cargo run --release -p enes --example checkpoint --features serde`
//!
//! Where do five atoms sit when their energy is lowest? The run stops after 50 generations, as if the
//! machine had been switched off, continues from a file and ends as if nothing had happened.
#![allow(clippy::print_stdout)]

use enes::{Optimizer, Settings};

/// Energy of a Lennard-Jones cluster: every pair attracts, and repels when close.
fn energy(coordinates: &[f64]) -> f64 {
    let atoms: Vec<&[f64]> = coordinates.chunks(3).collect();
    let pair = |a: &[f64], b: &[f64]| {
        let square: f64 = a.iter().zip(b).map(|(p, q)| (p - q).powi(2)).sum();
        let sixth = square.powi(-3);
        4.0 * (sixth * sixth - sixth)
    };
    (0..atoms.len()).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| pair(atoms[i], atoms[j])).sum()
}

/// Ask and tell until there is a reason to stop, or after so many generations.
fn run(es: &mut Optimizer, generations: u64) -> Result<(), enes::TellError> {
    while es.stop_reason().is_none() && es.generation() < generations {
        let values: Vec<f64> = es.ask().iter().map(energy).collect();
        es.tell(&values)?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let start: Vec<f64> = (0..15).map(|i| (f64::from(i) * 2.4).sin()).collect();
    // Known minimum: -9.103852. With a target a search that ends in a local minimum starts again.
    let settings = Settings::new(start, 0.5).seed(3).target(-9.103_85).max_evaluations(100_000);

    let file = std::env::temp_dir().join("enes-example.checkpoint");
    let mut es = Optimizer::new(&settings)?;
    run(&mut es, 50)?;
    std::fs::write(&file, es.to_checkpoint())?;
    println!(
        "Stopped after {} evaluations, best {:.4}.",
        es.evaluations(),
        es.best().expect("a value").value
    );
    drop(es);

    let mut es = Optimizer::from_checkpoint(&std::fs::read(&file)?)?;
    run(&mut es, u64::MAX)?;
    let best = es.best().expect("a value").value;
    println!(
        "Continued to {} evaluations and {} restarts, best {best:.6}.",
        es.evaluations(),
        es.restarts().len()
    );

    let mut whole = Optimizer::new(&settings)?;
    run(&mut whole, u64::MAX)?;
    let same = whole.best() == es.best() && whole.evaluations() == es.evaluations();
    println!("Without the break: the same run, {same}.");
    std::fs::remove_file(file)?;
    Ok(())
}
