package apitest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/apitest/internal/storage"
)

// watchFixture is a server in a bubble with some objects: a@2, b@3, a deleted
// @4, c@5 in default, d@6 in other.
type watchFixture struct {
	*testing.T
	*Server
	table  *storage.Table
	client *http.Client
}

func withWatchFixture(t *testing.T, options Options, f func(t *testing.T, r *watchFixture)) {
	synctest.Test(t, func(t *testing.T) {
		options.InMemory, options.NoBuiltinKinds, options.Resources = true, true, []Resource{{ResourceInfo: configMaps}}
		srv := NewServer(options)
		defer srv.Close()
		r := &watchFixture{T: t, Server: srv, table: srv.store.Table(configMaps.GroupResource()), client: srv.testClient(t)}
		r.put("a")
		r.put("b")
		r.remove("a")
		r.put("c")
		put(t, r.table, storage.Key{Namespace: "other", Name: "d"}, "", nil)
		f(t, r)
	})
}

func (f *watchFixture) put(name string) {
	put(f.T, f.table, storage.Key{Namespace: "default", Name: name}, "", nil)
}

func (f *watchFixture) remove(name string) {
	_, err := f.table.Remove(f.table.Get(storage.Key{Namespace: "default", Name: name}))
	require.NoError(f.T, err)
}

func (f *watchFixture) open(path string) *watchClient {
	return openWatch(f.T, context.Background(), f.Server, f.client, path)
}

// readAll returns all events until the stream ends, in short form.
func (w *watchClient) readAll(t *testing.T) string {
	t.Helper()
	var all []string
	for {
		e, err := w.next()
		if err == io.EOF {
			return strings.Join(all, ", ")
		}
		require.NoError(t, err)
		text := e.String()
		if e.Type == "ERROR" {
			text = fmt.Sprintf("ERROR %d %s: %s", e.Object.Code, e.Object.Reason, e.Object.Message)
		}
		if e.Object.Metadata.Annotations["k8s.io/initial-events-end"] == "true" {
			text += " end"
		}
		all = append(all, text)
	}
}

