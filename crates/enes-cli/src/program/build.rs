//! From flags and a problem file to a plan: flags override the file.

use std::path::{Path, PathBuf};

use super::declared::Declared;
use super::parameters::{Parameter, ParameterError, Space};
use super::plan::{FORMAT, Mode, Plan, Schedule, VERSION, has_placeholder};
use super::problem_file::ProblemFile;
use crate::arguments::MinimizeArguments;
use crate::error::CommandError;
use crate::names::{PopulationName, RateName, StrategyName, baseline};
use crate::stopping::Target;
use crate::warm_start;

/// Programs at a time at most.
const MOST_JOBS: usize = 1024;

/// The plan, checked.
pub(crate) fn plan(arguments: &MinimizeArguments) -> Result<Plan, CommandError> {
    let file = arguments.file.as_deref().map(ProblemFile::read).transpose()?.unwrap_or_default();
    plan_with(arguments, file)
}

/// The plan of these flags and this file, checked.
pub(crate) fn plan_with(arguments: &MinimizeArguments, file: ProblemFile) -> Result<Plan, CommandError> {
    let command = if arguments.command.is_empty() { file.command.clone() } else { arguments.command.clone() };
    if command.is_empty() {
        return Err(usage(
            "what is to be minimized? Give a command after `--`, a problem file, or --problem NAME",
        ));
    }
    let (parameters, sigma0) = parameters(arguments, &file)?;
    let names: Vec<String> = parameters.iter().map(|p| p.name.clone()).collect();
    let worker = arguments.worker || file.worker;
    if !worker && !has_placeholder(&command, &names) {
        return Err(usage(
            "the command has no place for the coordinates: put `{}` where they belong, or use --worker",
        ));
    }
    let value_field = arguments.value_field.clone().or(file.value_field);
    let violation_field = arguments.limits.violation_field.clone().or(file.violation_field);
    let constrained = arguments.limits.constrained || file.constrained;
    check_answers(worker, value_field.is_some(), violation_field.is_some(), constrained)?;
    let words = if arguments.limits.constraints.is_empty() {
        &file.constraints
    } else {
        &arguments.limits.constraints
    };
    let constraints = Declared::new(words, file.linear, arguments.limits.catol.or(file.catol))?;
    if !constraints.is_empty() && (constrained || violation_field.is_some()) {
        return Err(usage(
            "constraints are told one by one, or as one violation, not both: leave out `constrained` and \
             `violation_field`",
        ));
    }
    let noisy = arguments.noisy || file.search.noisy.unwrap_or(false);
    if noisy && (constrained || violation_field.is_some() || !constraints.is_empty()) {
        return Err(enes::SettingsError::NoisyConstraints.into());
    }
    let space = Space::new(&parameters, sigma0).map_err(|e| as_typed(e, arguments))?;
    let dim = space.searched();
    let target = match arguments.stopping.target {
        None => file.stop.target,
        Some(Target::None) => None,
        Some(Target::Value(value)) => Some(value),
    };
    let timeout = arguments.timeout.map(|t| t.as_secs_f64()).or(file.timeout);
    let max_seconds = arguments.stopping.max_seconds.map(|t| t.as_secs_f64()).or(file.stop.max_seconds);
    let max_evaluations = arguments.stopping.max_evaluations.or(file.stop.max_evaluations);
    let max_failures = arguments.max_failures.or(file.stop.max_failures).unwrap_or(20);
    let factor = arguments.baseline_factor.or(file.search.baseline_factor);
    let baseline = baseline(arguments.baseline.or(file.search.baseline), factor)?;
    let population = arguments.population.or(file.search.population);
    let auto_population = population == Some(PopulationName::Auto);
    let eta = arguments.eta.or(file.search.eta).unwrap_or(RateName::Rate(1.0));
    let strategy = arguments.strategy.or(file.search.strategy).unwrap_or_default();
    let jobs = usize::from(arguments.jobs.or(file.jobs).unwrap_or(1));
    if jobs > MOST_JOBS {
        return Err(usage(&format!(
            "`jobs` must be at most {MOST_JOBS}, got {jobs}: each is a thread and a program"
        )));
    }
    let schedule = match (arguments.asynchronous, arguments.sync) {
        (true, _) => Schedule::Async,
        (_, true) => Schedule::Sync,
        _ => file.schedule.unwrap_or_default(),
    };
    if schedule == Schedule::Async && strategy == StrategyName::Published {
        return Err(usage(
            "--async needs the adaptive strategy: importance mixing of the published one needs whole generations; \
             leave --async out, or choose --strategy adaptive",
        ));
    }
    let model = arguments.model.or(file.search.model).unwrap_or_default();
    let shaping = arguments.shaping.clone().or(file.search.shaping).unwrap_or_default();
    let given = population.and_then(PopulationName::size);
    let warm_start = warm_start::of(arguments, &names)?;
    let mut plan = Plan {
        format: FORMAT.into(),
        version: VERSION,
        name: arguments.name.clone().or(file.name).unwrap_or_else(|| program_name(&command)),
        names,
        dim,
        strategy,
        restarts: arguments.restarts.or(file.search.restarts).unwrap_or_default(),
        same_optimum: arguments.stopping.same_optimum.or(file.stop.same_optimum),
        unseen_optima: arguments.stopping.unseen_optima.or(file.stop.unseen_optima),
        tolerances: arguments.stopping.tolerances.or(file.stop.tolerances()),
        model: Some(model),
        batch: arguments.batch.or(file.search.batch),
        workers: None,
        noisy,
        population: given.unwrap_or_default(),
        population_given: given.is_some(),
        auto_population,
        seed: arguments.seed.or(file.search.seed).unwrap_or(0),
        parameters,
        sigma0,
        command,
        mode: if worker { Mode::Worker } else { Mode::Arguments },
        jobs,
        schedule,
        value_field,
        constrained,
        violation_field,
        constraints,
        bound_handling: arguments.limits.bound_handling.or(file.search.bound_handling).unwrap_or_default(),
        timeout,
        max_failures,
        eta: eta.eta(),
        adaptive_eta: eta == RateName::Adaptive,
        refresh_rate: arguments.refresh_rate.or(file.search.refresh_rate).unwrap_or(0.01),
        baseline,
        shaping,
        drift_correction: arguments.drift_correction || file.search.drift_correction.unwrap_or(false),
        algebra_threads: usize::from(arguments.algebra_threads.or(file.search.algebra_threads).unwrap_or(1)),
        target,
        max_evaluations,
        max_seconds,
        warm_start,
    };
    plan.population = plan.settings(&space)?.population_size();
    // A generation is a round of all jobs: up to its points the result does not depend on them.
    plan.workers = Some(jobs.max(plan.population));
    Ok(plan)
}

