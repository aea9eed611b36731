"""`King-v0`: one learner among bots. A game of it is one of `raw_env` in which the bots are asked one after another."""

from __future__ import annotations

import copy
import doctest
import pickle
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from king_env import king_v0, seat_env, seat_vector_env
from king_env.aec_env import AGENTS, KingAECEnv
from king_env.bots import Bot, BotError, make
from king_env.bots.compiled import choose_all
from king_env.bots.compiled_bot import CompiledBot
from king_env.chance import Streams, new_streams
from king_env.engine.actions import NUM_ACTIONS
from king_env.engine.seats import NUM_SEATS
from king_env.episode import REWARDS, OptionError
from king_env.game import IllegalActionError
from king_env.opponents import OpponentError
from king_env.picture import draw_table
from king_env.render import render_table
from king_env.ruleset import RULESETS, RuleSet, RuleSetError
from king_env.seat_env import SeatEnv
from tests.envs.opponents import MIXTURE, Answers, AnyLegal, LastLegal, Raises, SeesAll, Watcher
from tests.envs.playing import mask_of, plain, random_chooser

HOUSE_RULES = RuleSet(stop_when_decided=True, king_of_hearts_forced="never", skip_limit=325, first_lead="declarer")
RULES: dict[str, Any] = {**{name: name for name in RULESETS}, "house": HOUSE_RULES}
SMALL_PENALTY = -7.0


def make_env(**options: Any) -> SeatEnv:
    env = gymnasium.make("King-v0", **options).unwrapped
    assert isinstance(env, SeatEnv)
    return env


def mask_in(observation: Any, info: dict[str, Any]) -> Any:
    return observation["action_mask"] if isinstance(observation, dict) else info["action_mask"]


def play_episode(env: SeatEnv, seed: int, shown: tuple[Any, dict[str, Any]] | None = None) -> Iterator[tuple[Any, ...]]:
    """Legal play to the end from what `reset` showed, and all that is shown on the way."""
    choose = random_chooser(seed)
    observation, info = env.reset() if shown is None else shown
    yield plain(observation), plain(info)
    is_over = False
    while not is_over:
        observation, reward, is_over, truncated, info = env.step(choose(mask_in(observation, info)))
        yield plain(observation), reward, is_over, truncated, plain(info)


def play_to_end(env: SeatEnv, seed: int) -> float:
    """The return of an episode of legal play."""
    return float(sum(step[1] for step in list(play_episode(env, seed))[1:]))


# As the PettingZoo env, with bots that are asked one after another


class Table:
    """What `King-v0` is to do, from the envs and bots that it is made of: every seat is played in `raw_env`."""

    def __init__(self, seat: int, bots: dict[int, Bot], seed: int, **options: Any) -> None:
        self.env: KingAECEnv = king_v0.raw_env(**options)
        self.learner, self.bots = AGENTS[seat], bots
        self.streams: Streams = new_streams(seed, 1, purpose="bots")
        self.rng = np.random.default_rng(seed)
        self.reward = 0.0
        self.env.reset(seed=seed)

    def play_to_the_learner(self) -> None:
        while not self.is_over() and self.env.agent_selection != self.learner:
            self.step(self.answer_of_bot())

    def step(self, action: int) -> None:
        self.env.step(action)
        self.reward += self.env.rewards[self.learner]

    def is_over(self) -> bool:
        return self.env.terminations[self.learner]

    def told(self) -> float:
        reward, self.reward = self.reward, 0.0
        return reward

    def answer_of_bot(self) -> int:
        agent = self.env.agent_selection
        legal = np.flatnonzero(mask_of(self.env))
        if len(legal) == 1:
            return int(legal[0])
        bot, view = self.bots[AGENTS.index(agent)], self.env.view(agent)
        if isinstance(bot, CompiledBot):
            actions = np.empty(1, dtype=np.int64)
            choose_all(bot.code, view, self.streams, actions)
            return int(actions[0])
        return bot.act(view, self.rng)


