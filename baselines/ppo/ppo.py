"""Self-play PPO for King: all four seats learn from one policy.

Read from the bottom: `main` reads the command line, `train` repeats collect → advantages → update → log until the
decisions or the minutes are used up. A decision is an action chosen among at least two; where only one action is legal
it is simply played, and what it brings is paid to the seat's last decision.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from tqdm import tqdm

from baselines.ppo import learning_curves, score
from baselines.ppo.binary_linear import Ones
from baselines.ppo.checkpoint import (
    CheckpointError,
    array_like,
    load_weights,
    new_network,
    plain_array,
    policy_checkpoint,
    read_checkpoint,
    trained_config,
    write_checkpoint,
)
from baselines.ppo.clipped_adam import ClippedAdam
from baselines.ppo.company import FROZEN, HEURISTIC, LEARNER, PAST_SELF, PastSelves, seat_company
from baselines.ppo.config import FIELD_TYPES, ConfigError, PPOConfig, add_config_arguments, load_config, parse_override
from baselines.ppo.legal_choices import choose_legal, is_compiled
from baselines.ppo.lesson_terms import LESSON_TERMS, lesson_terms
from baselines.ppo.loss_terms import TERMS, Batch, loss_terms
from baselines.ppo.network import (
    EmptyMaskError,
    PolicyValueNetwork,
    bf16_pays,
    legal_log_probs,
    sample,
)
from baselines.ppo.policy_bot import PolicyBot
from baselines.ppo.run_folder import (
    Log,
    RunError,
    choose_run_folder,
    config_file,
    last_checkpoint,
    lessons_folder,
    make_run_folder,
    write_snapshot,
)
from baselines.ppo.seat_streams import SeatStreams
from baselines.ppo.side_by_side import Threads, parts_of, step_side_by_side
from baselines.ppo.starting_weights import StartError, take_weights
from baselines.ppo.tables import Tables
from baselines.ppo.teacher import LessonBook, take_lessons
from king_env import bots
from king_env.engine.batch import hide_hands
from king_env.engine.cards import NUM_CARDS
from king_env.exit_statuses import DONE, INTERRUPTED, REFUSED

ADVANTAGE_EPS = 1e-8
NOBODY = -1  # chooses where only one action is legal
ITERATIONS_A_PAST_SELF = 50
SECONDS_A_MINUTE = 60.0
# A resumed run may be given more or less time; anything else would make it another run.
RESUMABLE_KEYS = ("total_decisions", "max_minutes")

# What is logged after every update, and what it tells.
METRICS = {
    "minutes": "training time so far, evaluations not counted",
    "decisions_per_second": "decisions collected and learned from, by the clock",
    "actions_per_second": "the same with forced actions",
    "env_share": "part of the time spent in the engine",
    "act_share": "part of the time spent choosing actions",
    "learn_share": "part of the time spent on gradients",
    "learning_rate": "Adam's step",
    "entropy_coef": "weight of the entropy bonus",
    "entropy": "of the policy over legal actions, in nats; it falls as play becomes definite",
    "policy_loss": "clipped surrogate; its size means little",
    "value_loss": "half the squared error of the value, in units of reward",
    "explained_variance": "part of the returns' variance that the value foresees; 1 is perfect",
    "approx_kl": "how far an update moves the policy; above 0.05 it moves too fast",
    "clip_fraction": "part of the decisions whose ratio was clipped",
    "grad_norm": "length of the gradient before clipping",
}


# The same of the warm start.
TEACHER_METRICS = {
    "minutes": "training time so far, evaluations not counted",
    "decisions_per_second": "lessons taken and learned from, by the clock",
    "lesson_share": "part of the time spent taking lessons, playouts above all",
    "learning_rate": "Adam's step",
    "entropy_coef": "weight of the entropy bonus",
    "gain": "what the policy gains on the heuristic in a decision, in units of reward, the mean over worlds",
    "entropy": METRICS["entropy"],
    "misjudgement": "how far logits are from saying what actions gain",
    "grad_norm": METRICS["grad_norm"],
}
TEACHER_FINAL_SHARE = 0.05  # of the learning rate at the end of the warm start


@dataclass
class Counters:
    """How far a run has come."""

    taught: int = 0
    iterations: int = 0
    decisions: int = 0
    actions: int = 0
    minutes: float = 0.0
    minutes_taught: float = 0.0
    next_score: float = 0.0
    next_checkpoint: float = 0.0
    next_snapshot: float = 0.0

    @property
    def learned(self) -> int:
        """Decisions learned from in all, those of the warm start included: what logs count by."""
        return self.taught + self.decisions


@dataclass
class Learner:
    """All that changes while a run goes on."""

    network: PolicyValueNetwork
    optimizer: ClippedAdam
    tables: Tables
    streams: SeatStreams
    threads: Threads
    generator: torch.Generator  # of sampled actions, on the device
    shuffler: np.random.Generator  # of minibatches
    book: LessonBook
    company: np.ndarray  # int64[num_games, NUM_SEATS], who plays each seat
    past_selves: PastSelves
    frozen: bots.Bot | None  # where it plays
    counters: Counters


@dataclass
class TimeSpent:
    """Seconds of one iteration by what they were spent on."""

    env: float = 0.0
    act: float = 0.0
    learn: float = 0.0

    @property
    def total(self) -> float:
        """All of it."""
        return self.env + self.act + self.learn


def new_learner(config: PPOConfig) -> Learner:
    """A fresh network at freshly dealt tables, all drawn from the config's seed."""
    device = torch.device(config.device)
    torch.manual_seed(config.seed)
    tables = Tables(config)
    tables.reset(config.seed)
    network = new_network(config).to(device)
    return Learner(
        network=network,
        optimizer=new_optimizer(network),
        tables=tables,
        streams=SeatStreams(config.num_games, config.num_steps),
        threads=Threads(config.num_threads),
        generator=torch.Generator(device).manual_seed(config.seed),
        shuffler=np.random.default_rng(config.seed),
        book=LessonBook(config.played_out_decisions),
        company=seat_company(config.num_games, config.heuristic_tables, config.past_tables, config.frozen_tables),
        past_selves=PastSelves(new_network(config).to(device)),
        frozen=bots.make(config.frozen_bot) if config.frozen_tables else None,
        counters=Counters(
            next_score=config.eval_minutes,
            next_checkpoint=config.checkpoint_minutes,
            next_snapshot=config.snapshot_minutes,
        ),
    )


