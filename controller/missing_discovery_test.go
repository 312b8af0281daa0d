package controller_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

// missingKinds is a program with controllers of kinds that are not served.
type missingKinds struct {
	*testProgram
	kinds     []testKind
	informers []*informer.SharedInformer[*thing]
}

// startMissing starts a program with n kinds, and waits until each is known to be missing.
func startMissing(t *testing.T, s *testProgram, n int, kind func(i int) testKind) *missingKinds {
	t.Helper()
	m := &missingKinds{testProgram: s}
	program := s.start()
	for i := range n {
		c, things := s.controllerOf(kind(i), doNothing)
		require.NoError(t, program.Add(c))
		m.kinds, m.informers = append(m.kinds, kind(i)), append(m.informers, things)
	}
	time.Sleep(4 * time.Second)
	lists, others := s.requestsSince()
	require.LessOrEqual(t, lists, 4+2*len(s.groupVersions(m.kinds)))
	require.Equal(t, n, others, "one attempt of each kind")
	return m
}

// groupVersions returns the group versions of kinds.
func (p *testProgram) groupVersions(kinds []testKind) map[schema.GroupVersion]bool {
	all := map[schema.GroupVersion]bool{}
	for _, k := range kinds {
		all[k.info().GroupVersion()] = true
	}
	return all
}

// requireFound defines a kind, and requires that its first list arrives within a time.
func (m *missingKinds) requireFound(i int, within time.Duration) {
	m.t.Helper()
	m.kinds[i].define(m.t, m.srv)
	ctx, cancel := context.WithTimeout(m.t.Context(), within)
	defer cancel()
	require.NoError(m.t, m.informers[i].WaitForSync(ctx), "kind %d is not found within %v", i, within)
}

// faultOfDiscovery lets an action apply to the requests for /apis.
func (p *testProgram) faultOfDiscovery(action apitest.Action) *apitest.InjectedFault {
	return p.srv.Fault(apitest.Fault{Match: apitest.Match{Filter: func(r apitest.Request) bool { return r.Path == "/apis" }}, Action: action})
}

// An outage of the list of resources, or of the whole server, does not delay the detection
// of kinds afterwards. No informer makes requests of its own because of the outage.
func TestMissingKindsAfterOutage(t *testing.T) {
	const kinds = 50
	fault := func(action apitest.Action) func(s *testProgram) func() {
		return func(s *testProgram) func() { return s.faultOfDiscovery(action).Remove }
	}
	outage := func(o apitest.Outage) func(s *testProgram) func() {
		return func(s *testProgram) func() { return s.srv.BeginOutage(o) }
	}
	for name, begin := range map[string]func(s *testProgram) (end func()){
		"500 of the list":           fault(apitest.Fail(500, 0)),
		"503 of the list":           fault(apitest.Fail(503, 0)),
		"429 of the list":           fault(apitest.Fail(429, time.Second)),
		"reset of the list":         fault(apitest.Reset()),
		"no response from the list": fault(apitest.Silence()),
		"refused":                   outage(apitest.Outage{Kind: apitest.OutageRefused}),
		"503":                       outage(apitest.Outage{Kind: apitest.OutageUnavailable}),
		"429":                       outage(apitest.Outage{Kind: apitest.OutageTooManyRequests, RetryAfter: time.Second}),
		"EOF":                       outage(apitest.Outage{Kind: apitest.OutageEOF}),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := startMissing(t, newTestProgram(t, apitest.Options{}), kinds, numberedKind)
				end := begin(s.testProgram)
				time.Sleep(30 * time.Second)
				lists, others := s.requestsSince()
				require.LessOrEqual(t, lists, 11)
				require.Zero(t, others, "no informer tries by itself")
				time.Sleep(30 * time.Second)
				lists, others = s.requestsSince()
				require.LessOrEqual(t, lists, 11)
				require.LessOrEqual(t, others, 80, "those whose minute is over, and the probes of the server")
				end()
				for _, i := range []int{7, 31, 49} {
					s.requireFound(i, 10*time.Second)
				}
				s.requestsSince()
				time.Sleep(30 * time.Second)
				lists, others = s.requestsSince()
				require.LessOrEqual(t, lists, 11)
				require.LessOrEqual(t, others, lists+1)
				require.NoError(t, s.stopAndWait())
			})
		})
	}
}

