// What was thought of a decision: a policy's probabilities and value, what a search or a judge says actions gain.

import { actionShort, isCard, withSigns } from "./cards.js";
import { element } from "./dom.js";
import { signed } from "./words.js";

/** Draw a decision into an element. isSeen: whether the viewer may see it; judge: the name of who judges it. */
export function drawDecision(root, decision, { judge = null, isSeen = true } = {}) {
  if (!decision) {
    root.replaceChildren(element("p", { class: "quiet" }, "There is nothing to decide."));
    return;
  }
  const { seat, action } = decision;
  const made = isSeen ? [isCard(action) ? ": plays " : ": says ", withSigns(actionShort(action))] : [];
  root.replaceChildren(
    element("h3", {}, `Seat ${seat}'s decision`, made),
    ...(isSeen ? drawThoughts(decision, judge) : [quiet("Not shown in another seat's view.")]),
  );
}

function drawThoughts(decision, judge) {
  const { thought, judged } = decision;
  if (!thought && !judged) return [quiet("Nobody said anything about it.")];
  return [...drawVerdict(judged, judge), ...drawValue(thought), ...drawActions(decision, "own search")];
}

/** What a bot thinks of an action that it advises: its value, and a line for each action. */
export function drawAdvice(advice) {
  return [...drawValue(advice.thought), ...drawActions(advice, "points")];
}

function quiet(text) {
  return element("p", { class: "quiet" }, text);
}

/** Points gained or lost, to a tenth. */
function points(number) {
  return signed(Math.round(number * 10) / 10);
}

function drawVerdict(judged, judge) {
  if (!judged) return [];
  const { best, disagrees } = judged;
  if (!disagrees) return [quiet(`${judge} agrees, as far as it can tell.`)];
  const by = ` by ${difference(judged)} points.`;
  return [element("p", { class: "loses" }, `${judge} prefers `, withSigns(actionShort(best)), by)];
}

/** What a move loses beside the best, with the error of that: `12.3 ± 2.1`. */
export function difference({ loses, error }) {
  return loses.toFixed(1) + (error ? ` ± ${error.toFixed(1)}` : "");
}

function drawValue(thought) {
  if (thought?.value === undefined) return [];
  return [element("p", {}, `Value ${points(thought.value)} `, element("span", { class: "quiet" }, thought.unit))];
}

/** A line for each action: how probable it was, and what it gains beside the best; own: the title of what it gains. */
function drawActions({ action: made, thought, judged }, own) {
  const columns = [
    thought?.gains && { title: own, of: beside(thought.gains) },
    judged && { title: "judge", of: beside(judged.gains) },
  ].filter(Boolean);
  const probabilities = thought?.probabilities;
  const actions = Object.keys(probabilities ?? columns[0]?.of ?? {});
  if (!actions.length) return [];
  const worth = probabilities ?? columns[0].of;
  actions.sort((one, other) => (worth[other] ?? -Infinity) - (worth[one] ?? -Infinity));
  return [
    element(
      "table",
      {},
      element("caption", { class: "quiet" }, "Each action", columns.length ? ": points beside the best" : ""),
      element(
        "thead",
        {},
        element(
          "tr",
          {},
          element("th", { scope: "col" }, "action"),
          probabilities ? element("th", { scope: "col", colspan: 2 }, "probability") : null,
          columns.map(({ title }) => element("th", { scope: "col" }, title)),
        ),
      ),
      element("tbody", {}, actions.map((action) =>
        element(
          "tr",
          { class: action === made ? "made" : "", "data-action": action },
          element("th", { scope: "row" }, withSigns(actionShort(action), false), action === made ? " ◂" : ""),
          probabilities ? drawProbability(probabilities[action] ?? 0) : null,
          columns.map(({ of }) => element("td", {}, of[action] === undefined ? "" : points(of[action]))),
        ),
      )),
    ),
  ];
}

function drawProbability(probability) {
  return [
    element("td", { class: "bar" }, element("span", { "--share": probability })),
    element("td", {}, `${(100 * probability).toFixed(1)} %`),
  ];
}

/** Gains as differences from the largest. */
function beside(gains) {
  const most = Math.max(...Object.values(gains));
  return Object.fromEntries(Object.entries(gains).map(([action, gain]) => [action, gain - most]));
}
