// The work is done by package rest, or by client-go if the client is client-go's.

package cache

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	goruntime "runtime"
	"strings"
	"sync"
	"weak"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/cache/internal/decoded"
	"github.com/thinformer/thinformer/internal/attempt"
	"github.com/thinformer/thinformer/internal/nilcheck"
	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

// Getter is a client whose Get starts a read request: a [rest.RESTClient], or
// the RESTClient of a generated clientset. R is the type of its request:
// Getter[*rest.Request].
type Getter[R any] interface{ Get() R }

// Requester is a request builder: a [rest.Request], or that of client-go. D is
// the result of Do (see Result), and W that of Watch.
type Requester[R, D, W any] interface {
	Namespace(namespace string) R
	Resource(resource string) R
	VersionedParams(options runtime.Object, codec runtime.ParameterCodec) R
	SetHeader(key string, values ...string) R
	URL() *url.URL
	Stream(ctx context.Context) (io.ReadCloser, error)
	Watch(ctx context.Context) (W, error)
	Do(ctx context.Context) D
}

// VersionedClient is a client of one group and version, as the REST clients of a
// clientset are. Its sources wait for a server that does not respond together
// with those of the other groups of the same server.
type VersionedClient interface{ APIVersion() schema.GroupVersion }

// Result is the result of a request, which returns the decoded object.
type Result[O runtime.Object] interface{ Get() (O, error) }

var errNoClient = errors.New("the client is nil; the RESTClient of a fake clientset is always nil")

// NewListWatchFromClient returns a ListWatch of a resource that c serves, in
// one namespace, or in all namespaces (and for cluster-scoped resources) with
// metav1.NamespaceAll, restricted by fieldSelector. The type arguments are
// inferred from c.
func NewListWatchFromClient[C Getter[R], R Requester[R, D, W], D Result[O], O runtime.Object, W any](c C, resource, namespace string, fieldSelector fields.Selector) *ListWatch {
	return NewFilteredListWatchFromClient(c, resource, namespace, func(options *metav1.ListOptions) {
		if fieldSelector != nil {
			options.FieldSelector = fieldSelector.String()
		}
	})
}

// NewFilteredListWatchFromClient is NewListWatchFromClient with a function that
// changes the options of every list and watch.
func NewFilteredListWatchFromClient[C Getter[R], R Requester[R, D, W], D Result[O], O runtime.Object, W any](c C, resource, namespace string, optionsModifier func(options *metav1.ListOptions)) *ListWatch {
	request := func(ctx context.Context, options metav1.ListOptions) (r R, err error) {
		if nilcheck.IsNilPointer(c) {
			return r, fmt.Errorf("reading %s: %w: it is a %T", resource, errNoClient, c)
		}
		if optionsModifier != nil {
			isWatch := options.Watch
			optionsModifier(&options)
			options.Watch = isWatch // also if the modifier has replaced all options
		}
		r = c.Get().Namespace(namespace).Resource(resource).VersionedParams(&options, metav1.ParameterCodec)
		if bounded, ok := any(r).(interface{ MaxRetries(int) R }); ok && attempt.IsOnce(ctx) {
			r = bounded.MaxRetries(0)
		}
		if options.Watch {
			removeRateLimit(r)
		}
		return r, nil
	}
	list := func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		r, err := request(ctx, options)
		if err != nil {
			return nil, err
		}
		object, err := r.Do(ctx).Get()
		if err != nil {
			return nil, withResourceName(resource, err)
		}
		return object, nil
	}
	connect := func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
		options.Watch = true
		r, err := request(ctx, options)
		if err != nil {
			return nil, err
		}
		w, err := r.Watch(ctx)
		if err != nil {
			return nil, withResourceName(resource, err)
		}
		return decoded.WatchInterface(w)
	}
	lw := &ListWatch{
		resource: resource, namespace: namespace,
		recovery: recoveryOf(c),
		ListFunc: func(options metav1.ListOptions) (runtime.Object, error) {
			return list(context.Background(), options)
		},
		ListWithContextFunc: list,
		WatchFunc: func(options metav1.ListOptions) (watch.Interface, error) {
			return connect(context.Background(), options)
		},
		WatchFuncWithContext: connect,
		rawRequest: func(ctx context.Context, options metav1.ListOptions, accept string) (io.ReadCloser, error) {
			r, err := request(ctx, options)
			if err != nil {
				return nil, err
			}
			body, err := r.SetHeader("Accept", accept).Stream(ctx)
			return body, withResourceName(resource, err)
		},
	}
	lw.originalFunctions = lw.functions()
	return lw
}

