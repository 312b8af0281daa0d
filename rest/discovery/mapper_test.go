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

// testClusterLists returns the resource lists of testCluster.
func testClusterLists(tb testing.TB) map[schema.GroupVersion]*metav1.APIResourceList {
	tb.Helper()
	lists := map[schema.GroupVersion]*metav1.APIResourceList{}
	for _, g := range testCluster() {
		for _, v := range g.versions {
			gv := schema.GroupVersion{Group: g.name, Version: v.name}
			list := legacyResourceList(gv, v.resources).(metav1.APIResourceList)
			lists[gv] = &list
		}
	}
	return lists
}

// testClusterWithNewGroup returns testCluster with one more group.
func testClusterWithNewGroup() []testGroup {
	return append(testCluster(), testGroup{"new.io", []testVersion{{name: "v1", resources: []testResource{{spec: "novelties novelty Novelty"}}}}})
}

// Contract: a Mapper discovers once for all callers, and caches the result.
func TestAllCallersShareOneDiscovery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(true)
		delayResponse(s, "/api", time.Second)
		m := NewMapper(s.startInProcess(t))
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
		require.Equal(t, map[string]int{"/api": 1, "/apis": 1}, s.requestsByPath())
	})
}

// cancelDelay is the time between the end of a delayed request and its return.
const cancelDelay = time.Second

// delayResponse delays the responses of a path.
func delayResponse(s *server, path string, wait time.Duration) {
	s.handle(path, func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(wait):
		case <-r.Context().Done():
			time.Sleep(cancelDelay)
			s.cancelledRequests.Add(1)
			return
		}
		plain := newServer(s.aggregated)
		s.mu.Lock()
		plain.groups = s.groups
		s.mu.Unlock()
		plain.ServeHTTP(w, r)
	})
}

// Contract: a miss causes one refresh.
func TestAMissCausesOneRefresh(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(true)
		m := NewMapper(s.startInProcess(t))
		_, err := m.ForResource(t.Context(), "novelties")
		var noMatch *NoMatchError
		require.ErrorAs(t, err, &noMatch)
		require.Equal(t, `the server has no resource "novelties"`, err.Error())
		require.Equal(t, 1, s.requestsByPath()["/apis"], "a miss in a result just received causes no refresh")

		s.setGroups(testClusterWithNewGroup())
		found, err := m.ForResource(t.Context(), "novelties")
		require.NoError(t, err)
		require.Equal(t, "new.io", found.Group)
		require.Equal(t, 2, s.requestsByPath()["/apis"])
	})
}

// Contract: if discovery fails and the context ends, the error wraps both causes.
func TestAnEndedContextDoesNotHideTheErrorOfTheServer(t *testing.T) {
	m, failed, ended := NewMapper(nil), errors.New("server error"), errors.New("cancelled by the test")
	ctx, end := context.WithCancelCause(t.Context())
	end(ended)
	for _, index := range []*resourceIndex{nil, newResourceIndex(&serverResources{})} {
		for range 20 { // select chooses between the two at random
			m.index, m.refresh = index, &refresh{cancel: func() {}, done: make(chan struct{}), err: failed}
			close(m.refresh.done)
			_, err := m.ForResource(ctx, "pods")
			require.ErrorIs(t, err, failed)
			require.ErrorIs(t, err, ended)
		}
	}
}

// Contract: meta.IsNoMatchError reports true for a miss if discovery was complete.
func TestAMissIsANoMatchErrorOfApimachinery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := NewMapper(newServer(true).startInProcess(t))
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
		noMatch.Err = errors.New("server error")
		require.False(t, meta.IsNoMatchError(err))
		noMatch.Partial, noMatch.Err = &PartialError{}, nil
		require.False(t, meta.IsNoMatchError(err))
	})
}

// Contract: a caller that misses during a refresh waits for that refresh.
func TestConcurrentMissesShareOneRefresh(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(true)
		m := NewMapper(s.startInProcess(t))
		_, err := m.Resources(t.Context())
		require.NoError(t, err)
		s.setGroups(testClusterWithNewGroup())
		delayResponse(s, "/apis", time.Second)
		var all sync.WaitGroup
		for i := range 10 {
			all.Go(func() {
				time.Sleep(time.Duration(i) * 50 * time.Millisecond)
				_, err := m.ForResource(t.Context(), "novelties")
				assert.NoError(t, err)
			})
		}
		all.Wait()
		require.Equal(t, 2, s.requestsByPath()["/apis"])
	})
}

