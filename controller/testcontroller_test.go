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

// fakeSource is a ListerWatcher of books. put and remove send an event to all watches.
type fakeSource struct {
	mu      sync.Mutex
	version int
	books   map[string]*book
	log     []rest.Event[*book]
	changed chan struct{} // closed when the log has grown
	listErr error         // the result of List, if not nil
}

func newFakeSource(names ...string) *fakeSource {
	s := &fakeSource{books: map[string]*book{}, changed: make(chan struct{})}
	for _, name := range names {
		s.put(name, 0)
	}
	return s
}

// put creates or updates the book "namespace/name", or "name".
func (s *fakeSource) put(key string, page int) {
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
	s.appendEvent(kind, b)
}

func (s *fakeSource) remove(key string) {
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
	s.appendEvent(apiwatch.Deleted, &last)
}

// appendEvent appends to the log. mu is held.
func (s *fakeSource) appendEvent(kind apiwatch.EventType, b *book) {
	s.log = append(s.log, rest.Event[*book]{Type: kind, Object: b, ResourceVersion: b.ResourceVersion})
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *fakeSource) List(context.Context, metav1.ListOptions) (*rest.List[*book], error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listErr != nil {
		return nil, s.listErr
	}
	var all []*book
	for _, b := range s.books {
		all = append(all, b)
	}
	return rest.ListOf(strconv.Itoa(s.version), all...), nil
}

func (s *fakeSource) Watch(_ context.Context, o metav1.ListOptions) (*rest.Watch[*book], error) {
	seen, err := strconv.Atoi(o.ResourceVersion)
	if err != nil {
		return nil, err
	}
	return rest.NewWatch(func(ctx context.Context) (rest.Event[*book], error) {
		for {
			s.mu.Lock()
			changed, log := s.changed, s.log
			s.mu.Unlock()
			if seen < len(log) { // each version is one event
				seen++
				return log[seen-1], nil
			}
			select {
			case <-changed:
			case <-ctx.Done():
				return rest.Event[*book]{}, ctx.Err()
			}
		}
	}, nil), nil
}

func (s *fakeSource) ResourceInfo() rest.ResourceInfo {
	return rest.ResourceInfo{
		GroupVersionResource: schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "books"},
		Kind:                 "Book", Namespaced: true,
	}
}

// runInformer runs an informer of the source until stop is called or the test ends.
func (s *fakeSource) runInformer(t testing.TB) (books *informer.SharedInformer[*book], stop func()) {
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

// testController is a controller of the books of a fakeSource, in a bubble.
type testController struct {
	*testing.T
	*fakeSource
	c     *Controller
	books *informer.SharedInformer[*book]
	stop  context.CancelFunc
	ended chan error
	logs  *logRecorder
	begin time.Time
	// release is a channel that a test closes to end its reconciles.
	release chan struct{}

	mu      sync.Mutex
	records []string
}

// logRecorder records log lines without the time.
type logRecorder struct {
	mu    sync.Mutex
	lines []string
}

func (l *logRecorder) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, strings.TrimSuffix(string(p), "\n"))
	return len(p), nil
}

func (l *logRecorder) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string(nil), l.lines...)
}

func (l *logRecorder) logger(level slog.Level) *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: level, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == "stack" {
			return slog.Attr{}
		}
		return a
	}}))
}

// runTestController runs test in a bubble with a running controller of books with these
// names, after it has processed the initial list.
func runTestController(t *testing.T, o Options, reconcile func(*testController, context.Context, Request) (Result, error), test func(*testController), names ...string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		tc := &testController{T: t, fakeSource: newFakeSource(names...), logs: &logRecorder{}, begin: time.Now(), release: make(chan struct{})}
		tc.books, _ = tc.runInformer(t)
		if o.Logger == nil {
			o.Logger = tc.logs.logger(slog.LevelInfo)
		}
		tc.c = New("books", Func(func(ctx context.Context, req Request) (Result, error) {
			return reconcile(tc, ctx, req)
		}), o)
		For(tc.c, tc.books)
		tc.run()
		synctest.Wait()
		test(tc)
		tc.stopAndWait()
	})
}

// run starts Run.
func (tc *testController) run() {
	ctx, stop := context.WithCancel(context.Background())
	tc.stop, tc.ended = stop, make(chan error, 1)
	go func(ended chan<- error) { ended <- tc.c.Run(ctx) }(tc.ended)
}

// stopAndWait ends Run, unless the test has ended it.
func (tc *testController) stopAndWait() {
	if tc.stop != nil {
		tc.stop()
		if err := <-tc.ended; err != nil {
			tc.Error("Run:", err)
		}
		tc.stop = nil
	}
}

// record records a text with the time since the start of the test.
func (tc *testController) record(format string, args ...any) {
	tc.mu.Lock()
	defer tc.mu.Unlock()
	tc.records = append(tc.records, fmt.Sprintf("%v ", time.Since(tc.begin))+fmt.Sprintf(format, args...))
}

// takeRecords returns and removes the records.
func (tc *testController) takeRecords() []string {
	synctest.Wait()
	tc.mu.Lock()
	defer tc.mu.Unlock()
	records := tc.records
	tc.records = nil
	return records
}

// sleep advances the time and waits until all goroutines are blocked.
func (tc *testController) sleep(wait time.Duration) {
	time.Sleep(wait)
	synctest.Wait()
}
