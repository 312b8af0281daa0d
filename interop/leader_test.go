package interop_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	clientrest "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/controller/leader"
	"github.com/thinformer/thinformer/rest"
)

// The durations of both libraries: the defaults of ours.
const (
	leaseDuration = 15 * time.Second
	renewDeadline = 10 * time.Second
	retryPeriod   = 2 * time.Second
)

// nextLook is the time until a candidate has checked again, with client-go's jitter, and has
// written.
const nextLook = 5 * time.Second

var election = &coordinationv1.Lease{
	TypeMeta:   metav1.TypeMeta{APIVersion: "coordination.k8s.io/v1", Kind: "Lease"},
	ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "operator"},
}

// electorate records the candidates of either library, and which of them leads.
type electorate struct {
	t       *testing.T
	srv     *apitest.Server
	mu      sync.Mutex
	leading map[string]bool
	won     chan string
}

func newElectorate(t *testing.T) *electorate {
	srv := apitest.NewServer(apitest.Options{InMemory: true})
	t.Cleanup(srv.Close)
	return &electorate{t: t, srv: srv, leading: map[string]bool{}, won: make(chan string, 10)}
}

func (e *electorate) begins(name string) {
	e.mu.Lock()
	for other := range e.leading {
		e.t.Errorf("%s leads beside %s", name, other)
	}
	e.leading[name] = true
	e.mu.Unlock()
	e.won <- name
}

func (e *electorate) ends(name string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.leading, name)
}

// next waits for the next leader.
func (e *electorate) next(within time.Duration) string {
	select {
	case name := <-e.won:
		return name
	case <-time.After(within):
		return ""
	}
}

func (e *electorate) lease() *coordinationv1.Lease { return apitest.Get(e.t, e.srv, election) }

// ours is a candidate of this library. stop ends it and waits.
func (e *electorate) ours(name string) (elector *leader.Elector, stop func()) {
	client, err := rest.New(e.srv.Config())
	require.NoError(e.t, err)
	elector = leader.New(client, leader.Options{
		Namespace: "default", Name: "operator", Identity: name, Logger: slog.New(slog.DiscardHandler),
	})
	return elector, e.run(func(ctx context.Context) {
		require.NoError(e.t, elector.Run(ctx, func(ctx context.Context) error {
			e.begins(name)
			defer e.ends(name)
			<-ctx.Done()
			return nil
		}))
		client.Close()
	})
}

// theirs is a candidate of client-go. stop ends it and waits.
func (e *electorate) theirs(name string, release bool) (stop func()) {
	transport := &http.Transport{DialContext: e.srv.Config().Dial}
	client, err := kubernetes.NewForConfig(&clientrest.Config{Host: e.srv.URL, Transport: transport})
	require.NoError(e.t, err)
	return e.run(func(ctx context.Context) {
		// OnStartedLeading must return before the Lease is released; here it returns
		// at once.
		leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
			Lock: &resourcelock.LeaseLock{
				LeaseMeta: election.ObjectMeta, Client: client.CoordinationV1(),
				LockConfig: resourcelock.ResourceLockConfig{Identity: name},
			},
			LeaseDuration: leaseDuration, RenewDeadline: renewDeadline, RetryPeriod: retryPeriod,
			ReleaseOnCancel: release,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(leading context.Context) {
					e.begins(name)
					context.AfterFunc(leading, func() { e.ends(name) })
				},
				OnStoppedLeading: func() {},
			},
		})
		transport.CloseIdleConnections()
	})
}

func (e *electorate) run(f func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { f(ctx) })
	return sync.OnceFunc(func() { cancel(); running.Wait() })
}

// stays fails if another candidate leads within twice the duration after which an expired
// Lease is taken.
func (e *electorate) stays(leader string) {
	e.t.Helper()
	require.Empty(e.t, e.next(2*leaseDuration), "%s leads and renews", leader)
	require.Equal(e.t, leader, *e.lease().Spec.HolderIdentity)
}

