//! The page of `enes reproduce` in a real browser, headless, at the width of a phone and of a desktop.
//!
//! A script is put into a copy of the page, looks at it as a reader would, and leaves what it found in
//! the document; the browser prints the document. Without a browser the test says so.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

const CHECK: &str = include_str!("browser/check.js");

fn browser() -> Option<&'static str> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    names
        .into_iter()
        .find(|name| Command::new(name).arg("--version").output().is_ok_and(|o| o.status.success()))
}

/// What the checks found at this width. A headless window is never narrower than 500 pixels, a frame
/// in it may be; the page in the frame reports to the one around it.
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
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg("--window-size=1400,2100")
        .args(["--virtual-time-budget=20000", "--dump-dom"])
        .arg(format!("file://{}", around.display()))
        .output()
        .unwrap();
    let document = String::from_utf8_lossy(&output.stdout).to_string();
    let found = document
        .rsplit_once("<pre id=\"enes-check\">")
        .map(|(_, rest)| rest)
        .and_then(|rest| rest.split("</pre>").next());
    let found = found.unwrap_or_else(|| panic!("no result in {} bytes", document.len()));
    serde_json::from_str(&found.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")).unwrap()
}

#[test]
fn the_page_reads_well_on_a_phone_and_on_a_desktop() {
    let Some(browser) = browser() else {
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
    let page = fs::read_to_string(out.join("index.html")).unwrap();
    let early = "<script>window.problems=[];addEventListener('error',e=>problems.push('error: '+e.message))</script></head>";
    let page = page.replace("</head>", early).replace("</body>", &format!("<script>{CHECK}</script></body>"));
    let checked = folder.join("checked.html");
    fs::write(&checked, page).unwrap();
    for width in [390, 1280] {
        let found = look(browser, &checked, &folder, width);
        let seen = found["width"].as_u64().unwrap() as usize;
        assert!(seen <= width && seen + 20 >= width, "the window is {seen} wide"); // less a scroll bar
        let problems = found["problems"].as_array().unwrap();
        assert!(problems.is_empty(), "at {width} pixels: {problems:#?}");
        assert!(found["figures"].as_u64().unwrap() >= 11, "{found}");
        assert!(found["sorted"].as_u64().unwrap() >= 7, "{found}");
    }
    let _ = fs::remove_dir_all(&folder);
}
