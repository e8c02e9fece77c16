//! The tables of the committed studies, where the documents show them.

/// The tables of the committed `enes reproduce adaptive`, `costly` and `restarts`.
pub(crate) fn put_all() -> bool {
    put_table("adaptive", "table.md", "README.md")
        && put_table("costly", "table.md", "README.md")
        && put_table("costly", "guide.md", "docs/costly.md")
        && put_table("restarts", "table.md", "docs/adaptive.md")
}

fn put_table(name: &str, table: &str, page: &str) -> bool {
    let (begin, end) = (&format!("<!-- {name} -->\n"), &format!("<!-- /{name} -->"));
    let write = || -> std::io::Result<()> {
        let table = std::fs::read_to_string(format!("benchmarks/{name}/{table}"))?;
        let text = std::fs::read_to_string(page)?;
        let parts = text.split_once(begin).and_then(|(a, rest)| Some((a, rest.split_once(end)?.1)));
        let (before, after) =
            parts.ok_or_else(|| std::io::Error::other(format!("{page} has lost its marks")))?;
        std::fs::write(page, format!("{before}{begin}{table}{end}{after}"))
    };
    write()
        .inspect_err(|error| eprintln!("cannot put the table of benchmarks/{name} into {page}: {error}"))
        .is_ok()
}
