package memory

import (
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/thinformer/thinformer/bench/corpus"
)

// thing is an object of the corpus that client-go takes for one.
type thing struct {
	metav1.TypeMeta
	corpus.Object
}

var _ runtime.Object = (*thing)(nil)

// DeepCopyObject is never called.
func (t *thing) DeepCopyObject() runtime.Object { panic("unexpected copy") }

// cached are how many objects an informer holds before the first event.
const cached = 10_000

// population is that, and events that update each in turn, with an identity of
// their own, as if they had just been decoded.
func population(events int) (initial, updates []*thing) {
	objects := corpus.Objects()[:cached]
	for _, o := range objects {
		initial = append(initial, &thing{Object: *o.Newer()})
	}
	for len(updates) < events {
		for _, o := range corpus.Fresh(objects[:min(cached, events-len(updates))]) {
			updates = append(updates, &thing{Object: *o})
		}
	}
	return initial, updates
}

// newest is the highest version among objects.
func newest[T metav1.Object](objects []T) string {
	highest := 0
	for _, o := range objects {
		version, err := strconv.Atoi(o.GetResourceVersion())
		must(err)
		highest = max(highest, version)
	}
	return strconv.Itoa(highest)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
