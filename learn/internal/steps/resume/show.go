package resume

import (
	"context"
	"io"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/reference"
	"github.com/thinformer/thinformer/learn/internal/scripted"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

// show prints a Follower during the failures of a server. The times of its back-off are
// not random.
func show(w io.Writer) error {
	return judge.Show(func(t *judge.T) {
		server, parts := t.Server(apitest.Options{}), reference.Parts()
		base, dial := judge.Dial(server)
		line := scripted.NewTimeline(w)
		source := line.Source(parts.NewListerWatcher(parts.NewClient(base, parts.NewTransport(dial)), parts.NewDecoder, "shop"))
		follower := parts.NewFollower(source, line.Store(), &scripted.Backoff{}, 10*time.Minute)
		version := apitest.Create(t, server, configMap("a")).ResourceVersion

		// The first watch ends normally, the second one in the middle of an event. The fourth
		// one becomes silent.
		server.Fault(apitest.Fault{Nth: 1, Action: apitest.AfterEvents(1, apitest.Cut())})
		server.Fault(apitest.Fault{Nth: 2, Action: apitest.AfterEvents(1, apitest.Break())})
		server.Fault(apitest.Fault{Nth: 4, Action: apitest.AfterEvents(1, apitest.Silence())})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		t.Go("Follow", func() {
			defer close(done)
			last, err := follower.Follow(ctx, version)
			line.Print("Follow", "returns %s and the error %s", last, apierrors.ReasonForError(err))
		})
		do := func(what string, f func()) {
			synctest.Wait()
			line.Print("server", "%s", what)
			f()
			time.Sleep(10 * time.Second)
		}
		create := func(names ...string) func() {
			return func() {
				for _, name := range names {
					apitest.Create(t, server, configMap(name))
				}
			}
		}
		do("b is created; the watch ends", create("b"))
		do("c and d are created; the connection breaks in d", create("c", "d"))
		time.Sleep(time.Minute)
		do("stops: connections are refused", server.Stop)
		time.Sleep(4 * time.Minute)
		do("starts again", server.Start)
		time.Sleep(2 * time.Minute)
		do("e is created; from then on the watch is silent", create("e"))
		do("f is created", create("f"))
		time.Sleep(11 * time.Minute)
		do("restarts; g is created, the history is compacted", func() {
			server.Restart()
			create("g")()
			server.Compact()
		})
		t.Unblocked("Follow", func() { <-done })
		cancel()
	})
}

// configMap is an object to create.
func configMap(name string) stack.Object {
	return &stack.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name}}
}
