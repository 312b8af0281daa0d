// want: an error of a page is the error of the list: looks as if the other objects were deleted

package listwatch

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/learn/internal/stack"
	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

// An error of a later page ends the list with the objects so far.
func (l *listerWatcher) List(ctx context.Context, options metav1.ListOptions) (*listwatch.List[stack.Object], error) {
	if options.Limit == 0 {
		options.Limit = pageSize
	}
	var objects []stack.Object
	version := ""
	for {
		var p page
		if err := l.request(&options).Do(ctx).Into(&p); err != nil {
			if version == "" {
				return nil, err
			}
			return rest.ListOf(version, objects...), nil
		}
		version = p.ResourceVersion
		objects = append(objects, p.Items...)
		if p.Continue == "" {
			return rest.ListOf(version, objects...), nil
		}
		options.Continue, options.ResourceVersion, options.ResourceVersionMatch = p.Continue, "", ""
	}
}