def new_optimizer(network: nn.Module) -> ClippedAdam:
    """Adam of all their parameters; its step is set before each update."""
    return ClippedAdam(network.parameters())


def set_learning_rate(optimizer: ClippedAdam, learning_rate: float) -> None:
    for group in optimizer.param_groups:
        group["lr"] = learning_rate


def precision(config: PPOConfig) -> contextlib.AbstractContextManager[Any]:
    """Autocast to bfloat16 where it is wanted and pays."""
    device = torch.device(config.device)
    enabled = config.bf16 == "on" or (config.bf16 == "auto" and bf16_pays(device))
    return torch.autocast(device.type, dtype=torch.bfloat16, enabled=enabled)


# ── warm start ──────────────────────────────────────────────────────────────────────────────────────────────────────


def is_taught(counters: Counters, config: PPOConfig) -> bool:
    """Whether the warm start is over, or there is none."""
    return counters.taught >= config.played_out_decisions


def progress_of_warm_start(counters: Counters, config: PPOConfig) -> float:
    """How much of it is done, 0 … 1: by its decisions, or where no self-play follows by whatever ends the run."""
    return counters.taught / config.played_out_decisions if config.total_decisions else progress(counters, config)


def teach(learner: Learner, config: PPOConfig) -> dict[str, float]:
    """Play out the decisions of `num_steps` actions at every table and learn from them; returns TEACHER_METRICS."""
    counters = learner.counters
    done = progress_of_warm_start(counters, config)
    learning_rate = config.teacher_learning_rate * (1.0 - done * (1.0 - TEACHER_FINAL_SHARE))
    entropy_coef = (
        config.teacher_entropy_coef * (config.teacher_final_entropy_coef / config.teacher_entropy_coef) ** done
    )
    set_learning_rate(learner.optimizer, learning_rate)
    started = time.perf_counter()
    play = functools.partial(most_probable, learner.network, config)
    added = 0
    while not added:  # few steps at few tables may hold no decision
        lessons = take_lessons(learner.tables, config.num_steps, config.played_out_worlds, play, learner.shuffler)
        added = learner.book.add(lessons)
    taken = time.perf_counter()
    # Gain and entropy are to rise.
    weights = torch.tensor([-1.0, -entropy_coef, config.teacher_misjudgement_coef], device=config.device)
    terms_of = functools.partial(terms_of_lessons, learner, config)
    seen: list[Tensor] = []
    for _ in range(max(1, round(config.teacher_epochs * added / config.minibatch_size))):
        rows = torch.from_numpy(learner.shuffler.integers(len(learner.book), size=config.minibatch_size))
        seen.append(
            step_side_by_side(learner.threads, terms_of, rows, weights, learner.optimizer, config.max_grad_norm)
        )
    ended = time.perf_counter()
    counters.taught += added
    counters.minutes += (ended - started) / SECONDS_A_MINUTE
    counters.minutes_taught = counters.minutes
    if is_taught(counters, config):
        # The gradients of self-play are of another size.
        learner.optimizer = new_optimizer(learner.network)
    row = {
        "minutes": counters.minutes,
        "decisions_per_second": added / (ended - started),
        "lesson_share": (taken - started) / (ended - started),
        "learning_rate": learning_rate,
        "entropy_coef": entropy_coef,
        **dict(zip([*LESSON_TERMS, "grad_norm"], torch.stack(seen).mean(dim=0).tolist(), strict=True)),
    }
    return {name: row[name] for name in TEACHER_METRICS}


