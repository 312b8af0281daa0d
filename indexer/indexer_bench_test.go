package indexer

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// These benchmarks are for profiling. The bench module has the comparison with
// client-go.

const benchObjects = 100_000

type benchPod struct {
	metav1.ObjectMeta
	node string
	_    [20]uint64 // about the size of a small pod
}

func benchPods() []*benchPod {
	pods := make([]*benchPod, benchObjects)
	for i := range pods {
		pods[i] = &benchPod{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: fmt.Sprintf("namespace-%03d", i%500), Name: fmt.Sprintf("pod-abcdef-%06d", i),
				UID: "uid", ResourceVersion: "1",
			},
			node: fmt.Sprintf("node-%02d", i%50),
		}
	}
	return pods
}

func benchIndexer(b *testing.B) (*Indexer[*benchPod], *Index[*benchPod]) {
	ix := New(Options[*benchPod]{})
	namespace, err := ix.AddIndex(NamespaceIndex, MetaNamespaceIndexFunc[*benchPod])
	if err != nil {
		b.Fatal(err)
	}
	for name, f := range map[string]func(*benchPod) []string{
		"node": func(p *benchPod) []string { return []string{p.node} },
		"app":  func(p *benchPod) []string { return []string{p.Name[11:14]} },
	} {
		if _, err := ix.AddIndex(name, f); err != nil {
			b.Fatal(err)
		}
	}
	return ix, namespace
}

func BenchmarkUpdate(b *testing.B) {
	pods, again := benchPods(), benchPods()
	ix, _ := benchIndexer(b)
	for _, pod := range pods {
		_ = ix.Add(pod)
	}
	b.ReportAllocs()
	for b.Loop() {
		i := rand.IntN(benchObjects)
		pods[i], again[i] = again[i], pods[i]
		_ = ix.Update(pods[i])
	}
}

func BenchmarkApply1000(b *testing.B) {
	pods, again := benchPods(), benchPods()
	ix, _ := benchIndexer(b)
	for _, pod := range pods {
		_ = ix.Add(pod)
	}
	changes := make([]Change[*benchPod], 0, 1000)
	b.ReportAllocs()
	for b.Loop() {
		i := rand.IntN(benchObjects)
		pods[i], again[i] = again[i], pods[i]
		changes = append(changes, Change[*benchPod]{Object: pods[i]})
		if len(changes) == cap(changes) {
			_ = ix.Apply(changes, "")
			changes = changes[:0]
		}
	}
}

func BenchmarkReplace(b *testing.B) {
	pods, again := benchPods(), benchPods()
	ix, _ := benchIndexer(b)
	all := func(pods []*benchPod) iter.Seq2[*benchPod, error] {
		return func(yield func(*benchPod, error) bool) {
			for _, pod := range pods {
				if !yield(pod, nil) {
					return
				}
			}
		}
	}
	_ = ix.Replace(all(pods), nil)
	b.ReportAllocs()
	for b.Loop() {
		pods, again = again, pods
		_ = ix.Replace(all(pods), nil)
	}
}

func BenchmarkGet(b *testing.B) {
	ix, _ := benchIndexer(b)
	var keys []string
	for _, pod := range benchPods() {
		_ = ix.Add(pod)
		keys = append(keys, pod.Namespace+"/"+pod.Name)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := ix.Get(keys[rand.IntN(benchObjects)]); !ok {
			b.Fatal("not found")
		}
	}
}

func BenchmarkFind200(b *testing.B) {
	ix, namespace := benchIndexer(b)
	for _, pod := range benchPods() {
		_ = ix.Add(pod)
	}
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		i++
		n := 0
		for range namespace.Find(fmt.Sprintf("namespace-%03d", i%500)) {
			n++
		}
		if n != 200 {
			b.Fatal(n)
		}
	}
}

func BenchmarkAll(b *testing.B) {
	ix, _ := benchIndexer(b)
	for _, pod := range benchPods() {
		_ = ix.Add(pod)
	}
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		for range ix.All() {
			n++
		}
		if n != benchObjects {
			b.Fatal(n)
		}
	}
}

func BenchmarkAdd(b *testing.B) {
	pods := benchPods()
	b.ReportAllocs()
	b.ResetTimer()
	for n := 0; n < b.N; n += benchObjects {
		ix, _ := benchIndexer(b)
		for _, pod := range pods[:min(benchObjects, b.N-n)] {
			_ = ix.Add(pod)
		}
	}
}
