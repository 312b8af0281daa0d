package apitest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/apitest/internal/modeltest"
	"github.com/thinformer/thinformer/apitest/internal/objects"
	"github.com/thinformer/thinformer/apitest/internal/storage"
)

// Any client that lists and then watches from the list's version, and resumes
// from its last version after cuts, ends with the server's state. If the
// version has expired, it gets a 410. In a bubble, writes, compactions and cuts
// happen at different instants of fake time.
func TestModelWatch(t *testing.T) {
	seeds, defaultSeeds := 0, uint64(100)
	if raceEnabled {
		defaultSeeds = 10
	}
	expired, pages := 0, 0
	modeltest.EachSeed(t, "apitest", defaultSeeds, func(t *testing.T, seed uint64) {
		seeds++
		synctest.Test(t, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 1))
			srv := NewServer(Options{InMemory: true, History: []int{5, 50, 0}[seed%3], BookmarkInterval: time.Second, Seed: seed})
			defer srv.Close()
			m := watchModel{T: t, Server: srv, rng: rng, readers: 6, writers: 2, writes: 60, pause: func(rng *rand.Rand) {
				time.Sleep(time.Duration(rng.IntN(400_000_000)))
			}}
			e, p := m.run()
			expired, pages = expired+e, pages+p
		})
	})
	require.True(t, seeds == 1 || expired > 0 && pages > 0, "%d times 410, %d pages: the seeds do not cover both", expired, pages)
}

// The same over loopback, with TLS and HTTP/2 and without, as fast as possible,
// for 50 watches and 8 writers.
func TestModelWatchOverLoopback(t *testing.T) {
	for name, plain := range map[string]bool{"TLS": false, "plain": true} {
		t.Run(name, func(t *testing.T) {
			writes := 60
			if raceEnabled {
				writes = 15
			}
			srv := NewServer(Options{PlainHTTP: plain, History: 200, Seed: 1})
			defer srv.Close()
			watchModel{T: t, Server: srv, rng: rand.New(rand.NewPCG(1, 1)), readers: 50, writers: 8, writes: writes, pause: func(*rand.Rand) {}, overHTTP: true}.run()
		})
	}
}

// watchModel is a set of writers and readers of one server's config maps.
type watchModel struct {
	*testing.T
	*Server
	rng                      *rand.Rand
	readers, writers, writes int
	pause                    func(*rand.Rand)
	// overHTTP reports whether the writers are clients too.
	overHTTP bool
}

// run returns how often readers got a 410, and how many pages they read after
// the first ones.
func (m watchModel) run() (expired, pages int) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	client := m.testClient(m)
	var readers, writers sync.WaitGroup
	states := make([]map[string]string, m.readers)
	failures := make([]error, m.readers)
	all := make([]*modelReader, m.readers)
	for i := range m.readers {
		r := &modelReader{server: m.Server, client: client, rng: m.fork(), pause: m.pause, selector: []string{"", "&labelSelector=x"}[i%2]}
		readers.Go(func() {
			failures[i] = r.run(ctx)
			states[i] = r.state
		})
		all[i] = r
	}
	for range m.writers {
		rng := m.fork()
		put, remove := m.putInStore, m.removeFromStore
		if m.overHTTP {
			put, remove = m.putBy(client), m.removeBy(client)
		}
		writers.Go(func() { m.write(rng, put, remove) })
	}
	writers.Wait()
	put(m, m.table(), storage.Key{Namespace: "default", Name: modelEnd}, "", map[string]string{"x": ""})
	readers.Wait()
	for i, state := range states {
		require.NoError(m, failures[i], "reader %d", i)
		require.Equal(m, m.state(i%2 == 1), state, "reader %d", i)
		expired, pages = expired+all[i].expired, pages+all[i].pages
	}
	return expired, pages
}

// modelEnd is the name of the object that is written last.
const modelEnd = "the-end"

func (m watchModel) fork() *rand.Rand { return rand.New(rand.NewPCG(m.rng.Uint64(), m.rng.Uint64())) }

func (m watchModel) table() *storage.Table { return m.store.Table(configMaps.GroupResource()) }

