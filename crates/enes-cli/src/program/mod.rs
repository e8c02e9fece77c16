//! `enes minimize`, `resume`, `inject`, `evaluate` and `init` for a user's own program.

mod answer;
mod asynchronous;
mod build;
mod check;
mod child;
mod declared;
mod durable;
mod end;
mod evaluator;
mod folder;
mod found;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
mod guard;
mod inject;
mod intake;
mod launch;
mod parameters;
mod plan;
mod problem_file;
mod record;
mod result;
mod saved;
mod session;
mod status;
mod stream;
mod system;
mod watch;
mod worker;

use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

pub(crate) use answer::best_words;
pub(crate) use check::{repair, verify};
pub(crate) use guard::becomes;
pub(crate) use inject::inject;
pub(crate) use parameters::ParameterError;
pub(crate) use plan::check_settings;
pub(crate) use system::memory_limit;

use crate::arguments::{MinimizeArguments, ResumeArguments};
use crate::cost;
use crate::display::words;
use crate::error::CommandError;
use answer::Answer;
use end::Ending;
use evaluator::{Pool, Reply, Stop, Task};
use folder::RunFolder;
use plan::Plan;
use session::Session;
use status::Status;
use watch::{Computing, Watch};

/// Minimize the user's program. Returns the exit code.
pub(crate) fn minimize(arguments: &MinimizeArguments) -> Result<u8, CommandError> {
    system::supported()?;
    let plan = build::plan(arguments)?;
    found::check(&plan.command)?;
    let root = arguments.run.clone().unwrap_or_else(|| build::default_folder(&plan.name));
    let space = plan.space()?;
    cost::of_a_generation(&plan.settings(&space)?)?;
    let folder = RunFolder::create(&root, &plan)?;
    work(&plan, folder, arguments.json, arguments.quiet)
}

/// Continue a run.
pub(crate) fn resume(arguments: &ResumeArguments) -> Result<u8, CommandError> {
    system::supported()?;
    let (folder, mut plan) = RunFolder::open(&arguments.folder)?;
    plan.max_evaluations = arguments.max_evaluations.or(plan.max_evaluations);
    plan.max_seconds = arguments.max_seconds.map(|t| t.as_secs_f64()).or(plan.max_seconds);
    if arguments.max_evaluations.is_some() || arguments.max_seconds.is_some() {
        folder.keep_limits(&plan)?;
    }
    plan.jobs = arguments.jobs.map_or(plan.jobs, usize::from);
    if !arguments.quiet {
        words(&way_on(&plan, &folder));
    }
    work(&plan, folder, arguments.json, arguments.quiet)
}

/// What a resumed run has before it: more evaluations, or a budget that is spent and how to raise it.
fn way_on(plan: &Plan, folder: &RunFolder) -> String {
    let count = folder.record.tally.count;
    let seconds = folder.latest.as_ref().map_or(0.0, |last| last.seconds);
    match (plan.max_evaluations, plan.max_seconds) {
        (Some(most), _) if count >= most => {
            format!(
                "the budget is spent: {count} of {most} evaluations; to go on, give a larger --max-evaluations"
            )
        }
        (_, Some(most)) if seconds >= most => {
            format!("the time is up: {seconds:.1} of {most} seconds; to go on, give a larger --max-seconds")
        }
        _ => format!("continuing after {count} evaluations"),
    }
}

