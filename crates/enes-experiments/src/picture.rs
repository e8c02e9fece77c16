//! The README's picture: evaluations to the target by the default and by pycma, on the paper's functions.

use std::path::Path;

use enes_chart::{Axis, Chart};

use crate::comparison::{Contender, Contest, FUNCTIONS, Kind};
use crate::error::ReproduceError;
use crate::folder::runs_in;
use crate::objective::Perturbation;
use crate::records::replace;
use crate::statistics::count;
use crate::terminal::words;

const D: usize = 10;

/// Draw what the folder of the study `costly` has.
pub(crate) fn write(from: &Path, out: &Path) -> Result<(), ReproduceError> {
    let runs = runs_in(from)?;
    let contest = |&f| Contest::new(&runs, "costly-table", Kind::new(f, Perturbation::None, D));
    let contests: Vec<Contest<'_>> = FUNCTIONS.iter().map(contest).collect();
    if !contests.iter().all(|c| c.is_between(Contender::Batch, Contender::Pycma)) {
        let reason = "it has not all runs of the study `costly` in ten dimensions".to_string();
        return Err(ReproduceError::Folder { folder: from.display().to_string(), reason });
    }
    replace(out, draw(contests).as_bytes())?;
    words(&format!("wrote {}", out.display()));
    Ok(())
}

fn draw(mut contests: Vec<Contest<'_>>) -> String {
    // The largest gain at the top.
    contests.sort_by(|a, b| gain(a).total_cmp(&gain(b)));
    let names: Vec<String> = contests.iter().map(|c| c.kind.function()).collect();
    let mut chart = Chart::new(
        "Evaluations to the target in 10 dimensions",
        Axis::log("median evaluations to 1e-10 (ridges: −1000)").range(10.0, 9000.0),
        // Air for the texts above the first row.
        Axis::named("", &names).range(-0.5, names.len() as f64 - 0.3),
    );
    for (i, c) in contests.iter().enumerate() {
        let y = i as f64;
        chart.line("", 7, false, vec![(c.median(Contender::Batch), y), (c.median(Contender::Pycma), y)]);
    }
    for (name, colour, who) in [("enes", 0, Contender::Batch), ("pycma (CMA-ES)", 1, Contender::Pycma)] {
        let points = contests.iter().enumerate().map(|(i, c)| (c.median(who), i as f64));
        let texts = contests.iter().map(|c| count(c.median(who)));
        chart.labelled(name, colour, points.collect(), texts.collect());
    }
    chart.svg()
}

/// How many times the evaluations pycma needs.
fn gain(contest: &Contest<'_>) -> f64 {
    contest.ratio(Contender::Pycma, Contender::Batch)
}
