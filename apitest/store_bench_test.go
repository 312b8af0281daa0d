package apitest

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var benchTable = schema.GroupResource{Resource: "pods"}

// draftsOf are n objects of about a size, as JSON.
func draftsOf(t testing.TB, n, least, most int) (keys []key, drafts []draft) {
	for i := range n {
		k := key{fmt.Sprintf("namespace-%d", i%20), fmt.Sprintf("some-deployment-5d4f8c7b9-%06d", i*7919%n)}
		d := anObject(t, k, "", nil)
		padding := least + (most-least)*i/n - len(d.before) - len(d.after)
		keys, drafts = append(keys, k), append(drafts, anObject(t, k, strings.Repeat("x", max(0, padding)), nil))
	}
	return keys, drafts
}

func seedStore(t testing.TB, keys []key, drafts []draft) *store {
	s := newStore(new(Options).history())
	table := s.table(benchTable)
	for i, k := range keys {
		if _, err := table.commit(k, nil, drafts[i]); err != nil {
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

// What stored objects take, over their size as JSON. The goal is 1.3 for pods.
func BenchmarkStoredBytes(b *testing.B) {
	for name, size := range map[string][2]int{"pods of 1 to 3 KB": {1 << 10, 3 << 10}, "configmaps of 300 bytes": {300, 301}} {
		b.Run(name, func(b *testing.B) {
			const n = 20_000
			keys, drafts := draftsOf(b, n, size[0], size[1])
			text := 0
			for _, d := range drafts {
				text += len(d.at(1_000_000))
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

// 50,000 objects into the store alone, encoded before.
func BenchmarkStoreSeed(b *testing.B) {
	keys, drafts := draftsOf(b, 50_000, 1<<10, 1<<10)
	for b.Loop() {
		seedStore(b, keys, drafts)
	}
}

func BenchmarkStoreList(b *testing.B) {
	keys, drafts := draftsOf(b, 50_000, 300, 300)
	s := seedStore(b, keys, drafts)
	table := s.table(benchTable)
	for name, of := range map[string]span{
		"all": {}, "one namespace": {namespace: "namespace-7"}, "a page": {limit: 500}, "5000 changes ago": {at: s.current() - 5_000},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _, _, err := table.list(of)
				require.NoError(b, err)
			}
		})
	}
}

// A write while somebody lists the 50,000 again and again: lists hold no lock.
func BenchmarkStoreCommitBesideLists(b *testing.B) {
	keys, drafts := draftsOf(b, 50_000, 300, 300)
	for _, lists := range []bool{false, true} {
		b.Run(fmt.Sprintf("lists=%v", lists), func(b *testing.B) {
			table := seedStore(b, keys, drafts).table(benchTable)
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
				_, err := table.commit(keys[k], table.get(keys[k]), drafts[k])
				require.NoError(b, err)
				i++
			}
			close(stop)
			<-stopped
		})
	}
}
