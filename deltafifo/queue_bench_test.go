package deltafifo

import (
	"fmt"
	"testing"
)

func benchThings() []thing {
	things := make([]thing, 1024)
	for i := range things {
		things[i] = thing{key: fmt.Sprint("default/web-", i), uid: "u", version: fmt.Sprint(i)}
	}
	return things
}

func BenchmarkAddPop(b *testing.B) {
	q, things := New(Options[thing]{KeyFunc: thingKey, MetaFunc: thingMeta}), benchThings()
	process := func(string, Deltas[thing], bool) error { return nil }
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		_ = q.Add(things[i%len(things)])
		_ = q.Pop(background, process)
	}
}

// One operation is a delta of a batch of 1024.
func BenchmarkAddPopBatch(b *testing.B) {
	q, things := New(Options[thing]{KeyFunc: thingKey, MetaFunc: thingMeta}), benchThings()
	process := func([]Delta[thing], Batch) error { return nil }
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		_ = q.Add(things[i%len(things)])
		if i%len(things) == 0 {
			_ = q.PopBatch(background, 0, process)
		}
	}
}

// One operation is a list of 1024 objects, none of which has changed.
func BenchmarkReplaceUnchanged(b *testing.B) {
	q, store := newThings()
	things := benchThings()
	for _, th := range things {
		store[th.key] = th
	}
	process := func([]Delta[thing], Batch) error { return nil }
	b.ReportAllocs()
	for b.Loop() {
		_ = q.Replace(listOf(things...), at("1"))
		_ = q.PopBatch(background, 0, process)
	}
}
