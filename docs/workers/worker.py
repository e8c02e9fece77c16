"""A worker for `enes minimize --worker`: one JSON object a line in, one a line out."""
import json
import sys


def objective(x, named):
    return sum((v - 1.0) ** 2 for v in x)


for line in sys.stdin:
    question = json.loads(line)
    try:
        answer = {"id": question["id"], "value": objective(question["x"], question["named"])}
    except Exception as error:  # the point ranks last, the run continues
        answer = {"id": question["id"], "error": str(error)}
    print(json.dumps(answer), flush=True)  # flush: enes waits for the line
