"""The warm start: lessons are what a search finds of decisions that the policy meets, and teach it to play."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from baselines.ppo import ppo
from baselines.ppo.binary_linear import Ones
from baselines.ppo.checkpoint import read_checkpoint
from baselines.ppo.config import ConfigError, PPOConfig
from baselines.ppo.run_folder import last_checkpoint, lessons_folder, read_log
from baselines.ppo.tables import Tables
from baselines.ppo.teacher import EXPLORATION, LESSON_SHARE, LessonBook, Lessons, take_lessons
from king_env import bots
from king_env.bots.pretrained.advice import SHOWN_SIZE, advise
from king_env.bots.search import SearchBot
from king_env.engine import batch
from king_env.engine.actions import NUM_ACTIONS
from king_env.engine.observation import OBSERVATION_SIZE
from king_env.engine.state import GameRecords
from king_env.ruleset import RULESETS

CPU = torch.device("cpu")


def tiny(**options: Any) -> PPOConfig:
    defaults: dict[str, Any] = {
        "num_games": 14,
        "num_steps": 8,
        "hidden_sizes": (32,),
        "minibatch_size": 64,
        "played_out_decisions": 160,
        "played_out_worlds": 2,
    }
    return PPOConfig(**{**defaults, **options})


class WatchedTables(Tables):
    """Tables that note the decisions that are searched, and all that is done."""

    def __init__(self, config: PPOConfig) -> None:
        super().__init__(config)
        self.searched: list[tuple[GameRecords, np.ndarray]] = []
        self.done: list[tuple[np.ndarray, np.ndarray]] = []
        self.reset(config.seed)

    def views(self, rows: np.ndarray) -> tuple[GameRecords, np.ndarray]:
        views, scales = super().views(rows)
        self.searched.append((views.copy(), scales))
        return views, scales

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        self.done.append((self.masks.copy(), actions.copy()))
        return super().step(actions)


def last_legal(shown: np.ndarray, masks: np.ndarray, advice: np.ndarray) -> np.ndarray:
    """A policy that can be foretold: it does the last of the legal actions."""
    return np.asarray(NUM_ACTIONS - 1 - masks[:, ::-1].argmax(axis=1))


def play_on(tables: Tables, num_steps: int) -> None:
    for _ in range(num_steps):
        tables.step(tables.masks.argmax(axis=1))


# What is advised


def test_what_is_advised_is_what_the_heuristic_bot_does_from_its_view() -> None:
    heuristic = bots.make("heuristic")
    tables = Tables(tiny())
    tables.reset(5)
    play_on(tables, 9)
    for _, games, _ in tables.parts():
        choices = np.zeros(len(games), dtype=np.int64)
        advise(games, choices)
        views = games.copy()
        batch.hide_hands(views, games["turn"].astype(np.int64))
        np.testing.assert_array_equal(choices, heuristic.act_batch(views, np.random.default_rng(0)))


def test_an_advised_network_begins_by_doing_what_the_heuristic_does() -> None:
    config = tiny(is_advised=True)
    bot = ppo.playing_copy(ppo.new_learner(config), config)
    tables = Tables(config)
    tables.reset(8)
    heuristic, rng = bots.make("heuristic"), np.random.default_rng(8)
    for _ in range(10):
        tables.step(np.array([*tables.masks.argmax(axis=1)]))
    for _, games, _ in tables.parts():
        views = games.copy()
        batch.hide_hands(views, games["turn"].astype(np.int64))
        np.testing.assert_array_equal(bot.act_batch(views, rng), heuristic.act_batch(views, rng))


def test_advice_is_shown_where_it_is_wanted() -> None:
    for is_advised in (False, True):
        tables = Tables(tiny(is_advised=is_advised))
        tables.reset(9)
        tables.ask_heuristic()
        rows = np.arange(14)
        shown = tables.shown(rows)
        np.testing.assert_array_equal(shown[:, :OBSERVATION_SIZE], tables.observations)
        assert (shown[:, OBSERVATION_SIZE:].sum(axis=1) == is_advised).all()
        if is_advised:
            np.testing.assert_array_equal(shown[:, OBSERVATION_SIZE:].argmax(axis=1), tables.advice)
            assert tables.masks[rows, tables.advice].all()


# Taking lessons


@pytest.fixture(scope="module")
def watched() -> tuple[WatchedTables, Lessons]:
    """Lessons taken in whole deals of all rule sets, auctions included."""
    tables = WatchedTables(tiny(rulesets=tuple(RULESETS), is_advised=True))
    return tables, take_lessons(tables, 52, 3, last_legal, np.random.default_rng(1))


def test_lessons_are_of_decisions_on_the_way(watched: tuple[WatchedTables, Lessons]) -> None:
    """Each is shown as its seat sees it, with what it may do, and what the heuristic would."""
    tables, lessons = watched
    book = LessonBook(len(lessons))
    book.add(lessons)
    looked_up = book.look_up(np.arange(len(lessons)), CPU)
    views = np.concatenate([games for games, _ in tables.searched])
    masks, advice = np.zeros((len(views), NUM_ACTIONS), dtype=np.int8), np.zeros(len(views), dtype=np.int64)
    observations = np.zeros((len(views), OBSERVATION_SIZE), dtype=np.int8)
    batch.legal_masks(views, masks)
    advise(views, advice)
    batch.observe(views, views["turn"].astype(np.int64), observations)
    shown = np.zeros((len(views), SHOWN_SIZE), dtype=np.int8)
    shown[:, :OBSERVATION_SIZE] = observations
    shown[np.arange(len(views)), OBSERVATION_SIZE + advice] = 1
    np.testing.assert_array_equal(looked_up.masks.numpy(), masks)
    np.testing.assert_array_equal(looked_up.advice.numpy(), advice)
    expected = Ones.of(torch.from_numpy(shown))
    assert isinstance(looked_up.shown, Ones)
    np.testing.assert_array_equal(looked_up.shown.entries, expected.entries)
    np.testing.assert_array_equal(looked_up.shown.offsets, expected.offsets)


def test_gains_are_those_that_a_search_of_the_same_view_explains(watched: tuple[WatchedTables, Lessons]) -> None:
    """In units of reward: so many points count 1."""
    tables, lessons = watched
    views, scales = (np.concatenate(column) for column in zip(*tables.searched, strict=True))
    thoughts = SearchBot(worlds=3, threads=1).explain(views)
    assert len(thoughts) == len(lessons) > 100
    for thought, gains, scale in zip(thoughts, lessons.gains, scales, strict=True):
        assert thought.gains is not None
        expected = np.zeros(NUM_ACTIONS)
        for action, points in thought.gains.items():
            expected[action] = scale * points
        np.testing.assert_allclose(gains, expected, rtol=2e-3, atol=1e-4)


def test_only_decisions_with_a_choice_are_taught_and_of_those_every_other(
    watched: tuple[WatchedTables, Lessons],
) -> None:
    tables, lessons = watched
    assert np.unpackbits(lessons.masks, axis=1).sum(axis=1).min() > 1
    num_choices = sum(int((masks.sum(axis=1) > 1).sum()) for masks, _ in tables.done)
    assert len(lessons) / num_choices == pytest.approx(LESSON_SHARE, abs=0.1)


def test_games_go_on_as_the_policy_plays_but_for_some_random_actions(watched: tuple[WatchedTables, Lessons]) -> None:
    tables, _ = watched
    masks, actions = (np.concatenate(column) for column in zip(*tables.done, strict=True))
    assert masks[np.arange(len(actions)), actions].all()
    num_legal = masks.sum(axis=1)
    others = (actions != last_legal(masks, masks, masks))[num_legal > 1].mean()
    expected = EXPLORATION * (1.0 - 1.0 / num_legal[num_legal > 1]).mean()
    assert others == pytest.approx(expected, abs=0.04)


# The book


def some_lessons(count: int, seed: int = 0) -> Lessons:
    """Any."""
    rng = np.random.default_rng(seed)
    empty = Lessons.empty(count)
    return Lessons(
        rng.integers(256, size=empty.shown.shape, dtype=np.uint8),
        np.packbits(rng.random((count, NUM_ACTIONS)) < 0.1, axis=1),
        rng.integers(NUM_ACTIONS, size=count).astype(np.int8),
        rng.normal(size=(count, NUM_ACTIONS)).astype(np.float16),
    )


def test_a_lesson_is_looked_up_as_it_was_written_down() -> None:
    masks = np.zeros((2, NUM_ACTIONS), dtype=np.int8)
    masks[0, [3, 80]], masks[1, [0, 7, 8]] = 1, 1
    shown = np.zeros((2, SHOWN_SIZE), dtype=np.int8)
    shown[0, 5], shown[1, [1, SHOWN_SIZE - 1]] = 1, 1
    gains = np.zeros((2, NUM_ACTIONS), dtype=np.float32)
    gains[0, 80], gains[1, 7] = 0.5, -1.25
    book = LessonBook(5)
    assert book.add(Lessons.packed(shown, masks, np.array([3, 8]), gains)) == 2
    looked_up = book.look_up(np.array([1, 0, 1]), CPU)
    assert isinstance(looked_up.shown, Ones)
    assert looked_up.shown.entries.tolist() == [1, SHOWN_SIZE - 1, 5, 1, SHOWN_SIZE - 1]
    assert looked_up.advice.tolist() == [8, 3, 8]
    np.testing.assert_array_equal(looked_up.masks.numpy(), masks[[1, 0, 1]])
    np.testing.assert_array_equal(looked_up.gains.numpy(), gains[[1, 0, 1]])


def test_a_full_book_takes_no_more() -> None:
    book = LessonBook(5)
    assert [book.add(some_lessons(3)), book.add(some_lessons(3)), book.add(some_lessons(3))] == [3, 2, 0]
    assert len(book) == 5


def same(left: LessonBook, right: LessonBook) -> bool:
    assert len(left) == len(right)
    rows = np.arange(len(left))
    ours, theirs = left.look_up(rows, CPU), right.look_up(rows, CPU)
    return torch.equal(ours.gains, theirs.gains) and torch.equal(ours.masks, theirs.masks)


def test_a_book_is_read_again_as_far_as_it_was_learned_from(tmp_path: Path) -> None:
    book, again, first = LessonBook(10), LessonBook(10), LessonBook(10)
    book.add(some_lessons(4, seed=1))
    book.save(tmp_path)
    first.load(tmp_path, 4)
    assert same(first, book)
    book.add(some_lessons(3, seed=2))
    book.save(tmp_path)
    book.save(tmp_path)  # nothing is new
    assert len(list(tmp_path.iterdir())) == 2
    again.load(tmp_path, 7)
    assert same(again, book)


def test_lessons_that_the_checkpoint_does_not_know_are_taken_again(tmp_path: Path) -> None:
    """Saved, but then the run was killed: what it goes on to save takes their place."""
    killed = LessonBook(20)
    killed.add(some_lessons(4, seed=1))
    killed.save(tmp_path)
    killed.add(some_lessons(3, seed=2))
    killed.save(tmp_path)
    resumed, again = LessonBook(20), LessonBook(20)
    resumed.load(tmp_path, 4)
    resumed.add(some_lessons(8, seed=3))
    resumed.save(tmp_path)
    again.load(tmp_path, 12)
    assert same(again, resumed)


def test_a_book_of_which_lessons_are_missing_is_refused(tmp_path: Path) -> None:
    book = LessonBook(10)
    book.add(some_lessons(4))
    book.save(tmp_path)
    with pytest.raises(ValueError, match="holds 4 of the 6 lessons that were learned from"):
        LessonBook(10).load(tmp_path, 6)


# The run


def test_a_run_without_self_play_is_over_with_its_warm_start(tmp_path: Path) -> None:
    config = tiny(total_decisions=0, eval_blocks=1, opponents=("random",))
    learner = ppo.new_learner(config)
    assert ppo.train(learner, config, tmp_path)
    assert learner.counters.taught >= config.played_out_decisions and learner.counters.decisions == 0
    assert not read_log(tmp_path, "training")
    with pytest.raises(ConfigError, match="total_decisions"):
        tiny(total_decisions=0, played_out_decisions=0)


def test_a_run_is_taught_first_and_then_plays_itself(tmp_path: Path) -> None:
    config = tiny(total_decisions=300, eval_blocks=1, opponents=("random",))
    learner = ppo.new_learner(config)
    assert ppo.train(learner, config, tmp_path)
    taught = read_log(tmp_path, "teacher")["decisions"]
    learned = read_log(tmp_path, "training")["decisions"]
    assert taught[-2] < 160 <= taught[-1] < learned[0]
    assert learner.counters.learned == learned[-1]


def fail(*_: object) -> None:
    raise OSError("disk full")


def test_no_checkpoint_counts_lessons_that_are_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are written before it, and stay until one is there that needs them no more."""
    config = tiny()
    learner = ppo.new_learner(config)
    ppo.teach(learner, config)
    with monkeypatch.context() as disk, pytest.raises(OSError, match="disk full"):
        disk.setattr(ppo, "write_checkpoint", fail)
        ppo.save(learner, config, tmp_path)
    LessonBook(160).load(lessons_folder(tmp_path), learner.counters.taught)
    learner.counters.taught = config.played_out_decisions
    with monkeypatch.context() as disk, pytest.raises(OSError, match="disk full"):
        disk.setattr(ppo, "write_checkpoint", fail)
        ppo.save(learner, config, tmp_path)
    assert lessons_folder(tmp_path).is_dir()
    ppo.save(learner, config, tmp_path)
    assert last_checkpoint(tmp_path).is_file() and not lessons_folder(tmp_path).exists()


