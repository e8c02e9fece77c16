//! What the page shows of values, restarts and settings, and how `enes report --watch` serves it while a run goes on.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::browser;
use crate::made::{self, Made, coordinates, page_of};
use serde_json::json;

/// A run that falls by half with every evaluation and ends at `least`, in three searches.
fn falling(made: &Made, least: f64) {
    let settings = json!({"name": "falling", "names": ["a", "b"], "dim": 2, "population": 5, "seed": 3,
        "strategy": "adaptive", "restarts": "bipop", "sigma0": 0.25, "jobs": 2, "noisy": false, "target": null,
        "max_evaluations": 60, "command": ["./my program", "{}", "it's"]});
    made.write("a", "settings.json", &settings.to_string());
    let (mut evaluations, mut generations) = (String::new(), String::new());
    for id in 0..60 {
        let value = if id < 40 { least + 0.5f64.powi(id) } else { least };
        let x = [value, f64::from(id % 20)];
        let line = json!({"id": id, "x": x, "value": value, "seconds": 0.1, "failure": null});
        writeln!(evaluations, "{line}").unwrap();
    }
    for generation in 1..=12u64 {
        let sigma = 0.5f64.powi(generation as i32);
        let line = json!({"generation": generation, "evaluations": 5 * generation, "failures": 0, "best": least + 1e-3,
            "population": if generation < 9 { 5 } else { 10 }, "mean": [0, 1], "stds": [sigma, sigma],
            "axes": [2.0 * sigma, 0.5 * sigma], "mode": if generation < 6 { "surrogate" } else { "ranks" },
            "error": 0.1, "trust": 0.5, "restarts": (generation / 4).min(2), "seconds": generation});
        writeln!(generations, "{line}").unwrap();
    }
    made.write("a", "evaluations.jsonl", &evaluations);
    made.write("a", "generations.jsonl", &generations);
}

/// The SVG of a chart.
fn chart<'a>(page: &'a str, title: &str) -> &'a str {
    let (_, rest) =
        page.split_once(&format!("aria-label=\"{title}\"")).unwrap_or_else(|| panic!("no {title}"));
    rest.split("</figure>").next().unwrap()
}

#[test]
fn an_attained_minimum_does_not_flatten_the_picture() {
    for least in [0.0, 7.0, -3.0] {
        let made = Made::new(&format!("least{least}"));
        falling(&made, least);
        let page = page_of(&made.folder.join("a"));
        let distance = chart(&page, "Distance to the best value");
        // Forty halvings: from 1 to 1e-12, however large the minimum is.
        for tick in [">1e-10<", ">1e-6<", ">1<"] {
            assert!(distance.contains(tick), "{least}: no {tick} in {distance}");
        }
        assert!(distance.contains(&format!("above the best of all, {least}.")), "{distance}");
    }
}

#[test]
fn a_value_of_zero_keeps_the_decades_above_it() {
    let made = Made::new("zero");
    falling(&made, 0.0);
    let page = page_of(&made.folder.join("a"));
    let values = chart(&page, "Best value by evaluations");
    assert!(values.contains(">0</text>") && values.contains(">1e-7</text>"), "{values}");
    assert!(values.contains("logarithmic on both sides of zero"));
}

#[test]
fn restarts_settings_modes_and_the_best_points_are_shown() {
    let made = Made::new("restarts");
    falling(&made, 0.0);
    let page = page_of(&made.folder.join("a"));
    for title in ["Best value by evaluations", "Sigma", "Mode", "Mean by coordinate"] {
        assert_eq!(chart(&page, title).matches("class=\"rule\"").count(), 2, "{title}");
    }
    assert!(chart(&page, "Mode").contains(">surrogate<") && chart(&page, "Population").contains(">10<"));
    assert!(chart(&page, "The best points").contains("a from 0 to 1, b from 0 to 19"));
    for row in [
        "<td>command</td><td>&#39;./my program&#39; {} &#39;it&#39;\\&#39;&#39;s&#39;</td>",
        "<td>strategy</td><td>adaptive</td>",
        "<td>restarts</td><td>bipop</td>",
        "<td>initial sigma</td><td class=\"number\">0.25</td>",
        "<td>most evaluations</td><td class=\"number\">60</td>",
    ] {
        let row = row.replace("&#39;", "'");
        assert!(page.contains(&row), "no {row} in {page}");
    }
    assert!(!page.contains("<td>noisy</td>") && !page.contains("<td>target</td>"));
    // The second search began after 20 evaluations and took 20.
    let second = "<td class=\"number\" data-label=\"search\">2</td><td class=\"number\" data-label=\"from evaluation\">20</td>\
                  <td class=\"number\" data-label=\"evaluations\">20</td><td class=\"number\" data-label=\"best value\">1.81899e-12</td>";
    assert!(page.contains(second), "{page}");
}

