package informer_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/indexer"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/reflector"
	"github.com/thinformer/thinformer/rest"
)

// serverFixture is a server with a client.
type serverFixture struct {
	t        *testing.T
	srv      *apitest.Server
	client   *rest.Client
	resource *rest.Resource[*Pod]
	// ofNamespaces: run creates an informer of two namespaces.
	ofNamespaces bool
	// hasRun: run was called.
	hasRun bool
}

// withServer runs a test with a server in fake time. If the test calls run, it is
// repeated with an informer of several namespaces, which has the same guarantees.
func withServer(t *testing.T, options apitest.Options, test func(t *testing.T, r *serverFixture)) {
	t.Helper()
	if runWithServer(t, options, false, test) && !t.Failed() {
		runWithServer(t, options, true, test)
	}
}

func runWithServer(t *testing.T, options apitest.Options, ofNamespaces bool, test func(t *testing.T, r *serverFixture)) (hasRun bool) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		options.InMemory = true
		srv := apitest.NewServer(options)
		defer srv.Close()
		client, err := rest.New(srv.Config())
		require.NoError(t, err)
		defer client.Close()
		r := &serverFixture{t: t, srv: srv, client: client, resource: rest.NewResource[*Pod](client, pods).Namespace("default"), ofNamespaces: ofNamespaces}
		test(t, r)
		hasRun = r.hasRun
	})
	return hasRun
}

// pod creates a pod.
func (r *serverFixture) pod(name string) *Pod {
	return apitest.Create(r.t, r.srv, &Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}})
}

// phase sets the phase of a pod.
func (r *serverFixture) phase(p *Pod, phase string) *Pod {
	return apitest.Modify(r.t, r.srv, p, func(p *Pod) { p.Status.Phase = phase })
}

// run runs an informer of the namespace's pods, or of those of this namespace and of
// another one without pods, until the test calls stop, which must be
// before the end of the test.
func (r *serverFixture) run(o informer.Options[*Pod]) (inf *informer.SharedInformer[*Pod], stop func()) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	r.hasRun = true
	if inf = informer.New(r.resource, o); r.ofNamespaces {
		inf = informer.ForNamespaces(nil, r.resource, o, "default", "other")
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- inf.Run(ctx) }()
	return inf, sync.OnceFunc(func() {
		r.t.Helper()
		cancel()
		require.NoError(r.t, <-ended)
	})
}

