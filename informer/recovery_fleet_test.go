package informer_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

// marked is an object of any kind. An annotation distinguishes its writes.
type marked struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
}

// fleetKinds are the resources of the informers of a fleet, in three API groups.
var fleetKinds = []rest.ResourceInfo{
	{GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}, Kind: "ConfigMap", Namespaced: true},
	{GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "secrets"}, Kind: "Secret", Namespaced: true},
	{GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "serviceaccounts"}, Kind: "ServiceAccount", Namespaced: true},
	{GroupVersionResource: schema.GroupVersionResource{Group: "coordination.k8s.io", Version: "v1", Resource: "leases"}, Kind: "Lease", Namespaced: true},
	{GroupVersionResource: schema.GroupVersionResource{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "roles"}, Kind: "Role", Namespaced: true},
}

// fleet is a set of members of one client, with one object each. A member is an informer
// of one namespace, or a namespace of an informer of several namespaces.
type fleet struct {
	t       *testing.T
	server  *apitest.Server
	members []*fleetMember

	mu sync.Mutex
	// errors are the reported errors since the last call of forget.
	errors []string
}

type fleetMember struct {
	group    string
	object   *marked
	informer *informer.SharedInformer[*marked]
}

// newFleet returns a fleet that runs and is synced. Its members are informers, or with
// ofNamespaces the namespaces of one informer for each kind. end stops it.
func newFleet(t *testing.T, size int, kinds []rest.ResourceInfo, ofNamespaces bool) (f *fleet, end func()) {
	f = &fleet{t: t, server: apitest.NewServer(apitest.Options{InMemory: true})}
	client, err := rest.New(f.server.Config())
	require.NoError(t, err)
	var informers []*informer.SharedInformer[*marked]
	if ofNamespaces {
		for _, info := range kinds {
			view := rest.NewView[*marked](client, info)
			informers = append(informers, informer.ForNamespaces(nil, view, f.options(), namespacesOfFleet(size, len(kinds))...))
		}
	}
	for i := range size {
		info := kinds[i%len(kinds)]
		object := &marked{
			TypeMeta:   metav1.TypeMeta{APIVersion: info.GroupVersion().String(), Kind: info.Kind},
			ObjectMeta: metav1.ObjectMeta{Namespace: fmt.Sprint("n", i/len(kinds)), Name: "object"},
		}
		apitest.Create(t, f.server, object)
		if !ofNamespaces {
			view := rest.NewView[*marked](client, info).Namespace(object.Namespace)
			informers = append(informers, informer.New(view, f.options()))
		}
		f.members = append(f.members, &fleetMember{group: info.Group, object: object, informer: informers[i%len(informers)]})
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, len(informers))
	for _, inf := range informers {
		go func() { ended <- inf.Run(ctx) }()
	}
	for _, inf := range informers {
		require.NoError(t, inf.WaitForSync(ctx))
	}
	time.Sleep(15 * time.Second) // failures of the start have expired
	return f, func() {
		cancel()
		for range informers {
			require.NoError(t, <-ended)
		}
		client.Close()
		f.server.Close()
	}
}

// namespacesOfFleet returns the namespaces of the members. The last one may have members
// of some kinds only.
func namespacesOfFleet(size, kinds int) (names []string) {
	for i := 0; i < size; i += kinds {
		names = append(names, fmt.Sprint("n", i/kinds))
	}
	return names
}

func (f *fleet) options() informer.Options[*marked] {
	return informer.Options[*marked]{WatchErrorHandler: func(_ context.Context, err error) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.errors = append(f.errors, fmt.Sprintf("%s %v", time.Now().Format("04:05.000"), err))
	}}
}

// forget resets the counts, the log of requests and the errors.
func (f *fleet) forget() {
	f.server.ForgetRequests()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.errors = nil
}

// history returns what happened since forget.
func (f *fleet) history() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	lines := append([]string{}, f.errors...)
	for _, r := range f.server.Requests(apitest.Match{}) {
		lines = append(lines, fmt.Sprintf("%s request %s, which took %v", r.Start.Format("04:05.000"), r, r.Duration))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// mark writes to each object.
func (f *fleet) mark(text string) {
	for _, m := range f.members {
		apitest.Modify(f.t, f.server, m.object, func(o *marked) { o.Annotations = map[string]string{"mark": text} })
	}
}

// awaitMark returns the time when each informer had the mark; zero for an informer that
// did not receive it within timeout.
func (f *fleet) awaitMark(text string, timeout time.Duration) []time.Time {
	const interval = 5 * time.Millisecond
	current := make([]time.Time, len(f.members))
	missing := len(f.members)
	for began := time.Now(); missing > 0 && time.Since(began) < timeout; time.Sleep(interval) {
		synctest.Wait()
		for i, m := range f.members {
			if !current[i].IsZero() {
				continue
			}
			key := m.object.Namespace + "/" + m.object.Name
			if obj, ok := m.informer.Get(key); ok && obj.Annotations["mark"] == text {
				current[i] = time.Now()
				missing--
			}
		}
	}
	return current
}

// delays returns the times from the first success, or from the end of a Retry-After of
// the group, until each informer was current, sorted.
func (f *fleet) delays(current []time.Time, first time.Time, waits map[string]time.Time) (all []time.Duration) {
	for i, m := range f.members {
		if !current[i].IsZero() {
			all = append(all, current[i].Sub(latest(first, waits[m.group])))
		}
	}
	slices.Sort(all)
	return all
}

// firstSuccess returns the start of the first successful request after a time.
func (f *fleet) firstSuccess(after time.Time) (first time.Time, found bool) {
	for _, r := range f.server.Requests(apitest.Match{}) {
		if r.Code == http.StatusOK && !r.Start.Before(after) && (!found || r.Start.Before(first)) {
			first, found = r.Start, true
		}
	}
	return first, found
}

// retryTimes returns, for each API group, the end of the last Retry-After. A request
// after settled, when all members have received an earlier Retry-After, must not be
// sent before its end.
func (f *fleet) retryTimes(retryAfter time.Duration, settled time.Time) map[string]time.Time {
	ends := map[string]time.Time{}
	if retryAfter == 0 {
		return ends
	}
	for _, r := range f.server.Requests(apitest.Match{}) {
		if end := ends[r.Group]; r.Start.After(settled) && r.Start.Before(end) {
			f.t.Errorf("%s was sent %v before the end of Retry-After", r, end.Sub(r.Start))
		}
		if r.Code == http.StatusServiceUnavailable || r.Code == http.StatusTooManyRequests {
			ends[r.Group] = r.Start.Add(retryAfter)
		}
	}
	return ends
}
