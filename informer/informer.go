package informer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/thinformer/thinformer/indexer"
	"github.com/thinformer/thinformer/internal/nilcheck"
	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/reflector"
	"github.com/thinformer/thinformer/rest"
)

// SharedInformer keeps a store equal to the objects of a source, and notifies
// handlers of each change. It serves any number of readers and handlers. All
// methods are safe for concurrent use, and may be called from handlers.
type SharedInformer[T any] struct {
	shared *shared[T]
	// handle is nil for an informer that New returned.
	handle *handle
}

var _ AnyInformer = (*SharedInformer[*rest.SlimMeta])(nil)

// shared is the state that all handles of one informer share.
type shared[T any] struct {
	name string
	// info describes the resource of the source. It is zero if the source does not
	// provide it.
	info rest.ResourceInfo
	// namespace is the only namespace that the source lists, "" if it lists all or
	// does not say.
	namespace string
	// err is the error in the arguments of New. The first call that needs them
	// returns it.
	err     error
	options Options[T]

	// source includes Options.TweakListOptions.
	source listwatch.ListerWatcher[T]
	// errorLog is the log of all feeds, nil if there is only one.
	errorLog *reflector.ErrorLog

	// keyFunc is the KeyFunc of NewFrom, nil for the default.
	keyFunc func(T) (string, error)
	// storeConfig has the defaults: none of its fields is nil.
	storeConfig StoreConfig[T]
	store       *indexer.Indexer[T]
	feeds       feeds[T]
	processor   *processor[T]
	guard       *guard[T]
	observers   observers
	// bodies counts the bodies that all Bodies with this informer of metadata keep.
	bodies bodyCount
	// buffers is used by one goroutine at a time: that of the only feed, or that whose
	// turn it is.
	buffers batchBuffers[T]

	lifecycle lifecycle
	// started is closed when Run is called, ended when it stops and waits must
	// return.
	started, ended chan struct{}
	// runContext is the context of Run, written before any goroutine starts.
	runContext context.Context
}

// New returns an informer that does nothing until Run is called. Indexes and
// handlers can be added before and after that. If an argument is invalid, the
// first call of AddEventHandler, AddIndex, Run or a wait returns the error.
func New[T rest.Object](source listwatch.ListerWatcher[T], o Options[T]) *SharedInformer[T] {
	s := newShared(source, StoreConfig[T]{MetaFunc: metaOf[T]}, o)
	if err := checkType[T](); err != nil {
		s.err = err
	}
	return &SharedInformer[T]{shared: s}
}

func newShared[T any](source listwatch.ListerWatcher[T], config StoreConfig[T], o Options[T]) *shared[T] {
	s := newUnfed(source, config, o, scopedNamespaceOf(source, checkSource(source)))
	s.feeds = newOneFeed(s)
	return s
}

// newUnfed returns an informer that has no feeds yet.
func newUnfed[T any](source listwatch.ListerWatcher[T], config StoreConfig[T], o Options[T], namespace string) *shared[T] {
	s := &shared[T]{
		err:     checkSource(source),
		options: o,
		keyFunc: config.KeyFunc,
		started: make(chan struct{}),
		ended:   make(chan struct{}),
	}
	if s.options.Logger == nil {
		s.options.Logger = slog.Default()
	}
	s.info, s.namespace = resourceInfoOf(source, s.err), namespace
	if s.name = o.Name; s.name == "" {
		s.name = nameOf[T](s.info.GroupVersionResource, s.namespace, effectiveListOptions(source, o.TweakListOptions))
	}
	s.storeConfig = config.withDefaults(s.options.Logger)
	s.store = s.storeConfig.Store
	s.processor = newProcessor(s.name, s.storeConfig, s.options.Logger, o.Trace)
	s.guard = newGuard[T](s.name, o.MutationGuard)
	if o.TweakListOptions != nil && s.err == nil {
		source = listwatch.Modify(source, o.TweakListOptions)
	}
	s.source = source
	return s
}

// reflectorOptions returns the options of the reflector of a feed.
func (s *shared[T]) reflectorOptions(name string, filter func(T) bool) reflector.Options[T] {
	return reflector.Options[T]{
		Name:              name,
		Filter:            filter,
		PreferList:        s.options.PreferList,
		WatchTimeout:      s.options.WatchTimeout,
		IdleTimeout:       s.options.IdleTimeout,
		Backoff:           s.options.Backoff,
		WatchErrorHandler: s.options.WatchErrorHandler,
		Logger:            s.options.Logger,
		ErrorLog:          s.errorLog,
		Trace:             s.reflectorTrace(),
	}
}

// onError returns the handler for errors that the queue cannot return: failed
// transforms of objects of a list.
func (s *shared[T]) onError(name string) func(key string, err error) {
	handler := reflector.RecoverPanics(name, s.options.Logger, s.options.WatchErrorHandler)
	if handler == nil {
		return nil
	}
	return func(_ string, err error) { handler(s.runContext, err) }
}

func metaOf[T rest.Object](obj T) (types.UID, string) {
	return obj.GetUID(), obj.GetResourceVersion()
}