// A 429 delays the next request for the list by its Retry-After, and changes nothing else.
func TestMissingKindsHonorRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startMissing(t, newTestProgram(t, apitest.Options{}), 50, numberedKind)
		fault := s.faultOfDiscovery(apitest.Fail(429, 20*time.Second))
		time.Sleep(3 * time.Second)
		require.Equal(t, 1, fault.Fired())
		fault.Remove()
		s.requestsSince()
		time.Sleep(16 * time.Second)
		lists, others := s.requestsSince()
		require.Zero(t, lists)
		require.Zero(t, others)
		s.requireFound(3, 10*time.Second)
		require.NoError(t, s.stopAndWait())
	})
}

// withoutAggregation removes the request for aggregated discovery, as servers before 1.27
// and some proxies do.
type withoutAggregation struct{ next http.RoundTripper }

func (w withoutAggregation) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.Contains(r.Header.Get("Accept"), "apidiscovery.k8s.io") {
		r = r.Clone(r.Context())
		r.Header.Set("Accept", "application/json")
	}
	return w.next.RoundTrip(r)
}

func (p *testProgram) useWithoutAggregation() *testProgram {
	config := p.srv.Config()
	config.WrapTransport = func(next http.RoundTripper) http.RoundTripper { return withoutAggregation{next} }
	client, err := rest.New(config)
	require.NoError(p.t, err)
	p.t.Cleanup(client.Close)
	p.client = client
	return p
}

// Without aggregated discovery, one request per period asks for the group versions, and one
// for each of them that is served and has missing kinds.
func TestMissingKindsWithoutAggregatedDiscovery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startMissing(t, newTestProgram(t, apitest.Options{}).useWithoutAggregation(), 50, numberedKind)
		time.Sleep(30 * time.Second)
		lists, others := s.requestsSince()
		require.LessOrEqual(t, lists, 11, "no group version is served")
		require.Zero(t, others)
		for _, i := range []int{3, 13, 14} {
			s.requireFound(i, 5*time.Second)
		}
		s.requestsSince()
		time.Sleep(30 * time.Second)
		lists, others = s.requestsSince()
		require.InDelta(t, 30, lists, 3, "the groups, and two group versions with kinds that are missing and kinds that are not")
		require.LessOrEqual(t, others, 10)
		s.requireFound(24, 5*time.Second)
		require.NoError(t, s.stopAndWait())
	})
}

// If /apis cannot be read, each group version is asked for.
func TestMissingKindsWithoutListOfGroups(t *testing.T) {
	for name, action := range map[string]apitest.Action{"403": apitest.Fail(403, 0), "HTML": apitest.HTML(), "truncated": apitest.TruncateJSON(), "no kind": apitest.Respond(200, "application/json", "{}")} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newTestProgram(t, apitest.Options{})
				p.faultOfDiscovery(action)
				s := startMissing(t, p, 50, numberedKind)
				time.Sleep(30 * time.Second)
				lists, others := s.requestsSince()
				require.InDelta(t, 100, lists, 11, "ten group versions, ten times")
				require.Zero(t, others)
				for _, i := range []int{3, 13, 14} {
					s.requireFound(i, 5*time.Second)
				}
				end := p.srv.BeginOutage(apitest.Outage{Kind: apitest.OutageRefused})
				time.Sleep(time.Minute)
				end()
				for i := range 3 {
					s.requireFound(20+i, 10*time.Second)
				}
				require.NoError(t, s.stopAndWait())
			})
		})
	}
}

