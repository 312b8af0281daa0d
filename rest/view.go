package rest

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/conversion/queryparams"

	"github.com/thinformer/thinformer/internal/wire"
)

// View reads one resource as values of T: Get, List and Watch. It is a
// listwatch.ListerWatcher. Fields that T does not have are skipped while decoding.
// If T is *metav1.PartialObjectMetadata, the View requests only metadata from the
// server.
//
// A View is an immutable value. It is cheap to create and safe for concurrent use.
type View[T Object] struct {
	client      *Client
	info        ResourceInfo
	namespace   string
	codec       *wire.Codec
	fieldLosses *resourceFieldLosses
	// metadataOnly is set for a view that MetadataOf has returned.
	metadataOnly bool
	decode       DecodeOptions
	// err says why T cannot be decoded into. Every call returns it, so that NewView
	// needs no second result and does not panic.
	err error
}

// NewView returns a View of a resource. If T cannot be decoded into, the calls of
// the View return an error.
func NewView[T Object](c *Client, info ResourceInfo) *View[T] {
	v := &View[T]{client: c, info: info}
	if c == nil {
		v.client, v.err = nilClient(), fmt.Errorf("use %s: %w", info.Resource, ErrNoClient)
	}
	return v.WithDecodeOptions(v.client.config.Decode)
}

// MetadataOf returns a View of the same resource and namespace that requests only
// metadata from the server, and reads it as values of M. Other fields of M stay empty.
// M is usually a slim type: it takes less memory than *metav1.PartialObjectMetadata.
//
//	type Labels struct {
//		rest.SlimMeta `json:",inline"`
//		Labels        map[string]string `json:"labels"`
//	}
//	type Labelled struct {
//		Labels `json:"metadata"`
//	}
//	view := rest.MetadataOf[*Labelled](secrets)
func MetadataOf[M, T Object](v *View[T]) *View[M] {
	m := &View[M]{client: v.client, info: v.info, namespace: v.namespace, metadataOnly: true, err: v.err}
	return m.WithDecodeOptions(v.decode)
}

// Namespace returns a copy of the view that is limited to one namespace. "" is all
// namespaces, which List and Watch support and Get does not.
func (v *View[T]) Namespace(namespace string) *View[T] {
	scoped := *v
	scoped.namespace = namespace
	return &scoped
}

// ScopedNamespace returns the namespace of the view, "" for all.
func (v *View[T]) ScopedNamespace() string { return v.namespace }

// WithDecodeOptions returns a copy of the view with other decode options.
func (v *View[T]) WithDecodeOptions(o DecodeOptions) *View[T] {
	other := *v
	other.decode = o
	t, err := structOf[T]()
	if err == nil {
		other.fieldLosses = v.client.fieldLossesOf(v.info, t)
		other.codec, err = newCodec(t, v.info, o, v.metadataOnly, other.fieldLosses.record)
	}
	if err != nil {
		other.err = fmt.Errorf("read %s: %w", v.info.Resource, err)
	}
	return &other
}

// ResourceInfo returns the resource of the view.
func (v *View[T]) ResourceInfo() ResourceInfo { return v.info }

// Get reads one object, with managedFields.
func (v *View[T]) Get(ctx context.Context, name string, opts metav1.GetOptions) (T, error) {
	return v.doObject(ctx, v.inNamespaceWithName(v.rest().Get(), v.namespace, name).options(&opts))
}

// List reads all objects, or those that the selectors of opts choose, at one
// version of the collection: page by page, each item decoded as it arrives. It
// returns when the first page begins to arrive or has failed. The caller must range
// over Items or call Close; both release the connection.
//
// Limit is the size of a page (0: as Config.PageSize), not of the list.
func (v *View[T]) List(ctx context.Context, opts metav1.ListOptions) (*List[T], error) {
	if v.err != nil {
		return nil, v.err
	}
	opts.Watch = false
	return PagedList(ctx, opts, v.client.config.PageSize, v.page)
}

