package informer_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

// Whatever the order of writes, reads, interrupted watches, relists and failures: a read
// returns a state that the server had, and none that is older than the metadata before
// the read. At rest, reads return what the server has, and nothing is running.
func TestRandomReadsOfBodies(t *testing.T) {
	for seed := range uint64(30) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			withFactory(t, informer.FactoryOptions{}, func(f *factoryFixture) {
				s := &bodiesSimulation{bodiesFixture: &bodiesFixture{factoryFixture: f}, random: rand.New(rand.NewPCG(seed, 0)), written: map[string]string{}}
				s.bodies = informer.ForBodies(f.factory, rest.NewView[*Secret](f.client, secrets), informer.BodyOptions[*Secret]{
					MaxBodies: 3, MaxIdle: 20 * time.Second, MaxRequests: 2,
				})
				f.start()
				s.run()
			})
		})
	}
}

type bodiesSimulation struct {
	*bodiesFixture
	random *rand.Rand
	// written has the content of each version of each object, by key@version. Only the
	// test's goroutine writes to it, under mu.
	mu      sync.Mutex
	written map[string]string
	readers sync.WaitGroup
}

func (s *bodiesSimulation) run() {
	for step := range 200 {
		s.step(step)
		time.Sleep(time.Duration(s.random.IntN(500)) * time.Millisecond)
	}
	s.server.RemoveFaults()
	s.readers.Wait()
	time.Sleep(10 * time.Minute)
	stored := map[string]string{}
	for _, secret := range apitest.List(s.t, s.server, &Secret{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"}}) {
		stored[secret.Name] = string(secret.Data["key"])
	}
	for i := range 5 {
		name := fmt.Sprint("s", i)
		want, exists := stored[name]
		if !exists {
			want = "absent"
		}
		require.Equal(s.t, want, s.content(name))
	}
	require.Zero(s.t, s.running())
}

func (s *bodiesSimulation) step(step int) {
	name := fmt.Sprint("s", s.random.IntN(5))
	switch action := s.random.IntN(12); action {
	case 0, 1, 2:
		s.write(name, fmt.Sprint("content of step ", step))
	case 3:
		if s.exists(name) {
			apitest.Delete(s.t, s.server, s.secret(name))
		}
	case 4: // interrupts the watch, and with Compact the next one begins with a list
		if s.random.IntN(2) == 0 {
			s.server.Compact()
		}
		s.server.Restart()
	case 5:
		actions := []apitest.Action{apitest.Delay(3 * time.Second), apitest.Fail(http.StatusInternalServerError, 0), apitest.Break(), apitest.TruncateJSON()}
		s.server.Fault(apitest.Fault{Match: getSecrets, Times: 2, Action: actions[s.random.IntN(len(actions))]})
	default:
		patience := time.Duration(s.random.IntN(5000)) * time.Millisecond
		s.readers.Go(func() { s.read(name, patience) })
	}
	if s.random.IntN(3) == 0 {
		synctest.Wait()
	}
}

func (s *bodiesSimulation) exists(name string) bool {
	for _, secret := range apitest.List(s.t, s.server, &Secret{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"}}) {
		if secret.Name == name {
			return true
		}
	}
	return false
}

func (s *bodiesSimulation) write(name, content string) {
	s.mu.Lock() // a reader may return the state before the version is known
	defer s.mu.Unlock()
	if s.exists(name) {
		s.setSecret(name, content)
	} else {
		s.createSecret(name, content)
	}
	s.written[name+"@"+s.secret(name).ResourceVersion] = content
}

// read reads a body and checks it. A failure of the request is no failure of the test.
func (s *bodiesSimulation) read(name string, patience time.Duration) {
	ctx, cancel := context.WithTimeout(s.ctx, patience)
	defer cancel()
	before := 0
	if meta, ok := s.bodies.Object("shop/" + name); ok {
		before, _ = strconv.Atoi(meta.(rest.Object).GetResourceVersion())
	}
	secret, ok, err := s.bodies.Get(ctx, "shop/"+name)
	if err != nil {
		if ctx.Err() != nil && !errors.Is(err, ctx.Err()) {
			s.t.Errorf("%s: %v", name, err)
		}
		return
	}
	if !ok {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	version, _ := strconv.Atoi(secret.ResourceVersion)
	want, known := s.written[name+"@"+secret.ResourceVersion]
	if !known || want != string(secret.Data["key"]) || version < before {
		s.t.Errorf("%s at %s: %q, want %q; the metadata had %d", name, secret.ResourceVersion, secret.Data["key"], want, before)
	}
}
