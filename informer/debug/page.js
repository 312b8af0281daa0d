// Updates the page while it is visible. It asks for the page again every two seconds:
// the server answers 304, without content, if nothing has changed.
"use strict";
(() => {
  const period = 2000, longestPeriod = 60000, timeout = 20000, quiet = 10000;
  const element = (id) => document.getElementById(id);
  const freshness = element("freshness"), pause = element("pause");
  const clock = freshness.querySelector("time");
  // What the clock of the server is ahead of that of the browser.
  let ahead = Date.parse(clock.dateTime) - Date.now();
  let tag = "", delay = period, timer = 0, paused = false, busy = false, lost = false;
  let said = headline(), saidAt = -quiet, saying = 0;

  if (!document.body.hasAttribute("data-live")) return;
  element("reload").hidden = true;
  pause.hidden = false;
  pause.addEventListener("click", () => {
    paused = !paused;
    pause.setAttribute("aria-pressed", paused);
    show();
    refresh();
  });
  document.addEventListener("visibilitychange", refresh);
  show();
  schedule();

  function schedule() {
    clearTimeout(timer);
    if (!paused && !document.hidden) timer = setTimeout(refresh, delay);
  }

  async function refresh() {
    clearTimeout(timer);
    if (busy || paused || document.hidden) return;
    busy = true;
    const began = performance.now();
    try {
      const headers = { Accept: "text/html" };
      if (tag) headers["If-None-Match"] = tag;
      const response = await fetch(location.href, { headers, cache: "no-store", redirect: "error", signal: AbortSignal.timeout(timeout) });
      const text = await response.text();
      if (response.status !== 304 && !paused) replace(text, response.headers.get("ETag") || "");
      const now = Date.parse(response.headers.get("Date"));
      if (now) ahead = now + 500 - Date.now(); // it has whole seconds
      lost = false;
      // A page that takes long to generate is requested less often.
      delay = Math.min(Math.max(period, 20 * (performance.now() - began)), longestPeriod);
    } catch {
      lost = true;
      delay = Math.min(2 * delay, longestPeriod / 2);
    }
    busy = false;
    if (!paused) show();
    schedule();
  }

  // replace shows a new page. The elements that have not changed stay, with the focus,
  // the selection and the text of inputs.
  function replace(text, newTag) {
    const next = new DOMParser().parseFromString(text, "text/html");
    const main = next.getElementById("main");
    if (!main) throw new Error("not a page of this program");
    if (next.querySelector("script").getAttribute("src") !== document.querySelector("script").getAttribute("src")) {
      location.reload(); // the program has another version
      return;
    }
    tag = newTag;
    document.title = next.title;
    clock.dateTime = next.querySelector("#freshness time").dateTime;
    clock.textContent = next.querySelector("#freshness time").textContent;
    ages(main);
    merge(element("main"), main);
  }

  // show writes how fresh the page is, and the ages of its times.
  function show() {
    const text = paused ? "Paused. As of " : lost ? "The program does not answer. As of " : "Live. Changed at ";
    if (freshness.firstChild.data !== text) freshness.firstChild.data = text;
    freshness.className = lost && !paused ? "lost" : "";
    if (!paused) ages(document);
    announce();
  }

  function headline() {
    return lost ? "The program does not answer." : (element("state") || document.querySelector("h1")).textContent;
  }

  // announce writes a changed state for screen readers, at most once in ten seconds.
  function announce() {
    if (saying || headline() === said) return;
    saying = setTimeout(() => {
      saying = 0;
      if (headline() === said) return;
      saidAt = performance.now();
      said = headline();
      element("announcement").textContent = said;
    }, Math.max(0, saidAt + quiet - performance.now()));
  }

  function ages(root) {
    for (const time of root.querySelectorAll("time[data-age]")) {
      const kind = time.dataset.age, past = Date.now() + ahead - Date.parse(time.dateTime);
      const length = duration(kind === "in" ? -past : past);
      const text = kind === "ago" ? length + " ago" : kind + " " + length;
      if (time.textContent !== text) time.textContent = text;
    }
  }

  // duration formats milliseconds as Go does, in whole seconds.
  function duration(ms) {
    const s = Math.max(0, Math.round(ms / 1000)), m = Math.floor(s / 60), h = Math.floor(m / 60);
    return (h ? h + "h" : "") + (m ? (m % 60) + "m" : "") + (s % 60) + "s";
  }

  // key identifies an element among its siblings, "" if only its position does.
  function key(node) {
    if (node.id) return node.id;
    return node.nodeName === "LI" || node.nodeName === "TR" ? node.firstChild.textContent : "";
  }

  function merge(old, next) {
    if (old.isEqualNode(next)) return;
    for (const { name } of [...old.attributes]) if (!next.hasAttribute(name)) old.removeAttribute(name);
    for (const { name, value } of next.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    const keys = new Set([...next.childNodes].map(key)), kept = new Map();
    for (const child of [...old.childNodes]) {
      const k = key(child);
      if (k && (!keys.has(k) || kept.has(k))) child.remove();
      else if (k) kept.set(k, child);
    }
    let at = old.firstChild;
    for (const child of [...next.childNodes]) {
      const k = key(child);
      const same = k ? kept.get(k) : at && !key(at) && at.nodeName === child.nodeName ? at : undefined;
      if (!same) {
        old.insertBefore(child, at);
        continue;
      }
      kept.delete(k);
      // Moving an element would take the focus from it.
      while (k && at && at !== same && !key(at)) {
        const rest = at.nextSibling;
        at.remove();
        at = rest;
      }
      if (same === at) at = at.nextSibling;
      else old.insertBefore(same, at);
      if (same.nodeType !== Node.ELEMENT_NODE) same.data = child.data;
      else merge(same, child);
    }
    while (at) {
      const rest = at.nextSibling;
      at.remove();
      at = rest;
    }
  }
})();
