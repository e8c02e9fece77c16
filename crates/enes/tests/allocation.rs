//! A warm generation allocates nothing.
#![allow(unsafe_code)] // a counting allocator cannot be written without

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use enes::{Baseline, BoundHandling, LinearConstraint, ModelChoice, Optimizer, Restarts, Settings, Strategy};

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

fn allocations(settings: &Settings, warm_up: usize, generations: usize) -> usize {
    let mut es = Optimizer::new(settings).unwrap();
    // Generations may grow, and a gradient by differences has d + 1 points.
    let mut values = Vec::with_capacity(10 * es.population_size() + settings.dimension());
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
fn a_warm_adaptive_generation_allocates_nothing() {
    // From the second generation on: also while the archive fills, and where the forms of the solve change.
    for (d, n, generations) in
        [(1, 4, 300), (2, 5, 300), (5, 6, 300), (5, 60, 30), (10, 7, 100), (40, 9, 60), (150, 11, 70)]
    {
        let settings = Settings::new(vec![1.0; d], 1.0).population(n).tolfacupx(None);
        assert_eq!(allocations(&settings, 2, generations), 0, "d = {d}, n = {n}");
    }
    for lower in [-2.0, 0.5] {
        let settings = Settings::new(vec![1.0; 60], 0.5).bounds(vec![(lower, 2.0); 60]).tolfacupx(None);
        assert_eq!(allocations(&settings.restarts(Restarts::Off), 2, 60), 0, "in a box from {lower}");
    }
}

#[test]
fn a_warm_generation_in_many_dimensions_allocates_nothing() {
    // Until there are as many directions as are kept, and beyond.
    let settings = Settings::new(vec![1.0; 1100], 1.0).tolfacupx(None);
    assert_eq!(allocations(&settings.clone().model(ModelChoice::RankOnly), 2, 40), 0);
    // The first look, ranks, the second, differences and lines; in a box, too, with the optimum in its middle and in a corner.
    assert_eq!(allocations(&settings, 2, 160), 0);
    for lower in [-2.0, 0.5] {
        let settings = settings.clone().bounds(vec![(lower, 2.0); 1100]).restarts(Restarts::Off);
        assert_eq!(allocations(&settings, 2, 160), 0, "in a box from {lower}");
    }
}

#[test]
fn a_warm_published_generation_allocates_nothing() {
    let mean = Baseline::Mean { factor: 1.1 };
    for baseline in [Baseline::None, Baseline::Uniform, Baseline::Specific, Baseline::Block, mean] {
        for (d, n, generations) in [(1, 10, 300), (5, 50, 300), (40, 160, 60), (150, 600, 10)] {
            let settings = Settings::new(vec![1.0; d], 1.0).strategy(Strategy::Published).tolfacupx(None);
            let settings = settings.population(n).baseline(baseline).drift_correction(baseline == mean);
            let count = allocations(&settings, 2, generations);
            assert_eq!(count, 0, "d = {d}, n = {n}, {baseline:?}");
        }
    }
}

#[test]
fn a_generation_of_changing_size_allocates_nothing_once_it_was_as_large() {
    let settings =
        Settings::new(vec![1.0; 5], 1.0).strategy(Strategy::Published).adaptive_learning_rate(true);
    assert_eq!(allocations(&settings.clone().tolfacupx(None), 2, 200), 0);
    let mut es = Optimizer::new(&settings.auto_population(true).tolfacupx(None).tolstagnation(None)).unwrap();
    let base = es.population_size();
    let mut values = Vec::with_capacity(20 * base);
    let mut state = 1u64;
    let mut advance = |es: &mut Optimizer, says: bool| {
        values.clear();
        values.extend(es.ask().iter().map(|x| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            if says { x.iter().map(|v| v * v).sum() } else { (state >> 11) as f64 }
        }));
        es.tell(&values).unwrap();
    };
    while es.population_size() < 16 * base {
        advance(&mut es, false);
    }
    advance(&mut es, false);
    let before = COUNT.with(Cell::get);
    (0..80).for_each(|_| advance(&mut es, true));
    assert_eq!(COUNT.with(Cell::get) - before, 0);
    assert!(es.population_size() < 16 * base);
}

#[test]
fn a_warm_noisy_generation_allocates_nothing() {
    for strategy in [Strategy::Adaptive, Strategy::Published] {
        let settings = Settings::new(vec![1.0; 5], 1.0).strategy(strategy).noisy(true).tolfacupx(None);
        assert_eq!(allocations(&settings, 12, 30), 0, "{strategy:?}");
        let bounded = settings.bounds(vec![(-1.0, 2.0); 5]);
        assert_eq!(allocations(&bounded, 12, 30), 0, "{strategy:?}, bounded");
    }
}

#[test]
fn a_warm_bounded_generation_allocates_nothing() {
    for handling in [BoundHandling::Smooth, BoundHandling::Reflect, BoundHandling::Resample] {
        let bounds = [(-1.0, 1.0), (0.5, 0.5), (1e-3, 1.0), (0.0, f64::INFINITY), (-9.0, 9.0)];
        let settings = Settings::new([0.1, 0.5, 0.1, 0.1, 3.0], 1.0).bounds(bounds).bound_handling(handling);
        let settings = settings.log_scale([false, false, true, false, false]).tolfacupx(None);
        let integers = settings.clone().integer([false, false, false, true, true]);
        assert_eq!(allocations(&integers, 2, 100), 0, "integers, {handling:?}");
        assert_eq!(allocations(&settings, 2, 100), 0, "{handling:?}");
        let published = settings.strategy(Strategy::Published);
        let resampled = handling == BoundHandling::Resample;
        let published = if resampled { published.refresh_rate(1.0) } else { published };
        assert_eq!(allocations(&published, 2, 100), 0, "published, {handling:?}");
    }
}

#[test]
fn a_warm_constrained_generation_allocates_nothing() {
    for strategy in [Strategy::Adaptive, Strategy::Published] {
        let linear = LinearConstraint::at_least([[1.0; 5]], [2.0]);
        let settings = Settings::new(vec![2.0; 5], 1.0).strategy(strategy).inequalities(2).tolfacupx(None);
        let settings = settings.linear(linear).tolconditioncov(None).restarts(Restarts::Off);
        for settings in [settings.clone(), settings.bounds(vec![(-9.0, 9.0); 5])] {
            let mut es = Optimizer::new(&settings).unwrap();
            let (mut values, mut constraints) = (Vec::with_capacity(1000), Vec::with_capacity(1000));
            let mut advance = |es: &mut Optimizer| {
                values.clear();
                constraints.clear();
                for x in es.ask() {
                    values.push(x.iter().map(|v| v * v).sum::<f64>());
                    constraints.extend([1.0 - x[0], x[1] * x[1] - 4.0]);
                }
                es.tell_with_constraints(&values, &constraints).unwrap();
            };
            (0..2).for_each(|_| advance(&mut es));
            let before = COUNT.with(Cell::get);
            (0..40).for_each(|_| advance(&mut es));
            assert_eq!(COUNT.with(Cell::get) - before, 0, "{strategy:?}");
        }
    }
}