/// What is wrong with a parameter, by the flag that it came from.
fn as_typed(error: ParameterError, arguments: &MinimizeArguments) -> ParameterError {
    let flags = [
        ("`initial`", "--x0", arguments.x0.is_empty()),
        ("`sigma`", "--sigma0", arguments.sigma0.is_empty()),
    ];
    let typed = flags.iter().filter(|(.., absent)| !absent);
    let reason = typed.fold(error.reason, |reason, (key, flag, _)| reason.replace(key, flag));
    ParameterError { reason, ..error }
}

/// One way to report a violation: after the value, in a field of its own, or in a worker's answer.
fn check_answers(worker: bool, value: bool, violation: bool, constrained: bool) -> Result<(), CommandError> {
    let wrong = match (worker, value, violation, constrained) {
        (true, _, true, _) | (true, _, _, true) => {
            "a worker tells its violation in the field `violation` of its answer: leave out --constrained and \
             --violation-field"
        }
        (false, false, true, _) => {
            "--violation-field needs --value-field: both are fields of one JSON object"
        }
        (false, true, _, true) => {
            "with --value-field the violation is a field, too: use --violation-field, not --constrained"
        }
        _ => return Ok(()),
    };
    Err(usage(wrong))
}

fn usage(text: &str) -> CommandError {
    CommandError::Usage(text.to_string())
}