def terms_of_lessons(learner: Learner, config: PPOConfig, rows: Tensor) -> Tensor:
    """LESSON_TERMS of some lessons in the book (int64[K])."""
    batch = learner.book.look_up(rows.numpy(), torch.device(config.device))
    with precision(config):
        return lesson_terms(learner.network, batch, config.gain_a_logit)


@torch.inference_mode()
def most_probable(
    network: PolicyValueNetwork, config: PPOConfig, shown: np.ndarray, masks: np.ndarray, advice: np.ndarray
) -> np.ndarray:
    """The actions (int64[K]) that the policy thinks best."""
    device = torch.device(config.device)
    with precision(config):
        logits, _ = network(torch.from_numpy(shown).to(device), torch.from_numpy(advice).to(device))
    return np.asarray(legal_log_probs(logits.float(), torch.from_numpy(masks).to(device)).argmax(dim=1).cpu().numpy())


# ── collect ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def collect(learner: Learner, config: PPOConfig, spent: TimeSpent) -> None:
    """Play `num_steps` actions at every table and write each seat's decisions into its stream."""
    tables, streams = learner.tables, learner.streams
    streams.carry_open()
    for _ in range(config.num_steps):
        started = time.perf_counter()
        num_legal = tables.masks.sum(axis=1)
        if num_legal.min() == 0:
            raise EmptyMaskError(f"no action is legal at table {num_legal.argmin()}")
        actions = tables.masks.argmax(axis=1)  # right where only one is legal; the others choose
        chooser = np.where(num_legal > 1, learner.company[np.arange(len(actions)), tables.seats], NOBODY)
        choose(learner, chooser, actions, config)
        acted = time.perf_counter()
        rewards, ended = tables.step(actions)
        streams.pay(rewards)
        streams.end(ended)
        spent.act += acted - started
        spent.env += time.perf_counter() - acted


def choose(learner: Learner, chooser: np.ndarray, actions: np.ndarray, config: PPOConfig) -> None:
    """Write the actions of all that choose (int64[num_games]), and the learner's decisions into its streams.

    chooser: who chooses at each table, LEARNER, HEURISTIC, PAST_SELF, FROZEN or NOBODY.
    """
    tables, threads = learner.tables, learner.threads
    tables.ask_heuristic()
    deciding, heeding, replying, asking = (
        np.flatnonzero(chooser == who) for who in (LEARNER, HEURISTIC, PAST_SELF, FROZEN)
    )
    decisions = Question.at(learner, learner.network, deciding, config)
    replies = Question.at(learner, learner.past_selves.network, replying, config)
    answers: list[Callable[[], Any]] = [*decisions.answers(threads.number), *replies.answers(1)]
    foresights: list[Callable[[], Any]] = [
        functools.partial(tables.foresee, games) for games in np.array_split(deciding, threads.number)
    ]
    found = threads.map(do, [*answers, *foresights] if config.removes_luck else answers)
    actions[deciding], actions[replying], actions[heeding] = decisions.actions, replies.actions, tables.usual[heeding]
    if len(asking):
        actions[asking] = ask_frozen(learner, asking)
    learner.streams.add(
        deciding,
        tables.seats[deciding],
        decisions.shown,
        decisions.advice,
        decisions.masks,
        decisions.actions,
        decisions.log_probs,
        decisions.values,
        np.concatenate(found[len(answers) :]) if config.removes_luck else np.zeros(len(deciding), dtype=np.float32),
    )


