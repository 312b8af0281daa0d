package listwatch

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/stack"
	"github.com/thinformer/thinformer/listwatch"
)

// run is a ListerWatcher of a server.
type run struct {
	t        *judge.T
	server   *apitest.Server
	client   *recorder
	source   stack.ListerWatcher
	decoders atomic.Int64
	ahead    int // the events that a decoder reads with its first one
}

// newRun starts a server with the objects a and b in the namespace shop, and other in the
// namespace elsewhere. Another object has been deleted, so that the version of the
// collection is newer than that of each object.
func newRun(t *judge.T, parts stack.Parts, namespace string) *run {
	r := &run{t: t, server: t.Server(apitest.Options{})}
	for _, name := range []string{"a", "b", "gone"} {
		apitest.Create(t, r.server, configMap("shop", name))
	}
	apitest.Create(t, r.server, configMap("elsewhere", "other"))
	apitest.Delete(t, r.server, configMap("shop", "gone"))
	base, dial := judge.Dial(r.server)
	r.client = &recorder{Client: parts.NewClient(base, parts.NewTransport(dial))}
	r.source = parts.NewListerWatcher(r.client, func(body io.Reader) stack.Decoder {
		r.decoders.Add(1)
		return &aheadDecoder{Decoder: parts.NewDecoder(body), ahead: r.ahead}
	}, namespace)
	if r.source == nil {
		t.Fatalf("NewListerWatcher returns nil")
	}
	return r
}

// configMap is an object with a label.
func configMap(namespace, name string) stack.Object {
	return &stack.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{"name": name, "app": "shop"}}}
}

// list returns a complete list.
func (r *run) list(options metav1.ListOptions) (objects []stack.Object, version string, err error) {
	r.t.Unblocked("List", func() {
		var list *listwatch.List[stack.Object]
		if list, err = r.source.List(r.t.Context(), options); err != nil {
			if list != nil {
				r.t.Errorf("List returns a list and the error %v, want no list", err)
			}
			return
		}
		if list == nil {
			r.t.Fatalf("List returns neither a list nor an error")
		}
		objects, err = list.Slice()
		version = list.ResourceVersion()
	})
	return objects, version, err
}

// listed is list for a list that must succeed.
func (r *run) listed(options metav1.ListOptions) (objects []stack.Object, version string) {
	objects, version, err := r.list(options)
	if err != nil {
		r.t.Fatalf("List returns the error %v; the requests are: %s", err, r.requests())
	}
	return objects, version
}

// watch opens a watch that must succeed.
func (r *run) watch(ctx context.Context, options metav1.ListOptions) *listwatch.Watch[stack.Object] {
	var w *listwatch.Watch[stack.Object]
	r.t.Unblocked("Watch", func() {
		var err error
		if w, err = r.source.Watch(ctx, options); err != nil {
			r.t.Fatalf("Watch returns the error %v; the requests are: %s", err, r.requests())
		}
	})
	if requests := r.server.Requests(apitest.Match{}); len(requests) == 0 || requests[len(requests)-1].Verb != "watch" {
		r.t.Fatalf("Watch sends no request with watch=true; the requests are: %s", r.requests())
	}
	if w == nil {
		r.t.Fatalf("Watch returns neither a watch nor an error")
	}
	r.t.Cleanup(w.Stop)
	return w
}

// next is the outcome of a Next.
type next struct {
	event stack.Event
	err   error
}

// next calls Next, which must return. after is what has happened.
func (r *run) next(w *listwatch.Watch[stack.Object], after string) (stack.Event, error) {
	var n next
	r.t.Unblocked("Next, after "+after+",", func() { n.event, n.err = w.Next(r.t.Context()) })
	return n.event, n.err
}

// waiting starts a Next that waits for an event.
func (r *run) waiting(ctx context.Context, w *listwatch.Watch[stack.Object]) <-chan next {
	result := make(chan next, 1)
	r.t.Go("Next", func() {
		var n next
		n.event, n.err = w.Next(ctx)
		result <- n
	})
	synctest.Wait()
	select {
	case n := <-result:
		r.t.Fatalf("a watch without an event: Next returns %s, want it to wait", outcome(n.event, n.err))
	default:
	}
	return result
}

// ends returns the error of a Next that must return within one second.
func (r *run) ends(result <-chan next, after string) error {
	timeout := time.NewTimer(time.Second)
	defer timeout.Stop()
	select {
	case n := <-result:
		return n.err
	case <-timeout.C:
		r.t.Fatalf("%s: Next still waits one second later; a Read can be ended only by closing the body", after)
		return nil
	}
}

// closed fails unless the bodies of all watches are closed.
func (r *run) closed(after string) {
	synctest.Wait()
	if open := r.client.open.Load(); open > 0 {
		r.t.Fatalf("%s: the body of the watch is not closed, so that its connection stays open", after)
	}
}

// requests returns the requests of the server in one line, without what is equal in all.
func (r *run) requests() string {
	var lines []string
	for _, request := range r.server.Requests(apitest.Match{}) {
		lines = append(lines, line(request))
	}
	if len(lines) == 0 {
		return "none"
	}
	return strings.Join(lines, ", ")
}

// token is a token of a list, which is long and says nothing.
var token = regexp.MustCompile(`continue=[^& ]+`)

// line returns a request as "namespaces/shop/configmaps?limit=500 (200)".
func line(request apitest.Request) string {
	address, state, _ := strings.Cut(strings.TrimPrefix(request.String(), "GET /api/v1/"), " ")
	return token.ReplaceAllString(address, "continue=...") + " (" + state + ")"
}

// sends fails unless a request has these parameters of the caller's options.
func (r *run) sends(request apitest.Request, parameters ...string) {
	for _, parameter := range parameters {
		name, want, _ := strings.Cut(parameter, "=")
		if got := request.Parameter(name); got != want {
			r.t.Fatalf("the options of the caller have %s: the request %s does not have it", parameter, line(request))
		}
	}
}

// outcome describes what Next has returned.
func outcome(event stack.Event, err error) string {
	switch {
	case err != nil:
		return fmt.Sprintf("the error %v", err)
	case event.Object == nil:
		return fmt.Sprintf("%s without an object", event.Type)
	default:
		return fmt.Sprintf("%s %s", event.Type, event.Object.Name)
	}
}

// names returns the names of objects in alphabetical order.
func names(objects []stack.Object) string {
	var all []string
	for _, object := range objects {
		all = append(all, object.Name)
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}
