"""Watching an env: in a notebook, and as a video by Gymnasium's RecordVideo."""

from __future__ import annotations

import io
import sys
import types
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.wrappers import RecordVideo
from PIL import Image

from king_env import king_v0

SIZE = (800, 1200, 3)
NUM_STEPS = 3


def watched_env() -> Any:
    return gymnasium.make("King-v0", opponents="heuristic", render_mode="rgb_array", episode="deal")


def pettingzoo_env() -> Any:
    return king_v0.env(render_mode="rgb_array")


def take_steps(env: Any) -> None:
    observation, _ = env.reset(seed=1)
    for _ in range(NUM_STEPS):
        observation, *_ = env.step(int(observation["action_mask"].argmax()))


@pytest.mark.parametrize("make", [watched_env, pettingzoo_env])
def test_what_render_returns_brings_its_png_for_notebooks(make: Any) -> None:
    env = make()
    env.reset(seed=1)
    picture = env.render()
    assert (np.asarray(Image.open(io.BytesIO(picture._repr_png_()))) == picture).all()


class Clip:
    """Instead of moviepy's: what it is handed."""

    made: list[Clip] = []

    def __init__(self, frames: list[Any], fps: float) -> None:
        self.frames, self.fps = frames, fps
        self.made.append(self)

    def write_videofile(self, path: str, logger: Any = None) -> None:
        Path(path).touch()


def test_record_video_gets_a_frame_a_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("ImageSequenceClip")
    module.ImageSequenceClip = Clip  # type: ignore[attr-defined]
    for name in ("moviepy", "moviepy.video", "moviepy.video.io"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    monkeypatch.setitem(sys.modules, "moviepy.video.io.ImageSequenceClip", module)
    env: gymnasium.Env[Any, Any] = RecordVideo(watched_env(), str(tmp_path / "videos"), disable_logger=True)
    take_steps(env)
    env.close()
    (clip,) = Clip.made
    assert [frame.shape for frame in clip.frames] == [SIZE] * (1 + NUM_STEPS)
    assert clip.fps == env.metadata["render_fps"]
    assert any((one != other).any() for one, other in zip(clip.frames, clip.frames[1:], strict=False))
