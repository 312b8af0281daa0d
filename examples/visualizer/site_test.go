package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

var asJSON = http.Header{"Content-Type": {"application/json"}}

// A control is used only by the page itself: with JSON, from the same origin, and by
// POST. No refused request changes anything.
func TestControlRequests(t *testing.T) {
	withProgram(t, 1, func(t *testing.T, f *fixture) {
		with := func(pairs ...string) http.Header {
			header := asJSON.Clone()
			for i := 0; i < len(pairs); i += 2 {
				header[pairs[i]] = []string{pairs[i+1]}
			}
			return header
		}
		before := f.newest()
		for name, c := range map[string]struct {
			method, target, body string
			header               http.Header
			code                 int
		}{
			"GET":                   {"GET", "/control/create", "", nil, 405},
			"form":                  {"POST", "/control/create", "name=x", with("Content-Type", "application/x-www-form-urlencoded"), 415},
			"plain text":            {"POST", "/control/create", "{}", with("Content-Type", "text/plain"), 415},
			"no type":               {"POST", "/control/create", "{}", http.Header{}, 415},
			"other site":            {"POST", "/control/create", "{}", with("Sec-Fetch-Site", "cross-site"), 403},
			"same site":             {"POST", "/control/create", "{}", with("Sec-Fetch-Site", "same-site"), 403},
			"other origin":          {"POST", "/control/create", "{}", with("Origin", "http://example.com"), 403},
			"other port":            {"POST", "/control/create", "{}", with("Origin", "http://localhost:9999"), 403},
			"null origin":           {"POST", "/control/create", "{}", with("Origin", "null"), 403},
			"other host":            {"POST", "/control/create", "{}", with("Host", "example.com"), 403},
			"no host":               {"POST", "/control/create", "{}", with("Host", ""), 403},
			"large":                 {"POST", "/control/create", `{"name": "` + strings.Repeat("x", maxBody) + `"}`, asJSON, 413},
			"unknown":               {"POST", "/control/nothing", "{}", asJSON, 404},
			"invalid":               {"POST", "/control/burst", `{"n": 0}`, asJSON, 400},
			"another page":          {"GET", "/", "", with("Host", "example.com"), 403},
			"stream of other host":  {"GET", "/events", "", with("Host", "example.com"), 403},
			"log of other host":     {"GET", "/log", "", with("Host", "localhost.example.com"), 403},
			"timeline without key":  {"GET", "/timeline", "", nil, 400},
			"unknown path":          {"GET", "/nothing", "", nil, 404},
			"folder of the page":    {"GET", "/page/", "", nil, 404},
			"file outside":          {"GET", "/page/..%2fmain.go", "", nil, 404},
			"POST to a page":        {"POST", "/", "{}", asJSON, 405},
			"source without clone":  {"GET", "/source/go.mod", "", nil, 404},
			"chapter without clone": {"GET", "/chapter/en/01-chunks", "", nil, 404},
		} {
			w := f.request(c.method, c.target, c.body, c.header)
			require.Equal(t, c.code, w.Code, "%s: %s", name, w.Body)
			require.Contains(t, w.Header().Get("Content-Security-Policy"), "default-src 'none'", name)
			require.Equal(t, "nosniff", w.Header().Get("X-Content-Type-Options"), name)
		}
		synctest.Wait()
		require.Equal(t, before, f.newest())

		for _, host := range []string{"localhost:8088", "LOCALHOST", "127.0.0.1:8088", "[::1]:8088", "[::1]", "10.0.0.1", "x.localhost:1"} {
			header := with("Host", host, "Origin", "http://"+host, "Sec-Fetch-Site", "same-origin")
			w := f.request("POST", "/control/update", "{}", header)
			require.Equal(t, 200, w.Code, "%s: %s", host, w.Body)
			require.True(t, decode[Answer](t, w.Body).OK)
		}
	})
}

