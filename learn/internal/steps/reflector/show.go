package reflector

import (
	"context"
	"io"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/reference"
	"github.com/thinformer/thinformer/learn/internal/scripted"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

// show prints two Reflectors with streamed lists. The second one never receives the mark,
// and later a 410. The times of the back-off are not random.
func show(w io.Writer) error {
	return judge.Show(func(t *judge.T) {
		server, parts := t.Server(apitest.Options{}), reference.Parts()
		for _, name := range []string{"a", "b"} {
			apitest.Create(t, server, configMap(name))
		}
		base, dial := judge.Dial(server)
		line := scripted.NewTimeline(w)
		source := line.Source(parts.NewListerWatcher(parts.NewClient(base, parts.NewTransport(dial)), parts.NewDecoder, "shop"))
		do := func(what string, f func()) {
			synctest.Wait()
			line.Print("server", "%s", what)
			f()
			time.Sleep(10 * time.Second)
			synctest.Wait()
		}
		run := func(during func()) {
			const silence = time.Minute
			reflector := parts.NewReflector(source, line.Store(), stack.ReflectorOptions{
				Stream: true, Silence: silence, Backoff: &scripted.Backoff{},
				Follow: func(store stack.Store) stack.Follower {
					return printedFollower{parts.NewFollower(source, store, &scripted.Backoff{}, time.Hour), line}
				},
			})
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan struct{})
			t.Go("Run", func() {
				defer close(done)
				_ = reflector.Run(ctx)
			})
			synctest.Wait()
			during()
			line.Print("reflector", "LastVersion is %s", reflector.LastVersion())
			cancel()
			<-done
		}
		do("sends the mark", func() {})
		run(func() { do("c is created", func() { apitest.Create(t, server, configMap("c")) }) })
		do("sends no mark", func() {
			server.Fault(apitest.Fault{Match: apitest.Match{Verb: "watch"}, Action: apitest.DropInitialEventsEnd(), Times: 1})
		})
		run(func() {
			time.Sleep(time.Minute)
			do("stops; b is deleted, d created, the history compacted", func() {
				server.Stop()
				apitest.Delete(t, server, configMap("b"))
				apitest.Create(t, server, configMap("d"))
				server.Compact()
			})
			do("starts again", server.Start)
			time.Sleep(5 * time.Minute)
		})
	})
}

// printedFollower prints why Follow returns.
type printedFollower struct {
	stack.Follower
	line *scripted.Timeline
}

func (f printedFollower) Follow(ctx context.Context, version string) (last string, err error) {
	last, err = f.Follower.Follow(ctx, version)
	if ctx.Err() == nil {
		f.line.Print("Follow", "returns %s and the error %s", last, apierrors.ReasonForError(err))
	}
	return last, err
}