// Contract: misses cause at most one refresh each missRefreshInterval, and lookups
// of known names never wait.
func TestRefreshesAfterMissesAreRateLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(true)
		m := NewMapper(s.startInProcess(t))
		_, err := m.Resources(t.Context())
		require.NoError(t, err)
		delayResponse(s, "/apis", time.Second)

		start := time.Now()
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
		took := time.Since(start)
		require.LessOrEqual(t, s.requestsByPath()["/apis"], 2+int(took/missRefreshInterval), "in %v", took)
		require.GreaterOrEqual(t, s.requestsByPath()["/apis"], 3)
	})
}

// Contract: after Invalidate the next lookup starts a discovery, and does not use the
// result of an earlier one.
func TestInvalidate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(true)
		m := NewMapper(s.startInProcess(t))
		_, err := m.ForResource(t.Context(), "pods")
		require.NoError(t, err)
		s.setGroups(nil)
		_, err = m.ForResource(t.Context(), "pods")
		require.NoError(t, err, "the result is cached")
		m.Invalidate()
		_, err = m.ForResource(t.Context(), "pods")
		require.Error(t, err)

		// A running discovery is used only by the callers that wait for it.
		m.Invalidate()
		release := make(chan struct{})
		s.handle("/api", func(w http.ResponseWriter, r *http.Request) {
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
		s.setGroups(testClusterWithNewGroup())
		s.restore("/api")
		_, err = m.ForResource(t.Context(), "novelties")
		require.NoError(t, err)
		before := s.requestsByPath()["/apis"]
		close(release)
		require.NoError(t, <-old) // its second request was also answered after the change
		found, err := m.ForResource(t.Context(), "pods")
		require.NoError(t, err)
		require.Empty(t, found.Group, "the late result, which has no core group, is not cached")
		require.Equal(t, before+1, s.requestsByPath()["/apis"])
	})
}

// Contract: a caller stops waiting when its context ends, without affecting the
// others. When the last caller has left, the discovery is cancelled.
func TestADiscoveryIsCancelledWhenItsLastCallerLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(true)
		delayResponse(s, "/apis", time.Minute)
		m := NewMapper(s.startInProcess(t))
		start := time.Now()
		left := errors.New("left")
		firstCtx, leave := context.WithCancelCause(t.Context())
		first, second := make(chan error), make(chan error)
		go func() { _, err := m.ForResource(firstCtx, "pods"); first <- err }()
		synctest.Wait()
		go func() { _, err := m.ForResource(t.Context(), "pods"); second <- err }()
		synctest.Wait()

		leave(left)
		require.ErrorIs(t, <-first, left)
		require.Zero(t, time.Since(start), "the caller returns at once")
		require.NoError(t, <-second)
		require.Equal(t, time.Minute, time.Since(start))
		require.Equal(t, 1, s.requestsByPath()["/apis"])

		// The only caller.
		m.Invalidate()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := m.ForResource(ctx, "pods")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorContains(t, err, `look up the resource "pods": `)
		s.restore("/apis")
		before := time.Now()
		_, err = m.ForResource(t.Context(), "pods")
		require.NoError(t, err, "a later caller does not join the cancelled discovery")
		require.Zero(t, time.Since(before), "or wait for it")
		time.Sleep(cancelDelay)
		synctest.Wait()
		require.EqualValues(t, 1, s.cancelledRequests.Load(), "the request has ended")
	})
}

// Contract: if discovery fails, the lookup returns its error and the next lookup
// retries. The cache stays valid.
func TestFailedDiscoveryIsRetriedAndKeepsTheCache(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(true)
		s.respond("/apis", http.StatusForbidden, "text/plain", "not you")
		m := NewMapper(s.startInProcess(t))
		_, err := m.ForResource(t.Context(), "pods")
		require.ErrorContains(t, err, "not you")
		var noMatch *NoMatchError
		require.False(t, errors.As(err, &noMatch), "without any result there is no NoMatchError")
		_, err = m.Resources(t.Context())
		require.ErrorContains(t, err, "list the server's resources: ")

		s.restore("/apis")
		_, err = m.ForResource(t.Context(), "pods")
		require.NoError(t, err)

		s.respond("/apis", http.StatusForbidden, "text/plain", "not you")
		_, err = m.ForResource(t.Context(), "novelties")
		require.ErrorAs(t, err, &noMatch)
		require.ErrorContains(t, err, "not you")
		require.Error(t, noMatch.Err)
		_, err = m.ForResource(t.Context(), "pods")
		require.NoError(t, err)
	})
}
