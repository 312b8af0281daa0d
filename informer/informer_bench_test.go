package informer

import (
	"context"
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

// BenchmarkInformer is an update of one of 10,000 objects, from a source that
// has it ready to the store.
func BenchmarkInformer(b *testing.B) {
	const objects = 10_000
	version := func(n int) string { return fmt.Sprint(objects + n) }
	made := make([]*gadget, objects+b.N)
	for i := range made {
		made[i] = &gadget{SlimMeta: rest.SlimMeta{
			Namespace: "ns", Name: fmt.Sprint("gadget-", i%objects), UID: types.UID(fmt.Sprint("uid-", i%objects)), ResourceVersion: version(i),
		}}
	}
	source := &listwatch.ListWatch[*gadget]{
		ListFunc: func(context.Context, metav1.ListOptions) (*listwatch.List[*gadget], error) {
			return rest.ListOf(version(objects-1), made[:objects]...), nil
		},
	}
	begin := make(chan struct{})
	next := objects
	source.WatchFunc = func(context.Context, metav1.ListOptions) (*listwatch.Watch[*gadget], error) {
		return rest.NewWatch(func(ctx context.Context) (listwatch.Event[*gadget], error) {
			if next == objects {
				<-begin
			}
			if next == len(made) {
				<-ctx.Done()
				return listwatch.Event[*gadget]{}, ctx.Err()
			}
			g := made[next]
			next++
			return listwatch.Event[*gadget]{Type: watch.Modified, Object: g, ResourceVersion: g.ResourceVersion}, nil
		}, nil), nil
	}
	inf := New(source, preferList())
	ctx, cancel := context.WithCancel(b.Context())
	ended := make(chan error, 1)
	go func() { ended <- inf.Run(ctx) }()
	if err := inf.WaitForSync(ctx); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.ResetTimer()
	close(begin)
	if err := inf.WaitForVersion(ctx, version(len(made)-1)); err != nil {
		b.Fatal(err)
	}
	b.StopTimer()
	cancel()
	<-ended
}
