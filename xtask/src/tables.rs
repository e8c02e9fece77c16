//! The tables of the committed studies, where their READMEs show them.

/// The tables of the committed `cargo reproduce`.
pub(crate) fn put_all() -> bool {
    let tables = [
        ("paper", "table"),
        ("adaptive", "table"),
        ("costly", "table"),
        ("costly", "guide"),
        ("restarts", "table"),
        ("asynchronous", "table"),
        ("many-dimensions", "table"),
    ];
    tables.into_iter().all(|(study, table)| put_table(study, table))
}

fn put_table(study: &str, table: &str) -> bool {
    let (begin, end) = (&format!("<!-- {table} -->\n"), &format!("<!-- /{table} -->"));
    let page = &format!("benchmarks/{study}/README.md");
    let write = || -> std::io::Result<()> {
        let table = std::fs::read_to_string(format!("benchmarks/{study}/{table}.md"))?;
        let text = std::fs::read_to_string(page)?;
        let parts = text.split_once(begin).and_then(|(a, rest)| Some((a, rest.split_once(end)?.1)));
        let (before, after) =
            parts.ok_or_else(|| std::io::Error::other(format!("{page} has lost its marks")))?;
        std::fs::write(page, format!("{before}{begin}{table}{end}{after}"))
    };
    write().inspect_err(|error| eprintln!("cannot put {table}.md into {page}: {error}")).is_ok()
}
