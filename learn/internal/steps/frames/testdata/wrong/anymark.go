// want: an annotation marks the end of the initial events: InitialEventsEnd is true, want false

package frames

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

func eventOf(typ watch.EventType, encoded []byte) (stack.Event, error) {
	object := new(stack.ConfigMap)
	if err := iterator.Unmarshal(encoded, object); err != nil {
		return stack.Event{}, fmt.Errorf("decode the object: %w", err)
	}
	event := stack.Event{Type: typ, Object: object, ResourceVersion: object.ResourceVersion}
	if typ == watch.Bookmark {
		event.Object = nil
		_, event.InitialEventsEnd = object.Annotations[metav1.InitialEventsAnnotationKey]
	}
	return event, nil
}
