//! Keep the loop in your own hands: `cargo run --release -p enes --example ask_and_tell`
//!
//! Four microphones hear a bang. From the times at which it arrives, find where and when it happened.
#![allow(clippy::print_stdout)]

use enes::{Optimizer, Settings};

const SOUND: f64 = 343.0; // m/s

/// Position in metres and time of arrival in seconds.
const HEARD: [([f64; 2], f64); 4] =
    [([0.0, 0.0], 0.70431), ([100.0, 0.0], 0.66104), ([100.0, 80.0], 0.64064), ([0.0, 80.0], 0.68803)];

/// Sum of squared errors in metres, for a bang at (x, y) and time t.
fn misfit(bang: &[f64]) -> f64 {
    let error = |&([x, y], heard): &([f64; 2], f64)| {
        let distance = (bang[0] - x).hypot(bang[1] - y);
        (SOUND * (heard - bang[2]) - distance).powi(2)
    };
    HEARD.iter().map(error).sum()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Start in the middle of the field, at 0 s; one scale for metres, another for seconds.
    let settings = Settings::new([50.0, 40.0, 0.0], [30.0, 30.0, 0.3]).tolfun(1e-6).seed(1);
    let mut es = Optimizer::new(&settings)?;

    while es.stop_reason().is_none() {
        // Evaluate the points any way you like: here, in a queue, on other machines.
        let values: Vec<f64> = es.ask().iter().map(misfit).collect();
        es.tell(&values)?;
        if es.generation() % 10 == 0 {
            let misfit = es.best().expect("every value is a number").value;
            println!("{:4} evaluations, misfit {misfit:.3e}", es.evaluations());
        }
    }

    let best = es.best().expect("every value is a number");
    println!("The bang was at {:.1} m, {:.1} m, {:.3} s.", best.point[0], best.point[1], best.point[2]);
    println!("The remaining error is {:.2} m.", best.value.sqrt());
    Ok(())
}
