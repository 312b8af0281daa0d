package discovery

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// resourcesOf are the lists of aCluster.
func resourcesOf(tb testing.TB) map[schema.GroupVersion]*metav1.APIResourceList {
	tb.Helper()
	lists := map[schema.GroupVersion]*metav1.APIResourceList{}
	for _, g := range aCluster() {
		for _, v := range g.versions {
			gv := schema.GroupVersion{Group: g.name, Version: v.name}
			list := legacyList(gv, v.resources).(metav1.APIResourceList)
			lists[gv] = &list
		}
	}
	return lists
}

// more is aCluster with one group more.
func more() []group {
	return append(aCluster(), group{"new.io", []versionOf{{name: "v1", resources: []resourceOf{{line: "novelties novelty Novelty"}}}}})
}

// Contract: the server is asked once for all callers, and the answer is kept.
func TestTheServerIsAskedOnceForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(true)
		slow(s, "/api", time.Second)
		m := NewMapper(s.inProcess(t))
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				_, err := m.ForResource(t.Context(), "pods")
				assert.NoError(t, err)
			})
		}
		all.Wait()
		_, err := m.ForKind(t.Context(), schema.GroupVersionKind{Group: "apps", Kind: "Deployment"})
		require.NoError(t, err)
		require.Equal(t, map[string]int{"/api": 1, "/apis": 1}, s.requests())
	})
}

// hangover is how long a slow answer that nobody wants any more goes on.
const hangover = time.Second

// slow makes an answer of the server take a while.
func slow(s *server, path string, wait time.Duration) {
	s.answers(path, func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(wait):
		case <-r.Context().Done():
			time.Sleep(hangover)
			s.givenUp.Add(1)
			return
		}
		plain := newServer(s.aggregated)
		s.mu.Lock()
		plain.serves = s.serves
		s.mu.Unlock()
		plain.ServeHTTP(w, r)
	})
}

// Contract: a name that is not known makes it ask once more.
func TestAMissAsksOnceMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(true)
		m := NewMapper(s.inProcess(t))
		_, err := m.ForResource(t.Context(), "novelties")
		var noMatch *NoMatchError
		require.ErrorAs(t, err, &noMatch)
		require.Equal(t, `the server has no resource "novelties"`, err.Error())
		require.Equal(t, 1, s.requests()["/apis"], "what was asked for it just now is not asked again")

		s.serve(more())
		found, err := m.ForResource(t.Context(), "novelties")
		require.NoError(t, err)
		require.Equal(t, "new.io", found.Group)
		require.Equal(t, 2, s.requests()["/apis"])
	})
}

// Contract: an error that came as the context ended is told with that.
func TestTheEndOfTheContextDoesNotHideWhyTheServerFailed(t *testing.T) {
	m, failed, ended := NewMapper(nil), errors.New("the server is ill"), errors.New("enough")
	ctx, end := context.WithCancelCause(t.Context())
	end(ended)
	for _, known := range []*catalog{nil, newCatalog(&answers{})} {
		for range 20 { // whichever of the two is seen first
			m.known, m.flight = known, &flight{cancel: func() {}, done: make(chan struct{}), err: failed}
			close(m.flight.done)
			_, err := m.ForResource(ctx, "pods")
			require.ErrorIs(t, err, failed)
			require.ErrorIs(t, err, ended)
		}
	}
}

// Contract: a miss is what apimachinery calls one, unless it is not certain.
func TestAMissIsKnownToApimachinery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := NewMapper(newServer(true).inProcess(t))
		_, err := m.ForResource(t.Context(), "novelties.new.io")
		require.True(t, meta.IsNoMatchError(err))
		var noResource *meta.NoResourceMatchError
		require.ErrorAs(t, err, &noResource)
		require.Equal(t, schema.GroupVersionResource{Group: "new.io", Resource: "novelties"}, noResource.PartialResource)

		_, err = m.ForKind(t.Context(), schema.GroupVersionKind{Group: "new.io", Version: "v1", Kind: "Novelty"})
		require.True(t, meta.IsNoMatchError(err))
		var noKind *meta.NoKindMatchError
		require.ErrorAs(t, err, &noKind)
		require.Equal(t, &meta.NoKindMatchError{GroupKind: schema.GroupKind{Group: "new.io", Kind: "Novelty"}, SearchedVersions: []string{"v1"}}, noKind)

		var noMatch *NoMatchError
		require.ErrorAs(t, err, &noMatch)
		noMatch.Err = errors.New("the server is ill")
		require.False(t, meta.IsNoMatchError(err))
		noMatch.Partial, noMatch.Err = &PartialError{}, nil
		require.False(t, meta.IsNoMatchError(err))
	})
}

// Contract: who misses while the server is being asked again waits for that.
func TestMissesAtTheSameTimeWaitForTheSameAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(true)
		m := NewMapper(s.inProcess(t))
		_, err := m.Resources(t.Context())
		require.NoError(t, err)
		s.serve(more())
		slow(s, "/apis", time.Second)
		var all sync.WaitGroup
		for i := range 10 {
			all.Go(func() {
				time.Sleep(time.Duration(i) * 50 * time.Millisecond)
				_, err := m.ForResource(t.Context(), "novelties")
				assert.NoError(t, err)
			})
		}
		all.Wait()
		require.Equal(t, 2, s.requests()["/apis"])
	})
}

