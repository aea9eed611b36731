// How seats and points are said.

export const SEATS = [0, 1, 2, 3];

/** A seat as it is said: `Seat 2, Clara`. */
export function seatName(seat, names) {
  return names ? `Seat ${seat}, ${names[seat]}` : `Seat ${seat}`;
}

/** Text that begins a sentence. */
export function capitalised(text) {
  return text[0].toUpperCase() + text.slice(1);
}

/** Points as they stand on a score sheet: `175`, `−490`. */
export function written(points) {
  return String(points).replace("-", "−");
}

/** Points with their sign and a true minus: `+25`, `−20`, `0`. */
export function signed(points) {
  return points > 0 ? `+${points}` : written(points);
}
