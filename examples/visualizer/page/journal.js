// The journal lists the displayed records as text, and announces them to screen readers.

import { element, setItems, setText } from "./element.js";
import { preference, setPreference } from "./preferences.js";
import { seconds, sentence } from "./sentence.js";
import { text } from "./strings.js";

const mostLines = 24;

// Announcements are at least this far apart, in milliseconds.
const quiet = 4000;

export class Journal {
  constructor(list, announcement, checkbox) {
    this.list = list;
    this.announcement = announcement;
    this.checkbox = checkbox;
    checkbox.checked = preference("announce") === "on";
    checkbox.addEventListener("change", () => {
      setPreference("announce", checkbox.checked ? "on" : "off");
      setText(announcement, "");
    });
    this.unsaid = 0; // records since the last announcement
    this.timer = 0;
  }

  draw({ entries }) {
    const shown = entries.slice(-mostLines).reverse();
    // A line shows another record instead of being replaced: all lines change with each.
    setItems(this.list, shown.map((record, line) => ({ record, line })), ({ line }) => line, () => element("li", {}, element("span", { class: "soft" }), element("span", { class: "soft" }), element("span")),
      (item, { record }) => {
        if (item.record === record && item.language === text("code")) return;
        item.record = record;
        item.language = text("code");
        const [time, stage, content] = item.children;
        setText(time, seconds(record.t));
        setText(stage, text(record.stage));
        setText(content, sentence(record));
      });
    this.last = shown[0];
  }

  // count notes a displayed record for the next announcement.
  count() {
    if (!this.checkbox.checked) return;
    this.unsaid++;
    this.timer ||= setTimeout(() => this.announce(), quiet);
  }

  announce() {
    this.timer = 0;
    const { unsaid } = this;
    this.unsaid = 0;
    if (!this.checkbox.checked || !this.last) return;
    const last = sentence(this.last);
    setText(this.announcement, unsaid === 1 ? last : text("announcement.many", { count: unsaid, text: last }));
  }
}
