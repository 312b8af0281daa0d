// The connection to the program: server-sent events with arrays of records.

const shortestDelay = 500, longestDelay = 8000;

// Stream receives the records. It connects again after a failure.
export class Stream {
  // receive is called with the records of each message, and changed when the connection
  // has been opened or lost.
  constructor(url, receive, changed) {
    this.url = url;
    this.receive = receive;
    this.changed = changed;
    this.connected = false;
    this.attempts = 0; // since the last open connection
    this.timer = 0; // of the next attempt
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

  // fail makes the next attempt if EventSource does not: it gives up after a response
  // with an error status. Otherwise it continues after the last record.
  fail(source) {
    if (source !== this.source) return;
    this.connected = false;
    this.attempts++;
    if (source.readyState === EventSource.CLOSED && !this.timer) {
      this.timer = setTimeout(() => this.open(), Math.min(shortestDelay * 2 ** (this.attempts - 1), longestDelay));
    }
    this.changed(this);
  }
}
