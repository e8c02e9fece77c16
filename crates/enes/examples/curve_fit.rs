//! Fit a curve to measurements: `cargo run --release -p enes --example curve_fit`
//!
//! A cup of coffee cools from `room + excess` towards the temperature of the room,
//! T(t) = room + excess · exp(−t/τ). Eight readings give the three unknowns.
#![allow(clippy::print_stdout)]

use enes::Settings;

/// Minutes and degrees Celsius.
const READINGS: [(f64, f64); 8] = [
    (0.0, 82.1),
    (5.0, 70.1),
    (10.0, 59.3),
    (15.0, 51.9),
    (20.0, 45.0),
    (30.0, 36.5),
    (45.0, 28.4),
    (60.0, 24.8),
];

fn temperature(t: f64, [room, excess, tau]: [f64; 3]) -> f64 {
    room + excess * (-t / tau).exp()
}

/// Root mean square error of the fit, in degrees.
fn misfit(x: &[f64]) -> f64 {
    let squares = READINGS.iter().map(|&(t, reading)| {
        let error = temperature(t, [x[0], x[1], x[2]]) - reading;
        error * error
    });
    (squares.sum::<f64>() / READINGS.len() as f64).sqrt()
}

fn main() -> Result<(), enes::SettingsError> {
    // Ranges instead of a start: the search begins in the middle. τ may have any magnitude.
    let settings = Settings::within([(0.0, 40.0), (0.0, 100.0), (1.0, 1000.0)])
        .log_scale([false, false, true])
        .tolfun(1e-6)
        .seed(1);
    let outcome = enes::minimize(&settings, misfit)?;

    let [room, excess, tau] = [outcome.point[0], outcome.point[1], outcome.point[2]];
    println!("room {room:.1} °C, excess {excess:.1} °C, time constant {tau:.1} min");
    println!("error {:.2} °C after {} evaluations: {}", outcome.value, outcome.evaluations, outcome.stop);
    for (t, reading) in READINGS {
        println!("{t:4.0} min  read {reading:5.1}  fitted {:5.1}", temperature(t, [room, excess, tau]));
    }
    Ok(())
}
