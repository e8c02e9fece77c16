//! Whether the program of a run can be started, before the first evaluation.

use std::path::{Path, PathBuf};

use super::system::is_executable;
use crate::error::CommandError;

/// A program that cannot be started fails at every point: say so at once, and what to do.
///
/// # Errors
/// A program that is not there, or may not be executed.
pub(crate) fn check(command: &[String]) -> Result<(), CommandError> {
    // A name that depends on the coordinates is known only at a point.
    let Some(program) = command.first().filter(|word| !word.contains('{')) else { return Ok(()) };
    let Some(reason) = problem(program, std::env::var_os("PATH").map(|path| folders(&path))) else {
        return Ok(());
    };
    Err(CommandError::Usage(format!("cannot start `{program}`: {reason}")))
}

fn folders(path: &std::ffi::OsStr) -> Vec<PathBuf> {
    std::env::split_paths(path).collect()
}

/// Why a program cannot be started, where that is known. Without folders to look in the system chooses its own.
fn problem(program: &str, folders: Option<Vec<PathBuf>>) -> Option<String> {
    let path = Path::new(program);
    if program.contains(std::path::is_separator) {
        return refusal(path);
    }
    // An empty folder stands for the present one, as shells have it.
    if folders?.iter().any(|folder| refusal(&Path::new(".").join(folder).join(program)).is_none()) {
        return None;
    }
    Some(match path.is_file() {
        true => {
            format!("it is in none of the folders of PATH; write ./{program} for the file in this folder")
        }
        false => "it is in none of the folders of PATH; give its path, or install it".to_string(),
    })
}

/// Why this file is no program.
fn refusal(path: &Path) -> Option<String> {
    if path.is_dir() {
        return Some("it is a folder; give the path of a program".to_string());
    }
    if !path.exists() {
        return Some("there is no such file; give its path as seen from this folder".to_string());
    }
    let file = path.display();
    (!is_executable(path)).then(|| {
        format!(
            "it may not be executed; run `chmod +x {file}`, or put its interpreter first, as python3 {file}"
        )
    })
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_as_the_system_finds_them() {
        let found = |program: &str, path: &str| problem(program, Some(folders(path.as_ref())));
        assert_eq!((found("sh", "/nowhere:/bin"), found("/bin/sh", "")), (None, None));
        assert!(found("sh", "/nowhere").unwrap().contains("PATH"));
        assert_eq!(problem("whatever", None), None);
        assert!(found("/bin/no-such-program", "/bin").unwrap().contains("no such file"));
        assert!(found("/bin", "").unwrap().contains("is a folder"));
        assert!(found("/etc/passwd", "").unwrap().contains("chmod +x /etc/passwd"));
        assert!(check(&["./run-{0}".to_string()]).is_ok());
    }
}
