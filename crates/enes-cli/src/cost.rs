//! Before a run begins: what a generation costs, and whether this machine can make one.

use enes::Settings;

use crate::display::words;
use crate::error::CommandError;

/// What a generation costs the optimizer itself, in words.
///
/// # Errors
/// A generation that does not fit into this machine's memory.
pub(crate) fn of_a_generation(settings: &Settings) -> Result<String, CommandError> {
    let cost = settings.generation_cost();
    match available() {
        Some(free) if cost.bytes > free => Err(CommandError::Usage(format!(
            "a generation of {} points in {} dimensions needs about {} of memory, and {} are free: \
             search fewer coordinates at once, or give a smaller population",
            cost.points,
            settings.dimension(),
            bytes(cost.bytes),
            bytes(free)
        ))),
        _ => Ok(format!("a generation is {cost}")),
    }
}

/// What to know before a run that is likely to disappoint.
pub(crate) fn warn(settings: &Settings) {
    for warning in settings.warnings() {
        words(&format!("warning: {warning}"));
    }
}

/// Memory that this process may still take, where the system tells: the least of what the machine has left, its
/// container (which may have less) and `ulimit -v` allow.
fn available() -> Option<u64> {
    let number = |path: &str| std::fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let machine = || {
        let text = std::fs::read_to_string("/proc/meminfo").ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
        Some(1024 * line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?)
    };
    let container = || {
        let (most, taken) = (number("/sys/fs/cgroup/memory.max")?, number("/sys/fs/cgroup/memory.current")?);
        Some(most.saturating_sub(taken))
    };
    [machine(), container(), crate::program::memory_limit()].into_iter().flatten().min()
}

fn bytes(count: u64) -> String {
    let size = count as f64;
    match size {
        _ if size < 1e6 => "less than 1 MB".to_string(),
        _ if size < 1e9 => format!("{:.0} MB", size / 1e6),
        _ => format!("{:.1} GB", size / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_words() {
        assert_eq!((bytes(10).as_str(), bytes(2_500_000_000).as_str()), ("less than 1 MB", "2.5 GB"));
    }

    #[test]
    fn the_cost_of_a_generation_is_a_sentence() {
        let said = of_a_generation(&Settings::new(vec![0.0; 10], 1.0)).unwrap();
        assert!(said.starts_with("a generation is 5 points; the optimizer itself holds"), "{said}");
    }
}