// The version is V only when all changes up to V are in the store, so a wait for the
// version of a write returns when the write is in the store.
func TestWaitForVersionReturnsAfterOwnWrite(t *testing.T) {
	withServer(t, apitest.Options{}, func(t *testing.T, r *serverFixture) {
		inf, stop := r.run(informer.Options[*Pod]{})
		defer stop()
		var writers sync.WaitGroup
		for i := range 8 {
			writers.Go(func() {
				name := fmt.Sprint("web-", i)
				pod, err := r.resource.Create(t.Context(), &Pod{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
				for round := 0; round < 20 && err == nil; round++ {
					if err = inf.WaitForVersion(t.Context(), pod.ResourceVersion); err != nil {
						break
					}
					stored, ok := inf.Get("default/" + name)
					if !ok || stored.ResourceVersion != pod.ResourceVersion {
						err = fmt.Errorf("%s: wrote %s; Get returned %v, %v", name, pod.ResourceVersion, stored, ok)
						break
					}
					labelled := informer.Clone(pod)
					labelled.Labels = map[string]string{"round": fmt.Sprint(round)}
					pod, err = r.resource.MergePatch(t.Context(), pod, labelled, metav1.PatchOptions{})
				}
				if err == nil {
					err = r.resource.Delete(t.Context(), name, metav1.DeleteOptions{})
				}
				if err != nil {
					t.Error(err)
				}
			})
		}
		writers.Wait()
		last := r.pod("last")
		require.NoError(t, inf.WaitForVersion(t.Context(), last.ResourceVersion))
		require.Equal(t, 1, inf.State().Objects, "the deleted pods are still stored")
	})
}

// When the versions of the server go back, a relist begins a new epoch, which State
// reports, and waits for versions of the old epoch return ErrNewEpoch.
func TestWaitInOldEpochReturnsErrNewEpoch(t *testing.T) {
	withServer(t, apitest.Options{}, func(t *testing.T, r *serverFixture) {
		pod := r.pod("web-0")
		for i := range 20 {
			pod = r.phase(pod, fmt.Sprint("phase ", i))
		}
		inf, stop := r.run(informer.Options[*Pod]{})
		defer stop()
		require.NoError(t, inf.WaitForVersion(t.Context(), pod.ResourceVersion))
		require.Zero(t, inf.State().Epoch)

		version, err := strconv.Atoi(pod.ResourceVersion)
		require.NoError(t, err)
		waited := make(chan error, 1)
		go func() { waited <- inf.WaitForVersion(t.Context(), strconv.Itoa(version+1000)) }()
		synctest.Wait()
		// A watch from a future version is silent. A 410 makes the client check the
		// version.
		r.srv.Fault(apitest.Fault{Match: apitest.Match{Verb: "watch", Namespace: "default"}, Nth: 1, Action: apitest.Fail(410, 0)})
		r.srv.RestartFromBackup(10)
		require.ErrorIs(t, <-waited, informer.ErrNewEpoch)
		_, epoch := inf.VersionIn("default")
		require.Equal(t, 1, epoch)
		require.Positive(t, inf.State().Epoch)
		stored, ok := inf.Get("default/web-0")
		require.True(t, ok)
		require.Equal(t, apitest.Get(t, r.srv, pod).Status.Phase, stored.Status.Phase)

		// Waits for versions work in the new epoch.
		again := r.phase(pod, "again")
		require.NoError(t, inf.WaitForVersion(t.Context(), again.ResourceVersion))
	})
}

// State, the WatchErrorHandler and the error of WaitForSync have the reason of a failure
// after the first attempt.
func TestWaitForSyncReturnsReason(t *testing.T) {
	for _, c := range []struct {
		name   string
		fault  apitest.Action
		reason reflector.Reason
		is     func(error) bool
	}{
		{"401", apitest.Fail(401, 0), reflector.ReasonUnauthorized, apierrors.IsUnauthorized},
		{"403", apitest.Fail(403, 0), reflector.ReasonForbidden, apierrors.IsForbidden},
		{"404", apitest.Fail(404, 0), reflector.ReasonNotFound, apierrors.IsNotFound},
	} {
		t.Run(c.name, func(t *testing.T) {
			withServer(t, apitest.Options{}, func(t *testing.T, r *serverFixture) {
				fault := r.srv.Fault(apitest.Fault{Action: c.fault})
				reported := make(chan error, 100)
				inf, stop := r.run(informer.Options[*Pod]{WatchErrorHandler: func(_ context.Context, err error) { reported <- err }})
				defer stop()
				var failed *reflector.Error
				require.ErrorAs(t, <-reported, &failed)
				require.Equal(t, c.reason, failed.Reason)
				require.True(t, c.is(inf.State().Source.Err))

				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				err := inf.WaitForSync(ctx)
				require.ErrorIs(t, err, context.DeadlineExceeded)
				require.True(t, c.is(err), "%v", err)
				require.ErrorContains(t, err, "pods -n default: ")

				fault.Remove()
				require.NoError(t, inf.WaitForSync(t.Context()))
			})
		})
	}
}

// Objects that a selector, Filter or Transform drops are not stored. Stored objects are
// transformed.
func TestRejectedObjectsAreNotStored(t *testing.T) {
	withServer(t, apitest.Options{}, func(t *testing.T, r *serverFixture) {
		for _, name := range []string{"web-0", "web-1", "db-0", "cache-0"} {
			apitest.Create(t, r.srv, &Pod{ObjectMeta: metav1.ObjectMeta{
				Namespace: "default", Name: name, Labels: map[string]string{"app": name[:len(name)-2]},
			}})
		}
		inf, stop := r.run(informer.Options[*Pod]{
			TweakListOptions: func(o *metav1.ListOptions) { o.LabelSelector = "app in (web, db)" },
			Filter:           func(p *Pod) bool { return !strings.HasSuffix(p.Name, "-1") },
			Transform: func(p *Pod) (*Pod, bool, error) {
				p.Labels = map[string]string{"seen": "yes"}
				return p, true, nil
			},
		})
		defer stop()
		require.NoError(t, inf.WaitForSync(t.Context()))
		names := map[string]string{}
		for p := range inf.All() {
			names[p.Name] = p.Labels["seen"]
		}
		require.Equal(t, map[string]string{"web-0": "yes", "db-0": "yes"}, names)
		for _, request := range r.srv.Requests(apitest.Match{Resource: "pods"}) {
			require.Contains(t, request.String(), "labelSelector=", "the selector is not part of the request")
		}
	})
}

// A failure of one object affects only that object, and is reported with its key.
func TestFailedTransformAffectsOneObject(t *testing.T) {
	withServer(t, apitest.Options{}, func(t *testing.T, r *serverFixture) {
		good, bad := r.pod("good"), r.pod("bad")
		var lock sync.Mutex
		var reported []string
		inf, stop := r.run(informer.Options[*Pod]{
			Transform: func(p *Pod) (*Pod, bool, error) {
				switch {
				case p.Status.Phase == "panic":
					panic("transform panicked")
				case p.Name == "bad" && p.Status.Phase != "valid":
					return p, true, io.ErrUnexpectedEOF
				}
				return p, true, nil
			},
			WatchErrorHandler: func(ctx context.Context, err error) {
				lock.Lock()
				defer lock.Unlock()
				require.NotNil(t, ctx)
				line, _, _ := strings.Cut(err.Error(), "\n")
				reported = append(reported, line)
			},
		})
		defer stop()
		require.NoError(t, inf.WaitForSync(t.Context()))
		require.Equal(t, 1, inf.State().Objects)
		good = r.phase(good, "panic")
		require.NoError(t, inf.WaitForVersion(t.Context(), good.ResourceVersion))
		stored, ok := inf.Get("default/good")
		require.True(t, ok, "the previous object is not stored any more")
		require.Empty(t, stored.Status.Phase)
		bad = r.phase(bad, "valid")
		require.NoError(t, inf.WaitForVersion(t.Context(), bad.ResourceVersion))
		require.Equal(t, 2, inf.State().Objects)
		lock.Lock()
		defer lock.Unlock()
		require.Len(t, reported, 2)
		require.Contains(t, reported[0], `"default/bad"`)
		require.Contains(t, reported[1], `"default/good"`)
		require.Contains(t, reported[1], "panic: transform panicked")
		require.Zero(t, inf.State().Source.Relists)
	})
}

// Indexes can be added during writes, and are complete when AddIndex returns.
func TestAddIndexUnderLoad(t *testing.T) {
	withServer(t, apitest.Options{}, func(t *testing.T, r *serverFixture) {
		apitest.Seed(t, r.srv, 500, func(i int) *Pod {
			return &Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: fmt.Sprint("web-", i)}}
		})
		inf, stop := r.run(informer.Options[*Pod]{})
		defer stop()
		require.NoError(t, inf.WaitForSync(t.Context()))
		phase := func(p *Pod) []string { return []string{p.Status.Phase} }

		var writes sync.WaitGroup
		var last *Pod
		writes.Go(func() {
			for i := range 300 {
				last = r.phase(&Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: fmt.Sprint("web-", i)}}, "Running")
			}
		})
		var indexes []*indexer.Index[*Pod]
		for i := range 5 {
			index, err := inf.AddIndex(fmt.Sprint("phase ", i), phase)
			require.NoError(t, err)
			indexes = append(indexes, index)
			at := inf.Reader().Snapshot()
			require.Equal(t, 500, at.Count(index, "")+at.Count(index, "Running"))
		}
		writes.Wait()
		require.NoError(t, inf.WaitForVersion(t.Context(), last.ResourceVersion))
		for _, index := range indexes {
			require.Equal(t, 300, inf.Reader().Snapshot().Count(index, "Running"))
		}
		_, err := inf.AddIndex("phase 0", phase)
		require.ErrorIs(t, err, indexer.ErrIndexExists)
	})
}

