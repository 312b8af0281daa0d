package deltafifo

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func benchObjects() []testObject {
	objects := make([]testObject, 1024)
	for i := range objects {
		objects[i] = testObject{key: fmt.Sprint("default/web-", i), uid: "u", version: fmt.Sprint(i)}
	}
	return objects
}

func BenchmarkAddPop(b *testing.B) {
	q, objects := New(Options[testObject]{KeyFunc: objectKey, MetaFunc: objectMeta}), benchObjects()
	process := func(string, Deltas[testObject], bool) error { return nil }
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		_ = q.Add(objects[i%len(objects)])
		_ = q.Pop(background, process)
	}
}

// One operation is one delta in a batch of 1024.
func BenchmarkAddPopBatch(b *testing.B) {
	q, objects := New(Options[testObject]{KeyFunc: objectKey, MetaFunc: objectMeta}), benchObjects()
	process := func([]Delta[testObject], Batch) error { return nil }
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		_ = q.Add(objects[i%len(objects)])
		if i%len(objects) == 0 {
			_ = q.PopBatch(background, 0, process)
		}
	}
}

// One operation is a Replace with 1024 unchanged objects.
func BenchmarkReplaceUnchanged(b *testing.B) {
	q, store := newQueue()
	objects := benchObjects()
	for _, obj := range objects {
		store[obj.key] = obj
	}
	process := func([]Delta[testObject], Batch) error { return nil }
	b.ReportAllocs()
	for b.Loop() {
		_ = q.Replace(listOf(objects...), versionFunc("1"))
		_ = q.PopBatch(background, 0, process)
	}
}

// A Replace with unchanged objects allocates once for each object, in the test's store.
func TestReplaceOfUnchangedObjectsAllocatesLittle(t *testing.T) {
	q, store := newQueue()
	objects := benchObjects()
	for _, obj := range objects {
		store[obj.key] = obj
	}
	allocations := testing.AllocsPerRun(5, func() {
		_ = q.Replace(listOf(objects...), versionFunc("1"))
		_ = q.PopBatch(background, 0, func([]Delta[testObject], Batch) error { return nil })
	})
	require.Less(t, allocations, 1.5*float64(len(objects)))
}
