package decode

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/thinformer/thinformer/interop/objects"
)

// encoding is what the bodies are in.
type encoding string

const (
	asJSON     encoding = "application/json"
	asProtobuf encoding = "application/vnd.kubernetes.protobuf"
)

// item is one pod, encoded alone and as a part of a list.
type item struct{ alone, inList []byte }

var (
	inJSON = sync.OnceValue(func() []item {
		return encoded(func(pod *corev1.Pod) item {
			alone := must(objects.JSON(pod))
			pod.TypeMeta = metav1.TypeMeta{} // as the items of a list are sent
			return item{alone, must(json.Marshal(pod))}
		})
	})
	inProtobuf = sync.OnceValue(func() []item {
		return encoded(func(pod *corev1.Pod) item { return item{must(objects.Protobuf(pod)), must(pod.Marshal())} })
	})
)

func encoded(encode func(*corev1.Pod) item) []item {
	items := make([]item, page)
	for i := range items {
		items[i] = encode(objects.Pod(podNumber(i)))
	}
	return items
}

// podNumber spreads the pods over the apps of the cluster.
func podNumber(i int) int { return i * 7 }

// list is the body of a list of the first so many pods.
func (e encoding) list(pods int) []byte {
	var body bytes.Buffer
	if e == asJSON {
		body.WriteString(`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"300000000"},"items":[`)
		for i, item := range inJSON()[:pods] {
			if i > 0 {
				body.WriteByte(',')
			}
			body.Write(item.inList)
		}
		body.WriteString("]}\n")
		return body.Bytes()
	}
	field(&body, 1, must((&metav1.ListMeta{ResourceVersion: "300000000"}).Marshal()))
	for _, item := range inProtobuf()[:pods] {
		field(&body, 2, item.inList)
	}
	return envelope("PodList", body.Bytes())
}

// watch is the body of a watch that has sent the first so many pods.
func (e encoding) watch(pods int) []byte {
	var body bytes.Buffer
	if e == asJSON {
		for _, item := range inJSON()[:pods] {
			fmt.Fprintf(&body, `{"type":"MODIFIED","object":%s}`+"\n", bytes.TrimSpace(item.alone))
		}
		return body.Bytes()
	}
	for _, item := range inProtobuf()[:pods] {
		event := must((&metav1.WatchEvent{Type: "MODIFIED", Object: runtime.RawExtension{Raw: item.alone}}).Marshal())
		body.Write(binary.BigEndian.AppendUint32(nil, uint32(len(event))))
		body.Write(event)
	}
	return body.Bytes()
}

// field writes a field of bytes.
func field(to *bytes.Buffer, number int, content []byte) {
	to.Write(binary.AppendUvarint([]byte{byte(number<<3 | 2)}, uint64(len(content))))
	to.Write(content)
}

func envelope(kind string, raw []byte) []byte {
	unknown := runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: "v1", Kind: kind}, Raw: raw}
	return append([]byte("k8s\x00"), must(unknown.Marshal())...)
}

// answer is a transport that answers every request with the same bytes.
type answer struct {
	contentType encoding
	body        []byte
}

func (a *answer) use(body []byte) { a.body = body }

// RoundTrip hands out the bytes in the pieces that a connection of HTTP/2 would
// at most hand them out.
func (a *answer) RoundTrip(request *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusOK, Status: "200 OK", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: request,
		Header:        http.Header{"Content-Type": {string(a.contentType)}},
		Body:          io.NopCloser(&pieces{a.body}),
		ContentLength: -1,
	}, nil
}

// read is the answer as a client that knows nothing of lists reads it.
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
