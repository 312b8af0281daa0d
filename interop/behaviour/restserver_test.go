package behaviour

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest/fake"
	"k8s.io/client-go/tools/cache"
)

// A restServer is a server behind a RESTClient. It has a list, and one watch at a time.
type restServer struct {
	list   corev1.PodList
	events chan []byte
}

func newRESTServer(version string, pods ...*corev1.Pod) *restServer {
	w := &restServer{events: make(chan []byte)}
	w.list.APIVersion, w.list.Kind, w.list.ResourceVersion = "v1", "PodList", version
	for _, p := range pods {
		w.list.Items = append(w.list.Items, *p)
	}
	return w
}

// source returns the server as a ListerWatcher of NewListWatchFromClient.
func (w *restServer) source() cache.ListerWatcher {
	client := &fake.RESTClient{
		NegotiatedSerializer: scheme.Codecs.WithoutConversion(),
		GroupVersion:         corev1.SchemeGroupVersion,
		VersionedAPIPath:     "/api/v1",
		Client:               fake.CreateHTTPClient(w.answer),
	}
	return cache.NewListWatchFromClient(client, "pods", metav1.NamespaceAll, fields.Everything())
}

func (w *restServer) answer(r *http.Request) (*http.Response, error) {
	answer := &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}}
	switch {
	case r.URL.Query().Has("sendInitialEvents"):
		answer.StatusCode = http.StatusUnprocessableEntity
		answer.Body = body(metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: "Failure", Code: 422, Reason: metav1.StatusReasonInvalid})
	case r.URL.Query().Has("watch"):
		reader, writer := io.Pipe()
		answer.Body = reader
		go w.stream(r, writer)
	default:
		answer.Body = body(w.list)
	}
	return answer, nil
}

func (w *restServer) stream(r *http.Request, to *io.PipeWriter) {
	defer to.Close()
	for {
		select {
		case <-r.Context().Done():
			return
		case event := <-w.events:
			if _, err := to.Write(event); err != nil {
				return
			}
		}
	}
}

// send sends an event.
func (w *restServer) send(kind watch.EventType, p *corev1.Pod) {
	p = p.DeepCopy()
	p.APIVersion, p.Kind = "v1", "Pod"
	w.events <- encoded(map[string]any{"type": kind, "object": p})
}

func body(of any) io.ReadCloser { return io.NopCloser(bytes.NewReader(encoded(of))) }

func encoded(of any) []byte {
	text, err := json.Marshal(of)
	if err != nil {
		panic(err)
	}
	return append(text, '\n')
}
