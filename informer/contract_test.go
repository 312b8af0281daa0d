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

// a room has a server, and a client of it.
type room struct {
	t        *testing.T
	srv      *apitest.Server
	resource *rest.Resource[*Pod]
}

// inRoom runs a test in fake time.
func inRoom(t *testing.T, options apitest.Options, test func(t *testing.T, r *room)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		options.InMemory = true
		srv := apitest.NewServer(options)
		defer srv.Close()
		client, err := rest.New(srv.Config())
		require.NoError(t, err)
		defer client.Close()
		test(t, &room{t: t, srv: srv, resource: rest.NewResource[*Pod](client, pods).Namespace("default")})
	})
}

// pod creates one.
func (r *room) pod(name string) *Pod {
	return apitest.Create(r.t, r.srv, &Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}})
}

// phase changes one.
func (r *room) phase(p *Pod, phase string) *Pod {
	return apitest.Modify(r.t, r.srv, p, func(p *Pod) { p.Status.Phase = phase })
}

// run runs an informer of the room's pods until the test calls stop, which is
// to be before the room ends.
func (r *room) run(o informer.Options[*Pod]) (inf *informer.SharedInformer[*Pod], stop func()) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	inf = informer.New(r.resource, o)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- inf.Run(ctx) }()
	return inf, sync.OnceFunc(func() {
		r.t.Helper()
		cancel()
		require.NoError(r.t, <-ended)
	})
}

