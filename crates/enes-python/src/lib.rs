//! The private extension module `enes._enes`: thin wrappers that convert, release the interpreter
//! lock and call the library. Everything users see is written in Python, in `python/enes`.

mod beside;
mod command;
mod history;
mod optimizer;
mod problem;
mod raised;
mod reports;
mod settings;
mod warm_start;

use pyo3::prelude::*;

/// The extension module of the package `enes`; use the package.
#[pymodule]
mod _enes {
    #[pymodule_export]
    use super::command::run_command;
    #[pymodule_export]
    use super::optimizer::Core;
    #[pymodule_export]
    use super::problem::Problem;
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("OPTIONS", super::settings::NAMES)
    }
}