// The start of a watch depends on its parameters; invalid ones are rejected. A
// kube-apiserver 1.37 gave the same responses.
func TestWatchStart(t *testing.T) {
	const (
		all  = "/api/v1/configmaps?timeoutSeconds=10"
		some = "/api/v1/namespaces/default/configmaps?timeoutSeconds=10"
	)
	for _, test := range []struct{ name, path, want string }{
		{"unset: the state", all + "&watch=true", "ADDED b@3, ADDED c@5, ADDED d@6"},
		{"0: the state", all + "&watch=true&resourceVersion=0", "ADDED b@3, ADDED c@5, ADDED d@6"},
		{"unset, with bookmarks: its end is marked", all + "&watch=true&allowWatchBookmarks=true", "ADDED b@3, ADDED c@5, ADDED d@6, BOOKMARK @6 end"},
		{"0, with bookmarks", all + "&watch=true&allowWatchBookmarks=1&resourceVersion=0", "ADDED b@3, ADDED c@5, ADDED d@6, BOOKMARK @6 end"},
		{"a version: what changed since", all + "&watch=true&resourceVersion=3", "DELETED a@4, ADDED c@5, ADDED d@6"},
		{"the newest version: nothing", all + "&watch=true&resourceVersion=6", ""},
		{"of a namespace", some + "&watch=true&resourceVersion=2", "ADDED b@3, DELETED a@4, ADDED c@5"},
		{"the state of a namespace", some + "&watch=true", "ADDED b@3, ADDED c@5"},
		{"sendInitialEvents", all + "&watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan", "ADDED b@3, ADDED c@5, ADDED d@6"},
		{"sendInitialEvents, with bookmarks, from a version", all + "&watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&resourceVersion=4", "ADDED b@3, ADDED c@5, ADDED d@6, BOOKMARK @6 end"},
		{"sendInitialEvents=false: from now", all + "&watch=true&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true", ""},
		{"sendInitialEvents=false, 0: from now", all + "&watch=true&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion=0", ""},
		{"sendInitialEvents=false, a version", all + "&watch=true&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion=4", "ADDED c@5, ADDED d@6"},
		{"limit and continue mean nothing", all + "&watch=true&limit=1&continue=x&resourceVersion=5", "ADDED d@6"},
		{"watch= and watch=yes are true", all + "&watch=&resourceVersion=5", "ADDED d@6"},
		{"the deprecated path, unset: the state, no end", "/api/v1/watch/configmaps?timeoutSeconds=10&allowWatchBookmarks=true", "ADDED b@3, ADDED c@5, ADDED d@6"},
		{"the deprecated path of a namespace", "/api/v1/watch/namespaces/default/configmaps?timeoutSeconds=10&resourceVersion=4", "ADDED c@5"},
		{"the deprecated path of one", "/api/v1/watch/namespaces/default/configmaps/b?timeoutSeconds=10", "ADDED b@3"},
		{"the deprecated path of one, from a version", "/api/v1/watch/namespaces/default/configmaps/a?timeoutSeconds=10&resourceVersion=3", "DELETED a@4"},
		{"the deprecated path of none", "/api/v1/watch/namespaces/default/configmaps/x?timeoutSeconds=10", ""},
		{"a version of the future: silence until it is there", all + "&watch=true&resourceVersion=99", ""},
		{"sendInitialEvents from the future: an event, after a wait", all + "&watch=true&resourceVersion=99&sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
			"ERROR 504 Timeout: Timeout: Too large resource version: 99, current: 6"},
		{"no version", all + "&watch=true&resourceVersion=abc", `500 : resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax`},
		{"no timeout", all[:len(all)-2] + "x&watch=true", `400 BadRequest: strconv.ParseInt: parsing "x": invalid syntax`},
		{"a timeout in the past", all[:len(all)-2] + "-1&watch=true&resourceVersion=6", ""},
		{"a path of one and a selector of another", "/api/v1/watch/namespaces/default/configmaps/b?fieldSelector=metadata.name%3Dc",
			"400 BadRequest: fieldSelector metadata.name doesn't match requested name"},
		{"no selector", all + "&watch=true&fieldSelector=foo%3Db", `400 BadRequest: "foo" is not a known field selector: only "metadata.name", "metadata.namespace"`},
		{"sendInitialEvents without a match", all + "&watch=true&sendInitialEvents=true",
			`422 Invalid: ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan`},
		{"a match without sendInitialEvents", all + "&watch=true&resourceVersion=0&resourceVersionMatch=NotOlderThan",
			`422 Invalid: ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided`},
		{"all that can be wrong", all + "&watch=true&resourceVersionMatch=Exact&sendInitialEvents=true&continue=x",
			`422 Invalid: ListOptions.meta.k8s.io "" is invalid: [resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan, resourceVersionMatch: Unsupported value: "Exact": supported values: "NotOlderThan", resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided]`},
		{"the deprecated paths are validated as lists", "/api/v1/watch/configmaps?sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
			`422 Invalid: ListOptions.meta.k8s.io "" is invalid: [resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided, sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list]`},
	} {
		t.Run(test.name, func(t *testing.T) {
			withWatchFixture(t, Options{}, func(t *testing.T, r *watchFixture) {
				w := r.open(test.path)
				if w.StatusCode == http.StatusOK {
					require.Equal(t, test.want, w.readAll(t))
					return
				}
				var status event
				require.NoError(t, decodeInto(w, &status.Object))
				require.Equal(t, w.StatusCode, status.Object.Code)
				require.Equal(t, test.want, fmt.Sprintf("%d %s: %s", status.Object.Code, status.Object.Reason, status.Object.Message))
			})
		})
	}
}

