package browser

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

// record is a record of the program, as the page receives it.
type record map[string]any

// scriptedProgram serves the page of examples/visualizer with records of the test, which
// the program itself cannot produce on request.
type scriptedProgram struct {
	page string // the address of the page

	mu sync.Mutex
	n  int
	// streams are the open connections for records.
	streams map[chan []record]bool
	// snapshot is the first record of each stream.
	snapshot record
	timeline []record
}

func runScriptedProgram(t *testing.T, snapshot record) *scriptedProgram {
	t.Helper()
	p := &scriptedProgram{streams: map[chan []record]bool{}, snapshot: snapshot}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		http.ServeFileFS(w, r, os.DirFS("../page"), "index.html")
	})
	mux.Handle("GET /page/", http.FileServer(http.Dir("..")))
	mux.HandleFunc("GET /events", p.serveEvents)
	mux.HandleFunc("GET /timeline", func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		writeJSON(w, record{"key": r.FormValue("key"), "dropped": 0, "records": p.timeline})
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, r *http.Request) {
		writeJSON(w, keysWith(sampleKeys(snapshot["store"].(record)["objects"].(int)), r.FormValue("search")))
	})
	mux.HandleFunc("GET /log", func(w http.ResponseWriter, _ *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		writeJSON(w, record{"dropped": 0, "state": p.snapshotRecord(0), "records": p.timeline})
	})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	p.page = server.URL + "/"
	return p
}

func writeJSON(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value)
}

// snapshotRecord returns the snapshot with a number. The caller holds the lock.
func (p *scriptedProgram) snapshotRecord(n int) record {
	return record{"n": n, "t": 10 * n, "stage": "snapshot", "kind": "snapshot", "snapshot": p.snapshot}
}

func (p *scriptedProgram) serveEvents(w http.ResponseWriter, r *http.Request) {
	stream := make(chan []record, 1000)
	p.mu.Lock()
	p.streams[stream] = true
	stream <- []record{p.snapshotRecord(p.n)}
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.streams, stream)
	}()
	w.Header().Set("Content-Type", "text/event-stream")
	for {
		select {
		case records := <-stream:
			data, err := json.Marshal(records)
			if err != nil {
				return
			}
			_, _ = fmt.Fprintf(w, "data: %s\n\n", data)
			_ = http.NewResponseController(w).Flush()
		case <-r.Context().Done():
			return
		}
	}
}

// send sends records to all open pages, in one message. Their numbers and times are set.
func (p *scriptedProgram) send(records ...record) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range records {
		p.n++
		r["n"], r["t"] = p.n, 10*p.n
	}
	for stream := range p.streams {
		stream <- records
	}
}

// maxKeys is the number of keys that the program sends, in a snapshot and in an answer.
const maxKeys = 200

func sampleKeys(objects int) []string {
	keys := []string{}
	for i := range objects {
		keys = append(keys, fmt.Sprintf("shop/item-%05d", i))
	}
	return keys
}

// keysWith is the answer to a search.
func keysWith(keys []string, search string) record {
	found := slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return !strings.Contains(key, search) })
	return record{"objects": len(keys), "count": len(found), "keys": found[:min(len(found), maxKeys)]}
}

// sampleSnapshot has something in every panel.
func sampleSnapshot(objects int) record {
	keys := sampleKeys(min(objects, maxKeys))
	first := keys[:min(len(keys), 3)]
	return record{
		"skipped": 0,
		"server":  record{"embedded": true, "host": "127.0.0.1", "namespace": "shop", "resource": "configmaps", "write": true},
		"sockets": []record{{"conn": 1, "request": "GET /api/v1/namespaces/shop/configmaps?watch=true&resourceVersion=31 HTTP/1.1", "chunked": true, "chunks": 12, "total": 4711}},
		"machine": record{"phase": "watching", "mode": "watch-list", "version": "31", "relists": 0},
		"fifo":    record{"count": 1, "deltas": []record{{"key": "shop/item-00001", "version": "31", "event": "Updated"}}},
		"store": record{"synced": true, "version": "31", "objects": objects, "keys": keys, "indexes": []record{
			{"name": "namespace", "count": 1, "values": []record{{"value": "shop", "objects": objects}}},
			{"name": "tier", "count": 2, "values": []record{{"value": "back", "objects": objects / 2}, {"value": "front", "objects": objects - objects/2}}},
		}},
		"handlers": []record{
			{"name": "render", "synced": true, "position": 40, "pending": 0, "merged": 0, "panics": 0},
			{"name": "slow", "synced": true, "position": 12, "pending": 28, "merged": 3, "panics": 1, "delayMs": 500, "busyMs": 120},
		},
		"queue":   record{"waiting": first, "waitingCount": len(first), "processing": []string{"shop/cart"}, "processingCount": 1, "dirty": []string{"shop/cart"}, "dirtyCount": 1, "delayed": []record{{"key": "shop/checkout", "inMs": 1500}}, "delayedCount": 1},
		"workers": []record{{"key": "shop/cart", "ms": 20}},
		"totals":  record{"bytes": 48213, "chunks": 97, "filed": 40, "popped": 40, "applied": 40, "reconciles": 38, "errors": 2, "requests": record{"list": 1, "watch": 2, "patch": 7}},
		"controls": []record{
			{"name": "create", "available": true, "parameters": []record{{"name": "name", "default": "parrot"}}},
			{"name": "cut", "available": true, "parameters": []record{}},
			{"name": "restart", "available": false, "reason": "it restarts already", "parameters": []record{}},
		},
		"links": []record{
			{"stage": "socket", "chapter": "/learn/{lang}/01-chunks.md", "sources": []record{{"path": "internal/wire/window.go", "address": "/source/internal/wire/window.go"}}},
			{"stage": "fifo", "chapter": "javascript:alert(1)", "sources": []record{{"path": "deltafifo/fifo.go", "address": "/source/deltafifo/fifo.go"}}},
		},
	}
}

// lifeOf returns the records of one change on its way through all stages.
func lifeOf(key, version, text string) []record {
	return []record{
		{"stage": "socket", "kind": "chunk", "conn": 1, "bytes": 1207, "text": text, "total": 5918},
		{"stage": "machine", "kind": "step", "text": "event MODIFIED version=" + version, "outcome": "pass"},
		{"stage": "fifo", "kind": "filed", "key": key, "version": version, "event": "Added"},
		{"stage": "fifo", "kind": "popped", "key": key, "version": version, "event": "Added"},
		{"stage": "store", "kind": "applied", "key": key, "version": version, "event": "add"},
		{"stage": "store", "kind": "batch", "count": 1, "version": version, "ms": 0.04},
		{"stage": "handler", "kind": "called", "name": "render", "key": key, "version": version, "event": "add"},
		{"stage": "queue", "kind": "queued", "key": key, "reason": "changed"},
		{"stage": "handler", "kind": "returned", "name": "render", "key": key, "version": version, "event": "add"},
		{"stage": "worker", "kind": "started", "key": key},
		{"stage": "request", "kind": "started", "verb": "patch", "method": "PATCH", "path": "/api/v1/namespaces/shop/configmaps/" + key, "key": key},
		{"stage": "request", "kind": "done", "verb": "patch", "method": "PATCH", "path": "/api/v1/namespaces/shop/configmaps/" + key, "key": key, "status": 200, "ms": 1.7},
		{"stage": "worker", "kind": "ended", "key": key, "ms": 2.3, "outcome": "rendered"},
	}
}

// numbered sets the numbers and times of recorded records.
func numbered(records []record) []record {
	for i, r := range records {
		r["n"], r["t"] = i+1, 10*(i+1)
	}
	return records
}