def do(task: Callable[[], Any]) -> Any:
    """For tasks of several kinds, done side by side."""
    return task()


@dataclass(frozen=True)
class Question:
    """Decisions that a network is to take: what it is shown, and what it has answered."""

    network: PolicyValueNetwork
    config: PPOConfig
    shown: np.ndarray  # int8[K, SHOWN_SIZE]
    masks: np.ndarray  # int8[K, NUM_ACTIONS]
    advice: np.ndarray  # int64[K]
    draws: Tensor  # float64[K], on the device
    actions: np.ndarray  # int64[K], drawn by their probability
    log_probs: np.ndarray  # float32[K], of the actions
    values: np.ndarray  # float32[K]

    @classmethod
    def at(cls, learner: Learner, network: PolicyValueNetwork, games: np.ndarray, config: PPOConfig) -> Question:
        """What the seats to act at some tables (int64[K]) are to do."""
        tables, device = learner.tables, torch.device(config.device)
        return cls(
            network=network,
            config=config,
            shown=tables.shown(games),
            masks=tables.masks[games],
            advice=tables.advice[games],
            draws=torch.rand(len(games), dtype=torch.float64, device=device, generator=learner.generator),
            actions=np.empty(len(games), dtype=np.int64),
            log_probs=np.empty(len(games), dtype=np.float32),
            values=np.empty(len(games), dtype=np.float32),
        )

    def answers(self, number: int) -> list[Callable[[], None]]:
        """Tasks that answer it together, so many at most."""
        size = len(self.actions)
        return [functools.partial(self.answer, rows) for rows in parts_of(size, min(number, size))]

    @torch.inference_mode()
    def answer(self, rows: slice) -> None:
        """Draw some of the actions."""
        device, draws = self.draws.device, self.draws[rows]
        with precision(self.config):
            features = self.network.trunk(torch.from_numpy(self.shown[rows]).to(device))
            if is_compiled(features):
                self.actions[rows], self.log_probs[rows], self.values[rows] = choose_legal(
                    features, self.network.heads, self.network.places, self.masks[rows], self.advice[rows], draws
                )
                return
            logits, values = self.network.judge(features, torch.from_numpy(self.advice[rows]).to(device))
        log_probs = legal_log_probs(logits.float(), torch.from_numpy(self.masks[rows]).to(device))
        actions = sample(log_probs, draws)
        self.actions[rows] = actions.cpu().numpy()
        self.log_probs[rows] = log_probs.gather(1, actions[:, None])[:, 0].cpu().numpy()
        self.values[rows] = values.float().cpu().numpy()


def ask_frozen(learner: Learner, games: np.ndarray) -> np.ndarray:
    """What the bot that stays as it is does in these games (int64[K]), of which it is handed views."""
    assert learner.frozen is not None, "it has seats"
    views, _ = learner.tables.views(games)
    hide_hands(views, views["turn"].astype(np.int64))
    return np.asarray(learner.frozen.act_batch(views, learner.shuffler))


