package rest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/thinformer/thinformer/internal/wire"
	"github.com/thinformer/thinformer/internal/wiretest"
)

// fakeRawClient is a client that returns one body for each request and records the
// requests.
type fakeRawClient struct {
	bodies   []string
	requests []metav1.ListOptions
	accepts  []string
	closed   int
}

func (a *fakeRawClient) send(_ context.Context, opts metav1.ListOptions, accept string) (io.ReadCloser, error) {
	a.requests, a.accepts = append(a.requests, opts), append(a.accepts, accept)
	if len(a.bodies) == 0 {
		return nil, apierrors.NewResourceExpired("no more answers")
	}
	body := a.bodies[0]
	a.bodies = a.bodies[1:]
	return &countedBody{Reader: strings.NewReader(body), on: func() { a.closed++ }}, nil
}

type countedBody struct {
	io.Reader
	once sync.Once
	on   func()
}

func (c *countedBody) Close() error {
	c.once.Do(c.on)
	return nil
}

func listJSON(t testing.TB, token string, names ...string) string {
	t.Helper()
	var items []string
	for _, name := range names {
		items = append(items, wiretest.JSON(t, wiretest.NewWidget(name)))
	}
	return fmt.Sprintf(`{"kind":"WidgetList","apiVersion":"v1","metadata":{"resourceVersion":"7","continue":%q},"items":[%s]}`, token, strings.Join(items, ","))
}

func listProtobuf(t testing.TB, token string, names ...string) string {
	t.Helper()
	list := &metav1.PartialObjectMetadataList{ListMeta: metav1.ListMeta{ResourceVersion: "7", Continue: token}}
	for _, name := range names {
		list.Items = append(list.Items, metav1.PartialObjectMetadata{ObjectMeta: wiretest.NewWidget(name).ObjectMeta})
	}
	return string(wiretest.ProtobufEnvelope(t, "v1", "WidgetList", list))
}

func namesOf[T any](t *testing.T, list *List[T]) (names []string) {
	t.Helper()
	all, err := list.Slice()
	require.NoError(t, err)
	for _, item := range all {
		names = append(names, any(item).(Object).GetName())
	}
	return names
}

func newMetadataRawListWatch(t *testing.T, a *fakeRawClient) *RawListWatch[any] {
	t.Helper()
	s, err := NewRawListWatch[any](a.send, RawListWatchOptions{Type: reflect.TypeFor[*metav1.PartialObjectMetadata](), PageSize: 2})
	require.NoError(t, err)
	return s
}

// The result of a list does not depend on the number of its pages or on their
// encodings, which may differ.
func TestRawList(t *testing.T) {
	for name, bodies := range map[string][]string{
		"JSON":        {listJSON(t, "more", "a", "b"), listJSON(t, "", "c")},
		"protobuf":    {listProtobuf(t, "more", "a", "b"), listProtobuf(t, "", "c")},
		"both":        {listProtobuf(t, "more", "a", "b"), listJSON(t, "", "c")},
		"white space": {"\n\t " + listJSON(t, "", "a", "b", "c")},
	} {
		t.Run(name, func(t *testing.T) {
			a := &fakeRawClient{bodies: bodies}
			list, err := newMetadataRawListWatch(t, a).List(t.Context(), metav1.ListOptions{LabelSelector: "app=shop", Watch: true})
			require.NoError(t, err)
			require.Equal(t, []string{"a", "b", "c"}, namesOf(t, list))
			require.Equal(t, "7", list.ResourceVersion())
			require.Equal(t, len(bodies), a.closed, "every body is closed")
			for i, opts := range a.requests {
				require.Equal(t, metav1.ListOptions{LabelSelector: "app=shop", Limit: 2, Continue: []string{"", "more"}[i]}, opts)
				require.True(t, strings.HasPrefix(a.accepts[i], wire.ProtobufType+";as=PartialObjectMetadataList"), a.accepts[i])
			}
		})
	}
}

