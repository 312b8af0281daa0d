// Keyboard shortcuts. They can be turned off, for users who control the browser by
// speech.

import { preference } from "./preferences.js";

// shortcutList has each key and the name of its action, in the order of the help.
export const shortcutList = [
  [" ", "pause"], ["n", "step"], ["l", "live"], ["r", "replay"], ["-", "slower"], ["+", "faster"],
  ["c", "create"], ["x", "cut"], ["/", "search"], ["1 – 8", "stage"], ["?", "help"],
];

const names = new Map(shortcutList.map(([key, name]) => [key, name]));
names.set("=", "faster"); // the key of + without shift
for (let n = 1; n <= 8; n++) names.set(String(n), "stage");

// listenForShortcuts calls the action of a pressed key. Keys with a modifier belong to
// the browser, and keys in an input belong to the input.
export function listenForShortcuts(actions) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing || event.repeat) return;
    if (document.querySelector("dialog[open]") || preference("shortcuts") === "off") return;
    if (event.target.closest("input, select, textarea")) return;
    // The space key presses the button or link that has the focus.
    if (event.key === " " && event.target.closest("button, a")) return;
    const name = names.get(event.key.toLowerCase());
    if (!name) return;
    event.preventDefault();
    actions[name](event.key);
  });
}
