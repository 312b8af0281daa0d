// want: an object that cannot be decoded is an error: which means that the body has ended

package frames

import (
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

func eventOf(typ watch.EventType, encoded []byte) (stack.Event, error) {
	object := new(stack.ConfigMap)
	if err := iterator.Unmarshal(encoded, object); err != nil {
		return stack.Event{}, io.EOF
	}
	event := stack.Event{Type: typ, Object: object, ResourceVersion: object.ResourceVersion}
	if typ == watch.Bookmark {
		event.Object = nil
		event.InitialEventsEnd = object.Annotations[metav1.InitialEventsAnnotationKey] == "true"
	}
	return event, nil
}