# ── update ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def make_batch(streams: SeatStreams, config: PPOConfig) -> tuple[Batch, float]:
    """What to learn from a rollout, and how much of the returns' variance the values foresaw."""
    rows = streams.closed_rows()
    advantages = streams.advantages(config.gamma, config.gae_lambda)[rows]
    returns = advantages + streams.values[rows]
    unforeseen = float(advantages.var() / max(float(returns.var()), ADVANTAGE_EPS))
    advantages = (advantages - advantages.mean()) / (advantages.std() + ADVANTAGE_EPS)
    device = torch.device(config.device)
    shown = torch.from_numpy(streams.shown[rows])
    batch = Batch(
        shown=Ones.of(shown) if device.type == "cpu" else shown.to(device),
        advice=torch.from_numpy(streams.advice[rows]).to(device),
        masks=torch.from_numpy(streams.masks[rows]).to(device),
        actions=torch.from_numpy(streams.actions[rows]).to(device),
        log_probs=torch.from_numpy(streams.log_probs[rows]).to(device),
        advantages=torch.from_numpy(advantages).to(device),
        returns=torch.from_numpy(returns).to(device),
    )
    return batch, 1.0 - unforeseen


def losses(network: PolicyValueNetwork, batch: Batch, rows: Tensor, config: PPOConfig) -> Tensor:
    """TERMS of some rows of a batch: the parts of PPO's loss, and how far the policy has moved since it played them."""
    with precision(config):
        features = network.trunk(batch.shown.index_select(0, rows))
        return loss_terms(features, network, batch, rows, config.clip_coef)


def loss_weights(entropy_coef: float, config: PPOConfig) -> Tensor:
    """What each of TERMS counts in the loss; entropy is a bonus, and what is only logged counts nothing."""
    weights = {"policy_loss": 1.0, "value_loss": config.value_coef, "entropy": -entropy_coef}
    return torch.tensor([weights.get(term, 0.0) for term in TERMS], device=config.device)


def update(learner: Learner, batch: Batch, entropy_coef: float, config: PPOConfig) -> dict[str, float]:
    """Some epochs of gradient steps on shuffled minibatches; returns the mean of each part of the loss."""
    num_decisions = len(batch.actions)
    num_minibatches = max(1, round(num_decisions / config.minibatch_size))
    weights = loss_weights(entropy_coef, config)
    terms_of = functools.partial(losses, learner.network, batch, config=config)
    seen: list[Tensor] = []
    for _ in range(config.update_epochs):
        order = torch.from_numpy(learner.shuffler.permutation(num_decisions)).to(batch.actions.device)
        for rows in order.tensor_split(num_minibatches):
            seen.append(
                step_side_by_side(learner.threads, terms_of, rows, weights, learner.optimizer, config.max_grad_norm)
            )
    means = torch.stack(seen).mean(dim=0).tolist()
    return dict(zip([*TERMS, "grad_norm"], means, strict=True))


# ── the run ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def progress(counters: Counters, config: PPOConfig) -> float:
    """How much of the run is done, 0 … 1: by decisions or by minutes, whichever is further.

    Decisions are those of self-play, or where there is to be none those of the warm start.
    """
    by_minutes = counters.minutes / config.max_minutes if config.max_minutes else 0.0
    if not config.total_decisions:
        return min(1.0, max(counters.taught / config.played_out_decisions, by_minutes))
    return min(1.0, max(counters.decisions / max(1, config.total_decisions), by_minutes))


def invite(learner: Learner) -> None:
    """Let some past self sit at the tables, and now and then remember what the learner is like."""
    if learner.counters.iterations % ITERATIONS_A_PAST_SELF == 0:
        learner.past_selves.remember(learner.network, learner.shuffler)
    learner.past_selves.draw(learner.shuffler)


def progress_of_self_play(counters: Counters, config: PPOConfig) -> float:
    """How much of what follows the warm start is done, 0 … 1."""
    if not config.max_minutes:
        return progress(counters, config)
    minutes = config.max_minutes - counters.minutes_taught
    by_minutes = (counters.minutes - counters.minutes_taught) / minutes if minutes > 0.0 else 1.0
    return min(1.0, max(counters.decisions / max(1, config.total_decisions), by_minutes))


