"""enes.plot and enes.history: what is drawn is what happened, whatever the run."""

import json
import subprocess
import sys

import numpy as np
import pytest

import enes

matplotlib = pytest.importorskip("matplotlib")
from matplotlib.figure import Figure  # noqa: E402

TITLES = ["Value", "Mean", "Principal axes", "Standard deviations"]


def sphere(x):
    return float(x @ x)


def draw(run, **options):
    """The panels by title, drawn for good: what cannot be rendered fails here."""
    figure = enes.plot(run, figure=Figure(), **options)
    figure.canvas.draw()
    return {axes.get_title(loc="left"): axes for axes in figure.axes}


def line(panel, label):
    (found,) = [line for line in panel.lines if line.get_label() == label]
    return np.array(found.get_xdata()), np.array(found.get_ydata())


def texts(panel):
    return [text.get_text() for text in panel.texts]


@pytest.fixture
def folder(tmp_path):
    """A run folder as the command line writes it."""
    lines = []
    for g in range(1, 6):
        stds = [1.0 / g, 2.0 / g]
        entry = {"generation": g, "evaluations": 10 * g, "failures": 0, "best": 1.0 / g, "mean": [1.0, g / 2]}
        lines.append(json.dumps({**entry, "stds": stds, "axes": stds[::-1], "reused": 0.5, "seconds": 0.1 * g}))
    (tmp_path / "generations.jsonl").write_text("\n".join(lines) + "\n")
    parameters = [{"name": "gain", "fixed": False}, {"name": "rate", "fixed": False}]
    (tmp_path / "settings.json").write_text(json.dumps({"format": "enes-run", "parameters": parameters}))
    return tmp_path


def test_the_drawn_data_are_the_history():
    result = enes.minimize(sphere, [3, 4], 1.0, rng=1, maxfevals=300)
    history = enes.history(result)
    panels = draw(result)
    assert list(panels) == TITLES
    for label, column in [("best", history["best"]), ("median of new points", history["generation_median"])]:
        x, y = line(panels["Value"], label)
        np.testing.assert_array_equal(x, history["evaluations"])
        np.testing.assert_array_equal(y, column)
    above = history["best"] - history["best"].min()
    np.testing.assert_array_equal(line(panels["Value"], "best above final")[1], np.where(above > 0, above, np.nan))
    for i in range(2):
        np.testing.assert_array_equal(line(panels["Mean"], f"x{i}")[1], history[f"mean_{i}"])
        np.testing.assert_array_equal(line(panels["Standard deviations"], f"x{i}")[1], history[f"std_{i}"])
        np.testing.assert_array_equal(panels["Principal axes"].lines[i].get_ydata(), history[f"axis_{i}"])


def test_axes_are_labelled_and_logarithmic_where_lengths_shrink():
    panels = draw(enes.minimize(sphere, [3, 4], 1.0, rng=1, maxfevals=300))
    assert [panels[t].get_yscale() for t in TITLES] == ["log", "linear", "log", "log"]
    assert all(panels[t].get_ylabel() for t in TITLES)
    assert panels["Principal axes"].get_xlabel() == panels["Standard deviations"].get_xlabel() == "evaluations"
    assert texts(panels["Principal axes"]) == ["shortest", "longest"]


def test_a_result_its_optimizer_and_a_copy_are_drawn_alike():
    es = enes.Optimizer([1, 2, 3], 0.5, rng=1, maxfevals=200)
    result = es.optimize(sphere)
    drawn = [line(draw(run)["Mean"], "x2")[1] for run in (result, es, result.copy())]
    np.testing.assert_array_equal(drawn[0], drawn[1])
    np.testing.assert_array_equal(drawn[0], drawn[2])


@pytest.mark.parametrize("kind", [str, lambda path: path])
def test_a_run_folder_is_drawn_with_its_names(folder, kind):
    panels = draw(kind(folder))
    np.testing.assert_array_equal(line(panels["Value"], "best")[1], 1.0 / np.arange(1, 6))
    np.testing.assert_array_equal(line(panels["Mean"], "rate")[1], np.arange(1, 6) / 2)
    assert sorted(texts(panels["Standard deviations"])) == ["gain", "rate"]


