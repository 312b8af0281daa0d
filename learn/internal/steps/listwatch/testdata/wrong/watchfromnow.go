// want: a change between the list and the watch arrives: without the resourceVersion

package listwatch

import (
	"context"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/learn/internal/stack"
	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

// The watch begins without a version.
func (l *listerWatcher) Watch(ctx context.Context, options metav1.ListOptions) (*listwatch.Watch[stack.Object], error) {
	body, err := l.request(&metav1.ListOptions{Watch: true, AllowWatchBookmarks: true}).Stream(ctx)
	if err != nil {
		return nil, err
	}
	s := &stream{ctx: ctx, body: body, decoder: l.decoder(body)}
	return rest.NewWatch(s.next, func() { s.end(io.EOF) }), nil
}
