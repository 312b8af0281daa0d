package informer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/thinformer/thinformer/deltafifo"
	"github.com/thinformer/thinformer/indexer"
	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/reflector"
	"github.com/thinformer/thinformer/rest"
)

// SharedInformer keeps a store equal to what a source serves, and tells
// handlers of each change. One is for any number of readers and handlers. All
// methods may be called at any time, from any goroutine, handlers' included.
type SharedInformer[T any] struct {
	shared *shared[T]
	// handle is nil for an informer that New has made.
	handle *handle
}

var _ AnyInformer = (*SharedInformer[*rest.SlimMeta])(nil)

// shared is what all who use one informer have in common.
type shared[T any] struct {
	name string
	// info is what the source serves, zero if it does not tell.
	info rest.ResourceInfo
	// namespace is the only one that the source shows, "" if it does not tell.
	namespace string
	// err is what was wrong with the arguments of New: the first call that
	// would need them returns it.
	err     error
	options Options[T]

	// parts are what the informer was made of: none of them is nil.
	parts      Parts[T]
	store      *indexer.Indexer[T]
	queue      *deltafifo.DeltaFIFO[T]
	controller *Controller[T]
	processor  *processor[T]
	guard      *guard[T]
	versions   versions
	scratch    scratch[T]

	life life
	// began is closed when Run is called, and ended when it stops: then there is
	// nothing more to wait for.
	began, ended chan struct{}
	// run is Run's context, written before anything is started.
	run context.Context
}

// New returns an informer that does nothing until it is run. Indexes and
// handlers can be added before and after. What is wrong with the arguments is
// the error of the first call of AddEventHandler, AddIndex, Run or a wait.
func New[T rest.Object](source listwatch.ListerWatcher[T], o Options[T]) *SharedInformer[T] {
	s := newShared(source, Parts[T]{MetaFunc: metaOf[T]}, o)
	if err := wrongWithType[T](); err != nil {
		s.err = err
	}
	return &SharedInformer[T]{shared: s}
}

// NewFrom is New for objects of any type, such as interfaces, whose keys and
// versions parts tell, and for a store that others have made. Objects may be of
// different types, and nil is none. What is wrong with the arguments is the error
// of the first call, as with New.
func NewFrom[T any](source listwatch.ListerWatcher[T], parts Parts[T], o Options[T]) *SharedInformer[T] {
	return &SharedInformer[T]{shared: newShared(source, parts, o)}
}

func newShared[T any](source listwatch.ListerWatcher[T], parts Parts[T], o Options[T]) *shared[T] {
	s := &shared[T]{
		err:     wrongWith(source),
		options: o,
		began:   make(chan struct{}),
		ended:   make(chan struct{}),
	}
	if s.options.Logger == nil {
		s.options.Logger = slog.Default()
	}
	s.info, s.namespace = servedBy[T](source, s.err), narrowedTo[T](source, s.err)
	if s.name = o.Name; s.name == "" {
		s.name = nameOf[T](s.info.GroupVersionResource)
	}
	s.parts = parts.withDefaults(s.options.Logger)
	s.store = s.parts.Store
	s.queue = deltafifo.New(deltafifo.Options[T]{
		KeyFunc:      parts.KeyFunc,
		MetaFunc:     s.parts.MetaFunc,
		KnownObjects: s.store,
		Transform:    o.Transform,
		OnError:      s.onError(),
		Logger:       s.options.Logger,
	})
	s.processor = newProcessor(s.name, s.parts, s.options.Logger, o.Trace)
	s.guard = newGuard[T](s.name, o.MutationGuard)
	if o.Tweak != nil && s.err == nil {
		source = listwatch.Modify(source, o.Tweak)
	}
	s.controller = NewController(Config[T]{
		Queue:         s.queue,
		ListerWatcher: source,
		ProcessBatch:  s.handleDeltas,
		Reflector:     s.reflectorOptions(),
	})
	return s
}

