// A chip is the label of a key. A key has the same label and colour in every stage.

import { element, setAttribute, setText } from "./element.js";

const hues = 12;

// hueOf returns the number of the colour of a key.
export function hueOf(key) {
  let hash = 2166136261;
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 16777619);
  return (hash >>> 0) % hues;
}

// newChip returns a chip for a key, with an optional note after it.
export function newChip(key, note = "") {
  const chip = element("span", {}, element("bdi", {}, element("span"), element("span")), element("small"));
  setChip(chip, key, note);
  return chip;
}

// setChip writes another key or note into a chip.
export function setChip(chip, key, note = "") {
  setAttribute(chip, "class", `chip hue-${hueOf(key)}`);
  setAttribute(chip, "data-key", key);
  setAttribute(chip, "title", key);
  // The namespace is hidden where space is scarce.
  const name = key.indexOf("/") + 1;
  setText(chip.firstElementChild.firstElementChild, key.slice(0, name));
  setText(chip.firstElementChild.lastElementChild, key.slice(name));
  setText(chip.lastElementChild, note);
}

// A snapshot replaces everything: it does not show that anything has moved.
let quiet = false;

export function setQuiet(value) {
  quiet = value;
}

// flash marks an element that an event has just reached. The style sheet decides
// whether the mark moves. The two classes have the same animation under two names:
// a change of the name restarts it without computing a style here.
export function flash(e) {
  if (quiet) return;
  const again = e.classList.contains("moved-a");
  e.classList.toggle("moved-a", !again);
  e.classList.toggle("moved-b", again);
}