func (m watchModel) write(rng *rand.Rand, put func(k storage.Key, labels map[string]string), remove func(k storage.Key)) {
	for range m.writes {
		m.pause(rng)
		k := storage.Key{Namespace: "default", Name: fmt.Sprint("o", rng.IntN(6))}
		labels := map[string]string{}
		if rng.IntN(2) == 0 {
			labels["x"] = "1"
		}
		switch n := rng.IntN(20); {
		case n == 0:
			m.store.Compact(m.store.Current() - uint64(rng.IntN(5)))
		case n < 7:
			remove(k)
		default:
			put(k, labels)
		}
	}
}

func (m watchModel) putInStore(k storage.Key, labels map[string]string) {
	put(m, m.table(), k, "", labels)
}

func (m watchModel) removeFromStore(k storage.Key) {
	if stored := m.table().Get(k); stored != nil {
		_, _ = m.table().Remove(stored) // another writer may be faster
	}
}

// putBy creates an object, or updates it without a version if it exists.
func (m watchModel) putBy(client *http.Client) func(storage.Key, map[string]string) {
	return func(k storage.Key, labels map[string]string) {
		obj := map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap",
			"metadata": map[string]any{"name": k.Name, "labels": labels}, "data": map[string]any{"k": fmt.Sprint(m.store.Current())},
		}
		body, err := json.Marshal(obj)
		if !assert.NoError(m, err) {
			return
		}
		m.send(client, http.MethodPost, benchConfigMaps, body, http.StatusCreated, http.StatusConflict)
		m.send(client, http.MethodPut, benchConfigMaps+"/"+k.Name, body, http.StatusOK, http.StatusNotFound, http.StatusConflict)
	}
}

func (m watchModel) removeBy(client *http.Client) func(storage.Key) {
	return func(k storage.Key) {
		m.send(client, http.MethodDelete, benchConfigMaps+"/"+k.Name, nil, http.StatusOK, http.StatusNotFound, http.StatusConflict)
	}
}

