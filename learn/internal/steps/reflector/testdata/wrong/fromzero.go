// want: each list asks for the newest state: only a list without a version is the newest state

package reflector

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/learn/internal/stack"
	"github.com/thinformer/thinformer/rest"
)

// Lists from version "0" may be older than the store.
func (r *reflector) readState(ctx context.Context) (*rest.List[stack.Object], error) {
	if r.options.Stream {
		if list, err := r.stream(ctx); err == nil {
			return list, nil
		}
		r.options.Stream = false
	}
	list, err := r.source.List(ctx, metav1.ListOptions{ResourceVersion: "0"})
	if err != nil {
		return nil, err
	}
	objects, err := list.Slice()
	return rest.ListOf(list.ResourceVersion(), objects...), err
}
