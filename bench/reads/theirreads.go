package reads

import (
	"context"
	"fmt"
	"runtime"
	"time"

	corev1 "k8s.io/api/core/v1"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/thinformer/thinformer/bench/apiserver"
	"github.com/thinformer/thinformer/bench/harness"
	"github.com/thinformer/thinformer/bench/process"
)

// manyObjects returns the config of a server with so many ConfigMaps in namespaces of ten.
func manyObjects(n int) apiserver.Config { return apiserver.Config{Namespaces: n / 10, Each: 10} }

// freshGet returns a side that measures the Get of controller-runtime's client with
// EnableReadYourWritesConsistency beyond the same without it.
func freshGet() harness.Side {
	return func(m *harness.Meter) {
		objects, passes := 1_000, 50
		if m.IsShort() {
			passes = 2
		}
		at := apiserver.Serve(manyObjects(objects))
		objectsCache := must(cache.New(at.Theirs(), cache.Options{Scheme: coreScheme()}))
		r := run(objectsCache.Start)
		defer r.stop()
		ctx := context.Background()
		must(objectsCache.GetInformer(ctx, new(corev1.ConfigMap)))
		if !objectsCache.WaitForCacheSync(ctx) { // a read before the start of the cache is an error
			panic("not synced")
		}
		newClient := func(fresh bool) client.Client {
			return must(client.New(at.Theirs(), client.Options{Scheme: coreScheme(), Cache: &client.CacheOptions{Reader: objectsCache, EnableReadYourWritesConsistency: &fresh}}))
		}
		clients := map[bool]client.Client{false: newClient(false), true: newClient(true)}
		keys := make([]client.ObjectKey, objects)
		for i := range keys {
			keys[i] = client.ObjectKey{Namespace: apiserver.NamespaceName(i / 10), Name: fmt.Sprintf("settings-%03d", i%10)}
		}
		pass := func(fresh bool) cost {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			began := time.Now()
			for _, key := range keys {
				check(clients[fresh].Get(ctx, key, new(corev1.ConfigMap)))
			}
			took := float64(time.Since(began))
			runtime.ReadMemStats(&after)
			return cost{took, took, float64(after.Mallocs - before.Mallocs)}
		}
		var plain, fresh cost
		_, _ = pass(false), pass(true)
		for range passes {
			plain, fresh = plain.plus(pass(false)), fresh.plus(pass(true))
		}
		reads := float64(passes * objects)
		beyond := fresh.per(reads, plain)
		m.Report("", beyond.inReads)
		m.ReportIn("allocs", "allocs", beyond.allocs)
		m.Report("plain", plain.inReads/reads)
	}
}

// references returns a side that measures the memory of each reference in an index of
// controller-runtime's cache: its live heap with an index of ten references for each
// object, less that without the index.
func references() harness.Side {
	return func(m *harness.Meter) {
		objects, each := 10_000, 10
		if m.IsShort() {
			objects = 500
		}
		at := apiserver.Serve(manyObjects(objects))
		live := func(indexed bool) int64 {
			before := process.Live()
			objectsCache := must(cache.New(at.Theirs(), cache.Options{Scheme: coreScheme()}))
			ctx := context.Background()
			if indexed {
				check(objectsCache.IndexField(ctx, new(corev1.ConfigMap), secretIndex, func(object client.Object) (names []string) {
					for i := range each {
						names = append(names, fmt.Sprintf("certificate-%s-%s-%d", object.GetNamespace(), object.GetName(), i))
					}
					return names
				}))
			}
			r := run(objectsCache.Start)
			defer r.stop()
			inf := must(objectsCache.GetInformer(ctx, new(corev1.ConfigMap)))
			if !toolscache.WaitForCacheSync(ctx.Done(), inf.HasSynced) {
				panic("not synced")
			}
			after := process.Live()
			runtime.KeepAlive(objectsCache)
			return after - before
		}
		live(false) // connections and types
		without := live(false)
		m.Report("", float64(live(true)-without)/float64(objects*each))
	}
}
