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

// detect runs a detector for the time that change takes, and is what Run panics
// with.
func detect(t *testing.T, change func(d MutationDetector)) (found *informer.MutationError) {
	t.Helper()
	t.Setenv(mutationDetectorVariable, "true")
	synctest.Test(t, func(t *testing.T) {
		d := NewCacheMutationDetector("crates")
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

// meddle changes an object when it is not being looked at, so that the race
// detector has nothing to find.
func meddle(d MutationDetector, change func()) {
	detector := d.(*mutationDetector)
	detector.mu.Lock()
	defer detector.mu.Unlock()
	change()
}

func TestAMutationDetectorNamesWhatWasChanged(t *testing.T) {
	found := detect(t, func(d MutationDetector) {
		obj := labelled("a", "shop")
		d.AddObject(labelled("b", "shop"))
		d.AddObject(obj)
		d.AddObject("a string, which nobody can change")
		d.AddObject(nil)
		synctest.Wait()
		meddle(d, func() { obj.Labels["app"] = "secret" })
		time.Sleep(2 * mutationInterval)
	})
	require.NotNil(t, found)
	require.Equal(t, &informer.MutationError{Informer: "crates", Key: "default/a", Field: "metadata.labels[app]"}, found)
	require.NotContains(t, found.Error(), "secret")
	require.NotContains(t, found.Error(), "shop")
}

func TestAMutationDetectorLooksOnceMoreAtTheEnd(t *testing.T) {
	require.NotNil(t, detect(t, func(d MutationDetector) {
		obj := labelled("a", "shop")
		d.AddObject(obj)
		synctest.Wait()
		meddle(d, func() { obj.Labels = nil })
	}))
}

func TestAMutationDetectorLooksForTwoMinutes(t *testing.T) {
	changedAfter := func(wait time.Duration) *informer.MutationError {
		return detect(t, func(d MutationDetector) {
			obj := labelled("a", "shop")
			d.AddObject(obj)
			time.Sleep(wait)
			synctest.Wait()
			meddle(d, func() { obj.Labels["app"] = "other" })
			d.AddObject(labelled("young", "shop"))
			time.Sleep(2 * mutationInterval)
		})
	}
	require.NotNil(t, changedAfter(mutationMemory-mutationInterval/2))
	require.Nil(t, changedAfter(mutationMemory+2*mutationInterval), "what is old is let go")
}

func TestAMutationDetectorIgnoresTombstonesAndWhatIsNotChanged(t *testing.T) {
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

func TestAMutationDetectorHasToBeWanted(t *testing.T) {
	for value, wanted := range map[string]bool{"": false, "0": false, "false": false, "yes": false, "true": true, "1": true} {
		t.Setenv(mutationDetectorVariable, value)
		_, none := NewCacheMutationDetector("crates").(noMutationDetector)
		require.Equal(t, !wanted, none, value)
	}
	d := noMutationDetector{}
	d.AddObject(labelled("a", "shop"))
	d.Run(nil)
}
