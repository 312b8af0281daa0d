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

// A fakeServer is the server behind a hand-written ListWatch. It has pods by name, and one
// watch at a time, which receives each change.
type fakeServer struct {
	// streams is set if a watch can begin with the initial events.
	streams bool
	// onRequest, if set, is called for each request.
	onRequest func(verb string, o metav1.ListOptions)
	// onList and onWatch, if set, may respond instead of the server, by returning true.
	onList  func(time int, o metav1.ListOptions) (runtime.Object, error, bool)
	onWatch func(time int, o metav1.ListOptions) (watch.Interface, error, bool)

	mu             sync.Mutex
	pods           map[string]*corev1.Pod
	version        int
	lists, watches int
	// probes counts lists of which only the beginning is used.
	probes int
	stream *watch.FakeWatcher
}

func newFakeServer(names ...string) *fakeServer {
	w := &fakeServer{pods: map[string]*corev1.Pod{}}
	for _, name := range names {
		w.version++
		w.pods[name] = pod(name, strconv.Itoa(w.version))
	}
	return w
}

// source returns the server as a ListerWatcher.
func (w *fakeServer) source() cache.ListerWatcher {
	return &serverSource{w, &cache.ListWatch{
		ListWithContextFunc: func(_ context.Context, o metav1.ListOptions) (runtime.Object, error) {
			return w.list(o)
		},
		WatchFuncWithContext: func(_ context.Context, o metav1.ListOptions) (watch.Interface, error) {
			return w.watch(o)
		},
	}}
}

// serverSource reports whether its server streams initial events.
type serverSource struct {
	w *fakeServer
	*cache.ListWatch
}

func (l *serverSource) IsWatchListSemanticsUnSupported() bool { return !l.w.streams }

func (w *fakeServer) list(o metav1.ListOptions) (runtime.Object, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if o.Limit == 1 {
		w.probes++
	} else {
		w.lists++
	}
	if w.onRequest != nil {
		w.onRequest("list", o)
	}
	if w.onList != nil {
		if list, err, done := w.onList(w.lists, o); done {
			return list, err
		}
	}
	list := &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: strconv.Itoa(w.version)}}
	for _, name := range slices.Sorted(maps.Keys(w.pods)) {
		list.Items = append(list.Items, *w.pods[name].DeepCopy())
	}
	return list, nil
}

func (w *fakeServer) watch(o metav1.ListOptions) (watch.Interface, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.watches++
	if w.onRequest != nil {
		w.onRequest("watch", o)
	}
	if w.onWatch != nil {
		if stream, err, done := w.onWatch(w.watches, o); done {
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

// put creates or changes a pod.
func (w *fakeServer) put(name, what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.version++
	_, known := w.pods[name]
	w.pods[name] = labeled(pod(name, strconv.Itoa(w.version)), what)
	if w.stream == nil || w.stream.IsStopped() {
		return
	}
	if known {
		w.stream.Modify(w.pods[name].DeepCopy())
	} else {
		w.stream.Add(w.pods[name].DeepCopy())
	}
}

// remove deletes a pod.
func (w *fakeServer) remove(name string) {
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

// send sends an event without a change of a pod.
func (w *fakeServer) send(kind watch.EventType, obj runtime.Object) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stream.Action(kind, obj)
}

// endWatch ends the watch. Changes until the next watch are not sent.
func (w *fakeServer) endWatch() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stream != nil {
		w.stream.Stop()
		w.stream = nil
	}
}

// relistAfter changes pods without a watch, and then makes the client list again.
func (w *fakeServer) relistAfter(change func()) {
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

// tooLarge is the response of a server that has not reached a version.
func tooLarge() error {
	err := apierrors.NewTimeoutError("Too large resource version", 1)
	err.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: metav1.CauseTypeResourceVersionTooLarge}}
	return err
}

func status(code int32, reason metav1.StatusReason) *metav1.Status {
	return &metav1.Status{Status: metav1.StatusFailure, Code: code, Reason: reason, Message: fmt.Sprintf("%s, as planned", http.StatusText(int(code)))}
}

// withAndWithoutStreams runs a case with a server that does not stream initial events, and
// with one that does.
func withAndWithoutStreams(s *scenario, run func(streams bool)) {
	for _, streams := range []bool{false, true} {
		s.printf("%s:", map[bool]string{false: "listed", true: "streamed"}[streams])
		run(streams)
	}
}
