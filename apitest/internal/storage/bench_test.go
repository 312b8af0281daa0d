package storage

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/apitest/internal/modeltest"
	"github.com/thinformer/thinformer/apitest/internal/objects"
)

var benchTable = schema.GroupResource{Resource: "pods"}

// randomDrafts returns n objects of random sizes, as JSON.
func randomDrafts(t testing.TB, n, minSize, maxSize int) (keys []Key, drafts []objects.Draft) {
	for i := range n {
		k := Key{fmt.Sprintf("namespace-%d", i%20), fmt.Sprintf("some-deployment-5d4f8c7b9-%06d", i*7919%n)}
		d := modeltest.ConfigMap(t, k.Namespace, k.Name, "", nil)
		padding := minSize + (maxSize-minSize)*i/n - len(d.Before) - len(d.After)
		keys, drafts = append(keys, k), append(drafts, modeltest.ConfigMap(t, k.Namespace, k.Name, strings.Repeat("x", max(0, padding)), nil))
	}
	return keys, drafts
}

func seedStore(t testing.TB, keys []Key, drafts []objects.Draft) *Store {
	s := New(10_000, 128<<20)
	table := s.Table(benchTable)
	for i, k := range keys {
		if _, err := table.Commit(k, nil, drafts[i]); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func liveBytes() uint64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// The memory of stored objects, relative to their size as JSON. The goal is 1.3
// for pods.
func BenchmarkStoredBytes(b *testing.B) {
	for name, size := range map[string][2]int{"pods of 1 to 3 KB": {1 << 10, 3 << 10}, "configmaps of 300 bytes": {300, 301}} {
		b.Run(name, func(b *testing.B) {
			const n = 20_000
			keys, drafts := randomDrafts(b, n, size[0], size[1])
			text := 0
			for _, d := range drafts {
				text += len(d.At(1_000_000))
			}
			for b.Loop() {
				before := liveBytes()
				s := seedStore(b, keys, drafts)
				taken := liveBytes() - before
				b.ReportMetric(float64(taken)/float64(text), "stored/JSON")
				b.ReportMetric(float64(taken-uint64(text))/n, "extra-B/object")
				runtime.KeepAlive(s)
			}
		})
	}
}

// Storing 50,000 encoded objects.
func BenchmarkStoreSeed(b *testing.B) {
	keys, drafts := randomDrafts(b, 50_000, 1<<10, 1<<10)
	for b.Loop() {
		seedStore(b, keys, drafts)
	}
}

func BenchmarkStoreList(b *testing.B) {
	keys, drafts := randomDrafts(b, 50_000, 300, 300)
	s := seedStore(b, keys, drafts)
	table := s.Table(benchTable)
	for name, listed := range map[string]span{
		"all": {}, "one namespace": {namespace: "namespace-7"}, "a page": {limit: 500}, "5000 changes ago": {at: s.Current() - 5_000},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _, _, err := table.list(listed)
				require.NoError(b, err)
			}
		})
	}
}

// A write during continuous lists of 50,000 objects: lists hold no lock.
func BenchmarkStoreCommitBesideLists(b *testing.B) {
	keys, drafts := randomDrafts(b, 50_000, 300, 300)
	for _, lists := range []bool{false, true} {
		b.Run(fmt.Sprintf("lists=%v", lists), func(b *testing.B) {
			table := seedStore(b, keys, drafts).Table(benchTable)
			stop, stopped := make(chan struct{}), make(chan struct{})
			go func() {
				defer close(stopped)
				for lists {
					select {
					case <-stop:
						return
					default:
						table.list(span{})
					}
				}
			}()
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				k := i * 31 % len(keys)
				_, err := table.Commit(keys[k], table.Get(keys[k]), drafts[k])
				require.NoError(b, err)
				i++
			}
			close(stop)
			<-stopped
		})
	}
}
