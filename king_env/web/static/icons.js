// The signs on the buttons, drawn: as letters some devices would show them as coloured pictures.

import { svg } from "./dom.js";

const PATHS = {
  first: "M3 3h2v14H3zM17 3v14L6 10z",
  "previous-trick": "M10 3v14L2 10zM18 3v14l-8-7z",
  previous: "M14 3v14L5 10z",
  play: "M5 3v14l12-7z",
  pause: "M5 3h4v14H5zM11 3h4v14h-4z",
  next: "M6 3v14l9-7z",
  "next-trick": "M10 3v14l8-7zM2 3v14l8-7z",
  last: "M15 3h2v14h-2zM3 3v14l11-7z",
};

export function icon(name) {
  return svg("svg", { viewBox: "0 0 20 20", "aria-hidden": "true" }, svg("path", { d: PATHS[name] }));
}