// The events of a watch with selectors for an object that starts to match,
// stops matching and is deleted; a kube-apiserver sent the same. An object that
// stops matching is sent in its former state, at the version of the change.
func TestWatchSelects(t *testing.T) {
	for selector, want := range map[string]string{
		"labelSelector=x%3D1":                                  "ADDED o@8 map[x:1], MODIFIED o@9 map[x:1 y:1], DELETED o@10 map[x:1 y:1], ADDED o@11 map[x:1], DELETED o@12 map[x:1]",
		"labelSelector=x%21%3D1":                               "ADDED o@7 map[], DELETED o@8 map[], ADDED o@10 map[x:2], DELETED o@11 map[x:2]",
		"labelSelector=y":                                      "ADDED o@9 map[x:1 y:1], DELETED o@10 map[x:1 y:1]",
		"fieldSelector=metadata.name%3Do&labelSelector=y":      "ADDED o@9 map[x:1 y:1], DELETED o@10 map[x:1 y:1]",
		"fieldSelector=metadata.name%3Dp":                      "",
		"fieldSelector=metadata.namespace%3Dother":             "",
		"fieldSelector=metadata.name%3Do,metadata.name%21%3Do": "",
	} {
		withWatchFixture(t, Options{}, func(t *testing.T, r *watchFixture) {
			w := r.open("/api/v1/configmaps?watch=true&timeoutSeconds=1&resourceVersion=6&" + selector)
			for _, labels := range []map[string]string{nil, {"x": "1"}, {"x": "1", "y": "1"}, {"x": "2"}, {"x": "1"}} {
				put(t, r.table, storage.Key{Namespace: "default", Name: "o"}, "", labels)
			}
			r.remove("o")
			var got []string
			for {
				e, err := w.next()
				if err == io.EOF {
					break
				}
				require.NoError(t, err)
				got = append(got, fmt.Sprintf("%v %v", e, e.Object.Metadata.Labels))
			}
			require.Equal(t, want, strings.Join(got, ", "), selector)
		})
	}
}

// sendInitialEvents waits for a version for three seconds.
func TestWatchWaitsForVersion(t *testing.T) {
	const path = "/api/v1/configmaps?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=10&resourceVersion=8"
	withWatchFixture(t, Options{}, func(t *testing.T, r *watchFixture) {
		time.AfterFunc(2*time.Second, func() {
			r.put("e")
			r.put("f")
		})
		start := time.Now()
		w := r.open(path)
		require.Equal(t, 2*time.Second, time.Since(start))
		require.Equal(t, "ADDED b@3, ADDED c@5, ADDED e@7, ADDED f@8, ADDED d@6", w.readAll(t))
	})
	withWatchFixture(t, Options{}, func(t *testing.T, r *watchFixture) {
		start := time.Now()
		w := r.open(path)
		require.Equal(t, 3*time.Second, time.Since(start))
		require.Contains(t, w.readAll(t), "ERROR 504 Timeout")
	})
}

// A watch from a future version sends the changes after it.
func TestWatchFromFutureVersion(t *testing.T) {
	withWatchFixture(t, Options{}, func(t *testing.T, r *watchFixture) {
		w := r.open("/api/v1/configmaps?watch=true&resourceVersion=7&timeoutSeconds=10")
		r.put("e")
		r.put("f")
		require.Equal(t, "ADDED f@8", w.readAll(t))
	})
}

// Bookmarks are sent every BookmarkInterval and two seconds before the end, each
// with a version up to which everything was sent, and none if nothing has
// changed since the watch began.
func TestWatchBookmarks(t *testing.T) {
	withWatchFixture(t, Options{BookmarkInterval: 10 * time.Second}, func(t *testing.T, r *watchFixture) {
		start := time.Now()
		w := r.open("/api/v1/namespaces/other/configmaps?watch=true&allowWatchBookmarks=true&resourceVersion=6&timeoutSeconds=35")
		time.AfterFunc(15*time.Second, func() { r.put("e") })
		for _, want := range []struct {
			at    time.Duration
			event string
		}{{20, "BOOKMARK @7"}, {30, "BOOKMARK @7"}, {33, "BOOKMARK @7"}} {
			e, err := w.next()
			require.NoError(t, err)
			require.Equal(t, want.event, e.String())
			require.Equal(t, "ConfigMap", e.Object.Kind)
			require.Equal(t, want.at*time.Second, time.Since(start))
		}
		require.Empty(t, w.readAll(t))
		require.Equal(t, 35*time.Second, time.Since(start))
	})
}