// A list whose continue token has expired restarts, in one page.
func TestRawListRestartsAfterAnExpiredToken(t *testing.T) {
	var asked []metav1.ListOptions
	s, err := NewRawListWatch[*wiretest.Widget](func(_ context.Context, opts metav1.ListOptions, accept string) (io.ReadCloser, error) {
		require.Equal(t, wire.JSONType, accept, "a type without protobuf is requested in JSON only")
		asked = append(asked, opts)
		switch {
		case opts.Continue != "":
			return nil, apierrors.NewResourceExpired("too late")
		case opts.Limit != 0:
			return io.NopCloser(strings.NewReader(listJSON(t, "more", "a"))), nil
		}
		return io.NopCloser(strings.NewReader(listJSON(t, "", "a", "b"))), nil
	}, RawListWatchOptions{})
	require.NoError(t, err)
	list, err := s.List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b"}, namesOf(t, list))
	require.Equal(t, []metav1.ListOptions{{Limit: 500}, {Limit: 1000, Continue: "more"}, {}}, asked)
}

// A body that is not a list is an error that describes it. No list hangs, and every
// body is closed.
func TestRawListOfAnInvalidBody(t *testing.T) {
	for name, c := range map[string]struct{ body, want string }{
		"nothing":                 {"", "the body is empty"},
		"truncated JSON":          {listJSON(t, "", "a")[:120], "ends too early"},
		"truncated protobuf":      {listProtobuf(t, "", "a")[:60], "ends too early"},
		"HTML":                    {"<html>log in</html>", `it begins with "<html>`},
		"a watch":                 {string(wiretest.ProtobufFrame(t, "ADDED", wiretest.ProtobufEnvelope(t, "v1", "Widget", wiretest.NewMetadata("a")))), "is not Kubernetes protobuf"},
		"not a list":              {`{"kind":"Widget","apiVersion":"v1","metadata":{"name":"a"}}`, "without items"},
		"not a list, in protobuf": {string(wiretest.ProtobufEnvelope(t, "v1", "Widget", wiretest.NewMetadata("a"))), "instead of a list"},
		"a Status":                {`{"kind":"Status","apiVersion":"v1","status":"Failure","code":403,"message":"not yours","reason":"Forbidden"}`, "not yours"},
	} {
		t.Run(name, func(t *testing.T) {
			a := &fakeRawClient{bodies: []string{c.body}}
			list, err := newMetadataRawListWatch(t, a).List(t.Context(), metav1.ListOptions{})
			if err == nil {
				_, err = list.Slice()
			}
			require.ErrorContains(t, err, c.want)
			require.Equal(t, 1, a.closed)
		})
	}
}

