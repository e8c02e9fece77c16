//! Evaluate on several threads: `cargo run --release -p enes --example threads`
//!
//! A car drives over a step in the road. Spring and damper of its suspension are chosen so that the
//! body comes to rest quickly without a harsh jolt. Each evaluation is a simulation of five seconds.
#![allow(clippy::print_stdout)]

use std::time::Instant;

use enes::Settings;

const BODY: f64 = 400.0; // kg, a quarter of the car
const STEP: f64 = 0.05; // m, height of the step

/// Ride cost: squared deflection plus a price for squared acceleration, summed over time.
fn ride(spring: f64, damper: f64) -> f64 {
    let (dt, mut height, mut speed, mut cost) = (5e-6, 0.0, 0.0, 0.0);
    for _ in 0..(5.0 / dt) as usize {
        let acceleration = (spring * (STEP - height) - damper * speed) / BODY;
        speed += acceleration * dt;
        height += speed * dt;
        let deflection: f64 = (height - STEP) / STEP;
        cost += (deflection * deflection + 0.05 * acceleration * acceleration) * dt;
    }
    cost
}

fn main() -> Result<(), enes::SettingsError> {
    // N/m and N s/m, both over powers of ten.
    let settings = Settings::within([(1e3, 1e6), (1e2, 1e5)]).log_scale([true, true]).seed(1).tolfun(1e-6);
    let objective = |x: &[f64]| ride(x[0], x[1]);

    for threads in [1, 2] {
        let start = Instant::now();
        let outcome = enes::minimize_parallel_sync(&settings, threads, objective)?;
        println!(
            "threads {threads}: spring {:.0} N/m, damper {:.0} N s/m, cost {:.6}, {} evaluations, {:.2} s",
            outcome.point[0],
            outcome.point[1],
            outcome.value,
            outcome.evaluations,
            start.elapsed().as_secs_f64()
        );
    }
    println!("The result does not depend on the number of threads; the time does.");
    Ok(())
}
