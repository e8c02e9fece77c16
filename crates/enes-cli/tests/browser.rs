//! The page of `enes reproduce` in a real browser, headless, at the width of a phone and of a desktop.
//!
//! Without a browser the test says so.

#[path = "browser/mod.rs"]
mod browser;

use std::fs;
use std::process::Command;

#[test]
fn the_page_reads_well_on_a_phone_and_on_a_desktop() {
    let Some(browser) = browser::browser() else {
        eprintln!("no browser here: the page was not looked at");
        return;
    };
    let folder = std::env::temp_dir().join(format!("enes-browser-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    let out = folder.join("reproduction");
    let enes = env!("CARGO_BIN_EXE_enes");
    let status = Command::new(enes)
        .args(["reproduce", "all", "--quick", "--quiet", "--out"])
        .arg(&out)
        .status()
        .unwrap();
    assert!(status.success());
    let checked = browser::with_checks(&out.join("index.html"), &folder);
    for width in [390, 1280] {
        let found = browser::look_for_problems(browser, &checked, &folder, width);
        assert!(found["figures"].as_u64().unwrap() >= 11, "{found}");
        assert!(found["sorted"].as_u64().unwrap() >= 7, "{found}");
    }
    let _ = fs::remove_dir_all(&folder);
}
