//! A part of a study: some cells, who searches in them, tables and what is claimed of them.

use std::fmt::Write;

use enes_chart::{Axis, Chart};
use enes_problems::Function;

use super::{Column, Contender, Contest, Kind};
use crate::plan::Plan;
use crate::run::{RunRecord, RunSpec};
use crate::section::Section;

/// Cells that share an experiment, tables and claims.
pub(crate) struct Part {
    /// Of the experiment, the section, the table and its file.
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) intro: fn() -> String,
    /// How tables call the contenders where it is not their name.
    pub(crate) labels: &'static [(Contender, &'static str)],
    pub(crate) kinds: fn(Plan) -> Vec<Kind>,
    /// Who searches in this dimension.
    pub(crate) contenders: fn(usize) -> &'static [Contender],
    /// Runs of a kind by a contender.
    pub(crate) runs: fn(Plan, &Kind, Contender) -> u64,
    /// What differs from a single search.
    pub(crate) change: fn(Contender, RunSpec) -> RunSpec,
    pub(crate) tables: Tables,
    pub(crate) columns: fn(usize) -> Vec<Column>,
    /// Figures and claims.
    pub(crate) judge: fn(&[Contest<'_>], &mut Section),
}

pub(crate) enum Tables {
    /// All cells, under this caption.
    One(&'static str),
    /// A table for each dimension, called so and the dimension, with a caption.
    ByDimension(&'static str, fn(Plan, usize) -> String),
}

impl Part {
    pub(crate) fn specs(&self, plan: Plan) -> Vec<RunSpec> {
        let mut specs = Vec::new();
        for kind in (self.kinds)(plan) {
            for &contender in (self.contenders)(kind.d) {
                let spec = |run| contender.of((self.change)(contender, kind.spec(self.name, run)));
                specs.extend((0..(self.runs)(plan, &kind, contender)).map(spec));
            }
        }
        specs
    }

    pub(crate) fn contests<'a>(&self, plan: Plan, runs: &'a [RunRecord]) -> Vec<Contest<'a>> {
        (self.kinds)(plan).into_iter().map(|kind| Contest::new(runs, self.name, kind)).collect()
    }

    fn label(&self, contender: Contender) -> &'static str {
        self.labels.iter().find(|l| l.0 == contender).map_or(contender.name(), |l| l.1)
    }

    /// Nothing where there are no records.
    pub(crate) fn section(&self, plan: Plan, runs: &[RunRecord]) -> Option<Section> {
        if !runs.iter().any(|r| r.experiment == self.name) {
            return None;
        }
        let contests = self.contests(plan, runs);
        let mut section = Section::new(self.name, self.title, (self.intro)());
        let mut push = |name: &str, caption: &str, columns: Vec<Column>, chosen: &[&Contest<'_>]| {
            section.tables.push(Column::table(&columns, (name, caption), &|c| self.label(c), chosen));
        };
        match self.tables {
            Tables::One(caption) => {
                push(self.name, caption, (self.columns)(0), &contests.iter().collect::<Vec<_>>());
            }
            Tables::ByDimension(name, caption) => {
                for d in dimensions(&contests) {
                    let chosen: Vec<_> = contests.iter().filter(|c| c.kind.d == d).collect();
                    push(&format!("{name}-d{d}"), &caption(plan, d), (self.columns)(d), &chosen);
                }
            }
        }
        (self.judge)(&contests, &mut section);
        Some(section)
    }

    /// A row of medians for each contender in each dimension, a column for each function.
    pub(crate) fn markdown(
        &self,
        plan: Plan,
        runs: &[RunRecord],
        shown: &[Contender],
        dimension: fn(usize) -> String,
    ) -> String {
        let contests = self.contests(plan, runs);
        let names: Vec<&str> = functions_of(&contests).iter().map(|f| f.name()).collect();
        let mut out = format!("| d | | {} |\n|{}\n", names.join(" | "), "---|".repeat(names.len() + 2));
        for d in dimensions(&contests) {
            let rows = (self.contenders)(d).iter().filter(|c| shown.contains(c));
            for (i, &contender) in rows.enumerate() {
                let of_d = contests.iter().filter(|c| c.kind.d == d);
                let cells: Vec<String> = of_d.map(|c| c.by(contender).short()).collect();
                let first = if i == 0 { dimension(d) } else { String::new() };
                let _ = writeln!(out, "| {first} | {} | {} |", self.label(contender), cells.join(" | "));
            }
        }
        out
    }
}

/// A line for each function: something of a contest by dimension, where it is finite.
pub(crate) fn chart_by_dimension(
    title: &str,
    label: &str,
    contests: &[Contest<'_>],
    y: &dyn Fn(&Contest<'_>) -> f64,
) -> String {
    let mut chart = Chart::new(title, Axis::log("dimension d"), Axis::log(label));
    for (colour, f) in functions_of(contests).into_iter().enumerate() {
        let cells = contests.iter().filter(|c| c.kind.f == f);
        let points = cells.map(|c| (c.kind.d as f64, y(c))).filter(|p| p.1.is_finite()).collect();
        chart.marked(f.name(), colour, colour >= 8, points);
    }
    chart.svg()
}

/// The dimensions of contests, in their order.
pub(crate) fn dimensions(contests: &[Contest<'_>]) -> Vec<usize> {
    let mut all: Vec<usize> = contests.iter().map(|c| c.kind.d).collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn functions_of(contests: &[Contest<'_>]) -> Vec<Function> {
    let mut all = Vec::new();
    for contest in contests {
        if !all.contains(&contest.kind.f) {
            all.push(contest.kind.f);
        }
    }
    all
}
