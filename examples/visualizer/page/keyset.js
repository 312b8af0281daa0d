// Keys is a sorted set of keys. It has no DOM.

export class Keys {
  constructor(keys = []) {
    this.sorted = [...keys];
    this.found = undefined; // the last result of find, until the set changes
  }

  // place returns the index of the first key that is not before key.
  place(key) {
    let low = 0, high = this.sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.sorted[middle] < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  has(key) {
    return this.sorted[this.place(key)] === key;
  }

  add(key) {
    const at = this.place(key);
    if (this.sorted[at] === key) return;
    this.sorted.splice(at, 0, key);
    this.found = undefined;
  }

  delete(key) {
    const at = this.place(key);
    if (this.sorted[at] !== key) return;
    this.sorted.splice(at, 1);
    this.found = undefined;
  }

  // learn takes the first keys of the complete set, which has count keys. Known keys
  // after the last of them are kept.
  learn(first, count) {
    const last = first[first.length - 1];
    const rest = first.length < count ? this.sorted.slice(this.place(last)).filter((key) => key !== last) : [];
    this.sorted = first.concat(rest);
    this.found = undefined;
  }

  // find returns the first most keys that contain a text, and the number of all.
  find(text, most) {
    if (!text) return { keys: this.sorted.slice(0, most), count: this.sorted.length };
    if (this.found?.text === text && this.found.most === most) return this.found;
    const keys = [];
    let count = 0;
    for (const key of this.sorted) {
      if (!key.includes(text)) continue;
      if (count++ < most) keys.push(key);
    }
    this.found = { text, most, keys, count };
    return this.found;
  }
}
