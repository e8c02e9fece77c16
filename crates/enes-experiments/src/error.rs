//! What can go wrong in a reproduction, in words for the person who typed it.

/// A reproduction that could not be carried out.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReproduceError {
    #[error("{0}")]
    Settings(#[from] enes::SettingsError),
    #[error("{0}")]
    Ask(#[from] enes::AskError),
    #[error("{0}")]
    Tell(#[from] enes::TellError),
    #[error("{0}")]
    Problem(#[from] enes_problems::ProblemError),
    /// A folder that cannot be used: what is wrong, and what to do.
    #[error("cannot use the folder {folder}: {reason}")]
    Folder { folder: String, reason: String },
    /// Flags that do not make a study.
    #[error("{0}")]
    Usage(String),
    #[error("could not start {jobs} threads: {reason}; ask for fewer with --jobs")]
    Threads { jobs: usize, reason: String },
    /// A peer that does not do what it should.
    #[error(
        "the peer {python} cannot be used: {reason}; name another with --python, or leave it out with --without-peer"
    )]
    Peer { python: String, reason: String },
    /// An environment for the peer that could not be made: the step that failed, and what the system said.
    #[error(
        "cannot make an environment for pycma, {what}: {reason}; name a Python that has {requirements} with \
         --python, or run without it: --without-peer"
    )]
    Environment { what: String, requirements: String, reason: String },
    #[error("cannot write the result: {0}")]
    Output(#[from] std::io::Error),
}
