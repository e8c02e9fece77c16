//! What can go wrong in a command, in words for the person who typed it.

/// A command that could not be carried out.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandError {
    /// A setting of the library, with the name of the flag it came from in its text.
    #[error("{0}")]
    Settings(#[from] enes::SettingsError),
    /// A problem that cannot be built.
    #[error("{0}")]
    Problem(#[from] enes_problems::ProblemError),
    /// A folder that cannot be used.
    #[error("cannot use the folder {folder}: {reason}")]
    Folder {
        /// As it was given.
        folder: String,
        /// What is wrong, and what to do.
        reason: String,
    },
    /// A run folder that cannot be read.
    #[error("cannot read the run folder {folder}: {reason}")]
    RunFolder {
        /// As it was given.
        folder: String,
        /// What is wrong, and what to do.
        reason: String,
    },
    /// A report that cannot be written.
    #[error("cannot write the report {file}: {reason}")]
    Report {
        /// Where it should go.
        file: String,
        /// What the system said, and what to do.
        reason: String,
    },
    /// A parameter that cannot be used.
    #[error("{0}")]
    Parameter(#[from] crate::program::ParameterError),
    /// A problem file that cannot be used: where, and what to do.
    #[error("{file}: {reason}")]
    ProblemFile {
        /// As it was given.
        file: String,
        /// Line, key, and what is wrong.
        reason: String,
    },
    /// A file or folder that holds nothing to begin with.
    #[error("cannot start from {path}: {reason}")]
    WarmStart {
        /// As it was given.
        path: String,
        /// Line, and what is wrong.
        reason: String,
    },
    /// Points that cannot be given to a run.
    #[error("cannot inject {path}: {reason}; nothing was given to the run")]
    Inject {
        /// As it was given.
        path: String,
        /// Line, and what is wrong.
        reason: String,
    },
    /// Flags that do not make a run.
    #[error("{0}")]
    Usage(String),
    /// Standard output or error cannot be written.
    #[error("cannot write the result: {0}")]
    Output(#[from] std::io::Error),
}

impl CommandError {
    /// The reader of our output has gone, as `head` does: nothing to complain about.
    pub(crate) fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::Output(e) if e.kind() == std::io::ErrorKind::BrokenPipe)
    }
}
