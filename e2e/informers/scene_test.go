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

// scene is a control plane, who writes, and who reads.
type scene struct {
	t       *testing.T
	servers *plane.Plane
	direct  *rest.Client // whose connections nobody breaks
	writer  *writer

	ourWire, theirWire *wire
	clients            map[encoding]*rest.Client
	pairs              []*pair
}

// pair is a subject as ours and as theirs see it.
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

func newScene(t *testing.T) *scene {
	servers, err := plane.Start(t.Context(), plane.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, servers.Close()) })
	s := &scene{t: t, servers: servers, ourWire: newWire(), theirWire: newWire(), clients: map[encoding]*rest.Client{}}
	s.direct, err = rest.New(servers.Config(plane.Admin))
	require.NoError(t, err)
	t.Cleanup(s.direct.Close)
	s.writer = newWriter(s.direct)
	s.post("/api/v1/namespaces", fmt.Sprintf(`{"metadata": {"name": %q}}`, namespace))
	// What client-go keeps open ends with the wire.
	t.Cleanup(func() { s.theirWire.hold() })
	return s
}

func (s *scene) post(path, body string) {
	s.t.Helper()
	_, err := s.direct.Post().RequestURI(path).SetHeader("Content-Type", "application/json").Body([]byte(body)).DoRaw(s.t.Context())
	require.NoError(s.t, err)
}

// client is ours for an encoding, all informers' of it.
func (s *scene) client(e encoding) *rest.Client {
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

// config is theirs for an encoding.
func (s *scene) config(e encoding) *clientgo.Config {
	config := &clientgo.Config{Host: s.servers.URL, BearerToken: s.servers.Tokens[plane.Admin], QPS: -1, Dial: s.theirWire.dial}
	config.CAData = s.servers.CA
	if !e.json {
		config.ContentType = "application/vnd.kubernetes.protobuf"
	}
	return config
}

// read makes the informers of a subject.
func (s *scene) read(about subject, lists bool) {
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
func (s *scene) run() {
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
	synced, stop := context.WithTimeoutCause(s.t.Context(), time.Minute, errors.New("not synced after a minute"))
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

// define makes a custom resource, and returns when it is served.
func (s *scene) define(definition string, k *kind) {
	s.t.Helper()
	s.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition)
	s.reachable(k)
}

// reachable returns when a resource is served.
func (s *scene) reachable(k *kind) {
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

// served is what the server has for a subject, by the side that nobody cuts.
func (s *scene) served(p *pair) map[string]rest.Object {
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

// histories are both sides' of a key, for whoever has to find out.
func (p *pair) histories(key string) string {
	now := p.ours.State().Source
	return fmt.Sprintf("\nours was told of %s:\n%sclient-go's:\n%sours is %s at %s (%v), has had: %s; relists: %d (%s)",
		key, p.ours.heard().of(key), p.theirs.history.of(key), now.Phase, now.Version, now.Err, p.ours.failures(), now.Relists, now.RelistReason)
}

// fail reports what is wrong, with both histories of the key.
func (s *scene) fail(p *pair, what string, err error) {
	s.t.Helper()
	key := ""
	if f := (*fault)(nil); errors.As(err, &f) {
		key = f.key
	}
	s.t.Errorf("%s: %s: %v%s", p, what, err, p.histories(key))
}