// A protobuf body is an error for a type without protobuf.
func TestRawListOfProtobufIntoATypeWithoutProtobufIsAnError(t *testing.T) {
	a := &fakeRawClient{bodies: []string{listProtobuf(t, "", "a"), string(wiretest.ProtobufFrame(t, "ADDED", wiretest.ProtobufEnvelope(t, "v1", "Widget", wiretest.NewMetadata("a"))))}}
	s, err := NewRawListWatch[*wiretest.Widget](a.send, RawListWatchOptions{Info: widgetInfo})
	require.NoError(t, err)
	_, err = s.List(t.Context(), metav1.ListOptions{})
	require.ErrorContains(t, err, "cannot be decoded from: want application/json")
	w, err := s.Watch(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	_, err = w.Next(t.Context())
	require.ErrorContains(t, err, "cannot be decoded from: want application/json")
	require.Equal(t, 2, a.closed)
}

// A watch in either encoding has events, a bookmark, an object that is lost and an
// error.
func TestRawWatch(t *testing.T) {
	mark := wiretest.NewMetadata("a")
	mark.Annotations = map[string]string{metav1.InitialEventsAnnotationKey: "true"}
	gone := &metav1.Status{Status: metav1.StatusFailure, Code: 410, Reason: metav1.StatusReasonExpired, Message: "too old"}
	bodies := map[string]string{
		"JSON": wiretest.JSONFrame(t, "ADDED", wiretest.NewMetadata("a")) + `{"type":"MODIFIED","object":{"metadata":{"name":["b"]}}}` + "\n" +
			wiretest.JSONFrame(t, "BOOKMARK", mark) + wiretest.JSONFrame(t, "ERROR", gone),
		"protobuf": string(wiretest.ProtobufFrame(t, "ADDED", wiretest.ProtobufEnvelope(t, "v1", "Widget", wiretest.NewMetadata("a")))) +
			string(wiretest.ProtobufFrame(t, "MODIFIED", append([]byte("k8s\x00\x12\x04"), "\x0a\x0212"...))) +
			string(wiretest.ProtobufFrame(t, "BOOKMARK", wiretest.ProtobufEnvelope(t, "v1", "Widget", mark))) +
			string(wiretest.ProtobufFrame(t, "ERROR", wiretest.ProtobufEnvelope(t, "v1", "Status", gone))),
	}
	for name, body := range bodies {
		t.Run(name, func(t *testing.T) {
			a := &fakeRawClient{bodies: []string{body}}
			w, err := newMetadataRawListWatch(t, a).Watch(t.Context(), metav1.ListOptions{})
			require.NoError(t, err)
			require.True(t, a.requests[0].Watch)
			require.Zero(t, a.requests[0].Limit)
			event, err := w.Next(t.Context())
			require.NoError(t, err)
			require.Equal(t, watch.Added, event.Type)
			require.Equal(t, "a", event.Object.(*metav1.PartialObjectMetadata).Name)
			require.Equal(t, "7", event.ResourceVersion)
			_, err = w.Next(t.Context())
			var item *ItemError
			require.ErrorAs(t, err, &item)
			event, err = w.Next(t.Context())
			require.NoError(t, err)
			require.Nil(t, event.Object)
			require.True(t, event.InitialEventsEnd)
			for range 2 {
				_, err = w.Next(t.Context())
				require.True(t, apierrors.IsResourceExpired(err))
			}
			w.Stop()
			require.Equal(t, 1, a.closed)
		})
	}
}

// A watch without events ends without an error; a Status instead of a watch is an
// error.
func TestRawWatchOfAnInvalidBody(t *testing.T) {
	status := &metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure, Code: 403, Reason: metav1.StatusReasonForbidden, Message: "not yours"}
	for name, c := range map[string]struct{ body, want string }{
		"nothing":            {"", "EOF"},
		"a Status":           {wiretest.JSON(t, status), "not yours"},
		"a protobuf Status":  {string(wiretest.ProtobufEnvelope(t, "v1", "Status", status)), "not yours"},
		"truncated JSON":     {wiretest.JSONFrame(t, "ADDED", wiretest.NewMetadata("a"))[:40], "ends too early"},
		"truncated protobuf": {string(wiretest.ProtobufFrame(t, "ADDED", wiretest.ProtobufEnvelope(t, "v1", "Widget", wiretest.NewMetadata("a"))))[:40], "ends too early"},
		"HTML":               {"<html>log in</html>", "expected an event"},
	} {
		t.Run(name, func(t *testing.T) {
			a := &fakeRawClient{bodies: []string{c.body}}
			w, err := newMetadataRawListWatch(t, a).Watch(t.Context(), metav1.ListOptions{})
			require.NoError(t, err)
			_, err = w.Next(t.Context())
			require.ErrorContains(t, err, c.want)
			require.Equal(t, 1, a.closed)
		})
	}
}

// deadlineBody is a body of a client whose deadline has passed.
type deadlineBody struct{ io.Reader }

func (b deadlineBody) Read(into []byte) (int, error) {
	n, err := b.Reader.Read(into)
	if err == io.EOF {
		err = os.ErrDeadlineExceeded
	}
	return n, err
}

