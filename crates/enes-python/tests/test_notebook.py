"""What a notebook shows: tables with a small picture, a live plot, restarts and honest axes, the logger."""

from __future__ import annotations

import base64
import logging
import re
import sys
import types
from xml.etree import ElementTree

import numpy as np
import pytest

import enes
from enes import _overview

SVG = "{http://www.w3.org/2000/svg}"


def sphere(x):
    return float(x @ x)


def rastrigin(x):
    return float(10 * len(x) + (x * x - 10 * np.cos(2 * np.pi * x)).sum())


@pytest.fixture(scope="module")
def restarted():
    return enes.minimize(rastrigin, [3, 4, 2], 1.0, rng=1, maxfevals=30_000, restarts="bipop", ftarget=1e-9)


def parsed(html):
    """The page as a tree: what is not well formed fails here."""
    return ElementTree.fromstring(html)


def cells(html):
    return {row[0].text: row[1].text for row in parsed(html).iter("tr")}


# Tables


def test_a_result_shows_the_counts_of_its_message(restarted):
    table = cells(restarted._repr_html_())
    assert table["message"] == restarted.message and table["success"] == "yes"
    restarts = len(restarted.restarts)
    assert restarts > 1
    assert table["took"].startswith(f"{restarted.nfev} evaluations, {restarted.nit} generations, {restarts} restarts")


def test_a_budget_that_ends_within_a_generation_is_counted_as_the_message_does():
    result = enes.minimize(sphere, [3, 4], 1.0, rng=1, maxfevals=41, restarts="off", population=6, model="rank_only")
    assert "41 of 41" in result.message and result.history["evaluations"][-1] < 41
    assert cells(result._repr_html_())["took"].startswith("41 evaluations")
    pytest.importorskip("matplotlib")
    from matplotlib.figure import Figure

    assert "after 41 evaluations" in enes.plot(result, figure=Figure()).get_suptitle()


def test_an_optimizer_shows_how_it_stands():
    es = enes.Optimizer(np.zeros(12), 0.5, rng=1)
    before = cells(es._repr_html_())
    assert before["state"] == "the run has not stopped" and before["best"] == "none"
    for _ in range(5):
        es.tell([sphere(x) for x in es.ask()])
    after = cells(es._repr_html_())
    assert after["so far"] == f"{es.evaluations} evaluations, 5 generations"
    assert after["mean"].endswith("(12 coordinates)")


def test_what_users_wrote_is_escaped():
    def fun(x):
        raise ValueError("<script>alert(1)</script> & more")

    result = enes.minimize(fun, [1.0], 1.0, on_error="stop", rng=1)
    html = result._repr_html_()
    assert "<script>" not in html and "&lt;script&gt;" in html
    parsed(html)


@pytest.mark.parametrize("fields", [{}, {"x": np.zeros(2)}, {"fun": 1.0, "message": "<b>"}])
def test_a_result_that_is_not_one_of_a_run_is_shown_as_text(fields):
    assert parsed(enes.OptimizeResult(fields)._repr_html_()).tag == "pre"


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 0.0, 1e300, -1e300])
def test_any_value_can_be_shown(value):
    result = enes.minimize(lambda x: value, [1.0, 2.0], 1.0, rng=1, maxfevals=60)
    parsed(result._repr_html_())
    es = enes.Optimizer([1.0], 1.0, rng=1)
    es.tell([value] * len(es.ask()))
    parsed(es._repr_html_())


def test_an_infeasible_result_says_so():
    result = enes.minimize(lambda x: (sphere(x), 1.0 + abs(x[0])), [1.0, 2.0], 1.0, rng=1, maxfevals=60)
    assert float(cells(result._repr_html_())["violation"]) > 0


# The small picture


