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
)

// watchRoom is a server in a bubble with some objects: a@2, b@3, a deleted @4,
// c@5 in default, d@6 in other.
type watchRoom struct {
	*testing.T
	*Server
	table  *table
	client *http.Client
}

func inWatchRoom(t *testing.T, options Options, f func(t *testing.T, r *watchRoom)) {
	synctest.Test(t, func(t *testing.T) {
		options.InMemory, options.Bare, options.Resources = true, true, []Resource{{ResourceInfo: configMaps}}
		srv := NewServer(options)
		defer srv.Close()
		r := &watchRoom{T: t, Server: srv, table: srv.store.table(configMaps.GroupResource()), client: srv.testClient(t)}
		r.put("a")
		r.put("b")
		r.remove("a")
		r.put("c")
		put(t, r.table, key{"other", "d"}, "", nil)
		f(t, r)
	})
}

func (r *watchRoom) put(name string) { put(r.T, r.table, key{"default", name}, "", nil) }

func (r *watchRoom) remove(name string) {
	_, err := r.table.remove(r.table.get(key{"default", name}))
	require.NoError(r.T, err)
}

func (r *watchRoom) open(path string) *watched {
	return openWatch(r.T, context.Background(), r.Server, r.client, path)
}

// rest is all events until the stream ends, in short.
func (w *watched) rest(t *testing.T) string {
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

// Where a watch begins, by its parameters, and what is refused: as a
// kube-apiserver of 1.36 answered the same.
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
		{"watch= and watch=yes say yes", all + "&watch=&resourceVersion=5", "ADDED d@6"},
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
			inWatchRoom(t, Options{}, func(t *testing.T, r *watchRoom) {
				w := r.open(test.path)
				if w.StatusCode == http.StatusOK {
					require.Equal(t, test.want, w.rest(t))
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

// What a watch by selectors is told of one that starts to match, stops to match
// and is deleted: a kube-apiserver sent the same. What stops to match is shown as
// it was when it did, at the version of the change.
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
		inWatchRoom(t, Options{}, func(t *testing.T, r *watchRoom) {
			w := r.open("/api/v1/configmaps?watch=true&timeoutSeconds=1&resourceVersion=6&" + selector)
			for _, labels := range []map[string]string{nil, {"x": "1"}, {"x": "1", "y": "1"}, {"x": "2"}, {"x": "1"}} {
				put(t, r.table, key{"default", "o"}, "", labels)
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
func TestWatchAwaitsAVersion(t *testing.T) {
	const path = "/api/v1/configmaps?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=10&resourceVersion=8"
	inWatchRoom(t, Options{}, func(t *testing.T, r *watchRoom) {
		time.AfterFunc(2*time.Second, func() {
			r.put("e")
			r.put("f")
		})
		start := time.Now()
		w := r.open(path)
		require.Equal(t, 2*time.Second, time.Since(start))
		require.Equal(t, "ADDED b@3, ADDED c@5, ADDED e@7, ADDED f@8, ADDED d@6", w.rest(t))
	})
	inWatchRoom(t, Options{}, func(t *testing.T, r *watchRoom) {
		start := time.Now()
		w := r.open(path)
		require.Equal(t, 3*time.Second, time.Since(start))
		require.Contains(t, w.rest(t), "ERROR 504 Timeout")
	})
}

// A watch from a version of the future sends what comes after it.
func TestWatchOfTheFutureSkipsWhatIsBefore(t *testing.T) {
	inWatchRoom(t, Options{}, func(t *testing.T, r *watchRoom) {
		w := r.open("/api/v1/configmaps?watch=true&resourceVersion=7&timeoutSeconds=10")
		r.put("e")
		r.put("f")
		require.Equal(t, "ADDED f@8", w.rest(t))
	})
}

// Bookmarks come every BookmarkEvery and two seconds before the end, each of a
// version up to which everything was sent, and none where nothing has happened
// since the watch began.
func TestWatchBookmarks(t *testing.T) {
	inWatchRoom(t, Options{BookmarkEvery: 10 * time.Second}, func(t *testing.T, r *watchRoom) {
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
		require.Empty(t, w.rest(t))
		require.Equal(t, 35*time.Second, time.Since(start))
	})
}

// Without allowWatchBookmarks there are none, and a watch lasts between half an
// hour and a whole one by itself.
func TestWatchEndsByItself(t *testing.T) {
	inWatchRoom(t, Options{}, func(t *testing.T, r *watchRoom) {
		start := time.Now()
		w := r.open("/api/v1/configmaps?watch=true&resourceVersion=6&timeoutSeconds=0")
		time.AfterFunc(time.Minute, func() { r.put("e") })
		require.Equal(t, "ADDED e@7", w.rest(t))
		require.GreaterOrEqual(t, time.Since(start), 30*time.Minute)
		require.Less(t, time.Since(start), time.Hour)
		synctest.Wait()
		require.Zero(t, r.OpenWatches())
	})
}

// A watch from a version that was forgotten is told so by an ERROR event in a
// stream of 200, and one that is open and has missed nothing goes on.
func TestWatchAfterCompaction(t *testing.T) {
	inWatchRoom(t, Options{}, func(t *testing.T, r *watchRoom) {
		idle := r.open("/api/v1/configmaps?watch=true&resourceVersion=6&timeoutSeconds=10")
		put(t, r.store.table(benchTable), key{"default", "pod"}, "", nil)
		r.Compact()
		require.Equal(t, "ERROR 410 Expired: too old resource version: 6 (7)", r.open("/api/v1/configmaps?watch=true&resourceVersion=6").rest(t))
		require.Empty(t, r.open("/api/v1/configmaps?watch=true&resourceVersion=7&timeoutSeconds=1").rest(t))
		require.Equal(t, "ADDED b@3, ADDED c@5, ADDED d@6", r.open("/api/v1/configmaps?watch=true&timeoutSeconds=1").rest(t))
		r.put("e")
		r.Compact() // before the watch has looked
		require.Equal(t, "ADDED e@8", idle.rest(t))
	})
}

// History bounds what can be watched.
func TestWatchBeforeTheHistory(t *testing.T) {
	inWatchRoom(t, Options{History: 2}, func(t *testing.T, r *watchRoom) {
		require.Equal(t, "ERROR 410 Expired: too old resource version: 3 (4)", r.open("/api/v1/configmaps?watch=true&resourceVersion=3").rest(t))
		require.Equal(t, "ADDED c@5, ADDED d@6", r.open("/api/v1/configmaps?watch=true&resourceVersion=4&timeoutSeconds=1").rest(t))
	})
}

// A client that reads too slowly for the history is let go, without an error
// and without a gap in what it was sent: coming back, it learns more.
func TestWatchThatFallsBehindEnds(t *testing.T) {
	inWatchRoom(t, Options{History: 100}, func(t *testing.T, r *watchRoom) {
		w := r.open("/api/v1/configmaps?watch=true&resourceVersion=6")
		synctest.Wait()
		for range 10_000 { // nobody reads the pipe
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
		require.Contains(t, r.open(fmt.Sprintf("/api/v1/configmaps?watch=true&resourceVersion=%d", next)).rest(t), "ERROR 410 Expired")
	})
}

// A watch ends at once with its server, its resource, and its client.
func TestWatchEndsWith(t *testing.T) {
	for name, end := range map[string]func(r *watchRoom, w *watched){
		"its server":   func(r *watchRoom, w *watched) { r.Close() },
		"its resource": func(r *watchRoom, w *watched) { r.store.drop(configMaps.GroupResource()) },
		"a rewind": func(r *watchRoom, w *watched) {
			require.NoError(r.T, r.store.rewind(4))
			require.Equal(r.T, "ADDED b@3", r.open("/api/v1/configmaps?watch=true&timeoutSeconds=1").rest(r.T))
		},
		"its client": func(r *watchRoom, w *watched) { w.Body.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			inWatchRoom(t, Options{}, func(t *testing.T, r *watchRoom) {
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

// The last events of a resource come before its end.
func TestWatchSeesTheLastOfAResource(t *testing.T) {
	inWatchRoom(t, Options{}, func(t *testing.T, r *watchRoom) {
		w := r.open("/api/v1/configmaps?watch=true&resourceVersion=6")
		r.remove("b")
		r.remove("c")
		r.store.drop(configMaps.GroupResource())
		require.Equal(t, "DELETED b@7, DELETED c@8", w.rest(t))
	})
}

// And so it is where the resource is replaced, whichever is seen first.
func TestWatchSeesTheLastOfAResourceThatIsReplaced(t *testing.T) {
	for range 20 {
		inWatchRoom(t, Options{}, func(t *testing.T, r *watchRoom) {
			over := make(chan struct{})
			r.registry.find(configMaps.GroupVersionResource).over = over
			w := r.open("/api/v1/configmaps?watch=true&resourceVersion=6")
			r.put("e")
			synctest.Wait() // the watch hangs in the pipe
			r.remove("b")
			close(over)
			require.Equal(t, "ADDED e@7, DELETED b@8", w.rest(t))
		})
	}
}

// A server that is mounted in another ends its watches by itself.
func TestWatchOfAMountedServerEndsWithIt(t *testing.T) {
	inWatchRoom(t, Options{}, func(t *testing.T, r *watchRoom) {
		request := httptest.NewRequest(http.MethodGet, "/api/v1/configmaps?watch=true", nil)
		answer := httptest.NewRecorder()
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			r.ServeHTTP(answer, request)
		}()
		synctest.Wait()
		start := time.Now()
		r.Close()
		<-ended
		require.Zero(t, time.Since(start))
		require.Contains(t, answer.Body.String(), `"ADDED"`)
	})
}

// Each event is a chunk of its own, on the wire before the next is there.
func TestWatchIsChunked(t *testing.T) {
	inWatchRoom(t, Options{}, func(t *testing.T, r *watchRoom) {
		conn, err := r.door.dial(t.Context(), "", "")
		require.NoError(t, err)
		defer conn.Close()
		_, err = io.WriteString(conn, "GET /api/v1/watch/namespaces/default/configmaps/e?resourceVersion=6&timeoutSeconds=5 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
		require.NoError(t, err)
		time.AfterFunc(time.Second, func() { r.put("e"); r.put("e") })
		answer, err := io.ReadAll(conn)
		require.NoError(t, err)
		head, body, _ := strings.Cut(string(answer), "\r\n\r\n")
		require.Contains(t, head, "HTTP/1.1 200 OK")
		require.Contains(t, head, "Transfer-Encoding: chunked")
		require.Contains(t, head, "Content-Type: application/json")
		chunks := strings.Split(body, "\r\n")
		require.Contains(t, chunks[1], `{"type":"ADDED",`)
		require.Equal(t, fmt.Sprintf("%x", len(chunks[1])), chunks[0])
		require.Contains(t, chunks[3], `{"type":"MODIFIED",`)
	})
}
