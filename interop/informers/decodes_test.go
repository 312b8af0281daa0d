package informers_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	clientgo "k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

const protobufType = "application/vnd.kubernetes.protobuf"

// served is a transport that answers each list in one content type, and each watch by one
// that stays open. It does not stream the initial events.
type served struct {
	contentType string
	lists       map[string][]byte // by path

	mu   sync.Mutex
	read map[string]bool
}

func (s *served) RoundTrip(r *http.Request) (*http.Response, error) {
	answer := func(code int, contentType string, body io.ReadCloser) *http.Response {
		return &http.Response{
			StatusCode: code, Status: http.StatusText(code), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			Header: http.Header{"Content-Type": {contentType}}, Body: body, Request: r,
		}
	}
	query := r.URL.Query()
	if query.Get("sendInitialEvents") == "true" {
		return answer(http.StatusUnprocessableEntity, "application/json", io.NopCloser(strings.NewReader(
			`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Invalid","code":422,"message":"sendInitialEvents is forbidden for watch",
			"details":{"causes":[{"reason":"FieldValueForbidden","field":"sendInitialEvents"}]}}`))), nil
	}
	if query.Get("watch") == "true" {
		reader, writer := io.Pipe()
		context.AfterFunc(r.Context(), func() { _ = writer.CloseWithError(r.Context().Err()) })
		return answer(http.StatusOK, s.contentType+";stream=watch", reader), nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.read[r.URL.Path] = true
	return answer(http.StatusOK, s.contentType, io.NopCloser(bytes.NewReader(s.lists[r.URL.Path]))), nil
}

// filled sets the fields of an object, to a depth that ends a recursive one.
func filled(v reflect.Value, depth int) {
	const deepest = 5
	switch v.Kind() {
	case reflect.Pointer:
		if depth <= deepest {
			v.Set(reflect.New(v.Type().Elem()))
			filled(v.Elem(), depth+1)
		}
	case reflect.Struct:
		switch v.Type().String() {
		case "v1.Time":
			v.Set(reflect.ValueOf(metav1.NewTime(time.Unix(1700000000, 0))))
			return
		case "v1.MicroTime":
			v.Set(reflect.ValueOf(metav1.NewMicroTime(time.Unix(1700000000, 0))))
			return
		case "resource.Quantity", "intstr.IntOrString", "runtime.RawExtension", "v1.FieldsV1", "v1.TypeMeta":
			return // any value is not one of these
		}
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				filled(v.Field(i), depth+1)
			}
		}
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(3)
	case reflect.Slice:
		if depth <= deepest && v.Type().Elem().Kind() != reflect.Uint8 {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			filled(v.Index(0), depth+1)
		}
	case reflect.Map:
		if depth <= deepest && v.Type().Key().Kind() == reflect.String {
			element := reflect.New(v.Type().Elem()).Elem()
			filled(element, depth+1)
			v.Set(reflect.MakeMap(v.Type()))
			v.SetMapIndex(reflect.ValueOf("k").Convert(v.Type().Key()), element)
		}
	}
}

// listOf returns the path and a list of a kind with one object.
func listOf(t *testing.T, k kind) (path string, list runtime.Object) {
	t.Helper()
	object := k.example()
	filled(reflect.ValueOf(object).Elem(), 0)
	accessor, err := apimeta.Accessor(object)
	require.NoError(t, err)
	accessor.SetName("a")
	accessor.SetNamespace("shop")
	accessor.SetResourceVersion("3")
	kinds, _, err := scheme.Scheme.ObjectKinds(object)
	require.NoError(t, err)
	resource, _ := apimeta.UnsafeGuessKindToResource(kinds[0])
	kindOfList := kinds[0].GroupVersion().WithKind(kinds[0].Kind + "List")
	list, err = scheme.Scheme.New(kindOfList)
	require.NoError(t, err)
	require.NoError(t, apimeta.SetList(list, []runtime.Object{object}))
	of, err := apimeta.ListAccessor(list)
	require.NoError(t, err)
	of.SetResourceVersion("5")
	list.GetObjectKind().SetGroupVersionKind(kindOfList)
	path = "/apis/" + resource.Group + "/" + resource.Version + "/" + resource.Resource
	if resource.Group == "" {
		path = "/api/" + resource.Version + "/" + resource.Resource
	}
	return path, list
}

// The objects of every kind, with all their fields, are those that client-go decodes.
func TestEveryKindDecodes(t *testing.T) {
	for _, contentType := range []string{"application/json", protobufType} {
		t.Run(contentType, func(t *testing.T) {
			transport := &served{contentType: contentType, lists: map[string][]byte{}, read: map[string]bool{}}
			for _, k := range kindsOf(t, clientgo.NewSharedInformerFactory(nil, 0)) {
				path, list := listOf(t, k)
				var text bytes.Buffer
				if contentType == protobufType {
					require.NoError(t, protobuf.NewSerializer(scheme.Scheme, scheme.Scheme).Encode(list, &text))
				} else {
					require.NoError(t, json.NewEncoder(&text).Encode(list))
				}
				transport.lists[path] = text.Bytes()
			}
			config := &rest.Config{Host: "http://server", Transport: transport, QPS: -1}
			if contentType == protobufType {
				config.ContentType = protobufType
			}
			objects := map[string]map[string]any{}
			both(t, func(t *testing.T, newFactory func(kubernetes.Interface, settings) clientgo.SharedInformerFactory) {
				client, err := kubernetes.NewForConfig(config)
				require.NoError(t, err)
				factory := newFactory(client, settings{})
				kinds := kindsOf(t, factory)
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
				factory.StartWithContext(ctx)
				defer factory.Shutdown()
				defer cancel()
				require.NoError(t, factory.WaitForCacheSyncWithContext(ctx).AsError())
				found := map[string]any{}
				for _, k := range kinds {
					stored := k.informer.GetStore().List()
					require.Len(t, stored, 1, k.path)
					found[k.path] = stored[0]
				}
				objects[t.Name()[strings.LastIndex(t.Name(), "/")+1:]] = found
			})
			require.Len(t, transport.read, len(transport.lists))
			for path, want := range objects["client-go"] {
				require.Equal(t, want, objects["thinformer"][path], path)
			}
		})
	}
}
