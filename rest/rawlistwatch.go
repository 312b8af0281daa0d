// Only package cache uses the exported names of this file.

package rest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/internal/nilcheck"
	"github.com/thinformer/thinformer/internal/wire"
)

// RawRequestFunc sends a list or a watch, as opts.Watch says, and returns the
// response body as it arrives. accept is the Accept header. A failure response must
// be returned as an error, if possible an *errors.StatusError. Reads of the body
// must end when ctx is done or the body is closed.
type RawRequestFunc func(ctx context.Context, opts metav1.ListOptions, accept string) (io.ReadCloser, error)

// RawListWatch is a listwatch.ListerWatcher whose requests are sent by another
// client. It decodes the responses while they arrive, with the decoder of a View.
type RawListWatch[T any] struct {
	send    RawRequestFunc
	codec   *wire.Codec
	options RawListWatchOptions
}

// RawListWatchOptions configures a RawListWatch. The zero value is valid if T is a
// type of a View.
type RawListWatchOptions struct {
	// Type is the decoded type, a pointer to a struct that is assignable to T. It
	// is required if T is any. Default: T.
	Type reflect.Type
	// Info describes the objects. Errors name its Resource. If it has a Kind, an
	// object of another kind or group is reported as an [*ItemError]. Default:
	// unknown.
	Info ResourceInfo
	// Decode configures the decoding.
	Decode DecodeOptions
	// PageSize is as in Config.
	PageSize int64
}

// NewRawListWatch returns a RawListWatch that sends requests with send. It returns
// an error if objects cannot be decoded into the type.
func NewRawListWatch[T any](send RawRequestFunc, o RawListWatchOptions) (*RawListWatch[T], error) {
	want := reflect.TypeFor[T]()
	if o.Type == nil {
		o.Type = want
	}
	switch {
	case o.Type.Kind() != reflect.Pointer || o.Type.Elem().Kind() != reflect.Struct:
		return nil, &typeError{o.Type}
	case !o.Type.AssignableTo(want):
		return nil, fmt.Errorf("%v cannot be decoded into: it is not assignable to %v", o.Type, want)
	case !o.Type.Implements(reflect.TypeFor[Object]()):
		return nil, fmt.Errorf("%v cannot be decoded into: it does not implement rest.Object", o.Type)
	}
	c, err := newCodec(o.Type.Elem(), o.Info, o.Decode, false, nil)
	if err != nil {
		return nil, err
	}
	return &RawListWatch[T]{send: send, codec: c, options: o}, nil
}

// ResourceInfo returns the Info of the options.
func (s *RawListWatch[T]) ResourceInfo() ResourceInfo { return s.options.Info }

// List lists the objects, as View.List does.
func (s *RawListWatch[T]) List(ctx context.Context, opts metav1.ListOptions) (*List[T], error) {
	opts.Watch = false
	return PagedList(ctx, opts, s.options.PageSize, s.page)
}

func (s *RawListWatch[T]) page(ctx context.Context, opts metav1.ListOptions) (*Page[T], error) {
	body, err := s.open(ctx, opts, wire.AcceptList)
	if err != nil {
		return nil, err
	}
	reader, err := s.codec.SniffedList(body)
	if err != nil {
		body.Close()
		return nil, fmt.Errorf("%s: %w", s.operation(opts), contextError(ctx, err))
	}
	return newPage[T](s.operation(opts), reader, body), nil
}

// Watch watches the objects, as View.Watch does.
func (s *RawListWatch[T]) Watch(ctx context.Context, opts metav1.ListOptions) (*Watch[T], error) {
	opts.Watch = true
	openDone := ctx.Done()
	ctx, cancel := context.WithCancelCause(ctx)
	body, err := s.open(ctx, opts, wire.AcceptWatch)
	if err != nil {
		cancel(nil)
		return nil, err
	}
	reader := s.codec.SniffedWatch(body)
	stream := &stream[T]{openDone: openDone, ctx: ctx, cancel: cancel, body: body, reader: reader, operation: s.operation(opts)}
	return NewWatch(stream.next, stream.stop), nil
}

// doing describes a request for errors.
func (s *RawListWatch[T]) operation(opts metav1.ListOptions) string {
	verb := verbList
	if opts.Watch {
		verb = verbWatch
	}
	if resource := s.options.Info.GroupVersionResource.GroupResource(); resource.Resource != "" {
		return verb + " " + resource.String()
	}
	return verb + " " + s.codec.Type().String()
}

var errNoBody = errors.New("the client returned no body and no error")

// open sends a request.
func (s *RawListWatch[T]) open(ctx context.Context, opts metav1.ListOptions, kind wire.AcceptKind) (*wire.SniffedBody, error) {
	body, err := s.send(ctx, opts, s.codec.Accept(kind, ""))
	switch {
	case err != nil:
		return nil, err
	case nilcheck.IsNil(body):
		return nil, fmt.Errorf("%s: %w", s.operation(opts), errNoBody)
	}
	return wire.NewSniffedBody(ctx, body, opts.Watch), nil
}
