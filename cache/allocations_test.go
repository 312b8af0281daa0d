package cache_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/thinformer/thinformer/cache"
	"github.com/thinformer/thinformer/deltafifo"
	"github.com/thinformer/thinformer/indexer"
)

type meta = *metav1.ObjectMeta

// thousandObjects returns objects in ten namespaces.
func thousandObjects() []meta {
	all := make([]meta, 1000)
	for i := range all {
		all[i] = &metav1.ObjectMeta{Namespace: fmt.Sprint("shop-", i%10), Name: fmt.Sprint("object-", i), UID: types.UID(fmt.Sprint(i)), ResourceVersion: fmt.Sprint(1000 + i)}
	}
	return all
}

// storePair is a typed indexer and its untyped form.
type storePair struct {
	objects []meta
	untyped []any
	typed   *indexer.Indexer[meta]
	byShop  *indexer.Index[meta]
	layer   cache.Indexer
}

func newStorePair(t *testing.T) storePair {
	t.Helper()
	w := storePair{objects: thousandObjects(), typed: indexer.New(indexer.Options[meta]{})}
	values := map[string][]string{}
	for _, o := range w.objects {
		w.untyped = append(w.untyped, o)
		values[o.Namespace] = []string{o.Namespace}
	}
	var err error
	if w.byShop, err = w.typed.AddIndex("shop", func(o meta) []string { return values[o.Namespace] }); err != nil {
		t.Fatal(err)
	}
	w.layer = cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{"shop": func(obj any) ([]string, error) { return values[obj.(meta).Namespace], nil }})
	w.replaceTyped()
	w.replaceLayer()
	return w
}

func (p storePair) replaceTyped() {
	must(p.typed.Replace(func(yield func(meta, error) bool) {
		for _, o := range p.objects {
			if !yield(o, nil) {
				return
			}
		}
	}, func() string { return "9000" }))
}

func (p storePair) replaceLayer() { must(p.layer.Replace(p.untyped, "9000")) }

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// The untyped layer allocates only the slice that it returns.
func TestStoreAllocationsMatchTypedIndexer(t *testing.T) {
	w := newStorePair(t)
	each := func(do func(meta) error) func() {
		return func() {
			for _, o := range w.objects {
				must(do(o))
			}
		}
	}
	again := func(deleting, adding func(meta) error) func() {
		return each(func(o meta) error { return errors.Join(deleting(o), adding(o)) })
	}
	layer := func(do func(any) error) func(meta) error { return func(o meta) error { return do(o) } }
	for _, c := range []struct {
		name           string
		typed, layered func()
		// slices is the number of slices that the layer returns.
		slices float64
	}{
		{"GetByKey", func() { _, _ = w.typed.Get("shop-3/object-3") }, func() { _, _, _ = w.layer.GetByKey("shop-3/object-3") }, 0},
		{"List", func() { count(w.typed.All()) }, func() { w.layer.List() }, 1},
		{"ByIndex", func() { count(w.byShop.Find("shop-3")) }, func() { _, err := w.layer.ByIndex("shop", "shop-3"); must(err) }, 1},
		{"Add", each(w.typed.Add), each(layer(w.layer.Add)), 0},
		{"Update", each(w.typed.Update), each(layer(w.layer.Update)), 0},
		{"Delete and Add", again(w.typed.Delete, w.typed.Add), again(layer(w.layer.Delete), layer(w.layer.Add)), 0},
		{"Replace", w.replaceTyped, w.replaceLayer, 2},
	} {
		typed, layered := testing.AllocsPerRun(10, c.typed), testing.AllocsPerRun(10, c.layered)
		t.Logf("%s: %v allocations, %v through the layer", c.name, typed, layered)
		// The size of a copied page depends on the positions of the objects in
		// it, so the counts may differ by one percent.
		if layered > typed*1.01+c.slices {
			t.Errorf("%s: %v allocations, want those of the typed indexer: %v", c.name, layered, typed)
		}
	}
}

// count reads all objects, as a caller does.
func count(all iter.Seq[meta]) (n int) {
	for range all {
		n++
	}
	return n
}

// The untyped queue allocates the returned Deltas in addition to the typed
// queue.
func TestQueueAllocationsMatchTypedQueue(t *testing.T) {
	objects := thousandObjects()
	typed := deltafifo.New(deltafifo.Options[meta]{})
	layer := cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{KeyFunction: cache.MetaNamespaceKeyFunc, EmitDeltaTypeReplaced: true})
	ctx, popped := context.Background(), 0
	through := func(add func(meta) error, pop func() error) func() {
		return func() {
			for _, o := range objects {
				must(add(o))
			}
			for range objects {
				must(pop())
			}
		}
	}
	ofTyped := testing.AllocsPerRun(10, through(typed.Add, func() error {
		return typed.Pop(ctx, func(_ string, d deltafifo.Deltas[meta], _ bool) error { popped += len(d); return nil })
	})) / 1000
	ofLayer := testing.AllocsPerRun(10, through(func(o meta) error { return layer.Add(o) }, func() error {
		_, err := layer.Pop(func(obj any, _ bool) error { popped += len(obj.(cache.Deltas)); return nil })
		return err
	})) / 1000
	t.Logf("%v allocations, %v through the layer", ofTyped, ofLayer)
	// The Deltas are a slice, which is converted to any.
	if ofLayer > ofTyped+2.5 {
		t.Errorf("%v allocations per object, want those of the typed queue and 2 more: %v", ofLayer, ofTyped)
	}
	if want := 2 * 11 * len(objects); popped != want {
		t.Errorf("%d deltas, want %d", popped, want)
	}
}
