package listwatch

import (
	"context"
	"io"
	"sync"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

// recorder is a client that counts the bodies of watches that are open.
type recorder struct {
	stack.Client
	open atomic.Int64
}

// Verb implements stack.Client.
func (r *recorder) Verb(method string) stack.Request {
	return &recordedRequest{request: r.Client.Verb(method), recorder: r}
}

type recordedRequest struct {
	request  stack.Request
	recorder *recorder
}

func (r *recordedRequest) with(request stack.Request) stack.Request {
	r.request = request
	return r
}

func (r *recordedRequest) Namespace(namespace string) stack.Request {
	return r.with(r.request.Namespace(namespace))
}

func (r *recordedRequest) Resource(resource string) stack.Request {
	return r.with(r.request.Resource(resource))
}

func (r *recordedRequest) Name(name string) stack.Request { return r.with(r.request.Name(name)) }

func (r *recordedRequest) VersionedParams(options *metav1.ListOptions) stack.Request {
	return r.with(r.request.VersionedParams(options))
}

func (r *recordedRequest) Body(object any) stack.Request { return r.with(r.request.Body(object)) }

func (r *recordedRequest) Do(ctx context.Context) stack.Result { return r.request.Do(ctx) }

func (r *recordedRequest) Stream(ctx context.Context) (io.ReadCloser, error) {
	body, err := r.request.Stream(ctx)
	if err != nil {
		return nil, err
	}
	r.recorder.open.Add(1)
	return &recordedBody{ReadCloser: body, closed: sync.OnceFunc(func() { r.recorder.open.Add(-1) })}, nil
}

type recordedBody struct {
	io.ReadCloser
	closed func()
}

func (b *recordedBody) Close() error {
	b.closed()
	return b.ReadCloser.Close()
}

// aheadDecoder reads further than the first event that it returns, as a decoder may do
// with events that arrive together.
type aheadDecoder struct {
	stack.Decoder
	ahead  int
	events []stack.Event
}

// Next implements stack.Decoder.
func (d *aheadDecoder) Next() (stack.Event, error) {
	if d.ahead == 0 && len(d.events) == 0 {
		return d.Decoder.Next()
	}
	for d.ahead > 0 && len(d.events) <= d.ahead {
		event, err := d.Decoder.Next()
		if err != nil {
			return event, err
		}
		d.events = append(d.events, event)
	}
	d.ahead = 0
	event := d.events[0]
	d.events = d.events[1:]
	return event, nil
}
