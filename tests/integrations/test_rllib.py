"""King in RLlib: the environment as RLlib sees it, and the recipe on a cluster of two nodes."""

from __future__ import annotations

import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("ray.rllib")
pytestmark = pytest.mark.filterwarnings("default")  # Ray's own

import ray  # noqa: E402 - only where it is installed
from ray.rllib.callbacks.callbacks import RLlibCallback  # noqa: E402

from baselines.playing import ObservingBot  # noqa: E402
from baselines.rllib.masked_ppo import (  # noqa: E402
    EVERY_SEAT,
    greedy,
    last_saved,
    load_module,
    main,
    make_config,
    parse_arguments,
    save,
    train,
    trained_policy,
)
from king_env.aec_env import AGENTS  # noqa: E402
from king_env.engine.actions import NUM_ACTIONS  # noqa: E402
from king_env.engine.observation import OBSERVATION_SIZE  # noqa: E402
from king_env.episode import OptionError  # noqa: E402
from king_env.evaluation import play_match  # noqa: E402
from king_env.integrations.rllib import KingMultiAgentEnv  # noqa: E402
from tests.integrations.two_nodes import two_nodes  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
STEPS_AN_UPDATE = 256
NUM_ENVS = 4


def play_at_random(env: KingMultiAgentEnv, seed: int) -> tuple[dict[str, float], list[dict[str, Any]]]:
    """What each agent was paid in one episode, and all that was observed."""
    rng = np.random.default_rng(seed)
    observed, _ = env.reset(seed=seed)
    returns = dict.fromkeys(AGENTS, 0.0)
    everything = []
    is_over = False
    while not is_over:
        ((agent, seen),) = observed.items()
        everything.append(seen)
        action = int(rng.choice(np.flatnonzero(seen["action_mask"])))
        observed, rewards, terminations, _, _ = env.step({agent: action})
        for paid, reward in rewards.items():
            returns[paid] += reward
        is_over = terminations["__all__"]
    everything += observed.values()
    return returns, everything


# The environment


@pytest.mark.parametrize("options", [{}, {"episode": "deal"}, {"ruleset": "brazilian_auction", "reward": "deal"}])
def test_every_seat_is_paid_its_score(options: dict[str, Any]) -> None:
    env = KingMultiAgentEnv(options)
    for seed in range(3):
        returns, _ = play_at_random(env, seed)
        assert list(returns.values()) == env.env.unwrapped.game.scores


def test_observations_are_as_their_space_says() -> None:
    env = KingMultiAgentEnv()
    _, everything = play_at_random(env, 1)
    for seen in everything:
        assert env.observation_spaces[AGENTS[0]].contains(seen)
        assert list(seen) == ["observations", "action_mask"]
        assert seen["observations"].dtype == np.float32 and seen["observations"].shape == (OBSERVATION_SIZE,)
        assert seen["action_mask"].dtype == np.int8 and seen["action_mask"].shape == (NUM_ACTIONS,)


def test_last_shows_what_observe_shows() -> None:
    env = KingMultiAgentEnv().env
    env.reset(seed=3)
    last, *_ = env.last()
    seen, plain = env.observe(env.agent_selection), env.unwrapped.observe(env.agent_selection)
    assert np.array_equal(last["observations"], seen["observations"])
    assert np.array_equal(seen["observations"], plain["observation"])
    assert np.array_equal(last["action_mask"], plain["action_mask"])


def test_agents_come_in_the_order_of_their_seats() -> None:
    env = KingMultiAgentEnv()
    assert env.agents == env.possible_agents == list(env.observation_spaces) == list(env.action_spaces) == list(AGENTS)


def test_the_table_is_rendered() -> None:
    env = KingMultiAgentEnv({"render_mode": "ansi"})
    env.reset(seed=1)
    assert env.render() == env.env.unwrapped.render() != ""


def test_flat_observations_are_refused() -> None:
    with pytest.raises(OptionError, match=r"^observation_format: RLlib is given dicts"):
        KingMultiAgentEnv({"observation_format": "flat"})


# The recipe


