//! `--warm-start`: a run folder, a checkpoint, or a table of points and values; the table is also that of `enes inject`.

use std::io::Read;
use std::path::Path;

use enes::{Optimizer, WarmStart};
use serde::Deserialize;

use crate::arguments::MinimizeArguments;
use crate::error::CommandError;

/// A row of a table.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    /// Where it stands, from 1 on.
    pub(crate) line: usize,
    pub(crate) x: Vec<f64>,
    /// NaN where there is none.
    pub(crate) value: f64,
    /// By how much the point violates constraints, where the table tells so.
    pub(crate) violation: Option<f64>,
    /// The constraints that a run declares, in its order; empty where one is missing.
    pub(crate) constraints: Vec<f64>,
}

/// A line of a table: those of a run folder's evaluations, or anybody's.
#[derive(Deserialize)]
struct Line {
    x: Vec<f64>,
    /// Null for a failure, and where the value is infinite.
    value: Option<f64>,
    #[serde(default)]
    violation: Option<f64>,
    /// As a run folder has them, in their order, or by name.
    #[serde(default)]
    constraints: serde_json::Value,
    #[serde(flatten)]
    others: serde_json::Map<String, serde_json::Value>,
}

impl Line {
    fn constraints(&self, names: &[String]) -> Vec<f64> {
        let listed = self.constraints.as_array().filter(|list| list.len() == names.len());
        let named = |(i, name): (usize, &String)| {
            let value = listed.map(|list| &list[i]).or_else(|| self.constraints.get(name));
            value.or_else(|| self.others.get(name)).and_then(serde_json::Value::as_f64)
        };
        names.iter().enumerate().map(named).collect::<Option<Vec<f64>>>().unwrap_or_default()
    }
}

/// What the flags say, read; `names` are the coordinates', for tables with a header.
pub(crate) fn of(arguments: &MinimizeArguments, names: &[String]) -> Result<Option<WarmStart>, CommandError> {
    let Some(path) = &arguments.warm_start else { return Ok(None) };
    let warm = read(path, names).map_err(|reason| {
        let path = path.display().to_string();
        CommandError::WarmStart { path, reason }
    })?;
    let warm = if arguments.warm_without_points { warm.points(false) } else { warm };
    Ok(Some(warm.widen(arguments.warm_widen)))
}

fn read(path: &Path, names: &[String]) -> Result<WarmStart, String> {
    let bytes = content(path)?;
    if is_checkpoint(&bytes) {
        let run = Optimizer::from_checkpoint(&bytes).map_err(|error| error.to_string())?;
        return Ok(WarmStart::from_run(&run));
    }
    let rows = rows(bytes, names, &[])?;
    // The record of a run must hold the table as JSON, which has no infinite numbers.
    let finite = rows.into_iter().filter(|row| row.value.is_finite()).map(|row| (row.x, row.value));
    let (points, values): (Vec<_>, Vec<_>) = finite.unzip();
    if points.is_empty() {
        return Err(NOTHING_FINITE.into());
    }
    Ok(WarmStart::from_table(points, values))
}

pub(crate) const NOTHING_FINITE: &str = "it has no value that is a finite number";

/// The rows of a table: a file, the evaluations of a run folder, or `-` for standard input.
pub(crate) fn table(path: &Path, names: &[String], constraints: &[String]) -> Result<Vec<Row>, String> {
    let bytes = if path == Path::new("-") {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).map_err(|error| error.to_string())?;
        bytes
    } else {
        content(path)?
    };
    if is_checkpoint(&bytes) {
        return Err("it is a checkpoint, which has no points with values: give the folder of its run".into());
    }
    rows(bytes, names, constraints)
}

fn content(path: &Path) -> Result<Vec<u8>, String> {
    let file = if path.is_dir() { path.join("evaluations.jsonl") } else { path.to_path_buf() };
    if path.is_dir() && !file.is_file() {
        return Err("it is not the folder of a run: it has no evaluations.jsonl".into());
    }
    std::fs::read(&file).map_err(|error| error.to_string())
}

fn is_checkpoint(bytes: &[u8]) -> bool {
    bytes.starts_with(b"enes-checkpoint")
}

/// The rows of a table: coordinates and constraints have these names.
pub(crate) fn rows(bytes: Vec<u8>, names: &[String], constraints: &[String]) -> Result<Vec<Row>, String> {
    let text = String::from_utf8(bytes).map_err(
        |_| "it is no text: give a run folder, a checkpoint, JSON lines or comma-separated values",
    )?;
    if text.trim_start().starts_with('{') {
        lines(&text, constraints)
    } else {
        columns(&text, names, constraints)
    }
}

/// JSON lines; a last line that was cut off is left out.
fn lines(text: &str, constraints: &[String]) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    let count = text.lines().count();
    for (i, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        match serde_json::from_str::<Line>(line) {
            Ok(found) => {
                let constraints = found.constraints(constraints);
                let Line { x, value, violation, .. } = found;
                rows.push(Row { line: i + 1, x, value: value.unwrap_or(f64::NAN), violation, constraints });
            }
            Err(_) if i + 1 == count && !text.ends_with('\n') => {}
            Err(error) => return Err(format!("line {}: needs x and value ({error})", i + 1)),
        }
    }
    Ok(rows)
}

