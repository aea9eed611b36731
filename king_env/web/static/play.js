// The page to play in: begins games and goes on with them, and lets the bots move at a pace that a person can follow.
//
// The server knows the game and its rules; this page shows what it is told, and asks again after every move.

import { actionSaid, actionShort, isCard, withSigns } from "./cards.js";
import { drawCalls } from "./choices.js";
import { drawAdvice } from "./decision.js";
import { element } from "./dom.js";
import { drawPanel } from "./panel.js";
import { Refusal, Silence, ask } from "./requests.js";
import { drawTable } from "./table.js";
import { SEATS, capitalised, seatName, signed } from "./words.js";

const TRY_AGAIN = 1500; // milliseconds, while the server does not answer
const TRICK_PAUSES = 2; // a complete trick lies so many times as long as another move

const part = (id) => document.getElementById(id);
const about = JSON.parse(document.querySelector("script.about").textContent);

// The game as the server told it last (or null); whether its latest deal is still shown as it ended; the hint that was
// given; the clock until the next move of a bot, or until the server is asked again; how often the server was asked, and
// whether its answer to the last question is still awaited.
const state = { game: null, isDealEnd: false, hint: null, clock: null, questions: 0, isBusy: false };

// Asking

/** Ask the server, and use its answer unless something else has been asked since. */
async function asking(path, body, use) {
  const number = ++state.questions;
  clearTimeout(state.clock);
  setBusy(true);
  try {
    const answer = await ask(path, body);
    if (number !== state.questions) return;
    setBusy(false);
    showTrouble("");
    use(answer);
  } catch (error) {
    if (number !== state.questions) return;
    setBusy(false);
    explain(error);
  }
}

function setBusy(isBusy) {
  state.isBusy = isBusy;
  part("game").setAttribute("aria-busy", isBusy);
}

/** Say what went wrong; where the server does not answer, ask until it does. */
function explain(error) {
  if (error instanceof Silence) comeBack();
  else if (error instanceof Refusal) showTrouble(error.message);
  else throw error;
}

function comeBack() {
  showTrouble("The server does not answer. The game is saved; trying again …");
  state.clock = setTimeout(followAddress, TRY_AGAIN);
}

function address(what) {
  return `/games/${state.game.name}/${what}`;
}

/** Make a move, the person's or a bot's, and show what came of it; a second click is none. */
function move(kind, body) {
  if (!state.isBusy) asking(address(kind), { ...body, after: state.game.moves }, showGame);
}

// Showing

function showGame(game) {
  state.game = game;
  state.isDealEnd = game.ended !== undefined && !game.refused;
  if (!game.refused) state.hint = null;
  show();
}

function show() {
  const { game, isDealEnd } = state;
  const position = isDealEnd ? game.ended : game.position;
  const { seat, players } = game;
  const advised = state.hint?.action ?? null;
  drawTable(part("table"), position, { below: seat, names: players, onCard: playAction, advised });
  drawPanel(part("panel"), position, { names: players });
  showContract(position);
  showChoices(position, advised);
  showHint();
  part("refused").replaceChildren(...refusal(game.refused));
  part("said").replaceChildren(...withSigns(saidOf(position)));
  part("ask").disabled = part("adviser").disabled = !isMyTurn();
  part("record").hidden = !game.has_record;
  part("record").href = address("record");
  part("about").replaceChildren(...aboutGame());
  takeFocus();
  if (!isMyTurn() && !game.is_over && !isDealEnd) waitForBot(position);
}

/** `QH: must follow spades (Rules 1)`, as it is read. */
function refusal(text) {
  if (!text) return [];
  const [action, ...reason] = text.split(": ");
  return [element("strong", {}, withSigns(actionShort(action), true)), ` is not allowed: ${reason.join(": ")}`];
}

function isMyTurn() {
  const { game, isDealEnd } = state;
  return !isDealEnd && game.position.turn === game.seat;
}

/** The bot whose turn it is moves after a while, later where a trick is to be looked at. */
function waitForBot(position) {
  const pause = Number(part("speed").value) * (position.trick?.is_complete ? TRICK_PAUSES : 1);
  clearTimeout(state.clock);
  state.clock = setTimeout(() => move("next", {}), pause);
}

/** What is played, where the panel that says it is far below. */
function showContract({ title, contract, terms }) {
  const text = [title, contract, terms.replace(/^-/, "−")].filter(Boolean).join(" · ");
  part("contract").replaceChildren(...withSigns(text));
}

/** What happened last, and whether the person is to do something. */
function saidOf(position) {
  const { game, isDealEnd } = state;
  const said = [];
  const isNewDeal = game.ended && !isDealEnd;
  if (game.notice) said.push(`${game.notice}.`);
  if (game.last && !game.refused && !isNewDeal) {
    const [seat, action] = game.last;
    const who = seat === game.seat ? "You" : seatName(seat, game.players);
    const does = seat === game.seat ? actionSaid(action).replace(/^(\w+)s /, "$1 ") : actionSaid(action);
    said.push(seat === game.seat ? `${who} ${does}.` : `${who}, ${does}.`);
    const trick = position.phase === "over" ? position.last_trick : position.trick;
    if (trick?.is_complete && isCard(action)) {
      said.push(`${trick.taker === game.seat ? "You take" : `Seat ${trick.taker} takes`} trick ${trick.number}.`);
    }
  }
  if (isDealEnd) said.push(`Deal ${position.deal} is over: ${mine(position.seats[game.seat].points)} for you.`);
  else if (game.is_over) said.push(`The game is over. You have ${mine(position.sheet.balance[game.seat])}.`);
  else if (isMyTurn()) said.push(`${capitalised(position.task)}.`);
  return said.join(" ");
}

