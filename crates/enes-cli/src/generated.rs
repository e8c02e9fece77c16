//! Shell completions and the manual page, made from the arguments themselves.

use std::io::Write;

use clap::CommandFactory;
use clap_complete::Shell;

use crate::arguments::Arguments;
use crate::error::CommandError;

/// Completions for a shell, on stdout.
pub(crate) fn completions(shell: Shell) -> Result<(), CommandError> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "enes", &mut text);
    Ok(std::io::stdout().lock().write_all(&text)?)
}

/// The manual: the page of the command, then those of its subcommands, in roff, on stdout.
pub(crate) fn manual() -> Result<(), CommandError> {
    let mut text = Vec::new();
    let command = Arguments::command();
    clap_mangen::Man::new(command.clone()).render(&mut text)?;
    for sub in command.get_subcommands().filter(|s| !s.is_hide_set()) {
        let name = format!("enes-{}", sub.get_name());
        clap_mangen::Man::new(sub.clone()).title(name).render(&mut text)?;
    }
    Ok(std::io::stdout().lock().write_all(&text)?)
}
