//! The pages of `cargo reproduce` in a real browser, headless, at the width of a phone and of a desktop.
//!
//! Without a browser the test says so.

#[path = "../../enes-cli/tests/browser/mod.rs"]
mod chromium;

use std::fs;
use std::process::Command;

use crate::peer;

#[test]
fn the_page_reads_well_on_a_phone_and_on_a_desktop() {
    look_at("paper", &[], 11, 7);
}

#[test]
fn so_does_the_page_of_the_adaptive_strategy() {
    let arguments = peer::arguments();
    // Without the peer two figures have nothing to compare.
    let figures = if arguments.contains(&"--without-peer".to_string()) { 0 } else { 2 };
    look_at("adaptive", &arguments, figures, 5);
}

#[test]
fn so_does_the_page_of_restarts() {
    look_at("restarts", &peer::arguments(), 1, 5);
}

#[test]
fn so_does_the_page_of_costly_objectives() {
    let arguments = peer::arguments();
    let figures = if arguments.contains(&"--without-peer".to_string()) { 1 } else { 2 };
    look_at("costly", &arguments, figures, 7);
}

/// Make a page with at least so many figures and sortable tables, and look at it.
#[allow(clippy::print_stderr)]
fn look_at(experiment: &str, arguments: &[String], figures: u64, sorted: u64) {
    let Some(browser) = chromium::browser() else {
        eprintln!("no browser here: the page was not looked at");
        return;
    };
    let folder = std::env::temp_dir().join(format!("enes-browser-{experiment}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    let out = folder.join("reproduction");
    let status = Command::new(env!("CARGO_BIN_EXE_reproduce"))
        .args([experiment, "--quick", "--quiet", "--out"])
        .arg(&out)
        .args(arguments)
        .status()
        .unwrap();
    assert!(status.success());
    let checked = chromium::with_checks(&out.join("index.html"), &folder);
    for width in [390, 1280] {
        let found = chromium::look_for_problems(browser, &checked, &folder, width);
        assert!(found["figures"].as_u64().unwrap() >= figures, "{found}");
        assert!(found["sorted"].as_u64().unwrap() >= sorted, "{found}");
    }
    let _ = fs::remove_dir_all(&folder);
}
