// Package wire writes what a server's answers consist of, in JSON and in
// protobuf: objects, lists of them, the events of a watch.
package wire

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/interop/objects"
)

// Encoding is what answers are in, by its media type.
type Encoding string

// The encodings.
const (
	JSON     Encoding = "application/json"
	Protobuf Encoding = "application/vnd.kubernetes.protobuf"
)

// Object is an object as it is sent alone, and in an event.
func (e Encoding) Object(object runtime.Object) []byte {
	if e == JSON {
		return bytes.TrimSpace(must(objects.JSON(object)))
	}
	return must(objects.Protobuf(object))
}

// Item returns a pod as an item of a list, without its kind.
func (e Encoding) Item(pod *corev1.Pod) []byte {
	bare := *pod
	bare.TypeMeta = metav1.TypeMeta{}
	if e == JSON {
		return must(json.Marshal(&bare))
	}
	return field(nil, 2, must(bare.Marshal()))
}

// Page joins items so that pages can be joined to a list.
func (e Encoding) Page(items [][]byte) []byte { return bytes.Join(items, e.comma()) }

func (e Encoding) comma() []byte {
	if e == JSON {
		return []byte(",")
	}
	return nil
}

// List is the body of a list of pods in the pieces that are to be written one
// after another. The pages are not copied.
func (e Encoding) List(meta metav1.ListMeta, pages [][]byte) (pieces [][]byte) {
	begin, end := []byte(`{"kind":"PodList","apiVersion":"v1","metadata":`), []byte("]}\n")
	if e == JSON {
		begin = append(append(begin, must(json.Marshal(meta))...), `,"items":[`...)
	} else {
		begin, end = protobufList(meta, pages)
	}
	pieces = append(pieces, begin)
	for i, page := range pages {
		if i > 0 && e == JSON {
			pieces = append(pieces, e.comma())
		}
		pieces = append(pieces, page)
	}
	return append(pieces, end)
}

// protobufList has the parts of a list around its items.
func protobufList(meta metav1.ListMeta, pages [][]byte) (begin, end []byte) {
	listMeta := field(nil, 1, must(meta.Marshal()))
	size := len(listMeta)
	for _, items := range pages {
		size += len(items)
	}
	kind := field(field(nil, 1, []byte("v1")), 2, []byte("PodList"))
	begin = field([]byte("k8s\x00"), 1, kind)
	begin = binary.AppendUvarint(append(begin, 2<<3|2), uint64(size))
	begin = append(begin, listMeta...)
	return begin, field(field(nil, 3, nil), 4, nil) // the encoding and the type of the content are empty
}

// field appends a field of bytes.
func field(to []byte, number int, content []byte) []byte {
	to = binary.AppendUvarint(append(to, byte(number<<3|2)), uint64(len(content)))
	return append(to, content...)
}

// Event is an event of a watch about an object that Object has encoded, in the
// frame that it is sent in.
func (e Encoding) Event(kind watch.EventType, object []byte) []byte {
	if e == JSON {
		return fmt.Appendf(nil, `{"type":%q,"object":%s}`+"\n", kind, object)
	}
	event := must((&metav1.WatchEvent{Type: string(kind), Object: runtime.RawExtension{Raw: object}}).Marshal())
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(event))), event...)
}

// VersionAt is where in such an object or event the pod's own resourceVersion
// begins, so that it can be replaced by another one of the same length.
func (e Encoding) VersionAt(encoded []byte, pod *corev1.Pod) int {
	before := []byte(`"resourceVersion":"`)
	if e == Protobuf {
		before = []byte{6<<3 | 2, byte(len(pod.ResourceVersion))}
	}
	at := bytes.Index(encoded, append(before, pod.ResourceVersion...))
	if at < 0 {
		panic("a pod is sent without its version")
	}
	return at + len(before)
}

// ContentType of the answers.
func (e Encoding) ContentType(watch bool) string {
	if watch && e == Protobuf {
		return string(e) + ";stream=watch"
	}
	return string(e)
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
