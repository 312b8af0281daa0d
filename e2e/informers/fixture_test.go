package informers

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clientgo "k8s.io/client-go/rest"

	"github.com/thinformer/thinformer/e2e/plane"
	"github.com/thinformer/thinformer/rest"
)

// fixture has a control plane, a writer, and the informers of both libraries.
type fixture struct {
	t       *testing.T
	servers *plane.Plane
	direct  *rest.Client // its connections do not break
	writer  *writer

	ourWire, theirWire *wire
	clients            map[encoding]*rest.Client
	pairs              []*pair
}

// pair has an informer of each library for a subject.
type pair struct {
	subject
	view
	ours   ours
	theirs *theirs
}

func (p *pair) String() string {
	if p.lists {
		return p.name + ", listed"
	}
	return p.name + ", streamed"
}

func newFixture(t *testing.T) *fixture {
	servers, err := plane.Start(t.Context(), plane.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, servers.Close()) })
	s := &fixture{t: t, servers: servers, ourWire: newWire(), theirWire: newWire(), clients: map[encoding]*rest.Client{}}
	s.direct, err = rest.New(servers.Config(plane.Admin))
	require.NoError(t, err)
	t.Cleanup(s.direct.Close)
	s.writer = newWriter(s.direct)
	s.post("/api/v1/namespaces", fmt.Sprintf(`{"metadata": {"name": %q}}`, namespace))
	// Closes the connections that client-go keeps open.
	t.Cleanup(func() { s.theirWire.hold() })
	return s
}

func (s *fixture) post(path, body string) {
	s.t.Helper()
	_, err := s.direct.Post().RequestURI(path).SetHeader("Content-Type", "application/json").Body([]byte(body)).DoRaw(s.t.Context())
	require.NoError(s.t, err)
}

// client returns our client for an encoding, which its informers share.
func (s *fixture) client(e encoding) *rest.Client {
	if made := s.clients[e]; made != nil {
		return made
	}
	config := s.servers.Config(plane.Admin)
	config.Dial = s.ourWire.dial
	config.DisableHTTP2 = e.http1
	config.Logger = slog.New(slog.DiscardHandler)
	if e.json {
		config.AcceptContentTypes = "application/json"
	}
	made, err := rest.New(config)
	require.NoError(s.t, err)
	s.t.Cleanup(made.Close)
	s.clients[e] = made
	return made
}

// config returns client-go's configuration for an encoding.
func (s *fixture) config(e encoding) *clientgo.Config {
	config := &clientgo.Config{Host: s.servers.URL, BearerToken: s.servers.Tokens[plane.Admin], QPS: -1, Dial: s.theirWire.dial}
	config.CAData = s.servers.CA
	if !e.json {
		config.ContentType = "application/vnd.kubernetes.protobuf"
	}
	return config
}

// read creates the informers of a subject.
func (s *fixture) read(about subject, lists bool) {
	p := &pair{subject: about, view: view{selected: about.selected, lists: lists}}
	var err error
	p.ours, err = about.ours(s.client(about.encoding), about.kind, p.view)
	require.NoError(s.t, err)
	source, err := about.theirs(s.config(about.encoding), about.kind)
	require.NoError(s.t, err)
	p.theirs, err = newTheirs(source, about.example, p.view)
	require.NoError(s.t, err)
	s.pairs = append(s.pairs, p)
}

// run runs all informers until the test ends, and returns when they have synced.
func (s *fixture) run() {
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	for _, p := range s.pairs {
		all.Go(func() {
			if err := p.ours.Run(ctx); err != nil {
				s.t.Errorf("%s: Run: %v", p, err)
			}
		})
		all.Go(func() { p.theirs.RunWithContext(ctx) })
	}
	s.t.Cleanup(func() {
		cancel()
		s.theirWire.hold() // client-go does not wait for a context everywhere
		all.Wait()
	})
	synced, stop := context.WithTimeoutCause(s.t.Context(), 2*time.Minute, errors.New("not synced after two minutes"))
	defer stop()
	for _, p := range s.pairs {
		require.NoError(s.t, p.ours.WaitForSync(synced), "%s", p)
		select {
		case <-p.theirs.handler.HasSyncedChecker().Done():
		case <-synced.Done():
			s.t.Fatalf("%s: client-go: %v", p, context.Cause(synced))
		}
	}
}

// define creates a custom resource, and returns when it is served.
func (s *fixture) define(definition string, k *kind) {
	s.t.Helper()
	s.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition)
	s.reachable(k)
}

// reachable returns when a resource is served.
func (s *fixture) reachable(k *kind) {
	s.t.Helper()
	view := rest.NewView[*rest.SlimMeta](s.direct, k.ResourceInfo).Namespace(namespace)
	require.Empty(s.t, eventually(s.t.Context(), theirsSettle, func() string {
		list, err := view.List(s.t.Context(), metav1.ListOptions{Limit: 1})
		if err != nil {
			return err.Error()
		}
		list.Close()
		return ""
	}))
}

// served returns the server's objects of a subject.
func (s *fixture) served(p *pair) map[string]rest.Object {
	s.t.Helper()
	list, err := rest.NewView[*unstructured.Unstructured](s.direct, p.ResourceInfo).Namespace(namespace).
		List(s.t.Context(), metav1.ListOptions{LabelSelector: p.selector()})
	require.NoError(s.t, err)
	all := map[string]rest.Object{}
	for o, err := range list.Items() {
		require.NoError(s.t, err)
		all[keyOf(o)] = o
	}
	return all
}

// histories formats the histories of a key of both libraries.
func (p *pair) histories(key string) string {
	now := p.ours.State().Source
	return fmt.Sprintf("\nour notifications for %s:\n%sclient-go's:\n%sour informer is %s at %s (%v), failures: %s; relists: %d (%s)",
		key, p.ours.notifications().of(key), p.theirs.history.of(key), now.Phase, now.Version, now.Err, p.ours.failures(), now.Relists, now.RelistReason)
}

// fail reports an error with both histories of its key.
func (s *fixture) fail(p *pair, what string, err error) {
	s.t.Helper()
	key := ""
	if f := (*fault)(nil); errors.As(err, &f) {
		key = f.key
	}
	s.t.Errorf("%s: %s: %v%s", p, what, err, p.histories(key))
}
