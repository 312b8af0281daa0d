package rest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// answers is a client that answers one request after the other, and notes what it
// was asked.
type answers struct {
	bodies  []string
	asked   []metav1.ListOptions
	accepts []string
	closed  int
}

func (a *answers) send(_ context.Context, opts metav1.ListOptions, accept string) (io.ReadCloser, error) {
	a.asked, a.accepts = append(a.asked, opts), append(a.accepts, accept)
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

func listJSON(t *testing.T, token string, names ...string) string {
	t.Helper()
	var items []string
	for _, name := range names {
		items = append(items, toJSON(t, aWidget(name)))
	}
	return fmt.Sprintf(`{"kind":"WidgetList","apiVersion":"v1","metadata":{"resourceVersion":"7","continue":%q},"items":[%s]}`, token, strings.Join(items, ","))
}

func listProtobuf(t *testing.T, token string, names ...string) string {
	t.Helper()
	list := &metav1.PartialObjectMetadataList{ListMeta: metav1.ListMeta{ResourceVersion: "7", Continue: token}}
	for _, name := range names {
		list.Items = append(list.Items, metav1.PartialObjectMetadata{ObjectMeta: aWidget(name).ObjectMeta})
	}
	return string(sealed(t, "v1", "WidgetList", list))
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

func streamedMetadata(t *testing.T, a *answers) *Streamed[any] {
	t.Helper()
	s, err := NewStreamed[any](a.send, StreamedOptions{Type: reflect.TypeFor[*metav1.PartialObjectMetadata](), PageSize: 2})
	require.NoError(t, err)
	return s
}

// A list is one, in whatever encoding and in however many pages it comes, also if
// these differ.
func TestStreamedList(t *testing.T) {
	for name, bodies := range map[string][]string{
		"JSON":        {listJSON(t, "more", "a", "b"), listJSON(t, "", "c")},
		"protobuf":    {listProtobuf(t, "more", "a", "b"), listProtobuf(t, "", "c")},
		"both":        {listProtobuf(t, "more", "a", "b"), listJSON(t, "", "c")},
		"white space": {"\n\t " + listJSON(t, "", "a", "b", "c")},
	} {
		t.Run(name, func(t *testing.T) {
			a := &answers{bodies: bodies}
			list, err := streamedMetadata(t, a).List(t.Context(), metav1.ListOptions{LabelSelector: "app=shop", Watch: true})
			require.NoError(t, err)
			require.Equal(t, []string{"a", "b", "c"}, namesOf(t, list))
			require.Equal(t, "7", list.ResourceVersion())
			require.Equal(t, len(bodies), a.closed, "each body is closed")
			for i, opts := range a.asked {
				require.Equal(t, metav1.ListOptions{LabelSelector: "app=shop", Limit: 2, Continue: []string{"", "more"}[i]}, opts)
				require.True(t, strings.HasPrefix(a.accepts[i], protobufType+";as=PartialObjectMetadataList"), a.accepts[i])
			}
		})
	}
}

// A list whose token has expired begins again, in one page.
func TestStreamedListBeginsAgain(t *testing.T) {
	var asked []metav1.ListOptions
	s, err := NewStreamed[*wireWidget](func(_ context.Context, opts metav1.ListOptions, accept string) (io.ReadCloser, error) {
		require.Equal(t, jsonType, accept, "a type without protobuf is not asked for in it")
		asked = append(asked, opts)
		switch {
		case opts.Continue != "":
			return nil, apierrors.NewResourceExpired("too late")
		case opts.Limit != 0:
			return io.NopCloser(strings.NewReader(listJSON(t, "more", "a"))), nil
		}
		return io.NopCloser(strings.NewReader(listJSON(t, "", "a", "b"))), nil
	}, StreamedOptions{})
	require.NoError(t, err)
	list, err := s.List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b"}, namesOf(t, list))
	require.Equal(t, []metav1.ListOptions{{Limit: 500}, {Limit: 500, Continue: "more"}, {}}, asked)
}

// What is no list is an error that says what it is instead. None of it hangs, and
// every body is closed.
func TestStreamedListThatIsNone(t *testing.T) {
	for name, c := range map[string]struct{ body, want string }{
		"nothing":             {"", "the body is empty"},
		"truncated JSON":      {listJSON(t, "", "a")[:120], "ends too early"},
		"truncated protobuf":  {listProtobuf(t, "", "a")[:60], "ends too early"},
		"a page of HTML":      {"<html>log in</html>", `it begins with "<html>`},
		"a watch":             {string(protobufFrame(t, "ADDED", sealed(t, "v1", "Widget", aWidgetMessage()))), "is not the protobuf of Kubernetes"},
		"no list":             {`{"kind":"Widget","apiVersion":"v1","metadata":{"name":"a"}}`, "without items"},
		"no list in protobuf": {string(sealed(t, "v1", "Widget", aWidgetMessage())), "and no list"},
		"a Status":            {`{"kind":"Status","apiVersion":"v1","status":"Failure","code":403,"message":"not yours","reason":"Forbidden"}`, "not yours"},
	} {
		t.Run(name, func(t *testing.T) {
			a := &answers{bodies: []string{c.body}}
			list, err := streamedMetadata(t, a).List(t.Context(), metav1.ListOptions{})
			if err == nil {
				_, err = list.Slice()
			}
			require.ErrorContains(t, err, c.want)
			require.Equal(t, 1, a.closed)
		})
	}
}

// Something like protobuf is an error for a type that has none.
func TestStreamedProtobufIntoATypeWithout(t *testing.T) {
	a := &answers{bodies: []string{listProtobuf(t, "", "a"), string(protobufFrame(t, "ADDED", sealed(t, "v1", "Widget", aWidgetMessage())))}}
	s, err := NewStreamed[*wireWidget](a.send, StreamedOptions{Info: wireWidgets})
	require.NoError(t, err)
	_, err = s.List(t.Context(), metav1.ListOptions{})
	require.ErrorContains(t, err, "cannot be decoded from: want application/json")
	w, err := s.Watch(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	_, err = w.Next(t.Context())
	require.ErrorContains(t, err, "cannot be decoded from: want application/json")
	require.Equal(t, 2, a.closed)
}

// A watch is one in either encoding: events, a bookmark, an object that is lost,
// an error.
func TestStreamedWatch(t *testing.T) {
	mark := aWidgetMessage()
	mark.Annotations = map[string]string{metav1.InitialEventsAnnotationKey: "true"}
	gone := &metav1.Status{Status: metav1.StatusFailure, Code: 410, Reason: metav1.StatusReasonExpired, Message: "too old"}
	bodies := map[string]string{
		"JSON": jsonFrame(t, "ADDED", aWidgetMessage()) + `{"type":"MODIFIED","object":{"metadata":{"name":["b"]}}}` + "\n" +
			jsonFrame(t, "BOOKMARK", mark) + jsonFrame(t, "ERROR", gone),
		"protobuf": string(protobufFrame(t, "ADDED", sealed(t, "v1", "Widget", aWidgetMessage()))) +
			string(protobufFrame(t, "MODIFIED", append([]byte("k8s\x00\x12\x04"), "\x0a\x0212"...))) +
			string(protobufFrame(t, "BOOKMARK", sealed(t, "v1", "Widget", mark))) +
			string(protobufFrame(t, "ERROR", sealed(t, "v1", "Status", gone))),
	}
	for name, body := range bodies {
		t.Run(name, func(t *testing.T) {
			a := &answers{bodies: []string{body}}
			w, err := streamedMetadata(t, a).Watch(t.Context(), metav1.ListOptions{})
			require.NoError(t, err)
			require.True(t, a.asked[0].Watch)
			require.Zero(t, a.asked[0].Limit)
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

// A watch that brings nothing is no error, but an end; a failure that came in its
// place is one.
func TestStreamedWatchThatIsNone(t *testing.T) {
	status := &metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure, Code: 403, Reason: metav1.StatusReasonForbidden, Message: "not yours"}
	for name, c := range map[string]struct{ body, want string }{
		"nothing":            {"", "EOF"},
		"a Status":           {toJSON(t, status), "not yours"},
		"a protobuf Status":  {string(sealed(t, "v1", "Status", status)), "not yours"},
		"truncated JSON":     {jsonFrame(t, "ADDED", aWidgetMessage())[:40], "ends too early"},
		"truncated protobuf": {string(protobufFrame(t, "ADDED", sealed(t, "v1", "Widget", aWidgetMessage())))[:40], "ends too early"},
		"a page of HTML":     {"<html>log in</html>", "no event begins here"},
	} {
		t.Run(name, func(t *testing.T) {
			a := &answers{bodies: []string{c.body}}
			w, err := streamedMetadata(t, a).Watch(t.Context(), metav1.ListOptions{})
			require.NoError(t, err)
			_, err = w.Next(t.Context())
			require.ErrorContains(t, err, c.want)
			require.Equal(t, 1, a.closed)
		})
	}
}

// timedBody is one whose client ends all that it does after a time.
type timedBody struct{ io.Reader }

func (b timedBody) Read(into []byte) (int, error) {
	n, err := b.Reader.Read(into)
	if err == io.EOF {
		err = os.ErrDeadlineExceeded
	}
	return n, err
}

func (timedBody) Close() error { return nil }

// A client's time limit is how a watch ends, and why a list is not whole.
func TestStreamedOfAClientWithATimeLimit(t *testing.T) {
	body := ""
	s, err := NewStreamed[any](func(context.Context, metav1.ListOptions, string) (io.ReadCloser, error) {
		return timedBody{strings.NewReader(body)}, nil
	}, StreamedOptions{Type: reflect.TypeFor[*metav1.PartialObjectMetadata]()})
	require.NoError(t, err)
	for _, frame := range []string{jsonFrame(t, "ADDED", aWidgetMessage()), string(protobufFrame(t, "ADDED", sealed(t, "v1", "Widget", aWidgetMessage())))} {
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

// silentBody is a body that brings nothing until it is closed, whatever context
// it was asked for with.
type silentBody struct {
	once   sync.Once
	closed chan struct{}
}

func (b *silentBody) Read([]byte) (int, error) {
	<-b.closed
	return 0, errors.New("read of a closed body")
}

func (b *silentBody) Close() error {
	b.once.Do(func() { close(b.closed) })
	return nil
}

// Whoever waits for a body is not held by it: the context and Stop end that,
// though the client knows of neither.
func TestStreamedEndsWithItsContext(t *testing.T) {
	for name, run := range map[string]func(*Streamed[any], context.Context, func()) error{
		"a list's context": func(s *Streamed[any], ctx context.Context, end func()) error {
			go end()
			_, err := s.List(ctx, metav1.ListOptions{})
			return err
		},
		"a watch's context": func(s *Streamed[any], ctx context.Context, end func()) error {
			w, err := s.Watch(ctx, metav1.ListOptions{})
			if err != nil {
				return err
			}
			go end()
			_, err = w.Next(context.Background())
			return err
		},
		"Next's context": func(s *Streamed[any], ctx context.Context, end func()) error {
			w, err := s.Watch(context.Background(), metav1.ListOptions{})
			if err != nil {
				return err
			}
			go end()
			_, err = w.Next(ctx)
			return err
		},
		"Stop": func(s *Streamed[any], ctx context.Context, end func()) error {
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
				body := &silentBody{closed: make(chan struct{})}
				s, err := NewStreamed[any](func(context.Context, metav1.ListOptions, string) (io.ReadCloser, error) { return body, nil },
					StreamedOptions{Type: reflect.TypeFor[*metav1.PartialObjectMetadata]()})
				require.NoError(t, err)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				require.ErrorIs(t, run(s, ctx, cancel), context.Canceled)
				<-body.closed
			})
		})
	}
}

// What cannot be decoded into is told when a Streamed is made.
func TestNewStreamedOfWhatCannotBe(t *testing.T) {
	_, err := NewStreamed[any](nil, StreamedOptions{})
	require.ErrorContains(t, err, "interface {} cannot be decoded into")
	_, err = NewStreamed[*wireWidget](nil, StreamedOptions{Type: reflect.TypeFor[*metav1.PartialObjectMetadata]()})
	require.ErrorContains(t, err, "*rest.wireWidget cannot hold it")
	_, err = NewStreamed[any](nil, StreamedOptions{Type: reflect.TypeFor[*metav1.Status]()})
	require.ErrorContains(t, err, "methods of rest.Object")
	s, err := NewStreamed[*wireWidget](func(context.Context, metav1.ListOptions, string) (io.ReadCloser, error) { return nil, nil }, StreamedOptions{Info: wireWidgets})
	require.NoError(t, err)
	_, err = s.List(t.Context(), metav1.ListOptions{})
	require.ErrorIs(t, err, errNoBody)
	_, err = s.Watch(t.Context(), metav1.ListOptions{})
	require.ErrorContains(t, err, "watch ")
}

// PagedList takes pages of whoever makes them.
func TestPagedListOfPagesMadeByHand(t *testing.T) {
	page := func(token string, numbers ...int) *Page[int] {
		next := 0
		return &Page[int]{
			Doing: "count",
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
	list, err := PagedList(t.Context(), metav1.ListOptions{}, func(context.Context, metav1.ListOptions) (*Page[int], error) {
		next := pages[0]
		pages = pages[1:]
		return next, nil
	})
	require.NoError(t, err)
	all, err := list.Slice()
	require.NoError(t, err)
	require.Equal(t, []int{1, 2, 3}, all)
	require.Equal(t, "vb", list.ResourceVersion(), "that of the first page")

	list, err = PagedList(t.Context(), metav1.ListOptions{}, func(context.Context, metav1.ListOptions) (*Page[int], error) { return page("a", 1), nil })
	require.NoError(t, err)
	_, err = list.Slice()
	require.ErrorContains(t, err, "count: the server's continue token leads back")
	_, err = PagedList(t.Context(), metav1.ListOptions{}, func(context.Context, metav1.ListOptions) (*Page[int], error) { return nil, nil })
	require.ErrorIs(t, err, errNoPage)
}