// The host of -address is allowed.
func TestAllowedHosts(t *testing.T) {
	require.True(t, allowsHost("my-computer:8088", "my-computer:8088"))
	require.True(t, allowsHost("my-computer.", "My-Computer:1"))
	require.False(t, allowsHost("example.com", "my-computer:8088"))
	require.False(t, allowsHost("", ":8088"))
	require.False(t, allowsHost(":8088", ":8088"))
	require.False(t, allowsHost("localhost.example.com", "localhost:8088"))
}

// The page is served with types that browsers accept with nosniff.
func TestPageFiles(t *testing.T) {
	withProgram(t, 0, func(t *testing.T, f *fixture) {
		w := f.request("GET", "/", "", nil)
		require.Equal(t, 200, w.Code)
		require.Equal(t, "text/html; charset=utf-8", w.Header().Get("Content-Type"))
		entries, err := pageFiles.ReadDir("page")
		require.NoError(t, err)
		for _, entry := range entries {
			w := f.request("GET", "/page/"+entry.Name(), "", nil)
			require.Equal(t, 200, w.Code, entry.Name())
			require.NotZero(t, w.Body.Len())
		}
	})
}

// event reads an event of a stream.
func event(t *testing.T, from *bufio.Reader) (id string, records []Record) {
	t.Helper()
	for {
		line, err := from.ReadString('\n')
		require.NoError(t, err)
		if text, ok := strings.CutPrefix(line, "id: "); ok {
			id = strings.TrimSpace(text)
		}
		if text, ok := strings.CutPrefix(line, "data: "); ok {
			require.NoError(t, json.Unmarshal([]byte(text), &records))
			return id, records
		}
	}
}

// pipes is a listener of connections in memory.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	conn, ok := <-p
	if !ok {
		return nil, net.ErrClosed
	}
	return conn, nil
}
func (p pipes) Close() error   { close(p); return nil }
func (p pipes) Addr() net.Addr { return &net.TCPAddr{} }

// serve serves the site in the bubble, and returns a function that connects to it.
func (f *fixture) serve() (dial func() net.Conn, stop func()) {
	listener, server := make(pipes), f.newServer()
	go server.Serve(listener)
	dial = func() net.Conn {
		client, conn := net.Pipe()
		listener <- conn
		return client
	}
	return dial, func() { require.NoError(f.t, server.Close()) }
}

// stream opens a stream over a new connection.
func (f *fixture) stream(conn net.Conn, lastEventID string) *bufio.Reader {
	_, err := io.WriteString(conn, "GET /events HTTP/1.1\r\nHost: localhost\r\nLast-Event-ID: "+lastEventID+"\r\n\r\n")
	require.NoError(f.t, err)
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(f.t, err)
	require.Equal(f.t, "text/event-stream", response.Header.Get("Content-Type"))
	return bufio.NewReader(response.Body)
}

// A stream has a snapshot and each record once. It continues after its last event, and
// sends a comment while nothing happens.
func TestStream(t *testing.T) {
	withProgram(t, 1, func(t *testing.T, f *fixture) {
		dial, stop := f.serve()
		defer stop()
		conn := dial()
		events := f.stream(conn, "")
		id, first := event(t, events)
		require.NotNil(t, first[0].Snapshot)
		last := first[0].N

		go f.view.controls.use(t.Context(), "update", []byte("{}"))
		var stages []Stage
		for !strings.Contains(strings.Join(kinds(f.since(first[0].N)), " "), "worker ended") || last < f.newest() {
			next, records := event(t, events)
			id = next
			for _, r := range records {
				require.Equal(t, last+1, r.N)
				last = r.N
				stages = append(stages, r.Stage)
			}
		}
		require.Contains(t, stages, StageWorker)
		require.True(t, strings.HasPrefix(id, f.view.startID()+"-"))

		f.advance(2 * sampleInterval)
		for line := ""; line != ": ok\n"; { // after records of the states
			var err error
			line, err = events.ReadString('\n')
			require.NoError(t, err)
			if text, ok := strings.CutPrefix(line, "id: "); ok {
				id = strings.TrimSpace(text)
				last = f.newest()
			}
		}
		conn.Close()

		f.use("update", "{}")
		conn = dial()
		defer conn.Close()
		_, records := event(t, f.stream(conn, id))
		require.Equal(t, last+1, records[0].N)
		require.Nil(t, records[0].Snapshot)
	})
}