// removeRateLimit removes the rate limit of a request of client-go, which limits lists and
// not watches; the requests here are sent by a method that limits both. The type of the
// limiter, an interface, is not known here.
func removeRateLimit(request any) {
	throttle := reflect.ValueOf(request).MethodByName("Throttle")
	if !throttle.IsValid() || throttle.Type().NumIn() != 1 || throttle.Type().In(0).Kind() != reflect.Interface {
		return
	}
	throttle.Call([]reflect.Value{reflect.Zero(throttle.Type().In(0))})
}

// withResourceName adds the resource to err if its text does not contain it.
// For a misspelled resource, a server only reports that it was not found.
func withResourceName(resource string, err error) error {
	if err == nil || strings.Contains(err.Error(), resource) {
		return err
	}
	return fmt.Errorf("%s: %w", resource, err)
}

// recoveryOf returns the Recovery that the sources of a client share. For a
// client of package rest it is that of the client; for a client of another
// library it is created here, once for each server that the client's
// http.Client reads from, so that the REST clients of a clientset, one for each
// group, share it. It is nil if client is nil or not a pointer to a type with a
// size.
func recoveryOf[C Getter[R], R interface{ URL() *url.URL }](client C) *rest.Recovery {
	if nilcheck.IsNilPointer(client) {
		return nil
	}
	if ours, ok := any(client).(*rest.RESTClient); ok && ours.Client() != nil {
		return ours.Client().Recovery().InGroup(ours.APIVersion().Group)
	}
	if reflect.TypeOf(client).Kind() != reflect.Pointer || reflect.TypeOf(client).Elem().Size() == 0 {
		return nil
	}
	shared := recoveries.get(serverOf(client))
	if versioned, ok := any(client).(VersionedClient); ok {
		return shared.InGroup(versioned.APIVersion().Group)
	}
	return shared
}

// server identifies the server of a client of another library.
type server struct {
	client *http.Client
	// address is the URL before the path of a group: a host can have the servers
	// of several clusters under different paths.
	address string
}

// serverOf returns the server of a client that, like client-go's, has its
// http.Client in the exported field Client. Other clients are returned unchanged:
// each pointer is a server of its own.
func serverOf[C Getter[R], R interface{ URL() *url.URL }](client C) any {
	value := reflect.ValueOf(client).Elem()
	if value.Kind() != reflect.Struct {
		return client
	}
	field := value.FieldByName("Client")
	if !field.IsValid() || field.Type() != reflect.TypeFor[*http.Client]() || field.IsNil() {
		return client
	}
	address := *client.Get().URL()
	address.Path = strings.TrimSuffix(address.Path, "/")
	if versioned, ok := any(client).(VersionedClient); ok {
		gv := versioned.APIVersion()
		path := "/apis/" + gv.String()
		if gv.Group == "" {
			path = "/api/" + gv.Version
		}
		address.Path = strings.TrimSuffix(address.Path, path)
	}
	return server{field.Interface().(*http.Client), address.String()}
}

// recoveryIn returns the Recovery of a source: its own, or that of the client
// of an unchanged ListWatch.
func recoveryIn(lw ListerWatcher) *rest.Recovery {
	if shared := sharedRecovery(lw); shared != nil {
		return shared
	}
	if made := listWatchIn(lw); made != nil && made.rawRequestFunc() != nil {
		return made.recovery
	}
	return nil
}

// sharedRecovery returns the Recovery that a source has itself. Functions over
// another library's client have none, because their clients can turn a lost
// connection into an empty response.
func sharedRecovery(lw ListerWatcher) *rest.Recovery {
	if shared, ok := lw.(listwatch.Recoverable); ok {
		return shared.Recovery()
	}
	return nil
}

// recoveries holds the Recovery of each server of another library's clients that
// is in use. It is a package variable because no field can be added to such a
// client, and two ListWatches of one client have nothing else in common.
var recoveries recoveryTable

// recoveryTable maps what serverOf returns to the Recovery while a source uses
// it.
type recoveryTable struct {
	mu    sync.Mutex
	known map[any]weak.Pointer[rest.Recovery]
}

func (t *recoveryTable) get(client any) *rest.Recovery {
	t.mu.Lock()
	defer t.mu.Unlock()
	if shared := t.known[client].Value(); shared != nil {
		return shared
	}
	if t.known == nil {
		t.known = map[any]weak.Pointer[rest.Recovery]{}
	}
	shared := rest.NewRecovery(nil)
	pointer := weak.Make(shared)
	t.known[client] = pointer
	goruntime.AddCleanup(shared, func(client any) { t.remove(client, pointer) }, client)
	return shared
}

// remove releases a client whose Recovery was collected, unless it has a new
// one.
func (t *recoveryTable) remove(client any, gone weak.Pointer[rest.Recovery]) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.known[client] == gone {
		delete(t.known, client)
	}
}
