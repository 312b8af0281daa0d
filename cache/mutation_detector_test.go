package cache

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/informer"
)

func labelled(name, app string) *metav1.PartialObjectMetadata {
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Namespace: "default", Name: name, Labels: map[string]string{"app": app},
	}}
}

// detect runs a detector while change runs, and returns the error with which
// Run panics.
func detect(t *testing.T, change func(d MutationDetector)) (found *informer.MutationError) {
	t.Helper()
	t.Setenv(mutationDetectorVariable, "true")
	synctest.Test(t, func(t *testing.T) {
		d := NewCacheMutationDetector("informer")
		stop, ended := make(chan struct{}), make(chan any)
		go func() {
			defer func() { ended <- recover() }()
			d.Run(stop)
		}()
		change(d)
		close(stop)
		if panicked := <-ended; panicked != nil {
			require.True(t, errors.As(panicked.(error), &found), "%v", panicked)
		}
	})
	return found
}

// modify changes an object while the detector does not read it, so that there
// is no data race.
func modify(d MutationDetector, change func()) {
	detector := d.(*mutationDetector)
	detector.mu.Lock()
	defer detector.mu.Unlock()
	change()
}

func TestMutationDetectorReportsField(t *testing.T) {
	found := detect(t, func(d MutationDetector) {
		obj := labelled("a", "shop")
		d.AddObject(labelled("b", "shop"))
		d.AddObject(obj)
		d.AddObject("a string")
		d.AddObject(nil)
		synctest.Wait()
		modify(d, func() { obj.Labels["app"] = "secret" })
		time.Sleep(2 * mutationInterval)
	})
	require.NotNil(t, found)
	require.Equal(t, &informer.MutationError{Informer: "informer", Key: "default/a", Field: "metadata.labels[app]"}, found)
	require.NotContains(t, found.Error(), "secret")
	require.NotContains(t, found.Error(), "shop")
}

func TestMutationDetectorChecksOnStop(t *testing.T) {
	require.NotNil(t, detect(t, func(d MutationDetector) {
		obj := labelled("a", "shop")
		d.AddObject(obj)
		synctest.Wait()
		modify(d, func() { obj.Labels = nil })
	}))
}

func TestMutationDetectorChecksForTwoMinutes(t *testing.T) {
	changedAfter := func(wait time.Duration) *informer.MutationError {
		return detect(t, func(d MutationDetector) {
			obj := labelled("a", "shop")
			d.AddObject(obj)
			time.Sleep(wait)
			synctest.Wait()
			modify(d, func() { obj.Labels["app"] = "other" })
			d.AddObject(labelled("young", "shop"))
			time.Sleep(2 * mutationInterval)
		})
	}
	require.NotNil(t, changedAfter(mutationRetention-mutationInterval/2))
	require.Nil(t, changedAfter(mutationRetention+2*mutationInterval), "an object older than the retention is not checked")
}

func TestMutationDetectorIgnoresTombstonesAndUnchangedObjects(t *testing.T) {
	require.Nil(t, detect(t, func(d MutationDetector) {
		obj := labelled("a", "shop")
		d.AddObject(DeletedFinalStateUnknown{Key: "default/a", Obj: obj})
		d.AddObject(&DeletedFinalStateUnknown{Key: "default/a", Obj: obj})
		d.AddObject(labelled("b", "shop"))
		synctest.Wait()
		obj.Labels["app"] = "other"
		time.Sleep(2 * mutationInterval)
	}))
}

func TestMutationDetectorIsDisabledByDefault(t *testing.T) {
	for value, wanted := range map[string]bool{"": false, "0": false, "false": false, "yes": false, "true": true, "1": true} {
		t.Setenv(mutationDetectorVariable, value)
		_, none := NewCacheMutationDetector("informer").(noMutationDetector)
		require.Equal(t, !wanted, none, value)
	}
	d := noMutationDetector{}
	d.AddObject(labelled("a", "shop"))
	d.Run(nil)
}
