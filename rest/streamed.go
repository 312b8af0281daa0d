package rest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Send sends a list or a watch, as opts.Watch says, and returns the body of the
// answer as it arrives. accept is the Accept header to send it with. An answer
// that is a failure is an error, an *errors.StatusError if the server has said
// why. A body whose reads end with ctx is as good as one whose Close ends them.
type Send func(ctx context.Context, opts metav1.ListOptions, accept string) (io.ReadCloser, error)

// Streamed is a listwatch.ListerWatcher whose requests are sent by somebody
// else's client, and whose answers are decoded here, while they arrive, by what
// a View decodes with.
type Streamed[T any] struct {
	send    Send
	codec   *codec
	options StreamedOptions
}

// StreamedOptions configures a Streamed. The zero value is a working default
// where T is a type that a View can have.
type StreamedOptions struct {
	// Type is what is decoded into, a pointer to a struct that T can hold: it is
	// needed where T is any. Default: T.
	Type reflect.Type
	// Info says what the objects are. Its Resource is what errors call them; of
	// another Kind or group than its own, if it has one, objects are each an
	// [*ItemError]. Default: not known.
	Info ResourceInfo
	// Decode says how.
	Decode DecodeOptions
	// PageSize is that of Config.
	PageSize int64
}

// NewStreamed makes a Streamed of a function that sends. The error says why the
// type cannot be decoded into.
func NewStreamed[T any](send Send, o StreamedOptions) (*Streamed[T], error) {
	holds := reflect.TypeFor[T]()
	if o.Type == nil {
		o.Type = holds
	}
	switch {
	case o.Type.Kind() != reflect.Pointer || o.Type.Elem().Kind() != reflect.Struct:
		return nil, &typeError{o.Type}
	case !o.Type.AssignableTo(holds):
		return nil, fmt.Errorf("%v cannot be decoded into: a %v cannot hold it", o.Type, holds)
	case !o.Type.Implements(reflect.TypeFor[Object]()):
		return nil, fmt.Errorf("%v cannot be decoded into: it has not got the methods of rest.Object", o.Type)
	}
	c, err := newCodec(o.Type.Elem(), o.Info, o.Decode, nil)
	if err != nil {
		return nil, err
	}
	return &Streamed[T]{send: send, codec: c, options: o}, nil
}

// ResourceInfo is that of the options.
func (s *Streamed[T]) ResourceInfo() ResourceInfo { return s.options.Info }

// List is a View's List.
func (s *Streamed[T]) List(ctx context.Context, opts metav1.ListOptions) (*List[T], error) {
	opts.Watch = false
	opts.Limit = pageSize(opts, s.options.PageSize)
	return PagedList(ctx, opts, s.page)
}

func (s *Streamed[T]) page(ctx context.Context, opts metav1.ListOptions) (*Page[T], error) {
	sent, err := s.open(ctx, opts, acceptList)
	if err != nil {
		return nil, err
	}
	format, err := s.codec.sniff(sent)
	if err != nil {
		sent.Close()
		return nil, fmt.Errorf("%s: %w", s.doing(opts), whyOver(ctx, err))
	}
	return pageOf[T](s.doing(opts), s.codec.listIn(format, sent), sent), nil
}

// Watch is a View's Watch.
func (s *Streamed[T]) Watch(ctx context.Context, opts metav1.ListOptions) (*Watch[T], error) {
	opts.Watch = true
	opener := ctx.Done()
	ctx, cancel := context.WithCancelCause(ctx)
	sent, err := s.open(ctx, opts, acceptWatch)
	if err != nil {
		cancel(nil)
		return nil, err
	}
	reader := &watchReader{source: &sniffedWatch{c: s.codec, body: sent}}
	stream := &stream[T]{opener: opener, ctx: ctx, cancel: cancel, body: sent, reader: reader, what: s.doing(opts)}
	return NewWatch(stream.next, stream.stop), nil
}

