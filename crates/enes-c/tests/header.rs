//! include/enes.h is what cbindgen makes of the sources; `ENES_NEW_HEADER=1` writes it.

use std::path::Path;

#[test]
fn the_header_is_current() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).unwrap();
    let files = ["error", "optimizer", "read", "minimize"].map(|name| root.join(format!("src/{name}.rs")));
    let builder = files.iter().fold(cbindgen::Builder::new().with_config(config), |b, file| b.with_src(file));
    let mut made = Vec::new();
    builder.generate().unwrap().write(&mut made);
    let file = root.join("include/enes.h");
    if std::env::var_os("ENES_NEW_HEADER").is_some() {
        std::fs::write(&file, &made).unwrap();
    }
    let there = std::fs::read_to_string(file).unwrap_or_default();
    assert!(
        there == String::from_utf8(made).unwrap(),
        "include/enes.h is not current: ENES_NEW_HEADER=1 cargo test -p enes-c --test main header"
    );
}
