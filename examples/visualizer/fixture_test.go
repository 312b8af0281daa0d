package main

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/examples/internal/cluster"
	"github.com/thinformer/thinformer/rest"
)

// fixture is a program on a server in memory, in a bubble with fake time.
type fixture struct {
	*program
	t   *testing.T
	srv *apitest.Server
}

// withProgram runs a test with a program that is at rest.
func withProgram(t *testing.T, objects int, test func(t *testing.T, f *fixture)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		options := serverOptions()
		options.InMemory = true
		srv := apitest.NewServer(options)
		client, err := rest.New(srv.Config())
		require.NoError(t, err)
		c := &cluster.Cluster{Client: client, Config: srv.Config(), Namespace: "default", Embedded: srv}
		p, err := assemble(c, flags{objects: objects}, slog.New(slog.DiscardHandler), &clone{})
		require.NoError(t, err)
		ctx, end := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- p.work(ctx) }()
		defer func() {
			end()
			require.NoError(t, <-ended)
			p.Close()
		}()
		f := &fixture{program: p, t: t, srv: srv}
		f.settle()
		test(t, f)
	})
}

// settle waits until nothing happens but what a timer starts, and for the next look at
// the states.
func (f *fixture) settle() {
	synctest.Wait()
	require.NoError(f.t, wait(f.t.Context(), 2*sampleInterval))
	synctest.Wait()
}

// use uses a control, which must succeed, and settles.
func (f *fixture) use(name, parameters string) string {
	f.t.Helper()
	said, err := f.view.controls.use(f.t.Context(), name, []byte(parameters))
	require.NoError(f.t, err, name)
	f.settle()
	return said.String()
}

// newest is the number of the newest record.
func (f *fixture) newest() uint64 {
	newest, _ := f.view.records.kept()
	return newest
}

// since returns the records after number n.
func (f *fixture) since(n uint64) []Record {
	f.t.Helper()
	records, _, ok := f.view.records.after(n, maxRecords)
	require.True(f.t, ok)
	return records
}

// snapshot returns the snapshot.
func (f *fixture) snapshot() *Snapshot { return f.view.snapshot(0).Snapshot }

// keys are those of the store.
func (f *fixture) keys() []string { return f.snapshot().Store.Keys }

// handlerState returns the state of a handler.
func (f *fixture) handlerState(name string) HandlerState {
	all := f.snapshot().Handlers
	i := slices.IndexFunc(all, func(h HandlerState) bool { return h.Name == name })
	require.GreaterOrEqual(f.t, i, 0, "no handler %s", name)
	return all[i]
}

// controlState returns the state of a control.
func (f *fixture) controlState(name string) ControlState {
	all := f.snapshot().Controls
	i := slices.IndexFunc(all, func(c ControlState) bool { return c.Name == name })
	require.GreaterOrEqual(f.t, i, 0, "no control %s", name)
	return all[i]
}

// request sends a request to the site without a network.
func (f *fixture) request(method, target, body string, header http.Header) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(f.t.Context(), method, target, strings.NewReader(body))
	r.Host = "localhost:8088"
	for name, values := range header {
		r.Header[name] = values
		if name == "Host" {
			r.Host = values[0]
		}
	}
	w := httptest.NewRecorder()
	f.site.handler().ServeHTTP(w, r)
	return w
}

// kinds are the stages and kinds of records, without states.
func kinds(records []Record) (all []string) {
	for _, r := range records {
		if r.Kind != "state" {
			all = append(all, string(r.Stage)+" "+r.Kind)
		}
	}
	return all
}

func count(records []Record, stage Stage, kind string) (n int) {
	for _, r := range records {
		if r.Stage == stage && r.Kind == kind {
			n++
		}
	}
	return n
}

// decode decodes JSON.
func decode[T any](t *testing.T, from io.Reader) (value T) {
	t.Helper()
	require.NoError(t, json.NewDecoder(from).Decode(&value))
	return value
}
