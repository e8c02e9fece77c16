//! The house: rooms import downwards only, and `impl Optimizer` and `impl Settings` stay in theirs.

use std::path::{Path, PathBuf};

/// The rooms of the library, from the top down. A room imports only rooms below it.
const ROOMS: [&str; 16] = [
    "minimize",
    "outcome",
    "optimizer",
    "restarts",
    "settings",
    "noise",
    "stopping",
    "strategy",
    "archive",
    "space",
    "search",
    "constraints",
    "math",
    "linalg",
    "random",
    "error",
];

/// The parts of the adaptive strategy, from the top down.
const ADAPTIVE: [&str; 13] = [
    "external",
    "proposals",
    "lead",
    "resize",
    "limited",
    "config",
    "gradient",
    "surrogate",
    "rank_based",
    "need",
    "mode",
    "sizes",
    "tuning",
];

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// The room of a file, and what of it is not a test; `None` for tests and `lib.rs`.
fn room_and_code(path: &Path) -> Option<(String, String)> {
    let inside = path.strip_prefix(source()).unwrap();
    let parts: Vec<String> = inside.iter().map(|p| p.to_string_lossy().replace(".rs", "")).collect();
    if parts[0] == "lib" || parts.iter().any(|part| part == "tests") {
        return None;
    }
    let text = std::fs::read_to_string(path).unwrap();
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    Some((parts[0].clone(), code.to_string()))
}

/// The rooms that a piece of code names as `crate::room`, with braces opened.
fn imports(code: &str) -> Vec<String> {
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let joined: String = lines.collect::<Vec<_>>().join(" ");
    let mut rooms = Vec::new();
    for rest in joined.split("crate::").skip(1) {
        let inner = rest.strip_prefix('{').and_then(|list| list.split(';').next()).unwrap_or(rest);
        let heads: Vec<&str> = if rest.starts_with('{') { inner.split(", ").collect() } else { vec![inner] };
        let word =
            |head: &str| head.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
        rooms.extend(heads.into_iter().map(word));
    }
    rooms
}

/// What is wrong with an import; `None` where it points downwards.
fn wrong(order: &[&str], from: &str, to: &str) -> Option<String> {
    let place = |room: &str| order.iter().position(|r| *r == room);
    match (place(from), place(to)) {
        _ if from == to => None,
        (Some(a), Some(b)) if a < b => None,
        (Some(_), Some(_)) => Some(format!("{from} imports {to}, which stands above it")),
        _ => Some(format!("{from} imports {to}: a name of lib.rs, or a room without a place in the order")),
    }
}

#[test]
fn imports_point_one_way_only() {
    let mut edges = 0;
    for path in files(&source()) {
        let Some((room, code)) = room_and_code(&path) else { continue };
        assert!(ROOMS.contains(&room.as_str()), "{room} has no place in the order of rooms");
        for to in imports(&code) {
            edges += usize::from(to != room);
            let fault = wrong(&ROOMS, &room, &to);
            assert!(fault.is_none(), "{}: {}", path.display(), fault.unwrap());
        }
    }
    assert!(edges > 80, "only {edges} imports were seen");
}

#[test]
fn strategies_do_not_know_each_other() {
    for path in files(&source().join("strategy")) {
        // Where the repository lies does not matter.
        let name = path.strip_prefix(source()).unwrap().display().to_string();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(!name.contains("published/") || !text.contains("adaptive::"), "{name}");
        assert!(!name.contains("adaptive/") || !text.contains("published::"), "{name}");
    }
}

#[test]
fn parts_of_the_adaptive_strategy_import_downwards() {
    let home = source().join("strategy/adaptive");
    let mut edges = 0;
    for path in files(&home) {
        let part =
            path.strip_prefix(&home).unwrap().iter().next().unwrap().to_string_lossy().replace(".rs", "");
        if part == "mod" || part == "tests" {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let mut names: Vec<&str> = text.split("strategy::adaptive::").skip(1).collect();
        if path.parent() == Some(&home) || path.ends_with("mod.rs") {
            names.extend(text.split("use super::").skip(1));
        }
        for name in names {
            let to: String = name.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            if ADAPTIVE.contains(&to.as_str()) {
                edges += 1;
                let fault = wrong(&ADAPTIVE, &part, &to);
                assert!(fault.is_none(), "{}: {}", path.display(), fault.unwrap());
            }
        }
    }
    assert!(edges > 8, "only {edges} imports were seen");
}

#[test]
fn a_wrong_edge_is_seen() {
    let upwards = "use crate::linalg;\nuse crate::strategy::adaptive::normal_quantile;";
    assert_eq!(imports(upwards), ["linalg", "strategy"]);
    assert_eq!(wrong(&ROOMS, "space", "linalg"), None);
    assert!(wrong(&ROOMS, "space", "strategy").unwrap().contains("stands above"));
    assert_eq!(imports("use crate::{archive, optimizer::Optimizer};"), ["archive", "optimizer"]);
    assert!(wrong(&ROOMS, "math", "Settings").unwrap().contains("lib.rs"));
    assert!(imports("// crate::optimizer in a comment").is_empty());
}

#[test]
fn optimizer_and_settings_are_implemented_at_home() {
    for path in files(&source()) {
        let Some((room, code)) = room_and_code(&path) else { continue };
        let place = path.display();
        assert!(room == "optimizer" || !code.contains("\nimpl Optimizer"), "{place}");
        assert!(room == "settings" || !code.contains("\nimpl Settings"), "{place}");
    }
}

/// With one program for the tests of a crate, a file that nobody names would not be compiled, and nothing would say so.
#[test]
fn every_file_of_tests_is_compiled() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for entry in std::fs::read_dir(crates).unwrap() {
        let tests = entry.unwrap().path().join("tests");
        let Ok(main) = std::fs::read_to_string(tests.join("main.rs")) else { continue };
        let manifest = std::fs::read_to_string(tests.join("../Cargo.toml")).unwrap();
        for file in files(&tests).iter().filter(|file| file.parent() == Some(&tests)) {
            let name = file.file_stem().unwrap().to_string_lossy();
            let named =
                main.contains(&format!("mod {name};")) || manifest.contains(&format!("name = \"{name}\""));
            assert!(
                named || file.extension().is_none_or(|end| end != "rs"),
                "no program has {}",
                file.display()
            );
        }
    }
}