// Both libraries share one Lease: the second candidate waits, and leads at its next check
// after the first one has stopped.
func TestLeaseIsSharedWithClientGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newElectorate(t)
		stopTheirs := e.theirs("theirs-1", true)
		require.Equal(t, "theirs-1", e.next(nextLook))
		elector, stopOurs := e.ours("ours-1")
		e.stays("theirs-1")
		require.Equal(t, "theirs-1", elector.State().Leader)

		stopTheirs()
		require.Equal(t, "ours-1", e.next(nextLook), "it was given back")
		require.EqualValues(t, 1, *e.lease().Spec.LeaseTransitions)
		stopTheirs = e.theirs("theirs-2", true)
		e.stays("ours-1")

		stopOurs()
		require.Equal(t, "theirs-2", e.next(nextLook), "it was given back")
		require.EqualValues(t, 2, *e.lease().Spec.LeaseTransitions)
		stopTheirs()
	})
}

// Both libraries wait for the expiry of a Lease that was not released.
func TestExpiryOfDeadHolderIsAwaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newElectorate(t)
		stopTheirs := e.theirs("theirs", false)
		require.Equal(t, "theirs", e.next(nextLook))
		_, stopOurs := e.ours("ours")
		e.stays("theirs")
		stopTheirs()
		require.Empty(t, e.next(leaseDuration-nextLook))
		require.Equal(t, "ours", e.next(2*nextLook))

		stopTheirs = e.theirs("theirs-2", true)
		e.stays("ours")
		// It has lost its connection and cannot release the Lease either.
		fault := e.srv.Fault(apitest.Fault{Match: apitest.Match{Resource: "leases"}, Action: apitest.Reset()})
		stopOurs()
		fault.Remove()
		require.Empty(t, e.next(leaseDuration-2*nextLook))
		require.Equal(t, "theirs-2", e.next(leaseDuration+nextLook))
		stopTheirs()
	})
}

// The record has the format of client-go: the same fields of the same types, both held and
// released.
func TestRecordHasFormatOfClientGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		theirs, theirsReleased := written(t, func(e *electorate) (stop func()) { return e.theirs("a", true) })
		ours, oursReleased := written(t, func(e *electorate) (stop func()) { _, stop = e.ours("a"); return stop })
		require.Equal(t, theirs, ours)
		require.Equal(t, theirsReleased, oursReleased)
	})
}

// written is a record written into a Lease, and the record after its release.
func written(t *testing.T, start func(*electorate) (stop func())) (held, released map[string]any) {
	e := newElectorate(t)
	spec := func() (spec map[string]any) {
		text, err := json.Marshal(e.lease().Spec)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, &spec))
		for _, name := range []string{"acquireTime", "renewTime"} {
			at, err := time.Parse(metav1.RFC3339Micro, spec[name].(string))
			require.NoError(t, err)
			require.WithinDuration(t, time.Now(), at, time.Minute)
			spec[name] = "a time"
		}
		return spec
	}
	stop := start(e)
	require.NotEmpty(t, e.next(nextLook))
	held = spec()
	stop()
	return held, spec()
}

// The longer duration of a holder's own Lease is respected, and fields that this library
// does not know are kept.
func TestLongerLeaseIsHonored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newElectorate(t)
		held := election.DeepCopy()
		held.Labels = map[string]string{"team": "shop"}
		held.Spec = coordinationv1.LeaseSpec{
			HolderIdentity: new("elsewhere"), LeaseDurationSeconds: new(int32(60)), LeaseTransitions: new(int32(41)),
			// The clock is hours behind; clocks are not compared.
			RenewTime: &metav1.MicroTime{Time: time.Now().Add(-5 * time.Hour)},
			Strategy:  new(coordinationv1.OldestEmulationVersion),
		}
		apitest.Create(t, e.srv, held)
		_, stop := e.ours("ours")
		require.Empty(t, e.next(59*time.Second))
		require.Equal(t, "ours", e.next(nextLook))
		lease := e.lease()
		require.Equal(t, "shop", lease.Labels["team"])
		require.Equal(t, coordinationv1.OldestEmulationVersion, *lease.Spec.Strategy)
		require.EqualValues(t, 42, *lease.Spec.LeaseTransitions)
		stop()
	})
}
