"""The vector env of `King-v0` is so many single envs side by side, step for step; Gymnasium's own is the measure."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from king_env.bots import make
from king_env.engine.actions import NUM_ACTIONS
from king_env.episode import OptionError
from king_env.game import IllegalActionError
from king_env.opponents import OpponentError
from king_env.ruleset import RULESETS
from king_env.seat_env import SeatEnv
from king_env.seat_vector_env import SeatVectorEnv
from tests.envs.opponents import MIXTURE, AnyLegal, LastLegal, Raises, choose_for_all
from tests.envs.playing import plain, random_chooser

NUM_ENVS = 5
ONE_IN = 40  # actions is illegal
DEALS: dict[str, Any] = {"episode": "deal"}
Mask = np.ndarray


def make_envs(num_envs: int = NUM_ENVS, **options: Any) -> SeatVectorEnv:
    envs = gymnasium.make_vec("King-v0", num_envs=num_envs, **options).unwrapped
    assert isinstance(envs, SeatVectorEnv)
    return envs


def single_envs(mode: AutoresetMode, **options: Any) -> SyncVectorEnv:
    """As many single envs in the vector env that Gymnasium has for any."""
    return SyncVectorEnv([lambda: SeatEnv(**options)] * NUM_ENVS, autoreset_mode=mode)


def masks_in(shown: Any, infos: dict[str, Any]) -> Mask:
    masks: Mask = shown["action_mask"] if isinstance(shown, dict) else infos["action_mask"]
    return masks


def told(value: Any) -> Any:
    """What an env says, so that it can be compared with ==; arrays of objects one by one."""
    if isinstance(value, dict):
        return {key: told(entry) for key, entry in value.items()}
    if isinstance(value, tuple):
        return tuple(told(entry) for entry in value)
    if isinstance(value, np.ndarray):
        return [told(entry) for entry in value] if value.dtype == object else (str(value.dtype), value.tolist())
    return value


class Learners:
    """Whoever acts for all learners: legally but for one action in forty, any where the episode is over."""

    def __init__(self, seed: int, illegal: float = 1 / ONE_IN) -> None:
        self.choose, self.rng, self.illegal = random_chooser(seed), np.random.default_rng(seed), illegal

    def actions(self, masks: Mask) -> Mask:
        return choose_for_all(self.choose, masks, self.rng.random(len(masks)) < self.illegal)


def check_side_by_side(ours: VectorEnv[Any, Any, Any], theirs: VectorEnv[Any, Any, Any], seed: Any, steps: int) -> int:
    """Both say the same from a reset on; returns how many episodes have ended."""
    learners, num_ended = Learners(1), 0
    shown, infos = ours.reset(seed=seed)
    assert told((shown, infos)) == told(theirs.reset(seed=seed))
    for _ in range(steps):
        actions = learners.actions(masks_in(shown, infos))
        step = ours.step(actions)
        assert told(step) == told(theirs.step(actions))
        shown, _, ended, _, infos = step
        num_ended += int(ended.sum())
    return num_ended


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"ruleset": "brazilian_auction", "reward": "deal"},
        {"ruleset": "brazilian_trump", "reward": "placement"},
        {**DEALS, "observation_format": "flat"},
        {**DEALS, "contracts": ["positive"], "ruleset": "brazilian_auction", "opponents": "random"},
        {**DEALS, "opponents": MIXTURE, "seat": "rotating", "illegal_reward": -5},
        {**DEALS, "opponents": ["uniform", MIXTURE, "random"], "seat": 2, "ruleset": "brazilian_trump"},
        {**DEALS, "opponents": LastLegal()},
        {**DEALS, "opponents": ["heuristic", LastLegal(), MIXTURE], "observation_format": "flat"},
    ],
    ids=lambda options: " ".join(map(str, options.values())) if isinstance(options, dict) else options.value,
)
def test_it_is_so_many_single_envs(options: dict[str, Any], mode: AutoresetMode) -> None:
    ours, theirs = make_envs(autoreset_mode=mode, **options), single_envs(mode, **options)
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    assert ours.single_observation_space == theirs.single_observation_space
    assert ours.metadata["autoreset_mode"] == theirs.metadata["autoreset_mode"]
    assert check_side_by_side(ours, theirs, seed=2, steps=300) > 10
    assert check_side_by_side(ours, theirs, seed=None, steps=60) > 0
    assert check_side_by_side(ours, theirs, seed=[5, None, 7, None, 5], steps=60) > 0


@pytest.mark.parametrize("ruleset", RULESETS)
def test_whole_games_are_those_of_single_envs(ruleset: str) -> None:
    ours = make_envs(ruleset=ruleset, illegal_reward=-5)
    theirs = single_envs(AutoresetMode.NEXT_STEP, ruleset=ruleset, illegal_reward=-5)
    learners = Learners(3, illegal=0)
    shown, _ = ours.reset(seed=3)
    assert told(shown) == told(theirs.reset(seed=3)[0])
    num_ended = 0
    while num_ended < 2 * NUM_ENVS:
        actions = learners.actions(shown["action_mask"])
        step = ours.step(actions)
        assert told(step) == told(theirs.step(actions))
        shown, num_ended = step[0], num_ended + int(step[2].sum())


@pytest.mark.parametrize("observation_format", ["dict", "flat"])
def test_without_autoreset_envs_are_reset_by_a_mask(observation_format: str) -> None:
    options = {**DEALS, "observation_format": observation_format, "opponents": MIXTURE}
    ours, theirs = make_envs(autoreset_mode="Disabled", **options), single_envs(AutoresetMode.DISABLED, **options)
    learners, num_ended = Learners(4), 0
    shown, infos = ours.reset(seed=4)
    assert told((shown, infos)) == told(theirs.reset(seed=4))
    for _ in range(200):
        actions = learners.actions(masks_in(shown, infos))
        step = ours.step(actions)
        assert told(step) == told(theirs.step(actions))
        shown, _, ended, _, infos = step
        if ended.any():
            num_ended += int(ended.sum())
            shown, infos = ours.reset(options={"reset_mask": ended})
            assert told(shown) == told(theirs.reset(options={"reset_mask": ended})[0])
    assert num_ended > 20


def test_a_reset_mask_leaves_the_other_envs_where_they_are() -> None:
    envs = make_envs(observation_format="flat")
    before, infos = envs.reset(seed=5)
    reset_mask = np.array([True, False, False, True, False])
    options = {"reset_mask": reset_mask}
    after, infos_after = envs.reset(seed=100, options=options)
    assert list(options) == ["reset_mask"]
    for env in range(NUM_ENVS):
        fresh, info = SeatEnv(observation_format="flat").reset(seed=(100 if reset_mask[env] else 5) + env)
        np.testing.assert_array_equal(after[env], fresh)
        np.testing.assert_array_equal(infos_after["action_mask"][env], info["action_mask"])
    np.testing.assert_array_equal(before[~reset_mask], after[~reset_mask])
    assert infos_after["_action_mask"].all()


def test_a_mask_also_resets_what_would_begin_anew_with_the_next_step() -> None:
    envs, theirs = make_envs(**DEALS), single_envs(AutoresetMode.NEXT_STEP, **DEALS)
    shown, _ = envs.reset(seed=6)
    theirs.reset(seed=6)
    illegal = 1 - shown["action_mask"]
    _, _, ended, _, _ = envs.step(illegal.argmax(axis=1))
    theirs.step(illegal.argmax(axis=1))
    assert ended.all()
    some = np.array([False, True, True, False, False])
    shown, _ = envs.reset(options={"reset_mask": some})
    assert told(shown) == told(theirs.reset(options={"reset_mask": some})[0])
    step = envs.step(shown["action_mask"].argmax(axis=1))
    assert told(step) == told(theirs.step(shown["action_mask"].argmax(axis=1)))


def test_deals_are_given_to_all() -> None:
    single = SeatEnv(seat=0)
    single.reset(seed=7)
    options = {"deals": list(single.game.deals), "dealer": 1}
    ours, theirs = make_envs(seat=0), single_envs(AutoresetMode.NEXT_STEP, seat=0)
    assert told(ours.reset(seed=8, options=options)) == told(theirs.reset(seed=8, options=options))
    hands = ours.views()["hands"][:, 0]
    assert (hands == hands[0]).all()


# What its user sees


def test_by_default_an_episode_begins_anew_with_the_next_step() -> None:
    envs = make_envs(**DEALS)
    assert envs.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    shown, _ = envs.reset(seed=9)
    shown, rewards, ended, truncated, infos = envs.step(shown["action_mask"].argmin(axis=1))
    assert ended.all()
    assert not truncated.any()
    assert shown["action_mask"].all()
    shown, rewards, ended, _, infos = envs.step(np.full(NUM_ENVS, -1))  # whatever is chosen there is ignored
    assert not rewards.any()
    assert not ended.any()
    assert infos == {}
    np.testing.assert_array_equal(shown["action_mask"], envs.action_masks())


def test_every_env_has_metadata_of_its_own() -> None:
    same, following = make_envs(autoreset_mode="SameStep"), make_envs(autoreset_mode=AutoresetMode.NEXT_STEP)
    assert same.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert following.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    assert "autoreset_mode" not in SeatVectorEnv.metadata
    assert "autoreset_mode" not in SeatEnv.metadata


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_the_returns_that_gymnasium_records_are_scores(mode: str) -> None:
    """Its wrapper adds up by the mode that the env says it has."""
    envs = RecordEpisodeStatistics(make_envs(seat=0, autoreset_mode=mode, **DEALS))
    shown, _ = envs.reset(seed=10)
    recorded: list[list[float]] = [[] for _ in range(NUM_ENVS)]
    for _ in range(60):
        shown, _, _, _, infos = envs.step(shown["action_mask"].argmax(axis=1))
        for env in np.flatnonzero(infos.get("_episode", ())).tolist():
            recorded[env].append(float(infos["episode"]["r"][env]))
    for env, returns in enumerate(recorded):
        assert len(returns) > 2
        single = SeatEnv(seat=0, **DEALS)
        single.reset(seed=10 + env)
        for made in returns:
            while not single.step(single.action_masks().argmax())[2]:
                pass
            assert made == single.game.scores[0]
            single.reset()


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_what_was_shown_is_never_written_to_again(mode: str) -> None:
    envs = make_envs(
        autoreset_mode=mode, observation_format="flat", opponents=["random", LastLegal(), "uniform"], **DEALS
    )
    learners = Learners(11)
    shown, infos = envs.reset(seed=11)
    kept: list[tuple[Any, Any]] = [((shown, infos), told((shown, infos)))]
    for _ in range(60):
        step = envs.step(learners.actions(masks_in(shown, infos)))
        kept.append((step, told(step)))
        shown, infos = step[0], step[4]
        for what, was in kept[-3:]:
            assert told(what) == was
    for what, was in kept:
        assert told(what) == was


def test_the_actions_handed_in_are_left_alone() -> None:
    envs = make_envs(opponents=LastLegal())
    shown, _ = envs.reset(seed=12)
    actions = shown["action_mask"].argmax(axis=1)
    before = actions.copy()
    envs.step(actions)
    np.testing.assert_array_equal(actions, before)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.int64, list])
def test_whole_numbers_of_any_kind_are_actions(dtype: Any) -> None:
    envs, other = make_envs(), make_envs()
    shown, _ = envs.reset(seed=13)
    other.reset(seed=13)
    actions = shown["action_mask"].argmax(axis=1)
    given = actions.tolist() if dtype is list else actions.astype(dtype)
    assert told(envs.step(given)) == told(other.step(actions))


def test_many_envs_from_one_seed() -> None:
    envs = make_envs(512, opponents="random")
    envs.reset(seed=14)
    assert len({view.tobytes() for view in envs.views()}) == 512
    assert (np.bincount(envs.seats, minlength=4) > 90).all()
    single = SeatEnv(opponents="random")
    single.reset(seed=14 + 300)
    assert envs.views()[300].tobytes() == single.view()[0].tobytes()
    assert envs.seats[300] == single.seat


def test_bots_may_play_for_the_learners() -> None:
    envs = make_envs(64, opponents="heuristic", **DEALS)
    bot, rng = make("random"), np.random.default_rng(15)
    envs.reset(seed=15)
    done = np.zeros(64, dtype=bool)
    while not done.all():
        actions = np.full(64, -1)
        actions[~done] = bot.act_batch(envs.views()[~done], rng)
        _, _, ended, _, _ = envs.step(actions)
        done = ended  # which a step later have begun anew
        if ended.any():
            break
    assert np.count_nonzero(envs.views()["hands"], axis=1).max() == 1


def test_the_same_seed_plays_the_same_with_bots_that_draw() -> None:
    first, second = make_envs(opponents=AnyLegal(), **DEALS), make_envs(opponents=AnyLegal(), **DEALS)
    for seed in (16, [1, 2, 3, 4, 5]):
        assert check_side_by_side(first, second, seed=seed, steps=60) > 0


def test_without_a_seed_no_two_envs_are_alike() -> None:
    envs, other = make_envs(), make_envs()
    envs.reset()
    other.reset()
    assert len({view.tobytes() for view in (*envs.views(), *other.views())}) == 2 * NUM_ENVS


def test_tables_are_shown_as_the_learners_see_them() -> None:
    envs = make_envs(render_mode="ansi")
    envs.reset(seed=17)
    single = SeatEnv(render_mode="ansi")
    single.reset(seed=17 + 1)
    tables = envs.render()
    assert tables is not None
    assert len(tables) == NUM_ENVS
    assert tables[1] == single.render()
    with pytest.warns(UserWarning, match="render.. shows nothing without a render_mode"):
        silent = make_envs()
        silent.reset(seed=1)
        assert silent.render() is None


def test_single_envs_can_be_asked_for() -> None:
    envs = gymnasium.make_vec("King-v0", num_envs=2, vectorization_mode="sync", opponents="random")
    assert isinstance(envs, SyncVectorEnv)
    shown, _ = envs.reset(seed=1)
    envs.step(shown["action_mask"].argmax(axis=1))


# Copies


WAYS: dict[str, Callable[[SeatVectorEnv], SeatVectorEnv]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda envs: pickle.loads(pickle.dumps(envs)),
}


def play(envs: SeatVectorEnv, seed: int, steps: int) -> list[Any]:
    learners, seen = Learners(seed), []
    for _ in range(steps):
        seen.append(told(envs.step(learners.actions(envs.action_masks()))))
    return seen


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize("opponents", [MIXTURE, AnyLegal()])
@pytest.mark.parametrize("way", WAYS)
def test_copies_in_mid_game_play_on_alike(way: str, opponents: Any, mode: str) -> None:
    envs = make_envs(opponents=opponents, autoreset_mode=mode, **DEALS)
    envs.reset(seed=18)
    for part in range(4):
        play(envs, part, steps=7)
        played, kept = WAYS[way](envs), WAYS[way](envs)
        before = envs.views().tobytes()
        seen = play(played, 100, steps=40)
        assert envs.views().tobytes() == before
        assert play(kept, 100, steps=40) == seen


# Errors


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_envs": 0}, "num_envs: must be a whole number of at least 1, not 0"),
        ({"autoreset_mode": "Never"}, "autoreset_mode: must be one of NextStep, SameStep, Disabled, not 'Never'"),
        ({"render_mode": "human"}, "render_mode: must be one of ansi, not 'human'"),
        ({"observation_format": "box"}, "observation_format: must be one of dict, flat"),
        ({"seat": -1}, "seat: must be a whole number from 0 to 3"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        SeatVectorEnv(**options)


@pytest.mark.parametrize(
    ("actions", "error", "message"),
    [
        ([0] * 4, OptionError, "actions: must be whole numbers, one for each of 5 envs, not int64 of shape .4."),
        ([0.0] * 5, OptionError, "not float64 of shape"),
        (0, OptionError, "not int64 of shape"),
        ([0, 0, -1, 0, 0], IllegalActionError, "env 2: -1 is no action: they are 0 … 80"),
        ([0, 0, 0, 0, 81], IllegalActionError, "env 4: 81 is no action: they are 0 … 80"),
    ],
)
def test_what_are_no_actions_is_refused_and_changes_nothing(actions: Any, error: type[Exception], message: str) -> None:
    envs = make_envs()
    shown, _ = envs.reset(seed=19)
    before = envs.views().tobytes()
    with pytest.raises(error, match=message):
        envs.step(actions)
    assert envs.views().tobytes() == before
    envs.step(shown["action_mask"].argmax(axis=1))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"seed": [1, 2]}, "seed: must be one seed, or one for each of 5 envs, not 2"),
        ({"seed": -1}, "seed: must be a whole number"),
        ({"seed": "x"}, "seed: must be a whole number"),
        ({"options": {"mask": 1}}, "unknown option of reset 'mask'; known: deals, dealer, reset_mask"),
        ({"options": {"reset_mask": [True] * 5}}, r"reset_mask: must be an array bool\[5\], not \[True"),
        ({"options": {"reset_mask": np.ones(5)}}, r"reset_mask: must be an array bool\[5\], not float64\[5\]"),
        ({"options": {"reset_mask": np.ones(4, dtype=bool)}}, r"not bool\[4\]"),
        ({"options": {"reset_mask": np.zeros(5, dtype=bool)}}, "reset_mask: must be true for at least one env"),
    ],
)
def test_a_refused_reset_changes_nothing(arguments: dict[str, Any], message: str) -> None:
    envs = make_envs()
    shown, _ = envs.reset(seed=20)
    before = envs.views().tobytes()
    with pytest.raises(OptionError, match=message):
        envs.reset(**arguments)
    assert envs.views().tobytes() == before
    envs.step(shown["action_mask"].argmax(axis=1))


def test_before_reset_nothing_can_be_asked() -> None:
    envs = make_envs()
    some = np.array([True, False, False, False, False])
    for ask in (
        lambda: envs.step(np.zeros(NUM_ENVS, dtype=int)),
        lambda: envs.reset(options={"reset_mask": some}),
        envs.action_masks,
        envs.views,
        envs.render,
        lambda: envs.seats,
    ):
        with pytest.raises(gymnasium.error.ResetNeeded, match=r"call reset\(\) for all envs"):
            ask()


def test_without_autoreset_only_a_reset_helps() -> None:
    envs = make_envs(autoreset_mode=AutoresetMode.DISABLED)
    shown, _ = envs.reset(seed=21)
    envs.step(
        np.where(np.arange(NUM_ENVS) == 3, shown["action_mask"].argmin(axis=1), shown["action_mask"].argmax(axis=1))
    )
    with pytest.raises(gymnasium.error.ResetNeeded, match="env 3: the episode is over: reset it with reset_mask"):
        envs.step(np.zeros(NUM_ENVS, dtype=int))


def test_an_opponent_at_fault_is_named() -> None:
    envs = make_envs(opponents=["random", Raises(), "random"])
    with pytest.raises(OpponentError, match="opponent 'raises' raised KeyError"):
        for seed in range(20):
            shown, _ = envs.reset(seed=seed)
            envs.step(shown["action_mask"].argmax(axis=1))
    with pytest.raises(gymnasium.error.ResetNeeded):
        envs.step(np.zeros(NUM_ENVS, dtype=int))


def test_the_mask_of_what_may_be_done_is_never_empty() -> None:
    """Or a policy that softens its logits by the mask would have nothing to draw from."""
    for mode in ("NextStep", "SameStep"):
        envs = make_envs(autoreset_mode=mode, **DEALS)
        learners = Learners(22)
        shown, _ = envs.reset(seed=22)
        for _ in range(100):
            assert shown["action_mask"].any(axis=1).all()
            assert shown["action_mask"].shape == (NUM_ENVS, NUM_ACTIONS)
            shown, *_ = envs.step(learners.actions(shown["action_mask"]))
    assert plain(envs.action_masks()) == plain(shown["action_mask"])


SOME_PLAY = """
import hashlib, sys
from tests.envs.test_seat_vector_env import MIXTURE, Learners, make_envs, told
envs = make_envs(opponents=MIXTURE, seat="rotating", autoreset_mode="SameStep", episode="deal")
learners, seen = Learners(23), hashlib.sha256()
envs.reset(seed=23)
for _ in range(40):
    seen.update(repr(told(envs.step(learners.actions(envs.action_masks())))).encode())
print(seen.hexdigest())
"""


def test_compiled_it_plays_as_it_is_written() -> None:
    played = [
        subprocess.run(
            [sys.executable, "-c", SOME_PLAY],
            env={**os.environ, "NUMBA_DISABLE_JIT": switch},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for switch in "01"
    ]
    assert played[0] == played[1]
