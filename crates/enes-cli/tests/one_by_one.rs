//! Constraints one by one: flags, a worker's answer, JSON fields, numbers, problem files, resume, the result.

#![cfg(unix)]

use serde_json::Value;

/// The sphere where a ≥ 1 and a = b: the optimum is 2.
const NUMBERS: &str =
    r#"awk -v OFMT=%.17g 'BEGIN {a = ARGV[1]; b = ARGV[2]; print a*a + b*b, 1 - a, a - b}' "$@""#;

fn enes(arguments: &[&str]) -> (i32, Value, String) {
    let out = std::process::Command::new(env!("CARGO_BIN_EXE_enes")).args(arguments).output().unwrap();
    let text = String::from_utf8_lossy(&out.stdout).to_string();
    let json = serde_json::from_str(&text).unwrap_or(Value::Null);
    (out.status.code().unwrap_or(-1), json, String::from_utf8_lossy(&out.stderr).to_string())
}

fn folder(name: &str) -> std::path::PathBuf {
    let path = std::env::temp_dir().join(format!("enes-one-by-one-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    path
}

fn check(result: &Value) {
    assert!((result["value"].as_f64().unwrap() - 2.0).abs() < 1e-4, "{result}");
    assert_eq!(result["feasible"], true);
    assert!(result["max_violation"].as_f64().unwrap() <= 1e-6);
    let constraints = result["constraints"].as_array().unwrap();
    assert_eq!((&constraints[0]["name"], &constraints[0]["kind"]), (&"wall".into(), &"inequality".into()));
    assert_eq!((&constraints[1]["name"], &constraints[1]["kind"]), (&"level".into(), &"equality".into()));
    assert_eq!(constraints[0]["active"], true);
    assert!((constraints[0]["multiplier"].as_f64().unwrap() - 4.0).abs() < 1.0, "{result}");
}

#[test]
fn numbers_after_the_value_are_the_constraints() {
    let run = folder("numbers");
    let root = run.to_str().unwrap();
    let common = ["--x0", "3,2", "--constraints", "wall,level=0", "--max-evaluations", "600", "--seed", "1"];
    let command = ["--json", "--quiet", "--", "sh", "-c", NUMBERS, "sh", "{}"];
    let mut arguments = vec!["minimize", "--run", root];
    arguments.extend(common);
    arguments.extend(command);
    let (code, result, errors) = enes(&arguments);
    assert_eq!(code, 0, "{errors}");
    check(&result);
    let line = std::fs::read_to_string(run.join("evaluations.jsonl")).unwrap();
    let first: Value = serde_json::from_str(line.lines().next().unwrap()).unwrap();
    assert_eq!(first["constraints"].as_array().unwrap().len(), 2);
    let page = std::fs::read_to_string(run.join("report.html")).unwrap();
    assert!(page.contains("Value against violation") && page.contains("Constraints at the best point"));
    // A run that is cut in two is the same run.
    let half = folder("half");
    let root = half.to_str().unwrap();
    let mut arguments = vec!["minimize", "--run", root];
    arguments.extend(common.iter().map(|word| if *word == "600" { "100" } else { word }));
    arguments.extend(command);
    enes(&arguments);
    std::fs::remove_file(half.join("checkpoint.bin")).unwrap_or_default();
    let (_, resumed, errors) = enes(&["resume", root, "--max-evaluations", "600", "--json", "--quiet"]);
    assert_eq!((&resumed["x"], &resumed["constraints"]), (&result["x"], &result["constraints"]), "{errors}");
    let (code, _, errors) = enes(&["verify", root]);
    assert_eq!(code, 0, "{errors}");
    for path in [run, half] {
        std::fs::remove_dir_all(path).unwrap();
    }
}

#[test]
fn a_worker_and_a_problem_file_tell_them_by_name() {
    let run = folder("worker");
    std::fs::create_dir_all(&run).unwrap();
    let (file, script) = (run.join("problem.toml"), run.join("worker.py"));
    let worker = "import json, sys\nfor line in sys.stdin:\n    q = json.loads(line)\n    a, b = q['x']\n    \
                  told = {'wall': 1 - a} if q['id'] % 2 else {'constraints': {'wall': 1 - a}}\n    \
                  told.setdefault('constraints', {})['level'] = a - b\n    \
                  print(json.dumps({'id': q['id'], 'value': a*a + b*b, **told}), flush=True)\n";
    std::fs::write(&script, worker).unwrap();
    let text = format!(
        "command = [\"python3\", \"{}\"]\nworker = true\nconstraints = [\"level = 0\", \"wall\"]\ncatol = 1e-6\n\
         [[parameter]]\nname = \"a\"\ninitial = 3.0\n[[parameter]]\nname = \"b\"\ninitial = 2.0\n\
         [[linear]]\nterms = {{ a = 1.0, b = 1.0 }}\nupper = 9.0\n[stop]\nmax_evaluations = 600\n",
        script.display()
    );
    std::fs::write(&file, text).unwrap();
    let path = file.to_str().unwrap();
    let (code, _, errors) = enes(&["evaluate", path]);
    assert!(code == 0 && errors.contains("constraint wall = -2"), "{errors}");
    for schedule in ["--sync", "--async"] {
        let root = run.join(schedule);
        let root = root.to_str().unwrap();
        let (code, result, errors) = enes(&["minimize", path, "--run", root, "--json", "--quiet", schedule]);
        assert_eq!(code, 0, "{errors}");
        check(&result);
        assert_eq!(result["constraints"][2]["name"], "linear1");
        assert_eq!(result["constraints"][2]["active"], false);
    }
    // Points from elsewhere bring their constraints, infeasible ones too.
    let table = run.join("points.csv");
    std::fs::write(&table, "a,b,value,wall,level\n1,1,2,0,0\n0.5,0.5,0.5,0.5,0\n").unwrap();
    let (root, table) = (run.join("injected"), table.to_str().unwrap().to_string());
    let root = root.to_str().unwrap();
    enes(&["minimize", path, "--run", root, "--json", "--quiet", "--max-evaluations", "8"]);
    let (code, _, errors) = enes(&["inject", root, &table]);
    assert_eq!(code, 0, "{errors}");
    let (_, result, errors) = enes(&["resume", root, "--max-evaluations", "12", "--json", "--quiet"]);
    assert_eq!((result["injected"].as_u64(), result["value"].as_f64()), (Some(2), Some(2.0)), "{errors}");
    std::fs::write(run.join("points.csv"), "a,b,value\n1,1,2\n").unwrap();
    let (code, _, errors) = enes(&["inject", root, &table]);
    assert!(code != 0 && errors.contains("0 constraint values"), "{errors}");
    std::fs::remove_dir_all(run).unwrap();
}

#[test]
fn what_cannot_be_meant_is_refused() {
    let refused = |flags: &[&str]| {
        let mut arguments = vec!["evaluate", "--x0", "3,2"];
        arguments.extend(flags);
        arguments.extend(["--", "sh", "-c", NUMBERS, "sh", "{}"]);
        let (code, _, errors) = enes(&arguments);
        assert_ne!(code, 0, "{flags:?}");
        errors
    };
    assert!(refused(&["--constraints", "a=1"]).contains("`a=1` is no constraint"));
    assert!(refused(&["--constraints", "value"]).contains("another field"));
    assert!(refused(&["--constraints", "a,a"]).contains("two constraints are named `a`"));
    assert!(refused(&["--constraints", "a,b,c"]).contains("3 constraints are needed"));
    assert!(refused(&["--constraints", "a", "--noisy"]).contains("cannot be used with noisy"));
    assert!(refused(&["--catol", "0.1"]).contains("--constraints"));
    assert!(refused(&["--constraints", "a", "--catol=-1"]).contains("catol must not be negative"));
    assert!(refused(&["--constraints", "a", "--constrained"]).contains("cannot be used with"));
}
