// A game as a row of moments: each position, the move that led to it, and the one made from it.

/** The moments of a game as `king_env.web.replays` wrote it. */
export function momentsOf(game) {
  const moments = [];
  game.deals.forEach((deal, place) => {
    let position = deal.start;
    for (let done = 0; done <= deal.steps.length; done++) {
      const move = done ? deal.steps[done - 1] : null;
      if (move) position = patched(position, move.then);
      moments.push({ deal: place, done, position, move, next: deal.steps[done] ?? null, trick: trickAt(deal, done) });
    }
  });
  return moments;
}

/** JSON merge patch (RFC 7396). */
export function patched(before, patch) {
  const after = { ...before };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete after[key];
    else if (typeof value === "object" && !Array.isArray(value)) after[key] = patched(after[key] ?? {}, value);
    else after[key] = value;
  }
  return after;
}

/** What one seat may see of a position. */
export function seenBy(position, viewer) {
  const seats = {};
  for (const [seat, state] of Object.entries(position.seats)) {
    seats[seat] = { ...state };
    if (Number(seat) !== viewer) delete seats[seat].hand;
  }
  return { ...position, seats, playable: position.turn === viewer ? position.playable : undefined };
}

/** The moments to which one jumps trick by trick: where a deal begins, a trick is led, a deal ends. */
export function isLandmark(moment, game) {
  const deal = game.deals[moment.deal];
  return moment.done === 0 || moment.done === deal.steps.length || deal.leads.includes(moment.done);
}

/** Which trick the next move belongs to; 0 before the first is led. */
function trickAt(deal, done) {
  return deal.leads.filter((lead) => lead <= done).length;
}
