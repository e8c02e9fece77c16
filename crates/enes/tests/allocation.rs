//! A warm generation of the published strategy allocates nothing.
#![allow(unsafe_code)] // a counting allocator cannot be written without

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use enes::{Baseline, Optimizer, Settings};

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: every call is passed on to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.with(|c| c.set(c.get() + 1));
        // SAFETY: the caller's promise, passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise, passed on.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNT.with(|c| c.set(c.get() + 1));
        // SAFETY: the caller's promise, passed on.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations(d: usize, n: usize, baseline: Baseline, warm_up: usize, generations: usize) -> usize {
    let settings = Settings::new(vec![1.0; d], 1.0).population(n).baseline(baseline).tolfacupx(None);
    let mut es = Optimizer::new(&settings).unwrap();
    let mut values = Vec::with_capacity(n);
    let mut advance = |es: &mut Optimizer| {
        values.clear();
        values.extend(es.ask().iter().map(|x| x.iter().map(|v| v * v).sum::<f64>()));
        es.tell(&values).unwrap();
    };
    (0..warm_up).for_each(|_| advance(&mut es));
    let before = COUNT.with(Cell::get);
    (0..generations).for_each(|_| advance(&mut es));
    COUNT.with(Cell::get) - before
}

#[test]
fn the_counter_counts() {
    let before = COUNT.with(Cell::get);
    std::hint::black_box(vec![1.0f64; 100]);
    assert!(COUNT.with(Cell::get) > before);
}

#[test]
fn a_warm_generation_allocates_nothing() {
    for baseline in [Baseline::None, Baseline::Uniform, Baseline::Specific, Baseline::Block] {
        for (d, n, generations) in [(1, 10, 300), (5, 50, 300), (40, 160, 60), (150, 600, 10)] {
            let count = allocations(d, n, baseline, 2, generations);
            assert_eq!(count, 0, "d = {d}, n = {n}, {baseline:?}");
        }
    }
}
