"""King: a card game for four, each for itself (`king_v0`).

| | |
|---|---|
| Import | `from king_env import king_v0` |
| Agents | `player_0`, `player_1`, `player_2`, `player_3`; the left neighbour of seat n is seat n + 1 |
| Actions | `Discrete({num_actions})`; `king_env.action_text` and `king_env.parse_action` translate |
| Observation | `Box(0, 1, ({observation_size},), int8)`, and the action mask, `Box(0, 1, ({num_actions},), int8)` |
| State | `Box(0, 1, ({state_size},), int8)` |
| API | AEC (`env`, `raw_env`); `parallel_env` for tools that ask for it |

A game is ten deals: in six of them tricks or some cards are to be avoided, in four the dealer chooses, or sells the
right to choose, whether tricks are good (`up`, with a trump or none) or bad (`down`). The scores of a game add up to 0.

```python
from king_env import king_v0

env = king_v0.env()
env.reset(seed=1)
for agent in env.agent_iter():
    observation, reward, termination, truncation, info = env.last()
    action = None if termination or truncation else env.action_space(agent).sample(observation["action_mask"])
    env.step(action)
```

### Options
* `ruleset="portuguese"`: or `"brazilian_auction"`, `"brazilian_trump"`, a `king_env.RuleSet`, a dict of its options.
* `episode="game"`: ten deals. `"deal"`: one deal, whose contract and dealer are drawn uniformly.
* `contracts=None`: what `episode="deal"` draws from. A list of some of
  {kinds};
  `None`: all of them.
* `reward="points"`: every change of score as it happens. `"deal"`: each deal's score at its end. `"placement"`: the
  place in the game, at its end.
* `observation_format="dict"`: a dict of `observation` and `action_mask`. `"flat"`: the observation alone, and the mask
  in `info["action_mask"]`.
* `illegal_reward=None`: what an illegal action costs its agent. `None`: {illegal_points:g}, under `"placement"`
  {illegal_placement:g}.
* `render_mode=None`: `"ansi"`: `render()` returns the table as the agent to act sees it, with its suits in colour if
  the terminal shows colours and `NO_COLOR` is not set. `"human"`: it prints it, and so do `reset` and `step`.
  `"rgb_array"`: it returns a picture with all hands open, seat 0 below, as uint8[800, 1200, 3], which a notebook shows
  as a picture (extra `render`). `king_env.picture.draw_table` draws what one seat sees.

* `record=None`: a file that every game played to its end is added to, as one line of JSON.

`reset(seed, options)` takes `options={{"deals": [...], "dealer": 0}}`, both optional and for that episode alone: as
many deals as the episode has, each as PBN text or as an int array `[4, 13]` of cards. The same seed, with
the same `episode` and `contracts`, gives the same cards in every environment of King, whatever is played; without a
seed the random numbers go on where they are.

### Rewards
Under `"points"` and `"deal"` the rewards of a seat add up to its score. Points come when a trick is complete, when a
deal becomes one played down ({down_start} each), when it is skipped, and when a sale is settled at the deal's end.
Under `"placement"` the places pay 1, 1/3, -1/3, -1, and equal scores share the mean of theirs. A seat's reward may
come while others act: read it from `last()`, which adds up all since the agent's own action before.

### Illegal actions
`env()` ends the episode for all, as PettingZoo's wrappers do: the agent gets `illegal_reward`, the others nothing.
`raw_env()` raises `king_env.IllegalActionError`, which names the rule, and stays as it was.

### Observation
All entries are 0 or 1, and seats are relative to the viewer: 0 is the viewer, 1 the left neighbour. An agent that is
not to act has an action mask of zeros. `king_env.unpack_observation` gives the sections by name.

{layout}

`state()` is everything: the observation of `player_0`, the hands of the three others ({num_cards} entries each, by
card), and the action mask of the agent to act.

`env.unwrapped.game` is the `king_env.Game` that is played, and `env.unwrapped.view(agent)` what a bot in an agent's
place may be handed. `env.unwrapped.determinize(agent, seed)` is an env that the agent cannot tell from this one, for a
search. A copied or pickled env plays on identically.

### Records
With `record="games.jsonl"` each episode that is played to its end becomes a line of that file the moment it ends, as
`Game.to_record` gives it; what its `meta` is to say, put into `env.unwrapped.game.meta` during the episode. The file
may hold games already, and other environments may add theirs (`king_env.records`). A game that is not finished,
because of an illegal action or another `reset`, is not written; `env.unwrapped.game.to_record()` gives it. A pickled
env goes on recording. One copied by `copy` leaves the game it was copied in to the original, and records what it
begins itself; one that `determinize` gives records nothing. `python -m king_env replay games.jsonl` checks such a file
and shows what is in it.

### Version history
* v0: the first version.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from pettingzoo import ParallelEnv
from pettingzoo.utils.conversions import turn_based_aec_to_parallel
from pettingzoo.utils.wrappers import BaseWrapper

from king_env.aec_env import ILLEGAL_REWARDS, STATE_SIZE, CheckedKingEnv, KingAECEnv
from king_env.engine.actions import NUM_ACTIONS
from king_env.engine.cards import NUM_CARDS
from king_env.engine.contracts import DOWN_START
from king_env.engine.observation import OBSERVATION_SIZE, SECTIONS
from king_env.episode import KIND_NAMES, OptionError
from king_env.ruleset import unknown_text

__all__ = ["env", "layout_table", "parallel_env", "raw_env"]

OPTION_NAMES = tuple(name for name in inspect.signature(KingAECEnv.__init__).parameters if name != "self")


def env(**options: Any) -> CheckedKingEnv:
    """The AEC env with all checks of its use; an illegal action ends the episode."""
    _check_option_names(options)
    return CheckedKingEnv(**options)


def raw_env(**options: Any) -> KingAECEnv:
    """The AEC env without checks of the order of calls; an illegal action raises `IllegalActionError`."""
    _check_option_names(options)
    return KingAECEnv(**options)


def parallel_env(**options: Any) -> ParallelEnv:
    """The env for tools that ask for PettingZoo's parallel API: each step plays the action of the agent to act."""
    return turn_based_aec_to_parallel(OwnInfos(env(**options)))


