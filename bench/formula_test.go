package main

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

// held returns the bytes that an informer needs for each object besides the object.
func held(t *testing.T, objects []*rest.SlimMeta, indexes int) float64 {
	source := &listwatch.ListWatch[*rest.SlimMeta]{
		ListFunc: func(context.Context, metav1.ListOptions) (*listwatch.List[*rest.SlimMeta], error) {
			return rest.ListOf("1", objects...), nil
		},
		WatchFunc: func(context.Context, metav1.ListOptions) (*listwatch.Watch[*rest.SlimMeta], error) {
			return rest.NewWatch(func(ctx context.Context) (rest.Event[*rest.SlimMeta], error) {
				<-ctx.Done()
				return rest.Event[*rest.SlimMeta]{}, ctx.Err()
			}, func() {}), nil
		},
	}
	before := liveHeap()
	inf := informer.New(source, informer.Options[*rest.SlimMeta]{Name: "formula", PreferList: true})
	for i := range indexes {
		of := fmt.Sprintf("index-%d", i)
		values := [50]string{}
		for j := range values {
			values[j] = fmt.Sprintf("value-%d", j)
		}
		if _, err := inf.AddIndex(of, func(o *rest.SlimMeta) []string { return []string{values[int(o.UID[0])%len(values)]} }); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- inf.Run(ctx) }()
	if err := inf.WaitForSync(ctx); err != nil {
		t.Fatal(err)
	}
	after := liveHeap()
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if got := inf.State().Objects; got != len(objects) {
		t.Fatalf("%d objects of %d", got, len(objects))
	}
	return (float64(after) - float64(before)) / float64(len(objects))
}

func liveHeap() uint64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// docs/faq.md has a formula for the memory of an informer per object, besides the object
// itself: a number of bytes, and a number for each index.
func TestFormulaInFAQIsCorrect(t *testing.T) {
	text, err := os.ReadFile("../docs/faq.md")
	if err != nil {
		t.Fatal(err)
	}
	said := regexp.MustCompile(`(\d+) \+ (\d+) × indexes`).FindSubmatch(text)
	if said == nil {
		t.Fatal("docs/faq.md has no formula")
	}
	base, _ := strconv.ParseFloat(string(said[1]), 64)
	each, _ := strconv.ParseFloat(string(said[2]), 64)
	objects := make([]*rest.SlimMeta, 50_000)
	for i := range objects {
		objects[i] = &rest.SlimMeta{Namespace: "namespace", Name: fmt.Sprintf("object-with-a-name-%05d", i), UID: types.UID(fmt.Sprintf("%c-%d", i%200, i)), ResourceVersion: strconv.Itoa(i)}
	}
	for _, indexes := range []int{0, 1, 3, 6} {
		want, got := base+each*float64(indexes), held(t, objects, indexes)
		t.Logf("%d indexes: %.0f bytes, and %.0f by the formula", indexes, got, want)
		if got < want*0.8 || got > want*1.2 {
			t.Errorf("%d indexes: %.0f bytes for each object, and %.0f by the formula", indexes, got, want)
		}
	}
	runtime.KeepAlive(objects)
}
