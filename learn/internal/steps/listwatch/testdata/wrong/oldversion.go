// want: a list whose token has expired begins again: that of the last response

package listwatch

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/learn/internal/stack"
	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

// The version is that of the first page, even if the list has begun again.
func (l *listerWatcher) List(ctx context.Context, options metav1.ListOptions) (*listwatch.List[stack.Object], error) {
	next := options
	if next.Limit == 0 {
		next.Limit = pageSize
	}
	version := ""
	var objects []stack.Object
	for {
		var p page
		err := l.request(&next).Do(ctx).Into(&p)
		switch {
		case apierrors.IsResourceExpired(err) && next.Continue != "":
			objects, next = nil, options
			next.Limit = 0
			continue
		case err != nil:
			return nil, err
		}
		objects = append(objects, p.Items...)
		if version == "" {
			version = p.ResourceVersion
		}
		if p.Continue == "" {
			return rest.ListOf(version, objects...), nil
		}
		next.Continue, next.ResourceVersion, next.ResourceVersionMatch = p.Continue, "", ""
	}
}
