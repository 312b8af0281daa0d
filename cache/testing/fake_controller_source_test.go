//lint:file-ignore SA1019 Informers accept the deprecated ListerWatcher.

package framework_test

import (
	"errors"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/cache"
	framework "github.com/thinformer/thinformer/cache/testing"
)

var _ cache.ListerWatcher = &framework.FakeControllerSource{}

type object = metav1.PartialObjectMetadata

func named(name string) *object {
	return &object{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name}}
}

func list(t *testing.T, source *framework.FakeControllerSource) (names []string, version string) {
	t.Helper()
	got, err := source.List(metav1.ListOptions{})
	require.NoError(t, err)
	m, err := meta.ListAccessor(got)
	require.NoError(t, err)
	require.NoError(t, meta.EachListItem(got, func(obj runtime.Object) error {
		names = append(names, obj.(*object).Name+"@"+obj.(*object).ResourceVersion)
		return nil
	}))
	return names, m.GetResourceVersion()
}

func watchFrom(t *testing.T, source *framework.FakeControllerSource, version string) watch.Interface {
	t.Helper()
	w, err := source.Watch(metav1.ListOptions{ResourceVersion: version})
	require.NoError(t, err)
	t.Cleanup(w.Stop)
	return w
}

func next(t *testing.T, w watch.Interface) string {
	t.Helper()
	event, ok := <-w.ResultChan()
	require.True(t, ok)
	obj := event.Object.(*object)
	return string(event.Type) + " " + obj.Name + "@" + obj.ResourceVersion
}

// Each change has a version, which the object gets; List has the objects in their order.
func TestChangesHaveVersions(t *testing.T) {
	source := framework.NewFakeControllerSource()
	defer source.Shutdown()
	b := named("b")
	source.Add(b)
	require.Equal(t, "1", b.ResourceVersion)
	source.Add(named("a"))
	source.Modify(b)
	require.Equal(t, "3", b.ResourceVersion)
	source.Add(named("c"))
	source.Delete(named("c"))
	names, version := list(t, source)
	require.Equal(t, []string{"a@2", "b@3"}, names)
	require.Equal(t, "5", version)
}

// Watch: all changes after the version, those that were dropped for open watches too, and
// then new changes.
func TestWatchContinuesAtAnyVersion(t *testing.T) {
	source := framework.NewFakeControllerSource()
	defer source.Shutdown()
	open := watchFrom(t, source, "0")
	a := named("a")
	source.Add(a)
	source.ModifyDropWatch(a)
	source.AddDropWatch(named("b"))
	source.DeleteDropWatch(a)
	source.Modify(named("b"))
	require.Equal(t, "ADDED a@1", next(t, open))
	require.Equal(t, "MODIFIED b@5", next(t, open))
	all := []string{"ADDED a@1", "MODIFIED a@2", "ADDED b@3", "DELETED a@4", "MODIFIED b@5"}
	for from := range len(all) + 1 {
		w := watchFrom(t, source, strconv.Itoa(from))
		for _, want := range all[from:] {
			require.Equal(t, want, next(t, w))
		}
		source.Modify(named("b"))
		require.Equal(t, "MODIFIED b", next(t, w)[:len("MODIFIED b")])
		w.Stop()
	}
}

// ResetWatch: open watches end, and a version with forgotten changes has expired.
func TestResetWatchForgetsChanges(t *testing.T) {
	source := framework.NewFakeControllerSource()
	defer source.Shutdown()
	w := watchFrom(t, source, "0")
	source.AddDropWatch(named("a"))
	source.ResetWatch()
	_, open := <-w.ResultChan()
	require.False(t, open)
	_, err := source.Watch(metav1.ListOptions{ResourceVersion: "0"})
	require.True(t, apierrors.IsResourceExpired(err))
	source.Add(named("b"))
	_, err = source.Watch(metav1.ListOptions{ResourceVersion: "0"})
	require.True(t, apierrors.IsResourceExpired(err))
	require.Equal(t, "ADDED b@2", next(t, watchFrom(t, source, "1")))
}

// The source keeps copies: neither a change of the test's object nor one of a listed or
// watched object affects it.
func TestObjectsAreCopies(t *testing.T) {
	source := framework.NewFakeControllerSource()
	defer source.Shutdown()
	w := watchFrom(t, source, "0")
	a := named("a")
	source.Add(a)
	a.Name = "changed by the test"
	event := <-w.ResultChan()
	event.Object.(*object).Name = "changed by a client"
	listed, err := source.List(metav1.ListOptions{})
	require.NoError(t, err)
	listed.(*metav1.List).Items[0].Object.(*object).Name = "changed by a client"
	names, _ := list(t, source)
	require.Equal(t, []string{"a@1"}, names)
	require.Equal(t, "ADDED a@1", next(t, watchFrom(t, source, "0")))
}

