//! `cargo reproduce many-dimensions` starts its program, and says what is missing.

use std::fs;
use std::process::{Command, Output};

use crate::common::{Folder, message};

fn reproduce(place: &Folder, words: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_reproduce"));
    command.arg("many-dimensions").args(words.split_whitespace()).current_dir(&place.0);
    command.env_remove("ENES_PEER_PYTHON").output().unwrap()
}

#[test]
fn it_hands_its_arguments_to_the_program() {
    let place = Folder::new("many-dimensions");
    let script = place.file("benchmarks/many-dimensions/many_dimensions.py");
    fs::create_dir_all(script.parent().unwrap()).unwrap();
    fs::write(&script, "import sys\nprint(*sys.argv[1:])\nsys.exit('--fail' in sys.argv)\n").unwrap();
    let done = reproduce(&place, "--quick --python python3 -- --parts large --runs 2");
    assert_eq!(done.status.code(), Some(0), "{}", message(&done));
    assert_eq!(String::from_utf8_lossy(&done.stdout).trim(), "--quick --parts large --runs 2");
    let failed = reproduce(&place, "--python python3 -- --fail");
    assert_eq!(failed.status.code(), Some(2));
    assert!(message(&failed).contains("has failed (exit status: 1): it needs enes, cma, cmaes and scipy"));
    let without = reproduce(&place, "");
    assert_eq!(without.status.code(), Some(2));
    assert!(message(&without).contains("as `cargo xtask python` installs them; --python names another"));
}

#[test]
fn it_wants_the_root_of_the_repository() {
    let place = Folder::new("many-dimensions-elsewhere");
    fs::create_dir_all(&place.0).unwrap();
    let output = reproduce(&place, "--quick");
    assert_eq!(output.status.code(), Some(2));
    assert!(message(&output).contains("start it from the root of the repository"), "{}", message(&output));
}
