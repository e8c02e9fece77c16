use super::*;
use crate::plan::Study;

#[test]
fn every_schedule_has_a_name_of_its_own_and_is_found_by_it() {
    let mut names: Vec<String> = all().map(Schedule::variant).collect();
    assert!(all().all(|s| Schedule::parse(&s.variant()) == Some(s)));
    names.sort();
    let before = names.len();
    names.dedup();
    assert_eq!(names.len(), before);
    assert_eq!(Schedule::parse("W3"), None);
}

#[test]
fn a_quick_study_makes_a_table_and_verdicts() {
    let plan = Plan { study: Study::Asynchronous, quick: true, seed: 1 };
    let specs: Vec<RunSpec> =
        runs(plan).into_iter().filter(|s| s.solver == Solver::Enes && s.run == 0).collect();
    let records: Vec<RunRecord> = specs.iter().map(|s| execute(s, 1 + s.run).unwrap()).collect();
    assert!(records.iter().filter(|r| r.success).count() > 3 * records.len() / 4);
    let sections = sections(plan, &records);
    assert_eq!(sections.len(), 1);
    assert!(sections[0].claims.iter().any(|c| c.measured.contains("with 8")));
    assert!(markdown(plan, &records).contains("| asynchronous | 1 |"));
}
