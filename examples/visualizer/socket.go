package main

import (
	"errors"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"

	"github.com/thinformer/thinformer/examples/internal/wire"
	"github.com/thinformer/thinformer/rest"
)

// sockets observes the connections of the informer and the controller.
type sockets struct {
	records *recorder
	// hideText leaves out the text of the bodies.
	hideText bool

	mu   sync.Mutex
	last int
	open map[int]*socket
}

// connect returns a config whose connections are observed. The caller must close the
// connections of the transport.
func (s *sockets) connect(config *rest.Config) (*rest.Config, *http.Transport, error) {
	config, transport, err := wire.Open(config, false, s.observe)
	if err != nil {
		return nil, nil, err
	}
	transport.MaxIdleConnsPerHost = maxWorkers + 2 // that of the watch and of a list
	config.Transport = requestTrace{s, transport}
	return config, transport, nil
}

func (s *sockets) observe(conn net.Conn) net.Conn {
	s.mu.Lock()
	s.last++
	observed := &socket{Conn: conn, sockets: s, number: s.last, freed: make(chan struct{})}
	s.open[s.last] = observed
	s.mu.Unlock()
	s.records.add(Record{Stage: StageSocket, Kind: "opened", Conn: observed.number})
	return observed
}

// watches calls f with the open connections of watches, and returns their number.
func (s *sockets) watches(f func(*socket)) (n int) {
	s.mu.Lock()
	open := make([]*socket, 0, len(s.open))
	for _, socket := range s.open {
		open = append(open, socket)
	}
	s.mu.Unlock()
	for _, socket := range open {
		if socket.isWatch() {
			f(socket)
			n++
		}
	}
	return n
}

// requestTrace records on which connection each request is sent.
type requestTrace struct {
	sockets *sockets
	next    http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (t requestTrace) RoundTrip(r *http.Request) (*http.Response, error) {
	line := r.Method + " " + r.URL.RequestURI() // credentials are in the header
	trace := &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
		if socket, ok := info.Conn.(*socket); ok {
			socket.request(line)
		}
	}}
	return t.next.RoundTrip(r.WithContext(httptrace.WithClientTrace(r.Context(), trace)))
}

// errCut is the error of a connection that a control has cut.
var errCut = errors.New("the connection was cut")

// A socket is an observed connection.
type socket struct {
	net.Conn
	sockets *sockets
	number  int

	mu     sync.Mutex
	parser responseParser
	line   string // of the last request
	total  int64
	cut    bool
	closed bool
	// silent: received data is held back until freed is closed.
	silent bool
	freed  chan struct{}
}

func (s *socket) isWatch() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Contains(s.line, "watch=true") || strings.Contains(s.line, "watch=1")
}

func (s *socket) request(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.line = line
	s.sockets.records.add(Record{Stage: StageSocket, Kind: "request", Conn: s.number, Text: line, Total: s.total})
}

// Read implements net.Conn. The data is recorded before the client receives it.
func (s *socket) Read(p []byte) (int, error) {
	n, err := s.Conn.Read(p)
	s.hold()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cut {
		return 0, errCut
	}
	s.total += int64(n)
	for _, part := range s.parser.feed(p[:n]) {
		record := Record{
			Stage: StageSocket, Kind: part.kind, Conn: s.number, Total: s.total,
			Text: part.text, Bytes: part.size, Chunked: part.chunked,
		}
		if s.sockets.hideText && part.kind != "response" {
			record.Text = ""
		}
		s.sockets.records.add(record)
	}
	return n, err
}

// hold waits while the connection is silent.
func (s *socket) hold() {
	s.mu.Lock()
	silent, freed := s.silent, s.freed
	s.mu.Unlock()
	if silent {
		<-freed
	}
}

// silence holds back received data until speak or Close.
func (s *socket) silence() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.silent = !s.closed
}

func (s *socket) speak() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.silent {
		s.silent = false
		close(s.freed)
		s.freed = make(chan struct{})
	}
}

func (s *socket) isSilent() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.silent
}

// sever breaks the connection.
func (s *socket) sever() {
	s.mu.Lock()
	s.cut = true
	s.mu.Unlock()
	_ = s.Conn.Close()
	s.speak()
}

// Close implements net.Conn.
func (s *socket) Close() error {
	err := s.Conn.Close()
	s.mu.Lock()
	first, total, cut := !s.closed, s.total, s.cut
	s.closed = true
	s.mu.Unlock()
	s.speak()
	if first {
		s.sockets.mu.Lock()
		delete(s.sockets.open, s.number)
		s.sockets.mu.Unlock()
		record := Record{Stage: StageSocket, Kind: "closed", Conn: s.number, Total: total}
		if cut {
			record.Error = errCut.Error()
		}
		s.sockets.records.add(record)
	}
	return err
}
