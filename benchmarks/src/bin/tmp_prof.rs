//! tmp
use enes::*;
fn main() {
    let d: usize = std::env::args().nth(1).unwrap().parse().unwrap();
    let g: usize = std::env::args().nth(2).unwrap().parse().unwrap();
    let s = Settings::new(vec![1.0; d], 1.0).population(4 * d);
    let mut es = Optimizer::new(&s).unwrap();
    let mut v = vec![];
    for _ in 0..g {
        if es.stop_reason().is_some() {
            es = Optimizer::new(&s).unwrap();
        }
        v.clear();
        v.extend(es.ask().iter().map(|x| x.iter().map(|a| a * a).sum::<f64>()));
        es.tell(&v).unwrap();
    }
}
