//! Windows, their order, and what gives way.

use super::*;

fn entry(cost: f64, ranks: bool, surrogate: bool) -> Entry {
    Entry { value: cost, violation: 0.0, cost, measured: 1, readers: Readers { ranks, surrogate } }
}

fn costs(archive: &Archive, reader: Reader) -> Vec<f64> {
    let mut rows = Vec::new();
    archive.read(reader, &mut rows);
    let mut costs = Vec::new();
    archive.costs_of(&rows, &mut costs);
    costs
}

#[test]
fn windows_hold_the_latest_points_of_their_readers() {
    let mut archive = Archive::new(1, 1);
    archive.begin_search(3, 4);
    for i in 0..20 {
        // Every fifth point is for ranks only, every seventh for the surrogate only.
        archive.add(&[f64::from(i)], None, entry(f64::from(i), i % 7 != 3, i % 5 != 4));
    }
    let mut ranks = costs(&archive, Reader::Ranks);
    ranks.sort_by(f64::total_cmp);
    assert_eq!(ranks, [16.0, 18.0, 19.0]);
    assert_eq!(costs(&archive, Reader::Surrogate), [15.0, 16.0, 17.0, 18.0]);
    assert!(archive.contains(Reader::Ranks, &[18.0]) && !archive.contains(Reader::Ranks, &[17.0]));
    assert!(archive.entries.len() <= 2 * 4 + 4, "the oldest give way: {}", archive.entries.len());
}

/// Regression adds up its points in the order of a ring in which a new point takes the place of the oldest.
#[test]
fn ranks_are_read_in_the_order_of_a_ring() {
    let mut archive = Archive::new(1, 1);
    archive.begin_search(3, 0);
    for i in 1..=5 {
        archive.add(&[0.0], None, entry(f64::from(i), true, true));
    }
    assert_eq!(costs(&archive, Reader::Ranks), [4.0, 5.0, 3.0]);
    archive.resize_ranks(4);
    assert_eq!(costs(&archive, Reader::Ranks), [3.0, 4.0, 5.0]);
    archive.add(&[0.0], None, entry(6.0, true, true));
    archive.add(&[0.0], None, entry(7.0, true, true));
    assert_eq!(costs(&archive, Reader::Ranks), [7.0, 4.0, 5.0, 6.0]);
}

#[test]
fn a_new_search_sees_its_own_points_only() {
    let mut archive = Archive::new(2, 1);
    archive.begin_search(3, 3);
    archive.add(&[1.0, 7.0], Some(&[0.1]), entry(1.0, true, true));
    archive.begin_search(3, 3);
    assert_eq!((archive.len(Reader::Ranks), costs(&archive, Reader::Surrogate).len()), (0, 0));
    archive.add(&[2.0, 7.0], Some(&[0.2]), entry(2.0, true, true));
    assert_eq!(costs(&archive, Reader::Ranks), [2.0]);
    assert_eq!(archive.searched(1), [0.2]);
}

#[test]
fn more_than_the_window_is_there_to_choose_from() {
    let mut archive = Archive::new(1, 1);
    archive.begin_search(0, 3);
    archive.add(&[9.0], None, entry(9.0, true, true));
    archive.begin_search(0, 3);
    let (mut rows, mut costs) = (Vec::new(), Vec::new());
    for i in 0..5 {
        archive.add(&[f64::from(i)], None, entry(f64::from(i), true, i != 3));
    }
    archive.read_more(Reader::Surrogate, &mut rows);
    archive.costs_of(&rows, &mut costs);
    assert_eq!(costs, [0.0, 1.0, 2.0, 4.0], "this search's, less what is not for this reader");
    (5..30).for_each(|i| archive.add(&[f64::from(i)], None, entry(f64::from(i), true, true)));
    archive.read_more(Reader::Surrogate, &mut rows);
    archive.costs_of(&rows, &mut costs);
    assert_eq!(costs.last(), Some(&29.0));
    assert!((3..=6).contains(&costs.len()), "{costs:?}");
}

#[test]
fn an_archive_that_nobody_reads_stays_empty() {
    let mut archive = Archive::new(1, 1);
    archive.begin_search(0, 0);
    archive.add(&[1.0], None, entry(1.0, true, true));
    assert!(archive.entries.is_empty());
}
