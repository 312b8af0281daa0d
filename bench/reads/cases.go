package reads

import (
	"github.com/thinformer/thinformer/bench/harness"
)

// Cases returns the cases of this package.
func Cases() []harness.Case {
	return []harness.Case{
		{
			Name: "reads/own-writes", Unit: "calls", N: 1, Rounds: 5,
			About:  "100 new objects, and a reconcile that writes each once and reads it again: calls of Reconcile, reads that are older than the write, and the time of a call that writes. Ours has controller.Get and NotOwnWrites; the other side is controller-runtime with EnableReadYourWritesConsistency",
			Ours:   func() harness.Side { return ownWrites(openOurWriter(true)) },
			Theirs: func() harness.Side { return ownWrites(openTheirWriter(true)) },
		},
		{
			Name: "reads/own-writes-default", Unit: "calls", N: 1, Rounds: 5,
			About:  "the same with the Get of the informer and without NotOwnWrites; the other side is controller-runtime with its defaults",
			Ours:   func() harness.Side { return ownWrites(openOurWriter(false)) },
			Theirs: func() harness.Side { return ownWrites(openTheirWriter(false)) },
		},
		{
			Name: "reads/tracked-get", Unit: "ns/op", N: 1, Rounds: 5,
			About:  "a Get that is fresh and tracked, beyond a plain one, in a reconcile of ten reads, which has read the same before; with-loop includes the work after the reconcile; alone is a reconcile of one read; plain is a plain Get. The other side is the Get of controller-runtime's client with EnableReadYourWritesConsistency, which is fresh, beyond one without",
			Ours:   trackedGet,
			Theirs: freshGet,
		},
		{
			Name: "reads/dependency", Unit: "B", N: 1, Rounds: 3,
			About:  "the live heap of each of 100,000 dependencies (5,000 with -short): ten for each request; alone: one for each; one-request: all of one. The other side is controller-runtime's index of references, which a mapping function needs, with ten for each of 10,000 objects (500 with -short)",
			Ours:   dependencies,
			Theirs: references,
		},
		{
			Name: "reads/secrets-10k", Unit: "MB", N: 1, Rounds: 3,
			About:  "an operator of 20 objects that name one Secret each, of 10,000 Secrets of 32 KiB (500 with -short): live, resident and peak memory beyond the same operator without Secrets. Ours has bodies on demand; the other side is controller-runtime with its cache",
			Ours:   func() harness.Side { return referenced("ours", withBodies) },
			Theirs: func() harness.Side { return referenced("theirs", withCache) },
		},
		{
			Name: "reads/secrets-10k-metadata", Unit: "MB", N: 1, Rounds: 3,
			About:  "the same; the other side is controller-runtime with a watch of metadata only, and reads each Secret from the server whenever it is needed",
			Ours:   func() harness.Side { return referenced("ours", withBodies) },
			Theirs: func() harness.Side { return referenced("theirs", withMetadata) },
		},
	}
}