func (deadlineBody) Close() error { return nil }

// The deadline of a client ends a watch normally; a list is then incomplete.
func TestRawListWatchOfAClientWithADeadline(t *testing.T) {
	body := ""
	s, err := NewRawListWatch[any](func(context.Context, metav1.ListOptions, string) (io.ReadCloser, error) {
		return deadlineBody{strings.NewReader(body)}, nil
	}, RawListWatchOptions{Type: reflect.TypeFor[*metav1.PartialObjectMetadata]()})
	require.NoError(t, err)
	for _, frame := range []string{wiretest.JSONFrame(t, "ADDED", wiretest.NewMetadata("a")), string(wiretest.ProtobufFrame(t, "ADDED", wiretest.ProtobufEnvelope(t, "v1", "Widget", wiretest.NewMetadata("a"))))} {
		for _, body = range []string{"", frame} {
			w, err := s.Watch(t.Context(), metav1.ListOptions{})
			require.NoError(t, err)
			if body != "" {
				_, err = w.Next(t.Context())
				require.NoError(t, err)
			}
			_, err = w.Next(t.Context())
			require.Equal(t, io.EOF, err)
		}
		body = frame[:len(frame)/2]
		w, err := s.Watch(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		_, err = w.Next(t.Context())
		require.ErrorIs(t, err, io.ErrUnexpectedEOF, "within an event")
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	}
	body = listJSON(t, "", "a", "b")[:200]
	list, err := s.List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	_, err = list.Slice()
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
}

// blockingBody is a body without data until it is closed. It ignores the context.
type blockingBody struct {
	once   sync.Once
	closed chan struct{}
}

func (b *blockingBody) Read([]byte) (int, error) {
	<-b.closed
	return 0, errors.New("read of a closed body")
}

func (b *blockingBody) Close() error {
	b.once.Do(func() { close(b.closed) })
	return nil
}

// The context and Stop end the wait for a body, even if the client observes neither.
func TestRawListWatchEndsWithItsContext(t *testing.T) {
	for name, run := range map[string]func(*RawListWatch[any], context.Context, func()) error{
		"a list's context": func(s *RawListWatch[any], ctx context.Context, end func()) error {
			go end()
			_, err := s.List(ctx, metav1.ListOptions{})
			return err
		},
		"a watch's context": func(s *RawListWatch[any], ctx context.Context, end func()) error {
			w, err := s.Watch(ctx, metav1.ListOptions{})
			if err != nil {
				return err
			}
			go end()
			_, err = w.Next(context.Background())
			return err
		},
		"Next's context": func(s *RawListWatch[any], ctx context.Context, end func()) error {
			w, err := s.Watch(context.Background(), metav1.ListOptions{})
			if err != nil {
				return err
			}
			go end()
			_, err = w.Next(ctx)
			return err
		},
		"Stop": func(s *RawListWatch[any], ctx context.Context, end func()) error {
			w, err := s.Watch(ctx, metav1.ListOptions{})
			if err != nil {
				return err
			}
			go w.Stop()
			if _, err = w.Next(ctx); err == io.EOF {
				err = context.Canceled
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				body := &blockingBody{closed: make(chan struct{})}
				s, err := NewRawListWatch[any](func(context.Context, metav1.ListOptions, string) (io.ReadCloser, error) { return body, nil },
					RawListWatchOptions{Type: reflect.TypeFor[*metav1.PartialObjectMetadata]()})
				require.NoError(t, err)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				require.ErrorIs(t, run(s, ctx, cancel), context.Canceled)
				<-body.closed
			})
		})
	}
}

