#!/usr/bin/env python3
"""A peer that fails in the way that ENES_FAKE says; it needs neither cma nor NumPy."""

import json
import os
import sys

how = os.environ["ENES_FAKE"]
if how == "dies at once":
    sys.exit("no such thing as a peer")
if how == "lacks cma":
    print(json.dumps({"error": "No module named 'cma'"}), flush=True)
    sys.exit(1)
if how == "greets":
    print("Python says hello", flush=True)
print(json.dumps({"cma": "4.5.0", "numpy": "2.4.6", "python": "3.11"}), flush=True)
job = json.loads(sys.stdin.readline())
if how == "dies later":
    sys.exit("killed by the night watch")
if how == "babbles":
    print("42 and then some", flush=True)
if how == "raises":
    print(json.dumps({"error": "ValueError: sigma"}), flush=True)
answer = {
    "evaluations": 100,
    "generations": 10,
    "population": 10,
    "value": 1e-11,
    "point": job["start"],
    "success": True,
    "stop": "ftarget",
    "seconds": 0.1,
    "check": [1e9 for _ in job["check"]],
}
if how == "counts badly":
    answer["check"] = []
print(json.dumps(answer), flush=True)
sys.stdin.read()
