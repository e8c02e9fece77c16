//! What an experiment hands to the page: figures, tables, claims with their verdicts.

/// One experiment on the page.
#[derive(Clone, Debug)]
pub(crate) struct Section {
    /// Its name in the table of verdicts, and its anchor on the page.
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) intro: String,
    pub(crate) claims: Vec<Claim>,
    pub(crate) figures: Vec<Figure>,
    pub(crate) tables: Vec<Table>,
}

/// A claim of the paper, or a requirement, and what became of it.
#[derive(Clone, Debug)]
pub(crate) struct Claim {
    /// The paper's words, or their gist.
    pub(crate) paper: String,
    pub(crate) measured: String,
    pub(crate) verdict: Verdict,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Verdict {
    Reproduced,
    Differs,
    NotClaimed,
    Met,
    NotMet,
    NotMeasured,
}

/// A figure: its file name without ending, the SVG, a caption.
#[derive(Clone, Debug)]
pub(crate) struct Figure {
    pub(crate) name: String,
    pub(crate) svg: String,
    pub(crate) caption: String,
}

/// A table: its file name without ending, a caption, header and rows.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub(crate) name: String,
    pub(crate) caption: String,
    pub(crate) header: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
}

impl Section {
    pub(crate) fn new(name: &'static str, title: &'static str, intro: impl Into<String>) -> Self {
        let (claims, figures, tables) = (Vec::new(), Vec::new(), Vec::new());
        Self { name, title, intro: intro.into(), claims, figures, tables }
    }

    pub(crate) fn claim(&mut self, paper: &str, measured: String, verdict: Verdict) {
        self.claims.push(Claim { paper: paper.to_string(), measured, verdict });
    }

    pub(crate) fn figure(&mut self, name: impl Into<String>, svg: String, caption: impl Into<String>) {
        self.figures.push(Figure { name: name.into(), svg, caption: caption.into() });
    }
}

impl Verdict {
    /// Reproduced, or else differs.
    pub(crate) fn of(reproduced: bool) -> Self {
        if reproduced { Self::Reproduced } else { Self::Differs }
    }

    /// Met, or else not.
    pub(crate) fn met(met: bool) -> Self {
        if met { Self::Met } else { Self::NotMet }
    }

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Reproduced => "reproduced",
            Self::Differs => "differs",
            Self::NotClaimed => "not claimed",
            Self::Met => "met",
            Self::NotMet => "not met",
            Self::NotMeasured => "not measured",
        }
    }
}

impl Table {
    pub(crate) fn new(
        name: &str,
        caption: impl Into<String>,
        header: &[&str],
        rows: Vec<Vec<String>>,
    ) -> Self {
        let header = header.iter().map(|h| h.to_string()).collect();
        Self { name: name.to_string(), caption: caption.into(), header, rows }
    }

    /// The table as comma-separated values.
    pub(crate) fn csv(&self) -> String {
        let quote = |cell: &str| match cell.contains([',', '"', '\n']) {
            true => format!("\"{}\"", cell.replace('"', "\"\"")),
            false => cell.to_string(),
        };
        let line = |cells: &mut dyn Iterator<Item = String>| cells.collect::<Vec<_>>().join(",") + "\n";
        let mut out = line(&mut self.header.iter().map(|c| quote(c)));
        for row in &self.rows {
            out += &line(&mut row.iter().map(|c| quote(c)));
        }
        out
    }
}
