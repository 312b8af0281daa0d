package controller_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/informer"
)

var (
	gateSeed  = flag.Uint64("gate.seed", 0, "run the gate simulation with this seed only; 0 runs the first gate.seeds")
	gateSeeds = flag.Uint64("gate.seeds", 0, "number of seeds of the gate simulation; 0 means 12, or 4 with the race detector")
)

// writeTracker stores the last write of each key to each object.
type writeTracker struct {
	mu sync.Mutex
	t  *testing.T
	// versions holds the last writes by key and object.
	versions map[string]map[string]lastWrite
	// disabled is set while the server is restored and its versions have no meaning.
	disabled bool
}

type lastWrite struct {
	version uint64
	deleted types.UID // the UID if the write was a deletion
}

// check reports an error if the informer does not have the key's last writes.
func (t *writeTracker) check(key string, maps *informer.SharedInformer[*configMap]) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.disabled {
		return
	}
	for name, l := range t.versions[key] {
		obj, found := maps.Get("default/" + name)
		switch {
		case l.deleted != "":
			if found && obj.UID == l.deleted {
				t.t.Errorf("%s: %s was deleted by the last reconcile; the informer still has version %s", key, name, obj.ResourceVersion)
			}
		case !found && versionOf(maps.Version()) < l.version, found && versionOf(obj.ResourceVersion) < l.version:
			t.t.Errorf("%s: %s was written at version %d by the last reconcile; the informer is at version %s", key, name, l.version, maps.Version())
		}
	}
	t.versions[key] = map[string]lastWrite{}
}

func (t *writeTracker) wrote(key, name string, l lastWrite) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if versions := t.versions[key]; versions != nil {
		versions[name] = l
	}
}

// reset removes all writes.
func (t *writeTracker) reset(disabled bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.versions, t.disabled = map[string]map[string]lastWrite{}, disabled
}

func versionOf(text string) uint64 {
	v, _ := strconv.ParseUint(text, 10, 64)
	return v
}

// A reconcile reads no state older than the writes of the last reconcile of its key, with
// random writes, delayed and broken watches, restores of the server and restarts of the
// controller.
func TestNoReconcileReadsStaleState(t *testing.T) {
	if *gateSeed != 0 {
		t.Run(fmt.Sprint("seed ", *gateSeed), func(t *testing.T) { simulateGate(t, *gateSeed) })
		return
	}
	seeds := *gateSeeds
	if seeds == 0 {
		seeds = 12
		if controller.RaceEnabled {
			seeds = 4
		}
	}
	for seed := uint64(1); seed <= seeds; seed++ {
		t.Run(fmt.Sprintf("-gate.seed=%d", seed), func(t *testing.T) { simulateGate(t, seed) })
	}
}

