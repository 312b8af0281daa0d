// Package pods has a server of pods for the cases with a connection. It encodes all
// responses before the first request. It uses HTTP/1.1 without TLS and compression. So
// the cases measure the client.
//
// Lists and watches are like those that an API server sends from its cache. After the
// initial state, a watch sends the events that the case requests at /control/.
package pods

import (
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/bench/wire"
	"github.com/thinformer/thinformer/interop/objects"
)

// Config configures the objects of a server.
type Config struct {
	// Encoding is that of all responses. If it is empty, it is the one that the client
	// prefers.
	Encoding wire.Encoding
	// Pods is the number of pods.
	Pods int
	// EventPods is the number of pods with events.
	EventPods int
	// WatchLists is set if watches send the initial state on request; the server then
	// answers no lists. Otherwise such a request is answered as by a server that does
	// not support it.
	WatchLists bool
}

// firstVersion is higher than the versions of all pods and has the same number of
// digits.
const firstVersion = 300_000_000

// VersionAfterExpiry is the version of the server after a watch has expired once, if no
// events were sent.
const VersionAfterExpiry = firstVersion + 1_000

// page is the number of pods that are encoded together. The limit of a list is a multiple.
const page = 500

// Server answers lists and watches of pods.
type Server struct {
	of Config
	// pages has the items of a list, initial the events of the initial state, in pages.
	// One of them is empty.
	pages, initial [][]byte
	version        atomic.Int64
	// commands are executed by open watches.
	commands chan Command

	sending   sync.Mutex
	eventPods eventPods
}

// A Command is executed by a watch. It reports whether the watch continues.
type Command func(w http.ResponseWriter) (more bool)

// NewServer returns a server and encodes its responses.
func NewServer(of Config) *Server {
	s := &Server{of: of, commands: make(chan Command)}
	s.version.Store(firstVersion)
	for first := 0; first < of.Pods; first += page {
		var items [][]byte
		var events []byte
		for i := first; i < min(first+page, of.Pods); i++ {
			pod := objects.Pod(i)
			if of.WatchLists {
				events = append(events, of.Encoding.Event(watch.Added, of.Encoding.Object(pod))...)
			} else {
				items = append(items, of.Encoding.Item(pod))
			}
		}
		if of.WatchLists {
			s.initial = append(s.initial, events)
		} else {
			s.pages = append(s.pages, of.Encoding.Page(items))
		}
	}
	s.eventPods = newEventPods(of)
	return s
}

// ServeHTTP answers lists, watches and controls.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	switch {
	case r.URL.Path == "/control/reset":
		s.reset()
	case r.URL.Path == "/control/send":
		events, _ := strconv.Atoi(query.Get("events"))
		s.Do(s.Sending(events))
	case r.URL.Path == "/control/expire":
		s.Do(s.expire)
	case r.URL.Path != "/api/v1/pods":
		http.NotFound(w, r)
	case query.Get("watch") != "":
		s.watch(w, r, query.Get("sendInitialEvents") != "")
	default:
		s.list(w, query.Get("limit"), query.Get("continue"), query.Get("resourceVersion"))
	}
}

// reset restores the initial state of the server, so that each client receives the
// same.
func (s *Server) reset() {
	s.sending.Lock()
	defer s.sending.Unlock()
	s.version.Store(firstVersion)
	s.eventPods.next = 0
}

// Do passes a command to a watch. If none is open, it waits for one.
func (s *Server) Do(command Command) { s.commands <- command }

// list answers as an API server does from its cache: with everything for resource
// version 0, and with as many objects as the limit for any other list with one.
func (s *Server) list(w http.ResponseWriter, limit, next, version string) {
	if s.of.WatchLists {
		http.Error(w, "this server answers only watches", http.StatusInternalServerError)
		return
	}
	first, last := 0, len(s.pages)
	meta := metav1.ListMeta{ResourceVersion: strconv.FormatInt(s.version.Load(), 10)}
	if size, _ := strconv.Atoi(limit); size > 0 && version != "0" {
		first, _ = strconv.Atoi(next)
		last = min(first+max(size/page, 1), len(s.pages))
		if last < len(s.pages) {
			meta.Continue = strconv.Itoa(last)
		}
	}
	w.Header().Set("Content-Type", s.of.Encoding.ContentType(false))
	for _, piece := range s.of.Encoding.List(meta, s.pages[first:last]) {
		if _, err := w.Write(piece); err != nil {
			return // the client has gone
		}
	}
}

func (s *Server) watch(w http.ResponseWriter, r *http.Request, wantsInitial bool) {
	if wantsInitial && !s.of.WatchLists {
		refuse(w)
		return
	}
	w.Header().Set("Content-Type", s.of.Encoding.ContentType(true))
	w.WriteHeader(http.StatusOK)
	if wantsInitial {
		for _, events := range s.initial {
			if _, err := w.Write(events); err != nil {
				return
			}
		}
		_, _ = w.Write(s.endOfInitial())
	}
	for {
		w.(http.Flusher).Flush()
		select {
		case command := <-s.commands:
			if !command(w) {
				return
			}
		case <-r.Context().Done():
			return
		}
	}
}

// refuse rejects a watch with initial events, as a server without them does.
func refuse(w http.ResponseWriter) {
	err := apierrors.NewInvalid(schema.GroupKind{Group: "meta.k8s.io", Kind: "ListOptions"}, "", field.ErrorList{
		field.Forbidden(field.NewPath("sendInitialEvents"), "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled"),
	})
	status := err.Status()
	status.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
	w.Header().Set("Content-Type", string(wire.JSON))
	w.WriteHeader(int(status.Code))
	_, _ = w.Write(wire.JSON.Object(&status))
}

// endOfInitial returns the bookmark after the initial state.
func (s *Server) endOfInitial() []byte {
	bookmark := &corev1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}}
	bookmark.ResourceVersion = strconv.FormatInt(s.version.Load(), 10)
	bookmark.Annotations = map[string]string{metav1.InitialEventsAnnotationKey: "true"}
	return s.of.Encoding.Event(watch.Bookmark, s.of.Encoding.Object(bookmark))
}

// expire ends a watch with the error that its version has expired.
func (s *Server) expire(w http.ResponseWriter) (more bool) {
	version := s.version.Add(VersionAfterExpiry - firstVersion)
	status := apierrors.NewResourceExpired(fmt.Sprintf("too old resource version: %d (%d)", version-VersionAfterExpiry+firstVersion, version)).Status()
	status.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
	_, _ = w.Write(s.of.Encoding.Event(watch.Error, s.of.Encoding.Object(&status)))
	return false
}