def iterate(learner: Learner, config: PPOConfig) -> dict[str, float]:
    """Collect a rollout and learn from it; returns the row of METRICS."""
    counters = learner.counters
    done = progress_of_self_play(counters, config)
    learning_rate = config.learning_rate + done * (config.final_learning_rate - config.learning_rate)
    entropy_coef = config.entropy_coef + done * (config.final_entropy_coef - config.entropy_coef)
    set_learning_rate(learner.optimizer, learning_rate)
    spent = TimeSpent()
    invite(learner)
    collect(learner, config, spent)
    started = time.perf_counter()
    batch, explained_variance = make_batch(learner.streams, config)
    parts = update(learner, batch, entropy_coef, config)
    spent.learn = time.perf_counter() - started
    num_actions = config.num_games * config.num_steps
    counters.iterations += 1
    counters.decisions += len(batch.actions)
    counters.actions += num_actions
    counters.minutes += spent.total / SECONDS_A_MINUTE
    row = {
        "minutes": counters.minutes,
        "decisions_per_second": len(batch.actions) / spent.total,
        "actions_per_second": num_actions / spent.total,
        "env_share": spent.env / spent.total,
        "act_share": spent.act / spent.total,
        "learn_share": spent.learn / spent.total,
        "learning_rate": learning_rate,
        "entropy_coef": entropy_coef,
        "explained_variance": explained_variance,
        **parts,
    }
    return {name: row[name] for name in METRICS}


def training_state(learner: Learner, config: PPOConfig) -> dict[str, Any]:
    """A checkpoint of the policy that training can go on from exactly."""
    return {
        **policy_checkpoint(learner.network, config, asdict(learner.counters)),
        "training": {
            "optimizer": learner.optimizer.state_dict(),
            "streams": {name: torch.from_numpy(array) for name, array in learner.streams.state().items()},
            "generator": learner.generator.get_state(),
            "shuffler": learner.shuffler.bit_generator.state,
            "past_selves": learner.past_selves.state(),
            "tables": [
                {name: plain_array(array) for name, array in env_state.items()} for env_state in learner.tables.state()
            ],
        },
    }


def save(learner: Learner, config: PPOConfig, folder: Path) -> None:
    """Write down all that the run can go on from; lessons first, so that none is counted that is not there."""
    if is_taught(learner.counters, config):
        write_checkpoint(training_state(learner, config), last_checkpoint(folder))
        shutil.rmtree(lessons_folder(folder), ignore_errors=True)
    else:
        learner.book.save(lessons_folder(folder))
        write_checkpoint(training_state(learner, config), last_checkpoint(folder))


def resume_learner(checkpoint: Mapping[str, Any], config: PPOConfig, path: Path) -> Learner:
    """The learner of a `last.pt`, as it was."""
    learner = new_learner(config)
    load_weights(learner.network, checkpoint["policy"], path)
    try:
        restore_training(learner, checkpoint["training"])
        learner.counters = Counters(**checkpoint["counters"])
        if not is_taught(learner.counters, config):
            learner.book.load(lessons_folder(path.parent), learner.counters.taught)
    except (AttributeError, LookupError, OSError, TypeError, ValueError, RuntimeError) as error:
        raise CheckpointError(
            f"{path} holds a training state that this version cannot go on from ({type(error).__name__}); "
            "its policy can still be played"
        ) from error
    return learner


def restore_training(learner: Learner, training: Mapping[str, Any]) -> None:
    """Put a fresh learner where `training_state` found another."""
    learner.optimizer.load_state_dict(training["optimizer"])
    learner.streams.restore({name: tensor.numpy() for name, tensor in training["streams"].items()})
    learner.generator.set_state(training["generator"])
    learner.shuffler.bit_generator.state = training["shuffler"]
    learner.past_selves.restore(training["past_selves"])
    if not isinstance(training["tables"], list):
        raise TypeError("the tables are no list of arrays")
    learner.tables.restore(
        [
            {name: array_like(env_state[name], array) for name, array in own_state.items()}
            for env_state, own_state in zip(training["tables"], learner.tables.state(), strict=True)
        ]
    )


@dataclass
class StopRequest:
    """Whether somebody wants the run to stop, and whether what is being done may be dropped for that."""

    asked: bool = False
    may_drop: bool = False

    @contextlib.contextmanager
    def dropping(self) -> Iterator[None]:
        """What is done within it is not waited for: a request to stop ends it."""
        try:
            self.may_drop = True
            yield
        except KeyboardInterrupt:
            if not self.asked:
                raise
        finally:
            self.may_drop = False