def test_a_run_resumed_in_its_warm_start_ends_with_the_same_weights(tmp_path: Path) -> None:
    config = tiny()
    whole, half = ppo.new_learner(config), ppo.new_learner(config)
    for _ in range(3):
        ppo.teach(whole, config)
    ppo.teach(half, config)
    ppo.save(half, config, tmp_path)
    path = last_checkpoint(tmp_path)
    resumed = ppo.resume_learner(read_checkpoint(path), config, path)
    assert resumed.counters.taught == half.counters.taught == len(resumed.book)
    for _ in range(2):
        ppo.teach(resumed, config)
    for left, right in zip(whole.network.parameters(), resumed.network.parameters(), strict=True):
        torch.testing.assert_close(left, right, rtol=0, atol=0)


def test_learning_from_lessons_makes_a_better_player_than_chance() -> None:
    config = tiny(
        num_games=64,
        num_steps=26,
        hidden_sizes=(64,),
        minibatch_size=128,
        played_out_decisions=1_200,
        played_out_worlds=4,
        teacher_epochs=20.0,
    )
    learner = ppo.new_learner(config)
    while not ppo.is_taught(learner.counters, config):
        ppo.teach(learner, config)
    tables = Tables(config)
    tables.reset(1_000)
    book = LessonBook(300)
    book.add(take_lessons(tables, 15, 4, last_legal, np.random.default_rng(7)))
    lessons = book.look_up(np.arange(len(book)), CPU)
    with torch.inference_mode():
        logits, _ = learner.network(lessons.shown, lessons.advice)
    chosen = logits.masked_fill(lessons.masks == 0, -torch.inf).argmax(dim=1)
    by_network = lessons.gains[torch.arange(len(chosen)), chosen].mean().item()
    by_chance = (lessons.gains.sum(dim=1) / lessons.masks.sum(dim=1)).mean().item()
    assert by_network > by_chance + 0.02


def test_a_warm_start_is_refused_where_playouts_do_not_tell_the_reward() -> None:
    with pytest.raises(ConfigError, match="played_out_decisions: playouts end with the deal"):
        tiny(episode="game", horizon="game")
