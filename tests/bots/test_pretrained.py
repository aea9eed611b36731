"""A policy in a file: it is read as it was written or refused, and plays and explains what its network thinks."""

from __future__ import annotations

import io
import json
import re
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from king_env.bots import BotError, make
from king_env.bots.heuristic import HEURISTIC_VERSION
from king_env.bots.pretrained import PolicyFileError, PretrainedBot, pretrained_bot, read_policy, write_policy
from king_env.bots.pretrained.forward import judge
from king_env.bots.pretrained.policy_file import ABOUT
from king_env.bots.thoughts import Explains
from king_env.engine import batch
from king_env.engine.actions import NUM_ACTIONS
from king_env.engine.state import BIDDING, DECIDING, DECLARING, OPENING, PLAYING, GameRecords
from king_env.game import Game
from king_env.notation import action_text, parse_action
from king_env.ruleset import RULESETS
from tests.bots.policies import POINTS_A_UNIT, small_policy
from tests.bots.positions import hidden, positions


@pytest.fixture
def policy_file(tmp_path: Path) -> Path:
    path = tmp_path / "small.npz"
    write_policy(small_policy(commit="abc"), path)
    return path


@pytest.fixture(scope="module")
def views() -> GameRecords:
    """What the seats to act know in whole games of all rule sets."""
    rng = np.random.default_rng(0)
    games = positions(list(RULESETS.values()), make("random"), rng, 3 * len(RULESETS))
    return hidden(np.concatenate([acting.copy() for acting in games]))


# The file


def test_a_policy_is_read_back_as_it_was_written(policy_file: Path) -> None:
    written, read = small_policy(commit="abc"), read_policy(policy_file)
    assert read.about == written.about and read.about["commit"] == "abc"
    for name in written.weights._fields:
        np.testing.assert_array_equal(getattr(read.weights, name), getattr(written.weights, name))
    assert read.fingerprint == written.fingerprint != small_policy(seed=1).fingerprint


def test_a_write_that_fails_leaves_the_old_file(policy_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = policy_file.read_bytes()

    def fail_half_way(file: Any, **arrays: Any) -> None:
        file.write(b"half a policy")
        raise OSError("disk full")

    monkeypatch.setattr(np, "savez_compressed", fail_half_way)
    with pytest.raises(OSError, match="disk full"):
        write_policy(small_policy(seed=1), policy_file)
    assert policy_file.read_bytes() == before


def refusal(path: Path) -> str:
    """Why a file is refused, in one line that names it."""
    with pytest.raises(PolicyFileError) as refused:
        read_policy(path)
    text = str(refused.value)
    assert "\n" not in text and str(path) in text
    return text


def npz(**arrays: Any) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def npy(array: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def zip_of_text() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(ABOUT, "{}")
    return file.getvalue()


def of_king(text: str) -> bytes:
    return npz(**{ABOUT: np.frombuffer(text.encode(), dtype=np.uint8)})


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"hello", "it is no .npz file of plain arrays"),
        (b"", "it is no .npz file of plain arrays"),
        (b"PK\x03\x04 and no more of a zip", "it is no .npz file of plain arrays"),
        (npy(np.zeros(3)), "it is no .npz file of plain arrays"),
        (npz(bias=np.array([Path("/")], dtype=object)), "it is no .npz file of plain arrays"),
        (npz(about=np.array([{}], dtype=object)), "it is no .npz file of plain arrays"),
        (npz(bias=np.zeros(3)), "is not a policy of King: it does not say what it is"),
        (zip_of_text(), "is not a policy of King: it does not say what it is"),
        (of_king("not JSON"), "is not a policy of King: it does not say what it is"),
        (of_king("[1]"), "is not a policy of King: 'format' is not the int it must be"),
        (of_king("{}"), "is not a policy of King: 'format' is not the int it must be"),
    ],
    ids=["text", "nothing", "half a zip", "npy", "pickle", "pickled about", "no about", "texts", "words", "list", "{}"],
)
def test_what_is_no_policy_is_refused(content: bytes, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    path.write_bytes(content)
    assert reason in refusal(path)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path / "x.npz") == f"no policy {tmp_path / 'x.npz'}"
    assert refusal(tmp_path) == f"no policy {tmp_path}"


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("format", 2, "has policy format 2; this version reads 1"),
        ("format", "1", "'format' is not the int it must be"),
        ("layout", [["hand", 51]], r"another observation layout: section 0 is hand[51] there and hand[52] here"),
        ("layout", ["hand"], "its layout is no list of names and sizes"),
        ("layout", [["hand", float("inf")]], "its layout is no list of names and sizes"),
        ("heuristic_version", 0, f"advice of heuristic version 0; this is version {HEURISTIC_VERSION}"),
        ("advice_logit", 1.5, "weighs advice 1.5; this version weighs it 2.0"),
        ("points_a_unit", [1.0, 2.0], "'points_a_unit' must be 7 numbers, one a kind of deal"),
        ("points_a_unit", ["a"] * 7, "'points_a_unit' must be 7 numbers, one a kind of deal"),
        ("points_a_unit", [float("nan")] * 7, "'points_a_unit' must be 7 numbers, one a kind of deal"),
    ],
)
def test_a_policy_of_another_version_is_refused(key: str, value: Any, reason: str, tmp_path: Path) -> None:
    policy = small_policy()
    policy.about[key] = value  # type: ignore[index]
    path = tmp_path / "x.npz"
    write_policy(policy, path)
    assert reason in refusal(path)


