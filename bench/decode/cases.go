// Package decode holds the cases of the way from the bytes of an answer to Go
// objects. Nothing here touches a socket: both sides are the public clients,
// over a transport that answers with bytes made before, so that all that either
// does above the connection is measured, and nothing else.
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
	return []harness.Case{
		{
			Name: "decode/list-json-typed", Unit: "us/op",
			About:  "a list of pods of 5.9 KB in JSON, of which 2.3 KB are managed fields; per pod. View.List of *v1.Pod, everything kept; the other side is the clientset's List",
			Ours:   func() harness.Side { return listed(oursTyped(asJSON, whole), asJSON) },
			Theirs: func() harness.Side { return listed(theirsTyped(asJSON), asJSON) },
		},
		{
			Name: "decode/list-json-typed-lean", Unit: "us/op",
			About:  "the same as caches do it: managed fields skipped; the other side cannot",
			Ours:   func() harness.Side { return listed(oursTyped(asJSON, lean), asJSON) },
			Theirs: func() harness.Side { return listed(theirsTyped(asJSON), asJSON) },
		},
		{
			Name: "decode/watch-json-typed", Unit: "us/op",
			About:  "a watch that sends such pods as MODIFIED; per event. Watch.Next, everything kept; the other side is the clientset's Watch and its channel",
			Ours:   func() harness.Side { return watched(oursTyped(asJSON, whole), asJSON) },
			Theirs: func() harness.Side { return watched(theirsTyped(asJSON), asJSON) },
		},
		{
			Name: "decode/watch-json-typed-lean", Unit: "us/op",
			About:  "the same with managed fields skipped; the other side cannot",
			Ours:   func() harness.Side { return watched(oursTyped(asJSON, lean), asJSON) },
			Theirs: func() harness.Side { return watched(theirsTyped(asJSON), asJSON) },
		},
		{
			Name: "decode/list-json-unstructured", Unit: "us/op",
			About:  "the list as *unstructured.Unstructured, everything kept; the other side is the dynamic client's List",
			Ours:   func() harness.Side { return listed(oursUnstructured(whole), asJSON) },
			Theirs: func() harness.Side { return listed(theirsUnstructured(), asJSON) },
		},
		{
			Name: "decode/list-json-unstructured-lean", Unit: "us/op",
			About:  "the same with managed fields skipped; the other side cannot",
			Ours:   func() harness.Side { return listed(oursUnstructured(lean), asJSON) },
			Theirs: func() harness.Side { return listed(theirsUnstructured(), asJSON) },
		},
		{
			Name: "decode/list-json-slim", Unit: "us/op",
			About:  "the list as a slim type: name, namespace, uid, version, labels, owners, node and phase; the other side has no such thing, and decodes pods",
			Ours:   func() harness.Side { return listed(oursSlim(), asJSON) },
			Theirs: func() harness.Side { return listed(theirsTyped(asJSON), asJSON) },
		},
		{
			Name: "decode/list-json-metadata", Unit: "us/op",
			About:  "the list as *metav1.PartialObjectMetadata, managed fields skipped; the other side is json-iterator, that decodes the body into a list of the same type",
			Ours:   func() harness.Side { return listed(oursMetadata(), asJSON) },
			Theirs: func() harness.Side { return listed(theirsSkim(), asJSON) },
		},
		{
			Name: "decode/list-protobuf-typed", Unit: "us/op",
			About:  "a list of the same pods in protobuf, 3.8 KB each, everything kept",
			Ours:   func() harness.Side { return listed(oursTyped(asProtobuf, whole), asProtobuf) },
			Theirs: func() harness.Side { return listed(theirsTyped(asProtobuf), asProtobuf) },
		},
		{
			Name: "decode/list-protobuf-typed-lean", Unit: "us/op",
			About:  "the same with managed fields skipped; the other side cannot",
			Ours:   func() harness.Side { return listed(oursTyped(asProtobuf, lean), asProtobuf) },
			Theirs: func() harness.Side { return listed(theirsTyped(asProtobuf), asProtobuf) },
		},
		{
			Name: "decode/watch-protobuf-typed", Unit: "us/op",
			About:  "a watch that sends such pods in protobuf, everything kept",
			Ours:   func() harness.Side { return watched(oursTyped(asProtobuf, whole), asProtobuf) },
			Theirs: func() harness.Side { return watched(theirsTyped(asProtobuf), asProtobuf) },
		},
		{
			Name: "decode/watch-protobuf-typed-lean", Unit: "us/op",
			About:  "the same with managed fields skipped; the other side cannot",
			Ours:   func() harness.Side { return watched(oursTyped(asProtobuf, lean), asProtobuf) },
			Theirs: func() harness.Side { return watched(theirsTyped(asProtobuf), asProtobuf) },
		},
	}
}

// client is what the cases do to either side. Both calls read the answer to its
// end and return every object in it.
type client interface {
	List() []any
	Watch() []any
}

// dial makes a side's client over a transport.
type dial func(*answer) client

// listed decodes as many pods as the round has operations, a page at a time.
func listed(open dial, form wire.Encoding) harness.Side {
	return through(open, func(pods int) []byte { return listOf(form, pods) }, client.List)
}

func watched(open dial, form wire.Encoding) harness.Side {
	return through(open, func(pods int) []byte { return watchOf(form, pods) }, client.Watch)
}

// page is how many pods an answer has at most: the usual limit of a list.
const page = 500

func through(open dial, body func(pods int) []byte, read func(client) []any) harness.Side {
	transport := &answer{}
	c := open(transport)
	transport.use(body(page))
	mustBeThePods(read(c))
	return func(m *harness.Meter) {
		// Two bodies, whatever N is: a heap full of them would keep the
		// collector from its work.
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
			panic(fmt.Sprintf("a client made %d objects of %d", seen, m.N))
		}
	}
}

// mustBeThePods panics unless these are the pods that were sent. That they are
// equal in every field on both sides, is for a test to see.
func mustBeThePods(decoded []any) {
	if len(decoded) != page {
		panic(fmt.Sprintf("a client made %d objects of %d", len(decoded), page))
	}
	for i, one := range decoded {
		got, want := one.(rest.Object), objects.Pod(podNumber(i))
		if got.GetNamespace() != want.Namespace || got.GetName() != want.Name || got.GetUID() != want.UID || got.GetResourceVersion() != want.ResourceVersion {
			panic(fmt.Sprintf("object %d is %s/%s, want %s/%s", i, got.GetNamespace(), got.GetName(), want.Namespace, want.Name))
		}
	}
}
