// want: a list has all objects and the version of the list: that of the list's own metadata

package listwatch

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/learn/internal/stack"
	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

// The version of the list is that of its newest object.
func (l *listerWatcher) List(ctx context.Context, options metav1.ListOptions) (*listwatch.List[stack.Object], error) {
	var objects []stack.Object
	newest := ""
	for {
		var p page
		if err := l.request(&options).Do(ctx).Into(&p); err != nil {
			return nil, err
		}
		for _, object := range p.Items {
			objects = append(objects, object)
			newest = max(newest, object.ResourceVersion)
		}
		if p.Continue == "" {
			return rest.ListOf(newest, objects...), nil
		}
		options.Continue = p.Continue
	}
}