def test_a_fixed_parameter_has_a_mean_but_no_deviation(folder):
    parameters = [{"name": "size", "fixed": True}, {"name": "gain", "lower": 0.0}, {"name": "rate", "log": True}]
    (folder / "settings.json").write_text(json.dumps({"parameters": parameters}))
    file = folder / "generations.jsonl"
    rows = [json.loads(row) for row in file.read_text().splitlines()]
    file.write_text("\n".join(json.dumps({**row, "mean": [5.0, *row["mean"]]}) for row in rows))
    panels = draw(folder)
    assert [len(panels[t].lines) for t in TITLES[1:]] == [3, 2, 2]
    np.testing.assert_array_equal(line(panels["Standard deviations"], "gain")[1], 1.0 / np.arange(1, 6))
    assert "search" in panels["Standard deviations"].get_ylabel()


def test_a_damaged_last_line_of_a_run_folder_is_left_out(folder):
    file = folder / "generations.jsonl"
    file.write_text(file.read_text()[:-40])
    assert enes.history(folder)["generation"].tolist() == [1, 2, 3, 4]
    assert len(line(draw(folder)["Value"], "best")[0]) == 4


def test_a_run_folder_without_settings_is_drawn_all_the_same(folder):
    (folder / "settings.json").write_text("{")
    assert sorted(texts(draw(folder)["Mean"])) == ["x0", "x1"]


def test_a_folder_that_is_no_run_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no generations\.jsonl"):
        enes.plot(tmp_path)


def test_negative_values_have_a_linear_scale_beside_the_logarithm():
    result = enes.minimize(lambda x: sphere(x) - 3, [3, 4], 1.0, rng=1, maxfevals=300)
    figure = enes.plot(result, figure=Figure())
    figure.canvas.draw()
    value, right = figure.axes[0], figure.axes[4]
    assert (len(figure.axes), value.get_yscale(), right.get_yscale()) == (5, "log", "linear")
    best = result.history["best"]
    np.testing.assert_array_equal(line(right, "best")[1], best)
    above = best - best.min()
    np.testing.assert_array_equal(line(value, "best above final")[1], np.where(above > 0, above, np.nan))


def test_values_that_are_no_numbers_leave_gaps():
    values = iter([np.nan] * 28 + [np.inf] * 10)
    result = enes.minimize(lambda x: next(values, sphere(x)), [3, 4], 1.0, rng=1, maxfevals=28)
    assert texts(draw(result)["Value"]) == ["no value is a finite number"]
    result = enes.minimize(lambda x: np.nan if x[0] > 3 else np.inf if x[1] > 4 else sphere(x), [3, 4], 1.0, rng=1,
                           maxfevals=300)  # fmt: skip
    _, medians = line(draw(result)["Value"], "median of new points")
    told = result.history["generation_median"]
    assert not np.isfinite(told).all() and np.isfinite(told).any()
    np.testing.assert_array_equal(medians, np.where(np.isfinite(told), told, np.nan))


@pytest.mark.parametrize(
    "best",
    [[np.inf, 2.0, -np.inf], [1e308, 1.0, -1e308], [1e199, 1.0, -1e199], [1e199, 1e-199, 5e-324], [0.0] * 3, [2.0] * 3],
)
def test_extreme_values_are_drawn_without_a_warning(best, recwarn):
    result = enes.minimize(sphere, [3, 4], 1.0, rng=1, maxiter=3)
    result.history.update(best=np.array(best), generation_median=np.array([np.nan, np.inf, 1.0]))
    result.history["stds"][2] = 0.0
    result.history["axes"][:] = np.inf
    assert "Range of the deviations" in draw(result)
    assert [str(warning.message) for warning in recwarn] == []


def test_one_dimension_is_drawn():
    panels = draw(enes.minimize(sphere, 3.0, 1.0, rng=1, maxfevals=20, tolfun=None))
    assert [len(panels[t].lines) for t in TITLES[1:]] == [1, 1, 1]


def test_one_generation_is_a_visible_point():
    panels = draw(enes.minimize(sphere, [3, 4], 1.0, rng=1, maxiter=1))
    assert [panels[t].lines[0].get_marker() for t in TITLES] == ["o"] * 4