// "Version() is V only when every event up to V is in the store, so
// WaitForVersion answers 'has my own write arrived?' truthfully."
func TestOneSeesOnesOwnWrites(t *testing.T) {
	inRoom(t, apitest.Options{}, func(t *testing.T, r *room) {
		inf, stop := r.run(informer.Options[*Pod]{})
		defer stop()
		var writers sync.WaitGroup
		for i := range 8 {
			writers.Go(func() {
				name := fmt.Sprint("web-", i)
				pod, err := r.resource.Create(t.Context(), &Pod{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
				for turn := 0; turn < 20 && err == nil; turn++ {
					if err = inf.WaitForVersion(t.Context(), pod.ResourceVersion); err != nil {
						break
					}
					stored, ok := inf.Get("default/" + name)
					if !ok || stored.ResourceVersion != pod.ResourceVersion {
						err = fmt.Errorf("%s: wrote %s and found %v %v", name, pod.ResourceVersion, ok, stored)
						break
					}
					labelled := informer.Clone(pod)
					labelled.Labels = map[string]string{"turn": fmt.Sprint(turn)}
					pod, err = r.resource.MergePatch(t.Context(), pod, labelled)
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
		require.Equal(t, 1, inf.State().Objects, "what was deleted before is gone")
	})
}

// "A server whose version went back begins a new epoch by a relist, visible in
// State, and waiters on the old epoch get an error."
func TestWhoWaitsInAnOldEpochIsTold(t *testing.T) {
	inRoom(t, apitest.Options{}, func(t *testing.T, r *room) {
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
		// A watch from a version that is to come is silent; that it is refused is
		// what makes a client look.
		r.srv.Fault(apitest.Fault{On: apitest.Match{Verb: "watch"}, Nth: 1, Do: apitest.Fail(410, 0)})
		r.srv.RestartBack(10)
		require.ErrorIs(t, <-waited, informer.ErrNewEpoch)
		require.Equal(t, 1, inf.State().Epoch)
		stored, ok := inf.Get("default/web-0")
		require.True(t, ok)
		require.Equal(t, apitest.Get(t, r.srv, pod).Status.Phase, stored.Status.Phase)

		// The versions of the new epoch are waited for as those of the old were.
		again := r.phase(pod, "again")
		require.NoError(t, inf.WaitForVersion(t.Context(), again.ResourceVersion))
	})
}

// "Sync failure has a reason": State and the handler of errors have it after one
// attempt.
func TestASyncFailureHasAReason(t *testing.T) {
	for _, c := range []struct {
		name   string
		fault  apitest.Action
		reason reflector.Reason
		is     func(error) bool
	}{
		{"401", apitest.Fail(401, 0), reflector.Unauthorized, apierrors.IsUnauthorized},
		{"403", apitest.Fail(403, 0), reflector.Forbidden, apierrors.IsForbidden},
		{"404", apitest.Fail(404, 0), reflector.NotFound, apierrors.IsNotFound},
	} {
		t.Run(c.name, func(t *testing.T) {
			inRoom(t, apitest.Options{}, func(t *testing.T, r *room) {
				fault := r.srv.Fault(apitest.Fault{Do: c.fault})
				heard := make(chan error, 100)
				inf, stop := r.run(informer.Options[*Pod]{WatchErrorHandler: func(_ context.Context, err error) { heard <- err }})
				defer stop()
				var failed *reflector.Error
				require.ErrorAs(t, <-heard, &failed)
				require.Equal(t, c.reason, failed.Reason)
				require.True(t, c.is(inf.State().Source.Err))

				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				err := inf.WaitForSync(ctx)
				require.ErrorIs(t, err, context.DeadlineExceeded)
				require.True(t, c.is(err), "%v", err)
				require.ErrorContains(t, err, "pods: ")

				fault.Lift()
				require.NoError(t, inf.WaitForSync(t.Context()))
			})
		})
	}
}

// "Transform", Filter and Tweak: what is not to be kept is not, and what is kept
// is what the transform made of it.
func TestWhatIsKept(t *testing.T) {
	inRoom(t, apitest.Options{}, func(t *testing.T, r *room) {
		for _, name := range []string{"web-0", "web-1", "db-0", "cache-0"} {
			apitest.Create(t, r.srv, &Pod{ObjectMeta: metav1.ObjectMeta{
				Namespace: "default", Name: name, Labels: map[string]string{"app": name[:len(name)-2]},
			}})
		}
		inf, stop := r.run(informer.Options[*Pod]{
			Tweak:  func(o *metav1.ListOptions) { o.LabelSelector = "app in (web, db)" },
			Filter: func(p *Pod) bool { return !strings.HasSuffix(p.Name, "-1") },
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
			require.Contains(t, request.String(), "labelSelector=", "the server filters what it can")
		}
	})
}

// What one object does wrong costs that object, and is reported with its key.
func TestATransformThatFailsCostsItsObject(t *testing.T) {
	inRoom(t, apitest.Options{}, func(t *testing.T, r *room) {
		good, bad := r.pod("good"), r.pod("bad")
		var lock sync.Mutex
		var heard []string
		inf, stop := r.run(informer.Options[*Pod]{
			Transform: func(p *Pod) (*Pod, bool, error) {
				switch {
				case p.Status.Phase == "worse":
					panic("it is even worse")
				case p.Name == "bad" && p.Status.Phase != "mended":
					return p, true, io.ErrUnexpectedEOF
				}
				return p, true, nil
			},
			WatchErrorHandler: func(ctx context.Context, err error) {
				lock.Lock()
				defer lock.Unlock()
				require.NotNil(t, ctx)
				line, _, _ := strings.Cut(err.Error(), "\n")
				heard = append(heard, line)
			},
		})
		defer stop()
		require.NoError(t, inf.WaitForSync(t.Context()))
		require.Equal(t, 1, inf.State().Objects)
		good = r.phase(good, "worse")
		require.NoError(t, inf.WaitForVersion(t.Context(), good.ResourceVersion))
		stored, ok := inf.Get("default/good")
		require.True(t, ok, "the previous object stays")
		require.Empty(t, stored.Status.Phase)
		bad = r.phase(bad, "mended")
		require.NoError(t, inf.WaitForVersion(t.Context(), bad.ResourceVersion))
		require.Equal(t, 2, inf.State().Objects)
		lock.Lock()
		defer lock.Unlock()
		require.Len(t, heard, 2)
		require.Contains(t, heard[0], `"default/bad"`)
		require.Contains(t, heard[1], `"default/good"`)
		require.Contains(t, heard[1], "panic: it is even worse")
		require.Zero(t, inf.State().Source.Relists)
	})
}

// Indexes are added at any time, under load, and have everything when AddIndex
// returns.
func TestAnIndexIsAddedUnderLoad(t *testing.T) {
	inRoom(t, apitest.Options{}, func(t *testing.T, r *room) {
		apitest.Seed(t, r.srv, 500, func(i int) *Pod {
			return &Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: fmt.Sprint("web-", i)}}
		})
		inf, stop := r.run(informer.Options[*Pod]{})
		defer stop()
		require.NoError(t, inf.WaitForSync(t.Context()))
		phase := func(p *Pod) []string { return []string{p.Status.Phase} }

		var load sync.WaitGroup
		var last *Pod
		load.Go(func() {
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
		load.Wait()
		require.NoError(t, inf.WaitForVersion(t.Context(), last.ResourceVersion))
		for _, index := range indexes {
			require.Equal(t, 300, inf.Reader().Snapshot().Count(index, "Running"))
		}
		_, err := inf.AddIndex("phase 0", phase)
		require.ErrorIs(t, err, indexer.ErrIndexExists)
	})
}

// Listers answer as the server would, NotFound included.
func TestAListerAnswersAsTheServerWould(t *testing.T) {
	inRoom(t, apitest.Options{}, func(t *testing.T, r *room) {
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

// "Resync per handler as documented, without relisting": nothing is asked of the
// server for it.
func TestAResyncAsksNothingOfTheServer(t *testing.T) {
	inRoom(t, apitest.Options{}, func(t *testing.T, r *room) {
		r.pod("web-0")
		inf, stop := r.run(informer.Options[*Pod]{})
		defer stop()
		var again int
		_, err := inf.AddEventHandler(informer.ResourceEventHandlerFuncs[*Pod]{
			UpdateFunc: func(old, pod *Pod) {
				if old == pod {
					again++
				}
			},
		}, informer.HandlerOptions{ResyncPeriod: time.Second})
		require.NoError(t, err)
		require.NoError(t, inf.WaitForSync(t.Context()))
		asked := len(r.srv.Requests(apitest.Match{}))
		time.Sleep(time.Minute)
		synctest.Wait()
		require.InDelta(t, 60, again, 1)
		require.Len(t, r.srv.Requests(apitest.Match{}), asked)
		require.Zero(t, inf.State().Source.Relists)
	})
}

// State: "synced, epoch, mode watch-list or list and why, last event and
// bookmark age, relists, last error, objects, backlog per handler".
func TestStateTellsHowAnInformerFares(t *testing.T) {
	inRoom(t, apitest.Options{}, func(t *testing.T, r *room) {
		pod := r.pod("web-0")
		inf, stop := r.run(informer.Options[*Pod]{Name: "all pods"})
		defer stop()
		release := make(chan struct{})
		let := sync.OnceFunc(func() { close(release) })
		defer let()
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
		require.Equal(t, reflector.WatchList, s.Source.Mode)
		require.Equal(t, reflector.Watching, s.Source.Phase)
		require.NoError(t, s.Source.Err)
		require.Greater(t, time.Since(s.Source.LastEvent), time.Minute)
		require.LessOrEqual(t, time.Since(s.Source.LastBookmark), time.Minute)
		require.Len(t, s.Handlers, 1)
		require.Equal(t, "slow", s.Handlers[0].Name)
		require.True(t, s.Handlers[0].Synced)
		require.Equal(t, 4, s.Handlers[0].Pending)
		require.False(t, s.Handlers[0].Since.IsZero())
		let()
		synctest.Wait()
		require.Zero(t, inf.State().Handlers[0].Pending)

		r.srv.Compact()
		r.srv.Restart()
		time.Sleep(5 * time.Minute)
		require.NoError(t, inf.WaitForVersion(t.Context(), r.phase(pod, "last").ResourceVersion))
		stop()
		require.False(t, inf.State().Running)
		require.Equal(t, reflector.Stopped, inf.State().Source.Phase)
	})
}
