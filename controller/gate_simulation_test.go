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
	gateSeed  = flag.Uint64("gate.seed", 0, "the one seed of the simulation of the gate; 0: the first gate.seeds")
	gateSeeds = flag.Uint64("gate.seeds", 0, "how many seeds the simulation of the gate tries; 0: 12, and 4 under the race detector")
)

// memory is what the last reconcile of each key has left of its objects.
type memory struct {
	mu sync.Mutex
	t  *testing.T
	// versions by key and object; 0 is one that was deleted, with that uid.
	versions map[string]map[string]left
	// off: the server was set back, and nobody can say what its versions mean.
	off bool
}

type left struct {
	version uint64
	gone    types.UID
}

// check that an informer shows nothing older than what the key's last run left.
func (m *memory) check(key string, maps *informer.SharedInformer[*configMap]) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.off {
		return
	}
	for name, l := range m.versions[key] {
		obj, found := maps.Get("default/" + name)
		switch {
		case l.gone != "":
			if found && obj.UID == l.gone {
				m.t.Errorf("%s: %s was deleted by its last run, and is still there at version %s", key, name, obj.ResourceVersion)
			}
		case !found && versionOf(maps.Version()) < l.version, found && versionOf(obj.ResourceVersion) < l.version:
			m.t.Errorf("%s: %s was written at %d by its last run, and the informer is at %s", key, name, l.version, maps.Version())
		}
	}
	m.versions[key] = map[string]left{}
}

func (m *memory) wrote(key, name string, l left) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if of := m.versions[key]; of != nil {
		of[name] = l
	}
}

// forget everything, until turned on again.
func (m *memory) forget(off bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.versions, m.off = map[string]map[string]left{}, off
}

func versionOf(text string) uint64 {
	v, _ := strconv.ParseUint(text, 10, 64)
	return v
}

// Whatever is written, however late the watches are, and whatever becomes of
// them and of the controller: a reconcile reads nothing older than what the last
// one of its key has written.
func TestNoReconcileReadsThePast(t *testing.T) {
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
		dice := rand.New(rand.NewPCG(seed, 2)) // of the reconciles, with the memory's lock
		s := newSetting(t, 0)
		maps := informer.For(s.factory, s.maps, informer.Options[*configMap]{})
		m := &memory{t: t, versions: map[string]map[string]left{}}
		reconciles := 0
		c := controller.New("maps", controller.Func(func(ctx context.Context, req controller.Request) (controller.Result, error) {
			key := req.String()
			m.check(key, maps)
			m.mu.Lock()
			reconciles++
			rolls := [4]int{dice.IntN(6), dice.IntN(6), dice.IntN(3), dice.IntN(4)}
			m.mu.Unlock()
			var err error
			for _, roll := range rolls[:rolls[2]] {
				if err = writeSomething(ctx, s, m, maps, key, fmt.Sprint("obj-", rolls[3]), roll); err != nil {
					break
				}
			}
			if rolls[1] == 0 && err == nil && strings.HasPrefix(req.Name, "key-") {
				err = comeAndGo(ctx, s, m, key, "of-"+req.Name)
			}
			return controller.Result{RequeueAfter: time.Duration(rolls[0]) * time.Second}, err
		}), controller.Options{MaxConcurrentReconciles: 3, WriteTimeout: 10 * time.Second})
		controller.For(c, maps)
		require.NoError(t, s.factory.Start(t.Context()))
		for i := range 3 {
			s.make(fmt.Sprint("key-", i))
		}
		for range 4 {
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error)
			go func() { ended <- c.Run(ctx) }()
			for range 6 {
				disturb(s, rng)
				time.Sleep(time.Duration(rng.IntN(20000)) * time.Millisecond)
			}
			if rng.IntN(2) == 0 {
				m.forget(true)
				s.server.RestartBack(1 + rng.Uint64N(30))
				s.server.LiftFaults()
				time.Sleep(3 * time.Minute) // until the informer has noticed
				m.forget(false)
			}
			s.server.LiftFaults()
			time.Sleep(time.Duration(rng.IntN(3000)) * time.Millisecond)
			cancel()
			require.NoError(t, <-ended)
		}
		require.Greater(t, reconciles, 20, "it stands still")
		require.NoError(t, s.factory.Shutdown())
	})
}

// disturb has the watches be late, or break.
func disturb(s *setting, rng *rand.Rand) {
	watches := apitest.Match{Verb: "watch"}
	switch rng.IntN(5) {
	case 0, 1:
		s.server.LiftFaults()
		s.server.Fault(apitest.Fault{On: watches, Do: apitest.DelayEvents(time.Duration(rng.IntN(5000)) * time.Millisecond)})
		s.server.Restart()
	case 2:
		s.server.Fault(apitest.Fault{On: watches, Nth: 1, Do: apitest.AfterEvents(rng.IntN(3), apitest.Break())})
	case 3:
		s.server.Compact()
		s.server.Restart()
	}
}

// writeSomething writes, and remembers what it has left.
func writeSomething(ctx context.Context, s *setting, m *memory, maps *informer.SharedInformer[*configMap], key, name string, roll int) error {
	note := func(obj *configMap, err error) error {
		if err == nil {
			m.wrote(key, name, left{version: versionOf(obj.ResourceVersion)})
		}
		return err
	}
	switch roll {
	case 0, 1, 2:
		err := note(s.maps.Patch(ctx, name, types.MergePatchType, fmt.Appendf(nil, `{"data":{"at":"%d"}}`, time.Now().UnixNano()), metav1.PatchOptions{}))
		if !apierrors.IsNotFound(err) {
			return err
		}
		fallthrough
	case 3:
		err := note(s.maps.Create(ctx, newMap(name), metav1.CreateOptions{}))
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
			m.wrote(key, name, left{gone: obj.UID})
		}
		if apierrors.IsConflict(err) {
			return nil
		}
		return controller.IgnoreNotFound(err)
	}
}

// comeAndGo makes an object, and deletes it a moment later.
func comeAndGo(ctx context.Context, s *setting, m *memory, key, name string) error {
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
		m.wrote(key, name, left{gone: obj.UID})
	}
	return err
}
