// The panel beside the table: what is played, the score sheet, the calls and the last trick.

import { actionShort, cardFace, withSigns } from "./cards.js";
import { element } from "./dom.js";
import { SEATS, capitalised, written } from "./words.js";

const NEGATIVE_DEALS = 6;

/** Draw a position's panel into an element. onDeal: called with the number of a deal that is chosen on the sheet. */
export function drawPanel(root, position, { names = null, onDeal = null } = {}) {
  root.classList.add("panel");
  root.replaceChildren(
    drawHeading(position),
    drawSheet(position, names, onDeal),
    ...drawCalls(position.calls),
    ...drawLastTrick(position.last_trick),
  );
}

function drawHeading(position) {
  const { title, contract, terms, task } = position;
  return element(
    "header",
    { class: "heading" },
    element("p", { class: "title" }, title),
    element("h2", {}, withSigns(contract)),
    element("p", { class: "terms" }, withSigns(terms.replace(/^-/, "−"))),
    element("p", { class: "task" }, capitalised(task)),
  );
}

/** The two columns of each seat as players keep them: deals 1 to 6 in the first, 7 to 10 in the second (Rules 4). */
function drawSheet(position, names, onDeal) {
  const { rows, last, negative, positive, balance } = position.sheet;
  const first = Math.min(...Object.keys(rows).map(Number));
  const lines = [];
  for (let deal = first; deal <= last; deal++) lines.push(drawLine(position, deal, rows[deal], onDeal));
  return element(
    "table",
    { class: "sheet" },
    element("caption", {}, "Score sheet"),
    element(
      "thead",
      {},
      element(
        "tr",
        {},
        element("th", { scope: "col" }, "Deal"),
        SEATS.map((seat) =>
          element("th", { scope: "colgroup", colspan: 2, title: names ? names[seat] : `Seat ${seat}` }, String(seat)),
        ),
      ),
    ),
    element("tbody", {}, lines),
    element(
      "tfoot",
      {},
      element("tr", { class: "sums" }, element("th", { scope: "row" }, "Sums"), SEATS.map((seat) => [
        element("td", {}, written(negative[seat])),
        element("td", {}, written(positive[seat])),
      ])),
      element("tr", { class: "balance" }, element("th", { scope: "row" }, "Balance"), SEATS.map((seat) =>
        element("td", { colspan: 2 }, written(balance[seat])),
      )),
    ),
  );
}

function drawLine(position, deal, row, onDeal) {
  const isOn = deal === position.deal;
  const [title, ...points] = row ?? [""];
  const name = [String(deal), element("small", {}, withSigns(title))];
  const cells = SEATS.map((seat) => {
    const cell = element("td", {}, row ? written(points[seat]) : "");
    return deal <= NEGATIVE_DEALS ? [cell, element("td")] : [element("td"), cell];
  });
  return element(
    "tr",
    { class: isOn ? "on" : "", "aria-current": isOn ? "true" : undefined },
    element(
      "th",
      { scope: "row" },
      onDeal && row ? element("button", { type: "button", "data-deal": deal, onclick: () => onDeal(deal) }, name) : name,
    ),
    cells,
  );
}

/** The calls of this deal: a column a seat, a row a round. */
function drawCalls(calls) {
  const inOrder = Object.values(calls);
  if (!inOrder.length) return [];
  const rounds = [];
  let lastSeat = 4;
  for (const [seat, call] of inOrder) {
    if (seat <= lastSeat) rounds.push([null, null, null, null]);
    rounds.at(-1)[seat] = call;
    lastSeat = seat;
  }
  return [
    element(
      "table",
      { class: "calls" },
      element("caption", {}, "Calls"),
      element("thead", {}, element("tr", {}, SEATS.map((seat) => element("th", { scope: "col" }, `Seat ${seat}`)))),
      element("tbody", {}, rounds.map((round) =>
        element("tr", {}, round.map((call) => element("td", {}, call ? withSigns(actionShort(call)) : ""))),
      )),
    ),
  ];
}

function drawLastTrick(trick) {
  if (!trick) return [];
  return [
    element(
      "section",
      { class: "last-trick" },
      element("h3", {}, `Trick ${trick.number}, taken by seat ${trick.taker}`),
      element("div", { class: "plays" }, Object.values(trick.plays).map(([seat, card]) =>
        element(
          "figure",
          { class: seat === trick.taker ? "taker" : "" },
          cardFace(card, { isFramed: seat === trick.taker }),
          element("figcaption", {}, `Seat ${seat}`),
        ),
      )),
    ),
  ];
}
