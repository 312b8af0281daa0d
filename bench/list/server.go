package list

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/interop/objects"
)

type encoding string

const (
	asJSON     encoding = "application/json"
	asProtobuf encoding = "application/vnd.kubernetes.protobuf"
)

// page is how many pods are encoded together: the usual limit of a list.
const page = 500

// pods holds the items of a list, a page to a slice, as they stand in a body.
type pods struct {
	form  encoding
	pages [][]byte
}

func encode(form encoding, count int) pods {
	p := pods{form: form}
	for first := 0; first < count; first += page {
		var items bytes.Buffer
		for i := first; i < min(first+page, count); i++ {
			pod := objects.Pod(i)
			pod.TypeMeta = metav1.TypeMeta{} // as the items of a list are sent
			if form == asProtobuf {
				field(&items, 2, must(pod.Marshal()))
				continue
			}
			if i > first {
				items.WriteByte(',')
			}
			items.Write(must(json.Marshal(pod)))
		}
		p.pages = append(p.pages, bytes.Clone(items.Bytes()))
	}
	return p
}

// serve answers lists until the input ends.
func serve(of request) {
	listener := must(net.Listen("tcp", "127.0.0.1:0"))
	encoded := encode(of.Encoding, of.Pods)
	fmt.Println("http://" + listener.Addr().String())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	fail(http.Serve(listener, encoded))
}

// ServeHTTP answers as an API server does from its cache: everything at once
// for resource version 0, a page for any other list with a limit.
func (p pods) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	first, last := 0, len(p.pages)
	meta := metav1.ListMeta{ResourceVersion: "300000000"}
	if query.Get("limit") != "" && query.Get("resourceVersion") != "0" {
		first, _ = strconv.Atoi(query.Get("continue"))
		last = min(first+1, len(p.pages))
		if last < len(p.pages) {
			meta.Continue = strconv.Itoa(last)
		}
	}
	w.Header().Set("Content-Type", string(p.form))
	p.write(w, meta, p.pages[first:last])
}

func (p pods) write(w io.Writer, meta metav1.ListMeta, pages [][]byte) {
	begin, between, end := []byte(`{"kind":"PodList","apiVersion":"v1","metadata":`), []byte(","), []byte("]}\n")
	if p.form == asProtobuf {
		begin, between, end = protobufList(meta, pages)
	} else {
		begin = append(append(begin, must(json.Marshal(meta))...), `,"items":[`...)
	}
	_, _ = w.Write(begin)
	for i, items := range pages {
		if i > 0 {
			_, _ = w.Write(between)
		}
		if _, err := w.Write(items); err != nil {
			return // the client has gone
		}
	}
	_, _ = w.Write(end)
}

// protobufList is what stands around the items of a list in its envelope.
func protobufList(meta metav1.ListMeta, pages [][]byte) (begin, between, end []byte) {
	var listMeta, envelope bytes.Buffer
	field(&listMeta, 1, must(meta.Marshal()))
	size := listMeta.Len()
	for _, items := range pages {
		size += len(items)
	}
	envelope.WriteString("k8s\x00")
	var kind bytes.Buffer
	field(&kind, 1, []byte("v1"))
	field(&kind, 2, []byte("PodList"))
	field(&envelope, 1, kind.Bytes())
	envelope.Write(binary.AppendUvarint([]byte{2<<3 | 2}, uint64(size)))
	envelope.Write(listMeta.Bytes())
	var tail bytes.Buffer // the encoding and the type of the content are empty
	field(&tail, 3, nil)
	field(&tail, 4, nil)
	return envelope.Bytes(), nil, tail.Bytes()
}

// field writes a field of bytes.
func field(to *bytes.Buffer, number int, content []byte) {
	to.Write(binary.AppendUvarint([]byte{byte(number<<3 | 2)}, uint64(len(content))))
	to.Write(content)
}
