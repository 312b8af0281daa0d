package rest_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/rest"
)

// fakeAPI is an HTTP server with the responses of the test. It records the requests.
type fakeAPI struct {
	url    string
	client *rest.Client
	// ended receives a value when a request has ended.
	ended chan struct{}

	mu   sync.Mutex
	sent []receivedRequest
}

// receivedRequest has the parts of a request that the tests check.
type receivedRequest struct {
	Method, Path, Accept, ContentType string
	Query                             url.Values
	Body                              string
}

func (s receivedRequest) String() string {
	line := s.Method + " " + s.Path
	if len(s.Query) > 0 {
		line += "?" + s.Query.Encode()
	}
	return line
}

// serve starts a server that calls answer for each request.
func serve(t *testing.T, answer func(w http.ResponseWriter, r *http.Request, s receivedRequest)) *fakeAPI {
	t.Helper()
	f := &fakeAPI{ended: make(chan struct{}, 100)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s := receivedRequest{
			Method: r.Method, Path: r.URL.EscapedPath(), Query: r.URL.Query(), Body: string(body),
			Accept: r.Header.Get("Accept"), ContentType: r.Header.Get("Content-Type"),
		}
		f.mu.Lock()
		f.sent = append(f.sent, s)
		f.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		answer(w, r, s)
		select {
		case f.ended <- struct{}{}:
		default: // the test does not count that many
		}
	}))
	client, err := rest.New(&rest.Config{Host: server.URL})
	require.NoError(t, err)
	t.Cleanup(server.Close)
	t.Cleanup(client.Close)
	f.client, f.url = client, server.URL
	return f
}

// serveBodies serves the bodies, one for each request, and repeats the last one.
func serveBodies(t *testing.T, bodies ...string) *fakeAPI {
	t.Helper()
	n := 0
	return serve(t, func(w http.ResponseWriter, r *http.Request, s receivedRequest) {
		body := bodies[min(n, len(bodies)-1)]
		n++
		if strings.HasPrefix(body, `{"kind":"Status"`) {
			var status metav1.Status
			if json.Unmarshal([]byte(body), &status) == nil && status.Code != 0 {
				w.WriteHeader(int(status.Code))
			}
		}
		io.WriteString(w, body)
	})
}

// requests returns the requests received so far.
func (f *fakeAPI) requests() []receivedRequest {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]receivedRequest(nil), f.sent...)
}

func (f *fakeAPI) last(t *testing.T) receivedRequest {
	t.Helper()
	all := f.requests()
	require.NotEmpty(t, all, "no request was sent")
	return all[len(all)-1]
}

// Widget is a custom resource, declared as a plain struct.
type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              WidgetSpec   `json:"spec,omitzero"`
	Status            WidgetStatus `json:"status,omitzero"`
}

type WidgetSpec struct {
	Size  int      `json:"size,omitempty"`
	Parts []string `json:"parts,omitempty"`
}

type WidgetStatus struct {
	Ready bool `json:"ready,omitempty"`
}

// SlimWidget has fewer fields of the same resource.
type SlimWidget struct {
	rest.SlimMeta `json:"metadata"`
	Spec          struct {
		Size int `json:"size"`
	} `json:"spec"`
}

var widgets = rest.ResourceInfo{
	GroupVersionResource: schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"},
	Kind:                 "Widget", Namespaced: true,
}

const managed = `"managedFields":[{"manager":"m","operation":"Update","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{}}}]`

// widgetJSON returns a widget as the server encodes it.
func widgetJSON(name, version, rest string) string {
	return fmt.Sprintf(`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":%q,"namespace":"ns","uid":"uid-%s","resourceVersion":%q,%s}%s}`,
		name, name, version, managed, rest)
}

// listJSON returns a page of a list.
func listJSON(version, cont string, items ...string) string {
	meta, _ := json.Marshal(metav1.ListMeta{ResourceVersion: version, Continue: cont})
	return fmt.Sprintf(`{"apiVersion":"example.com/v1","kind":"WidgetList","metadata":%s,"items":[%s]}`, meta, strings.Join(items, ","))
}

func statusJSON(code int, reason metav1.StatusReason) string {
	body, _ := json.Marshal(metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure,
		Message: "the server says " + string(reason), Reason: reason, Code: int32(code),
	})
	return string(body)
}

func names[T rest.Object](items []T) []string {
	all := make([]string, 0, len(items))
	for _, item := range items {
		all = append(all, item.GetName()+"@"+item.GetResourceVersion())
	}
	return all
}