def picture(html):
    return next(parsed(html.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ')).iter(SVG + "svg"))


def test_the_small_picture_marks_restarts_where_they_were(restarted):
    lines = [line for line in picture(restarted._repr_html_()).iter(SVG + "line") if line.get("class") == "restart"]
    ends = np.cumsum([row["evaluations"] for row in restarted.restarts])
    width = 360 - 52 - 10
    assert [float(line.get("x1")) for line in lines] == pytest.approx(52 + width * ends / restarted.nfev, abs=0.06)


def test_the_line_of_the_small_picture_stays_within_it(restarted):
    for run in (restarted, enes.minimize(sphere, [3, 4], 1.0, rng=1, maxfevals=301)):
        points = next(picture(run._repr_html_()).iter(SVG + "polyline")).get("points")
        at = np.array([[float(number) for number in point.split(",")] for point in points.split()])
        assert (at >= 0).all() and (at[:, 0] <= 360).all() and (at[:, 1] <= 150 - 18).all()
        assert (np.diff(at[:, 0]) >= 0).all() and (np.diff(at[:, 1]) >= 0).all()


def test_nothing_comes_from_outside(restarted):
    assert not re.search(r"https?:|src=|href=|<script|@import", restarted._repr_html_())


# Axes


@pytest.mark.parametrize(
    ("values", "floor"),
    [
        ([5.0, 3.0, 2.0, 1e-15], 2.0),
        ([5.0, 3.0, 2.0, 1e-15, 1e-15, 1e-15], 2.0),
        ([5.0, 3.0, 2.0, 1e-28, 8e-29, 6e-29, 4e-29, 1e-30], 2.0),
        ([10.0 ** (2 - k) for k in range(20)], None),
        ([100.0, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9], None),
        ([5.0, np.nan, 0.0, -1.0], None),
        ([np.nan, 0.0], None),
        ([], None),
    ],
)
def test_a_lucky_point_does_not_stretch_an_axis_and_a_fall_step_by_step_does(values, floor):
    assert _overview.floor_of(np.array(values, dtype=float)) == floor


def test_the_plot_marks_restarts_and_says_how_far_down_a_lucky_point_lies(restarted):
    pytest.importorskip("matplotlib")
    from matplotlib.figure import Figure

    figure = enes.plot(restarted, figure=Figure())
    ends = np.cumsum([row["evaluations"] for row in restarted.restarts])
    for panel in figure.axes[:4]:
        marks = [line.get_xdata()[0] for line in panel.lines if line.get_gid() == "restart"]
        assert marks == list(ends)
    lucky = enes.plot(enes.minimize(sphere, [3, 4], 1.0, rng=1, maxfevals=20), figure=Figure())
    panel = lucky.axes[0]
    assert panel.get_ylim()[0] > 1e-13
    assert any("down to" in text.get_text() for text in panel.texts)


def test_a_run_folder_has_its_restarts_marked(tmp_path):
    pytest.importorskip("matplotlib")
    from matplotlib.figure import Figure

    row = '{{"generation": {0}, "evaluations": {1}, "best": {2}, "restarts": {3}, "mean": [1], "stds": [1], "axes": [1]}}'
    rows = [row.format(g, 10 * g, 1 / g, int(g > 3)) for g in range(1, 7)]
    (tmp_path / "generations.jsonl").write_text("\n".join(rows))
    panel = enes.plot(tmp_path, figure=Figure()).axes[0]
    assert [line.get_xdata()[0] for line in panel.lines if line.get_gid() == "restart"] == [30]


# The live plot


class Output:
    """The output of a notebook's cell: what was displayed and what replaced it."""

    def __init__(self):
        self.shown = []

    def display(self, data, raw, display_id):
        assert raw and display_id
        return self.update(data, raw)

    def update(self, data, raw):
        assert raw and base64.b64decode(data["image/png"]).startswith(b"\x89PNG")
        self.shown.append(data["text/plain"])
        return self


@pytest.fixture
def notebook(monkeypatch):
    pytest.importorskip("matplotlib").use("Agg")
    output = Output()
    fake = types.ModuleType("IPython")
    fake.get_ipython = lambda: types.SimpleNamespace(kernel=object())
    fake.version_info = (9, 0)
    fake.display = types.SimpleNamespace(display=output.display)
    monkeypatch.setitem(sys.modules, "IPython", fake)
    return output


def test_the_live_plot_is_drawn_in_the_cell_and_ends_with_the_result(notebook, monkeypatch):
    from enes import _progress

    monkeypatch.setattr(_progress, "PICTURE_SECONDS", 0.0)
    monkeypatch.setattr(_progress, "SHARE", np.inf)
    result = enes.minimize(sphere, [3, 4], 1.0, rng=1, maxfevals=20, disp="plot")
    assert len(notebook.shown) >= 3 and f"after {result.nfev} evaluations" in notebook.shown[-1]


def test_the_live_plot_is_drawn_at_most_once_a_second(notebook):
    enes.minimize(sphere, [3, 4], 1.0, rng=1, maxfevals=200, disp="plot")
    assert len(notebook.shown) == 2


def test_the_live_plot_opens_a_window_where_there_are_windows(monkeypatch):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    from matplotlib.figure import Figure

    from enes import _progress

    shown = []
    monkeypatch.setattr(_progress, "windows", lambda: ["AGG"])
    monkeypatch.setattr(Figure, "show", lambda self: shown.append(self.get_suptitle()))
    monkeypatch.setattr(pyplot, "pause", lambda seconds: None)
    pyplot.switch_backend("Agg")
    enes.minimize(sphere, [3, 4], 1.0, rng=1, maxfevals=20, disp="plot")
    assert len(shown) == 2 and "after 20 evaluations" in shown[-1]
    pyplot.close("all")


def test_where_no_plot_can_be_seen_words_are_used_with_a_warning(capsys):
    pytest.importorskip("matplotlib").use("Agg")
    with pytest.warns(enes.EnesWarning, match="this is no notebook, and matplotlib's backend [Aa]gg has no windows"):
        enes.minimize(sphere, [3, 4], 1.0, rng=1, maxfevals=40, disp="plot")
    assert "40" in capsys.readouterr().err


def test_another_word_for_disp_is_refused():
    with pytest.raises(ValueError, match="disp must be True, False or 'plot', got 'picture'"):
        enes.minimize(sphere, [3, 4], 1.0, disp="picture")


# The logger


def test_the_logger_tells_of_beginning_restarts_and_end(caplog, restarted):
    with caplog.at_level(logging.INFO, logger="enes"):
        enes.minimize(rastrigin, [3, 4, 2], 1.0, rng=1, maxfevals=30_000, restarts="bipop", ftarget=1e-9)
    said = [record.getMessage() for record in caplog.records]
    assert said[0].startswith("the run begins: adaptive, 3 dimensions, population ")
    assert [text.split(":")[0] for text in said[1:-1]] == [f"restart {i + 1}" for i in range(len(restarted.restarts))]
    assert said[-1] == f"the run ends after {restarted.nfev} evaluations with {restarted.fun:.6g}: {restarted.message}"


def test_generations_are_for_debugging_and_failures_are_warnings(caplog):
    def fun(x):
        if x[0] > 1:
            raise ArithmeticError("diverged")
        return sphere(x)

    with caplog.at_level(logging.DEBUG, logger="enes"):
        result = enes.minimize(fun, [1.0, 2.0], 1.0, rng=1, maxiter=5, on_error="rank_last")
    levels = [record.levelno for record in caplog.records]
    assert levels.count(logging.DEBUG) == result.nit == 5
    warned = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert warned and "ArithmeticError('diverged')" in warned[0]
    assert f"{result.nfailed} evaluations failed" in caplog.records[-1].getMessage()


@pytest.mark.parametrize("asynchronous", [False, True])
def test_failures_are_warned_of_at_powers_of_ten_and_all_are_in_the_debug_lines(caplog, asynchronous):
    calls = []

    def fun(x):
        calls.append(x)
        if len(calls) % 2:
            raise ArithmeticError("diverged")
        return sphere(x)

    with caplog.at_level(logging.DEBUG, logger="enes"):
        result = enes.minimize(
            fun, [1.0, 2.0], 1.0, rng=1, maxiter=40, model="rank_only", on_error="rank_last", asynchronous=asynchronous
        )
    warned = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert result.nfailed > 20 and len(warned) == 1 + len(str(result.nfailed // 10))
    lines = [record.getMessage() for record in caplog.records if record.levelno == logging.DEBUG]
    assert sum(int(text.split("; ")[1].split()[0]) for text in lines if "failed" in text) == result.nfailed


def test_a_run_that_is_left_is_logged_as_such(caplog):
    def fun(x):
        raise ArithmeticError("diverged")

    with caplog.at_level(logging.INFO, logger="enes"), pytest.raises(ArithmeticError):
        enes.minimize(fun, [1.0], 1.0, rng=1)
    assert "the run was left by ArithmeticError: diverged" in caplog.records[-1].getMessage()


def test_nothing_is_printed_where_nobody_listens(capfd):
    enes.minimize(lambda x: float("nan") if x[0] > 1 else 1 / 0, [1.0], 1.0, rng=1, maxiter=3, on_error="rank_last")
    assert capfd.readouterr() == ("", "")