func simulateGate(t *testing.T, seed uint64) {
	synctest.Test(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(seed, 1))
		reconcileRNG := rand.New(rand.NewPCG(seed, 2)) // guarded by m.mu
		s := newFixture(t, 0)
		maps := informer.For(s.factory, s.maps, informer.Options[*configMap]{})
		m := &writeTracker{t: t, versions: map[string]map[string]lastWrite{}}
		reconciles := 0
		c := controller.New("maps", controller.Func(func(ctx context.Context, req controller.Request) (controller.Result, error) {
			key := req.String()
			m.check(key, maps)
			m.mu.Lock()
			reconciles++
			rolls := [4]int{reconcileRNG.IntN(6), reconcileRNG.IntN(6), reconcileRNG.IntN(3), reconcileRNG.IntN(4)}
			m.mu.Unlock()
			var err error
			for _, roll := range rolls[:rolls[2]] {
				if err = randomWrite(ctx, s, m, maps, key, fmt.Sprint("obj-", rolls[3]), roll); err != nil {
					break
				}
			}
			if rolls[1] == 0 && err == nil && strings.HasPrefix(req.Name, "key-") {
				err = createAndDelete(ctx, s, m, key, "of-"+req.Name)
			}
			return controller.Result{RequeueAfter: time.Duration(rolls[0]) * time.Second}, err
		}), controller.Options{MaxConcurrentReconciles: 3, WriteTimeout: 10 * time.Second})
		controller.For(c, maps)
		require.NoError(t, s.factory.Start(t.Context()))
		for i := range 3 {
			s.create(fmt.Sprint("key-", i))
		}
		for range 4 {
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error)
			go func() { ended <- c.Run(ctx) }()
			for range 6 {
				injectFault(s, rng)
				time.Sleep(time.Duration(rng.IntN(20000)) * time.Millisecond)
			}
			if rng.IntN(2) == 0 {
				m.reset(true)
				back := s.server.BeginOutage(apitest.Outage{Kind: apitest.OutageRefused})
				s.server.RestartFromBackup(1 + rng.Uint64N(30))
				s.server.RemoveFaults()
				time.Sleep(2 * time.Second) // the server is down during the restore
				back()
				time.Sleep(3 * time.Minute) // the informer begins a new epoch
				m.reset(false)
			}
			s.server.RemoveFaults()
			time.Sleep(time.Duration(rng.IntN(3000)) * time.Millisecond)
			cancel()
			require.NoError(t, <-ended)
		}
		require.Greater(t, reconciles, 20, "the simulation makes no progress")
		require.NoError(t, s.factory.Shutdown())
	})
}

// injectFault delays or breaks the watches.
func injectFault(s *fixture, rng *rand.Rand) {
	watches := apitest.Match{Verb: "watch"}
	switch rng.IntN(5) {
	case 0, 1:
		s.server.RemoveFaults()
		s.server.Fault(apitest.Fault{Match: watches, Action: apitest.DelayEvents(time.Duration(rng.IntN(5000)) * time.Millisecond)})
		s.server.Restart()
	case 2:
		s.server.Fault(apitest.Fault{Match: watches, Nth: 1, Action: apitest.AfterEvents(rng.IntN(3), apitest.Break())})
	case 3:
		s.server.Compact()
		s.server.Restart()
	}
}

// randomWrite makes the write that roll selects and records it.
func randomWrite(ctx context.Context, s *fixture, m *writeTracker, maps *informer.SharedInformer[*configMap], key, name string, roll int) error {
	record := func(obj *configMap, err error) error {
		if err == nil {
			m.wrote(key, name, lastWrite{version: versionOf(obj.ResourceVersion)})
		}
		return err
	}
	switch roll {
	case 0, 1, 2:
		err := record(s.maps.Patch(ctx, name, types.MergePatchType, fmt.Appendf(nil, `{"data":{"at":"%d"}}`, time.Now().UnixNano()), metav1.PatchOptions{}))
		if !apierrors.IsNotFound(err) {
			return err
		}
		fallthrough
	case 3:
		err := record(s.maps.Create(ctx, newMap(name), metav1.CreateOptions{}))
		if apierrors.IsAlreadyExists(err) {
			return nil
		}
		return err
	default:
		obj, found := maps.Get("default/" + name)
		if !found {
			return nil
		}
		err := s.maps.Delete(ctx, name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &obj.UID}})
		if err == nil {
			m.wrote(key, name, lastWrite{deleted: obj.UID})
		}
		if apierrors.IsConflict(err) {
			return nil
		}
		return controller.IgnoreNotFound(err)
	}
}

// createAndDelete creates an object and deletes it after a second.
func createAndDelete(ctx context.Context, s *fixture, m *writeTracker, key, name string) error {
	obj, err := s.maps.Create(ctx, newMap(name), metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return controller.IgnoreNotFound(s.maps.Delete(ctx, name, metav1.DeleteOptions{}))
	}
	if err != nil {
		return err
	}
	time.Sleep(time.Second)
	err = s.maps.Delete(ctx, name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &obj.UID}})
	if err == nil {
		m.wrote(key, name, lastWrite{deleted: obj.UID})
	}
	return err
}