@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize("opponent", ["heuristic", "random", "uniform", "heuristic:cards=random", "python"])
@pytest.mark.parametrize("rules", RULES)
def test_a_game_is_one_of_raw_env(rules: str, opponent: str, reward: str) -> None:
    bot = LastLegal() if opponent == "python" else make(opponent)
    for seed in range(2):
        options = {"ruleset": RULES[rules], "reward": reward}
        env = make_env(opponents=bot, **options)
        observation, _ = env.reset(seed=seed)
        table = Table(env.seat, dict.fromkeys(range(NUM_SEATS), bot), seed, **options)
        table.play_to_the_learner()
        choose = random_chooser(seed)
        is_over = False
        while not is_over:
            assert plain(observation) == plain(table.env.observe(table.learner))
            action = choose(observation["action_mask"])
            observation, paid, is_over, truncated, info = env.step(action)
            table.step(action)
            table.play_to_the_learner()
            assert (paid, is_over, truncated, info) == (table.told(), table.is_over(), False, {})
        last = table.env.observe(table.learner)["observation"]
        np.testing.assert_array_equal(observation["observation"], last)
        assert env.game.to_record() == table.env.game.to_record()


def test_who_sits_to_the_left_is_named_first() -> None:
    names = ["uniform", "random", "heuristic"]
    for seat in range(NUM_SEATS):
        env = make_env(opponents=names, seat=seat)
        observation, _ = env.reset(seed=seat)
        seated = [env.players[(seat + place) % NUM_SEATS] for place in range(NUM_SEATS)]
        assert seated == ["learner", *names]
        bots = {(seat + 1 + place) % NUM_SEATS: make(name) for place, name in enumerate(names)}
        table = Table(seat, bots, seed=seat)
        table.play_to_the_learner()
        choose = random_chooser(0)
        for _ in range(100):
            assert plain(observation) == plain(table.env.observe(table.learner))
            action = choose(observation["action_mask"])
            observation, *_ = env.step(action)
            table.step(action)
            table.play_to_the_learner()


@pytest.mark.parametrize("episode", ["game", "deal"])
@pytest.mark.parametrize("rules", RULES)
def test_the_return_is_the_score_of_the_seat(rules: str, episode: str) -> None:
    for reward in ("points", "deal"):
        env = make_env(opponents=MIXTURE, ruleset=RULES[rules], episode=episode, reward=reward)
        env.reset(seed=1)
        for game in range(100 if episode == "deal" else 15):
            assert play_to_end(env, game) == env.game.scores[env.seat]
            assert env.game.is_over


def owner_plays_down(seed: int) -> SeatEnv:
    """A positive deal, reset, which an opponent may own: it plays it down at once, which pays all four seats."""
    env = make_env(opponents=LastLegal(), episode="deal", contracts=["positive"], seat=0)
    env.reset(seed=seed)
    return env


def test_what_is_paid_before_the_first_turn_is_told_with_the_first_step() -> None:
    owed = 0
    for seed in range(30):
        env = owner_plays_down(seed)
        before = env.game.scores[0]
        owed += before
        _, paid, *_ = env.step(env.action_masks().argmax())
        assert paid == env.game.scores[0]
        assert before in (0, 325)
    assert owed > 0


@pytest.mark.parametrize("rules", RULES)
def test_in_every_deal_the_learner_has_a_turn(rules: str) -> None:
    env = make_env(opponents={"uniform": 1, "random": 1}, ruleset=RULES[rules], episode="deal", contracts=["positive"])
    env.reset(seed=3)
    for game in range(300):
        shown = env.reset()
        assert not env.game.is_over
        list(play_episode(env, game, shown))


# The masks


@pytest.mark.parametrize("observation_format", ["dict", "flat"])
def test_the_mask_is_the_same_wherever_it_is_asked_for(observation_format: str) -> None:
    env = make_env(observation_format=observation_format)
    observation, info = env.reset(seed=1)
    choose = random_chooser(1)
    is_over = False
    while not is_over:
        mask = mask_in(observation, info)
        assert mask.dtype == np.int8
        np.testing.assert_array_equal(env.action_masks(), mask)
        assert np.flatnonzero(mask).tolist() == env.game.legal_ids()
        assert observation in env.observation_space
        assert list(info) == (["action_mask"] if observation_format == "flat" else [])
        observation, _, is_over, _, info = env.step(choose(mask))


def test_wrappers_lead_to_the_masks() -> None:
    env = gymnasium.make("King-v0")
    env.reset(seed=1)
    assert env.get_wrapper_attr("action_masks")().sum() > 0


