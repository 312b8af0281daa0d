package informer_test

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/indexer"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

// podIn creates a pod in a namespace.
func (r *serverFixture) podIn(namespace, name string) *Pod {
	return apitest.Create(r.t, r.srv, &Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}})
}

// runNamespaces runs an informer of the pods in some namespaces until the test calls
// stop, which must be before the end of the test.
func (r *serverFixture) runNamespaces(o informer.Options[*Pod], namespaces ...string) (inf *informer.SharedInformer[*Pod], stop func()) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	inf = informer.ForNamespaces(nil, r.resource, o, namespaces...)
	return inf, runUntilStopped(r.t, inf)
}

// runUntilStopped runs an informer until stop is called.
func runUntilStopped[T any](t *testing.T, inf *informer.SharedInformer[T]) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- inf.Run(ctx) }()
	return sync.OnceFunc(func() {
		t.Helper()
		cancel()
		require.NoError(t, <-ended)
	})
}

// storedKeys returns the keys of the stored objects in order.
func storedKeys(inf informer.AnyInformer) []string { return slices.Sorted(inf.Keys()) }

// callRecorder is a handler that records its callbacks.
type callRecorder struct {
	mu    sync.Mutex
	calls []string
}

func (c *callRecorder) record(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls = append(c.calls, fmt.Sprintf(format, args...))
}

// take returns the recorded callbacks in order of their text, and forgets them.
func (c *callRecorder) take() []string {
	synctest.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	calls := slices.Sorted(slices.Values(c.calls))
	c.calls = nil
	return calls
}

func (c *callRecorder) handler() informer.ResourceEventHandler[*Pod] {
	return informer.ResourceEventHandlerFuncs[*Pod]{
		AddFunc:    func(p *Pod, initial bool) { c.record("add %s/%s initial=%v", p.Namespace, p.Name, initial) },
		UpdateFunc: func(_, p *Pod) { c.record("update %s/%s", p.Namespace, p.Name) },
		DeleteFunc: func(p *Pod, unknown bool) { c.record("delete %s/%s unknown=%v", p.Namespace, p.Name, unknown) },
	}
}

// Adding a namespace delivers Adds of the initial list, removing one delivers Deletes,
// and the store and its index have exactly the objects of the set.
func TestSetNamespacesAddsAndDeletesObjects(t *testing.T) {
	withServer(t, apitest.Options{}, func(t *testing.T, r *serverFixture) {
		for _, namespace := range []string{"a", "b", "c"} {
			r.podIn(namespace, "web-0")
		}
		inf, stop := r.runNamespaces(informer.Options[*Pod]{}, "a", "b")
		defer stop()
		require.Equal(t, "pods in several namespaces", inf.State().Name)
		calls := &callRecorder{}
		registration, err := inf.AddEventHandler(calls.handler(), informer.HandlerOptions{})
		require.NoError(t, err)
		require.NoError(t, inf.WaitForSync(t.Context()))
		<-registration.Synced()
		require.Equal(t, []string{"add a/web-0 initial=true", "add b/web-0 initial=true"}, calls.take())

		require.NoError(t, inf.SetNamespaces("b", "c"))
		require.False(t, inf.Covers("a"))
		require.True(t, inf.Covers("c"))
		require.NoError(t, inf.WaitForSync(t.Context()))
		require.Equal(t, []string{"add c/web-0 initial=true", "delete a/web-0 unknown=true"}, calls.take())
		require.Equal(t, []string{"b/web-0", "c/web-0"}, storedKeys(inf))
		byNamespace, ok := inf.Reader().Index(indexer.NamespaceIndex)
		require.True(t, ok)
		require.Zero(t, byNamespace.Count("a"))
		require.Equal(t, 1, byNamespace.Count("c"))
		require.Equal(t, 2, r.srv.OpenWatches())

		// Events of a removed namespace have no effect, those of the others do.
		r.podIn("a", "web-1")
		r.podIn("c", "web-1")
		require.Equal(t, []string{"add c/web-1 initial=false"}, calls.take())

		// A namespace that is added again has its present objects.
		require.NoError(t, inf.SetNamespaces("a", "b", "c"))
		require.NoError(t, inf.WaitForSync(t.Context()))
		require.Equal(t, []string{"add a/web-0 initial=true", "add a/web-1 initial=true"}, calls.take())
	})
}

// Removing a namespace and adding it again before it has ended reports its objects as
// deleted and added.
func TestNamespaceRemovedAndAddedAtOnce(t *testing.T) {
	withServer(t, apitest.Options{}, func(t *testing.T, r *serverFixture) {
		r.podIn("a", "web-0")
		inf, stop := r.runNamespaces(informer.Options[*Pod]{}, "a")
		defer stop()
		calls := &callRecorder{}
		_, err := inf.AddEventHandler(calls.handler(), informer.HandlerOptions{})
		require.NoError(t, err)
		require.NoError(t, inf.WaitForSync(t.Context()))
		_, epoch := inf.VersionIn("a")
		calls.take()
		for range 100 {
			require.NoError(t, inf.SetNamespaces())
			require.NoError(t, inf.SetNamespaces("a"))
		}
		require.NoError(t, inf.WaitForSync(t.Context()))
		got := calls.take() // a feed between the first and the last one may have had its list
		require.Equal(t, "add a/web-0 initial=true", got[0])
		require.Equal(t, "delete a/web-0 unknown=true", got[len(got)/2])
		require.Equal(t, []string{"a/web-0"}, storedKeys(inf))
		require.Equal(t, 1, r.srv.OpenWatches())
		_, again := inf.VersionIn("a")
		require.NotEqual(t, epoch, again, "the namespace has the epoch of its first feed")
		require.Zero(t, inf.State().Epoch)
	})
}

