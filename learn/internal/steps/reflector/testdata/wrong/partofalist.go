// want: an incomplete list leaves the store as it is: want ""

package reflector

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/learn/internal/stack"
	"github.com/thinformer/thinformer/rest"
)

// The objects before an error are taken as the list.
func (r *reflector) readState(ctx context.Context) (*rest.List[stack.Object], error) {
	if r.options.Stream {
		if list, err := r.stream(ctx); err == nil {
			return list, nil
		}
		r.options.Stream = false
	}
	list, err := r.source.List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	var objects []stack.Object
	for object, err := range list.Items() {
		if err != nil {
			break
		}
		objects = append(objects, object)
	}
	return rest.ListOf(list.ResourceVersion(), objects...), nil
}
