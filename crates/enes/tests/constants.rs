//! The table of steering constants in the documentation is that of the code.

use std::collections::BTreeMap;
use std::path::Path;

use enes::Tuning;

/// Name and value of every constant, from the code: `ranks.ridge` and `0.15`.
fn in_code() -> BTreeMap<String, String> {
    let text = format!("{:#?}", Tuning::default());
    let mut path: Vec<String> = Vec::new();
    let mut found = BTreeMap::new();
    for line in text.lines().map(str::trim) {
        match line.strip_suffix(',').unwrap_or(line).split_once(": ") {
            Some((name, rest)) if rest.ends_with('{') => path.push(name.to_string()),
            Some((name, value)) => {
                found.insert([&path[..], &[name.to_string()]].concat().join("."), value.to_string());
            }
            None if line.starts_with('}') => {
                path.pop();
            }
            None => {}
        }
    }
    found
}

/// The same, from the first two columns of the tables in docs/method/constants.md.
fn in_documents() -> BTreeMap<String, String> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/method/constants.md");
    let text = std::fs::read_to_string(page).unwrap();
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` | "));
    rows.map(|(name, rest)| (name.to_string(), rest.split(" |").next().unwrap().to_string())).collect()
}

#[test]
fn the_documentation_lists_every_constant_with_its_value() {
    let code = in_code();
    assert!(code.len() > 40, "{code:?}");
    assert_eq!(in_documents(), code);
}
