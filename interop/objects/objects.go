package objects

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
)

// An Entry is one object of the corpus.
type Entry struct {
	// Name is the name of its files: the kind in lower case, with a suffix if there are
	// several.
	Name string
	// Object is the encoded object: nil for a handwritten document,
	// *unstructured.Unstructured for a kind without a Go type.
	Object runtime.Object
	// JSON and Protobuf are the bytes of a server's response; Protobuf is nil for
	// kinds without that encoding.
	JSON, Protobuf []byte
}

// All returns the corpus, by name.
func All() ([]Entry, error) {
	var entries []Entry
	for _, object := range slices.Concat(coreObjects(), workloads(), clusterObjects(), customObjects()) {
		entry, err := encoded(object)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(entries, func(e Entry) bool { return e.Name == entry.Name }) {
			entry.Name += "-" + strings.Split(object.GetObjectKind().GroupVersionKind().Group, ".")[0]
		}
		entries = append(entries, entry)
	}
	for _, name := range slices.Sorted(maps.Keys(handwritten)) {
		entries = append(entries, Entry{Name: name, JSON: []byte(handwritten[name])})
	}
	slices.SortFunc(entries, func(a, b Entry) int { return cmp.Compare(a.Name, b.Name) })
	return entries, nil
}

func encoded(object runtime.Object) (Entry, error) {
	entry := Entry{Name: strings.ToLower(object.GetObjectKind().GroupVersionKind().Kind), Object: object}
	if err := Manage(object, "helm", "kube-controller-manager"); err != nil {
		return entry, err
	}
	var err error
	if entry.JSON, err = JSON(object); err != nil {
		return entry, err
	}
	if _, untyped := object.(*unstructured.Unstructured); !untyped {
		entry.Protobuf, err = Protobuf(object)
	}
	return entry, err
}

// JSON encodes the object as a server does.
func JSON(object runtime.Object) ([]byte, error) {
	return encode(json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme.Scheme, scheme.Scheme, json.SerializerOptions{}), object)
}

// Protobuf encodes the object as a server does, in its envelope.
func Protobuf(object runtime.Object) ([]byte, error) {
	return encode(protobuf.NewSerializer(scheme.Scheme, scheme.Scheme), object)
}

func encode(encoder runtime.Encoder, object runtime.Object) ([]byte, error) {
	var buffer bytes.Buffer
	if err := encoder.Encode(object, &buffer); err != nil {
		return nil, fmt.Errorf("encode %s: %w", object.GetObjectKind().GroupVersionKind().Kind, err)
	}
	return buffer.Bytes(), nil
}