// If nothing can be read that shows which resources are served, one informer after another
// tries.
func TestMissingKindsWithoutDiscovery(t *testing.T) {
	for _, code := range []int{403, 404} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newTestProgram(t, apitest.Options{})
				p.srv.Fault(apitest.Fault{Match: apitest.Match{Filter: isDiscovery}, Action: apitest.Fail(code, 0)})
				s := &missingKinds{testProgram: p}
				p.start()
				for i := range 3 {
					_, things := p.controllerOf(numberedKind(i), doNothing)
					s.kinds, s.informers = append(s.kinds, numberedKind(i)), append(s.informers, things)
				}
				time.Sleep(time.Minute)
				p.requestsSince()
				time.Sleep(time.Hour)
				lists, others := p.requestsSince()
				require.LessOrEqual(t, lists, 250, "four lists per minute")
				require.LessOrEqual(t, others, 1201)
				s.requireFound(1, 10*time.Second)
				require.NoError(t, s.stopAndWait())
			})
		})
	}
}

// A resource that is served but not listed is found by an attempt of the informer, about
// once a minute.
func TestServedResourceThatIsNotListed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newTestProgram(t, apitest.Options{})
		p.faultOfDiscovery(apitest.Respond(200, "application/json", `{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","items":[]}`))
		s := startMissing(t, p, 5, numberedKind)
		s.requireFound(0, 100*time.Second)
		time.Sleep(time.Hour)
		lists, others := s.requestsSince()
		require.InDelta(t, 1222, lists, 22)
		require.InDelta(t, 4*60, others, 40)
		s.requireFound(1, 100*time.Second)
		require.NoError(t, s.stopAndWait())
	})
}

// Resources of the core group are found by the list of that group.
func TestMissingKindsOfTheCoreGroup(t *testing.T) {
	core := func(i int) testKind {
		k := numberedKind(i)
		k.group = ""
		return k
	}
	synctest.Test(t, func(t *testing.T) {
		p := newTestProgram(t, apitest.Options{})
		s := startMissing(t, p, 50, core)
		time.Sleep(30 * time.Second)
		lists, others := s.requestsSince()
		require.LessOrEqual(t, lists, 11)
		require.Zero(t, others)
		require.NoError(t, p.srv.Register(apitest.Resource{ResourceInfo: core(7).info()}))
		time.Sleep(5 * time.Second)
		require.True(t, s.informers[7].HasSynced())

		end := p.srv.BeginOutage(apitest.Outage{Kind: apitest.OutageRefused})
		time.Sleep(30 * time.Second)
		end()
		require.NoError(t, p.srv.Register(apitest.Resource{ResourceInfo: core(8).info()}))
		time.Sleep(10 * time.Second)
		require.True(t, s.informers[8].HasSynced())
		require.NoError(t, s.stopAndWait())
	})
}

// A resource that a server lists and does not serve, as behind a load balancer, is tried
// with a backoff that grows. When it leaves the list and returns, it is found at once.
func TestListedResourceThatIsNotServed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newTestProgram(t, apitest.Options{})
		k := numberedKind(1)
		k.define(t, p.srv)
		fault := p.srv.Fault(apitest.Fault{Match: apitest.Match{Resource: k.plural}, Action: apitest.Fail(404, 0)})
		c, things := p.controllerOf(k, doNothing)
		p.start(c)
		time.Sleep(10 * time.Minute)
		lists, others := p.requestsSince()
		require.LessOrEqual(t, lists, 201)
		require.Less(t, others, 30)
		require.Greater(t, others, 10)
		require.NotZero(t, things.State().Source.RetryAt)
		k.loseDefinition(t, p.srv)
		fault.Remove()
		time.Sleep(4 * time.Second)
		s := &missingKinds{testProgram: p, kinds: []testKind{k}, informers: []*informer.SharedInformer[*thing]{things}}
		s.requireFound(0, 4*time.Second)
		require.NoError(t, p.stopAndWait())
	})
}
