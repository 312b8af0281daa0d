// want: a list whose token has expired begins again: twice

package listwatch

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/learn/internal/stack"
	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

// After an expired token, the objects of the earlier pages stay in the list.
func (l *listerWatcher) List(ctx context.Context, options metav1.ListOptions) (*listwatch.List[stack.Object], error) {
	next := options
	if next.Limit == 0 {
		next.Limit = pageSize
	}
	var objects []stack.Object
	for {
		var p page
		err := l.request(&next).Do(ctx).Into(&p)
		switch {
		case apierrors.IsResourceExpired(err) && next.Continue != "":
			next = options
			continue
		case err != nil:
			return nil, err
		}
		objects = append(objects, p.Items...)
		if p.Continue == "" {
			return rest.ListOf(p.ResourceVersion, objects...), nil
		}
		next.Continue, next.ResourceVersion, next.ResourceVersionMatch = p.Continue, "", ""
	}
}
