// Creates and updates elements. All content is text: no function of the page parses
// markup, so that keys and values of the server cannot become elements.

// element returns a new element. Strings among the children become text.
export function element(name, attributes = {}, ...children) {
  const e = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) setAttribute(e, attribute, value);
  e.append(...children.filter((child) => child !== undefined && child !== null));
  return e;
}

// setAttribute sets an attribute that differs. The values undefined and false remove it.
export function setAttribute(e, name, value) {
  if (value === undefined || value === false) {
    if (e.hasAttribute(name)) e.removeAttribute(name);
    return;
  }
  const text = value === true ? "" : String(value);
  if (e.getAttribute(name) !== text) e.setAttribute(name, text);
}

// setText writes a text that differs from the present one. An unchanged text is not
// written, since that would cause a layout and an announcement.
export function setText(e, text) {
  text = String(text);
  if (e.childNodes.length !== 1 || e.firstChild.nodeType !== Node.TEXT_NODE) e.textContent = text;
  else if (e.firstChild.data !== text) e.firstChild.data = text;
}

// setItems makes the children of a list match items. An item with the same id keeps its
// element, with the focus and the running animation. create returns a new element, and
// update writes the item into it; its last argument is true if the element had none or
// another item. With reuse, elements show other items in place if all items are others:
// that takes much less time.
export function setItems(list, items, id, create, update, reuse = false) {
  const byName = new Map();
  for (const item of items) if (!byName.has(String(id(item)))) byName.set(String(id(item)), item);
  const kept = new Map();
  const children = [...list.children];
  for (const child of children) if (byName.has(child.dataset.id)) kept.set(child.dataset.id, child);
  // The elements of other items are removed first, since an element that is moved loses
  // its focus and animation.
  const reused = reuse && !kept.size ? children.slice(0, byName.size) : [];
  for (const child of children.slice(reused.length)) if (!kept.has(child.dataset.id)) child.remove();
  let at = list.firstElementChild;
  for (const [name, item] of byName) {
    const old = kept.get(name), child = old ?? reused.shift() ?? create(item);
    if (!old) child.dataset.id = name;
    update(child, item, !old);
    if (child === at) at = at.nextElementSibling;
    else list.insertBefore(child, at);
  }
}
