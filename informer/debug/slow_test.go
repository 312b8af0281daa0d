package debug

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/informer"
)

// pipeListener is a net.Listener whose connections are pipes.
type pipeListener struct {
	conns chan net.Conn
	done  chan struct{}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}
func (l *pipeListener) Close() error   { close(l.done); return nil }
func (l *pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

// serveOnPipes serves h. request sends a request and returns its connection.
func serveOnPipes(t *testing.T, h http.Handler) (request func(query string) net.Conn) {
	l := &pipeListener{make(chan net.Conn), make(chan struct{})}
	server := &http.Server{Handler: h}
	ended := make(chan struct{})
	go func() { defer close(ended); _ = server.Serve(l) }()
	var open []net.Conn
	t.Cleanup(func() {
		for _, conn := range open {
			conn.Close()
		}
		server.Close()
		<-ended
	})
	return func(query string) net.Conn {
		ours, theirs := net.Pipe()
		l.conns <- theirs
		open = append(open, ours)
		_, err := fmt.Fprintf(ours, "GET /?%s HTTP/1.1\r\nHost: localhost\r\n\r\n", query)
		require.NoError(t, err)
		return ours
	}
}

func newLargeStore(n, each int) Options {
	store := &fakeInformer{state: informer.State{Name: "pods", Resource: podResource}, objects: map[string]any{}}
	for i := range n {
		store.objects[fmt.Sprintf("k%03d", i)] = &Pod{Spec: map[string]any{"x": strings.Repeat("x", each)}}
	}
	return Options{Objects: true, Informers: func() []informer.AnyInformer { return []informer.AnyInformer{store} }}
}

func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

const slowReaders = 30

// 30 clients that do not read their page of 4 MB hold less than 100 KB each. All
// clients together hold a bounded number of bytes of large objects.
func TestSlowReadersUseLittleMemory(t *testing.T) {
	for name, test := range map[string]struct {
		n, each int
		query   string
		max     int64
	}{
		"json":                  {400, 10 << 10, "informer=pods&objects=true&limit=1000&format=json", slowReaders * 100 << 10},
		"text":                  {400, 10 << 10, "informer=pods&objects=true&limit=1000&format=text", slowReaders * 100 << 10},
		"html":                  {400, 10 << 10, "informer=pods&objects=true&limit=1000&format=html", slowReaders * 100 << 10},
		"large objects":         {2, 1 << 20, "informer=pods&objects=true&format=json", 5 * maxHeld},
		"large objects as text": {2, 1 << 20, "informer=pods&objects=true&format=text", 5 * maxHeld},
		"single large object":   {1, 1 << 20, "informer=pods&key=k000&format=json", 5 * maxHeld},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := New(newLargeStore(test.n, test.each))
				request := serveOnPipes(t, h)
				before := heap()
				for range slowReaders {
					_, err := request(test.query).Read(make([]byte, 1))
					require.NoError(t, err)
				}
				synctest.Wait()
				require.Less(t, heap()-before, test.max)
				// After a minute all memory is released.
				time.Sleep(answerTimeout + time.Second)
				synctest.Wait()
				require.Zero(t, h.held.Load())
				require.Less(t, heap()-before, int64(2<<20))
			})
		})
	}
}

// A page that is written while it is generated is complete JSON, and its connection can
// serve further requests, also after the write timeout.
func TestObjectPagesAreCompleteAndKeepConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		request := serveOnPipes(t, New(newLargeStore(10, 1<<20)))
		conn := request("informer=pods&objects=true&format=json")
		in := bufio.NewReader(conn)
		for range 2 {
			response, err := http.ReadResponse(in, nil)
			require.NoError(t, err)
			var page struct {
				Now      time.Time
				Informer struct{ Name string }
				Keys     []string
				Objects  []struct {
					Key    string
					Object map[string]any
				}
				Continue string
			}
			decoder := json.NewDecoder(response.Body)
			decoder.DisallowUnknownFields()
			var raw json.RawMessage
			require.NoError(t, decoder.Decode(&raw))
			require.NoError(t, json.Unmarshal(raw, &page))
			require.Equal(t, "pods", page.Informer.Name)
			require.Len(t, page.Objects, 4)
			require.Equal(t, []string{"k000", "k001", "k002", "k003"}, page.Keys)
			require.Equal(t, "k003", page.Continue)
			require.Equal(t, "k003", page.Objects[3].Key)
			require.NotEmpty(t, page.Objects[3].Object["spec"])
			_, err = decoder.Token()
			require.Error(t, err)
			time.Sleep(10 * answerTimeout)
			_, err = fmt.Fprint(conn, "GET /?informer=pods&objects=true&format=json HTTP/1.1\r\nHost: localhost\r\n\r\n")
			require.NoError(t, err)
		}
	})
}
