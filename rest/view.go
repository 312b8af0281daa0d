package rest

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/conversion/queryparams"
)

// View is the read side of one resource as values of T: Get, List and Watch. It
// is a listwatch.ListerWatcher, and it may show less than there is: what T has
// no field for is skipped without being decoded. Where T is
// *metav1.PartialObjectMetadata the server is asked for metadata only.
//
// A View is a value with no state of its own. It costs little to make, and any
// number of goroutines may use it.
type View[T Object] struct {
	client    *Client
	info      ResourceInfo
	namespace string
	codec     *codec
	losses    *losses
	// err says why T cannot be decoded into. Every call returns it: that way
	// NewView needs no second result, and nothing panics.
	err error
}

// NewView makes a View of the resource that info names. Whether T can be
// decoded into is checked here, and returned by the first call.
func NewView[T Object](c *Client, info ResourceInfo) *View[T] {
	v := &View[T]{client: c, info: info}
	return v.Decoding(c.config.Decode)
}

// Namespace is the same view of one namespace. "" is all of them, which List
// and Watch can show and Get cannot.
func (v *View[T]) Namespace(namespace string) *View[T] {
	narrow := *v
	narrow.namespace = namespace
	return &narrow
}

// InNamespace is the namespace that the view was narrowed to, "" for all.
func (v *View[T]) InNamespace() string { return v.namespace }

// Decoding is the same view with other options than the client's.
func (v *View[T]) Decoding(o DecodeOptions) *View[T] {
	other := *v
	t, err := structOf[T]()
	if err == nil {
		other.losses = v.client.lossesOf(v.info, t)
		other.codec, err = newCodec(t, v.info, o, other.losses.note)
	}
	if err != nil {
		other.err = fmt.Errorf("read %s: %w", v.info.Resource, err)
	}
	return &other
}

// ResourceInfo is where the objects are served.
func (v *View[T]) ResourceInfo() ResourceInfo { return v.info }

// Get reads one object. What it returns has managedFields.
func (v *View[T]) Get(ctx context.Context, name string, opts metav1.GetOptions) (T, error) {
	return v.one(ctx, v.named(v.rest().Get(), v.namespace, name).options(&opts))
}

// List reads all objects, or those that the selectors of opts choose, at one
// version of the collection: page by page, each item decoded as it arrives. It
// returns when the first page has begun to arrive, or cannot. Range over its
// Items or Close it; either releases the connection.
//
// Limit is the size of a page (0: the client's PageSize), not of the list.
func (v *View[T]) List(ctx context.Context, opts metav1.ListOptions) (*List[T], error) {
	if v.err != nil {
		return nil, v.err
	}
	opts.Watch = false
	opts.Limit = pageSize(opts, v.client.config.PageSize)
	return PagedList(ctx, opts, v.page)
}

// page asks for one page of a list.
func (v *View[T]) page(ctx context.Context, opts metav1.ListOptions) (*Page[T], error) {
	r := v.in(v.rest().Get(), v.namespace).as(verbList).inParts().options(&opts)
	r.SetHeader("Accept", v.codec.accept(acceptList, v.client.config.AcceptContentTypes))
	response, err := r.open(ctx, false)
	if err != nil {
		return nil, err
	}
	reader, err := v.codec.listReader(response.Header.Get("Content-Type"), response.Body)
	if err != nil {
		response.Body.Close()
		return nil, fmt.Errorf("%s: %w", r.what(), whyOver(ctx, err))
	}
	return pageOf[T](r.what(), reader, response.Body), nil
}

// pageSize is the page size to ask for, of which configured is the default. The
// server reads a limit together with a version as "exactly this version", so none
// is added to one that was given; from version 0 the server answers out of its
// cache, and pages if it likes.
func pageSize(opts metav1.ListOptions, configured int64) int64 {
	switch {
	case opts.Limit != 0:
		return opts.Limit
	case opts.ResourceVersion != "" && opts.ResourceVersion != "0":
		return 0
	case configured < 0:
		return 0
	case configured == 0:
		return defaultPageSize
	}
	return configured
}

const defaultPageSize = 500

// Watch opens a stream of changes. An error means that there is no stream: it
// is never empty because it could not be opened. The stream ends with ctx, with
// Stop, and when the server ends it, as servers do every few minutes.
func (v *View[T]) Watch(ctx context.Context, opts metav1.ListOptions) (*Watch[T], error) {
	if v.err != nil {
		return nil, v.err
	}
	opts.Watch = true
	return openStream[T](ctx, v.in(v.rest().Get(), v.namespace).options(&opts), v.codec)
}

// one sends a request whose answer is one object.
func (v *View[T]) one(ctx context.Context, r *Request) (T, error) {
	var none T
	if v.err != nil {
		return none, v.err
	}
	r.SetHeader("Accept", v.codec.accept(acceptObject, v.client.config.AcceptContentTypes))
	answer := r.do(ctx)
	if answer.err != nil {
		return none, answer.err
	}
	object, err := v.codec.decodeObject(answer.contentType, answer.body)
	if err != nil {
		return none, r.unreadable(ctx, answer, err)
	}
	typed := object.(T)
	r.wrote(ctx, func() stored { return storedAs(typed, answer.contentType, answer.body) })
	return typed, nil
}

// unreadable is the error of an answer that could not be decoded. A write that
// the server has accepted has happened all the same, and is reported.
func (r *Request) unreadable(ctx context.Context, answer Result, err error) error {
	if isStatusError(err) {
		return err
	}
	r.wrote(ctx, func() stored { return storedIn(answer.contentType, answer.body) })
	return fmt.Errorf("%s: %w", answer.what, err)
}

// rest makes the requests of the view's group and version.
func (v *View[T]) rest() *RESTClient { return v.client.GroupVersion(v.info.GroupVersion()) }

// in addresses the objects of one namespace, or of all for "".
func (v *View[T]) in(r *Request, namespace string) *Request {
	r.Resource(v.info.Resource)
	switch {
	case namespace == "":
		return r
	case !v.info.Namespaced:
		return r.failf("Namespace", "it is %q, and the resource is not in namespaces", namespace)
	}
	return r.Namespace(namespace)
}

// named addresses one object, which has a namespace if its kind has.
func (v *View[T]) named(r *Request, namespace, name string) *Request {
	if v.info.Namespaced {
		r.Namespace(namespace)
	}
	return v.in(r, namespace).Name(name)
}

// options adds a struct of the API's options to the query.
func (r *Request) options(opts any) *Request {
	values, err := queryparams.Convert(opts)
	if err != nil {
		return r.failf("VersionedParams", "encode %T: %w", opts, err)
	}
	return r.addParams(values)
}