def test_many_dimensions_are_legible_and_have_no_axes():
    problem = enes.problems.get("sphere", 45, seed=1)
    result = enes.minimize(problem, problem.x0, 1.0, rng=1, maxiter=3, vectorized=True)
    panels = draw(result)
    assert list(panels) == ["Value", "Mean", "Range of the deviations", "Standard deviations"]
    stds = result.history["stds"]
    for label, column in [("largest", stds.max(1)), ("median", np.median(stds, 1)), ("smallest", stds.min(1))]:
        # 1e-12: a quantile interpolates between its neighbours.
        np.testing.assert_allclose(line(panels["Range of the deviations"], label)[1], column, rtol=1e-12)
    assert len(panels["Mean"].lines) == 45 and len(texts(panels["Mean"])) == 8
    heights = np.sort([text.xy[1] for text in panels["Mean"].texts])
    assert np.diff(heights).min() > 0.07 and heights[0] >= 0 and heights[-1] <= 1


def test_axes_of_the_end_of_a_run_are_drawn_at_its_end():
    result = enes.minimize(sphere, [3, 4], 1.0, rng=1, maxiter=9)
    result.history["axes"] = result.history["axes"][5:]
    x, _ = line(draw(result)["Principal axes"], "longest")
    np.testing.assert_array_equal(x, result.history["evaluations"][5:])


def test_names_label_the_coordinates():
    result = enes.minimize(sphere, [3, 4], 1.0, rng=1, maxiter=5)
    assert sorted(texts(draw(result, names=["gain", "rate"])["Mean"])) == ["gain", "rate"]
    with pytest.raises(ValueError, match=r"names must be 2 names, one for each coordinate, got \['gain'\]"):
        enes.plot(result, names=["gain"])


def test_an_empty_history_is_an_error_that_says_what_to_do():
    with pytest.raises(ValueError, match="run must have completed a generation, got an empty history: tell"):
        enes.plot(enes.Optimizer([1, 2], 0.5))


def test_what_is_no_run_or_no_figure_is_refused():
    with pytest.raises(TypeError, match="expected a result, an Optimizer or the path of a run folder, got 3"):
        enes.plot(3)
    with pytest.raises(TypeError, match="figure must be a matplotlib Figure or SubFigure, got 'here'"):
        enes.plot(enes.minimize(sphere, [3, 4], 1.0, rng=1, maxiter=5), figure="here")


def test_a_subfigure_can_be_drawn_on():
    figure = Figure(figsize=(12, 5), layout="constrained")
    left, right = figure.subfigures(1, 2)
    result = enes.minimize(sphere, [3, 4], 1.0, rng=1, maxiter=5)
    assert enes.plot(result, figure=left) is left and len(left.axes) == 4 and len(right.axes) == 0
    figure.canvas.draw()


def test_without_a_display_a_pyplot_figure_is_made_and_settings_stay(monkeypatch):
    for name in ("MPLBACKEND", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    code = """
import enes, matplotlib
before = dict(matplotlib.rcParams)
import matplotlib.pyplot as plt
def show():
    raise AssertionError("shown")
plt.show = show
figure = enes.plot(enes.minimize(lambda x: x @ x, [3, 4], 1.0, rng=1, maxiter=5))
changed = {k for k, v in before.items() if matplotlib.rcParams[k] != v} - {"backend"}
print(type(figure).__name__, len(figure.axes), plt.get_fignums(), sorted(changed))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == "Figure 4 [1] []\n", done.stderr


def test_missing_matplotlib_is_said_with_the_remedy(monkeypatch):
    result = enes.minimize(sphere, [3, 4], 1.0, rng=1, maxiter=5)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r'enes\.plot needs matplotlib .*: pip install "enes-opt\[plot\]"'):
        enes.plot(result)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_the_history_is_a_data_frame(library, folder):
    frames = pytest.importorskip(library)
    result = enes.minimize(sphere, [3, 4], 1.0, rng=1, maxiter=7)
    for run, rows in [(result, 7), (folder, 5)]:
        frame = frames.DataFrame(enes.history(run))
        assert frame.shape[0] == rows
        assert {"generation", "best", "mean_1", "std_0", "axis_1"} <= set(frame.columns)
        np.testing.assert_array_equal(frame["mean_1"].to_numpy(), enes.history(run)["mean_1"])