func (s *shared[T]) reflectorOptions() reflector.Options[T] {
	return reflector.Options[T]{
		Name:              s.name,
		Filter:            s.options.Filter,
		PreferList:        s.options.PreferList,
		WatchTimeout:      s.options.WatchTimeout,
		Silence:           s.options.Silence,
		Backoff:           s.options.Backoff,
		WatchErrorHandler: s.options.WatchErrorHandler,
		Logger:            s.options.Logger,
		Trace:             s.receivedTrace(),
	}
}

// onError passes on what the queue cannot return: the objects of a list whose
// transform has failed.
func (s *shared[T]) onError() func(key string, err error) {
	handler := s.options.WatchErrorHandler
	if handler == nil {
		return nil
	}
	return func(_ string, err error) { handler(s.run, err) }
}

func metaOf[T rest.Object](obj T) (types.UID, string) {
	return obj.GetUID(), obj.GetResourceVersion()
}

// wrongWithType says why T is not for New.
func wrongWithType[T any]() error {
	if t := reflect.TypeFor[T](); t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct {
		return fmt.Errorf("%w, and it is %s", ErrNotStruct, t)
	}
	return nil
}

// wrongWith says why there can be nothing to read from the source.
func wrongWith[T any](source listwatch.ListerWatcher[T]) error {
	if source == nil {
		return ErrNoSource
	}
	if v := reflect.ValueOf(source); v.Kind() == reflect.Pointer && v.IsNil() {
		return fmt.Errorf("%w: it is a nil %T", ErrNoSource, source)
	}
	return nil
}

// servedBy is what the source serves, as far as it says.
func servedBy[T any](source listwatch.ListerWatcher[T], err error) rest.ResourceInfo {
	if served, ok := source.(interface{ ResourceInfo() rest.ResourceInfo }); ok && err == nil {
		return served.ResourceInfo()
	}
	return rest.ResourceInfo{}
}

func nameOf[T any](resource schema.GroupVersionResource) string {
	if resource.Resource == "" {
		return typeName[T]()
	}
	return resource.GroupResource().String()
}

// Run keeps the store up to date and the handlers told until ctx is done,
// whatever fails, and returns when all that it has started has ended. An
// informer runs once.
//
// At the end no further callback starts, whatever waits to be told, and those
// that run are waited for, as long as each handler's StopTimeout allows. Handlers
// that have not returned by then are named by the error; else it is nil.
//
// Possible errors: ErrRunning, ErrStopped, ErrFactoryRuns, what was wrong with
// the arguments of New, *StopError.
func (i *SharedInformer[T]) Run(ctx context.Context) error {
	if i.handle != nil {
		return ErrFactoryRuns
	}
	return i.shared.runOnce(ctx)
}

func (s *shared[T]) runOnce(ctx context.Context) (err error) {
	if s.err != nil {
		return s.err
	}
	if err := s.life.begin(); err != nil {
		return err
	}
	s.run = ctx
	close(s.began)
	s.processor.start()
	guarded := s.guard.start()
	defer func() {
		defer s.life.end()
		close(s.ended) // first: a callback may wait for something that will not come
		err = errors.Join(err, s.processor.stop())
		guarded() // calls a user's function, which may end the goroutine
	}()
	return s.controller.Run(ctx)
}

// AddEventHandler registers h, before or while the informer runs. A handler
// that is added late is told of everything that is there, and then of what
// changes; the others do not notice.
//
// Possible errors: ErrNoHandler, ErrHandlerOptions, ErrStopped, ErrReleased,
// what was wrong with the arguments of New or For.
func (i *SharedInformer[T]) AddEventHandler(h ResourceEventHandler[T], o HandlerOptions) (*Registration, error) {
	if err := i.usable(); err != nil {
		return nil, err
	}
	registration, err := i.shared.processor.add(h, o)
	if err != nil {
		return nil, err
	}
	return i.handle.keep(registration)
}
