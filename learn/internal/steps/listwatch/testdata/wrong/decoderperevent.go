// want: each watch has one decoder: may have read further than the event that it has returned

package listwatch

import (
	"context"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/learn/internal/stack"
	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

// Each event has a decoder of its own.
func (l *listerWatcher) Watch(ctx context.Context, options metav1.ListOptions) (*listwatch.Watch[stack.Object], error) {
	options.Watch, options.AllowWatchBookmarks = true, true
	body, err := l.request(&options).Stream(ctx)
	if err != nil {
		return nil, err
	}
	s := &stream{ctx: ctx, body: body}
	next := func(ctx context.Context) (stack.Event, error) {
		s.decoder = l.decoder(body)
		return s.next(ctx)
	}
	return rest.NewWatch(next, func() { s.end(io.EOF) }), nil
}
