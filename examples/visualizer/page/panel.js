// A panel shows one stage: what it does, where its chapter and source are, and its data.

import { element, setAttribute, setItems, setText } from "./element.js";
import { flash, newChip, setChip } from "./chip.js";
import { text } from "./strings.js";

export class Panel {
  constructor(stage, number) {
    this.stage = stage;
    this.number = number;
    this.title = element("h2", { id: `${stage}-title` });
    this.links = element("nav", { class: "links", "aria-labelledby": `${stage}-title` });
    this.about = element("p", { class: "about" });
    this.body = element("div");
    this.card = element("section", { id: stage, class: "card", tabindex: "-1", "aria-labelledby": `${stage}-title` },
      this.title, this.about, this.links, this.body);
  }

  draw(state) {
    const links = state.links.get(this.stage), language = text("code");
    if (this.drawnLinks !== links || this.language !== language) this.drawFrame(links);
    [this.drawnLinks, this.language] = [links, language];
    this.drawBody(state);
  }

  // drawFrame shows everything except for the data.
  drawFrame(links) {
    setText(this.title, `${this.number} ${text(this.stage)}`);
    setText(this.about, text(`${this.stage}.about`));
    const all = [];
    if (links?.chapter) all.push({ label: text("chapter"), address: links.chapter.replace("{lang}", text("code")) });
    for (const { path, address } of links?.sources ?? []) all.push({ label: path.slice(path.lastIndexOf("/") + 1), title: path, address });
    setItems(this.links, all.filter(({ address }) => safe(address)), ({ address }) => address,
      () => element("a"), (a, { label, title, address }) => {
        setAttribute(a, "title", title);
        setAttribute(a, "href", address);
        setText(a, label);
      });
  }
}

// safe reports whether an address is one of a page. An address with another scheme
// could run a script.
function safe(address) {
  return URL.canParse(address, location.href) && /^https?:$/.test(new URL(address, location.href).protocol);
}

// Facts is a list of names with values.
export class Facts {
  constructor() {
    this.list = element("dl", { class: "facts" });
  }

  // draw shows pairs of a name and a text. Pairs without a text are left out.
  draw(pairs) {
    const items = pairs.filter(([, value]) => value !== undefined && value !== "").flatMap(([name, value, className]) => [
      { id: `${name} name`, tag: "dt", value: text(name) }, { id: name, tag: "dd", value, className },
    ]);
    setItems(this.list, items, ({ id }) => id, ({ tag }) => element(tag), (e, { value, tag, className }) => {
      const target = tag === "dd" ? e.firstElementChild ?? e.appendChild(element("span")) : e;
      setAttribute(target, "class", className);
      setText(target, value);
    });
  }
}

// Group is a list under a heading, with a word in place of an empty list.
export class Group {
  constructor(className) {
    this.heading = element("h3");
    this.list = element("ul", { class: className });
    this.empty = element("p", { class: "empty" });
    this.more = element("p", { class: "more" });
    this.parts = [this.heading, this.list, this.empty, this.more];
  }

  // drawFrame shows everything except for the items.
  drawFrame(heading, shown, count = shown) {
    setText(this.heading, heading);
    this.empty.hidden = shown > 0;
    setText(this.empty, text("none"));
    this.more.hidden = count <= shown || shown === 0;
    setText(this.more, text("more", { count: count - shown }));
  }
}

// ChipGroup is a list of keys.
export class ChipGroup extends Group {
  constructor() {
    super("chips");
  }

  // draw shows items of { id, key, note }. A new one is marked as moved.
  draw(heading, items, count) {
    this.drawFrame(heading, items.length, count);
    setItems(this.list, items, ({ id }) => id, () => element("li", {}, newChip("")), (item, { key, note }, isNew) => {
      setChip(item.firstElementChild, key, note);
      if (isNew) flash(item.firstElementChild);
    }, true);
  }
}

// RowGroup is a list of rows: a chip or nothing, and texts of which the second is soft.
export class RowGroup extends Group {
  constructor() {
    super("rows");
  }

  // draw shows items of { id, key, head, detail, code }.
  draw(heading, items, count) {
    this.drawFrame(heading, items.length, count);
    setItems(this.list, items, ({ id }) => id, () => element("li", {}, newChip(""), " ", element("span"), " ", element("span", { class: "soft" }), element("code")),
    (item, { key = "", head = "", detail = "", code = "", className = "" }, isNew) => {
      if (isNew) flash(item);
      const [chip, first, second, third] = item.children;
      chip.hidden = key === "";
      setChip(chip, key);
      setText(first, head);
      setAttribute(first, "class", className || undefined);
      // A text that is cut off is complete in the log and here.
      setAttribute(first, "title", className.includes("clamped") && head);
      setText(second, detail);
      setText(third, code);
      third.hidden = code === "";
    }, true);
  }
}

// newest returns a list of records in reverse order.
export function newest(records, most = records.length) {
  return records.slice(-most).reverse();
}