class Witness(RLlibCallback):  # type: ignore[misc]  # Ray's types are not read
    """Looks over an env runner's shoulder, and keeps account."""

    def __init__(self) -> None:
        super().__init__()
        self.returns: dict[str, dict[str, float]] = defaultdict(lambda: dict.fromkeys(AGENTS, 0.0))
        self.scores: dict[str, list[int]] = {}
        self.num_actions = 0
        self.num_illegal = 0

    def on_sample_end(self, *, samples: list[Any], **_: Any) -> None:
        """Add up what the learner is handed."""
        for episode in samples:
            for agent, played in episode.agent_episodes.items():
                self.returns[episode.id_][agent] += float(np.sum(played.get_rewards()))
                masks, actions = played.get_observations()["action_mask"][:-1], played.get_actions()
                self.num_actions += len(actions)
                self.num_illegal += int((masks[np.arange(len(actions)), actions] == 0).sum())

    def on_episode_end(self, *, episode: Any, env: Any, env_index: int, **_: Any) -> None:
        """Note the score of the deal that is over."""
        self.scores[episode.id_] = list(env.envs[env_index].unwrapped.env.unwrapped.game.scores)


def account_of(runner: Any) -> dict[str, Any]:
    """What an env runner's witness has seen, and on which node."""
    (witness,) = runner._callbacks
    returns = {name: list(witness.returns[name].values()) for name in witness.scores}
    return {
        "node": ray.get_runtime_context().get_node_id(),
        "returns": returns,
        "scores": witness.scores,
        "num_actions": witness.num_actions,
        "num_illegal": witness.num_illegal,
    }


@pytest.fixture(scope="module")
def algorithm() -> Iterator[Any]:
    """Trained for three updates by env runners on two nodes."""
    with two_nodes():
        config = make_config(num_env_runners=2, num_envs=NUM_ENVS, seed=1, steps_an_update=STEPS_AN_UPDATE)
        trained = config.callbacks(Witness).build_algo()
        train(trained, 3 * STEPS_AN_UPDATE, None)
        yield trained
        trained.stop()


@pytest.fixture(scope="module")
def accounts(algorithm: Any) -> list[dict[str, Any]]:
    runners = algorithm.env_runner_group
    all_accounts: list[dict[str, Any]] = runners.foreach_env_runner(account_of, local_env_runner=False)
    return all_accounts


def test_runners_on_both_nodes_have_played(accounts: list[dict[str, Any]]) -> None:
    assert len({account["node"] for account in accounts}) == 2
    assert all(account["num_actions"] >= STEPS_AN_UPDATE for account in accounts)


def test_nothing_illegal_was_played(accounts: list[dict[str, Any]]) -> None:
    assert [account["num_illegal"] for account in accounts] == [0, 0]


def test_the_learner_is_handed_what_every_seat_scored(accounts: list[dict[str, Any]]) -> None:
    for account in accounts:
        assert account["returns"] == account["scores"] != {}


def test_a_checkpoint_keeps_the_policy_that_was_learned(algorithm: Any, tmp_path: Path) -> None:
    save(algorithm, tmp_path)
    train(algorithm, 1, tmp_path)
    first, last = sorted(tmp_path.iterdir())
    assert last_saved(tmp_path) == last
    before, after = (load_module(checkpoint).get_state() for checkpoint in (first, last))
    playing = algorithm.get_module(EVERY_SEAT).get_state()
    for name, weights in playing.items():
        assert np.array_equal(after[name], weights)
        assert not np.array_equal(before[name], weights)


def test_the_policy_plays_a_match(algorithm: Any) -> None:
    bot = ObservingBot(greedy(algorithm.get_module(EVERY_SEAT)), "rllib")
    result = play_match([bot, "random", "random", "random"], 1, 1, episode="deal", progress=False)
    assert result.is_complete and result.num_faults.sum() == 0


def test_a_run_goes_on_from_its_checkpoint(algorithm: Any, tmp_path: Path) -> None:
    save(algorithm, tmp_path)
    before = algorithm.iteration
    algorithm.train()
    algorithm.restore_from_path(str(last_saved(tmp_path)))
    assert algorithm.iteration == before
    algorithm.train()
    assert algorithm.iteration == before + 1


# The command


def test_the_command_trains_keeps_and_measures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept, measured = tmp_path / "run", ["--blocks", "1"]
    options = ["--decisions", "1", "--env-runners", "1", "--num-envs", "4", "--save", str(kept), *measured]
    command = [sys.executable, "-m", "baselines.rllib.masked_ppo", *options]  # where no Ray runs yet
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    assert told[0].startswith("update 1: ")
    assert main(["--load", str(kept), *measured]) == 0
    assert capsys.readouterr().out.splitlines() == told[-2:]
    with pytest.raises(SystemExit):
        main(["--save", str(kept)])
    assert "holds another run; --resume it, or name another folder" in capsys.readouterr().err


def test_more_runners_than_cores_are_refused(algorithm: Any) -> None:
    with pytest.raises(SystemExit, match="^--env-runners: must be at most 2, the cores of the cluster"):
        trained_policy(parse_arguments(["--env-runners", "3"]))
