// Texts of the page in its language, and the format of values.

import { zh } from "./chinese.js";
import { en } from "./english.js";

export const strings = { en, zh };

let language = "en";

export function setLanguage(name) {
  language = name;
}

export function hasText(name) {
  return name in strings.en;
}

// answer returns the text of an answer with a code, or the text of the program if the
// page does not have the code.
export function answer(code, values, message) {
  const name = `answer.${code}`;
  return code && hasText(name) ? text(name, values ?? {}) : message;
}

// text returns a text in the language of the page, with values in place of {names}.
export function text(name, values) {
  const template = strings[language][name] ?? name;
  return values ? template.replace(/\{(\w+)\}/g, (_, key) => values[key] ?? "").trimEnd() : template;
}

// number, size and duration format values. Decimals use a point in both languages.
const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

export function number(value) {
  return grouped.format(value);
}

export function size(bytes) {
  if (bytes < 1024) return `${bytes}\u00a0B`;
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)}\u00a0KB`;
  return `${(bytes / 1024 / 1024).toFixed(1)}\u00a0MB`;
}

export function duration(ms) {
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)}\u00a0s`;
  return `${ms < 10 ? Number(ms.toFixed(1)) : Math.round(ms)}\u00a0ms`;
}