// A client that does not read a response is cut off, and one that reads a stream is not.
func TestWriteTimeout(t *testing.T) {
	withProgram(t, 1, func(t *testing.T, f *fixture) {
		dial, stop := f.serve()
		defer stop()
		reading, blocked := dial(), dial()
		defer reading.Close()
		defer blocked.Close()
		events := f.stream(reading, "")
		_, err := io.WriteString(blocked, "GET /log HTTP/1.1\r\nHost: localhost\r\n\r\n")
		require.NoError(t, err)
		event(t, events)
		for began := time.Now(); time.Since(began) < 2*(controlTimeout+writeTimeout); { // comments
			_, err := events.ReadString('\n')
			require.NoError(t, err)
		}
		received, err := io.ReadAll(blocked)
		require.NoError(t, err)
		require.NotContains(t, string(received), "\r\n0\r\n", "the response is complete")
		go f.view.controls.use(t.Context(), "update", []byte("{}"))
		_, records := event(t, events)
		require.NotEmpty(t, records)
	})
}

// A client that does not read is cut off. There is a limit of streams.
func TestSlowAndManyClients(t *testing.T) {
	withProgram(t, 1, func(t *testing.T, f *fixture) {
		dial, stop := f.serve()
		defer stop()
		conn := dial()
		defer conn.Close()
		_, err := io.WriteString(conn, "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
		require.NoError(t, err)
		synctest.Wait()
		require.Len(t, f.site.streams, 1)
		f.advance(writeTimeout + time.Second)
		require.Empty(t, f.site.streams)

		for range maxStreams {
			f.site.streams <- struct{}{}
		}
		w := f.request("GET", "/events", "", nil)
		require.Equal(t, http.StatusServiceUnavailable, w.Code)
	})
}

// The files of the links are served as plain text, and no others.
func TestClone(t *testing.T) {
	c := openClone(".")
	defer c.Close()
	require.NotNil(t, c.root)
	site := &site{clone: c, view: &view{}}
	get := func(target string) (int, string) {
		w := httptest.NewRecorder()
		site.handler().ServeHTTP(w, httptest.NewRequest("GET", "http://localhost"+target, nil))
		return w.Code, w.Header().Get("Content-Type")
	}
	files := 0
	for i, links := range c.links() {
		require.Equal(t, stageFiles[i].stage, links.Stage)
		require.Len(t, links.Sources, len(stageFiles[i].sources), "a source of %s does not exist", links.Stage)
		addresses := []string{}
		for _, source := range links.Sources {
			addresses = append(addresses, source.Address)
		}
		if links.Chapter != "" {
			addresses = append(addresses, strings.ReplaceAll(links.Chapter, "{lang}", "en"), strings.ReplaceAll(links.Chapter, "{lang}", "zh"))
		}
		for _, address := range addresses {
			code, of := get(address)
			require.Equal(t, 200, code, address)
			require.Equal(t, "text/plain; charset=utf-8", of)
			files++
		}
	}
	require.GreaterOrEqual(t, files, 10)
	for _, target := range []string{
		"/source/go.mod", "/source/", "/source/..%2f..%2fetc/passwd", "/source/%2fetc/passwd", "/source/rest/..%2fgo.mod",
		"/chapter/en/99-none", "/chapter/en/..%2f..%2f..%2fgo.mod", "/chapter/fr/01-chunks",
	} {
		code, _ := get(target)
		require.Equal(t, 404, code, target)
	}
	require.Nil(t, openClone(t.TempDir()).root)
	for _, links := range new(clone).links() {
		require.Empty(t, links.Sources)
		require.Empty(t, links.Chapter)
	}
}