// Contract: however many names miss, the server is asked at most every few
// seconds, and names that are known never wait.
func TestAStormOfMisses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(true)
		m := NewMapper(s.inProcess(t))
		_, err := m.Resources(t.Context())
		require.NoError(t, err)
		slow(s, "/apis", time.Second)

		began := time.Now()
		var all sync.WaitGroup
		for i := range 100 {
			all.Go(func() {
				for n := range 100 {
					time.Sleep(100 * time.Millisecond)
					_, err := m.ForResource(t.Context(), fmt.Sprintf("miss-%d-%d", i, n))
					assert.Error(t, err)
					before := time.Now()
					_, err = m.ForResource(t.Context(), "pods")
					assert.NoError(t, err)
					assert.Zero(t, time.Since(before))
				}
			})
		}
		all.Wait()
		took := time.Since(began)
		require.LessOrEqual(t, s.requests()["/apis"], 2+int(took/missInterval), "in %v", took)
		require.GreaterOrEqual(t, s.requests()["/apis"], 3)
	})
}

// Contract: Invalidate has the server asked by whoever asks next, and what was
// asked before is not used for them.
func TestInvalidate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(true)
		m := NewMapper(s.inProcess(t))
		_, err := m.ForResource(t.Context(), "pods")
		require.NoError(t, err)
		s.serve(nil)
		_, err = m.ForResource(t.Context(), "pods")
		require.NoError(t, err, "it was kept")
		m.Invalidate()
		_, err = m.ForResource(t.Context(), "pods")
		require.Error(t, err)

		// While an old answer is under way: it is for those who wait for it.
		m.Invalidate()
		release := make(chan struct{})
		s.answers("/api", func(w http.ResponseWriter, r *http.Request) {
			<-release
			http.NotFound(w, r)
		})
		old := make(chan error)
		go func() {
			_, err := m.ForResource(t.Context(), "novelties")
			old <- err
		}()
		synctest.Wait()
		m.Invalidate()
		s.serve(more())
		s.heals("/api")
		_, err = m.ForResource(t.Context(), "novelties")
		require.NoError(t, err)
		asked := s.requests()["/apis"]
		close(release)
		require.NoError(t, <-old) // it, too, was answered after the change
		found, err := m.ForResource(t.Context(), "pods")
		require.NoError(t, err)
		require.Empty(t, found.Group, "the late answer, which has no core, was not kept")
		require.Equal(t, asked+1, s.requests()["/apis"])
	})
}

// Contract: each leaves when its own context ends, and takes nobody along; when
// the last has left, the asking ends.
func TestWaitersLeaveOneByOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(true)
		slow(s, "/apis", time.Minute)
		m := NewMapper(s.inProcess(t))
		began := time.Now()
		gone := errors.New("gone")
		leader, leave := context.WithCancelCause(t.Context())
		first, second := make(chan error), make(chan error)
		go func() { _, err := m.ForResource(leader, "pods"); first <- err }()
		synctest.Wait()
		go func() { _, err := m.ForResource(t.Context(), "pods"); second <- err }()
		synctest.Wait()

		leave(gone)
		require.ErrorIs(t, <-first, gone)
		require.Zero(t, time.Since(began), "it left at once")
		require.NoError(t, <-second)
		require.Equal(t, time.Minute, time.Since(began))
		require.Equal(t, 1, s.requests()["/apis"])

		// Alone.
		m.Invalidate()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := m.ForResource(ctx, "pods")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorContains(t, err, `look up the resource "pods": `)
		s.heals("/apis")
		before := time.Now()
		_, err = m.ForResource(t.Context(), "pods")
		require.NoError(t, err, "who comes after is not given what was given up")
		require.Zero(t, time.Since(before), "nor waits for it")
		time.Sleep(hangover)
		synctest.Wait()
		require.EqualValues(t, 1, s.givenUp.Load(), "the request has ended")
	})
}

// Contract: when the server cannot be asked the lookup fails with its error, and
// the next one asks again; what is known stays known.
func TestTheServerIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(true)
		s.breaks("/apis", http.StatusForbidden, "text/plain", "not you")
		m := NewMapper(s.inProcess(t))
		_, err := m.ForResource(t.Context(), "pods")
		require.ErrorContains(t, err, "not you")
		var noMatch *NoMatchError
		require.False(t, errors.As(err, &noMatch), "nothing is known, that least")
		_, err = m.Resources(t.Context())
		require.ErrorContains(t, err, "list the server's resources: ")

		s.heals("/apis")
		_, err = m.ForResource(t.Context(), "pods")
		require.NoError(t, err)

		s.breaks("/apis", http.StatusForbidden, "text/plain", "not you")
		_, err = m.ForResource(t.Context(), "novelties")
		require.ErrorAs(t, err, &noMatch)
		require.ErrorContains(t, err, "not you")
		require.Error(t, noMatch.Err)
		_, err = m.ForResource(t.Context(), "pods")
		require.NoError(t, err)
	})
}
