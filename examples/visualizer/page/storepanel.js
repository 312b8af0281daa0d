// The panel of the store. It shows counts and a part of the keys: the store may have any
// number of objects. The program searches those that the page does not know.

import { element, setAttribute, setItems, setText } from "./element.js";
import { ChipGroup, Facts, newest, Panel, RowGroup } from "./panel.js";
import { newChip, setChip } from "./chip.js";
import { KeySearch } from "./keysearch.js";
import { number, text } from "./strings.js";

const mostKeys = 16, mostValues = 8;

export class StorePanel extends Panel {
  // select is called with the key of a button, and changed when the panel must be drawn.
  constructor(number, select, changed) {
    super("store", number);
    this.facts = new Facts();
    this.applied = new ChipGroup();
    this.indexes = element("div");
    this.all = new KeySearch(changed);
    this.search = element("input", { id: "search", type: "search", autocomplete: "off", spellcheck: "false", "aria-describedby": "found" });
    this.search.addEventListener("input", changed);
    this.label = element("span");
    this.found = element("p", { class: "more", id: "found" });
    this.keys = element("ul", { class: "chips", id: "found-keys" });
    this.keys.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button) select(button.firstElementChild.dataset.key);
    });
    this.body.append(this.facts.list, ...this.applied.parts, this.indexes,
      element("label", { class: "search" }, this.label, this.search), this.found, this.keys);
  }

  drawBody(state) {
    const { store, applied, batch } = state;
    const count = number(store.objects);
    this.facts.draw([
      ["objects", store.synced ? text("objects.value", { count }) : text("objects.unsynced", { count })],
      ["version", store.version],
      ["batch", batch ? text("batch.value", { count: number(batch.count ?? 0), ms: (batch.ms ?? 0).toFixed(2) }) : ""],
    ]);
    this.applied.draw(text("applied"), newest(applied).map(({ n, key, event }) => ({ id: n, key, note: event })));
    setItems(this.indexes, store.indexes, ({ name }) => name, () => {
      const group = new RowGroup();
      group.list.className = "values";
      const box = element("div", {}, ...group.parts);
      box.group = group;
      return box;
    }, (box, index) => drawIndex(box.group, index));
    this.drawKeys(state);
  }

  drawKeys({ store, keys, knowsAllKeys }) {
    setText(this.label, text("search"));
    const search = this.search.value.trim();
    const asks = search !== "" && !knowsAllKeys;
    const answer = asks ? this.all.find(search, store.version) : undefined;
    const found = answer ?? keys.find(search, mostKeys);
    let name = search ? "found" : "found.all";
    if (asks && !answer) name = "found.asking";
    if (answer?.error) name = "found.failed";
    const count = search || knowsAllKeys ? found.count : store.objects, shown = found.keys.slice(0, mostKeys);
    setText(this.found, text(name, { count: number(count), shown: shown.length, objects: number(store.objects), error: answer?.error }));
    setItems(this.keys, shown, (key) => key, () => element("li", {}, element("button", { type: "button", class: "key" }, newChip(""))),
      (item, key) => setChip(item.firstElementChild.firstElementChild, key), true);
  }
}

function drawIndex(group, { name, count, values }) {
  const shown = values.slice(0, mostValues);
  group.drawFrame(text("indexes", { name, count: number(count) }), shown.length, count);
  setItems(group.list, shown, ({ value }) => value, () => element("li", {}, element("bdi"), " ", element("b")), (item, { value, objects }) => {
    setAttribute(item.firstElementChild, "title", value);
    setText(item.firstElementChild, value);
    setText(item.lastElementChild, number(objects));
  });
}
