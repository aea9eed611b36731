// What can be said in an auction, as buttons: each with what it means, and those of no use now dimmed.

import { actionShort, withSigns } from "./cards.js";
import { element } from "./dom.js";

const MEANINGS = {
  accept: "sell at this bid",
  refuse: "play it yourself",
  skip: "the deal is not played",
  auction: "let them bid",
  "eight or nulls": "somebody plays 8 up, or it is played down",
  "up NT": "no trump",
  down: "nulls: tricks cost",
};

/** Draw the calls into an element. onCall: called with the one chosen; advised: the one that is framed. */
export function drawCalls(root, calls, { onCall, advised = null }) {
  root.replaceChildren(
    ...calls.map(({ call, is_legal: isLegal, points }) =>
      element(
        "button",
        {
          type: "button",
          class: `call${isLegal ? "" : " shaded"}${call === advised ? " framed" : ""}`,
          "aria-disabled": !isLegal && "true",
          "data-call": call,
          onclick: () => onCall(call),
        },
        element("strong", {}, withSigns(actionShort(call), true)),
        meaning(call, points),
      ),
    ),
  );
}

function meaning(call, points) {
  const text = points ? `${points} points` : MEANINGS[call] ?? (call.startsWith("up ") ? "trump" : null);
  return text && element("small", {}, text);
}
