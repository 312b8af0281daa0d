package controller

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	apiwatch "k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

// book is an object for tests.
type book struct {
	rest.SlimMeta
	page int
}

// shelf is a source of books that a test changes by hand. What is put there is
// told to the watches at once.
type shelf struct {
	mu      sync.Mutex
	version int
	books   map[string]*book
	log     []rest.Event[*book]
	grown   chan struct{} // closed when the log has grown
	refuse  error         // what List answers, if not nil
}

func newShelf(names ...string) *shelf {
	s := &shelf{books: map[string]*book{}, grown: make(chan struct{})}
	for _, name := range names {
		s.put(name, 0)
	}
	return s
}

// put writes the book "namespace/name", or "name".
func (s *shelf) put(key string, page int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	kind := apiwatch.Modified
	old, ok := s.books[key]
	s.version++
	b := &book{page: page}
	if ok {
		b.UID = old.UID
	} else {
		kind, b.UID = apiwatch.Added, types.UID(fmt.Sprint("uid-", s.version))
	}
	b.ResourceVersion = strconv.Itoa(s.version)
	namespace, name, ok := strings.Cut(key, "/")
	if !ok {
		namespace, name = "", key
	}
	b.Namespace, b.Name = namespace, name
	s.books[key] = b
	s.tell(kind, b)
}

func (s *shelf) remove(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old, ok := s.books[key]
	if !ok {
		return
	}
	delete(s.books, key)
	s.version++
	last := *old
	last.ResourceVersion = strconv.Itoa(s.version)
	s.tell(apiwatch.Deleted, &last)
}

// tell appends to the log; mu is held.
func (s *shelf) tell(kind apiwatch.EventType, b *book) {
	s.log = append(s.log, rest.Event[*book]{Type: kind, Object: b, ResourceVersion: b.ResourceVersion})
	close(s.grown)
	s.grown = make(chan struct{})
}

func (s *shelf) List(context.Context, metav1.ListOptions) (*rest.List[*book], error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refuse != nil {
		return nil, s.refuse
	}
	var all []*book
	for _, b := range s.books {
		all = append(all, b)
	}
	return rest.ListOf(strconv.Itoa(s.version), all...), nil
}

func (s *shelf) Watch(_ context.Context, o metav1.ListOptions) (*rest.Watch[*book], error) {
	seen, err := strconv.Atoi(o.ResourceVersion)
	if err != nil {
		return nil, err
	}
	return rest.NewWatch(func(ctx context.Context) (rest.Event[*book], error) {
		for {
			s.mu.Lock()
			grown, log := s.grown, s.log
			s.mu.Unlock()
			if seen < len(log) { // each version is one event
				seen++
				return log[seen-1], nil
			}
			select {
			case <-grown:
			case <-ctx.Done():
				return rest.Event[*book]{}, ctx.Err()
			}
		}
	}, nil), nil
}

func (s *shelf) ResourceInfo() rest.ResourceInfo {
	return rest.ResourceInfo{
		GroupVersionResource: schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "books"},
		Kind:                 "Book", Namespaced: true,
	}
}

// read is the informer of a shelf, which runs until the test ends or stop is
// called.
func (s *shelf) read(t testing.TB) (books *informer.SharedInformer[*book], stop func()) {
	books = informer.New(s, informer.Options[*book]{PreferList: true, Logger: slog.New(slog.DiscardHandler)})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- books.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	return books, stop
}

// desk is a controller of a shelf's books, in a bubble.
type desk struct {
	*testing.T
	*shelf
	c     *Controller
	books *informer.SharedInformer[*book]
	stop  context.CancelFunc
	ended chan error
	logs  *logs
	begin time.Time
	// release is closed by tests for reconciles that wait for it.
	release chan struct{}

	mu   sync.Mutex
	seen []string
}

// logs keeps what was logged, a line a record, without the time.
type logs struct {
	mu    sync.Mutex
	lines []string
}

func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, strings.TrimSuffix(string(p), "\n"))
	return len(p), nil
}

func (l *logs) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string(nil), l.lines...)
}

func (l *logs) logger(level slog.Level) *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: level, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == "stack" {
			return slog.Attr{}
		}
		return a
	}}))
}

// atDesk runs test in a bubble with a controller of these books that runs and
// has worked off the initial list.
func atDesk(t *testing.T, o Options, reconcile func(*desk, context.Context, Request) (Result, error), test func(*desk), names ...string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		d := &desk{T: t, shelf: newShelf(names...), logs: &logs{}, begin: time.Now(), release: make(chan struct{})}
		d.books, _ = d.read(t)
		if o.Logger == nil {
			o.Logger = d.logs.logger(slog.LevelInfo)
		}
		d.c = New("books", Func(func(ctx context.Context, req Request) (Result, error) {
			return reconcile(d, ctx, req)
		}), o)
		For(d.c, d.books)
		d.run()
		synctest.Wait()
		test(d)
		d.finish()
	})
}

// run begins a Run.
func (d *desk) run() {
	ctx, stop := context.WithCancel(context.Background())
	d.stop, d.ended = stop, make(chan error, 1)
	go func(ended chan<- error) { ended <- d.c.Run(ctx) }(d.ended)
}

// finish ends it, if the test has not.
func (d *desk) finish() {
	if d.stop != nil {
		d.stop()
		if err := <-d.ended; err != nil {
			d.Error("Run:", err)
		}
		d.stop = nil
	}
}

// note keeps what a reconcile did and when, since the beginning.
func (d *desk) note(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.seen = append(d.seen, fmt.Sprintf("%v ", time.Since(d.begin))+fmt.Sprintf(format, args...))
}

// notes are taken away by who asks.
func (d *desk) notes() []string {
	synctest.Wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	seen := d.seen
	d.seen = nil
	return seen
}

// after lets time pass.
func (d *desk) after(wait time.Duration) {
	time.Sleep(wait)
	synctest.Wait()
}
