//! `enes report` on run folders made up here: what the page shows, and what is said of bad folders.

use std::fs;

use crate::browser;
use crate::made::{self, Made, coordinates, error_of, page_of, report, words};
use serde_json::json;

#[test]
fn one_run_is_shown_from_all_sides() {
    let mut made = Made::new("one");
    let names = words(&["learning_rate", "depth", "momentum"]);
    let page = page_of(&made.run("a", "tune <it>", &names, 8));
    for title in [
        "Best value by evaluations",
        "Best value by time",
        "Reused share",
        "Trust in the regression",
        "Mean by coordinate",
        "Standard deviations",
        "Axis lengths",
        "Evaluation times",
        "Failures",
        "Correlations",
        "learning_rate and depth",
        "depth and momentum, close up",
    ] {
        assert!(page.contains(&format!("aria-label=\"{title}\"")), "no chart {title}");
    }
    for text in
        ["tune &lt;it&gt;", "the target was met", "time was up", "&lt;nan&gt; &amp; more", "learning_rate = "]
    {
        assert!(page.contains(text), "no {text}");
    }
    assert!(page.contains("<td class=\"number\">600</td>"), "evaluations are counted");
    assert!(!page.contains("coordinates are drawn") && !page.contains("of the latest points"));
}

#[test]
fn several_optima_are_drawn_and_listed_and_one_is_not() {
    let mut made = Made::new("optima");
    let names = words(&["a", "b", "c"]);
    let folder = made.run("many", "many", &names, 0);
    let optimum = |value: f64, found: u64| {
        json!({"x": [value, -value, 2.0 * value], "value": value,
        "violation": 0.0, "found": found, "evaluations": 100})
    };
    let best = |optima: &[serde_json::Value]| {
        json!({"value": 0.5, "x": [0.5, -0.5, 1.0], "named": {}, "evaluations": 100_000, "optima": optima})
            .to_string()
    };
    made.write("many", "best.json", &best(&[optimum(0.5, 5), optimum(1.5, 2), optimum(800.0, 1)]));
    let page = page_of(&folder);
    for title in ["Optima: how good, and how often found", "Optima: where"] {
        assert!(page.contains(&format!("aria-label=\"{title}\"")), "no chart {title}");
    }
    assert!(
        page.contains("a = 1.5, b = -1.5, c = 3") && page.contains("3 optima in which searches converged")
    );
    made.write("many", "best.json", &best(&[optimum(0.5, 5)]));
    assert!(!page_of(&folder).contains("Optima"));
}

#[test]
fn two_runs_are_laid_over_each_other() {
    let mut made = Made::new("two");
    let a = made.run("a", "same name", &coordinates(2), 0);
    let b = made.run("b", "same name", &coordinates(12), 5);
    let out = made.folder.join("both.html");
    let output = report(&[&a, &b], &["--out", out.to_str().unwrap()]);
    assert!(output.status.success());
    assert!(!a.join("report.html").exists());
    let page = made::checked(fs::read_to_string(out).unwrap());
    assert_eq!(page.matches("aria-label=\"Best value by evaluations\"").count(), 1);
    assert_eq!(page.matches("aria-label=\"Mean by coordinate\"").count(), 2);
    assert!(page.contains("a: same name") && page.contains("b: same name"));
    assert!(page.contains("The first 8 of 12 coordinates are drawn."));
    assert!(page.contains("the 4 of largest final variance are paired"));
    assert!(page.contains("No evaluation failed."));
}

#[test]
fn a_run_of_failures_has_reasons_and_no_best_value() {
    let mut made = Made::new("failures");
    let page = page_of(&made.run("a", "broken", &coordinates(2), 100));
    assert!(page.contains("Every evaluation failed") && page.contains("none yet"));
    assert!(page.contains(">time was up</td><td class=\"number\" data-label=\"count\">300</td><td data-label=\"last example\">evaluation 599: x1 = "));
    assert!(!page.contains("aria-label=\"Best value by evaluations\""));
}

#[test]
fn a_run_that_has_just_begun_is_a_page_that_says_so() {
    let made = Made::new("empty");
    made.settings("a", "young", &coordinates(2));
    made.write("a", "evaluations.jsonl", "");
    let page = page_of(&made.folder.join("a"));
    assert!(page.contains("No evaluations yet") && !page.contains("<figure>"));
}