// NewRawListWatch returns an error for a type that cannot be decoded into.
func TestNewRawListWatchRejectsInvalidTypes(t *testing.T) {
	_, err := NewRawListWatch[any](nil, RawListWatchOptions{})
	require.ErrorContains(t, err, "interface {} cannot be decoded into")
	_, err = NewRawListWatch[*wiretest.Widget](nil, RawListWatchOptions{Type: reflect.TypeFor[*metav1.PartialObjectMetadata]()})
	require.ErrorContains(t, err, "it is not assignable to *wiretest.Widget")
	_, err = NewRawListWatch[any](nil, RawListWatchOptions{Type: reflect.TypeFor[*metav1.Status]()})
	require.ErrorContains(t, err, "does not implement rest.Object")
	s, err := NewRawListWatch[*wiretest.Widget](func(context.Context, metav1.ListOptions, string) (io.ReadCloser, error) { return nil, nil }, RawListWatchOptions{Info: widgetInfo})
	require.NoError(t, err)
	_, err = s.List(t.Context(), metav1.ListOptions{})
	require.ErrorIs(t, err, errNoBody)
	_, err = s.Watch(t.Context(), metav1.ListOptions{})
	require.ErrorContains(t, err, "watch ")
}

// Each page has twice the size of the previous one, up to 10,000, as Config.PageSize
// promises: a client that may send five requests per second waits for each. A size that
// is configured or requested is kept.
func TestPagesGrow(t *testing.T) {
	for _, c := range []struct {
		configured int64
		opts       metav1.ListOptions
		want       []int64
	}{
		{0, metav1.ListOptions{}, []int64{500, 1000, 2000, 4000, 8000, 10_000, 10_000}},
		{0, metav1.ListOptions{Limit: 500}, []int64{500, 500, 500, 500, 500, 500, 500}},
		{300, metav1.ListOptions{}, []int64{300, 300, 300, 300, 300, 300, 300}},
	} {
		var asked []int64
		s, err := NewRawListWatch[*wiretest.Widget](func(_ context.Context, opts metav1.ListOptions, _ string) (io.ReadCloser, error) {
			asked = append(asked, opts.Limit)
			token := strconv.Itoa(len(asked))
			if len(asked) == len(c.want) {
				token = ""
			}
			return io.NopCloser(strings.NewReader(listJSON(t, token, "a"))), nil
		}, RawListWatchOptions{PageSize: c.configured})
		require.NoError(t, err)
		list, err := s.List(t.Context(), c.opts)
		require.NoError(t, err)
		require.Len(t, namesOf(t, list), len(c.want))
		require.Equal(t, c.want, asked)
	}
}

// PagedList accepts pages of any source.
func TestPagedListOfCustomPages(t *testing.T) {
	page := func(token string, numbers ...int) *Page[int] {
		next := 0
		return &Page[int]{
			Operation: "count",
			Next: func() (int, error) {
				if next == len(numbers) {
					return 0, io.EOF
				}
				next++
				return numbers[next-1], nil
			},
			Meta: func() (string, string) { return "v" + token, token },
		}
	}
	pages := []*Page[int]{page("b", 1, 2), page("c"), page("", 3)}
	list, err := PagedList(t.Context(), metav1.ListOptions{}, 0, func(context.Context, metav1.ListOptions) (*Page[int], error) {
		next := pages[0]
		pages = pages[1:]
		return next, nil
	})
	require.NoError(t, err)
	all, err := list.Slice()
	require.NoError(t, err)
	require.Equal(t, []int{1, 2, 3}, all)
	require.Equal(t, "vb", list.ResourceVersion(), "the version of the first page")

	list, err = PagedList(t.Context(), metav1.ListOptions{}, 0, func(context.Context, metav1.ListOptions) (*Page[int], error) { return page("a", 1), nil })
	require.NoError(t, err)
	_, err = list.Slice()
	require.ErrorContains(t, err, "count: the server's continue token refers to a page")
	_, err = PagedList(t.Context(), metav1.ListOptions{}, 0, func(context.Context, metav1.ListOptions) (*Page[int], error) { return nil, nil })
	require.ErrorIs(t, err, errNoPage)
}
