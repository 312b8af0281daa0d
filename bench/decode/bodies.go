package decode

import (
	"bytes"
	"io"
	"net/http"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/bench/wire"
	"github.com/thinformer/thinformer/interop/objects"
)

const (
	asJSON     = wire.JSON
	asProtobuf = wire.Protobuf
)

// item is one pod, encoded as a single object and as an item of a list.
type item struct{ alone, inList []byte }

var items = map[wire.Encoding]func() []item{
	asJSON:     sync.OnceValue(func() []item { return encoded(asJSON) }),
	asProtobuf: sync.OnceValue(func() []item { return encoded(asProtobuf) }),
}

func encoded(form wire.Encoding) []item {
	items := make([]item, page)
	for i := range items {
		pod := objects.Pod(podNumber(i))
		items[i] = item{form.Object(pod), form.Item(pod)}
	}
	return items
}

// podNumber returns the number of the i-th pod. The pods are spread over the apps of
// the cluster.
func podNumber(i int) int { return i * 7 }

// listOf returns the body of a list of pods.
func listOf(form wire.Encoding, pods int) []byte {
	var inList [][]byte
	for _, item := range items[form]()[:pods] {
		inList = append(inList, item.inList)
	}
	return bytes.Join(form.List(metav1.ListMeta{ResourceVersion: "300000000"}, [][]byte{form.Page(inList)}), nil)
}

// watchOf returns the body of a watch that sends pods.
func watchOf(form wire.Encoding, pods int) (body []byte) {
	for _, item := range items[form]()[:pods] {
		body = append(body, form.Event(watch.Modified, item.alone)...)
	}
	return body
}

// answer is an http.RoundTripper that answers each request with the same bytes.
type answer struct {
	contentType wire.Encoding
	body        []byte
}

func (a *answer) use(body []byte) { a.body = body }

// RoundTrip returns a body whose reads return at most 16 KiB, the size of an HTTP/2
// frame.
func (a *answer) RoundTrip(request *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusOK, Status: "200 OK", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: request,
		Header:        http.Header{"Content-Type": {string(a.contentType)}},
		Body:          io.NopCloser(&pieces{a.body}),
		ContentLength: -1,
	}, nil
}

// read returns the whole body.
func (a *answer) read() []byte { return must(io.ReadAll(&pieces{a.body})) }

type pieces struct{ left []byte }

func (p *pieces) Read(into []byte) (int, error) {
	if len(p.left) == 0 {
		return 0, io.EOF
	}
	n := copy(into[:min(len(into), 16<<10)], p.left)
	p.left = p.left[n:]
	return n, nil
}

func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
