// The page: it connects the stream, the player and the panels.

import { hueOf, setQuiet } from "./chip.js";
import { Controls } from "./controls.js";
import { Display } from "./display.js";
import { element, setAttribute, setItems, setText } from "./element.js";
import { Flow } from "./flow.js";
import { Journal } from "./journal.js";
import { KeySearch } from "./keysearch.js";
import { preference, setPreference } from "./preferences.js";
import { Playback } from "./playback.js";
import { Player } from "./player.js";
import { listenForShortcuts, shortcutList } from "./shortcut.js";
import { FIFOPanel, MachinePanel, SocketPanel } from "./sourcepanel.js";
import { State } from "./state.js";
import { StorePanel } from "./storepanel.js";
import { Stream } from "./stream.js";
import { setLanguage, text } from "./strings.js";
import { Timeline } from "./timeline.js";
import { HandlerPanel, QueuePanel, RequestPanel, WorkerPanel } from "./workpanel.js";

const byId = (id) => document.getElementById(id);

const state = new State(), player = new Player();
const display = new Display(player, apply, draw);
const timeline = new Timeline(byId("timeline"), changedAll);
const controls = new Controls(byId("controls"));
const playback = new Playback(player, display);
const journal = new Journal(byId("entries"), byId("announcement"), byId("announce"));
const flow = new Flow(byId("flow"));
const panels = [
  new SocketPanel(1), new MachinePanel(2), new FIFOPanel(3),
  new StorePanel(4, (key) => timeline.open(key), () => changedStage("store")),
  new HandlerPanel(5), new QueuePanel(6), new WorkerPanel(7), new RequestPanel(8),
];
// The columns follow the flow from top to bottom.
const columns = [panels.slice(0, 2), panels.slice(2, 5), panels.slice(5)];
byId("stages").append(...columns.map((column) => element("div", { class: "column" }, ...column.map(({ card }) => card))));

// The form for a key's timeline is beside the controls, but needs no program.
const keyInput = element("input", { id: "key", name: "key", list: "known-keys", spellcheck: "false" });
const keyForm = element("form", { autocomplete: "off" }, element("fieldset", {},
  element("legend", { "data-text": "group.timeline" }),
  element("label", {}, element("span", { "data-text": "key" }), keyInput), element("datalist", { id: "known-keys" }),
  element("button", { id: "show-timeline", "data-text": "timeline.show" })));
keyForm.addEventListener("submit", (event) => {
  event.preventDefault();
  if (keyInput.value.trim()) timeline.open(keyInput.value.trim());
});
byId("controls").append(keyForm);
const keyList = byId("known-keys"), mostListed = 30;
const listed = new KeySearch(listKeys);
keyInput.addEventListener("focus", listKeys);
keyInput.addEventListener("input", listKeys);

let all = true; // everything must be drawn, not only the stages that have changed

function apply(record) {
  state.apply(record);
  timeline.follow(record);
  journal.count();
}

function changedAll() {
  all = true;
  display.changed();
}

function changedStage(stage) {
  state.dirty.add(stage);
  display.changed();
}

function draw() {
  const lost = !stream.connected && stream.attempts > 0;
  setQuiet(state.dirty.has("snapshot"));
  for (const panel of panels) if (all || state.dirty.has(panel.stage)) panel.draw(state);
  if (all || state.dirty.size) {
    flow.draw(state);
    journal.draw(state);
    timeline.draw();
  }
  if (all || ["snapshot", "control", "handler"].some((stage) => state.dirty.has(stage))) controls.draw(state, lost);
  if (all || state.dirty.has("snapshot")) drawConnection(lost);
  playback.draw();
  select();
  all = false;
  state.dirty.clear();
}

function drawConnection(lost) {
  const { embedded, host, namespace, resource, write } = state.server;
  const where = embedded ? "embedded" : namespace ? "cluster" : "allNamespaces";
  let message = text(`connection.${where}`, { host, namespace, resource });
  if (!write) message += ` ${text("connection.readOnly")}`;
  if (!state.ready) message = text("connection.connecting");
  if (lost) message = text("connection.lost");
  setText(byId("connection"), message);
  setAttribute(byId("connection"), "class", lost ? "lost" : undefined);
}

// select marks the chips of the key whose timeline is open.
let selected = "";

function select() {
  if (!selected && !timeline.key) return;
  for (const chip of document.querySelectorAll(".chip.selected")) if (chip.dataset.key !== timeline.key) chip.classList.remove("selected");
  selected = timeline.key;
  if (!selected) return;
  for (const chip of document.querySelectorAll(`.hue-${hueOf(selected)}`)) if (chip.dataset.key === selected) chip.classList.add("selected");
}

function listKeys() {
  const part = keyInput.value.trim();
  const answer = part && !state.knowsAllKeys ? listed.find(part) : undefined;
  const { keys } = answer ?? state.keys.find(part, mostListed);
  setItems(keyList, keys.slice(0, mostListed), (key) => key, (key) => element("option", { value: key }), () => {});
}

// A chip of any stage opens the timeline of its key. With the keyboard, the form and
// the buttons of the store do.
byId("stages").addEventListener("click", (event) => {
  const chip = event.target.closest(".chip");
  if (chip?.dataset.key && !event.target.closest("button")) timeline.open(chip.dataset.key);
});

function drawTexts() {
  document.documentElement.lang = text("code") === "zh" ? "zh-Hans" : "en";
  document.title = `thinformer: ${text("title")}`;
  for (const e of document.querySelectorAll("[data-text]")) setText(e, text(e.dataset.text));
  for (const e of document.querySelectorAll("[data-label]")) setAttribute(e, "aria-label", text(e.dataset.label));
  const names = shortcutList.flatMap(([key, name]) => [element("dt", {}, element("kbd", {}, key === " " ? text("shortcut.space") : key)), element("dd", {}, text(`shortcut.${name}`))]);
  byId("shortcuts").replaceChildren(...names);
}

function choose(id, change) {
  byId(id).value = preference(id);
  change(byId(id).value);
  byId(id).addEventListener("change", () => {
    setPreference(id, byId(id).value);
    change(byId(id).value);
  });
}

choose("theme", (theme) => document.documentElement.setAttribute("data-theme", theme));
choose("language", (language) => {
  setLanguage(language);
  drawTexts();
  changedAll();
});

byId("use-shortcuts").checked = preference("shortcuts") === "on";
byId("use-shortcuts").addEventListener("change", (event) => setPreference("shortcuts", event.target.checked ? "on" : "off"));
byId("help").addEventListener("click", () => byId("keys").showModal());
const actions = {
  ...playback.actions,
  create: () => controls.press("create"),
  cut: () => controls.press("cut"),
  search: () => byId("search").focus(),
  help: () => byId("keys").showModal(),
  stage: (key) => panels[Number(key) - 1].card.focus(),
};
listenForShortcuts(actions);

const stream = new Stream("events", (records) => display.receive(records), changedAll);