@pytest.mark.parametrize("is_legal", [True, False])
def test_an_episode_that_is_over_allows_everything(is_legal: bool) -> None:
    env = make_env(episode="deal")
    observation, _ = env.reset(seed=2)
    is_over = False
    while not is_over:
        mask = observation["action_mask"]
        assert not mask.all()
        observation, _, is_over, _, _ = env.step((mask if is_legal else 1 - mask).argmax())
    assert observation["action_mask"].all()
    assert env.action_masks().all()


# Illegal actions


@pytest.mark.parametrize("reward", REWARDS)
def test_an_illegal_action_ends_the_episode_at_its_price(reward: str) -> None:
    for illegal_reward, price in ((None, -1.0 if reward == "placement" else -1300.0), (SMALL_PENALTY, SMALL_PENALTY)):
        env = make_env(reward=reward, illegal_reward=illegal_reward, seat=1)
        observation, _ = env.reset(seed=4)
        earned = 0.0
        for _ in range(30):
            observation, paid, *_ = env.step(observation["action_mask"].argmax())
            earned += paid
        before = env.game.to_record()
        _, paid, terminated, truncated, _ = env.step(observation["action_mask"].argmin())
        assert (paid, terminated, truncated) == (price, True, False)
        assert env.game.to_record() == before
        if reward == "points":
            assert earned == env.game.scores[1]


def test_what_was_owed_is_paid_with_the_penalty() -> None:
    """So that whatever happens the return is the score, and the penalty where there is one."""
    paid = set()
    for seed in range(30):
        env = owner_plays_down(seed)
        paid.add((env.game.scores[0], env.step(env.action_masks().argmin())[1]))
    assert paid == {(0, -1300.0), (325, 325 - 1300.0)}


def test_an_illegal_action_leaves_nothing_behind() -> None:
    ended_early, played_out = make_env(), make_env()
    observation, _ = ended_early.reset(seed=5)
    ended_early.step(observation["action_mask"].argmin())
    played_out.reset(seed=5)
    play_to_end_from_here(played_out, 0)
    for env in (ended_early, played_out):
        env.reset()
    assert ended_early.seat == played_out.seat
    np.testing.assert_array_equal(ended_early.game.deals, played_out.game.deals)
    assert ended_early.game.first_dealer == played_out.game.first_dealer


@pytest.mark.parametrize("action", [-1, NUM_ACTIONS, 1.5, None, "QH", np.array([1, 2]), np.float32(3)])
def test_what_is_no_action_is_refused_and_changes_nothing(action: Any) -> None:
    env = make_env()
    env.reset(seed=6)
    before = env.game.to_record()
    with pytest.raises(IllegalActionError, match="is no action: they are whole numbers 0 … 80"):
        env.step(action)
    assert env.game.to_record() == before
    env.step(env.action_masks().argmax())


@pytest.mark.parametrize("kind", [int, np.int32, np.int64, np.array])
def test_whole_numbers_of_any_kind_are_actions(kind: Callable[[int], Any]) -> None:
    env, other = make_env(seat=2), make_env(seat=2)
    mask = env.reset(seed=7)[0]["action_mask"]
    other.reset(seed=7)
    assert plain(env.step(kind(int(mask.argmax())))) == plain(other.step(int(mask.argmax())))


# Seats, opponents and random numbers


def test_a_seat_that_is_named_is_kept() -> None:
    for seat in range(NUM_SEATS):
        env = make_env(seat=seat, episode="deal")
        assert {_seat_of_next(env, seed) for seed in (1, None, None)} == {seat}


def _seat_of_next(env: SeatEnv, seed: int | None = None) -> int:
    env.reset(seed=seed)
    return env.seat


def test_without_one_every_seat_is_drawn_alike() -> None:
    env = make_env(episode="deal")
    env.reset(seed=8)
    counts = Counter(_seat_of_next(env) for _ in range(2000))
    assert sorted(counts) == list(range(NUM_SEATS))
    assert all(420 < count < 580 for count in counts.values())


def test_a_rotating_seat_moves_to_the_left() -> None:
    env = make_env(seat="rotating", episode="deal")
    first = _seat_of_next(env, 9)
    assert [_seat_of_next(env) for _ in range(5)] == [(first + later) % NUM_SEATS for later in range(1, 6)]
    assert {_seat_of_next(env, seed) for seed in range(30)} == set(range(NUM_SEATS))
    assert _seat_of_next(env, 9) == first