@pytest.mark.parametrize(
    ("name", "change", "reason"),
    [
        ("own", lambda own: own[:, :7], "own must be finite float32[8, 8]; it is float32[8, 7]"),
        ("value", lambda value: value.astype(np.float64), "value must be finite float32[8]; it is float64[8]"),
        ("policy_bias", lambda _: None, "policy_bias must be finite float32[42]; it is missing"),
        ("together", lambda weights: weights * np.nan, "together must be finite float32[8, 8]; it is float32[8, 8]"),
        ("value_bias", lambda _: np.array([np.inf], np.float32), "value_bias must be finite float32[1]"),
        ("bias", lambda _: None, "holds no network: bias must have 1 to 4096 units, not 0"),
        ("bias", lambda _: np.zeros(5000, np.float32), "holds no network: bias must have 1 to 4096 units, not 5000"),
    ],
)
def test_weights_that_make_no_network_are_refused(name: str, change: Any, reason: str, tmp_path: Path) -> None:
    policy = small_policy()
    arrays = {**policy.weights._asdict(), ABOUT: np.frombuffer(json.dumps(policy.about).encode(), dtype=np.uint8)}
    changed = change(arrays.pop(name))
    if changed is not None:
        arrays[name] = changed
    path = tmp_path / "x.npz"
    path.write_bytes(npz(**arrays))
    assert reason in refusal(path)


# The network


def test_a_view_is_judged_alike_on_its_own_and_in_a_batch(views: GameRecords) -> None:
    weights, some = small_policy().weights, views[::7]
    logits, values = judge(weights, some)
    for number in range(len(some)):
        own_logits, own_values = judge(weights, some[number : number + 1])
        np.testing.assert_array_equal(own_logits[0], logits[number])
        assert own_values[0] == values[number]


def test_what_is_illegal_is_minus_infinity(views: GameRecords) -> None:
    logits, values = judge(small_policy().weights, views)
    masks = np.zeros((len(views), NUM_ACTIONS), dtype=np.int8)
    batch.legal_masks(views, masks)
    np.testing.assert_array_equal(np.isfinite(logits), masks == 1)
    assert np.isfinite(values).all()
    assert {OPENING, BIDDING, DECIDING, DECLARING, PLAYING} <= set(views["phase"])


def test_it_sees_no_more_than_its_seat() -> None:
    """The whole game is judged as the view of the seat to act."""
    games = np.concatenate([Game(seed=seed, first_deal=seed % 7).record for seed in range(20)])
    weights = small_policy().weights
    for of_game, of_view in zip(judge(weights, games), judge(weights, hidden(games)), strict=True):
        np.testing.assert_array_equal(of_game, of_view)


# The bot


def test_it_plays_what_it_finds_most_probable(policy_file: Path, views: GameRecords) -> None:
    bot = PretrainedBot(policy_file)
    logits, _ = judge(bot.policy.weights, views)
    actions = bot.act_batch(views, np.random.default_rng(0))
    assert actions.dtype == np.int64
    np.testing.assert_array_equal(actions, logits.argmax(axis=1))
    rng = np.random.default_rng(0)
    assert [bot.act(views[number : number + 1], rng) for number in range(50)] == actions[:50].tolist()
    assert len(bot.act_batch(views[:0], rng)) == 0


