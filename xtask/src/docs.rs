//! The documentation as a site: the Markdown of the repository, the Python reference, rustdoc beside it; then every link.
//!
//! Sphinx, because it makes the Python reference from docstrings, which mdBook cannot, and is installed in seconds.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::python::{self, tool};
use crate::{step, test};

const REQUIREMENTS: &str = "docs/site/requirements.txt";
const SITE: &str = "target/site";
const RUSTDOC: &str = "target/doc";

/// Build the site in `target/site`, and follow every link within it.
pub(crate) fn site() -> bool {
    let built = python::environment()
        && python::install(REQUIREMENTS, ".venv/site.txt")
        && python::wheel().is_some()
        && rustdoc()
        && sphinx();
    let checked =
        built && step(tool("python").args(["docs/site/links.py", SITE]), "every link within the site");
    if checked {
        println!("== the site begins at {SITE}/index.html");
    }
    checked
}

/// The pages of the crates that users have, and of no others.
fn rustdoc() -> bool {
    let _ = fs::remove_dir_all(RUSTDOC);
    test::rustdoc("-D warnings")
}

/// The pages; a warning is an error. rustdoc's go beside them.
fn sphinx() -> bool {
    let _ = fs::remove_dir_all(SITE);
    let mut sphinx = tool("python");
    sphinx.args([
        "-m",
        "sphinx",
        "-b",
        "html",
        "-q",
        "-W",
        "--keep-going",
        "-c",
        "docs/site",
        "-d",
        "target/site-cache",
    ]);
    // Sphinx's own processes would each load the package.
    sphinx.args(["-j", "1", ".", SITE]);
    let mut copy = Command::new("cp");
    copy.args(["-r", RUSTDOC]).arg(Path::new(SITE).join("rust"));
    step(&mut sphinx, "sphinx")
        && step(&mut copy, "rustdoc beside it")
        && begins_at("index.html", "docs/site/index.html")
        && begins_at("rust/index.html", "enes/index.html")
}

/// A page that leads on to another.
fn begins_at(page: &str, target: &str) -> bool {
    let text = format!(
        "<!doctype html><meta http-equiv=\"refresh\" content=\"0; url={target}\"><a href=\"{target}\">enes</a>\n"
    );
    fs::write(Path::new(SITE).join(page), text).is_ok()
}
