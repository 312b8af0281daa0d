package framework

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/klog/v2"
)

// queueLength is how many events the channel of a watch has space for.
const queueLength = 100

var errShutDown = errors.New("the FakeControllerSource was shut down")

// NewFakeControllerSource returns a source without objects. Call Shutdown at
// the end.
func NewFakeControllerSource() *FakeControllerSource {
	return &FakeControllerSource{
		Items:       map[objectKey]runtime.Object{},
		Broadcaster: newBroadcaster(),
	}
}

func newBroadcaster() *watch.Broadcaster {
	return watch.NewBroadcaster(queueLength, watch.WaitIfChannelFull)
}

// FakeControllerSource is a ListerWatcher of the objects that a test adds.
// NewFakeControllerSource makes one.
type FakeControllerSource struct {
	mu sync.RWMutex
	// Items are the objects. The methods replace them.
	Items map[objectKey]runtime.Object // guarded by mu
	// Broadcaster sends the events to the watches. ResetWatch replaces it. A
	// test that calls its Watch has to read or stop that watch.
	Broadcaster *watch.Broadcaster // guarded by mu
	// ListError is the result of List if it is not nil. Set it before the
	// source is used.
	ListError error

	// changes are the last changes, one for each version up to version.
	changes []watch.Event // guarded by mu
	version int           // guarded by mu
	isDown  bool          // guarded by mu
}

// objectKey identifies an object: another one with the same name has another
// UID.
type objectKey struct {
	namespace, name string
	uid             types.UID
}

func (k objectKey) compare(other objectKey) int {
	return cmp.Or(cmp.Compare(k.namespace, other.namespace), cmp.Compare(k.name, other.name), cmp.Compare(k.uid, other.uid))
}

// Add adds an object and sends an ADDED event. It sets the resource version of
// obj, as all methods do that change an object.
func (f *FakeControllerSource) Add(obj runtime.Object) {
	f.Change(watch.Event{Type: watch.Added, Object: obj}, 1)
}

// Modify replaces an object and sends a MODIFIED event.
func (f *FakeControllerSource) Modify(obj runtime.Object) {
	f.Change(watch.Event{Type: watch.Modified, Object: obj}, 1)
}

// Delete removes an object and sends a DELETED event with lastValue.
func (f *FakeControllerSource) Delete(lastValue runtime.Object) {
	f.Change(watch.Event{Type: watch.Deleted, Object: lastValue}, 1)
}

// AddDropWatch is Add without an event for the watches that are open. A later
// watch of an older version receives it.
func (f *FakeControllerSource) AddDropWatch(obj runtime.Object) {
	f.Change(watch.Event{Type: watch.Added, Object: obj}, 0)
}

// ModifyDropWatch is Modify without an event for the watches that are open.
func (f *FakeControllerSource) ModifyDropWatch(obj runtime.Object) {
	f.Change(watch.Event{Type: watch.Modified, Object: obj}, 0)
}

// DeleteDropWatch is Delete without an event for the watches that are open.
func (f *FakeControllerSource) DeleteDropWatch(lastValue runtime.Object) {
	f.Change(watch.Event{Type: watch.Deleted, Object: lastValue}, 0)
}

// Change makes the change of an event, and sends the event to the open watches
// with a probability between 0 and 1. It panics if the object has no metadata.
// It does not wait for a reader of the watches.
func (f *FakeControllerSource) Change(e watch.Event, watchProbability float64) {
	accessor, err := meta.Accessor(e.Object)
	if err != nil {
		panic(fmt.Sprintf("FakeControllerSource: a %s event with a %T: %v", e.Type, e.Object, err))
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.isDown {
		klog.Background().Error(errShutDown, "A change has no effect", "event", e.Type, "name", klog.KObj(accessor))
		return
	}
	f.version++
	accessor.SetResourceVersion(strconv.Itoa(f.version))
	e.Object = e.Object.DeepCopyObject()
	f.changes = append(f.changes, e)
	key := objectKey{accessor.GetNamespace(), accessor.GetName(), accessor.GetUID()}
	switch e.Type {
	case watch.Added, watch.Modified:
		f.Items[key] = e.Object
	case watch.Deleted:
		delete(f.Items, key)
	}
	if rand.Float64() >= watchProbability {
		return
	}
	if err := f.Broadcaster.Action(e.Type, e.Object.DeepCopyObject()); err != nil {
		klog.Background().Error(err, "An event was not sent", "event", e.Type, "name", klog.KObj(accessor))
	}
}

// ResetWatch ends all watches and forgets the changes, so that a watch that
// has missed one has to list again.
func (f *FakeControllerSource) ResetWatch() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.isDown {
		return
	}
	f.Broadcaster.Shutdown()
	f.Broadcaster = newBroadcaster()
	f.changes = nil
}

// List returns a list with copies of all objects, in the order of namespace and
// name. It ignores the options.
func (f *FakeControllerSource) List(metav1.ListOptions) (runtime.Object, error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	switch {
	case f.isDown:
		return nil, errShutDown
	case f.ListError != nil:
		return nil, f.ListError
	}
	list := &metav1.List{ListMeta: metav1.ListMeta{ResourceVersion: strconv.Itoa(f.version)}}
	for _, key := range slices.SortedFunc(maps.Keys(f.Items), objectKey.compare) {
		list.Items = append(list.Items, runtime.RawExtension{Object: f.Items[key].DeepCopyObject()})
	}
	return list, nil
}

// Watch returns a watch of the changes after a version, which is required. The
// other options are ignored. If changes after the version were forgotten, the
// error is a 410.
func (f *FakeControllerSource) Watch(options metav1.ListOptions) (watch.Interface, error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if f.isDown {
		return nil, errShutDown
	}
	version, err := strconv.Atoi(options.ResourceVersion)
	if err != nil {
		return nil, fmt.Errorf("watch: the resource version %q is no number: %w", options.ResourceVersion, err)
	}
	missed := f.version - version
	switch {
	case missed < 0:
		return nil, fmt.Errorf("watch: the resource version %d is newer than the source, which has %d", version, f.version)
	case missed > len(f.changes):
		return nil, apierrors.NewResourceExpired(fmt.Sprintf("too old resource version: %d (%d)", version, f.version-len(f.changes)))
	}
	var prefix []watch.Event
	for _, e := range f.changes[len(f.changes)-missed:] {
		prefix = append(prefix, watch.Event{Type: e.Type, Object: e.Object.DeepCopyObject()})
	}
	source, err := f.Broadcaster.WatchWithPrefix(prefix)
	if err != nil {
		return nil, fmt.Errorf("watch: adding a watch to the broadcaster: %w", err)
	}
	return newBufferedWatch(source), nil
}

// Shutdown ends all watches; their pending events can still be read. Further
// requests fail, and further changes have no effect. It does not wait for a
// reader.
func (f *FakeControllerSource) Shutdown() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.isDown {
		f.isDown = true
		f.Broadcaster.Shutdown()
	}
}
