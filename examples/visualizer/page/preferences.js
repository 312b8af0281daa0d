// The choices of the user: language, theme, announcements and shortcuts. They are
// kept in the storage of the browser if it permits that.

const choices = {
  language: ["en", "zh"],
  theme: ["system", "light", "dark"],
  announce: ["on", "off"],
  shortcuts: ["on", "off"],
};

// preference returns a stored choice, or the default one.
export function preference(name) {
  let stored;
  try {
    stored = localStorage.getItem(name);
  } catch {
    // Without storage, the choice applies until the page is closed.
  }
  return choices[name].includes(stored) ? stored : defaultOf(name);
}

export function setPreference(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch {
    // The same.
  }
}

// The default language is the first one of the browser that the page has.
function defaultOf(name) {
  if (name !== "language") return choices[name][0];
  for (const language of navigator.languages ?? [navigator.language]) {
    const primary = language.slice(0, 2).toLowerCase();
    if (choices.language.includes(primary)) return primary;
  }
  return choices.language[0];
}
