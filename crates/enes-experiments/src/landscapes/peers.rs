//! Everyone against us: one row for each peer, one column for each dimension.

use super::cells::{Cell, dimensions, header};
use super::contender::Contender;
use super::rivalry::{ALLOWED, ratio};
use crate::comparison::{geometric_mean, ratio_text};
use crate::section::Table;

/// What is said of one peer in one dimension.
struct Standing {
    /// Our expected evaluations over theirs, in each cell that both ran in; infinite, 0 or NaN where not both succeed.
    ratios: Vec<f64>,
    /// Shares of the runs that succeed, summed over the cells.
    ours: f64,
    theirs: f64,
}

impl Standing {
    fn of(peer: Contender, d: usize, cells: &[Cell<'_>]) -> Self {
        let mut standing = Self { ratios: Vec::new(), ours: 0.0, theirs: 0.0 };
        for cell in cells.iter().filter(|cell| cell.d == d) {
            if let (Some(ours), Some(theirs)) = (cell.by(Contender::Enes), cell.by(peer)) {
                standing.ratios.push(ratio(ours.expected(), theirs.expected()));
                standing.ours += ours.success();
                standing.theirs += theirs.success();
            }
        }
        standing
    }

    /// The mean ratio, both shares of success, and the cells that are lost.
    fn text(&self) -> String {
        let n = self.ratios.len();
        if n == 0 {
            return "-".to_string();
        }
        let both = self.ratios.iter().copied().filter(|r| r.is_finite() && *r > 0.0);
        let lost = self.ratios.iter().filter(|r| **r > ALLOWED).count();
        let percent = |share: f64| 100.0 * share / n as f64;
        let (ours, theirs) = (percent(self.ours), percent(self.theirs));
        format!("{} ({ours:.0} %, {theirs:.0} %; lost {lost} of {n})", ratio_text(geometric_mean(both)))
    }
}

/// All peers that ran where we did.
pub(super) fn table(cells: &[Cell<'_>]) -> Table {
    let dimensions = dimensions(cells.iter().map(|cell| cell.d));
    let is_peer = |who: &Contender| !matches!(who, Contender::Enes | Contender::Ranks);
    let ran = |who: &Contender| cells.iter().any(|cell| cell.by(*who).is_some());
    let row = |peer: Contender| {
        let standings = dimensions.iter().map(|&d| Standing::of(peer, d, cells).text());
        std::iter::once(peer.name().to_string()).chain(standings).collect()
    };
    let rows = Contender::ALL.into_iter().filter(is_peer).filter(ran).map(row).collect();
    let header = header("peer", &dimensions);
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    let caption = "Expected evaluations over each peer's, geometric means over the cells that both solve; runs that succeed, ours \
                   and theirs; cells in which ours are more than 1.1 times theirs, or in which only they succeed.";
    Table::new("landscapes-peers", caption, &header, rows)
}

#[cfg(test)]
mod tests {
    use super::super::contender::Search;
    use super::*;
    use crate::landscapes::tests::record;

    #[test]
    fn a_peer_is_met_in_the_cells_in_which_both_ran() {
        let mut runs = Vec::new();
        for run in 0..4 {
            runs.push(record(Search::One, Contender::Enes, run, 100, true));
            runs.push(record(Search::One, Contender::Newuoa, run, 200, run < 2));
            runs.push(record(Search::Restarts, Contender::Enes, run, 300, run < 1));
            runs.push(record(Search::Restarts, Contender::Newuoa, run, 300, true));
            runs.push(record(Search::One, Contender::Ranks, run, 100, true));
        }
        let table = table(&Cell::all(&runs));
        // 100/400 and 1200/300: a mean of 1, one of two cells lost; five and six of eight runs.
        assert_eq!(table.rows.len(), 1);
        assert_eq!(table.rows[0][0], "newuoa");
        assert_eq!(table.rows[0][1], "1.00 (62 %, 75 %; lost 1 of 2)");
    }
}
