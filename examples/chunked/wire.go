package main

import (
	"bytes"
	"net"
	"strings"
	"sync"
)

// recording has the bytes of recorded connections, without TLS.
type recording struct {
	mu             sync.Mutex
	sent, received []byte
}

func (r *recording) request() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return bytes.Clone(r.sent)
}

func (r *recording) response() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return bytes.Clone(r.received)
}

// recordedConn is a connection whose bytes are recorded.
type recordedConn struct {
	net.Conn
	*recording
}

// Read reads, and records what it has read.
func (c recordedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.received = append(c.received, p[:n]...)
	return n, err
}

// Write records, then writes: the response must not be recorded before the request.
func (c recordedConn) Write(p []byte) (int, error) {
	c.mu.Lock()
	c.sent = append(c.sent, p...)
	c.mu.Unlock()
	return c.Conn.Write(p)
}

// head returns a request or the beginning of a response as text, without
// credentials.
func head(text []byte) (lines []string) {
	text, _, _ = bytes.Cut(text, []byte("\r\n\r\n"))
	for line := range strings.SplitSeq(string(text), "\r\n") {
		if name, _, ok := strings.Cut(line, ":"); ok && strings.EqualFold(name, "Authorization") {
			line = name + ": (not shown)"
		}
		lines = append(lines, line)
	}
	return lines
}