// A namespace that is removed and added again while its first list is under way is listed
// again: the first list has no effect, whether its request waits or its objects arrive.
func TestNamespaceRemovedDuringItsFirstList(t *testing.T) {
	for _, preferList := range []bool{false, true} {
		for _, arriving := range []bool{false, true} {
			t.Run(fmt.Sprintf("listed=%t/arriving=%t", preferList, arriving), func(t *testing.T) {
				withServer(t, apitest.Options{}, func(t *testing.T, r *serverFixture) {
					r.podIn("a", "web-0")
					old := r.podIn("a", "web-1")
					r.podIn("b", "web-0")
					o := informer.Options[*Pod]{PreferList: preferList}
					release, blocked := make(chan struct{}), make(chan struct{})
					if arriving {
						var first sync.Once
						o.Transform = func(p *Pod) (*Pod, bool, error) {
							if p.Name == "web-1" {
								first.Do(func() { close(blocked); <-release })
							}
							return p, true, nil
						}
					} else {
						close(blocked)
						r.srv.Fault(apitest.Fault{Match: apitest.Match{Namespace: "a", Resource: "pods"}, Action: apitest.Delay(10 * time.Second), Times: 1})
					}
					inf, stop := r.runNamespaces(o, "a", "b")
					defer stop()
					calls := &callRecorder{}
					_, err := inf.AddEventHandler(calls.handler(), informer.HandlerOptions{})
					require.NoError(t, err)
					<-blocked
					time.Sleep(time.Second)
					require.Equal(t, []string{"add b/web-0 initial=true"}, calls.take())
					require.False(t, inf.HasSynced())

					require.NoError(t, inf.SetNamespaces("b"))
					synctest.Wait()
					require.True(t, inf.HasSynced(), "b has its list")
					apitest.Delete(r.t, r.srv, old)
					require.NoError(t, inf.SetNamespaces("a", "b"))
					time.Sleep(time.Second) // a second feed must not begin before the first one has ended
					close(release)
					require.NoError(t, inf.WaitForSync(t.Context()))
					require.Equal(t, []string{"add a/web-0 initial=true"}, calls.take())
					require.Equal(t, []string{"a/web-0", "b/web-0"}, storedKeys(inf))
					time.Sleep(20 * time.Second)
					require.Empty(t, calls.take(), "the first list has an effect when its request ends")
					require.Equal(t, 2, r.srv.OpenWatches())
				})
			})
		}
	}
}

