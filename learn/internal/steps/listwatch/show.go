package listwatch

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/reference"
)

// show prints a list, a change, and two watches: one from the version of the list, and one
// without a version.
func show(w io.Writer) error {
	return judge.Show(func(t *judge.T) {
		r := newRun(t, reference.Parts(), "shop")
		s := &shown{w: w, run: r}
		objects, version := r.listed(metav1.ListOptions{})
		s.request()
		fmt.Fprintf(w, "  metadata.resourceVersion: %s\n", version)
		for _, object := range objects {
			fmt.Fprintf(w, "  item %s, resourceVersion %s\n", object.Name, object.ResourceVersion)
		}
		fmt.Fprintf(w, "\nc is created and a is deleted, while no request is open\n\n")
		apitest.Create(t, r.server, configMap("shop", "c"))
		apitest.Delete(t, r.server, configMap("shop", "a"))
		s.watch(metav1.ListOptions{ResourceVersion: version})
		fmt.Fprintln(w)
		s.watch(metav1.ListOptions{})
	})
}

// shown prints requests and events.
type shown struct {
	*run
	w       io.Writer
	printed int
}

// request prints the requests since the last call, with their parameters.
func (s *shown) request() {
	requests := s.server.Requests(apitest.Match{})
	for _, request := range requests[s.printed:] {
		fmt.Fprintf(s.w, "%s %s\n", request.Method, request.Path)
		parameters, err := url.ParseQuery(request.Query)
		if err != nil {
			s.t.Fatalf("the query %q: %v", request.Query, err)
		}
		var pairs []string
		for name := range parameters {
			pairs = append(pairs, name+"="+parameters.Get(name))
		}
		slices.Sort(pairs)
		fmt.Fprintf(s.w, "  ?%s\n", strings.Join(pairs, "&"))
	}
	s.printed = len(requests)
}

// watch prints the two events that a watch begins with.
func (s *shown) watch(options metav1.ListOptions) {
	ctx, cancel := context.WithCancel(s.t.Context())
	defer cancel()
	w := s.run.watch(ctx, options)
	s.request()
	for range 2 {
		event, err := s.next(w, "the changes")
		switch {
		case err != nil:
			s.t.Fatalf("Next: %v", err)
		case event.Type == watch.Bookmark:
			fmt.Fprintf(s.w, "  %s, resourceVersion %s\n", event.Type, event.ResourceVersion)
		default:
			fmt.Fprintf(s.w, "  %-7s %s, resourceVersion %s\n", event.Type, event.Object.Name, event.ResourceVersion)
		}
	}
}
