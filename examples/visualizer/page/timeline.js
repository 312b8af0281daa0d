// The timeline lists the records of one key, through all stages.

import { element, setAttribute, setItems, setText } from "./element.js";
import { newChip, setChip } from "./chip.js";
import { seconds, sentence } from "./sentence.js";
import { text } from "./strings.js";

const mostLines = 200;

export class Timeline {
  // changed is called when the selection or the records have changed.
  constructor(section, changed) {
    this.section = section;
    this.changed = changed;
    this.key = "";
    this.title = element("h2", { id: "timeline-title" });
    this.chip = newChip("");
    this.closing = element("button", { type: "button", id: "close-timeline" });
    this.closing.addEventListener("click", () => this.close());
    this.note = element("p", { class: "soft", role: "status" });
    this.list = element("ol", { class: "entries", tabindex: "0", "aria-labelledby": "timeline-title" });
    section.setAttribute("aria-labelledby", "timeline-title");
    section.append(element("header", {}, this.title, this.chip, this.closing), this.note, this.list);
    section.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.close();
    });
  }

  // open reads the records of a key, and moves the focus to them.
  async open(key) {
    this.key = key;
    this.records = [];
    this.message = ["", {}];
    this.opener = document.activeElement;
    this.changed();
    try {
      const response = await fetch(`timeline?key=${encodeURIComponent(key)}`, { cache: "no-store" });
      if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
      const { records, dropped } = await response.json();
      if (this.key !== key) return;
      this.records = records ?? [];
      if (!this.records.length) this.message = ["timeline.empty", {}];
      else if (dropped) this.message = ["timeline.dropped", { count: dropped }];
    } catch (error) {
      this.message = ["timeline.failed", { error: error.message }];
    }
    this.changed();
    this.section.hidden = false;
    this.section.focus();
  }

  close() {
    this.key = "";
    this.changed();
    (this.opener?.isConnected ? this.opener : document.getElementById("key"))?.focus();
  }

  // follow adds a displayed record of the key that the list does not have.
  follow(record) {
    if (!this.key || record.key !== this.key || record.n <= (this.records.at(-1)?.n ?? 0)) return;
    this.records.push(record);
    if (this.message[0] === "timeline.empty") this.message = ["", {}];
    if (this.records.length > mostLines) this.records.shift();
  }

  draw() {
    this.section.hidden = this.key === "";
    if (!this.key) return;
    setText(this.title, text("timeline"));
    setChip(this.chip, this.key);
    setText(this.closing, text("close"));
    setText(this.note, this.message[0] ? text(...this.message) : "");
    const shown = this.records.slice(-mostLines);
    setItems(this.list, shown, ({ n }) => n, () => element("li", {}, element("span", { class: "soft" }), element("span", { class: "soft" }), element("span")),
      (item, record) => {
        const [time, stage, content] = item.children;
        setText(time, seconds(record.t));
        setText(stage, text(record.stage));
        setText(content, sentence(record));
        setAttribute(item, "class", record.error ? "failing-text" : undefined);
      });
  }
}
