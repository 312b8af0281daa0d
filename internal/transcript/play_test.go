package transcript

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// parrot is a server whose responses the script defines in the query.
type parrot struct {
	mu    sync.Mutex
	calls []string
	asked int
}

func (p *parrot) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	p.mu.Lock()
	p.calls = append(p.calls, r.Method+" "+r.URL.Path+" "+r.Header.Get("Authorization")+" "+string(body))
	p.asked++
	asked := p.asked
	p.mu.Unlock()
	switch r.URL.Path {
	case "/created":
		w.WriteHeader(http.StatusCreated)
		_, _ = w.Write(body)
	case "/api/v1/namespaces":
		w.WriteHeader(http.StatusCreated)
		_, _ = w.Write(body)
	case "/away":
		http.Redirect(w, r, "/text", http.StatusFound)
	case "/type":
		_, _ = fmt.Fprintf(w, "%q", r.Header.Get("Content-Type")+" "+r.URL.RawQuery)
	case "/busy":
		if asked < 5 {
			w.WriteHeader(http.StatusTooManyRequests)
		}
	case "/gzip":
		w.Header().Set("Content-Encoding", "gzip")
		zipped := gzip.NewWriter(w)
		_, _ = fmt.Fprint(zipped, `{"zipped": true}`)
		_ = zipped.Close()
	case "/number":
		_, _ = fmt.Fprint(w, "404 page not found\n")
	case "/text":
		_, _ = fmt.Fprint(w, "ok\n\n----\n")
	case "/watch":
		for i, kind := range []string{"ADDED", "BOOKMARK", "BOOKMARK", "DELETED"} {
			_ = json.NewEncoder(w).Encode(map[string]any{"type": kind, "object": map[string]any{
				"metadata": map[string]any{"name": "a", "resourceVersion": fmt.Sprint(i + 1)}}})
		}
		if r.URL.RawQuery == "stays" {
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

// played runs the script against a parrot.
func played(t *testing.T, p *parrot, text string) string {
	t.Helper()
	server := httptest.NewServer(p)
	defer server.Close()
	script, err := Parse("test", text)
	require.NoError(t, err)
	answers, err := Play(t.Context(), script, Server{
		URL: server.URL, Client: server.Client(), Tokens: map[string]string{"admin": "t0k", "nobody": "n0b"}, Timeout: 5 * time.Second,
	})
	require.NoError(t, err)
	script.Record(answers, true)
	return script.Format()
}

func TestPlayAnswers(t *testing.T) {
	for name, text := range map[string]string{
		"text cannot end an answer":   "GET /text\n----\n200 OK\n| ok\n| \n| ----\n",
		"text that begins as JSON":    "GET /number\n----\n200 OK\n| 404 page not found\n",
		"gzip is opened":              "GET /gzip\n: headers Content-Encoding X-None\n----\n200 OK\n< Content-Encoding: gzip\n{\"zipped\": true}\n",
		"busy is asked again":         "GET /busy\n: retry 429 503\n----\n200 OK\n",
		"busy is an answer":           "GET /busy\n----\n429 Too Many Requests\n",
		"seeds":                       "SEED /created\n{\"metadata\": {\"name\": \"a\"}}\n{\"metadata\": {\"name\": \"b\"}}\n----\n201 201\n\nGET /<a.name>\n----\n404 Not Found\n",
		"managed fields are hidden":   "POST /created\n: show metadata\n{\"metadata\": {\"managedFields\": [], \"name\": \"a\"}}\n----\n201 Created\n{\"metadata\": {\"name\": \"a\"}}\n",
		"managers are in order":       "POST /created\n: managed\n{\"metadata\": {\"managedFields\": [{\"manager\": \"b\"}, {\"manager\": \"a\"}]}}\n----\n201 Created\n{\"metadata\": {\"managedFields\": [{\"manager\": \"a\"}, {\"manager\": \"b\"}]}}\n",
		"unless asked for":            "POST /created\n: managed\n{\"metadata\": {\"managedFields\": [], \"name\": \"a\"}}\n----\n201 Created\n{\"metadata\": {\"managedFields\": [], \"name\": \"a\"}}\n",
		"a watch to its end":          "WATCH w /watch\n----\n200 OK\n\nEVENTS w end\n: show metadata.name\n----\nADDED {\"metadata\": {\"name\": \"a\"}}\nDELETED {\"metadata\": {\"name\": \"a\"}}\nend\n",
		"bookmarks":                   "WATCH w /watch\n----\n200 OK\n\nEVENTS w 3\n: bookmarks\n: show metadata.name\n----\nADDED {\"metadata\": {\"name\": \"a\"}}\nBOOKMARK {\"metadata\": {\"name\": \"a\"}}\nDELETED {\"metadata\": {\"name\": \"a\"}}\n",
		"a watch that stays":          "WATCH w /watch?stays\n----\n200 OK\n\nEVENTS w 1\n: save a\n: show kind\n----\nADDED {}\n\nGET /x?<a.rv>\n----\n404 Not Found\n\nSTOP w\n----\n",
		"what is hidden was seen":     "POST /created\n: show kind\n{\"metadata\": {\"resourceVersion\": \"9\"}}\n----\n201 Created\n{}\n\nPOST /created\n{\"items\": [], \"metadata\": {\"resourceVersion\": \"5\"}}\n----\n201 Created\n{\"items\": [], \"metadata\": {\"resourceVersion\": \"<earlier>\"}}\n",
		"what was in events was seen": "WATCH w /watch\n----\n200 OK\n\nEVENTS w 2\n: show kind\n----\nADDED {}\nDELETED {}\n\nPOST /created\n{\"items\": [], \"metadata\": {\"resourceVersion\": \"3\"}}\n----\n201 Created\n{\"items\": [], \"metadata\": {\"resourceVersion\": \"<earlier>\"}}\n",
		"a name is free after STOP":   "WATCH w /watch?stays\n----\n200 OK\n\nSTOP w\n----\n\nWATCH w /watch?stays\n----\n200 OK\n",
		"redirections are answers":    "GET /away\n: headers Location\n: show kind\n----\n302 Found\n< Location: /text\n| <a href=\"/text\">Found</a>.\n| \n",
		"a body is JSON":              "POST /type\n{}\n----\n200 OK\n\"application/json \"\n",
		"a patch is a merge patch":    "PATCH /type\n{}\n----\n200 OK\n\"application/merge-patch+json \"\n",
		"unless it says":              "PATCH /type\n> Content-Type: text/x\n{}\n----\n200 OK\n\"text/x \"\n",
		"blanks are escaped":          "GET /type?a in (b,c)%2F\n----\n200 OK\n\" a%20in%20(b,c)%2F\"\n",
		"a watch that is none":        "WATCH w /none\n----\n404 Not Found\n",
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, text, played(t, &parrot{}, text)) })
	}
}