/// Run the program once at the start point and say what came back.
pub(crate) fn evaluate(arguments: &MinimizeArguments) -> Result<u8, CommandError> {
    system::supported()?;
    let plan = Plan { jobs: 1, ..build::plan(arguments)? };
    found::check(&plan.command)?;
    let x = plan.space()?.initial();
    let (stop, signal) = catch_signals()?;
    let mut answer = None;
    let pool = Pool::new(&plan, &stop);
    let task = Task { id: 0, x: x.clone() };
    pool.evaluate(vec![task], |landed| {
        answer = Some(landed);
        Ok::<(), CommandError>(())
    })?;
    drop(pool);
    let Some(landed) = answer else { return Ok(crate::FAILURE) };
    if !arguments.quiet {
        for (name, value) in plan.names.iter().zip(&x) {
            words(&format!("  {name} = {value}"));
        }
    }
    match landed.reply {
        Reply::Value(Answer { value, violation, constraints }) => {
            let settings = plan.settings(&plan.space()?)?;
            let one_by_one = (!plan.constraints.is_empty()).then(|| settings.violation_at(&x, &constraints));
            let violation = one_by_one.map(|(v, feasible)| if feasible { 0.0 } else { v }).or(violation);
            if !arguments.quiet {
                for (named, value) in plan.constraints.told.iter().zip(&constraints) {
                    words(&format!("  constraint {} = {value}", named.name));
                }
            }
            let told = match violation {
                None => String::new(),
                Some(v) if v > 0.0 => format!(", infeasible with violation {v}"),
                Some(v) => format!(", feasible with violation {v}"),
            };
            if !arguments.quiet {
                words(&format!("the value is {value}{told}, after {:.3} s", landed.seconds));
            }
            let second = violation.map_or_else(String::new, |v| format!(" {v}"));
            writeln!(std::io::stdout().lock(), "{value}{second}")?;
            Ok(0)
        }
        Reply::Failure(reason) => {
            words(&format!("error: the evaluation failed: {reason}"));
            Ok(crate::FAILURE)
        }
        Reply::Interrupted => Ok(exit_code_of(&signal)),
    }
}

/// Write the template; an existing file is left alone.
pub(crate) fn init(file: &Path) -> Result<(), CommandError> {
    let fail = |reason: String| CommandError::ProblemFile { file: file.display().to_string(), reason };
    let mut out = std::fs::File::create_new(file).map_err(|e| match e.kind() {
        std::io::ErrorKind::AlreadyExists => fail("exists already; name another file".into()),
        _ => fail(e.to_string()),
    })?;
    out.write_all(problem_file::TEMPLATE.as_bytes()).map_err(|e| fail(e.to_string()))?;
    words(&format!("wrote {}; next: `enes evaluate {0}`, then `enes minimize {0}`", file.display()));
    Ok(())
}

/// The session, the result, the exit code.
fn work(plan: &Plan, folder: RunFolder, json: bool, quiet: bool) -> Result<u8, CommandError> {
    let space = plan.space()?;
    let (stop, signal) = catch_signals()?;
    if !quiet {
        words(&format!("the run is recorded in {}", folder.path().display()));
        let settings = plan.settings(&space)?;
        words(&cost::of_a_generation(&settings)?);
        cost::warn(&settings);
    }
    let computing = Computing::new();
    let watch = Watch::new(&stop, &signal, &computing, folder.path());
    let mut session = Session::new(plan, &space, folder, computing)?;
    let mut status = Status::new(quiet);
    let end = session.run(&stop, &mut status)?;
    drop((status, watch));
    let feasible = session.best().is_none_or(|best| best.violation == 0.0);
    let met = end.kind == Ending::Target || (plan.target.is_none() && end.kind == Ending::Normal && feasible);
    result::write(&session, &end)?;
    // The result stands without its picture.
    if let Err(error) = crate::report::write(&[session.folder.path().to_path_buf()], None) {
        words(&format!("no report: {error}"));
    }
    let nothing = session.best().is_none() && session.evaluations() > 0;
    if nothing || end.kind == Ending::TooManyFailures {
        words(&format!(
            "error: {} of {} evaluations failed: {}",
            session.tally().failures,
            session.evaluations(),
            end.message
        ));
    }
    if !quiet {
        result::describe(&session, &end, met);
    }
    if json {
        result::print_json(&session, &end)?;
    }
    Ok(match end.kind {
        Ending::Interrupted => exit_code_of(&signal),
        Ending::TooManyFailures => crate::FAILURE,
        _ if nothing => crate::FAILURE,
        _ if met => 0,
        _ => crate::SHORT_OF_TARGET,
    })
}

/// Ctrl-C and SIGTERM set the flag; the second value remembers which it was.
pub(crate) fn catch_signals() -> Result<(Stop, Arc<AtomicUsize>), CommandError> {
    let stop = Stop::default();
    let which = Arc::new(AtomicUsize::new(0));
    system::catch(&stop.0, &which)?;
    Ok((stop, which))
}

/// 129 for SIGHUP, 130 for Ctrl-C, 143 for SIGTERM, as shells have it.
fn exit_code_of(signal: &AtomicUsize) -> u8 {
    u8::try_from(128 + signal.load(Ordering::Relaxed)).unwrap_or(crate::FAILURE)
}