// Without allowWatchBookmarks there are no bookmarks. The default duration of a
// watch is between 30 and 60 minutes.
func TestWatchTimeout(t *testing.T) {
	withWatchFixture(t, Options{}, func(t *testing.T, r *watchFixture) {
		start := time.Now()
		w := r.open("/api/v1/configmaps?watch=true&resourceVersion=6&timeoutSeconds=0")
		time.AfterFunc(time.Minute, func() { r.put("e") })
		require.Equal(t, "ADDED e@7", w.readAll(t))
		require.GreaterOrEqual(t, time.Since(start), 30*time.Minute)
		require.Less(t, time.Since(start), time.Hour)
		synctest.Wait()
		require.Zero(t, r.OpenWatches())
	})
}

// A watch from an expired version gets an ERROR event in a 200 stream. An open
// watch that has missed nothing continues.
func TestWatchAfterCompaction(t *testing.T) {
	withWatchFixture(t, Options{}, func(t *testing.T, r *watchFixture) {
		idle := r.open("/api/v1/configmaps?watch=true&resourceVersion=6&timeoutSeconds=10")
		put(t, r.store.Table(schema.GroupResource{Resource: "pods"}), storage.Key{Namespace: "default", Name: "pod"}, "", nil)
		r.Compact()
		require.Equal(t, "ERROR 410 Expired: too old resource version: 6 (7)", r.open("/api/v1/configmaps?watch=true&resourceVersion=6").readAll(t))
		require.Empty(t, r.open("/api/v1/configmaps?watch=true&resourceVersion=7&timeoutSeconds=1").readAll(t))
		require.Equal(t, "ADDED b@3, ADDED c@5, ADDED d@6", r.open("/api/v1/configmaps?watch=true&timeoutSeconds=1").readAll(t))
		r.put("e")
		r.Compact() // before the watch has read the changes
		require.Equal(t, "ADDED e@8", idle.readAll(t))
	})
}

// History bounds the versions from which a watch can start.
func TestWatchBeforeTheHistory(t *testing.T) {
	withWatchFixture(t, Options{History: 2}, func(t *testing.T, r *watchFixture) {
		require.Equal(t, "ERROR 410 Expired: too old resource version: 3 (4)", r.open("/api/v1/configmaps?watch=true&resourceVersion=3").readAll(t))
		require.Equal(t, "ADDED c@5, ADDED d@6", r.open("/api/v1/configmaps?watch=true&resourceVersion=4&timeoutSeconds=1").readAll(t))
	})
}

// A watch whose client reads too slowly for the history ends, without an error
// and without a gap in its events. A new watch from there gets the error.
func TestWatchThatFallsBehindEnds(t *testing.T) {
	withWatchFixture(t, Options{History: 100}, func(t *testing.T, r *watchFixture) {
		w := r.open("/api/v1/configmaps?watch=true&resourceVersion=6")
		synctest.Wait()
		for range 10_000 { // the pipe is not read
			r.put("e")
		}
		next := 7
		for {
			e, err := w.next()
			if err == io.EOF {
				break
			}
			require.NoError(t, err)
			require.Equal(t, fmt.Sprint(next), e.Object.Metadata.ResourceVersion)
			next++
		}
		require.Less(t, next, 1_000)
		require.Contains(t, r.open(fmt.Sprintf("/api/v1/configmaps?watch=true&resourceVersion=%d", next)).readAll(t), "ERROR 410 Expired")
	})
}

