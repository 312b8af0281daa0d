package operators

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/thinformer/thinformer/rest"
)

// requests has the requests of a client, and ends its watches.
type requests struct {
	mu   sync.Mutex
	all  []request
	open map[*watchBody]struct{}
	down bool // connections are refused
}

// request is an attempt that has received a response header or has failed.
type request struct {
	rest.RequestInfo
	status int
	at     time.Time
}

// observe makes a client with this configuration report its requests.
func (r *requests) observe(config *rest.Config) {
	r.open = map[*watchBody]struct{}{}
	config.Trace = &rest.Trace{RequestDone: func(info rest.RequestInfo, response rest.ResponseInfo) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.all = append(r.all, request{info, response.Status, time.Now()})
	}}
	config.WrapTransport = func(next http.RoundTripper) http.RoundTripper { return &watchEnder{next, r} }
}

// since returns the requests after the first n.
func (r *requests) since(n int) []request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.all[n:])
}

// count returns the number of requests until now.
func (r *requests) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.all)
}

var digits = regexp.MustCompile(`[0-9]+`)

// summary counts requests by verb, resource, namespace and status. Resources that differ
// only in their number are counted together.
func summary(all []request) string {
	counts := map[string]int{}
	for _, one := range all {
		counts[fmt.Sprintf("%s %s in %q: %d", one.Verb, digits.ReplaceAllString(cmp.Or(one.Resource, one.Path), "N"), one.Namespace, one.status)]++
	}
	var lines []string
	for _, what := range slices.Sorted(maps.Keys(counts)) {
		lines = append(lines, fmt.Sprintf("%4d %s", counts[what], what))
	}
	return strings.Join(lines, "\n")
}

// only returns the requests with a verb of a resource.
func only(all []request, verb, resource string) []request {
	return slices.DeleteFunc(slices.Clone(all), func(r request) bool { return r.Verb != verb || r.Resource != resource })
}

// endWatches ends the open watches whose path contains a text, as the server does after
// some minutes, and returns their number.
func (r *requests) endWatches(of string) (ended int) {
	r.mu.Lock()
	var bodies []*watchBody
	for b := range r.open {
		if strings.Contains(b.path, of) {
			bodies = append(bodies, b)
		}
	}
	r.mu.Unlock()
	for _, b := range bodies {
		b.ended.Store(true)
		b.ReadCloser.Close()
	}
	return len(bodies)
}

// hold ends all watches and refuses all requests until release.
func (r *requests) hold() {
	r.setDown(true)
	r.endWatches("")
}

func (r *requests) release() { r.setDown(false) }

func (r *requests) setDown(down bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.down = down
}

// watches returns the number of open watches whose path contains a text.
func (r *requests) watches(of string) (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for b := range r.open {
		if strings.Contains(b.path, of) {
			n++
		}
	}
	return n
}

type watchEnder struct {
	next http.RoundTripper
	*requests
}

func (e *watchEnder) RoundTrip(r *http.Request) (*http.Response, error) {
	e.mu.Lock()
	down := e.down
	e.mu.Unlock()
	if down {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	}
	response, err := e.next.RoundTrip(r)
	if err != nil || r.URL.Query().Get("watch") == "" || response.StatusCode != http.StatusOK {
		return response, err
	}
	b := &watchBody{ReadCloser: response.Body, of: e.requests, path: r.URL.Path}
	response.Body = b
	e.mu.Lock()
	defer e.mu.Unlock()
	e.open[b] = struct{}{}
	return response, nil
}

// watchBody is the response to a watch, which can end early.
type watchBody struct {
	io.ReadCloser
	of    *requests
	path  string
	ended atomic.Bool
}

func (b *watchBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && b.ended.Load() {
		err = io.EOF
	}
	return n, err
}

func (b *watchBody) Close() error {
	b.of.mu.Lock()
	delete(b.of.open, b)
	b.of.mu.Unlock()
	return b.ReadCloser.Close()
}
