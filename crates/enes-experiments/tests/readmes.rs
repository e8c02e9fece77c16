//! What the committed documents show is what the committed data says.

use std::fs;
use std::path::Path;

#[test]
fn readmes_of_the_studies_show_the_committed_tables() {
    let benchmarks = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benchmarks");
    for (study, table) in [
        ("paper", "table"),
        ("adaptive", "table"),
        ("costly", "table"),
        ("costly", "guide"),
        ("restarts", "table"),
    ] {
        let page = format!("{study}/README.md");
        let text = fs::read_to_string(benchmarks.join(&page)).unwrap();
        let (begin, end) = (format!("<!-- {table} -->\n"), format!("<!-- /{table} -->"));
        let shown = text.split(&begin).nth(1).and_then(|rest| rest.split(&end).next());
        let table = fs::read_to_string(benchmarks.join(study).join(format!("{table}.md"))).unwrap();
        assert_eq!(shown, Some(table.as_str()), "cargo xtask readme puts it into {page}");
    }
}