def test_a_mixture_seats_each_bot_by_its_weight() -> None:
    env = make_env(opponents=["uniform", {"heuristic": 3, "random": 1, "uniform": 0}, {"random": 0.5}], seat=3)
    seated = Counter[tuple[str, ...]]()
    for seed in range(1000):
        env.reset(seed=seed)
        seated[tuple(env.players)] += 1
    assert set(seated) == {("uniform", "heuristic", "random", "learner"), ("uniform", "random", "random", "learner")}
    assert 700 < seated["uniform", "heuristic", "random", "learner"] < 800


def test_a_mixture_for_all_draws_each_opponent_by_itself() -> None:
    env = make_env(opponents={"heuristic": 1, "random": 1}, seat=0)
    env.reset(seed=10)
    seated = Counter[tuple[str, ...]]()
    for _ in range(2000):
        env.reset()
        seated[tuple(env.players[1:])] += 1
    assert len(seated) == 2**3
    assert all(190 < count < 310 for count in seated.values())


def test_the_cards_of_a_seed_are_those_of_every_env_whoever_plays() -> None:
    raw = king_v0.raw_env()
    raw.reset(seed=11)
    envs = [make_env(opponents=opponents, seat=seat) for opponents, seat in (("random", 0), (MIXTURE, "rotating"))]
    for env in envs:
        env.reset(seed=11)
    for episode in range(3):
        for env in envs:
            np.testing.assert_array_equal(env.game.deals, raw.game.deals)
            assert env.game.first_dealer == raw.game.first_dealer
            play_to_end_from_here(env, episode)
            env.reset()
        raw.reset()


def play_to_end_from_here(env: SeatEnv, seed: int) -> None:
    choose = random_chooser(seed)
    while not env.step(choose(env.action_masks()))[2]:
        pass


def test_seats_and_opponents_do_not_depend_on_what_is_played() -> None:
    seated: list[list[tuple[int, list[str]]]] = []
    for playing in range(2):
        env = make_env(opponents=MIXTURE, episode="deal")
        env.reset(seed=12)
        seated.append([])
        for episode in range(20):
            play_to_end_from_here(env, 100 * playing + episode)
            env.reset()
            seated[-1].append((env.seat, env.players))
    assert seated[0] == seated[1]


@pytest.mark.parametrize("opponents", ["random", MIXTURE, AnyLegal()])
def test_the_same_seed_plays_the_same(opponents: Any) -> None:
    first, second = make_env(opponents=opponents), make_env(opponents=opponents)
    for env in (first, second):
        env.reset(seed=13)
    for episode in range(3):
        assert list(play_episode(first, episode)) == list(play_episode(second, episode))


def test_without_a_seed_no_two_envs_are_alike() -> None:
    assert plain(make_env().reset()) != plain(make_env().reset())


def test_deals_and_dealer_can_be_given() -> None:
    other = make_env()
    other.reset(seed=14)
    deals = list(other.game.deals)
    env = make_env(seat=2)
    env.reset(seed=15, options={"deals": deals, "dealer": 3})
    np.testing.assert_array_equal(env.game.deals, deals)
    assert env.game.first_dealer == 3
    play_to_end_from_here(env, 1)
    assert env.game.to_record()["dealer"] == 3
    env.reset()
    assert not np.array_equal(env.game.deals, deals)


# Opponents in Python


def test_a_bot_is_handed_its_own_view_and_only_where_it_has_a_choice() -> None:
    bot = Watcher()
    env = make_env(opponents=bot)
    env.reset(seed=16)
    play_to_end_from_here(env, 1)
    handed = np.concatenate(bot.handed)
    assert len(handed) > 100
    for view in handed:
        assert np.count_nonzero(view["hands"]) == 1
        assert view["hands"][view["turn"]] != 0
        assert view["turn"] != env.seat


def test_a_class_of_ones_own_is_not_taken_for_the_bot_that_it_is_derived_from() -> None:
    class Unlike(type(make("heuristic"))):  # type: ignore[misc]
        def act_batch(self, views: Any, rng: np.random.Generator) -> Any:
            return LastLegal().act_batch(views, rng)

    env, like = make_env(opponents=Unlike(), seat=0), make_env(opponents=LastLegal(), seat=0)
    for one in (env, like):
        one.reset(seed=17)
    assert list(play_episode(env, 1)) == list(play_episode(like, 1))


