// want: each event has its own object: from the event before it

package frames

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

var object stack.ConfigMap

func eventOf(typ watch.EventType, encoded []byte) (stack.Event, error) {
	if err := iterator.Unmarshal(encoded, &object); err != nil {
		return stack.Event{}, fmt.Errorf("decode the object: %w", err)
	}
	event := stack.Event{Type: typ, Object: &object, ResourceVersion: object.ResourceVersion}
	if typ == watch.Bookmark {
		event.Object = nil
		event.InitialEventsEnd = object.Annotations[metav1.InitialEventsAnnotationKey] == "true"
	}
	return event, nil
}