#[test]
fn a_cut_last_line_is_ignored_and_a_damaged_one_is_named() {
    let made = Made::new("cut");
    made.settings("a", "cut", &coordinates(1));
    let line = "{\"id\":1,\"generation\":1,\"x\":[0.5],\"value\":2.5,\"seconds\":0.1,\"failure\":null}\n";
    made.write("a", "evaluations.jsonl", &format!("{line}{line}{}", &line[..30]));
    made.write("a", "generations.jsonl", "{\"generation\":1,\"eval");
    let folder = made.folder.join("a");
    let page = page_of(&folder);
    assert!(page.contains("<td class=\"number\">2</td>") && page.contains("No generation is complete yet"));
    made.write("a", "evaluations.jsonl", &format!("{line}{}\n{line}", &line[..30]));
    let text = error_of(&[&folder]);
    assert!(text.contains("evaluations.jsonl, line 2:") && text.contains("restore the file"), "{text}");
    made.write("a", "evaluations.jsonl", &line.replace("[0.5]", "[0.5,1]"));
    let text = error_of(&[&folder]);
    assert!(text.contains("line 1: x has 2 numbers, but settings.json asks for 1"), "{text}");
}

#[test]
fn an_infinite_value_is_no_failure_and_an_old_result_is_not_shown() {
    let mut made = Made::new("endless");
    made.settings("a", "endless", &coordinates(1));
    let line =
        json!({"id": 0, "x": [0.5], "value": null, "infinite": "inf", "seconds": 0.1, "failure": null});
    made.write("a", "evaluations.jsonl", &format!("{line}\n"));
    let page = page_of(&made.folder.join("a"));
    assert!(page.contains("No evaluation failed.") && page.contains("none yet"));
    let continued = made.run("b", "continued", &coordinates(2), 0);
    let old = json!({"value": 98765.4, "x": [1, 2], "named": {}, "evaluations": 599, "stop": "maxevals"});
    made.write("b", "best.json", &old.to_string());
    let page = page_of(&continued);
    assert!(
        !page.contains("98765.4") && !page.contains("maxevals") && page.contains("not yet: it is running")
    );
    let new = json!({"value": 98765.4, "evaluations": 600, "stop": "maxevals", "stop_message": "the budget is spent"});
    made.write("b", "best.json", &new.to_string());
    assert!(page_of(&continued).contains("the budget is spent"));
}

#[test]
fn a_fixed_parameter_is_no_coordinate_of_the_search() {
    let made = Made::new("fixed");
    let settings = json!({"name": "f", "names": ["a", "b", "c"], "dim": 2, "population": 4, "seed": 0,
        "parameters": [{"fixed": false}, {"fixed": true}, {"fixed": false}]});
    made.write("a", "settings.json", &settings.to_string());
    let line = |id: i32| json!({"id": id, "x": [id, 7, -id], "value": id, "seconds": 0.1, "failure": null});
    let lines: String = (0..9).map(|id| format!("{}\n", line(id))).collect();
    made.write("a", "evaluations.jsonl", &lines);
    let generation = json!({"generation": 1, "evaluations": 9, "failures": 0, "best": 0, "mean": [4, 7, -4],
        "stds": [1, 1], "axes": [1, 1], "reused": 0, "seconds": 1});
    made.write("a", "generations.jsonl", &format!("{generation}\n"));
    made.write("a", "covariance.json", &json!({"mean": [4, -4], "covariance": [[1, 0], [0, 1]]}).to_string());
    let page = page_of(&made.folder.join("a"));
    assert!(page.contains("aria-label=\"a and c\"") && !page.contains("a and b"));
    assert!(page.contains("final search distribution around its mean") && page.contains("b = 7"));
}