// page requests one page of a list.
func (v *View[T]) page(ctx context.Context, opts metav1.ListOptions) (*Page[T], error) {
	r := v.inNamespace(v.rest().Get(), v.namespace).withVerb(verbList).readIncrementally().options(&opts)
	r.SetHeader("Accept", v.codec.Accept(wire.AcceptList, v.client.config.AcceptContentTypes))
	response, err := r.open(ctx, false)
	if err != nil {
		return nil, v.explained(err)
	}
	reader, err := v.codec.ListReader(response.Header.Get("Content-Type"), response.Body)
	if err != nil {
		response.Body.Close()
		return nil, fmt.Errorf("%s: %w", r.describe(), contextError(ctx, err))
	}
	return newPage[T](r.describe(), reader, response.Body), nil
}

// Watch opens a stream of changes. If it cannot be opened, Watch returns an error.
// The stream ends with ctx, with Stop, and when the server ends it, as servers do
// every few minutes.
func (v *View[T]) Watch(ctx context.Context, opts metav1.ListOptions) (*Watch[T], error) {
	if v.err != nil {
		return nil, v.err
	}
	opts.Watch = true
	watch, err := openStream[T](ctx, v.inNamespace(v.rest().Get(), v.namespace).options(&opts), v.codec)
	return watch, v.explained(err)
}

// explained adds to the error of a request for metadata only that the server refuses it,
// as extension API servers may: the list of accepted media types in the error does not
// say so.
func (v *View[T]) explained(err error) error {
	if v.codec.MetadataOnly() && apierrors.IsNotAcceptable(err) {
		return fmt.Errorf("%w: the server does not serve the metadata of %s without the objects: read whole objects", err, v.info.GroupResource())
	}
	return err
}

// Check returns a configuration error that makes every request of the view fail,
// however often it is retried: T cannot be decoded into, the Client is closed, or
// the ResourceInfo is invalid. The error says how to fix it. Check returns nil if
// there is none, and sends nothing.
func (v *View[T]) Check() error {
	if v.err != nil {
		return v.err
	}
	err := v.info.check()
	if err == nil {
		err = v.inNamespace(v.rest().Get(), v.namespace).check()
	}
	if err == nil && v.client.conn.IsClosed() {
		err = fmt.Errorf("%w: create another one with rest.New, and close it after Run has returned", ErrClosed)
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", v.info.Resource, err)
	}
	return nil
}

// doObject sends a request whose response is one object.
func (v *View[T]) doObject(ctx context.Context, r *Request) (T, error) {
	var zero T
	if v.err != nil {
		return zero, v.err
	}
	r.SetHeader("Accept", v.codec.Accept(wire.AcceptObject, v.client.config.AcceptContentTypes))
	result := r.do(ctx)
	if result.err != nil {
		return zero, v.explained(result.err)
	}
	object, err := decodeObject(v.codec, result.contentType, result.body)
	if err != nil {
		return zero, r.decodeFailed(ctx, result, err)
	}
	typed := object.(T)
	r.reportWrite(ctx, result.status, func() storedObject { return storedFrom(typed, result.contentType, result.body) })
	return typed, nil
}

// decodeFailed returns the error for a response that could not be decoded. A write
// that the server has accepted is still reported to the traces.
func (r *Request) decodeFailed(ctx context.Context, result Result, err error) error {
	if isStatusError(err) {
		return withRequestDescription(err, r.describe())
	}
	r.reportWrite(ctx, result.status, func() storedObject { return parseStored(result.contentType, result.body) })
	return fmt.Errorf("%s: %w", result.operation, err)
}

// rest returns the client for the view's group and version.
func (v *View[T]) rest() *RESTClient { return v.client.GroupVersion(v.info.GroupVersion()) }

// inNamespace sets the resource and one namespace, or all for "".
func (v *View[T]) inNamespace(r *Request, namespace string) *Request {
	r.Resource(v.info.Resource)
	switch {
	case namespace == "":
		return r
	case !v.info.Namespaced:
		return r.failf("Namespace", "it is %q, but the resource is cluster-scoped", namespace)
	}
	return r.Namespace(namespace)
}

// inNamespaceWithName sets the resource, the name and, for namespaced kinds, the
// namespace.
func (v *View[T]) inNamespaceWithName(r *Request, namespace, name string) *Request {
	if v.info.Namespaced {
		r.Namespace(namespace)
	}
	return v.inNamespace(r, namespace).Name(name)
}

// options adds the fields of an options struct to the query.
func (r *Request) options(opts any) *Request {
	values, err := queryparams.Convert(opts)
	if err != nil {
		return r.failf("VersionedParams", "encode %T: %w", opts, err)
	}
	return r.addParams(values)
}
