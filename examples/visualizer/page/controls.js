// The controls: forms whose buttons send requests to the program. The program says
// which ones it has, their parameters, and which are not available.

import { element, setAttribute, setItems, setText } from "./element.js";
import { answer, hasText, text } from "./strings.js";

// A control that is not listed is shown in the last group.
const groups = [
  { name: "objects", controls: ["create", "update", "delete", "burst", "clear"] },
  { name: "watch", controls: ["cut", "silence", "speak"] },
  { name: "server", controls: ["expire", "away", "back", "restart"] },
  { name: "handler", controls: ["slow", "panic"] },
  { name: "worker", controls: ["work", "fail"] },
];

function groupOf(control) {
  return groups.find(({ controls }) => controls.includes(control)) ?? groups[groups.length - 1];
}

export class Controls {
  constructor(box) {
    this.list = box.appendChild(element("div"));
    this.results = new Map(); // by group: the last answer
    this.list.addEventListener("submit", (event) => {
      event.preventDefault();
      const button = event.submitter ?? event.target.querySelector("button:enabled");
      if (button) this.send(event.target, button.value);
    });
  }

  draw(state, lost) {
    this.state = state;
    this.lost = lost;
    const used = groups.map((group) => ({ group, controls: state.controls.filter(({ name }) => groupOf(name) === group) }))
      .filter(({ controls }) => controls.length);
    setItems(this.list, used, ({ group }) => group.name, newForm, (form, item) => this.drawForm(form, item));
  }

  drawForm(form, { group, controls }) {
    const [legend, parameters, buttons, reasons, result] = form.firstElementChild.children;
    setText(legend, text(`group.${group.name}`));
    setItems(parameters, parametersOf(controls), ({ name }) => name, newParameter, (label, { name }) => drawParameter(label, group.name, name));
    const why = new Set();
    setItems(buttons, controls, ({ name }) => name, ({ name }) => element("button", { id: `control-${name}`, type: "submit", value: name }), (button, control) => {
      const reason = this.reason(control);
      if (reason) why.add(reason);
      button.disabled = reason !== "";
      setText(button, this.label(control));
      setAttribute(button, "aria-describedby", reason && `reason-${group.name}`);
    });
    setAttribute(reasons, "id", `reason-${group.name}`);
    setText(reasons, [...why].join(" "));
    const last = this.results.get(group.name);
    setAttribute(result, "class", last?.ok ?? true ? "result" : "result error");
    setText(result, last ? resultOf(last) : "");
  }

  // reason returns why a control is not available, "" if it is.
  reason(control) {
    if (this.lost) return text("reason.lost");
    if (control.available) return "";
    return answer(control.reasonCode, {}, control.reason) || text("reason.other");
  }

  label(control) {
    const name = `control.${control.name}`, label = hasText(name) ? text(name) : control.name;
    return this.state.isActive(control) ? `${label} (${text("control.active")})` : label;
  }

  // press uses a control as its button does, if it is available.
  press(control) {
    document.getElementById(`control-${control}`)?.click();
  }

  async send(form, control) {
    const group = groupOf(control).name;
    const { parameters = [] } = this.state.controls.find(({ name }) => name === control) ?? {};
    const body = {};
    for (const { name, max } of parameters ?? []) {
      const { value } = form.elements.namedItem(name);
      body[name] = max ? Number(value) : value;
    }
    this.results.set(group, await post(`control/${encodeURIComponent(control)}`, body));
    this.draw(this.state, this.lost);
  }
}

async function post(url, body) {
  try {
    const response = await fetch(url, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
    return await response.json();
  } catch (error) {
    return { ok: false, error: error.message };
  }
}

// resultOf returns the text of an answer in the language of the page.
function resultOf({ code, values, message, error }) {
  if (error !== undefined) return text("control.failed", { error });
  return answer(code, values, message) || text("control.sent");
}

// parametersOf returns the parameters of the controls of a group: those with the same
// name share an input.
function parametersOf(controls) {
  const all = new Map();
  for (const { parameters } of controls) for (const parameter of parameters ?? []) if (!all.has(parameter.name)) all.set(parameter.name, parameter);
  return [...all.values()];
}

function newForm() {
  return element("form", { autocomplete: "off" }, element("fieldset", {}, element("legend"), element("div", { class: "parameters" }),
    element("div", { class: "buttons" }), element("p", { class: "result" }), element("p", { class: "result", role: "status" })));
}

function newParameter({ name, default: value, min, max }) {
  const input = element("input", max ? { name, type: "number", min: min ?? 0, max, required: true } : { name, type: "text", maxlength: 253, spellcheck: "false" });
  input.value = value ?? "";
  return element("label", {}, element("span"), input);
}

function drawParameter(label, group, name) {
  const found = [`parameter.${group}.${name}`, `parameter.${name}`].find(hasText);
  setText(label.firstElementChild, found ? text(found) : name);
  setAttribute(label.lastElementChild, "placeholder", text("parameter.automatic"));
}