#[test]
fn folders_that_are_not_of_a_run_are_named() {
    let made = Made::new("wrong");
    let folder = made.folder.join("a");
    assert!(error_of(&[&folder]).contains("there is no such folder"));
    fs::create_dir_all(&folder).unwrap();
    assert!(error_of(&[&folder]).contains("it has no settings.json"));
    made.settings("a", "name", &coordinates(2));
    assert!(error_of(&[&folder]).contains("it has no evaluations.jsonl"));
    made.write("a", "evaluations.jsonl", "");
    made.write("a", "covariance.json", "{\"mean\":[0],\"covariance\":[[1]]}");
    assert!(error_of(&[&folder]).contains("covariance.json: a row has 1 numbers"));
    made.write("a", "covariance.json", "{");
    assert!(error_of(&[&folder]).contains("covariance.json is not what a run writes"));
    made.write("a", "settings.json", "{\"name\":\"a\"}");
    assert!(error_of(&[&folder]).contains("settings.json is not what a run writes: missing field"));
    let file = folder.join("settings.json");
    assert!(error_of(&[&file]).contains("it is not a folder"));
}

#[test]
fn a_page_that_cannot_be_written_is_an_error() {
    let made = Made::new("unwritable");
    made.settings("a", "name", &coordinates(2));
    made.write("a", "evaluations.jsonl", "");
    let output = report(&[&made.folder.join("a")], &["--out", "/nowhere/at/all.html"]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text.contains("cannot write the report /nowhere/at/all.html: ") && text.contains("--out"),
        "{text}"
    );
}

#[test]
fn bent_search_coordinates_do_not_lend_their_ellipse() {
    let mut made = Made::new("bent");
    let folder = made.run("a", "bent", &coordinates(2), 0);
    let bent = json!({"mean": [-50.0, 80.0], "covariance": [[1.0, 0.2], [0.2, 1.0]]});
    made.write("a", "covariance.json", &bent.to_string());
    assert!(page_of(&folder).contains("one standard deviation of the latest points around their mean"));
}

#[test]
fn numbers_at_the_ends_of_their_range_are_drawn_or_left_out() {
    page_of(&Made::new("extreme").extreme("a"));
}

#[test]
fn the_best_points_lie_in_the_range_of_all_points_infeasible_ones_too() {
    let mut made = Made::new("feasible");
    let page = page_of(&made.constrained("a"));
    // Two of the three optima share a number; each is drawn, and one in the legend.
    let (_, optima) = page.split_once("aria-label=\"Optima: how good").unwrap();
    let optima = optima.split("</figure>").next().unwrap();
    assert!(optima.matches("class=\"large\"").count() == 4 && optima.contains(">2, 3</text>"), "{optima}");
    let (_, caption) = page.split_once("of the best tenth of the feasible points, of values from ").unwrap();
    let (_, range) = caption.split_once("a from ").unwrap();
    let least: f64 = range.split(' ').next().unwrap().parse().unwrap();
    assert!(least < 0.0, "feasible points begin at 1: {range}");
    for text in ["aria-label=\"Value against violation\"", "violated the constraints.", ">stress</td>"] {
        assert!(page.contains(text), "no {text}");
    }
}

#[test]
fn the_page_reads_well_on_a_phone_and_on_a_desktop() {
    let Some(browser) = browser::browser() else {
        eprintln!("no browser here: the page was not looked at");
        return;
    };
    let mut made = Made::new("browser");
    let names =
        words(&["learning_rate", "a_name_that_is_longer_than_most_names", "WWWWMMMMWWWW", "x", "βήτα"]);
    let a = made.run("a", "a run with a rather long name that has no end", &names, 8);
    let b = made.run("b", "wide", &coordinates(30), 3);
    made.run("c", "young", &coordinates(2), 0);
    fs::remove_file(made.folder.join("c/covariance.json")).unwrap();
    fs::remove_file(made.folder.join("c/generations.jsonl")).unwrap();
    let c = made.folder.join("c");
    let (d, e) = (made.extreme("d"), made.single("e"));
    let f = made.run("f", "broken", &coordinates(2), 100);
    let g = made.constrained("g");
    let page = made.folder.join("report.html");
    assert!(report(&[&a, &b, &c, &d, &e, &f, &g], &["--out", page.to_str().unwrap()]).status.success());
    let copy = browser::with_checks(&page, &made.folder);
    for width in [390, 1280] {
        let found = browser::look_for_problems(browser, &copy, &made.folder, width);
        assert!(found["figures"].as_u64().unwrap() >= 30, "{found}");
        assert!(found["sorted"].as_u64().unwrap() >= 3, "{found}");
    }
}
