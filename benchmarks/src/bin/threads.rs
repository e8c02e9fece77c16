//! Wall time of a generation of the published strategy with one and more threads for its algebra.
//!
//! `cargo run --release -p enes-benchmarks --bin threads [-- THREADS [D ...]]` on an idle machine: population 4d, blocks
//! of one and of THREADS (default 2) alternate, one line per dimension, raw data to `benchmarks/results/threads.json`.
#![allow(clippy::print_stdout)]

use std::time::Instant;

use enes::Strategy;
use enes_benchmarks::{Enes, Peer};
use enes_measure::{machine, quantile};
use serde_json::json;

const BLOCKS: usize = 9;
const BLOCK_SECONDS: f64 = 0.5;

/// Wall milliseconds per generation over one block.
fn block(peer: &mut Enes) -> f64 {
    let (start, mut generations) = (Instant::now(), 0);
    while generations == 0 || start.elapsed().as_secs_f64() < BLOCK_SECONDS {
        peer.generation();
        generations += 1;
    }
    1e3 * start.elapsed().as_secs_f64() / f64::from(generations)
}

fn main() -> std::io::Result<()> {
    let mut given = std::env::args().skip(1).filter_map(|a| a.parse::<usize>().ok());
    let threads = given.next().unwrap_or(2).max(1);
    let named: Vec<usize> = given.collect();
    let dimensions = if named.is_empty() { vec![100, 150, 200, 300, 400, 800] } else { named };
    println!("wall milliseconds per generation, population 4d; median of {BLOCKS} alternating blocks");
    println!("{:>5} {:>12} {:>12} {:>9}", "d", "1 thread", format!("{threads} threads"), "speed-up");
    let mut rows = Vec::new();
    for d in dimensions {
        let mut peers = [1, threads].map(|t| Enes::new(Strategy::Published, d, Some(4 * d), t));
        peers.iter_mut().for_each(|p| {
            block(p);
        });
        let mut blocks = [Vec::new(), Vec::new()];
        for _ in 0..BLOCKS {
            for (peer, blocks) in peers.iter_mut().zip(&mut blocks) {
                blocks.push(block(peer));
            }
        }
        let [one, more] = [0, 1].map(|i| quantile(&blocks[i], 0.5));
        println!("{d:5} {one:12.3} {more:12.3} {:9.2}", one / more);
        rows.push(json!({"d": d, "population": 4 * d, "one_ms": blocks[0], "more_ms": blocks[1],
                         "speed_up": one / more}));
    }
    let report = json!({"machine": machine(), "threads": threads, "rows": rows});
    std::fs::create_dir_all("benchmarks/results")?;
    std::fs::write("benchmarks/results/threads.json", format!("{report:#}\n"))
}