/// Comma-separated values. With a header the value is in the column `value`, a violation in `violation`, constraints in
/// columns of their names, and coordinates are found by their names where it has them all; else they stand in order, and the value last.
fn columns(text: &str, names: &[String], constraints: &[String]) -> Result<Vec<Row>, String> {
    let cells = |line: &str| line.split(',').map(|cell| cell.trim().trim_matches('"').to_string()).collect();
    let mut rows: Vec<(usize, Vec<String>)> = text
        .lines()
        .enumerate()
        .filter(|(_, l)| !l.trim().is_empty())
        .map(|(i, l)| (i + 1, cells(l)))
        .collect();
    let header = match rows.first() {
        Some((_, first)) if first.iter().any(|cell| !cell.is_empty() && cell.parse::<f64>().is_err()) => {
            rows.remove(0).1
        }
        _ => Vec::new(),
    };
    let at = |name: &str| header.iter().position(|column| column == name);
    let violation = at("violation").filter(|_| !names.iter().any(|name| name == "violation"));
    let told: Option<Vec<usize>> = constraints.iter().map(|name| at(name)).collect();
    let told = told.unwrap_or_default();
    let mut table = Vec::new();
    for (line, row) in rows {
        let number = |i: usize| match row.get(i).map(String::as_str) {
            Some("") => Ok(f64::NAN),
            Some(cell) => cell.parse::<f64>().map_err(|_| format!("line {line}: `{cell}` is no number")),
            None => Err(format!("line {line}: it has {} columns, too few", row.len())),
        };
        let value = at("value").unwrap_or(row.len() - 1);
        let named: Option<Vec<usize>> = names.iter().map(|name| at(name)).collect();
        let order = named.filter(|columns| !columns.is_empty()).unwrap_or_else(|| {
            (0..row.len()).filter(|i| *i != value && Some(*i) != violation && !told.contains(i)).collect()
        });
        table.push(Row {
            line,
            x: order.into_iter().map(number).collect::<Result<_, _>>()?,
            value: number(value)?,
            violation: violation.map(number).transpose()?.filter(|v| !v.is_nan()),
            constraints: told.iter().map(|i| number(*i)).collect::<Result<_, _>>()?,
        });
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|n| n.to_string()).collect()
    }

    #[test]
    fn columns_stand_in_order_or_under_their_names() {
        let plain = columns("1,2,3\n4,5,\n", &[], &[]).unwrap();
        assert_eq!((&plain[0].x, plain[0].value), (&vec![1.0, 2.0], 3.0));
        assert!(plain[1].x == [4.0, 5.0] && plain[1].value.is_nan());
        let row = Row { line: 2, x: vec![1.0, 2.0], value: 3.0, violation: None, constraints: Vec::new() };
        let named = columns("value,b,note,a\n3,2,7,1\n", &names(&["a", "b"]), &[]).unwrap();
        assert_eq!(named, std::slice::from_ref(&row));
        let unknown = columns("p,value,q\n1,3,2\n", &names(&["a", "b"]), &[]).unwrap();
        assert_eq!(unknown, std::slice::from_ref(&row));
        let violated = columns("p,violation,q,value\n1,0.5,2,3\n", &names(&["a", "b"]), &[]).unwrap();
        assert_eq!(violated, [Row { violation: Some(0.5), ..row }]);
    }

    #[test]
    fn errors_have_line_numbers() {
        assert_eq!(columns("1,2\nx,3\n", &[], &[]).unwrap_err(), "line 2: `x` is no number");
        assert_eq!(
            columns("b,value,a\n1,2\n", &names(&["a", "b"]), &[]).unwrap_err(),
            "line 2: it has 2 columns, too few"
        );
        assert!(
            lines("{\"x\": [1], \"value\": 2}\n{\"y\": 1}\n", &[])
                .unwrap_err()
                .starts_with("line 2: needs x")
        );
    }

    #[test]
    fn a_line_that_was_cut_off_is_left_out() {
        let text = "{\"x\": [1], \"value\": 2}\n\n{\"x\": [2], \"value\": null, \"failure\": \"crashed\"}\n{\"x\": [3], \"va";
        let rows = lines(text, &[]).unwrap();
        assert_eq!((rows.len(), rows[0].value, rows[1].line), (2, 2.0, 3));
        assert!(rows[1].x == [2.0] && rows[1].value.is_nan());
    }

    #[test]
    fn constraints_come_by_name_or_as_a_run_folder_has_them() {
        let (names, told) = (names(&["a"]), names(&["mass", "level"]));
        let table = columns("level,a,value,mass\n0.5,1,3,-2\n", &names, &told).unwrap();
        assert_eq!(
            (&table[0].x[..], table[0].value, &table[0].constraints[..]),
            (&[1.0][..], 3.0, &[-2.0, 0.5][..])
        );
        let text = "{\"x\":[1],\"value\":3,\"constraints\":[-2,0.5]}\n{\"x\":[1],\"value\":3,\"level\":0.5,\"mass\":-2}\n\
                    {\"x\":[1],\"value\":3,\"mass\":-2}\n";
        let found: Vec<Vec<f64>> =
            lines(text, &told).unwrap().into_iter().map(|row| row.constraints).collect();
        assert_eq!(found, [vec![-2.0, 0.5], vec![-2.0, 0.5], vec![]]);
    }
}
