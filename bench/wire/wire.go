// Package wire encodes the responses of a server in JSON and in protobuf: objects,
// lists, and the events of a watch.
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

// Encoding is the media type of a response.
type Encoding string

// The encodings.
const (
	JSON     Encoding = "application/json"
	Protobuf Encoding = "application/vnd.kubernetes.protobuf"
)

// Object returns the encoding of an object in a response of its own, or in an event.
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

// Page joins items to a page of a list.
func (e Encoding) Page(items [][]byte) []byte { return bytes.Join(items, e.comma()) }

func (e Encoding) comma() []byte {
	if e == JSON {
		return []byte(",")
	}
	return nil
}

// List returns the body of a list of pods as pieces that are written one after another.
// It does not copy the pages.
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

// protobufList returns the bytes before and after the items of a list.
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

// field appends a length-delimited field.
func field(to []byte, number int, content []byte) []byte {
	to = binary.AppendUvarint(append(to, byte(number<<3|2)), uint64(len(content)))
	return append(to, content...)
}

// Event returns the frame of a watch event with an object that Object has encoded.
func (e Encoding) Event(kind watch.EventType, object []byte) []byte {
	if e == JSON {
		return fmt.Appendf(nil, `{"type":%q,"object":%s}`+"\n", kind, object)
	}
	event := must((&metav1.WatchEvent{Type: string(kind), Object: runtime.RawExtension{Raw: object}}).Marshal())
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(event))), event...)
}

// VersionAt returns the offset of the pod's resourceVersion in such an object or event,
// so that it can be replaced by another one of the same length.
func (e Encoding) VersionAt(encoded []byte, pod *corev1.Pod) int {
	before := []byte(`"resourceVersion":"`)
	if e == Protobuf {
		before = []byte{6<<3 | 2, byte(len(pod.ResourceVersion))}
	}
	at := bytes.Index(encoded, append(before, pod.ResourceVersion...))
	if at < 0 {
		panic("the encoded pod has no resourceVersion")
	}
	return at + len(before)
}

// ContentType returns the Content-Type of the responses.
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
