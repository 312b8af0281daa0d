package interop_test

import (
	"bytes"
	"encoding/binary"
	stdjson "encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/thinformer/thinformer/interop/objects"
)

const protobufType = "application/vnd.kubernetes.protobuf"

// server serves one resource: its objects as a list, and a watch that sends each of them in
// each type of event, then a bookmark.
type server struct {
	kind    schema.GroupVersionKind
	objects []runtime.Object
	// pieces is the number of bytes per write, each a chunk of its own.
	pieces int
	// failure ends the watch, if not nil.
	failure *metav1.Status

	mu      sync.Mutex
	written []byte // body of the last PUT
}

func (s *server) start(t *testing.T) (url string) {
	t.Helper()
	http := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.serve(t, w, r) }))
	t.Cleanup(http.Close)
	return http.URL
}

func (s *server) serve(t *testing.T, w http.ResponseWriter, r *http.Request) {
	contentType, encode := "application/json", objects.JSON
	if strings.HasPrefix(r.Header.Get("Accept"), protobufType) {
		contentType, encode = protobufType, objects.Protobuf
	}
	var body []byte
	var err error
	switch name := path.Base(r.URL.Path); {
	case strings.HasPrefix(name, "object-"):
		body, err = s.one(r, name, encode)
	case r.URL.Query().Get("watch") != "":
		body, err = s.watch(contentType, encode)
	default:
		body, err = s.list(contentType, encode)
	}
	if err != nil {
		t.Error(err)
	}
	w.Header().Set("Content-Type", contentType)
	for len(body) > 0 {
		n := min(len(body), s.pieces)
		if _, err := w.Write(body[:n]); err != nil {
			return
		}
		w.(http.Flusher).Flush()
		body = body[n:]
	}
}

// one returns the object of that number, read or written.
func (s *server) one(r *http.Request, name string, encode func(runtime.Object) ([]byte, error)) ([]byte, error) {
	number, err := strconv.Atoi(strings.TrimPrefix(name, "object-"))
	if err != nil {
		return nil, err
	}
	if r.Method == http.MethodPut {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		s.mu.Lock()
		s.written = body
		s.mu.Unlock()
	}
	return encode(s.named(s.objects[number], number))
}

// named returns the object of a name.
func (s *server) named(object runtime.Object, number int) runtime.Object {
	named := object.DeepCopyObject()
	accessor, err := apimeta.Accessor(named)
	if err != nil {
		panic(err) // the corpus contains only objects
	}
	accessor.SetNamespace("shop")
	accessor.SetName(fmt.Sprintf("object-%d", number))
	return named
}

func (s *server) lastWrite() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.written
}

// list returns the body of a list, of the list's own Go type if there is one.
func (s *server) list(contentType string, encode func(runtime.Object) ([]byte, error)) ([]byte, error) {
	if !scheme.Scheme.Recognizes(s.kind) {
		items := []any{}
		for _, object := range s.objects {
			items = append(items, object)
		}
		return stdjson.Marshal(map[string]any{"apiVersion": s.kind.GroupVersion().String(), "kind": s.kind.Kind + "List", "metadata": map[string]any{"resourceVersion": "42"}, "items": items})
	}
	list, err := scheme.Scheme.New(s.kind.GroupVersion().WithKind(s.kind.Kind + "List"))
	if err != nil {
		return nil, err
	}
	var items []runtime.Object
	for _, object := range s.objects {
		item := object.DeepCopyObject()
		item.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{}) // as they are sent in a list
		items = append(items, item)
	}
	list.GetObjectKind().SetGroupVersionKind(s.kind.GroupVersion().WithKind(s.kind.Kind + "List"))
	if err := apimeta.SetList(list, items); err != nil {
		return nil, err
	}
	list.(metav1.ListMetaAccessor).GetListMeta().SetResourceVersion("42")
	return encode(list)
}

var eventTypes = []watch.EventType{watch.Added, watch.Modified, watch.Deleted}

func (s *server) watch(contentType string, encode func(runtime.Object) ([]byte, error)) ([]byte, error) {
	var body bytes.Buffer
	frame := func(eventType watch.EventType, object runtime.Object) error {
		raw, err := encode(object)
		if err != nil {
			return err
		}
		if contentType != protobufType {
			_, err = fmt.Fprintf(&body, `{"type":%q,"object":%s}`+"\n", eventType, bytes.TrimSpace(raw))
			return err
		}
		event, err := (&metav1.WatchEvent{Type: string(eventType), Object: runtime.RawExtension{Raw: raw}}).Marshal()
		if err != nil {
			return err
		}
		body.Write(binary.BigEndian.AppendUint32(nil, uint32(len(event))))
		body.Write(event)
		return nil
	}
	for i, object := range s.objects {
		if err := frame(eventTypes[i%len(eventTypes)], object); err != nil {
			return nil, err
		}
	}
	err := frame(watch.Bookmark, s.bookmark())
	if err == nil && s.failure != nil {
		err = frame(watch.Error, s.failure)
	}
	return body.Bytes(), err
}

func (s *server) bookmark() runtime.Object {
	bookmark := reflect.New(reflect.TypeOf(s.objects[0]).Elem()).Interface().(runtime.Object)
	bookmark.GetObjectKind().SetGroupVersionKind(s.kind)
	accessor, err := apimeta.Accessor(bookmark)
	if err != nil {
		panic(err) // the corpus contains only objects
	}
	accessor.SetResourceVersion("4711")
	accessor.SetAnnotations(map[string]string{metav1.InitialEventsAnnotationKey: "true"})
	return bookmark
}

// serverOf serves the corpus's object of a kind, and random ones.
func serverOf(t *testing.T, kind schema.GroupVersionKind, random int) *server {
	t.Helper()
	s := &server{kind: kind, pieces: 1 << 20}
	for _, entry := range corpus(t) {
		if entry.Object != nil && kindOf(t, entry.JSON) == kind {
			s.objects = append(s.objects, entry.Object)
		}
	}
	require.NotEmpty(t, s.objects, "the corpus has no %v", kind)
	if scheme.Scheme.Recognizes(kind) {
		for range random {
			s.objects = append(s.objects, randomObject(t, kind))
		}
	}
	return s
}