@pytest.mark.parametrize(
    ("bot", "message"),
    [
        (Raises(), "opponent 'raises' raised KeyError: 'no idea'"),
        (Answers(np.array([80])), r"seat \d: opponent 'answers' answered down, which is not legal; legal are "),
        (Answers(np.array([81])), "answered 81, which is not legal"),
        (Answers(np.array([1.0])), "opponent 'answers' raised TypeError: an answer of float64"),
        (Answers(None), "opponent 'answers' raised TypeError"),
    ],
)
def test_an_opponent_at_fault_is_named(bot: Bot, message: str) -> None:
    env = make_env(opponents=bot)
    with pytest.raises(OpponentError, match=message):
        for seed in range(100):
            env.reset(seed=seed)
            env.step(env.action_masks().argmax())
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)


# Copies


WAYS: dict[str, Callable[[SeatEnv], SeatEnv]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
}


@pytest.mark.parametrize("seed", [None, 18])
@pytest.mark.parametrize("opponents", ["random", MIXTURE, AnyLegal()])
@pytest.mark.parametrize("way", WAYS)
def test_copies_in_mid_game_play_on_alike(way: str, opponents: Any, seed: int | None) -> None:
    env = make_env(opponents=opponents, seat="rotating")
    env.reset(seed=seed)
    choose = random_chooser(1)
    for _ in range(3):
        for _ in range(23):
            env.step(choose(env.action_masks()))
        played, kept = WAYS[way](env), WAYS[way](env)
        before = env.game.to_record()
        play_to_end_from_here(played, 2)
        assert env.game.to_record() == before
        play_to_end_from_here(kept, 2)
        assert played.game.to_record() == kept.game.to_record()
        assert list(play_episode(played, 3)) == list(play_episode(kept, 3))


@pytest.mark.parametrize("way", WAYS)
def test_an_env_may_be_copied_before_its_first_reset(way: str) -> None:
    env = WAYS[way](make_env(seat=1))
    env.reset(seed=19)
    assert env.seat == 1


# What checkers say


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"observation_format": "flat"},
        {"episode": "deal", "seat": 3, "reward": "placement"},
        {"opponents": MIXTURE, "seat": "rotating", "ruleset": "brazilian_auction"},
    ],
)
def test_the_checker_of_gymnasium_is_content(options: dict[str, Any]) -> None:
    check_env(gymnasium.make("King-v0", **options).unwrapped, skip_render_check=True)
    check_env(gymnasium.make("King-v0", render_mode="ansi", **options).unwrapped)