// checkType returns an error if T cannot be used with New.
func checkType[T any]() error {
	if t := reflect.TypeFor[T](); t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct {
		return fmt.Errorf("%w, and it is %s", ErrNotStruct, t)
	}
	return nil
}

// checkSource returns an error if the source is nil.
func checkSource[T any](source listwatch.ListerWatcher[T]) error {
	if source == nil {
		return ErrNoSource
	}
	if nilcheck.IsNilPointer(source) {
		return fmt.Errorf("%w: it is a nil %T", ErrNoSource, source)
	}
	return nil
}

// resourceInfoOf returns the ResourceInfo of the source, zero if it has none.
func resourceInfoOf[T any](source listwatch.ListerWatcher[T], err error) rest.ResourceInfo {
	if served, ok := source.(listwatch.ResourceDescriber); ok && err == nil {
		return served.ResourceInfo()
	}
	return rest.ResourceInfo{}
}

// severalNamespaces is the namespace in the name of an informer of several namespaces,
// which change while its name does not.
const severalNamespaces = "*"

// nameOf returns a name that distinguishes informers of one resource, in the
// syntax of kubectl.
func nameOf[T any](resource schema.GroupVersionResource, namespace string, options metav1.ListOptions) string {
	var name strings.Builder
	if resource.Resource == "" {
		name.WriteString(typeName[T]())
	} else {
		name.WriteString(resource.GroupResource().String())
	}
	scope := namespace
	if scope == severalNamespaces {
		scope = ""
	}
	for _, part := range []struct{ flag, value string }{
		{"-n", scope}, {"-l", options.LabelSelector}, {"--field-selector", options.FieldSelector},
	} {
		if part.value != "" {
			fmt.Fprintf(&name, " %s %s", part.flag, part.value)
		}
	}
	if namespace == severalNamespaces {
		name.WriteString(" in several namespaces")
	}
	return name.String()
}

// effectiveListOptions returns the list options after tweak and the modifications
// of source. If one of these functions panics, the result is zero.
func effectiveListOptions[T any](source listwatch.ListerWatcher[T], tweak func(*metav1.ListOptions)) (options metav1.ListOptions) {
	defer func() {
		if recover() != nil {
			options = metav1.ListOptions{}
		}
	}()
	return listwatch.ModifiedOptions(source, tweakedListOptions(tweak))
}

// Run keeps the store up to date and the handlers notified until ctx is done,
// despite all failures. It returns when everything that it started has ended. An
// informer runs once.
//
// When ctx is done, no further callback starts; waiting notifications are dropped.
// Run waits for running callbacks, up to the StopTimeout of each handler. The
// error names the handlers that have not returned by then; otherwise it is nil.
//
// Possible errors: ErrNoContext, ErrRunning, ErrStopped, ErrRunByFactory, those of
// Check, *StopError.
func (i *SharedInformer[T]) Run(ctx context.Context) error {
	switch {
	case ctx == nil:
		return ErrNoContext
	case i.handle != nil:
		return ErrRunByFactory
	}
	return i.shared.runOnce(ctx)
}

// check returns the error that Run would return now, as far as it is known.
func (s *shared[T]) check() error {
	if s.err != nil {
		return s.err
	}
	if err := s.feeds.check(); err != nil {
		return fmt.Errorf("informer of %s: %w", s.name, err)
	}
	return nil
}

// Check returns the error that Run would return now: an error in the arguments of
// New, or a permanent problem that the source knows (see [listwatch.Checker]). It
// returns nil if there is none. It sends no request.
func (i *SharedInformer[T]) Check() error { return i.shared.check() }

func (s *shared[T]) runOnce(ctx context.Context) (err error) {
	if s.err != nil {
		return s.err
	}
	if ctx.Err() == nil {
		if err := s.check(); err != nil {
			return err
		}
	}
	if err := s.lifecycle.begin(); err != nil {
		return err
	}
	s.runContext = ctx
	close(s.started)
	s.processor.start()
	stopGuard := s.guard.start()
	defer func() {
		defer s.lifecycle.end()
		close(s.ended) // first, since a callback may be waiting for an event that cannot arrive any more
		err = errors.Join(err, s.processor.stop())
		stopGuard() // calls a user's function, which may end the goroutine
	}()
	return s.feeds.run(ctx)
}

// AddEventHandler registers h, before or while the informer runs. A handler that
// is added late receives all stored objects first, and then the changes. Other
// handlers are not affected.
//
// Possible errors: ErrNoHandler, ErrHandlerOptions, ErrStopped, ErrReleased, and
// errors in the arguments of New or For.
func (i *SharedInformer[T]) AddEventHandler(h ResourceEventHandler[T], o HandlerOptions) (*Registration, error) {
	if err := i.checkUsable(); err != nil {
		return nil, err
	}
	registration, err := i.shared.processor.add(h, o)
	if err != nil {
		return nil, err
	}
	return i.handle.track(registration)
}

// typeName returns the name of T for messages.
func typeName[T any]() string {
	t := reflect.TypeFor[T]()
	if t.Kind() == reflect.Interface && t.NumMethod() == 0 && t.Name() == "" {
		return "objects of any type"
	}
	return t.String()
}