class OwnInfos(BaseWrapper):  # type: ignore[misc]  # PettingZoo has no types
    """Hands out copies of the infos: PettingZoo's parallel wrapper writes the name of the agent to act into them."""

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """As the env's."""
        super().reset(seed=seed, options=options)
        self._copy_infos()

    def step(self, action: Any) -> None:
        """As the env's."""
        super().step(action)
        self._copy_infos()

    def _copy_infos(self) -> None:
        self.infos = {agent: dict(info) for agent, info in self.env.infos.items()}


def layout_table() -> str:
    """The layout of the observation as a Markdown table."""
    rows = ["| entries | section | shape | meaning |", "|---|---|---|---|"]
    start = 0
    for section in SECTIONS:
        shape = " × ".join(str(length) for length in section.shape)
        meaning = section.meaning.replace("|", "\\|")
        rows.append(f"| {start}–{start + section.size - 1} | `{section.name}` | {shape} | {meaning} |")
        start += section.size
    if start < OBSERVATION_SIZE:
        rows.append(f"| {start}–{OBSERVATION_SIZE - 1} | | {OBSERVATION_SIZE - start} | always 0 |")
    return "\n".join(rows)


def _check_option_names(options: dict[str, Any]) -> None:
    for name in options:
        if name not in OPTION_NAMES:
            raise OptionError(unknown_text("option", name, OPTION_NAMES))


if __doc__:  # Python's option -OO takes it away
    __doc__ = __doc__.format(
        num_actions=NUM_ACTIONS,
        observation_size=OBSERVATION_SIZE,
        state_size=STATE_SIZE,
        num_cards=NUM_CARDS,
        kinds=", ".join(f"`{name}`" for name in KIND_NAMES),
        illegal_points=ILLEGAL_REWARDS["points"],
        illegal_placement=ILLEGAL_REWARDS["placement"],
        down_start=DOWN_START,
        layout=layout_table(),
    )