function mine(points) {
  return `${signed(points)} point${Math.abs(points) === 1 ? "" : "s"}`;
}

function showChoices(position, advised) {
  const root = part("choices");
  if (state.isDealEnd) root.replaceChildren(mainButton(`Deal ${position.deal + 1}`, nextDeal));
  else if (state.game.is_over) root.replaceChildren(mainButton("Play again", playAgain));
  else drawCalls(root, state.game.calls ?? [], { onCall: playAction, advised });
}

function mainButton(text, onclick) {
  return element("button", { type: "button", class: "main-button", onclick }, text);
}

function showHint() {
  const { hint } = state;
  part("hint").hidden = !hint;
  if (!hint) return;
  const does = isCard(hint.action) ? "would play " : "would say ";
  part("hint").replaceChildren(
    element("h3", {}, `${hint.bot} `, does, withSigns(actionShort(hint.action), true)),
    ...drawAdvice(hint),
  );
}

function aboutGame() {
  const { name, rules, players } = state.game;
  const facts = [["Rules", rules], ...players.map((player, seat) => [`Seat ${seat}`, player]), ["Saved as", name]];
  return facts.map(([title, value]) => [element("dt", {}, title), element("dd", {}, value)]).flat();
}

function showTrouble(text) {
  part("trouble").hidden = !text;
  part("trouble").textContent = text;
}

/** The keyboard goes to what can be done now, unless it is somewhere else on purpose. */
function takeFocus() {
  if (document.activeElement !== document.body) return;
  const first = part("choices").querySelector("button") ?? cards().find((card) => !card.ariaDisabled);
  first?.focus({ preventScroll: true });
}

// Playing

function playAction(action) {
  move("play", { action });
}

function nextDeal() {
  state.isDealEnd = false;
  show();
}

function playAgain() {
  const ruleset = about.rulesets.includes(state.game.rules) ? state.game.rules : about.ruleset;
  begin(ruleset, state.game.seat);
}

function begin(ruleset, seat) {
  asking("/games", { ruleset, seat }, (game) => {
    history.pushState(null, "", `#${game.name}`);
    openGame(game);
  });
}

/** Nobody has to wait for a hint: if the person has moved before it comes, it is no longer of use. */
function askForHint() {
  if (!isMyTurn()) return;
  const { game } = state;
  ask(address("hint"), { bot: part("adviser").value })
    .then((hint) => {
      if (state.game !== game) return;
      state.hint = hint;
      delete game.refused;
      show();
    })
    .catch(explain);
}

// Where one is

function followAddress() {
  const name = location.hash.slice(1);
  if (name) asking(`/games/${encodeURIComponent(name)}`, null, openGame);
  else asking("/games", null, showStart);
}

function openGame(game) {
  showPart("game");
  showGame(game);
}

function showStart({ games }) {
  state.game = null;
  showPart("start");
  showSaved(games);
}

function showPart(id) {
  document.body.classList.toggle("playing", id === "game");
  part("start").hidden = id !== "start";
  part("game").hidden = id !== "game";
}

function showSaved(games) {
  const lines = games.map(({ name, rules, players, deal, is_over: isOver, score }) =>
    element(
      "li",
      {},
      element(
        "a",
        { href: `#${name}` },
        element("strong", {}, isOver ? "Over" : `Deal ${deal}`),
        ` ${rules}, with ${players.filter((player) => player !== "you").join(", ")}`,
        element("span", { class: "score" }, signed(score)),
      ),
    ),
  );
  part("saved").replaceChildren(...(lines.length ? lines : [element("li", {}, "None yet.")]));
}

// Keys

function cards() {
  return [...document.querySelectorAll("#table button.card")];
}

/** From card to card, or from call to call. */
function step(direction) {
  const row = cards().length ? cards() : [...part("choices").querySelectorAll("button")];
  const at = row.indexOf(document.activeElement);
  row[at < 0 ? 0 : (at + direction + row.length) % row.length]?.focus();
}

const KEYS = { ArrowLeft: () => step(-1), ArrowRight: () => step(1), h: askForHint, H: askForHint };

function onKey(event) {
  const key = KEYS[event.key];
  if (!key || event.ctrlKey || event.altKey || event.metaKey || event.target.closest("select, input")) return;
  if (state.game === null) return;
  event.preventDefault();
  key();
}

// Beginning

part("opponents").textContent = `With you at the table, from your left: ${about.opponents.join(", ")}.`;
part("ruleset").append(...about.rulesets.map((name) => element("option", { value: name }, name.replaceAll("_", " "))));
part("ruleset").value = about.ruleset;
part("seat").append(...SEATS.map((seat) => element("option", { value: seat }, `Seat ${seat}`)));
part("seat").value = about.seat;
part("adviser").append(...about.hints.map((name) => element("option", { value: name }, name)));
part("begin").addEventListener("submit", (event) => {
  event.preventDefault();
  begin(part("ruleset").value, Number(part("seat").value));
});
part("ask").addEventListener("click", askForHint);
document.addEventListener("keydown", onKey);
window.addEventListener("hashchange", followAddress);
followAddress();