func TestErrorsOfRequests(t *testing.T) {
	source := framework.NewFakeControllerSource()
	for _, version := range []string{"", "x", "1"} {
		_, err := source.Watch(metav1.ListOptions{ResourceVersion: version})
		require.ErrorContains(t, err, "watch: the resource version")
		require.False(t, apierrors.IsResourceExpired(err))
	}
	source.ListError = errors.New("refused")
	_, err := source.List(metav1.ListOptions{})
	require.Equal(t, source.ListError, err)
	require.Panics(t, func() { source.Add(&runtime.Unknown{}) })
	source.Shutdown()
}

// After Shutdown, watches have ended, requests fail, and no call blocks.
func TestNothingBlocksAfterShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := framework.NewFakeControllerSource()
		w := watchFrom(t, source, "0")
		source.Shutdown()
		_, open := <-w.ResultChan()
		require.False(t, open)
		_, err := source.List(metav1.ListOptions{})
		require.ErrorContains(t, err, "was shut down")
		_, err = source.Watch(metav1.ListOptions{ResourceVersion: "0"})
		require.ErrorContains(t, err, "was shut down")
		source.Add(named("a"))
		source.ResetWatch()
		source.Shutdown()
	})
}

// No call waits for the reader of a watch. The pending events can still be read after
// Shutdown and ResetWatch, in their order, and then the watch has ended. This is no
// synctest bubble, whose time does not pass while a goroutine waits for a mutex.
func TestNothingWaitsForAReader(t *testing.T) {
	for name, end := range map[string]func(*framework.FakeControllerSource){
		"Shutdown":   (*framework.FakeControllerSource).Shutdown,
		"ResetWatch": (*framework.FakeControllerSource).ResetWatch,
	} {
		t.Run(name, func(t *testing.T) {
			source := framework.NewFakeControllerSource()
			reads, err := source.Watch(metav1.ListOptions{ResourceVersion: "0"})
			require.NoError(t, err)
			ignores, err := source.Watch(metav1.ListOptions{ResourceVersion: "0"})
			require.NoError(t, err)
			const changes = 1000
			errs := make(chan error)
			go func() {
				for range changes {
					source.Add(named("a"))
				}
				_, failedList := source.List(metav1.ListOptions{})
				_, failedWatch := source.Watch(metav1.ListOptions{ResourceVersion: strconv.Itoa(changes)})
				end(source)
				source.Shutdown()
				errs <- errors.Join(failedList, failedWatch)
			}()
			select {
			case err := <-errs:
				require.NoError(t, err)
			case <-time.After(30 * time.Second):
				require.FailNow(t, "a call waits for a reader")
			}
			for version := range changes {
				require.Equal(t, "ADDED a@"+strconv.Itoa(version+1), next(t, reads))
			}
			_, open := <-reads.ResultChan()
			require.False(t, open)
			ignores.Stop()
			for range ignores.ResultChan() { // ends, since Stop closes it
			}
		})
	}
}

// After Shutdown, a watch whose pending events fit into its channel has no goroutine: the
// bubble, and goleak, fail otherwise.
func TestUnreadWatchLeavesNoGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := framework.NewFakeControllerSource()
		for range 300 {
			source.AddDropWatch(named("a"))
		}
		_, err := source.Watch(metav1.ListOptions{ResourceVersion: "300"})
		require.NoError(t, err)
		for range 100 {
			source.Add(named("a"))
		}
		_, err = source.Watch(metav1.ListOptions{ResourceVersion: "0"})
		require.NoError(t, err)
		source.Shutdown()
	})
}

// An informer follows the source, also over a gap that has expired.
func TestInformerFollowsTheSource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := framework.NewFakeControllerSource()
		defer source.Shutdown()
		source.Add(named("a"))
		store, controller := cache.NewInformerWithOptions(cache.InformerOptions{ListerWatcher: source, ObjectType: &object{}})
		done := make(chan struct{})
		go func() {
			defer close(done)
			controller.RunWithContext(t.Context())
		}()
		require.True(t, cache.WaitForCacheSync(t.Context().Done(), controller.HasSynced))
		source.Add(named("b"))
		source.DeleteDropWatch(named("a"))
		source.ResetWatch()
		require.True(t, cache.WaitForCacheSync(t.Context().Done(), func() bool {
			_, hasA, _ := store.GetByKey("ns/a")
			_, hasB, _ := store.GetByKey("ns/b")
			return hasB && !hasA
		}))
		t.Cleanup(func() { <-done })
	})
}