/// A server, and the address it has told.
struct Server {
    child: Child,
    port: u16,
}

impl Server {
    fn start(folder: &Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_enes"))
            .args(["report", "--watch"])
            .arg(folder)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let port = line.split_once("http://127.0.0.1:").and_then(|(_, rest)| rest.split('/').next());
        let port = port.and_then(|p| p.parse().ok()).unwrap_or_else(|| panic!("no address in {line:?}"));
        Self { child, port }
    }

    /// The whole answer to a request of these lines.
    fn ask(&self, lines: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.write_all(format!("{lines}\r\n\r\n").as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_page_is_served_to_this_machine_only_and_again_only_when_it_has_changed() {
    let mut made = Made::new("served");
    let folder = made.run("a", "served", &coordinates(2), 0);
    let server = Server::start(&folder);
    let silent = TcpStream::connect(("127.0.0.1", server.port)).unwrap(); // and the others do not wait for it
    let page = server.ask("GET / HTTP/1.1\r\nHost: localhost:1");
    assert!(page.starts_with("HTTP/1.1 200 OK\r\n") && page.contains("Report of served"), "{page}");
    let tag = page.lines().find_map(|line| line.strip_prefix("ETag: ")).unwrap();
    let again = format!("GET / HTTP/1.1\r\nHost: localhost\r\nif-none-match: {tag}");
    assert!(server.ask(&again).starts_with("HTTP/1.1 304 "));
    let line = json!({"id": 600, "x": [1, 2], "value": 3, "seconds": 0.1, "failure": null});
    let mut record = fs::OpenOptions::new().append(true).open(folder.join("evaluations.jsonl")).unwrap();
    writeln!(record, "{line}").unwrap();
    assert!(server.ask(&again).contains("<td class=\"number\">601</td>"));
    fs::write(folder.join("evaluations.jsonl"), "damaged\n").unwrap();
    let damaged = server.ask(&again);
    assert!(
        damaged.starts_with("HTTP/1.1 500 ") && damaged.contains("evaluations.jsonl, line 1"),
        "{damaged}"
    );
    for (request, status) in [
        ("GET / HTTP/1.1\r\nHost: example.org", "403"),
        ("GET / HTTP/1.1", "403"),
        ("GET /settings.json HTTP/1.1\r\nHost: localhost", "404"),
        ("POST / HTTP/1.1\r\nHost: localhost", "405"),
    ] {
        let answer = server.ask(request);
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{request}: {answer}");
    }
    drop(silent);
    assert!(!folder.join("report.html").exists());
}

#[test]
fn a_port_in_use_and_a_folder_without_a_run_are_errors_at_once() {
    let mut made = Made::new("port");
    let folder = made.run("a", "served", &coordinates(2), 0);
    let server = Server::start(&folder);
    let port = server.port.to_string();
    let output = made::report(&[&folder], &["--watch", "--port", &port]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert!(text.contains(&format!("port {port}")) && text.contains("--port"), "{text}");
    let text = made::report(&[&made.folder.join("b")], &["--watch"]).stderr;
    assert!(String::from_utf8_lossy(&text).contains("there is no such folder"));
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_the_server_in_order() {
    let mut made = Made::new("interrupt");
    let mut server = Server::start(&made.run("a", "served", &coordinates(2), 0));
    let kill = Command::new("kill").args(["-INT", &server.child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    let end = Instant::now() + Duration::from_secs(20);
    let code = loop {
        match server.child.try_wait().unwrap() {
            Some(status) => break status.code(),
            None => assert!(Instant::now() < end, "it goes on"),
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    assert_eq!(code, Some(0));
}

#[cfg(unix)]
#[test]
fn the_page_of_a_run_that_goes_on_has_sigma_and_correlations() {
    let made = Made::new("going");
    let slow = "import sys, json, time\nfor line in sys.stdin:\n    q = json.loads(line)\n    time.sleep(0.02)\n    \
                print(json.dumps({'id': q['id'], 'value': q['id']}), flush=True)\n";
    fs::write(made.folder.join("slow.py"), slow).unwrap();
    let run = Command::new(env!("CARGO_BIN_EXE_enes"))
        .args(["minimize", "--dim", "2", "--worker", "--quiet", "--run", "r", "--", "python3", "slow.py"])
        .current_dir(&made.folder)
        .spawn()
        .unwrap();
    let mut run = Server { child: run, port: 0 }; // ends with the test
    let (folder, end) = (made.folder.join("r"), Instant::now() + Duration::from_secs(60));
    while !folder.join("covariance.json").exists() {
        assert!(Instant::now() < end, "no covariance while the run goes on");
        std::thread::sleep(Duration::from_millis(20));
    }
    let page = page_of(&folder);
    assert!(run.child.try_wait().unwrap().is_none(), "the run has ended before it was looked at");
    chart(&page, "Correlations");
    let first = fs::read_to_string(folder.join("generations.jsonl")).unwrap();
    let first: serde_json::Value = serde_json::from_str(first.lines().next().unwrap()).unwrap();
    let axes: Vec<f64> = serde_json::from_value(first["axes"].clone()).unwrap();
    let sigma = (axes[0] * axes[1]).sqrt();
    assert!((first["sigma"].as_f64().unwrap() / sigma - 1.0).abs() < 1e-9, "{first}");
}

#[test]
fn a_browser_follows_a_run_and_nothing_is_cut() {
    let Some(browser) = browser::browser() else {
        eprintln!("no browser here: the page was not looked at");
        return;
    };
    let made = Made::new("follow");
    falling(&made, 0.0);
    let folder = made.folder.join("a");
    let server = Server::start(&folder);
    let address = format!("http://127.0.0.1:{}/", server.port);
    // The run goes on while the browser looks: an evaluation every tenth of a second.
    let (done, ended) = std::sync::mpsc::channel::<()>();
    let record = folder.join("evaluations.jsonl");
    let writer = std::thread::spawn(move || {
        let mut record = fs::OpenOptions::new().append(true).open(record).unwrap();
        let mut id = 60;
        while ended.recv_timeout(Duration::from_millis(100))
            == Err(std::sync::mpsc::RecvTimeoutError::Timeout)
        {
            let line = json!({"id": id, "x": [1, 2], "value": 3, "seconds": 0.1, "failure": null});
            writeln!(record, "{line}").unwrap();
            id += 1;
        }
    });
    let document = browser::document(browser, &address, &made.folder.join("profile"));
    drop(done);
    writer.join().unwrap();
    let updates = document.split_once("data-updates=\"").and_then(|(_, rest)| rest.split('"').next());
    assert!(updates.is_some_and(|n| n.parse::<u32>().unwrap() >= 1), "the page did not follow: {document}");
    let count = document.split_once("<td>evaluations</td><td class=\"number\">").unwrap().1.split('<').next();
    assert!(
        count.unwrap().parse::<u32>().unwrap() > 60 && document.contains("Follows the run; last change at")
    );
    let page = made.folder.join("served.html");
    fs::write(&page, server.ask("GET / HTTP/1.1\r\nHost: localhost").split_once("\r\n\r\n").unwrap().1)
        .unwrap();
    let copy = browser::with_checks(&page, &made.folder);
    for width in [390, 1280] {
        browser::look_for_problems(browser, &copy, &made.folder, width);
    }
}
