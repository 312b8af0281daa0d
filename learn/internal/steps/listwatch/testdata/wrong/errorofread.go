// want: a context ends a Next that waits: the error of the read may come first

package listwatch

import (
	"context"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/learn/internal/stack"
	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

// The end of the context is a reason only if this function is called before the client
// has closed the body and a read has returned its error.
func (l *listerWatcher) Watch(ctx context.Context, options metav1.ListOptions) (*listwatch.Watch[stack.Object], error) {
	options.Watch, options.AllowWatchBookmarks = true, true
	body, err := l.request(&options).Stream(ctx)
	if err != nil {
		return nil, err
	}
	s := &stream{body: body, decoder: l.decoder(body)}
	context.AfterFunc(ctx, func() { s.end(ctx.Err()) })
	return rest.NewWatch(s.next, func() { s.end(io.EOF) }), nil
}

func (s *stream) next(ctx context.Context) (stack.Event, error) {
	defer context.AfterFunc(ctx, func() { s.end(ctx.Err()) })()
	if err := s.end(ctx.Err()); err != nil {
		return stack.Event{}, err
	}
	event, err := s.decoder.Next()
	if err != nil {
		return stack.Event{}, s.end(err)
	}
	return event, nil
}
