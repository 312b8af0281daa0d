// want: a mark that never comes leads to a list: there is no further request

package reflector

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/learn/internal/stack"
	"github.com/thinformer/thinformer/rest"
)

// A streamed list that fails is requested again.
func (r *reflector) readState(ctx context.Context) (*rest.List[stack.Object], error) {
	if r.options.Stream {
		return r.stream(ctx)
	}
	list, err := r.source.List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	objects, err := list.Slice()
	return rest.ListOf(list.ResourceVersion(), objects...), err
}