// The NotFound error of a lister equals that of the server.
func TestListerReturnsNotFound(t *testing.T) {
	withServer(t, apitest.Options{}, func(t *testing.T, r *serverFixture) {
		r.pod("web-0")
		inf, stop := r.run(informer.Options[*Pod]{})
		defer stop()
		require.NoError(t, inf.WaitForSync(t.Context()))
		for p := range inf.Lister().Namespace("default").List(labels.Everything()) {
			require.Equal(t, "web-0", p.Name)
		}
		_, fromStore := inf.Lister().Namespace("default").Get("web-9")
		_, fromServer := r.resource.Get(t.Context(), "web-9", metav1.GetOptions{})
		require.True(t, apierrors.IsNotFound(fromStore))
		require.EqualError(t, fromStore, fromServer.Error())
	})
}

func TestResyncSendsNoRequest(t *testing.T) {
	withServer(t, apitest.Options{}, func(t *testing.T, r *serverFixture) {
		r.pod("web-0")
		inf, stop := r.run(informer.Options[*Pod]{})
		defer stop()
		resyncs := 0
		_, err := inf.AddEventHandler(informer.ResourceEventHandlerFuncs[*Pod]{
			UpdateFunc: func(old, pod *Pod) {
				if old == pod {
					resyncs++
				}
			},
		}, informer.HandlerOptions{ResyncPeriod: time.Second})
		require.NoError(t, err)
		require.NoError(t, inf.WaitForSync(t.Context()))
		requests := len(r.srv.Requests(apitest.Match{}))
		time.Sleep(time.Minute)
		synctest.Wait()
		require.InDelta(t, 60, resyncs, 1)
		require.Len(t, r.srv.Requests(apitest.Match{}), requests)
		require.Zero(t, inf.State().Source.Relists)
	})
}

