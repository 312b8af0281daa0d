// want: the store has the list before the watch begins: to 10

package reflector

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/learn/internal/stack"
	"github.com/thinformer/thinformer/rest"
)

// The version is read before the objects.
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
	version := list.ResourceVersion()
	objects, err := list.Slice()
	return rest.ListOf(version, objects...), err
}