// doing is what a request does, for errors.
func (s *Streamed[T]) doing(opts metav1.ListOptions) string {
	verb := verbList
	if opts.Watch {
		verb = verbWatch
	}
	if resource := s.options.Info.GroupVersionResource.GroupResource(); resource.Resource != "" {
		return verb + " " + resource.String()
	}
	return verb + " " + s.codec.typ.String()
}

var errNoBody = errors.New("the client returned no body and no error")

// open sends a request.
func (s *Streamed[T]) open(ctx context.Context, opts metav1.ListOptions, kind acceptKind) (*sentBody, error) {
	body, err := s.send(ctx, opts, s.codec.accept(kind, ""))
	switch {
	case err != nil:
		return nil, err
	case isNil(body):
		return nil, fmt.Errorf("%s: %w", s.doing(opts), errNoBody)
	}
	sent := &sentBody{body: body}
	sent.timeEnds = opts.Watch
	sent.leave = context.AfterFunc(ctx, sent.end)
	return sent, nil
}

// sentBody is a body of an answer whose content type nobody has told. Its reads
// end with the context that it was asked for with, whoever made it.
type sentBody struct {
	body io.ReadCloser
	// first is the byte that was read to see what the body is, in has of them.
	first [1]byte
	has   int
	// timeEnds: a time limit that the client sets to all that it does is an end of
	// the body like those that proxies make. For a watch it is one, which goes on
	// with the next; for a list it is why there is none.
	timeEnds bool
	// leave stops the waiting for the context's end.
	leave func() bool
	once  sync.Once
}

func (b *sentBody) Read(into []byte) (n int, err error) {
	if b.has == 0 || len(into) == 0 {
		n, err = b.body.Read(into)
		return n, b.ended(err)
	}
	into[0], b.has = b.first[0], 0
	if len(into) > 1 {
		n, err = b.body.Read(into[1:])
	}
	return 1 + n, b.ended(err)
}

// ended is what an error of the body means.
func (b *sentBody) ended(err error) error {
	var timed interface{ Timeout() bool }
	if b.timeEnds && errors.As(err, &timed) && timed.Timeout() {
		return fmt.Errorf("%w: %w", io.ErrUnexpectedEOF, err)
	}
	return err
}

// Close closes the body. The end of the context may have done that.
func (b *sentBody) Close() error {
	b.leave()
	b.end()
	return nil
}

func (b *sentBody) end() { b.once.Do(func() { b.body.Close() }) }

// sniff waits for a body's first byte and tells by it how the body is written.
// JSON begins with a brace or white space; protobuf with its magic word or, in a
// watch, with the length of a frame, whose first byte is nearly zero, as frames
// are short. What is neither, or does not come, is left to the JSON reader, which
// says what it has found.
func (c *codec) sniff(b *sentBody) (encoding, error) {
	n, err := io.ReadFull(b.body, b.first[:])
	b.has = n
	switch {
	case n == 0 && errors.Is(err, io.EOF):
		return encodingJSON, nil
	case n == 0:
		return 0, b.ended(err)
	case b.first[0] != 'k' && b.first[0] > '\b':
		return encodingJSON, nil
	case c.protobuf == nil:
		return 0, &contentTypeError{fmt.Sprintf("of something like protobuf, which %v cannot be decoded from: want %s", c.typ, jsonType)}
	}
	return encodingProtobuf, nil
}

// sniffedWatch is a watch whose first bytes tell how it is written. It does not
// ask for them before it is read: nothing may have happened yet.
type sniffedWatch struct {
	c    *codec
	body *sentBody
	in   watchSource // nil until the first byte has come
}

func (w *sniffedWatch) next() (wireEvent, error) {
	if w.in == nil {
		format, err := w.c.sniff(w.body)
		if err != nil {
			return wireEvent{}, between(err)
		}
		w.in = w.c.watchIn(format, w.body)
	}
	return w.in.next()
}

func (w *sniffedWatch) close() {
	if w.in != nil {
		w.in.close()
	}
}
