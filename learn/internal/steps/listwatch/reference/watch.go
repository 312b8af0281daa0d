package listwatch

import (
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
	return rest.NewWatch(s.next, s.stop), nil
}

// stream is an open watch.
type stream struct {
	ctx     context.Context
	body    io.Closer
	decoder stack.Decoder
	err     error // the error that has ended the stream

	closing sync.Once
	mu      sync.Mutex
	stopped error // why stop has been called
}

// next returns the next event. Every error ends the stream.
func (s *stream) next(ctx context.Context) (stack.Event, error) {
	if s.err != nil {
		return stack.Event{}, s.err
	}
	// A read waits for bytes, not for a context. Only closing the body ends it.
	defer context.AfterFunc(ctx, func() { s.end(ctx.Err()) })()
	event, err := s.decoder.Next()
	if err == nil {
		return event, nil
	}
	if s.ctx.Err() != nil {
		err = s.ctx.Err()
	}
	s.end(err)
	s.err = s.reason()
	return stack.Event{}, s.err
}

// stop ends the stream: next returns io.EOF.
func (s *stream) stop() { s.end(io.EOF) }

// end closes the body. The first reason is the one that next returns.
func (s *stream) end(reason error) {
	s.mu.Lock()
	if s.stopped == nil {
		s.stopped = reason
	}
	s.mu.Unlock()
	s.closing.Do(func() { s.body.Close() })
}

func (s *stream) reason() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stopped
}
