//! A release without its last step: everything that would be published is built, installed and used.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::python::{build, environment, pytest, tool, tools};
use crate::{cargo, step, test};

/// The crates that users need, in the order of their publication: each depends only on those before it.
pub(crate) const PACKAGES: &[&str] =
    &["enes-problems", "enes-chart", "enes", "enes-argmin", "enes-c", "enes-cli"];

/// What each of them says about itself.
const METADATA: &[&str] = &[
    "authors",
    "categories",
    "description",
    "documentation",
    "homepage",
    "keywords",
    "license",
    "readme",
    "repository",
    "rust-version",
];

const WHEEL_TESTS: &str = "crates/enes-python/tests/test_wheel.py";
const CARGO_DENY: &str = "0.20.2";
const WHEEL_TAG: &str = "manylinux_2_17_x86_64";

/// Which schema a file of `.github` follows.
const SCHEMAS: &[(&str, &[&str])] = &[
    ("vendor.github-workflows", &["workflows/test.yml", "workflows/daily.yml", "workflows/release.yml"]),
    ("vendor.dependabot", &["dependabot.yml"]),
    (
        "vendor.github-issue-forms",
        &["ISSUE_TEMPLATE/bug.yml", "ISSUE_TEMPLATE/feature.yml", "ISSUE_TEMPLATE/search.yml"],
    ),
    ("vendor.github-issue-config", &["ISSUE_TEMPLATE/config.yml"]),
];

/// Build, check, install and use everything; publish nothing.
pub(crate) fn dry_run() -> bool {
    environment() && tools() && schemas() && deny() && crates() && documentation() && python_package()
}

/// Send the crates to the registry, in their order; the token comes from the environment.
pub(crate) fn publish() -> bool {
    cargo(&format!("publish --locked{}", selection()))
}

pub(crate) fn selection() -> String {
    PACKAGES.iter().map(|name| format!(" --package {name}")).collect()
}

/// The files in `.github` are what the host expects.
pub(crate) fn schemas() -> bool {
    SCHEMAS.iter().all(|(schema, files)| {
        let mut check = tool("check-jsonschema");
        check.args(["--builtin-schema", schema]).args(files.iter().map(|file| format!(".github/{file}")));
        step(&mut check, &format!("check-jsonschema --builtin-schema {schema}"))
    })
}

/// Licences, crates and sources as `deny.toml` has them; advisories need their database, which CI fetches.
fn deny() -> bool {
    let root = Path::new("target/tools");
    let there = root.join(".crates.toml");
    if !fs::read_to_string(&there).is_ok_and(|text| text.contains(&format!("cargo-deny {CARGO_DENY} "))) {
        let install = format!("install cargo-deny@{CARGO_DENY} --locked --debug --root target/tools");
        if !cargo(&install) {
            return false;
        }
    }
    let mut deny = Command::new(root.join("bin/cargo-deny"));
    step(deny.args(["--workspace", "check", "licenses", "bans", "sources"]), "cargo deny check")
}

/// Package the crates, each against the others' packages, and read what their manifests say.
fn crates() -> bool {
    // Uncommitted files may be there: this is a rehearsal.
    cargo(&format!("package --locked --allow-dirty{}", selection()))
        && PACKAGES.iter().all(|name| is_described(name))
}

fn is_described(name: &str) -> bool {
    let version = env!("CARGO_PKG_VERSION");
    let archive = format!("target/package/{name}-{version}.crate");
    let manifest =
        fs::read_to_string(format!("target/package/{name}-{version}/Cargo.toml")).unwrap_or_default();
    let lacks: Vec<&str> = METADATA
        .iter()
        .copied()
        .filter(|key| !manifest.lines().any(|line| line.starts_with(&format!("{key} = "))))
        .collect();
    let bytes = fs::metadata(&archive).map_or(0, |file| file.len());
    println!("== {archive}: {bytes} bytes; the manifest lacks {lacks:?}");
    lacks.is_empty() && bytes > 0
}

/// As docs.rs builds the pages, as far as stable Rust does.
fn documentation() -> bool {
    test::rustdoc("--cfg docsrs -D warnings")
}

fn python_package() -> bool {
    let release = ["build", "--release", "--locked", "--zig", "--compatibility", "manylinux2014"];
    let Some(wheel) = build(Path::new("target/dist/wheel"), &release) else { return false };
    let Some(source) = build(Path::new("target/dist/source"), &["sdist"]) else { return false };
    let (name, bytes) = (wheel.display(), fs::metadata(&wheel).map_or(0, |file| file.len()));
    println!("== {name}: {bytes} bytes");
    if !name.to_string().contains(WHEEL_TAG) {
        eprintln!("the wheel's tag is not {WHEEL_TAG}");
        return false;
    }
    step(tool("auditwheel").arg("show").arg(&wheel), "auditwheel show")
        && step(tool("twine").args(["check", "--strict"]).args([&wheel, &source]), "twine check --strict")
        && pytest(&wheel, &[WHEEL_TESTS])
        && works_when_installed(&wheel)
        && works_when_installed(&source)
}

/// In an environment with nothing else in it, the package and the command do their work.
fn works_when_installed(file: &Path) -> bool {
    let clean = PathBuf::from("target/dist/clean");
    let _ = fs::remove_dir_all(&clean);
    let python = clean.join("bin/python");
    let python = || Command::new(&python);
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    step(Command::new("python3").args(["-m", "venv"]).arg(&clean), "python3 -m venv, clean")
        && step(python().args(["-m", "pip", "install", "--quiet"]).arg(file), &format!("pip install {name}"))
        && step(python().args(["-I", "xtask/smoke.py"]), "smoke.py")
}
