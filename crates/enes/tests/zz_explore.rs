use enes::*;
fn optimum(i: usize) -> f64 {
    [7.0, -4.0, 11.0, 2.0][i % 4]
}
fn sphere(x: &[f64]) -> f64 {
    x.iter().enumerate().map(|(i, v)| (v - optimum(i)).powi(2)).sum()
}
fn ell(x: &[f64]) -> f64 {
    let d = x.len();
    x.iter().enumerate().map(|(i, v)| 1e4f64.powf(i as f64 / (d - 1) as f64) * (v - optimum(i)).powi(2)).sum()
}
fn onemax(x: &[f64]) -> f64 {
    x.iter().map(|v| 1.0 - v).sum()
}
fn leading(x: &[f64]) -> f64 {
    x.len() as f64 - x.iter().take_while(|v| **v == 1.0).count() as f64
}
fn show(name: &str, f: fn(&[f64]) -> f64, s: impl Fn(u64) -> Settings) {
    let runs: Vec<Outcome> = (0..20).map(|k| minimize(&s(k), f).unwrap()).collect();
    let mut ok: Vec<u64> = runs.iter().filter(|r| r.stop.is_target()).map(|r| r.evaluations).collect();
    ok.sort();
    let mut all: Vec<u64> = runs.iter().map(|r| r.evaluations).collect();
    all.sort();
    let mut reasons = std::collections::BTreeMap::new();
    runs.iter().for_each(|r| *reasons.entry(r.stop.name()).or_insert(0) += 1);
    eprintln!("{name}: {}/20 median {:?} all {} {reasons:?}", ok.len(), ok.get(ok.len() / 2), all[10]);
}
#[test]
fn explore() {
    let d = 20;
    for (name, tol) in [("limit", Some(1e14)), ("nolimit", None)] {
        let half = |seed| Settings::new(vec![0.0; d], 1.0).integer((0..d).map(|i| i % 2 == 1).collect::<Vec<_>>()).seed(seed)
            .restarts(Restarts::Off).target(1e-8).max_evaluations(100_000).tolconditioncov(tol);
        show(name, ell, half);
    }
    let half = Settings::new(vec![0.0; d], 1.0).integer((0..d).map(|i| i % 2 == 1).collect::<Vec<_>>())
            .restarts(Restarts::Off).target(1e-8).max_evaluations(100_000);
    for seed in 0..20 {
        let s = half.clone().seed(seed);
        let out = Run::new(&s).observe(|es| { if es.stop_reason().is_some_and(|r| r.name() == "tolconditioncov") {
            eprintln!("{seed} gen {} {:?} best {:?}\n stds {:.4?} axes {:.4?}\n mean {:.3?}", es.generation(), es.stop_reason(), es.best().unwrap().value, es.standard_deviations(), es.axis_lengths(), es.distribution().mean());
            } std::ops::ControlFlow::Continue(()) }).minimize(ell).unwrap();
        if out.stop.name() == "tolconditioncov" { break }
    }
    for n in [4usize, 10] {
        let all = |seed| Settings::new(vec![0.0; n], 1.0).integer(true).strategy(Strategy::Published).seed(seed)
            .restarts(Restarts::Off).target(1e-8).max_evaluations(100_000);
        show("published all sphere", sphere, all);
        show("published all ell", ell, all);
    }
}
