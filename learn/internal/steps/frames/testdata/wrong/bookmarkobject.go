// want: a bookmark has only a version: a store must not receive it

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
	end := typ == watch.Bookmark && object.Annotations[metav1.InitialEventsAnnotationKey] == "true"
	return stack.Event{Type: typ, Object: object, ResourceVersion: object.ResourceVersion, InitialEventsEnd: end}, nil
}
