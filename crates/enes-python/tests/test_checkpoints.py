"""Pickles, copies and checkpoints: a run goes on bit for bit."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
from objectives import advance

import enes


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickle_in_mid_run_goes_on_bit_for_bit(protocol):
    es = enes.Optimizer([1.0, 2.0, 3.0], 1.0, rng=1)
    advance(es, 10)
    es.ask()  # points handed out, not yet told
    again = pickle.loads(pickle.dumps(es, protocol))
    for run in (es, again):
        advance(run, 30)
    np.testing.assert_array_equal(es.ask(), again.ask())
    np.testing.assert_array_equal(es.result.history["mean"], again.result.history["mean"])
    assert es.result.fun == again.result.fun


def test_a_copy_is_a_run_of_its_own():
    es = enes.Optimizer([1.0, 2.0], 1.0, rng=1)
    twins = [copy.copy(es), copy.deepcopy(es)]
    advance(es, 5)
    assert all(twin.generation == 0 for twin in twins)
    advance(twins[0], 5)
    np.testing.assert_array_equal(es.ask(), twins[0].ask())


def test_a_checkpoint_goes_on_bit_for_bit_in_another_process(tmp_path):
    es = enes.Optimizer([1.0, 2.0, 3.0], 1.0, rng=1)
    advance(es, 10)
    es.save(tmp_path / "run.enes")
    code = (
        "import sys, enes\nes = enes.Optimizer.load(sys.argv[1])\n"
        "for _ in range(20): es.tell((es.ask() ** 2).sum(axis=1))\nprint(es.mean.tolist())"
    )
    out = subprocess.run([sys.executable, "-c", code, tmp_path / "run.enes"], capture_output=True, text=True, check=True)
    advance(es, 20)
    assert out.stdout.strip() == str(es.mean.tolist())
    assert list(tmp_path.iterdir()) == [tmp_path / "run.enes"]


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda b: b[: len(b) // 2], "truncated"),
        (lambda b: b"", "not a checkpoint|checkpoint"),
        (lambda b: b"something else", "checkpoint"),
        (lambda b: b[:-1] + bytes([b[-1] ^ 1]), "checksum"),
    ],
)
def test_damaged_checkpoints_are_told_apart(tmp_path, damage, message):
    path = tmp_path / "run.enes"
    enes.Optimizer([1.0, 2.0], 1.0).save(path)
    path.write_bytes(damage(path.read_bytes()))
    for use in (enes.Optimizer.load, lambda path: enes.Optimizer(warm_start=path)):
        if use is enes.Optimizer.load or path.read_bytes().startswith(b"enes-checkpoint"):
            with pytest.raises(ValueError, match=f"{path}: .*({message})"):
                use(path)


def test_a_checkpoint_that_cannot_be_written_leaves_the_old_one(tmp_path):
    path = tmp_path / "folder" / "run.enes"
    with pytest.raises(FileNotFoundError, match=f"'{path}'$"):
        enes.Optimizer([1.0, 2.0], 1.0).save(path)
    with pytest.raises(FileNotFoundError):
        enes.Optimizer.load(path)


def test_a_full_disk_names_the_file_that_was_asked_for(tmp_path, monkeypatch):
    def full(descriptor):
        raise OSError(28, "No space left on device")

    path = tmp_path / "run.enes"
    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match=f"No space left on device: '{path}'$"):
        enes.minimize(lambda x: float(x @ x), [1.0], 1.0, rng=1, checkpoint=path)
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a system without pipes that have names")
def test_what_is_no_checkpoint_is_never_replaced(tmp_path):
    work, pipe = tmp_path / "thesis.txt", tmp_path / "pipe"
    work.write_text("three years")
    os.mkfifo(pipe)
    for path in (work, pipe):
        with pytest.raises(FileExistsError, match=f"{path} is not a checkpoint, and would be replaced: give a path"):
            enes.minimize(lambda x: float(x @ x), [1.0], 1.0, rng=1, checkpoint=path)
    assert work.read_text() == "three years" and pipe.is_fifo()
    # An empty file, and what a full disk has left of a checkpoint, may be.
    for left in (b"", b"enes-check", b"enes-checkpoint 3 "):
        (tmp_path / "run.enes").write_bytes(left)
        enes.Optimizer([1.0, 2.0], 1.0).save(tmp_path / "run.enes")
        enes.Optimizer.load(tmp_path / "run.enes")


def test_a_link_to_a_checkpoint_stays_a_link(tmp_path):
    place, link = tmp_path / "run.enes", tmp_path / "latest"
    link.symlink_to(place)
    for _ in range(2):  # one that leads nowhere yet, and one to a checkpoint
        enes.Optimizer([1.0, 2.0], 1.0).save(link)
        assert link.is_symlink() and place.is_file()
    enes.Optimizer.load(link)
