//! `enes inject`: points that were evaluated elsewhere, left for a run.

use std::fs;
use std::path::Path;

use enes::Optimizer;
use serde::Deserialize;

use super::declared::Declared;
use super::folder::{RunFolder, failure};
use super::intake::{Given, give, leave};
use super::parameters::Space;
use crate::arguments::InjectArguments;
use crate::display::words;
use crate::error::CommandError;
use crate::warm_start::{NOTHING_FINITE, Row, table};

/// What `best.json` says of the end.
#[derive(Deserialize)]
struct End {
    stop: String,
    stop_message: String,
}

/// Check every point and leave all of them for the run, or none.
pub(crate) fn inject(arguments: &InjectArguments) -> Result<(), CommandError> {
    let root = &arguments.folder;
    let plan = RunFolder::plan(root)?;
    let space = plan.space()?;
    let when = when(root)?;
    let fail = |reason| CommandError::Inject { path: arguments.table.display().to_string(), reason };
    let rows = table(&arguments.table, &space.names(), &plan.constraints.names()).map_err(fail)?;
    let count = rows.len();
    let points = checked(rows, &space, &plan.constraints)?.map_err(fail)?;
    leave(root, &points)?;
    if !arguments.quiet {
        let (given, left_out) = (points.len(), count - points.len());
        let without = match left_out {
            0 => String::new(),
            n => format!(", left out {n} without a finite value or infeasible"),
        };
        let points = if given == 1 { "point" } else { "points" };
        words(&format!("gave {given} {points} to the run in {}{without}; taken in {when}", root.display()));
    }
    Ok(())
}

/// The points that have a finite value and are feasible, or what is wrong with the first wrong one. Where constraints are
/// told one by one, infeasible points are worth knowing, too.
pub(crate) fn checked(
    rows: Vec<Row>,
    space: &Space,
    declared: &Declared,
) -> Result<Result<Vec<Given>, String>, CommandError> {
    // A search that only looks at them.
    let mut es = Optimizer::new(&declared.settings(space.settings(), &space.names())?)?;
    let counts =
        |row: &Row| row.value.is_finite() && (!declared.is_empty() || row.violation.is_none_or(|v| v <= 0.0));
    let check = |Row { line, x, value, constraints, .. }| match give(&mut es, space, &x, value, &constraints)
    {
        Ok(()) => Ok(Given { x, value, constraints }),
        Err(reason) => Err(format!("line {line}: {reason}")),
    };
    let points: Result<Vec<Given>, String> = rows.into_iter().filter(counts).map(check).collect();
    Ok(points.and_then(|p| if p.is_empty() { Err(NOTHING_FINITE.into()) } else { Ok(p) }))
}

/// When the run gets them, in words; a run that `resume` cannot continue never does.
fn when(root: &Path) -> Result<String, CommandError> {
    if RunFolder::is_running(root) {
        return Ok("before the next generation".into());
    }
    let end = fs::read(root.join("best.json")).ok();
    let end: Option<End> = end.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let flag = match end.as_ref().map_or("interrupted", |end| &end.stop) {
        "interrupted" | "maxfailures" => "",
        "maxfevals" => " --max-evaluations N",
        "timeout" => " --max-seconds S",
        _ => {
            let message = end.map_or_else(String::new, |end| end.stop_message);
            let reason = format!(
                "its run has ended and cannot be continued ({message}); begin another with --warm-start"
            );
            return Err(failure(root, reason));
        }
    };
    Ok(format!("when the run is continued with `enes resume {}{flag}`", root.display()))
}
