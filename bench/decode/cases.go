// Package decode has the cases of decoding a response into Go objects. Both sides are
// the public clients, with a transport that answers with bytes from memory. So the cases
// measure everything that a client does above the connection.
package decode

import (
	"fmt"

	"github.com/thinformer/thinformer/interop/objects"
	"github.com/thinformer/thinformer/rest"

	"github.com/thinformer/thinformer/bench/harness"
	"github.com/thinformer/thinformer/bench/wire"
)

// Cases returns the cases of this package.
func Cases() []harness.Case {
	const lean = "the same with managed fields skipped; client-go cannot skip them"
	return []harness.Case{
		listCase("decode/list-json-typed", asJSON, oursTyped(asJSON, whole), theirsTyped(asJSON),
			"a list of pods of 5.9 KB in JSON, of which 2.3 KB are managed fields; per pod. View.List of *v1.Pod, all fields kept; client-go: the clientset's List"),
		listCase("decode/list-json-typed-lean", asJSON, oursTyped(asJSON, noManaged), theirsTyped(asJSON), lean+". This is the default"),
		watchCase("decode/watch-json-typed", asJSON, oursTyped(asJSON, whole), theirsTyped(asJSON),
			"a watch that sends such pods as MODIFIED; per event. Watch.Next, all fields kept; client-go: the clientset's Watch and its channel"),
		watchCase("decode/watch-json-typed-lean", asJSON, oursTyped(asJSON, noManaged), theirsTyped(asJSON), lean),
		listCase("decode/list-json-unstructured", asJSON, oursUnstructured(whole), theirsUnstructured(),
			"the list as *unstructured.Unstructured, all fields kept; client-go: the dynamic client's List"),
		listCase("decode/list-json-unstructured-lean", asJSON, oursUnstructured(noManaged), theirsUnstructured(), lean),
		listCase("decode/list-json-slim", asJSON, oursSlim(), theirsTyped(asJSON),
			"the list as a slim type: name, namespace, uid, version, labels, owners, node and phase; client-go has no slim types, and decodes pods"),
		listCase("decode/list-json-metadata", asJSON, oursMetadata(), theirsSkim(),
			"the list as *metav1.PartialObjectMetadata, managed fields skipped; the other side is json-iterator, which decodes the body into a list of the same type"),
		listCase("decode/list-protobuf-typed", asProtobuf, oursTyped(asProtobuf, whole), theirsTyped(asProtobuf),
			"a list of the same pods in protobuf, 3.8 KB each, all fields kept"),
		listCase("decode/list-protobuf-typed-lean", asProtobuf, oursTyped(asProtobuf, noManaged), theirsTyped(asProtobuf), lean),
		watchCase("decode/watch-protobuf-typed", asProtobuf, oursTyped(asProtobuf, whole), theirsTyped(asProtobuf),
			"a watch that sends such pods in protobuf, all fields kept"),
		watchCase("decode/watch-protobuf-typed-lean", asProtobuf, oursTyped(asProtobuf, noManaged), theirsTyped(asProtobuf), lean),
	}
}

func listCase(name string, form wire.Encoding, ours, theirs dial, about string) harness.Case {
	return harness.Case{
		Name: name, Unit: "us/op", About: about,
		Ours:   func() harness.Side { return listed(ours, form) },
		Theirs: func() harness.Side { return listed(theirs, form) },
	}
}

func watchCase(name string, form wire.Encoding, ours, theirs dial, about string) harness.Case {
	return harness.Case{
		Name: name, Unit: "us/op", About: about,
		Ours:   func() harness.Side { return watched(ours, form) },
		Theirs: func() harness.Side { return watched(theirs, form) },
	}
}

// client has the operations of the cases, for both sides. Both methods read the response
// to its end and return its objects.
type client interface {
	List() []any
	Watch() []any
}

// dial creates a client of a side with a transport.
type dial func(*answer) client

// listed returns a side that decodes one pod per operation, in lists of a page.
func listed(open dial, form wire.Encoding) harness.Side {
	return through(open, func(pods int) []byte { return listOf(form, pods) }, client.List)
}

// watched returns a side that decodes one pod per operation, in watches of a page.
func watched(open dial, form wire.Encoding) harness.Side {
	return through(open, func(pods int) []byte { return watchOf(form, pods) }, client.Watch)
}

// page is the maximum number of pods in a response: the usual limit of a list.
const page = 500

func through(open dial, body func(pods int) []byte, read func(client) []any) harness.Side {
	transport := &answer{}
	c := open(transport)
	transport.use(body(page))
	mustBeThePods(read(c))
	return func(m *harness.Meter) {
		// There are two bodies for any N, since a large live heap would make garbage
		// collections rarer.
		full, remainder := body(page), body(m.N%page)
		seen := 0
		m.Start()
		transport.use(full)
		for range m.N / page {
			seen += len(read(c))
		}
		transport.use(remainder)
		seen += len(read(c))
		m.Stop()
		m.ReportBytes()
		if seen != m.N {
			panic(fmt.Sprintf("a client decoded %d objects of %d", seen, m.N))
		}
	}
}

// mustBeThePods panics if these are not the pods that were sent. It compares a few
// fields; a test compares all fields of both sides.
func mustBeThePods(decoded []any) {
	if len(decoded) != page {
		panic(fmt.Sprintf("a client decoded %d objects of %d", len(decoded), page))
	}
	for i, one := range decoded {
		got, want := one.(rest.Object), objects.Pod(podNumber(i))
		if got.GetNamespace() != want.Namespace || got.GetName() != want.Name || got.GetUID() != want.UID || got.GetResourceVersion() != want.ResourceVersion {
			panic(fmt.Sprintf("object %d is %s/%s, want %s/%s", i, got.GetNamespace(), got.GetName(), want.Namespace, want.Name))
		}
	}
}