// send sends a request, and checks that the response has one of some codes.
func (m watchModel) send(client *http.Client, method, path string, body []byte, codes ...int) {
	request, err := http.NewRequest(method, m.URL+path, bytes.NewReader(body))
	if !assert.NoError(m, err) {
		return
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if !assert.NoError(m, err) {
		return
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if assert.NoError(m, err) {
		assert.Contains(m, codes, response.StatusCode, "%s %s: %s", method, path, text)
	}
}

// state returns the versions of all objects, or of those that have the label.
func (m watchModel) state(labelled bool) map[string]string {
	state := map[string]string{}
	for _, r := range m.table().All("") {
		obj, err := objects.Decode(r.Raw)
		require.NoError(m, err)
		if _, has := obj.GetLabels()["x"]; has || !labelled {
			state[r.Name] = obj.GetResourceVersion()
		}
	}
	return state
}

// modelReader is a client that lists and watches, and is disconnected at
// random.
type modelReader struct {
	server   *Server
	client   *http.Client
	rng      *rand.Rand
	pause    func(*rand.Rand) // between pages, and while disconnected
	selector string

	state   map[string]string // versions by name
	version string            // of state

	// expired counts the 410s, and pages the pages after the first.
	expired, pages int
}

var errModelExpired = errors.New("410")

func (r *modelReader) run(ctx context.Context) error {
	for {
		r.pauseReading()
		begin := r.list
		if r.rng.IntN(2) == 0 {
			begin = r.stream
		}
		if err := begin(ctx); err != nil {
			return err
		}
		for {
			if _, ended := r.state[modelEnd]; ended {
				return nil
			}
			r.pauseReading()
			err := r.watch(ctx)
			if errors.Is(err, errModelExpired) {
				r.expired++
				break
			}
			if err != nil {
				return err
			}
		}
	}
}

// pauseReading lets changes happen that the client has to catch up with.
func (r *modelReader) pauseReading() {
	if r.rng.IntN(3) > 0 {
		return
	}
	for range r.rng.IntN(20) {
		r.pause(r.rng)
	}
}

func (r *modelReader) get(ctx context.Context, query string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, r.server.URL+"/api/v1/namespaces/default/configmaps?"+query+r.selector, nil)
	if err != nil {
		return nil, err
	}
	response, err := r.client.Do(request)
	if err == nil && response.StatusCode != http.StatusOK {
		response.Body.Close()
		err = fmt.Errorf("%s: %s", query, response.Status)
		if response.StatusCode == http.StatusGone {
			err = errModelExpired
		}
	}
	return response, err
}

// list reads the state from a list, in pages of random sizes. If the version of
// the pages expires, it starts again.
func (r *modelReader) list(ctx context.Context) error {
	r.state, r.version = map[string]string{}, ""
	limit := []int{0, 1, 2, 4}[r.rng.IntN(4)]
	for next := ""; ; {
		var page modelPage
		err := r.page(ctx, fmt.Sprintf("limit=%d&continue=%s", limit, next), &page)
		if next != "" && errors.Is(err, errModelExpired) {
			return r.list(ctx)
		}
		if err != nil {
			return err
		}
		if next != "" {
			r.pages++
		}
		if next != "" && r.version != page.Metadata.ResourceVersion {
			return fmt.Errorf("a page of version %s of a list of version %s", page.Metadata.ResourceVersion, r.version)
		}
		r.version = page.Metadata.ResourceVersion
		for _, item := range page.Items {
			if _, known := r.state[item.Metadata.Name]; known {
				return fmt.Errorf("%s is on two pages", item.Metadata.Name)
			}
			r.state[item.Metadata.Name] = item.Metadata.ResourceVersion
		}
		if next = page.Metadata.Continue; next == "" {
			return nil
		}
		r.pause(r.rng)
	}
}

type modelPage struct {
	Metadata struct{ ResourceVersion, Continue string }
	Items    []struct {
		Metadata struct{ Name, ResourceVersion string }
	}
}

func (r *modelReader) page(ctx context.Context, query string, page *modelPage) error {
	response, err := r.get(ctx, query)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	return json.NewDecoder(response.Body).Decode(page)
}

// stream reads the initial state from a watch, as newer clients do.
func (r *modelReader) stream(ctx context.Context) error {
	ctx, cut := context.WithCancel(ctx)
	defer cut()
	response, err := r.get(ctx, "watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan")
	if err != nil {
		return err
	}
	defer response.Body.Close()
	r.state, r.version = map[string]string{}, ""
	for events := json.NewDecoder(response.Body); r.version == ""; {
		var e event
		if err := events.Decode(&e); err != nil {
			return err
		}
		switch {
		case e.Type == "ADDED":
			r.state[e.Object.Metadata.Name] = e.Object.Metadata.ResourceVersion
		case e.Object.Metadata.Annotations["k8s.io/initial-events-end"] == "true":
			r.version = e.Object.Metadata.ResourceVersion
		default:
			return fmt.Errorf("%v among the initial events", e)
		}
	}
	return nil
}

// watch follows until the stream ends or, at random, is cut.
func (r *modelReader) watch(ctx context.Context) error {
	ctx, cut := context.WithCancel(ctx)
	defer cut()
	response, err := r.get(ctx, fmt.Sprintf("watch=true&allowWatchBookmarks=%v&timeoutSeconds=%d&resourceVersion=%s", r.rng.IntN(2) == 0, 1+r.rng.IntN(30), r.version))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	events := json.NewDecoder(response.Body)
	for left := r.rng.IntN(20); left > 0; left-- {
		var e event
		if err := events.Decode(&e); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if err := r.applyEvent(e); err != nil {
			return err
		}
		if e.Object.Metadata.Name == modelEnd {
			return nil
		}
	}
	return nil
}

// applyEvent applies an event, and fails on events that no server may send.
func (r *modelReader) applyEvent(e event) error {
	if e.Type == "ERROR" {
		if e.Object.Code == http.StatusGone {
			return errModelExpired
		}
		return fmt.Errorf("%d %s", e.Object.Code, e.Object.Message)
	}
	last, _ := strconv.ParseUint(r.version, 10, 64)
	now, err := strconv.ParseUint(e.Object.Metadata.ResourceVersion, 10, 64)
	if err != nil || now < last || now == last && e.Type != "BOOKMARK" {
		return fmt.Errorf("%v after version %s: not in order", e, r.version)
	}
	_, known := r.state[e.Object.Metadata.Name]
	if legal := map[string]bool{"ADDED": !known, "MODIFIED": known, "DELETED": known, "BOOKMARK": true}; !legal[e.Type] {
		return fmt.Errorf("%v for a known object: %v", e, known)
	}
	switch r.version = e.Object.Metadata.ResourceVersion; e.Type {
	case "ADDED", "MODIFIED":
		r.state[e.Object.Metadata.Name] = r.version
	case "DELETED":
		delete(r.state, e.Object.Metadata.Name)
	}
	return nil
}
