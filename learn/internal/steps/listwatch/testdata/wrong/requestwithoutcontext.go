// want: the context ends a request: Watch, with a context that ends after one minute, does not return

package listwatch

import (
	"context"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/learn/internal/stack"
	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

// The context ends the watch, but not the request for it.
func (l *listerWatcher) Watch(ctx context.Context, options metav1.ListOptions) (*listwatch.Watch[stack.Object], error) {
	options.Watch, options.AllowWatchBookmarks = true, true
	body, err := l.request(&options).Stream(context.WithoutCancel(ctx))
	if err != nil {
		return nil, err
	}
	s := &stream{ctx: ctx, body: body, decoder: l.decoder(body)}
	context.AfterFunc(ctx, func() { s.end(ctx.Err()) })
	return rest.NewWatch(s.next, func() { s.end(io.EOF) }), nil
}