@contextlib.contextmanager
def stop_on_request() -> Iterator[StopRequest]:
    """Within it the first Ctrl-C (or SIGTERM) is only noted, as a rule; a second one interrupts at once."""
    request = StopRequest()
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def note(number: int, frame: FrameType | None) -> None:
        request.asked = True
        for signal_number, handler in before.items():
            signal.signal(signal_number, handler)
        if request.may_drop:
            raise KeyboardInterrupt

    for number in before:
        signal.signal(number, note)
    try:
        yield request
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def train(learner: Learner, config: PPOConfig, folder: Path) -> bool:
    """Train until the run is done or Ctrl-C; leaves `last.pt` behind. Says whether the run is done."""
    counters = learner.counters
    log = Log(folder, counters.learned)
    bar = tqdm(total=100, unit="%", bar_format="{percentage:3.0f}%|{bar}| {elapsed} {postfix}", disable=None)
    scores: dict[str, float] = {}
    with stop_on_request() as stop, bar:
        while progress(counters, config) < 1.0 and not stop.asked:
            if is_taught(counters, config):
                row = iterate(learner, config)
                log.write("training", counters.learned, row)
            else:
                row = teach(learner, config)
                log.write("teacher", counters.learned, row)
            if counters.minutes >= counters.next_score and not stop.asked:
                scores = measure(learner, config, log, stop)
                say(bar, progress_line(counters, row, scores))
            if counters.minutes >= counters.next_snapshot:
                counters.next_snapshot += config.snapshot_minutes
                write_snapshot(policy_checkpoint(learner.network, config, asdict(counters)), folder, counters.learned)
            if counters.minutes >= counters.next_checkpoint:
                counters.next_checkpoint += config.checkpoint_minutes
                save(learner, config, folder)
            bar.set_postfix_str(progress_line(counters, row, scores), refresh=False)
            bar.update(100.0 * progress(counters, config) - bar.n)
        save(learner, config, folder)
    log.close()
    return progress(counters, config) >= 1.0


def measure(learner: Learner, config: PPOConfig, log: Log, stop: StopRequest) -> dict[str, float]:
    """Points a game against three of each opponent, on a few duplicate blocks; the same deals every time.

    Who wants the run to stop does not wait for it; it is then made again when the run goes on.
    """
    row: dict[str, float] = {}
    with stop.dropping():
        row = score.score_row(playing_copy(learner, config), config)
    if stop.asked:
        return {}
    learner.counters.next_score += config.eval_minutes
    log.write("scores", learner.counters.learned, {"minutes": learner.counters.minutes, **row})
    return {name: points for name, points in row.items() if score.half_width_of(name) in row}


def playing_copy(learner: Learner, config: PPOConfig) -> PolicyBot:
    """The policy as a bot of its own, which training does not change."""
    copy = new_network(config)
    copy.load_state_dict(learner.network.state_dict())
    return PolicyBot(copy, config.ignored_sections, is_advised=config.is_advised)


def progress_line(counters: Counters, row: Mapping[str, float], scores: Mapping[str, float]) -> str:
    """The state of a run in one line."""
    points = "".join(f"  {points:+.0f} vs {opponent}" for opponent, points in scores.items())
    done, measure_of_play = (
        (f"{counters.taught / 1e6:.2f} M taught", f"gain {row['gain']:+.4f}")
        if "gain" in row
        else (f"{counters.decisions / 1e6:.2f} M decisions", f"entropy {row['entropy']:.2f}")
    )
    return f"{done}  {row['decisions_per_second']:,.0f}/s  {measure_of_play}{points}"


def say(bar: tqdm[Any], line: str) -> None:
    """Print a line that stays, above the bar where there is one."""
    bar.write(line, file=sys.stderr)


def finish(learner: Learner, config: PPOConfig, folder: Path) -> None:
    """The learning curves, and the final table against the bots."""
    write_snapshot(
        policy_checkpoint(learner.network, config, asdict(learner.counters)), folder, learner.counters.learned
    )
    learning_curves.draw(folder)
    score.final_tables(playing_copy(learner, config), config, folder)
    print(f"\nEverything about this run is in {folder}")