// State contains the state of the store, of the source and of each handler.
func TestStateHasStoreSourceAndHandlers(t *testing.T) {
	withServer(t, apitest.Options{}, func(t *testing.T, r *serverFixture) {
		pod := r.pod("web-0")
		inf, stop := r.run(informer.Options[*Pod]{Name: "all pods"})
		defer stop()
		release := make(chan struct{})
		unblock := sync.OnceFunc(func() { close(release) })
		defer unblock()
		_, err := inf.AddEventHandler(informer.ResourceEventHandlerFuncs[*Pod]{
			UpdateFunc: func(_, _ *Pod) { <-release },
		}, informer.HandlerOptions{Name: "slow"})
		require.NoError(t, err)
		require.NoError(t, inf.WaitForSync(t.Context()))
		synctest.Wait()
		for i := range 5 {
			pod = r.phase(pod, fmt.Sprint("phase ", i))
			require.NoError(t, inf.WaitForVersion(t.Context(), pod.ResourceVersion))
		}
		synctest.Wait()
		time.Sleep(2 * time.Minute)
		s := inf.State()
		require.Equal(t, "all pods", s.Name)
		require.Equal(t, pods.GroupVersionResource, s.Resource)
		require.True(t, s.Running)
		require.True(t, s.Synced)
		require.Equal(t, inf.Version(), s.Version)
		require.Zero(t, s.Epoch)
		require.Equal(t, 1, s.Objects)
		require.Zero(t, s.Queued)
		require.Equal(t, reflector.ModeWatchList, s.Source.Mode)
		require.Equal(t, reflector.PhaseWatching, s.Source.Phase)
		require.NoError(t, s.Source.Err)
		require.Greater(t, time.Since(s.Source.LastEvent), time.Minute)
		if !r.ofNamespaces { // the waits above have ended later, and a bookmark needs a newer version
			require.LessOrEqual(t, time.Since(s.Source.LastBookmark), time.Minute)
		}
		require.Len(t, s.Handlers, 1)
		require.Equal(t, "slow", s.Handlers[0].Name)
		require.True(t, s.Handlers[0].Synced)
		require.Equal(t, 4, s.Handlers[0].Pending)
		require.False(t, s.Handlers[0].Since.IsZero())
		unblock()
		synctest.Wait()
		require.Zero(t, inf.State().Handlers[0].Pending)

		r.srv.Compact()
		r.srv.Restart()
		time.Sleep(5 * time.Minute)
		require.NoError(t, inf.WaitForVersion(t.Context(), r.phase(pod, "last").ResourceVersion))
		stop()
		require.False(t, inf.State().Running)
		require.Equal(t, reflector.PhaseStopped, inf.State().Source.Phase)
	})
}
