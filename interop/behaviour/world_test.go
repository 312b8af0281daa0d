package behaviour

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
)

// A world is what a hand-made ListWatch serves: pods by their names, and one
// watch at a time that is told of each change.
type world struct {
	// streams is true if a watch can begin with the state.
	streams bool
	// asked, if set, hears of each request.
	asked func(verb string, o metav1.ListOptions)
	// listed and watched, if set, may answer in the world's place: with true.
	listed  func(time int, o metav1.ListOptions) (runtime.Object, error, bool)
	watched func(time int, o metav1.ListOptions) (watch.Interface, error, bool)

	mu             sync.Mutex
	pods           map[string]*corev1.Pod
	version        int
	lists, watches int
	// probes are lists of which nothing but the beginning is wanted.
	probes int
	stream *watch.FakeWatcher
}

func newWorld(names ...string) *world {
	w := &world{pods: map[string]*corev1.Pod{}}
	for _, name := range names {
		w.version++
		w.pods[name] = pod(name, strconv.Itoa(w.version))
	}
	return w
}

// source is the world as a ListerWatcher.
func (w *world) source() cache.ListerWatcher {
	return &worldly{w, &cache.ListWatch{
		ListWithContextFunc: func(_ context.Context, o metav1.ListOptions) (runtime.Object, error) {
			return w.list(o)
		},
		WatchFuncWithContext: func(_ context.Context, o metav1.ListOptions) (watch.Interface, error) {
			return w.watch(o)
		},
	}}
}

// worldly says whether its world streams.
type worldly struct {
	w *world
	*cache.ListWatch
}

func (l *worldly) IsWatchListSemanticsUnSupported() bool { return !l.w.streams }

func (w *world) list(o metav1.ListOptions) (runtime.Object, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if o.Limit == 1 {
		w.probes++
	} else {
		w.lists++
	}
	if w.asked != nil {
		w.asked("list", o)
	}
	if w.listed != nil {
		if list, err, done := w.listed(w.lists, o); done {
			return list, err
		}
	}
	list := &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: strconv.Itoa(w.version)}}
	for _, name := range slices.Sorted(maps.Keys(w.pods)) {
		list.Items = append(list.Items, *w.pods[name].DeepCopy())
	}
	return list, nil
}

func (w *world) watch(o metav1.ListOptions) (watch.Interface, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.watches++
	if w.asked != nil {
		w.asked("watch", o)
	}
	if w.watched != nil {
		if stream, err, done := w.watched(w.watches, o); done {
			return stream, err
		}
	}
	w.stream = watch.NewFakeWithChanSize(1000, false)
	if o.SendInitialEvents != nil && *o.SendInitialEvents {
		if !w.streams {
			w.stream = nil
			return nil, apierrors.NewInvalid(corev1.SchemeGroupVersion.WithKind("ListOptions").GroupKind(), "", nil)
		}
		for _, name := range slices.Sorted(maps.Keys(w.pods)) {
			w.stream.Add(w.pods[name].DeepCopy())
		}
		w.stream.Action(watch.Bookmark, bookmark(strconv.Itoa(w.version), true))
	}
	return w.stream, nil
}

func bookmark(version string, isEnd bool) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{ResourceVersion: version}}
	if isEnd {
		p.Annotations = map[string]string{metav1.InitialEventsAnnotationKey: "true"}
	}
	return p
}

// put makes or changes a pod.
func (w *world) put(name, what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.version++
	_, known := w.pods[name]
	w.pods[name] = is(pod(name, strconv.Itoa(w.version)), what)
	if w.stream == nil || w.stream.IsStopped() {
		return
	}
	if known {
		w.stream.Modify(w.pods[name].DeepCopy())
	} else {
		w.stream.Add(w.pods[name].DeepCopy())
	}
}

// drop deletes a pod.
func (w *world) drop(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.version++
	last := w.pods[name].DeepCopy()
	last.ResourceVersion = strconv.Itoa(w.version)
	delete(w.pods, name)
	if w.stream != nil && !w.stream.IsStopped() {
		w.stream.Delete(last)
	}
}

// send sends an event that changes nothing in the world.
func (w *world) send(kind watch.EventType, obj runtime.Object) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stream.Action(kind, obj)
}

// cut ends the watch; what happens until the next one is not told.
func (w *world) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stream != nil {
		w.stream.Stop()
		w.stream = nil
	}
}

// silently changes the world with nobody watching, and then has everything
// listed anew.
func (w *world) silently(change func()) {
	w.mu.Lock()
	stream := w.stream
	w.stream = nil
	w.mu.Unlock()
	change()
	gone := expired()
	stream.Action(watch.Error, &gone.ErrStatus)
	stream.Stop()
}

func expired() *apierrors.StatusError {
	return apierrors.NewResourceExpired("too old resource version")
}

// tooLarge is what a server answers that has not reached a version.
func tooLarge() error {
	err := apierrors.NewTimeoutError("Too large resource version", 1)
	err.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: metav1.CauseTypeResourceVersionTooLarge}}
	return err
}

func status(code int32, reason metav1.StatusReason) *metav1.Status {
	return &metav1.Status{Status: metav1.StatusFailure, Code: code, Reason: reason, Message: fmt.Sprintf("%s, as planned", http.StatusText(int(code)))}
}

// both plays a scene with a world that lists, and with one that streams.
func both(s *stage, play func(streams bool)) {
	for _, streams := range []bool{false, true} {
		s.say("%s:", map[bool]string{false: "listed", true: "streamed"}[streams])
		play(streams)
	}
}