def parse_arguments(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="scripts/train.py", description="Train a King agent by self-play PPO.")
    parser.add_argument("config", type=Path, nargs="?", help="a file such as configs/ppo/quick.toml")
    parser.add_argument("--resume", type=Path, metavar="RUN", help="go on with the run in this folder")
    parser.add_argument("--run-dir", type=Path, help="folder of the new run (default: runs/<config>-<time>)")
    add_config_arguments(parser)
    parsed = parser.parse_args(arguments)
    if (parsed.config is None) == (parsed.resume is None):
        parser.error("give a config file, or --resume with the folder of a run")
    return parsed


def start(parsed: argparse.Namespace) -> tuple[Learner, PPOConfig, Path]:
    """A new run from a config file."""
    config = load_config(parsed.config, dict(parse_override(text) for text in parsed.set))
    folder = choose_run_folder(parsed.config.stem, parsed.run_dir)
    return begin(config, folder), config, folder


def begin(config: PPOConfig, folder: Path) -> Learner:
    """The learner of a new run, whose folder is made."""
    set_up_torch(config)
    learner = new_learner(config)
    if config.start_from is not None:
        take_weights(learner.network, config.start_from, config)
    compile_kernels(config)
    make_run_folder(folder, config)
    return learner


def resume(parsed: argparse.Namespace) -> tuple[Learner, PPOConfig, Path]:
    """The run in a folder, where it stopped."""
    overrides = dict(parse_override(text) for text in parsed.set)
    for key in overrides:
        if key not in RESUMABLE_KEYS:
            raise ConfigError(f"{key}: a resumed run may change only {', '.join(RESUMABLE_KEYS)}")
    folder: Path = parsed.resume
    path = last_checkpoint(folder)
    checkpoint = read_checkpoint(path)
    if "training" not in checkpoint:
        raise RunError(f"{path} holds a policy only; training cannot go on from it")
    config = load_config(config_file(folder), overrides)
    check_same_run(config, trained_config(checkpoint, path), folder)
    set_up_torch(config)
    compile_kernels(config)
    learner = resume_learner(checkpoint, config, path)
    config_file(folder).write_text(config.to_toml(), "utf-8")
    return learner, config, folder


def check_same_run(config: PPOConfig, trained: PPOConfig, folder: Path) -> None:
    """Refuse to go on under another config than a run was trained with."""
    for key in FIELD_TYPES:
        here, there = getattr(config, key), getattr(trained, key)
        if key not in RESUMABLE_KEYS and here != there:
            raise RunError(
                f"{folder / 'config.toml'}: {key} is {here!r}, but the run was trained with {there!r}; "
                f"a resumed run may change only {', '.join(RESUMABLE_KEYS)}"
            )


def compile_kernels(config: PPOConfig) -> None:
    """Have the compiled code ready, by learning once at tables that are thrown away: the time is not training's."""
    few = replace(config, num_games=len(config.rulesets), num_steps=NUM_CARDS)
    learner = new_learner(few)
    if few.played_out_decisions:
        teach(learner, few)
    iterate(learner, few)


def set_up_torch(config: PPOConfig) -> None:
    """A device that exists; what is done side by side is not divided once more by torch."""
    torch.set_num_threads(1)
    try:
        torch.zeros(1, device=config.device)
    except (RuntimeError, AssertionError) as error:
        raise ConfigError(f"device: {config.device!r} is not available: {str(error).splitlines()[0]}") from None


def main(arguments: Sequence[str] | None = None) -> int:
    """Train; 0 when the run is done, 2 when it was refused, INTERRUPTED when it was stopped and can be resumed."""
    parsed = parse_arguments(arguments)
    try:
        learner, config, folder = resume(parsed) if parsed.resume else start(parsed)
    except (ConfigError, RunError, CheckpointError, StartError) as error:
        print(error, file=sys.stderr)
        return REFUSED
    print(f"Training in {folder}; Ctrl-C stops it with nothing lost")
    if not train(learner, config, folder):
        print(f"Stopped; go on with: python scripts/train.py --resume {folder}")
        return INTERRUPTED
    try:
        finish(learner, config, folder)
    except KeyboardInterrupt:
        print(f"\nStopped in the final tables; the run itself is complete: {last_checkpoint(folder)}")
        for pairing in score.pairings(config):
            print(f"This table again: {pairing.command(last_checkpoint(folder), config.final_blocks)}")
        return INTERRUPTED
    return DONE