def test_many_views_are_answered_in_chunks(
    policy_file: Path, views: GameRecords, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot = PretrainedBot(policy_file, sample=1)
    at_once = bot.act_batch(views[:100], np.random.default_rng(0))
    monkeypatch.setattr(pretrained_bot, "CHUNK", 7)
    assert bot.act_batch(views[:100], np.random.default_rng(0)).tolist() == at_once.tolist()


def test_it_explains_by_the_probabilities_with_which_it_plays(policy_file: Path, views: GameRecords) -> None:
    bot, some = PretrainedBot(policy_file), views[:300]
    assert isinstance(bot, Explains)
    thoughts, actions = bot.explain(some), bot.act_batch(some, np.random.default_rng(0))
    masks = np.zeros((len(some), NUM_ACTIONS), dtype=np.int8)
    batch.legal_masks(some, masks)
    for thought, action, mask in zip(thoughts, actions, masks, strict=True):
        likely = thought.probabilities
        assert likely is not None and sum(likely.values()) == pytest.approx(1.0)
        assert max(likely, key=lambda each: likely[each]) == action
        assert set(likely) == set(np.flatnonzero(mask))


def test_a_value_counts_the_points_of_its_kind_of_deal(policy_file: Path) -> None:
    games = [Game(seed=seed, first_deal=seed, num_deals=1) for seed in range(7)]
    games[-1].play("up H")
    views = np.concatenate([game.view(game.turn or 0) for game in games])
    thoughts = PretrainedBot(policy_file).explain(views)
    _, units = judge(small_policy().weights, views)
    assert [thought.value for thought in thoughts] == pytest.approx(units * POINTS_A_UNIT, rel=1e-5)
    assert {thought.unit for thought in thoughts} == {"points"}


def test_a_sampling_bot_draws_by_probability(policy_file: Path) -> None:
    game = Game(seed=3, first_deal=6)
    view = game.view(game.turn or 0)
    bot = PretrainedBot(policy_file, sample=1)
    (thought,) = bot.explain(view)
    assert thought.probabilities is not None
    assert set(thought.probabilities) == {parse_action(text) for text in game.legal()}
    drawn = bot.act_batch(np.repeat(view, 20_000), np.random.default_rng(0))
    for action, probability in thought.probabilities.items():
        assert (drawn == action).mean() == pytest.approx(probability, abs=0.015), action_text(action)


def test_a_name_makes_the_same_bot_again(policy_file: Path) -> None:
    plain, sampling = make(str(policy_file)), make(f"pretrained:file={policy_file},sample=1")
    assert (
        plain.name == policy_file.as_posix() and sampling.name == f"pretrained:file={policy_file.as_posix()},sample=1"
    )
    assert plain.version == sampling.version == small_policy().fingerprint
    for bot in (plain, sampling):
        again = make(bot.name)
        assert isinstance(again, PretrainedBot) and again.name == bot.name and again.version == bot.version
    assert make(f"pretrained:file={policy_file}").name == plain.name


def test_the_policy_that_comes_with_us_has_a_name_of_its_own(
    policy_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pretrained_bot, "SHIPPED", policy_file)
    for name in ("pretrained", "pretrained:sample=1"):
        assert make(name).name == name
        assert make(name).version == small_policy().fingerprint
    assert make("pretrained:sample=0").name == "pretrained"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{folder}/gone.npz", "no policy {folder}/gone.npz"),
        ("pretrained:file={folder}/gone.npz", "bot 'pretrained': no policy {folder}/gone.npz"),
        ("pretrained:file=7", "bot 'pretrained': file: must be a path, not 7"),
        ("pretrained:sample=2", "bot 'pretrained': sample: must be 0 or 1, not 2"),
        ("pretrained:samples=1", "bot 'pretrained': unknown option 'samples' (did you mean 'sample'?)"),
    ],
)
def test_a_policy_that_cannot_be_played_is_refused_in_one_line(text: str, message: str, tmp_path: Path) -> None:
    folder = tmp_path.as_posix()
    with pytest.raises(BotError, match=f"^{re.escape(message.format(folder=folder))}") as refused:
        make(text.format(folder=folder))
    assert "\n" not in str(refused.value)


def test_without_the_file_that_comes_with_us_it_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pretrained_bot, "SHIPPED", tmp_path / "gone.npz")
    with pytest.raises(BotError, match="bot 'pretrained': no policy"):
        make("pretrained")


def test_views_of_nobody_to_act_are_refused(policy_file: Path) -> None:
    bot, rng = PretrainedBot(policy_file), np.random.default_rng(0)
    game = Game(seed=1)
    other = (game.turn or 0) + 1 & 3
    with pytest.raises(ValueError, match="a view of another seat does not show its cards"):
        bot.act(game.view(other), rng)
    with pytest.raises(ValueError, match="a view of another seat does not show its cards"):
        bot.explain(game.view(other))
    with pytest.raises(ValueError, match="views: must be an array GAME_DTYPE"):
        bot.act_batch(np.zeros(3), rng)
    with pytest.raises(ValueError, match="act takes one"):
        bot.act(np.repeat(game.view(game.turn or 0), 2), rng)
    while game.turn is not None:
        game.play(game.legal()[0])
    with pytest.raises(ValueError, match="nobody is to act in a game that is over"):
        bot.act(game.record, rng)
