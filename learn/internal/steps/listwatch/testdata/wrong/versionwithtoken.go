// want: a long list is read in pages: continue

package listwatch

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/learn/internal/stack"
	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

// The version of the first page is sent with each token.
func (l *listerWatcher) List(ctx context.Context, options metav1.ListOptions) (*listwatch.List[stack.Object], error) {
	if options.Limit == 0 {
		options.Limit = pageSize
	}
	var objects []stack.Object
	for {
		var p page
		if err := l.request(&options).Do(ctx).Into(&p); err != nil {
			return nil, err
		}
		objects = append(objects, p.Items...)
		if p.Continue == "" {
			return rest.ListOf(p.ResourceVersion, objects...), nil
		}
		options.Continue = p.Continue
	}
}