// A list of one namespace never deletes objects of another one, also if their names
// have a common prefix.
func TestListOfOneNamespaceDeletesNoOthers(t *testing.T) {
	withServer(t, apitest.Options{}, func(t *testing.T, r *serverFixture) {
		for _, namespace := range []string{"shop", "shop-2", "sho"} {
			r.podIn(namespace, "web-0")
		}
		inf, stop := r.runNamespaces(informer.Options[*Pod]{}, "shop", "shop-2", "sho")
		defer stop()
		calls := &callRecorder{}
		_, err := inf.AddEventHandler(calls.handler(), informer.HandlerOptions{})
		require.NoError(t, err)
		require.NoError(t, inf.WaitForSync(t.Context()))
		calls.take()

		// The relist of the namespace shop misses its pod, which is deleted meanwhile.
		r.srv.Fault(apitest.Fault{Match: apitest.Match{Verb: "watch", Namespace: "shop"}, Nth: 1, Action: apitest.Fail(410, 0)})
		r.srv.Fault(apitest.Fault{Match: apitest.Match{Verb: "watch", Namespace: "shop"}, Nth: 2, Action: apitest.Fail(410, 0)})
		r.srv.Restart()
		apitest.Delete(t, r.srv, &Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web-0"}})
		time.Sleep(time.Minute)
		require.Equal(t, []string{"delete shop/web-0 unknown=true"}, calls.take())
		require.Equal(t, []string{"sho/web-0", "shop-2/web-0"}, storedKeys(inf))
		for _, n := range inf.State().Namespaces {
			require.Equal(t, n.Namespace == "shop", n.Source.Relists > 0, "%s: %d relists", n.Namespace, n.Source.Relists)
		}
	})
}

// A version that lags in one namespace is not a new epoch, and does not delay a wait for
// another one. Version is the lowest, and WaitForVersion waits for all namespaces.
func TestVersionsAreThoseOfNamespaces(t *testing.T) {
	withServer(t, apitest.Options{}, func(t *testing.T, r *serverFixture) {
		r.podIn("a", "web-0")
		r.podIn("b", "web-0")
		inf, stop := r.runNamespaces(informer.Options[*Pod]{}, "a", "b")
		defer stop()
		require.NoError(t, inf.WaitForSync(t.Context()))
		time.Sleep(10 * time.Second)
		for i := range 20 {
			pod := r.podIn("a", fmt.Sprint("more-", i))
			require.NoError(t, inf.WaitForVersionIn(t.Context(), "a", pod.ResourceVersion))
			_, stored := inf.Get("a/" + pod.Name)
			require.True(t, stored)
			version, epoch := inf.VersionIn("a")
			require.Equal(t, pod.ResourceVersion, version)
			require.Zero(t, epoch)
		}
		ahead, _ := inf.VersionIn("a")
		behind, epoch := inf.VersionIn("b")
		require.Less(t, number(t, behind), number(t, ahead))
		require.Zero(t, epoch)
		require.Equal(t, behind, inf.Version())
		require.Zero(t, inf.State().Epoch)

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.ErrorIs(t, inf.WaitForVersion(ctx, ahead), context.DeadlineExceeded)
		require.NoError(t, inf.WaitForVersion(t.Context(), ahead), "a bookmark of the namespace b ends the wait")
		require.GreaterOrEqual(t, number(t, inf.Version()), number(t, ahead))
	})
}

func number(t *testing.T, version string) int {
	n, err := strconv.Atoi(version)
	require.NoError(t, err)
	return n
}

// When the versions go back, the epoch of a namespace changes when its own reflector has
// noticed it, and waits of that namespace end.
func TestNewEpochOfOneNamespace(t *testing.T) {
	withServer(t, apitest.Options{}, func(t *testing.T, r *serverFixture) {
		pod := r.podIn("a", "web-0")
		r.podIn("b", "web-0")
		for i := range 20 {
			pod = r.phase(pod, fmt.Sprint("phase ", i))
		}
		inf, stop := r.runNamespaces(informer.Options[*Pod]{}, "a", "b")
		defer stop()
		require.NoError(t, inf.WaitForVersion(t.Context(), pod.ResourceVersion))
		future := strconv.Itoa(number(t, pod.ResourceVersion) + 1000)
		waits := map[string]chan error{"a": make(chan error, 1), "b": make(chan error, 1), "": make(chan error, 1)}
		for namespace, ended := range waits {
			go func() {
				if namespace == "" {
					ended <- inf.WaitForVersion(t.Context(), future)
				} else {
					ended <- inf.WaitForVersionIn(t.Context(), namespace, future)
				}
			}()
		}
		synctest.Wait()
		r.srv.Fault(apitest.Fault{Match: apitest.Match{Verb: "watch", Namespace: "a"}, Nth: 1, Action: apitest.Fail(410, 0)})
		hold := r.srv.Fault(apitest.Fault{Match: apitest.Match{Namespace: "b"}, Action: apitest.Fail(503, 0)})
		r.srv.RestartFromBackup(10)
		require.ErrorIs(t, <-waits["a"], informer.ErrNewEpoch)
		require.ErrorIs(t, <-waits[""], informer.ErrNewEpoch)
		require.Empty(t, waits["b"])
		_, epoch := inf.VersionIn("a")
		require.Equal(t, 1, epoch)
		_, epoch = inf.VersionIn("b")
		require.Zero(t, epoch)
		require.Equal(t, 1, inf.State().Epoch)

		hold.Remove()
		r.srv.Fault(apitest.Fault{Match: apitest.Match{Verb: "watch", Namespace: "b"}, Nth: 1, Action: apitest.Fail(410, 0)})
		require.ErrorIs(t, <-waits["b"], informer.ErrNewEpoch)
		require.Equal(t, 2, inf.State().Epoch)
		again := r.phase(pod, "again")
		require.NoError(t, inf.WaitForVersion(t.Context(), again.ResourceVersion))

		// "A namespace that was removed and added again has another epoch", also after
		// versions have gone back.
		require.NoError(t, inf.SetNamespaces("b"))
		require.NoError(t, inf.SetNamespaces("a", "b"))
		_, epoch = inf.VersionIn("a")
		require.Greater(t, epoch, 1)
		require.Equal(t, 1, inf.State().Epoch, "that of the namespace b")
	})
}

// A namespace whose list the server forbids is named in State, and neither the sync of
// the informer nor that of a handler waits for it. When the namespace is allowed, its
// objects follow as those of an added namespace.
func TestForbiddenNamespaceLeavesTheOthersRunning(t *testing.T) {
	for _, preferList := range []bool{false, true} {
		t.Run(fmt.Sprint("listed=", preferList), func(t *testing.T) {
			withServer(t, apitest.Options{}, func(t *testing.T, r *serverFixture) {
				r.podIn("a", "web-0")
				r.podIn("b", "web-0")
				forbidden := r.srv.Fault(apitest.Fault{Match: apitest.Match{Namespace: "b", Resource: "pods"}, Action: apitest.Fail(403, 0)})
				inf, stop := r.runNamespaces(informer.Options[*Pod]{PreferList: preferList}, "a", "b", "c")
				defer stop()
				calls := &callRecorder{}
				registration, err := inf.AddEventHandler(calls.handler(), informer.HandlerOptions{})
				require.NoError(t, err)
				require.NoError(t, inf.WaitForSync(t.Context()))
				<-registration.Synced()
				require.Equal(t, []string{"add a/web-0 initial=true"}, calls.take())

				state := inf.State()
				require.True(t, state.Synced)
				require.True(t, apierrors.IsForbidden(state.Source.Err))
				require.Equal(t, "pods -n b", state.Source.Name)
				require.Equal(t, 3, state.NamespaceCount)
				require.Equal(t, "b", state.Namespaces[0].Namespace)
				require.False(t, state.Namespaces[0].Synced)
				for _, n := range state.Namespaces[1:] {
					require.True(t, n.Synced)
					require.NoError(t, n.Source.Err)
				}
				// A live event in a namespace that works.
				pod := r.podIn("a", "web-1")
				require.NoError(t, inf.WaitForVersionIn(t.Context(), "a", pod.ResourceVersion))
				require.Equal(t, []string{"add a/web-1 initial=false"}, calls.take())

				// A tracked read does not report an object of the namespace as missing.
				_, _, _, err = inf.Read(t.Context(), "b/web-0")
				require.ErrorIs(t, err, informer.ErrNotListed)
				require.True(t, apierrors.IsForbidden(err), "%v", err)
				require.ErrorContains(t, err, `of namespace "b"`)

				forbidden.Remove()
				time.Sleep(2 * time.Minute)
				require.Equal(t, []string{"add b/web-0 initial=true"}, calls.take())
				_, ok, _, err := inf.Read(t.Context(), "b/web-0")
				require.NoError(t, err)
				require.True(t, ok)
				require.NoError(t, inf.State().Source.Err)
			})
		})
	}
}

// An informer all of whose namespaces are forbidden is not synced, and the reason is that
// of a namespace. A namespace that fails for another reason holds the sync back.
func TestSyncNeedsAnAllowedNamespace(t *testing.T) {
	for _, c := range []struct {
		status    int
		namespace string
		is        func(error) bool
	}{{403, "", apierrors.IsForbidden}, {500, "b", apierrors.IsInternalError}} {
		t.Run(fmt.Sprint(c.status), func(t *testing.T) {
			withServer(t, apitest.Options{}, func(t *testing.T, r *serverFixture) {
				r.podIn("a", "web-0")
				failing := r.srv.Fault(apitest.Fault{Match: apitest.Match{Namespace: c.namespace, Resource: "pods"}, Action: apitest.Fail(c.status, 0)})
				inf, stop := r.runNamespaces(informer.Options[*Pod]{}, "a", "b")
				defer stop()
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				err := inf.WaitForSync(ctx)
				require.ErrorIs(t, err, context.DeadlineExceeded)
				require.True(t, c.is(err), "%v", err)
				require.ErrorContains(t, err, "pods -n ")
				require.False(t, inf.HasSynced())
				failing.Remove()
				require.NoError(t, inf.WaitForSync(t.Context()))
				require.Equal(t, 1, inf.State().Objects, "a right that is granted later holds in all namespaces")
			})
		})
	}
}

// A tracked read of a key waits for the first attempt to list its namespace, and ends with
// the reason if that fails: a namespace that fails must not delay every reconcile that
// reads it. A namespace that is removed or not covered has no objects.
func TestReadWaitsForTheListOfANamespace(t *testing.T) {
	withServer(t, apitest.Options{}, func(t *testing.T, r *serverFixture) {
		r.podIn("a", "web-0")
		r.podIn("b", "web-0")
		inf, stop := r.runNamespaces(informer.Options[*Pod]{}, "a")
		defer stop()
		require.NoError(t, inf.WaitForSync(t.Context()))
		read := func(key string) (bool, error) {
			_, ok, _, err := inf.Read(t.Context(), key)
			return ok, err
		}
		ok, err := read("b/web-0")
		require.NoError(t, err)
		require.False(t, ok)

		require.NoError(t, inf.SetNamespaces("a", "b"))
		ok, err = read("b/web-0")
		require.NoError(t, err)
		require.True(t, ok)

		// The first attempt fails after a second; later reads do not wait for a second one.
		fault := func(action apitest.Action) *apitest.InjectedFault {
			return r.srv.Fault(apitest.Fault{Match: apitest.Match{Namespace: "c", Resource: "pods"}, Action: action})
		}
		delayed, failing := fault(apitest.Delay(time.Second)), fault(apitest.Fail(500, 0))
		require.NoError(t, inf.SetNamespaces("a", "c"))
		for range 100 {
			_, err = read("c/web-0")
			require.ErrorIs(t, err, informer.ErrNotListed)
			require.True(t, apierrors.IsInternalError(err), "%v", err)
		}
		start := time.Now()
		_, err = read("c/web-0")
		require.ErrorIs(t, err, informer.ErrNotListed)
		require.Zero(t, time.Since(start))
		_, err = read("c")
		require.ErrorIs(t, err, indexer.ErrBadKey)
		delayed.Remove()
		failing.Remove()
		time.Sleep(time.Minute)
		_, err = read("c/web-0")
		require.NoError(t, err)

		// The first attempt does not end.
		r.srv.Fault(apitest.Fault{Match: apitest.Match{Namespace: "d", Resource: "pods"}, Action: apitest.Silence()})
		require.NoError(t, inf.SetNamespaces("a", "d"))
		start = time.Now()
		_, err = read("d/web-0")
		require.ErrorIs(t, err, informer.ErrNotListed)
		require.Equal(t, 10*time.Second, time.Since(start))
		ended := make(chan error, 1)
		go func() {
			_, err := read("d/web-0")
			ended <- err
		}()
		synctest.Wait()
		require.NoError(t, inf.SetNamespaces("a"))
		require.NoError(t, <-ended)
	})
}

// When all namespaces of a synced informer are replaced by forbidden ones, WaitForSync
// reports it.
func TestWaitForSyncOfForbiddenNamespaces(t *testing.T) {
	withServer(t, apitest.Options{}, func(t *testing.T, r *serverFixture) {
		r.srv.Fault(apitest.Fault{Match: apitest.Match{Resource: "pods"}, Action: apitest.Fail(403, 0)})
		inf, stop := r.runNamespaces(informer.Options[*Pod]{})
		defer stop()
		require.NoError(t, inf.WaitForSync(t.Context()))
		for _, set := range [][]string{{"a"}, {"a", "b"}} {
			require.NoError(t, inf.SetNamespaces(set...))
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			err := inf.WaitForSync(ctx)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.True(t, apierrors.IsForbidden(err), "%v", err)
			start := time.Now()
			for _, namespace := range set {
				_, _, _, err := inf.Read(t.Context(), namespace+"/web-0")
				require.ErrorIs(t, err, informer.ErrNotListed)
			}
			require.Zero(t, time.Since(start))
		}
	})
}

// A right that is withdrawn while the informer runs is named by State; the objects of
// the namespace remain.
func TestNamespaceForbiddenLater(t *testing.T) {
	withServer(t, apitest.Options{}, func(t *testing.T, r *serverFixture) {
		r.podIn("a", "web-0")
		r.podIn("b", "web-0")
		inf, stop := r.runNamespaces(informer.Options[*Pod]{}, "a", "b")
		defer stop()
		require.NoError(t, inf.WaitForSync(t.Context()))
		forbidden := r.srv.Fault(apitest.Fault{Match: apitest.Match{Namespace: "b", Resource: "pods"}, Action: apitest.Fail(403, 0)})
		r.srv.Restart()
		time.Sleep(time.Minute)
		pod := r.podIn("a", "web-1")
		require.NoError(t, inf.WaitForVersionIn(t.Context(), "a", pod.ResourceVersion))
		state := inf.State()
		require.True(t, state.Synced)
		require.Equal(t, "b", state.Namespaces[0].Namespace)
		require.True(t, apierrors.IsForbidden(state.Source.Err))
		require.Equal(t, "pods -n b", state.Source.Name)
		require.Equal(t, []string{"a/web-0", "a/web-1", "b/web-0"}, storedKeys(inf))
		forbidden.Remove()
		pod = r.podIn("b", "web-1")
		require.NoError(t, inf.WaitForVersionIn(t.Context(), "b", pod.ResourceVersion))
	})
}

// Waits in a namespace that is removed meanwhile, or is not covered, end with
// ErrNotCovered. Waits for all namespaces wait for the others.
func TestWaitsInRemovedNamespaces(t *testing.T) {
	withServer(t, apitest.Options{}, func(t *testing.T, r *serverFixture) {
		pod := r.podIn("a", "web-0")
		r.srv.Fault(apitest.Fault{Match: apitest.Match{Namespace: "b", Resource: "pods"}, Action: apitest.Fail(403, 0)})
		inf, stop := r.runNamespaces(informer.Options[*Pod]{}, "a", "b")
		defer stop()
		synctest.Wait()
		require.ErrorIs(t, inf.WaitForVersionIn(t.Context(), "x", "5"), informer.ErrNotCovered)
		require.ErrorIs(t, inf.WaitForVersionIn(t.Context(), "a", ""), informer.ErrNoVersion)
		version, epoch := inf.VersionIn("x")
		require.Empty(t, version)
		require.Equal(t, -1, epoch)
		require.Empty(t, inf.Version(), "the namespace b has no version yet")
		inB, inAll, synced := make(chan error, 1), make(chan error, 1), make(chan error, 1)
		go func() { inB <- inf.WaitForVersionIn(t.Context(), "b", pod.ResourceVersion) }()
		go func() { inAll <- inf.WaitForVersion(t.Context(), pod.ResourceVersion) }()
		go func() { synced <- inf.WaitForSync(t.Context()) }()
		synctest.Wait()
		require.Empty(t, inAll)
		require.NoError(t, inf.SetNamespaces("a"))
		require.ErrorIs(t, <-inB, informer.ErrNotCovered)
		require.NoError(t, <-inAll)
		require.NoError(t, <-synced)
		require.True(t, inf.HasSynced())
		stop()
		require.ErrorIs(t, inf.WaitForVersionIn(t.Context(), "a", "1000"), informer.ErrStopped)
		require.ErrorIs(t, inf.SetNamespaces("b"), informer.ErrStopped)
	})
}

// Without namespaces the informer sends no request and is synced, and so is a handler.
func TestNoNamespaces(t *testing.T) {
	withServer(t, apitest.Options{}, func(t *testing.T, r *serverFixture) {
		inf, stop := r.runNamespaces(informer.Options[*Pod]{})
		defer stop()
		registration, err := inf.AddEventHandler(informer.ResourceEventHandlerFuncs[*Pod]{}, informer.HandlerOptions{})
		require.NoError(t, err)
		require.NoError(t, inf.WaitForSync(t.Context()))
		<-registration.Synced()
		require.NoError(t, inf.WaitForVersion(t.Context(), "1000"))
		require.Empty(t, inf.Version())
		require.Empty(t, r.srv.Requests(apitest.Match{Resource: "pods"}))
		require.NoError(t, inf.State().Source.Err)
		require.Zero(t, inf.State().NamespaceCount)

		// A handler that is added before the first namespace receives its objects.
		pod := r.podIn("a", "web-0")
		require.NoError(t, inf.SetNamespaces("a"))
		require.NoError(t, inf.WaitForVersion(t.Context(), pod.ResourceVersion))
		require.Equal(t, []string{"a/web-0"}, storedKeys(inf))
	})
}

// Duplicates count once; a namespace that does not exist is empty until it is created;
// invalid names change nothing.
func TestNamesOfNamespaces(t *testing.T) {
	withServer(t, apitest.Options{}, func(t *testing.T, r *serverFixture) {
		inf, stop := r.runNamespaces(informer.Options[*Pod]{}, "a", "a", "unknown", "a")
		defer stop()
		require.NoError(t, inf.WaitForSync(t.Context()))
		require.Equal(t, 2, r.srv.OpenWatches())
		require.Equal(t, 2, inf.State().NamespaceCount)
		pod := r.podIn("unknown", "web-0")
		require.NoError(t, inf.WaitForVersionIn(t.Context(), "unknown", pod.ResourceVersion))
		for _, name := range []string{"", "A", "a/b", "..", "a b", strings.Repeat("x", 64), "kube_system"} {
			err := inf.SetNamespaces("b", name)
			require.ErrorIs(t, err, informer.ErrNoNamespace, "%q", name)
			require.Less(t, len(err.Error()), 500)
			require.ErrorIs(t, informer.ForNamespaces(nil, r.resource, informer.Options[*Pod]{}, name).Check(), informer.ErrNoNamespace)
		}
		for _, all := range []string{metav1.NamespaceAll, "*"} {
			require.ErrorContains(t, inf.SetNamespaces(all), "for all namespaces create the informer by For or New")
		}
		require.False(t, inf.Covers("b"))
		require.True(t, inf.Covers("a"))
		require.Equal(t, []string{"unknown/web-0"}, storedKeys(inf))
	})
}

// Informers and sources without changing namespaces are errors.
func TestSourcesWithoutNamespaces(t *testing.T) {
	withServer(t, apitest.Options{}, func(t *testing.T, r *serverFixture) {
		ordinary := informer.New(r.resource, informer.Options[*Pod]{})
		defer runUntilStopped(t, ordinary)()
		require.ErrorIs(t, ordinary.SetNamespaces("a"), informer.ErrNoNamespace)
		require.Zero(t, ordinary.State().NamespaceCount)
		require.True(t, ordinary.Covers("default"))
		require.False(t, ordinary.Covers("a"))
		require.ErrorIs(t, ordinary.WaitForVersionIn(t.Context(), "a", "1"), informer.ErrNotCovered)

		clusterScoped := rest.ResourceInfo{GroupVersionResource: metav1.SchemeGroupVersion.WithResource("nodes"), Kind: "Node"}
		nodes := informer.ForNamespaces(nil, rest.NewView[*Pod](r.client, clusterScoped), informer.Options[*Pod]{}, "a")
		embedded := informer.ForNamespaces[*Pod](nil, struct{ *rest.View[*Pod] }{r.resource.View}, informer.Options[*Pod]{}, "a")
		for _, inf := range []*informer.SharedInformer[*Pod]{nodes, embedded} {
			require.ErrorIs(t, inf.Check(), informer.ErrNoNamespace)
			require.ErrorIs(t, inf.Run(t.Context()), informer.ErrNoNamespace)
			require.ErrorIs(t, inf.SetNamespaces("b"), informer.ErrNoNamespace)
			require.ErrorIs(t, inf.WaitForSync(t.Context()), informer.ErrNoNamespace)
			require.ErrorIs(t, inf.WaitForVersionIn(t.Context(), "a", "1"), informer.ErrNoNamespace)
			require.NotPanics(t, func() { inf.State(); inf.Version(); inf.Covers("a"); inf.HasSynced() })
		}
		nothing := informer.ForNamespaces[*Pod](nil, nil, informer.Options[*Pod]{}, "a")
		require.ErrorIs(t, nothing.Check(), informer.ErrNoSource)
		require.NotPanics(t, func() { nothing.State(); nothing.Host() })
	})
}

// SetNamespaces may be called before Run, from a handler, from a Trace, concurrently, and
// after the end.
func TestSetNamespacesAtAnyTime(t *testing.T) {
	withServer(t, apitest.Options{}, func(t *testing.T, r *serverFixture) {
		for i := range 10 {
			r.podIn(fmt.Sprint("n-", i), "web-0")
		}
		var inf *informer.SharedInformer[*Pod]
		var fromTrace, fromHandler sync.Once
		inf = informer.ForNamespaces(nil, r.resource, informer.Options[*Pod]{
			Logger: slog.New(slog.DiscardHandler),
			Trace: &informer.Trace{Stored: func(info informer.TraceInfo) {
				if info.Key == "n-1/web-0" {
					fromTrace.Do(func() { require.NoError(t, inf.SetNamespaces("n-1", "n-2")) })
				}
			}},
		}, "x")
		require.NoError(t, inf.SetNamespaces("n-0"))
		_, err := inf.AddEventHandler(informer.ResourceEventHandlerFuncs[*Pod]{AddFunc: func(p *Pod, _ bool) {
			if p.Namespace == "n-0" {
				fromHandler.Do(func() { require.NoError(t, inf.SetNamespaces("n-0", "n-1")) })
			}
		}}, informer.HandlerOptions{})
		require.NoError(t, err)
		stop := runUntilStopped(t, inf)
		defer stop()
		synctest.Wait()
		require.Equal(t, []string{"n-1/web-0", "n-2/web-0"}, storedKeys(inf))

		var writers sync.WaitGroup
		for i := range 10 {
			writers.Go(func() {
				for range 20 {
					err := inf.SetNamespaces(fmt.Sprint("n-", i))
					if err == nil {
						_, _ = inf.VersionIn("n-3")
						err = inf.WaitForSync(t.Context())
					}
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		writers.Wait()
		require.NoError(t, inf.SetNamespaces("n-7", "n-8"))
		require.NoError(t, inf.WaitForSync(t.Context()))
		synctest.Wait()
		require.Equal(t, []string{"n-7/web-0", "n-8/web-0"}, storedKeys(inf))
		require.Equal(t, 2, r.srv.OpenWatches())
		stop()
		require.ErrorIs(t, inf.SetNamespaces("a"), informer.ErrStopped)
		require.Equal(t, []string{"n-7/web-0", "n-8/web-0"}, storedKeys(inf), "the objects can be read after the end")
	})
}

// The factory never shares an informer of namespaces. It runs it and ends it after
// Release.
func TestFactoryDoesNotShareInformersOfNamespaces(t *testing.T) {
	withServer(t, apitest.Options{}, func(t *testing.T, r *serverFixture) {
		r.podIn("a", "web-0")
		f := informer.NewFactory(informer.FactoryOptions{Namespace: "default", Transform: func(o rest.Object) (bool, error) {
			o.(*Pod).Labels = map[string]string{"seen": "yes"}
			return true, nil
		}})
		one := informer.ForNamespaces(f, r.resource, informer.Options[*Pod]{}, "a")
		other := informer.ForNamespaces(f, r.resource, informer.Options[*Pod]{}, "a")
		require.False(t, informer.SameInformer(one, other))
		require.Len(t, f.Informers(), 2)
		require.ErrorIs(t, one.Run(t.Context()), informer.ErrRunByFactory)
		require.NoError(t, f.Start(t.Context()))
		require.NoError(t, f.WaitForSync(t.Context()))
		pod, ok := one.Get("a/web-0")
		require.True(t, ok)
		require.Equal(t, "yes", pod.Labels["seen"])
		late := informer.ForNamespaces(f, r.resource, informer.Options[*Pod]{}, "a")
		require.NoError(t, late.WaitForSync(t.Context()))
		late.Release()
		require.NoError(t, other.SetNamespaces("b"))
		require.True(t, one.Covers("a"))
		one.Release()
		require.ErrorIs(t, one.SetNamespaces("b"), informer.ErrReleased)
		synctest.Wait()
		require.Equal(t, 1, r.srv.OpenWatches())
		require.Empty(t, storedKeys(one))
		require.NoError(t, f.Shutdown())
		synctest.Wait()
		require.Zero(t, r.srv.OpenWatches())
		require.ErrorIs(t, informer.ForNamespaces(f, r.resource, informer.Options[*Pod]{}, "a").Check(), informer.ErrStopped)
	})
}

// A callback that ends its goroutine ends the informer with an error, since a namespace
// without its goroutine would not be up to date any more.
func TestEndOfAFeedEndsTheInformer(t *testing.T) {
	withServer(t, apitest.Options{}, func(t *testing.T, r *serverFixture) {
		r.podIn("a", "web-0")
		inf := informer.ForNamespaces(nil, r.resource, informer.Options[*Pod]{
			Logger: slog.New(slog.DiscardHandler),
			Trace:  &informer.Trace{Stored: func(informer.TraceInfo) { goexit() }},
		}, "a", "b")
		err := inf.Run(t.Context())
		require.ErrorContains(t, err, "has ended the goroutine")
		synctest.Wait()
		require.Zero(t, r.srv.OpenWatches())
		require.True(t, inf.State().Stopped)
	})
}

// A query of the server lists the namespace of the object.
func TestListedByServerInNamespace(t *testing.T) {
	withServer(t, apitest.Options{}, func(t *testing.T, r *serverFixture) {
		pod := r.podIn("a", "web-0")
		r.podIn("b", "web-0")
		inf, stop := r.runNamespaces(informer.Options[*Pod]{}, "a")
		defer stop()
		require.NoError(t, inf.WaitForSync(t.Context()))
		listed, err := inf.ListedByServer(t.Context(), "a", "web-0", pod.ResourceVersion)
		require.NoError(t, err)
		require.True(t, listed)
		requests := r.srv.Requests(apitest.Match{Verb: "list", Namespace: "a"})
		require.NotEmpty(t, requests, "the list is not that of the namespace")
		require.Equal(t, "", inf.ScopedNamespace())
		require.NotEmpty(t, inf.Host())
	})
}

// goexit ends the goroutine, as t.FailNow does.
func goexit() { runtime.Goexit() }

// Namespace is a Namespace with its metadata only.
type Namespace struct {
	rest.SlimMeta `json:"metadata"`
}

// FollowNamespaces keeps the set equal to the Namespaces that a selector matches. Before
// their list the informer is not synced, and says why.
func TestFollowNamespaces(t *testing.T) {
	withServer(t, apitest.Options{}, func(t *testing.T, r *serverFixture) {
		namespaceInfo := rest.ResourceInfo{GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}, Kind: "Namespace"}
		namespaceObjects := rest.NewResource[*Namespace](r.client, namespaceInfo)
		label := func(name, team string) {
			t.Helper()
			_, err := namespaceObjects.Patch(t.Context(), name, types.MergePatchType, []byte(`{"metadata":{"labels":{"team":"`+team+`"}}}`), metav1.PatchOptions{})
			require.NoError(t, err)
		}
		r.podIn("kube-system", "web-0")
		r.podIn("kube-public", "web-0")
		r.podIn("default", "web-0")
		label("kube-system", "shop")

		forbidden := r.srv.Fault(apitest.Fault{Match: apitest.Match{Resource: "namespaces"}, Action: apitest.Fail(403, 0)})
		namespaces := informer.New(namespaceObjects.View, informer.Options[*Namespace]{
			Logger:           slog.New(slog.DiscardHandler),
			TweakListOptions: func(o *metav1.ListOptions) { o.LabelSelector = "team=shop" },
		})
		inf := informer.ForNamespaces(nil, r.resource, informer.Options[*Pod]{Logger: slog.New(slog.DiscardHandler)})
		following, err := informer.FollowNamespaces(inf, namespaces)
		require.NoError(t, err)
		defer runUntilStopped(t, namespaces)()
		defer runUntilStopped(t, inf)()
		calls := &callRecorder{}
		_, err = inf.AddEventHandler(calls.handler(), informer.HandlerOptions{})
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err = inf.WaitForSync(ctx)
		require.True(t, apierrors.IsForbidden(err), "%v", err)
		require.ErrorContains(t, err, "waiting for the namespaces of the informer namespaces -l team=shop")
		require.True(t, apierrors.IsForbidden(inf.State().Source.Err))
		require.False(t, inf.HasSynced())

		forbidden.Remove()
		require.NoError(t, inf.WaitForSync(t.Context()))
		require.Equal(t, []string{"add kube-system/web-0 initial=true"}, calls.take())
		label("kube-public", "shop")
		require.Equal(t, []string{"add kube-public/web-0 initial=true"}, calls.take())
		label("kube-system", "other")
		require.Equal(t, []string{"delete kube-system/web-0 unknown=true"}, calls.take())
		label("kube-public", "other")
		require.Equal(t, []string{"delete kube-public/web-0 unknown=true"}, calls.take())
		require.True(t, inf.HasSynced())
		following.Remove()
		label("kube-system", "shop")
		require.Empty(t, calls.take())

		// No Namespace matches: the informer is synced and empty.
		nothing := informer.New(namespaceObjects.View, informer.Options[*Namespace]{
			TweakListOptions: func(o *metav1.ListOptions) { o.LabelSelector = "team=none" },
		})
		empty := informer.ForNamespaces(nil, r.resource, informer.Options[*Pod]{})
		_, err = informer.FollowNamespaces(empty, nothing)
		require.NoError(t, err)
		defer runUntilStopped(t, nothing)()
		defer runUntilStopped(t, empty)()
		require.NoError(t, empty.WaitForSync(t.Context()))

		ordinary := informer.New(r.resource.View, informer.Options[*Pod]{})
		_, err = informer.FollowNamespaces(ordinary, nothing)
		require.ErrorIs(t, err, informer.ErrNoNamespace)
	})
}

// FollowNamespaces rejects nil, and an informer of namespaced objects. If the names of the
// objects are not names of namespaces, the State of the informer has the reason.
func TestFollowNamespacesOfWrongInformers(t *testing.T) {
	withServer(t, apitest.Options{}, func(t *testing.T, r *serverFixture) {
		quiet := slog.New(slog.DiscardHandler)
		inf := informer.ForNamespaces(nil, r.resource, informer.Options[*Pod]{Logger: quiet}, "a")
		for range 2 {
			_, err := informer.FollowNamespaces[*Pod, *Pod](inf, nil)
			require.EqualError(t, err, "informer: FollowNamespaces was called with a nil informer")
			_, err = informer.FollowNamespaces[*Pod](nil, inf)
			require.EqualError(t, err, "informer: FollowNamespaces was called with a nil informer")
		}
		_, err := informer.FollowNamespaces(inf, informer.New(r.resource, informer.Options[*Pod]{}))
		require.ErrorContains(t, err, "informer: FollowNamespaces needs an informer of Namespaces: pods")
		require.ErrorContains(t, err, "was to follow pods -n default, whose objects are namespaced")
		require.True(t, inf.Covers("a"))
		stop := runUntilStopped(t, inf)
		require.NoError(t, inf.WaitForSync(t.Context()), "a rejected call has no effect")
		stop()

		apitest.Create(t, r.srv, &slimNode{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Node"}, SlimMeta: rest.SlimMeta{Name: "node.example.com"}})
		machines := informer.New(rest.NewView[*slimNode](r.client, nodes), informer.Options[*slimNode]{Logger: quiet})
		inf = informer.ForNamespaces(nil, r.resource, informer.Options[*Pod]{Logger: quiet})
		_, err = informer.FollowNamespaces(inf, machines)
		require.NoError(t, err)
		defer runUntilStopped(t, machines)()
		defer runUntilStopped(t, inf)()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err = inf.WaitForSync(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		for _, err := range []error{err, inf.State().Source.Err} {
			require.ErrorIs(t, err, informer.ErrNoNamespace)
			require.ErrorContains(t, err, `waiting for the namespaces of the informer nodes`)
			require.ErrorContains(t, err, `"node.example.com" is no name of a namespace`)
		}
		apitest.Delete(t, r.srv, &slimNode{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Node"}, SlimMeta: rest.SlimMeta{Name: "node.example.com"}})
		require.NoError(t, inf.WaitForSync(t.Context()))
	})
}

// If the handler of FollowNamespaces is refused, the informer does not wait for it.
func TestFollowNamespacesRefused(t *testing.T) {
	withServer(t, apitest.Options{}, func(t *testing.T, r *serverFixture) {
		ended := informer.New(rest.NewView[*slimNode](r.client, nodes), informer.Options[*slimNode]{})
		runUntilStopped(t, ended)()
		r.podIn("a", "web-0")
		for _, before := range []bool{false, true} {
			inf := informer.ForNamespaces(nil, r.resource, informer.Options[*Pod]{}, "a")
			follow := func() {
				_, err := informer.FollowNamespaces(inf, ended)
				require.ErrorIs(t, err, informer.ErrStopped)
			}
			if before {
				follow()
			}
			stop := runUntilStopped(t, inf)
			if !before {
				follow()
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			require.NoError(t, inf.WaitForSync(ctx))
			require.Equal(t, []string{"a/web-0"}, storedKeys(inf))
			stop()
		}
	})
}
