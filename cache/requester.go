package cache

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

// Getter is a client that begins a request which reads: a [rest.RESTClient], or
// the RESTClient of a generated clientset. R is its request.
type Getter[R any] interface{ Get() R }

// Requester is a request that is described step by step and then sent: a
// [rest.Request], or that of client-go. D is the answer of Do, of which Answer
// says more, and W that of Watch.
type Requester[R, D, W any] interface {
	Namespace(namespace string) R
	Resource(resource string) R
	VersionedParams(options runtime.Object, codec runtime.ParameterCodec) R
	SetHeader(key string, values ...string) R
	Stream(ctx context.Context) (io.ReadCloser, error)
	Watch(ctx context.Context) (W, error)
	Do(ctx context.Context) D
}

// Answer is what a request is answered with: an object, as the client decodes
// it.
type Answer[O runtime.Object] interface{ Get() (O, error) }

var errNoClient = errors.New("the client is nil, as the RESTClient of a fake clientset is")

// NewListWatchFromClient is a ListWatch of a resource that c serves: in one
// namespace, or in all for metav1.NamespaceAll, and of cluster-scoped resources;
// of the objects that fieldSelector chooses. The type arguments follow from c.
func NewListWatchFromClient[C Getter[R], R Requester[R, D, W], D Answer[O], O runtime.Object, W any](c C, resource, namespace string, fieldSelector fields.Selector) *ListWatch {
	return NewFilteredListWatchFromClient(c, resource, namespace, func(options *metav1.ListOptions) {
		if fieldSelector != nil {
			options.FieldSelector = fieldSelector.String()
		}
	})
}

// NewFilteredListWatchFromClient is the same with a function that changes the
// options of every list and watch.
func NewFilteredListWatchFromClient[C Getter[R], R Requester[R, D, W], D Answer[O], O runtime.Object, W any](c C, resource, namespace string, optionsModifier func(options *metav1.ListOptions)) *ListWatch {
	request := func(options metav1.ListOptions) (r R, err error) {
		if isNil(c) {
			return r, fmt.Errorf("reading %s: %w: it is a %T", resource, errNoClient, c)
		}
		if optionsModifier != nil {
			optionsModifier(&options)
		}
		return c.Get().Namespace(namespace).Resource(resource).VersionedParams(&options, metav1.ParameterCodec), nil
	}
	list := func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		r, err := request(options)
		if err != nil {
			return nil, err
		}
		object, err := r.Do(ctx).Get()
		if err != nil {
			return nil, naming(resource, err)
		}
		return object, nil
	}
	connect := func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
		options.Watch = true
		r, err := request(options)
		if err != nil {
			return nil, err
		}
		w, err := r.Watch(ctx)
		if err != nil {
			return nil, naming(resource, err)
		}
		return watchInterface(w)
	}
	lw := &ListWatch{
		resource: resource,
		ListFunc: func(options metav1.ListOptions) (runtime.Object, error) {
			return list(context.Background(), options)
		},
		ListWithContextFunc: list,
		WatchFunc: func(options metav1.ListOptions) (watch.Interface, error) {
			return connect(context.Background(), options)
		},
		WatchFuncWithContext: connect,
		send: func(ctx context.Context, options metav1.ListOptions, accept string) (io.ReadCloser, error) {
			r, err := request(options)
			if err != nil {
				return nil, err
			}
			body, err := r.SetHeader("Accept", accept).Stream(ctx)
			return body, naming(resource, err)
		},
	}
	lw.made = lw.functions()
	return lw
}

// naming is err with the resource that was asked for, where it does not say so
// itself: of one that is misspelt, a server says that it does not exist.
func naming(resource string, err error) error {
	if err == nil || strings.Contains(err.Error(), resource) {
		return err
	}
	return fmt.Errorf("%s: %w", resource, err)
}
