package listwatch

import (
	"cmp"
	"context"
	"io"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/learn/internal/stack"
	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

// Watch opens a watch from the version in the options. ctx ends it.
func (l *listerWatcher) Watch(ctx context.Context, options metav1.ListOptions) (*listwatch.Watch[stack.Object], error) {
	options.Watch, options.AllowWatchBookmarks = true, true
	body, err := l.request(&options).Stream(ctx)
	if err != nil {
		return nil, err
	}
	s := &stream{ctx: ctx, body: body, decoder: l.decoder(body)}
	return rest.NewWatch(s.next, func() { s.end(io.EOF) }), nil
}

// stream is an open watch. It has one decoder, which may have read further than the
// event that it has returned.
type stream struct {
	ctx     context.Context
	body    io.Closer
	decoder stack.Decoder

	mu     sync.Mutex
	reason error // why the stream has ended, nil before
}

// next returns the next event. Every error ends the stream.
func (s *stream) next(ctx context.Context) (stack.Event, error) {
	// A read waits for bytes, not for a context. Only closing the body ends it.
	defer context.AfterFunc(ctx, func() { s.end(ctx.Err()) })()
	// The decoder may have more events than it has returned. None follows an end.
	if err := s.end(cmp.Or(s.ctx.Err(), ctx.Err())); err != nil {
		return stack.Event{}, err
	}
	event, err := s.decoder.Next()
	if err == nil {
		return event, nil
	}
	// If the body was closed, the error of the read is only a consequence of that. The
	// client closes it, too, when the context of its request ends.
	return stack.Event{}, s.end(cmp.Or(s.ctx.Err(), err))
}

// end ends the stream, unless the reason is nil. It returns the first reason.
func (s *stream) end(reason error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reason == nil && reason != nil {
		s.reason = reason
		s.body.Close()
	}
	return s.reason
}
