// The replay page: chooses a game and a view of it, steps, plays and jumps, and has the rest draw itself.

import { actionSaid, actionShort, isCard, withSigns } from "./cards.js";
import { difference, drawDecision } from "./decision.js";
import { element } from "./dom.js";
import { icon } from "./icons.js";
import { drawPanel } from "./panel.js";
import { isLandmark, momentsOf, seenBy } from "./replay.js";
import { drawTable } from "./table.js";
import { SEATS, seatName, signed } from "./words.js";

const ALL_HANDS = "all";
const WAIT_FOR_ADDRESS = 300; // milliseconds: browsers do not let a page change its address all the time

const part = (id) => document.getElementById(id);
const data = (name) => [...document.querySelectorAll(`script.${name}`)].map((block) => JSON.parse(block.textContent));

const [about] = data("about");
const games = data("game");

// What is shown: a game, a moment of it, the seat whose view it is (or null), and the clock that plays it on (or null).
const state = { game: null, moments: [], at: 0, viewer: null, clock: null, address: null };

// Showing

function show(at) {
  state.at = Math.max(0, Math.min(at, state.moments.length - 1));
  const moment = state.moments[state.at];
  const { game, viewer } = state;
  const position = viewer === null ? moment.position : seenBy(moment.position, viewer);
  drawTable(part("table"), position, { below: viewer ?? 0, names: game.players });
  drawPanel(part("panel"), position, { names: game.players, onDeal: chooseDeal });
  const isSeen = viewer === null || moment.next?.seat === viewer;
  drawDecision(part("decision"), moment.next, { judge: about.judge, isSeen });
  showWhere(moment);
  if (state.at === state.moments.length - 1) pause();
  rememberAddress();
}

function showWhere(moment) {
  const text = saidOf(moment);
  part("said").textContent = text;
  part("moment").value = state.at;
  part("moment").setAttribute("aria-valuetext", `${moment.position.title}. ${text}`);
  part("deal").value = moment.deal;
  const { leads } = state.game.deals[moment.deal];
  const tricks = leads.map((_, trick) => element("option", { value: trick + 1 }, String(trick + 1)));
  part("trick").replaceChildren(element("option", { value: 0 }, leads[0] ? "calls" : "–"), ...tricks);
  part("trick").value = moment.trick;
  const [isFirst, isLast] = [state.at === 0, state.at === state.moments.length - 1];
  for (const id of ["first", "previous-trick", "previous"]) part(id).setAttribute("aria-disabled", isFirst);
  for (const id of ["next", "next-trick", "last"]) part(id).setAttribute("aria-disabled", isLast);
}

/** What has just happened, in a sentence or two. */
function saidOf({ move, position }) {
  if (!move) return `${position.title}: ${position.contract}`;
  const said = [`${seatName(move.seat, state.game.players)}, ${actionSaid(move.action)}.`];
  const trick = position.phase === "over" ? position.last_trick : position.trick;
  if (trick?.is_complete && isCard(move.action)) said.push(`Seat ${trick.taker} takes trick ${trick.number}.`);
  if (position.phase === "to_deal") said.push("The deal is over.");
  if (position.phase === "over") said.push("The game is over.");
  return said.join(" ");
}

function showGame(place) {
  pause();
  const game = games[place];
  Object.assign(state, { game, moments: momentsOf(game) });
  part("game").value = place;
  part("moment").max = state.moments.length - 1;
  part("deal").replaceChildren(
    ...game.deals.map((deal, number) => element("option", { value: number }, `${deal.number} ${deal.title}`)),
  );
  const seats = SEATS.map((seat) => element("option", { value: seat }, seatName(seat, game.players)));
  part("view").replaceChildren(element("option", { value: ALL_HANDS }, "all hands"), ...seats);
  part("view").value = state.viewer ?? ALL_HANDS;
  part("decision").hidden = !state.moments.some(({ next }) => next?.thought || next?.judged);
  showAbout(game);
  showDisagreements();
}

function showAbout(game) {
  const players = game.players?.map((name, seat) => [`Seat ${seat}`, name]) ?? [];
  const facts = [["File", `${about.file}, line ${game.line}`], ["Rules", game.rules], ...players, ...game.meta];
  part("about").replaceChildren(
    element("summary", {}, "About this game"),
    element("dl", {}, facts.map(([name, value]) => [element("dt", {}, name), element("dd", {}, value)])),
    element("p", {}, "Keys: ← → a move, Shift ← → a trick, space plays, Home and End."),
  );
}

/** The decisions at which the judge would have done something else, as far as this view may know them. */
function showDisagreements() {
  const { moments, viewer } = state;
  const found = moments.flatMap((moment, at) => {
    const { next } = moment;
    return next?.judged?.disagrees && (viewer === null || viewer === next.seat) ? [{ ...moment, at }] : [];
  });
  const root = part("disagreements");
  root.hidden = about.judge === null;
  root.replaceChildren(
    element("summary", {}, `${about.judge} disagrees with ${found.length} moves`),
    element("ol", {}, found.map((moment) => element("li", {}, disagreement(moment)))),
  );
}