// A watch ends at once with its server, its resource, and its client.
func TestWatchEndsWith(t *testing.T) {
	for name, end := range map[string]func(r *watchFixture, w *watchClient){
		"its server":   func(r *watchFixture, w *watchClient) { r.Close() },
		"its resource": func(r *watchFixture, w *watchClient) { r.store.Drop(configMaps.GroupResource()) },
		"a rewind": func(r *watchFixture, w *watchClient) {
			require.NoError(r.T, r.store.Rewind(4))
			require.Equal(r.T, "ADDED b@3", r.open("/api/v1/configmaps?watch=true&timeoutSeconds=1").readAll(r.T))
		},
		"its client": func(r *watchFixture, w *watchClient) { w.Body.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			withWatchFixture(t, Options{}, func(t *testing.T, r *watchFixture) {
				start := time.Now()
				w := r.open("/api/v1/configmaps?watch=true&resourceVersion=6")
				synctest.Wait()
				require.Equal(t, 1, r.OpenWatches())
				end(r, w)
				if name != "its client" {
					_, err := io.Copy(io.Discard, w.Body)
					if name != "its server" {
						require.NoError(t, err)
					}
				}
				synctest.Wait()
				require.Zero(t, r.OpenWatches())
				require.LessOrEqual(t, time.Since(start), time.Second)
			})
		})
	}
}

// The last events of a resource are sent before its watches end.
func TestWatchSendsLastEventsOfResource(t *testing.T) {
	withWatchFixture(t, Options{}, func(t *testing.T, r *watchFixture) {
		w := r.open("/api/v1/configmaps?watch=true&resourceVersion=6")
		r.remove("b")
		r.remove("c")
		r.store.Drop(configMaps.GroupResource())
		require.Equal(t, "DELETED b@7, DELETED c@8", w.readAll(t))
	})
}

// The same for a resource that is replaced, in either order.
func TestWatchSendsLastEventsOfReplacedResource(t *testing.T) {
	for range 20 {
		withWatchFixture(t, Options{}, func(t *testing.T, r *watchFixture) {
			ended := make(chan struct{})
			r.registry.Find(configMaps.GroupVersionResource).Over = ended
			w := r.open("/api/v1/configmaps?watch=true&resourceVersion=6")
			r.put("e")
			synctest.Wait() // the watch is blocked on the pipe
			r.remove("b")
			close(ended)
			require.Equal(t, "ADDED e@7, DELETED b@8", w.readAll(t))
		})
	}
}

// A mounted server ends its watches itself.
func TestWatchOfAMountedServerEndsWithIt(t *testing.T) {
	withWatchFixture(t, Options{}, func(t *testing.T, r *watchFixture) {
		request := httptest.NewRequest(http.MethodGet, "/api/v1/configmaps?watch=true", nil)
		response := httptest.NewRecorder()
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			r.ServeHTTP(response, request)
		}()
		synctest.Wait()
		start := time.Now()
		r.Close()
		<-ended
		require.Zero(t, time.Since(start))
		require.Contains(t, response.Body.String(), `"ADDED"`)
	})
}

// Each event is a separate chunk, and is sent before the next event exists.
func TestWatchIsChunked(t *testing.T) {
	withWatchFixture(t, Options{}, func(t *testing.T, r *watchFixture) {
		conn, err := r.listener.Dial(t.Context())
		require.NoError(t, err)
		defer conn.Close()
		_, err = io.WriteString(conn, "GET /api/v1/watch/namespaces/default/configmaps/e?resourceVersion=6&timeoutSeconds=5 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
		require.NoError(t, err)
		time.AfterFunc(time.Second, func() { r.put("e"); r.put("e") })
		response, err := io.ReadAll(conn)
		require.NoError(t, err)
		head, body, _ := strings.Cut(string(response), "\r\n\r\n")
		require.Contains(t, head, "HTTP/1.1 200 OK")
		require.Contains(t, head, "Transfer-Encoding: chunked")
		require.Contains(t, head, "Content-Type: application/json")
		chunks := strings.Split(body, "\r\n")
		require.Contains(t, chunks[1], `{"type":"ADDED",`)
		require.Equal(t, fmt.Sprintf("%x", len(chunks[1])), chunks[0])
		require.Contains(t, chunks[3], `{"type":"MODIFIED",`)
	})
}
