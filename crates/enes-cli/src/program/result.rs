//! What remains of a run: `best.json`, words, one JSON object.

use std::io::Write;

use enes::{ConstraintKind, ConstraintStatus};
use serde_json::{Map, Value, json};

use super::answer::best_words;
use super::end::{End, Ending};
use super::session::Session;
use crate::display::{
    grouped, optima_words, optimum_object, plain, restart_object, restart_words, reused_words, words,
};
use crate::error::CommandError;

/// The result as one object; `best.json` has a checksum besides, else `--json` is the same.
fn object(session: &Session<'_>, end: &End) -> Value {
    let names = session.space.names();
    let best = session.best();
    let measured = measured(session);
    let x: Vec<f64> = match &measured {
        Some(mean) => mean.point.clone(),
        None => best.map(|b| b.x.clone()).unwrap_or_default(),
    };
    let named: Map<String, Value> = names.into_iter().zip(x.iter().map(|v| json!(v))).collect();
    let value = measured.as_ref().map(|mean| mean.value).or(best.map(|b| b.value));
    let mut object = json!({
        "name": session.plan.name,
        "value": value.filter(|v| v.is_finite()),
        "violation": best.map(|b| b.violation),
        "id": best.filter(|_| measured.is_none()).and_then(|b| b.id),
        "x": x,
        "named": named,
        "mean": session.es.best_search().0,
        "evaluations": session.evaluations(),
        "failures": session.tally().failures,
        "generations": session.es.generation(),
        "strategy": session.plan.strategy,
        "population": session.plan.population,
        "reused_share": session.es.reused_share(),
        "stop": end.name,
        "stop_message": end.message,
        "seconds": session.seconds(),
        "success": end.kind == Ending::Target || session.es.is_successful(),
        "restarts": session.es.restarts().iter().map(restart_object).collect::<Vec<_>>(),
        "optima": session.es.optima().iter().map(optimum_object).collect::<Vec<_>>(),
        "run": session.folder.path().display().to_string(),
    });
    if !session.plan.constraints.is_empty() {
        object["constraints"] = session.es.constraints().iter().map(constraint_object).collect();
        object["feasible"] = json!(best.is_some_and(|b| b.violation == 0.0));
        object["max_violation"] = json!(session.es.best().map(|b| b.violation));
    }
    if session.es.injected() > 0 {
        object["injected"] = json!(session.es.injected());
        object["best_is_injected"] = json!(measured.is_none() && best.is_some_and(|b| b.id.is_none()));
    }
    if let Some(mean) = measured {
        object["standard_error"] = json!(mean.standard_error.filter(|e| e.is_finite()));
        object["luckiest"] = json!(best);
    }
    object
}

/// Under noise: the mean and what it was measured to be.
fn measured(session: &Session<'_>) -> Option<enes::Recommendation> {
    session.es.recommendation().filter(|_| session.plan.noisy)
}

pub(crate) fn write(session: &Session<'_>, end: &End) -> Result<(), CommandError> {
    session.folder.write("best.json", crate::files::sealed_object(&format!("{:#}", object(session, end))))
}

pub(crate) fn print_json(session: &Session<'_>, end: &End) -> Result<(), CommandError> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", object(session, end))?;
    Ok(out.flush()?)
}

/// The result in words.
pub(crate) fn describe(session: &Session<'_>, end: &End, met: bool) {
    words("");
    words(&format!("{}: {}", if met { "done" } else { "stopped" }, end.message));
    match (measured(session), session.best()) {
        (_, None) => words("  no evaluation gave a value"),
        (Some(mean), _) => {
            let error = mean.standard_error.unwrap_or(f64::NAN);
            words(&format!("  mean's value {:.6e} ± {error:.1e}", mean.value));
            coordinates(session, &mean.point);
        }
        (None, Some(best)) => {
            let value = best_words(best.value, best.violation, 9);
            let from = best.id.map_or_else(|| "injected".into(), |id| format!("evaluation {id}"));
            words(&format!("  best value   {value}  ({from})"));
            coordinates(session, &best.x);
            constraint_words(session);
        }
    }
    words(&format!(
        "  evaluations  {}, {} of them failed, in {} generations of {} points{}",
        grouped(session.evaluations()),
        session.tally().failures,
        session.es.generation(),
        session.es.population_size(),
        reused_words(session.es.reused_share())
    ));
    if session.es.injected() > 0 {
        let count = session.es.injected();
        words(&format!("  injected     {} point{}", grouped(count), if count == 1 { "" } else { "s" }));
    }
    restart_words(session.es.restarts()).iter().for_each(|line| words(line));
    optima_words(&session.es.optima()).iter().for_each(|line| words(line));
    words(&format!("  time         {:.1} s", session.seconds()));
    words(&format!("  folder       {}", session.folder.path().display()));
}

/// A constraint at the best point.
fn constraint_object(constraint: &ConstraintStatus) -> Value {
    json!({
        "name": constraint.name,
        "kind": if constraint.kind == ConstraintKind::Equality { "equality" } else { "inequality" },
        "value": constraint.value,
        "multiplier": constraint.multiplier,
        "active": constraint.active,
    })
}

fn constraint_words(session: &Session<'_>) {
    if session.plan.constraints.is_empty() {
        return;
    }
    for constraint in session.es.constraints().iter().filter(|c| c.active).take(12) {
        let ConstraintStatus { name, value, multiplier, .. } = constraint;
        words(&format!("    active: {} = {value:.3e}, multiplier {multiplier:.4}", plain(name)));
    }
}

fn coordinates(session: &Session<'_>, x: &[f64]) {
    for (name, x) in session.space.names().iter().zip(x).take(12) {
        words(&format!("    {} = {x}", plain(name)));
    }
    if x.len() > 12 {
        words(&format!("    … {} more in best.json", x.len() - 12));
    }
}