# Errors


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"opponents": "heuristik"}, BotError, "unknown bot 'heuristik' .did you mean 'heuristic'"),
        ({"opponents": ["random"] * 2}, OptionError, "opponents: a list names 3, from the learner's left neighbour on"),
        ({"opponents": {}}, OptionError, "opponents: a mixture names at least one bot"),
        ({"opponents": {"random": 0}}, OptionError, "at least one bot of a mixture must have a weight above 0"),
        (
            {"opponents": {"random": -1}},
            OptionError,
            "the weight of 'random' must be a number from 0 to .*, not -1",
        ),
        ({"opponents": {"random": 1e308}}, OptionError, "the weight of 'random' must be a number from 0 to 1e.100"),
        ({"opponents": CompiledBot}, OptionError, "opponents: must be a bot's name, a Bot"),
        ({"opponents": {"random": "much"}}, OptionError, "the weight of 'random' must be a number"),
        ({"opponents": 3}, OptionError, "opponents: must be a bot's name, a Bot, a dict .* not 3"),
        ({"opponents": SeesAll()}, OptionError, "'cheating-last' sees all hands, which no opponent of a learner may"),
        ({"opponents": "cheating-search"}, OptionError, "'cheating-search' sees all hands"),
        ({"seat": 4}, OptionError, "seat: must be a whole number from 0 to 3, not 4"),
        ({"seat": "any"}, OptionError, "seat: must be 0, 1, 2, 3, 'rotating' or None, not 'any'"),
        ({"ruleset": "swiss"}, RuleSetError, "unknown rule set 'swiss'"),
        ({"episode": "trick"}, OptionError, "episode: must be one of game, deal"),
        ({"contracts": ["positive"]}, OptionError, "contracts: only episode='deal' draws a contract"),
        ({"reward": "tricks"}, OptionError, "reward: must be one of points, deal, placement"),
        ({"observation_format": "box"}, OptionError, "observation_format: must be one of dict, flat"),
        ({"illegal_reward": "much"}, OptionError, "illegal_reward: must be a number or None"),
        ({"render_mode": "rgb"}, OptionError, "render_mode: must be one of human, ansi"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        SeatEnv(**options)


def test_before_reset_nothing_can_be_asked() -> None:
    env = make_env()
    for ask in (
        lambda: env.step(0),
        env.render,
        env.action_masks,
        env.view,
        lambda: env.seat,
        lambda: env.players,
        lambda: env.game,
    ):
        with pytest.raises(gymnasium.error.ResetNeeded, match="there is no game yet: call reset.. first"):
            ask()


def test_after_the_end_only_reset_helps() -> None:
    env = make_env(episode="deal")
    env.reset(seed=20)
    play_to_end_from_here(env, 1)
    with pytest.raises(gymnasium.error.ResetNeeded, match="the episode is over: call reset()"):
        env.step(0)
    env.reset()
    env.step(env.action_masks().argmax())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"seed": -1}, "seed: must be a whole number"),
        ({"options": {"dealers": 1}}, "unknown option of reset 'dealers'; known: deals, dealer"),
        ({"options": {"dealer": 4}}, "dealer: must be a whole number from 0 to 3"),
        ({"options": {"deals": []}}, "deals: this episode has 10, not 0"),
    ],
)
def test_a_refused_reset_changes_nothing(arguments: dict[str, Any], message: str) -> None:
    env = make_env()
    env.reset(seed=21)
    before = env.game.to_record()
    with pytest.raises(OptionError, match=message):
        env.reset(**arguments)
    assert env.game.to_record() == before
    env.step(env.action_masks().argmax())


# The rest


@pytest.mark.parametrize("page", [seat_env, seat_vector_env])
def test_the_examples_of_the_reference_pages_run(page: ModuleType) -> None:
    found = doctest.testmod(page)
    assert found.attempted > 0
    assert found.failed == 0


def test_the_table_is_shown_as_the_learner_sees_it(capsys: pytest.CaptureFixture[str]) -> None:
    env = make_env(render_mode="ansi", seat=1)
    env.reset(seed=22)
    table = env.render()
    assert table == render_table(env.view()[0], 1)
    assert capsys.readouterr().out == ""
    shown = make_env(render_mode="human", seat=1)
    shown.reset(seed=22)
    assert capsys.readouterr().out == f"{table}\n"
    shown.step(shown.action_masks().argmax())
    assert capsys.readouterr().out.count("Balance") == 1


def test_the_picture_is_what_the_learner_sees() -> None:
    env = make_env(render_mode="rgb_array", seat=1)
    env.reset(seed=22)
    picture = env.render()
    assert isinstance(picture, np.ndarray)
    np.testing.assert_array_equal(picture, draw_table(env.view()[0], 1))
    check_env(make_env(render_mode="rgb_array"))


def test_render_without_a_mode_warns() -> None:
    env = make_env()
    env.reset(seed=23)
    with pytest.warns(UserWarning, match="render.. shows nothing without a render_mode"):
        assert env.render() is None


def test_a_bot_may_play_for_the_learner() -> None:
    env = make_env(opponents="random")
    env.reset(seed=24)
    bot, rng = make("heuristic"), np.random.default_rng(0)
    earned, is_over = 0.0, False
    while not is_over:
        view = env.view()
        assert np.count_nonzero(view["hands"][0]) == 1
        _, paid, is_over, _, _ = env.step(bot.act(view, rng))
        earned += paid
    assert earned == env.game.scores[env.seat]


def test_importing_king_env_does_not_import_the_bots() -> None:
    """Whoever wants the PettingZoo env alone does not wait for what plays against a learner."""
    code = (
        "import sys, gymnasium, king_env; assert 'King-v0' in gymnasium.registry; "
        "print([name for name in sys.modules if name.startswith(('king_env.bots', 'king_env.seat', 'king_env.opp'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
