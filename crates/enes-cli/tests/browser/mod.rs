//! A page in a real browser, headless: a script is put into a copy of it and reports what it found.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

const CHECK: &str = include_str!("check.js");

/// A browser that is installed here.
pub(crate) fn browser() -> Option<&'static str> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    names
        .into_iter()
        .find(|name| Command::new(name).arg("--version").output().is_ok_and(|o| o.status.success()))
}

/// A copy of the page that carries the checks, in this folder.
pub(crate) fn with_checks(page: &Path, folder: &Path) -> PathBuf {
    let page = fs::read_to_string(page).unwrap();
    let early = "<script>window.problems=[];addEventListener('error',e=>problems.push('error: '+e.message))</script></head>";
    let page = page.replace("</head>", early).replace("</body>", &format!("<script>{CHECK}</script></body>"));
    let checked = folder.join("checked.html");
    fs::write(&checked, page).unwrap();
    checked
}

/// What the checks found at this width: no problems, or the test ends here.
pub(crate) fn look_for_problems(browser: &str, page: &Path, folder: &Path, width: usize) -> Value {
    let found = look(browser, page, folder, width);
    let seen = found["width"].as_u64().unwrap() as usize;
    assert!(seen <= width && seen + 20 >= width, "the window is {seen} wide"); // less a scroll bar
    let problems = found["problems"].as_array().unwrap();
    assert!(problems.is_empty(), "at {width} pixels: {problems:#?}");
    found
}

/// A headless window is never narrower than 500 pixels, a frame in it may be; the page in the frame
/// reports to the one around it.
fn look(browser: &str, page: &Path, folder: &Path, width: usize) -> Value {
    let profile = folder.join(format!("profile-{width}"));
    let around = folder.join(format!("around-{width}.html"));
    let frame = format!(
        "<body><script>addEventListener('message',e=>{{const p=document.createElement('pre');p.id='enes-check';\
         p.textContent=e.data;document.body.append(p)}})</script>\
         <iframe style=\"width:{width}px;height:2000px;border:0\" src=\"file://{}\"></iframe></body>",
        page.display()
    );
    fs::write(&around, frame).unwrap();
    let document = document(browser, &format!("file://{}", around.display()), &profile);
    let found = document
        .rsplit_once("<pre id=\"enes-check\">")
        .map(|(_, rest)| rest)
        .and_then(|rest| rest.split("</pre>").next());
    let found = found.unwrap_or_else(|| panic!("no result in {} bytes", document.len()));
    serde_json::from_str(&found.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")).unwrap()
}

/// The document at an address, after twenty seconds of its own time.
pub(crate) fn document(browser: &str, address: &str, profile: &Path) -> String {
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg("--window-size=1400,2100")
        .args(["--virtual-time-budget=20000", "--dump-dom"])
        .arg(address)
        .output()
        .unwrap();
    String::from_utf8_lossy(&output.stdout).to_string()
}
