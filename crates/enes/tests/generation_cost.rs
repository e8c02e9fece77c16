//! What a generation is said to hold is what it holds.
#![allow(unsafe_code)] // a counting allocator cannot be written without

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use enes::{ModelChoice, Optimizer, Settings, Strategy};

static HELD: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

struct Counting;

// SAFETY: every call is passed on to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let held = HELD.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        MOST.fetch_max(held, Ordering::Relaxed);
        // SAFETY: the caller's promise, passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promise, passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The most that a few generations hold, in bytes.
fn held(settings: &Settings, evaluations: u64) -> f64 {
    let before = HELD.load(Ordering::Relaxed);
    MOST.store(before, Ordering::Relaxed);
    let mut es = Optimizer::new(settings).unwrap();
    while es.evaluations() < evaluations {
        let values: Vec<f64> = es.ask().iter().map(|x| x.iter().map(|v| v.abs()).sum()).collect();
        es.tell(&values).unwrap();
    }
    (MOST.load(Ordering::Relaxed) - before) as f64
}

// One test: others at the same time would be counted, too.
#[test]
fn the_estimate_of_memory_is_within_a_factor_of_two() {
    let at = |d: usize| Settings::new(vec![1.0; d], 1.0);
    let cases = [
        (at(100).strategy(Strategy::Published).population(400), 2000),
        (at(10).strategy(Strategy::Published).population(10_000), 30_000),
        (at(20), 1000),
        (at(40), 1100),
        (at(10).population(1000), 5000),
        (at(10).population(4000).model(ModelChoice::RankOnly), 20_000),
        (at(100), 1500),
        (at(200).population(500), 1500),
        (at(100).bounds(vec![(-3.0, 3.0); 100]), 1500),
        (at(300).bounds(vec![(-3.0, 3.0); 300]), 3000),
        (at(1000).bounds(vec![(-3.0, 3.0); 1000]), 3000),
        (at(700), 100),
        (at(1500), 200),
        (at(30_000), 200),
    ];
    for (settings, evaluations) in cases {
        let (cost, held) = (settings.generation_cost(), held(&settings, evaluations));
        let ratio = cost.bytes as f64 / held;
        let d = settings.dimension();
        assert!((0.5..=2.0).contains(&ratio), "d = {d}: {cost:?}, but {held} bytes were held: {ratio:.2}");
        assert_eq!(cost.points, settings.population_size());
    }
}
