// The connection to the program: server-sent events with arrays of records.

const shortestDelay = 500, longestDelay = 8000;

// Stream receives the records. It connects again after a failure, with a growing delay.
// The first message of each connection begins with a snapshot.
export class Stream {
  // receive is called with the records of each message, and changed when the connection
  // has been opened or lost.
  constructor(url, receive, changed) {
    this.url = url;
    this.receive = receive;
    this.changed = changed;
    this.connected = false;
    this.attempts = 0; // since the last open connection
    this.delay = 0; // milliseconds until the next attempt
    this.timer = 0;
    this.open();
  }

  open() {
    clearTimeout(this.timer);
    this.timer = 0;
    this.source?.close();
    const source = new EventSource(this.url);
    this.source = source;
    source.onopen = () => {
      this.connected = true;
      this.attempts = 0;
      this.changed(this);
    };
    source.onmessage = (message) => this.receive(JSON.parse(message.data));
    source.onerror = () => this.fail(source);
  }

  // fail does not leave the next attempt to EventSource, since that makes none after a
  // response with an error status.
  fail(source) {
    source.close();
    if (source !== this.source || this.timer) return;
    this.connected = false;
    this.attempts++;
    this.delay = Math.min(shortestDelay * 2 ** (this.attempts - 1), longestDelay);
    this.timer = setTimeout(() => this.open(), this.delay);
    this.changed(this);
  }

  // retry connects at once instead of after the delay.
  retry() {
    if (!this.connected) this.open();
  }
}