/// The file's parameters with the flags laid over them, or those the flags describe; and the scale of
/// parameters that have none of their own.
fn parameters(
    arguments: &MinimizeArguments,
    file: &ProblemFile,
) -> Result<(Vec<Parameter>, f64), CommandError> {
    let mut parameters: Vec<Parameter> =
        file.parameters().into_iter().map(Parameter::fixed_by_bounds).collect();
    if parameters.is_empty() {
        let given = [arguments.names.len(), arguments.x0.len(), arguments.dim.unwrap_or(0)];
        let d = given.into_iter().find(|n| *n > 0).ok_or_else(|| {
            usage("how many coordinates? Give --dim, --x0, --names, or parameters in a problem file")
        })?;
        if d > 10_000 {
            return Err(usage(&format!("{d} coordinates are too many: at most 10000")));
        }
        parameters = (0..d).map(|i| Parameter::named(format!("x{i}"))).collect();
    }
    let d = parameters.len();
    let free = parameters.iter().filter(|p| !p.fixed).count();
    let fits = |flag: &str, got: usize, wanted: usize| match got == 0 || got == wanted {
        true => Ok(()),
        false => {
            Err(usage(&format!("{flag} has {got} entries, there are {wanted} coordinates: they must match")))
        }
    };
    fits("--names", arguments.names.len(), d)?;
    fits("--x0", arguments.x0.len(), d)?;
    if arguments.dim.is_some_and(|dim| dim != d) {
        let dim = arguments.dim.unwrap_or(0);
        return Err(usage(&format!("--dim is {dim}, there are {d} coordinates: they must match")));
    }
    for (parameter, name) in parameters.iter_mut().zip(&arguments.names) {
        parameter.name = name.clone();
    }
    for name in &arguments.limits.integer {
        let mut named = parameters.iter_mut().filter(|p| name == "all" || p.name == *name).peekable();
        if named.peek().is_none() {
            return Err(usage(&format!("--integer: there is no coordinate `{name}`; give names, or `all`")));
        }
        named.for_each(|p| p.integer = true);
    }
    for group in &arguments.limits.one_hot {
        for name in group.split(',').map(str::trim) {
            let Some(parameter) = parameters.iter_mut().find(|p| p.name == name) else {
                return Err(usage(&format!("--one-hot: there is no coordinate `{name}`; give names")));
            };
            if parameter.one_hot.as_ref().is_some_and(|other| other != group) {
                return Err(usage(&format!("--one-hot: `{name}` is in two categories; name it once")));
            }
            parameter.one_hot = Some(group.clone());
        }
    }
    for (parameter, x) in parameters.iter_mut().zip(&arguments.x0) {
        parameter.initial = Some(*x);
    }
    let sigma0 = match arguments.sigma0[..] {
        [] => file.search.sigma0.unwrap_or(1.0),
        [sigma] => {
            parameters.iter_mut().for_each(|p| p.sigma = Some(sigma));
            sigma
        }
        _ => {
            fits("--sigma0", arguments.sigma0.len(), free)?;
            let searched = parameters.iter_mut().filter(|p| !p.fixed);
            searched.zip(&arguments.sigma0).for_each(|(p, s)| p.sigma = Some(*s));
            1.0
        }
    };
    Ok((parameters, sigma0))
}

/// Programs that run a script of the user's.
const INTERPRETERS: [&str; 12] =
    ["bash", "julia", "lua", "node", "octave", "perl", "python", "Rscript", "ruby", "sh", "tclsh", "zsh"];

/// A short name: that of the script where an interpreter runs one, else that of the program.
fn program_name(command: &[String]) -> String {
    let stem = |word: &String| Path::new(word).file_stem().map(|s| s.to_string_lossy().to_string());
    let program = command.first().and_then(stem).unwrap_or_default();
    let interpreted =
        INTERPRETERS.contains(&program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'));
    let script =
        command.iter().skip(1).find(|w| !w.starts_with('-') && !w.contains('{')).filter(|_| interpreted);
    let name = script.or(command.first()).and_then(stem).unwrap_or_default();
    let clean: String = name.chars().filter(|c| c.is_alphanumeric() || "-_".contains(*c)).take(40).collect();
    if clean.is_empty() { "run".into() } else { clean }
}

/// `runs/<name>-<date>`, with a number where that is taken.
pub(crate) fn default_folder(name: &str) -> PathBuf {
    let seconds =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |t| t.as_secs());
    let name: String =
        name.chars().map(|c| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' }).collect();
    let name = name.trim_start_matches('.').chars().take(60).collect::<String>();
    let base = format!("runs/{name}-{}", date(seconds));
    let free = |path: &PathBuf| !path.exists();
    let numbered = (2..).map(|i| PathBuf::from(format!("{base}-{i}")));
    std::iter::once(PathBuf::from(&base)).chain(numbered).find(free).unwrap_or_else(|| base.into())
}

/// `20260131-235959` in universal time (days to civil date after the proleptic Gregorian calendar).
fn date(seconds: u64) -> String {
    let (days, second) = ((seconds / 86_400) as i64, seconds % 86_400);
    let shifted = days + 719_468; // from 1 March of the year 0
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}{month:02}{day:02}-{:02}{:02}{:02}", second / 3600, second / 60 % 60, second % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_civil() {
        assert_eq!(date(0), "19700101-000000");
        assert_eq!(date(951_827_696), "20000229-123456");
        assert_eq!(date(1_798_761_599), "20261231-235959");
    }

    #[test]
    fn runs_are_named_after_the_program() {
        let name = |words: &[&str]| program_name(&words.iter().map(|w| w.to_string()).collect::<Vec<_>>());
        assert_eq!(name(&["./simulate", "{}"]), "simulate");
        assert_eq!(name(&["python", "model.py"]), "model");
        assert_eq!(name(&["/"]), "run");
    }
}
