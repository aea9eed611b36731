// Cards and calls: how they look and how they are said. The pictures are those of the sprite in the page.

import { element, svg } from "./dom.js";

const SUIT_OF_SYMBOL = { "♣": "C", "♦": "D", "♥": "H", "♠": "S" };
const SYMBOL_OF_SUIT = { C: "♣", D: "♦", H: "♥", S: "♠" };
const SUIT_NAMES = { C: "clubs", D: "diamonds", H: "hearts", S: "spades" };
const RANK_NAMES = {
  A: "ace", K: "king", Q: "queen", J: "jack", T: "ten", 9: "nine", 8: "eight", 7: "seven", 6: "six", 5: "five",
  4: "four", 3: "three", 2: "two",
};

/** Whether an action is a card: `QH`. */
export function isCard(action) {
  return action.length === 2;
}

/** A card as it is said: `queen of hearts`. */
export function cardName(card) {
  return `${RANK_NAMES[card[0]]} of ${SUIT_NAMES[card[1]]}`;
}

/** An action as it is said: `plays the queen of hearts`, `says bid 3`, `declares up with hearts as trump`. */
export function actionSaid(action) {
  if (isCard(action)) return `plays the ${cardName(action)}`;
  if (action === "down") return "declares down";
  if (action === "up NT") return "declares up without trump";
  if (action.startsWith("up ")) return `declares up with ${SUIT_NAMES[action[3]]} as trump`;
  return `says ${action}`;
}

/** An action in short: `Q♥`, `bid 3`, `up ♥`. */
export function actionShort(action) {
  if (isCard(action)) return (action[0] === "T" ? "10" : action[0]) + SYMBOL_OF_SUIT[action[1]];
  return /^up [CDHS]$/.test(action) ? `up ${SYMBOL_OF_SUIT[action[3]]}` : action;
}

/** Text with the signs of suits drawn: as letters they would look different on every device. */
export function withSigns(text, isColoured = false) {
  return text.split(/([♣♦♥♠])/).map((piece) => {
    const suit = SUIT_OF_SYMBOL[piece];
    return suit ? suitSign(suit, isColoured) : piece;
  });
}

/** The sign of a suit, in its own colour or in that of the text. */
export function suitSign(suit, isColoured) {
  return svg(
    "svg",
    { class: `suit-sign${isColoured ? ` suit-${suit}` : ""}`, role: "img", "aria-label": SUIT_NAMES[suit] },
    svg("use", { href: `#suit-${suit}` }),
  );
}

/** A card face up; shaded: it may not be played now. onChoose: makes it a button. */
export function cardFace(card, { isShaded = false, isFramed = false, onChoose = null } = {}) {
  const asButton = { type: "button", "aria-disabled": isShaded && "true", onclick: onChoose };
  return element(
    onChoose ? "button" : "span",
    {
      class: `card${isShaded ? " shaded" : ""}${isFramed ? " framed" : ""}`,
      ...(onChoose ? asButton : { role: "img" }),
      "aria-label": cardName(card),
      "data-card": card,
      "data-rank": card[0] === "T" ? "10" : card[0],
    },
    picture(card),
  );
}

/** A card face down. */
export function cardBack() {
  return element("span", { class: "card back" }, picture("back"));
}

function picture(name) {
  return svg("svg", { viewBox: "0 0 84 118", "aria-hidden": "true" }, svg("use", { href: `#card-${name}` }));
}
