// KeySearch asks the program for the keys that contain a text: the page knows only a
// part of the keys of a large store.

// The shortest time between two requests, and between a change of the text and its
// request, in milliseconds.
const pause = 200;

export class KeySearch {
  // changed is called when there is an answer.
  constructor(changed) {
    this.changed = changed;
    this.search = "";
    this.asked = ""; // the text and version of the last request
    this.running = false;
    this.timer = 0;
  }

  // find returns the last answer for a text, undefined if there is none. It has the keys
  // and their count, or an error. A new text or version of the store causes a request.
  find(search, version = "") {
    if (search !== this.search) {
      clearTimeout(this.timer); // the user is typing
      this.timer = 0;
    }
    [this.search, this.version] = [search, version];
    if (!this.timer && !this.running && this.asked !== `${version} ${search}`) this.timer = setTimeout(() => this.ask(), pause);
    return this.answer?.search === search ? this.answer : undefined;
  }

  async ask() {
    const { search, version } = this;
    this.timer = 0;
    this.running = true;
    this.asked = `${version} ${search}`;
    try {
      const response = await fetch(`keys?search=${encodeURIComponent(search)}`, { cache: "no-store" });
      if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
      this.answer = { search, ...await response.json() };
    } catch (error) {
      this.answer = { search, keys: [], count: 0, error: error.message };
    }
    this.running = false;
    this.changed();
  }
}