func TestCreatedObjectsAreDeletedNewestFirst(t *testing.T) {
	p := &parrot{}
	played(t, p, "POST /created?x=y\n: as nobody\n{\"metadata\": {\"name\": \"a\"}}\n----\n\nGET /text\n: as none\n----\n\nGET /text\n: as stranger\n----\n")
	require.Len(t, p.calls, 6)
	require.Equal(t, `POST /created Bearer n0b {"metadata": {"name": "a"}}`, p.calls[1])
	require.Equal(t, "GET /text  ", p.calls[2])
	require.Equal(t, "GET /text Bearer no-such-token ", p.calls[3])
	require.Equal(t, "DELETE /created/a Bearer t0k ", p.calls[4])
	require.True(t, strings.HasPrefix(p.calls[5], "DELETE /api/v1/namespaces/t-"))
}

func TestCompact(t *testing.T) {
	p := &parrot{}
	server := httptest.NewServer(p)
	defer server.Close()
	script, err := Parse("test", "GET /text\n----\n\nCOMPACT\n----\n\nGET /text\n----\n")
	require.NoError(t, err)
	var before int
	_, err = Play(t.Context(), script, Server{URL: server.URL, Client: server.Client(), Compact: func(context.Context) error {
		before = len(p.calls)
		return nil
	}})
	require.NoError(t, err)
	require.Equal(t, 2, before, "the namespace and the first request")
}

// A watch that breaks off while events wait ends with an error.
func TestBrokenWatchEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := &openWatch{events: make(chan watchEvent)}
	w.read(ctx, io.NopCloser(strings.NewReader(`{"type": "ADDED"}`)))
	_, err := w.next(t.Context())
	require.ErrorIs(t, err, context.Canceled)
}

func TestInvalidScriptStopsPlay(t *testing.T) {
	server := httptest.NewServer(&parrot{})
	defer server.Close()
	for text, complaint := range map[string]string{
		"GET /<a.rv>\n----\n":          "test:1: GET /<a.rv>: <a.rv>: no value is saved as a",
		"EVENTS w 1\n----\n":           "watch w is not open",
		"STOP w\n----\n":               "watch w is not open",
		"GET /text\n----\n\nG@ /\n":    "not a command",
		"COMPACT\n----\n":              "test:1: COMPACT: this server cannot discard old versions",
		"GET /gzip\n: show ..\n----\n": "invalid path",
		"WATCH w /watch?stays\n----\n\nWATCH w /watch\n----\n": "watch w is already open",
	} {
		script, err := Parse("test", text)
		if err == nil {
			_, err = Play(t.Context(), script, Server{URL: server.URL, Client: server.Client()})
		}
		require.ErrorContains(t, err, complaint)
	}
}