function disagreement({ at, position, trick, next }) {
  return element(
    "button",
    { type: "button", onclick: () => show(at) },
    `Deal ${position.deal}, ${trick ? `trick ${trick}` : "calls"}, seat ${next.seat}: `,
    withSigns(actionShort(next.action)),
    ", better ",
    withSigns(actionShort(next.judged.best)),
    ` by ${difference(next.judged)}`,
  );
}

// Moving

function play() {
  if (state.at === state.moments.length - 1) show(0);
  pause();
  state.clock = setInterval(() => show(state.at + 1), Number(part("speed").value));
  showClock();
}

function pause() {
  clearInterval(state.clock);
  state.clock = null;
  showClock();
}

/** While it plays, moves are not read out: they would pile up. */
function showClock() {
  const isPlaying = state.clock !== null;
  part("said").setAttribute("aria-live", isPlaying ? "off" : "polite");
  part("play").setAttribute("aria-label", isPlaying ? "Pause" : "Play");
  part("play").replaceChildren(icon(isPlaying ? "pause" : "play"));
}

function toLandmark(direction) {
  let at = state.at + direction;
  while (state.moments[at] && !isLandmark(state.moments[at], state.game)) at += direction;
  show(at);
}

function showDeal(number) {
  show(state.moments.findIndex(({ position }) => position.deal === number));
}

/** From the score sheet, which is drawn anew: the keyboard stays on the deal chosen there. */
function chooseDeal(number) {
  showDeal(number);
  part("panel").querySelector(`[data-deal="${number}"]`).focus();
}

function showTrick(trick) {
  const { deal } = state.moments[state.at];
  const done = trick ? state.game.deals[deal].leads[trick - 1] : 0;
  show(state.moments.findIndex((moment) => moment.deal === deal && moment.done === done));
}

const MOVES = {
  first: () => show(0),
  "previous-trick": () => toLandmark(-1),
  previous: () => show(state.at - 1),
  play: () => (state.clock === null ? play() : pause()),
  next: () => show(state.at + 1),
  "next-trick": () => toLandmark(1),
  last: () => show(state.moments.length - 1),
};

const KEYS = {
  ArrowLeft: (event) => (event.shiftKey ? MOVES["previous-trick"]() : MOVES.previous()),
  ArrowRight: (event) => (event.shiftKey ? MOVES["next-trick"]() : MOVES.next()),
  Home: MOVES.first,
  End: MOVES.last,
  " ": MOVES.play,
};

function onKey(event) {
  const isTaken = event.key === " " ? "button, summary, select" : "select, input";
  const move = KEYS[event.key];
  if (!move || event.ctrlKey || event.altKey || event.metaKey || event.target.closest(isTaken)) return;
  event.preventDefault();
  move(event);
}

// The address names the game and the moment, so that a link leads back to them.

function rememberAddress() {
  clearTimeout(state.address);
  state.address = setTimeout(() => {
    history.replaceState(null, "", `#line=${state.game.line}&move=${state.at}`);
  }, WAIT_FOR_ADDRESS);
}

function followAddress() {
  const asked = new URLSearchParams(location.hash.slice(1));
  const place = games.findIndex(({ line }) => String(line) === asked.get("line"));
  showGame(Math.max(0, place));
  show(place < 0 ? 0 : Number(asked.get("move")) || 0);
}

// Beginning

for (const [id, move] of Object.entries(MOVES)) {
  part(id).replaceChildren(icon(id));
  part(id).addEventListener("click", move);
}
part("game").append(
  ...games.map(({ line, players, scores, is_over: isOver }, place) => {
    const names = players ? `${players.join(", ")} ` : "";
    const end = isOver ? "" : ", not finished";
    return element("option", { value: place }, `${line}: ${names}(${scores.map(signed).join(" ")})${end}`);
  }),
);
part("game").addEventListener("change", (event) => {
  showGame(Number(event.target.value));
  show(0);
});
part("view").addEventListener("change", (event) => {
  state.viewer = event.target.value === ALL_HANDS ? null : Number(event.target.value);
  showDisagreements();
  show(state.at);
});
part("moment").addEventListener("input", (event) => show(Number(event.target.value)));
part("deal").addEventListener("change", (event) => showDeal(state.game.deals[event.target.value].number));
part("trick").addEventListener("change", (event) => showTrick(Number(event.target.value)));
part("speed").addEventListener("change", () => state.clock !== null && play());
document.addEventListener("keydown", onKey);
window.addEventListener("hashchange", followAddress);
followAddress();
