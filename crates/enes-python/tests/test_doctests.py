"""The examples in the docstrings of the package do what they show."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import enes

MODULES = ["enes", *sorted(module.name for module in pkgutil.walk_packages(enes.__path__, "enes."))]
# What a module or its examples import beyond numpy.
OPTUNA = dict.fromkeys(["optuna", "_optuna_run", "_optuna_space"], "optuna")
EXTRAS = {"_scipy": "scipy", "_plot": "matplotlib", **OPTUNA}


def require_extra(module: str) -> None:
    extra = EXTRAS.get(module.rpartition(".")[2])
    if extra is not None:
        pytest.importorskip(extra)


def examples(name: str) -> list[doctest.DocTest]:
    module = importlib.import_module(name)
    return [test for test in doctest.DocTestFinder().find(module, name) if test.examples]


@pytest.mark.parametrize("name", MODULES)
def test_examples_do_what_they_show(name):
    require_extra(name)
    said: list[str] = []
    for test in examples(name):
        doctest.DocTestRunner(verbose=False).run(test, out=said.append)
    assert said == [], "".join(said)


@pytest.mark.parametrize("name", ["minimize", "Optimizer", "history", "scipy_method", "plot", "problems"])
def test_what_users_call_has_an_example(name):
    item = getattr(enes, name)
    home = item.__name__ if name == "problems" else item.__module__
    require_extra(home)
    assert any(test.name.rpartition(".")[2] == name for test in examples(home))
