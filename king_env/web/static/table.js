// The table: four hands, a plate for each seat, and in the middle the trick, the calls or the result.
//
// It draws one position, plain values as `king_env.web.position.table_position` makes them. A seat without `hand` shows
// backs. The table fits its element, and looks otherwise where that is narrow (table.css).

import { actionShort, cardBack, cardFace, suitSign, withSigns } from "./cards.js";
import { element } from "./dom.js";
import { SEATS, seatName, signed } from "./words.js";

const PLACES = ["below", "left", "above", "right"];

/**
 * Draw a position into an element.
 *
 * below: the seat that sits there; names: of the players in seats 0 to 3, if known; onCard: called with a card of the
 * seat below that is chosen while that seat is to play; advised: a card of it that is framed.
 */
export function drawTable(root, position, { below = 0, names = null, onCard = null, advised = null } = {}) {
  const felt = element("div", { class: "felt" });
  for (const seat of SEATS) {
    const hand = drawHand(position, seat, seat === below ? { onCard, advised } : {});
    felt.append(drawSeat(position, seat, placeOf(seat, below), names, hand));
  }
  felt.append(drawMiddle(position, below));
  root.classList.add("table");
  root.replaceChildren(felt);
}

function placeOf(seat, below) {
  return PLACES[(seat - below + 4) % 4];
}

function drawSeat(position, seat, place, names, hand) {
  return element(
    "section",
    { class: "seat", "data-place": place, "data-seat": seat, "aria-label": seatName(seat, names) },
    drawPlate(position, seat, names),
    hand,
  );
}

function drawPlate(position, seat, names) {
  const { tricks, points, signs } = position.seats[seat];
  const isToAct = position.turn === seat;
  return element(
    "div",
    { class: `plate${isToAct ? " to-act" : ""}` },
    element("span", { class: "seat-number" }, `Seat ${seat}`),
    names ? element("span", { class: "player", title: names[seat] }, names[seat]) : null,
    [...signs].map((sign) => element("span", { class: "disc", title: meaning(sign) }, withSigns(sign, true))),
    element("span", { class: "taken" }, `${tricks} trick${tricks === 1 ? "" : "s"}`),
    element("span", { class: "points" }, signed(points)),
  );
}

function meaning(sign) {
  const meanings = { D: "deals", N: "declared: no trump", 0: "declared: down" };
  return meanings[sign] ?? "declared: this trump";
}

function drawHand(position, seat, { onCard = null, advised = null }) {
  const { hand, held } = position.seats[seat];
  if (hand === undefined) {
    const backs = Array.from({ length: held }, cardBack);
    return element("div", { class: "hand hidden", role: "img", "aria-label": `${held} cards face down` }, backs);
  }
  const playable = position.turn === seat && position.playable !== undefined ? position.playable.split(" ") : null;
  const draw = (card) =>
    cardFace(card, {
      isShaded: playable !== null && !playable.includes(card),
      isFramed: card === advised,
      onChoose: playable && onCard ? () => onCard(card) : null,
    });
  const cards = hand ? hand.split(" ") : [];
  const suits = ["S", "H", "D", "C"].map((suit) => [suit, cards.filter((card) => card[1] === suit)]);
  return element(
    "div",
    { class: "hand", role: "group", "aria-label": `${cards.length} cards` },
    suits.filter(([, ofSuit]) => ofSuit.length).map(([suit, ofSuit]) =>
      element(
        "span",
        { class: "suit", "data-suit": suit, "--gaps": Math.max(1, ofSuit.length - 1) },
        element("span", { class: "suit-of-row" }, suitSign(suit, true)),
        ofSuit.map(draw),
      ),
    ),
  );
}

function drawMiddle(position, below) {
  const middle = element("div", { class: "middle" });
  if (position.phase === "over") middle.append(drawResult(position.result));
  else if (position.trick) middle.append(...drawTrick(position.trick, below));
  else if (position.phase === "playing") middle.append(element("p", { class: "first-trick" }, "Trick 1"));
  else middle.append(...drawCalls(position, below));
  return middle;
}

/** The cards before those who played them, the one that takes the trick so far framed; a complete one is shaded. */
function drawTrick(trick, below) {
  return Object.values(trick.plays).map(([seat, card]) =>
    element(
      "div",
      { class: "on-table", "data-place": placeOf(seat, below) },
      cardFace(card, { isShaded: trick.is_complete, isFramed: seat === trick.taker }),
    ),
  );
}

/** What each seat said last, before it; in the middle the best bid. */
function drawCalls(position, below) {
  const said = SEATS.filter((seat) => position.seats[seat].said).map((seat) =>
    element(
      "div",
      { class: "on-table", "data-place": placeOf(seat, below) },
      element("span", { class: "said" }, withSigns(actionShort(position.seats[seat].said), true)),
    ),
  );
  if (!position.best) return said;
  const [seat, bid] = position.best;
  return [
    ...said,
    element("p", { class: "best-bid" }, "best bid", element("strong", {}, bid), `seat ${seat}`),
  ];
}

/** The seats in the order of their scores. */
function drawResult(result) {
  const rows = result.map(([place, seat, points]) =>
    element(
      "tr",
      { class: place === 1 ? "first" : "" },
      element("td", {}, `${place}.`),
      element("th", { scope: "row" }, `Seat ${seat}`),
      element("td", {}, signed(points)),
    ),
  );
  return element("div", { class: "result" }, element("p", {}, "The game is over"), element("table", {}, rows));
}
