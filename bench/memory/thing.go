package memory

import (
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/thinformer/thinformer/bench/corpus"
)

// thing is an object of the corpus as a runtime.Object, which client-go requires.
type thing struct {
	metav1.TypeMeta
	corpus.Object
}

var _ runtime.Object = (*thing)(nil)

// DeepCopyObject is never called.
func (t *thing) DeepCopyObject() runtime.Object { panic("unexpected copy") }

// cached is the number of objects of an informer before the first event.
const cached = 10_000

// population returns the initial objects, and updates that change them one after
// another. The updates are fresh copies, as if they had just been decoded.
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

// newest returns the highest version of the objects.
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
