package rest

import (
	"errors"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/internal/transport"
	"github.com/thinformer/thinformer/internal/wire"
)

var (
	// ErrWouldDropFields is returned by Update if the server has sent fields that
	// the Go type does not have: writing the value would delete them on the server.
	// Nothing was sent. The error names the first such field. Add the field to the
	// type, write with Patch or Apply, or permit the loss with AllowFieldLoss.
	//
	// UpdateStatus returns it only for fields in the status or the metadata.
	//
	// managedFields do not count: an update without them leaves them unchanged.
	// Fields that a type with its own UnmarshalJSON skips are not detected, nor
	// are fields within a field of such a type. A type with an Unmarshal for
	// protobuf but without protobuf tags is assumed to drop fields.
	ErrWouldDropFields = errors.New("the update would drop fields that the Go type does not have")

	// ErrRestarted is yielded by List.Items if the continue token of a paged list
	// has expired and the list was restarted: the previous items are void, and
	// the whole list follows. A caller that cannot discard them stops at this
	// error; any other caller discards them and continues. List.Slice handles it.
	ErrRestarted = errors.New("the list was restarted: discard the items before this error")

	// ErrClosed is returned for a request on a Client that has been closed.
	ErrClosed = transport.ErrClosed

	// ErrNoClient is returned by the methods of a View, Resource or RESTClient
	// whose Client is nil.
	ErrNoClient = errors.New("the client is nil: create one with rest.New, and check its error")

	// ErrNotInCluster is returned by InCluster if the environment does not name a
	// server: the process is not in a pod, or its service links are disabled.
	ErrNotInCluster = errors.New("not in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set")

	// ErrListConsumed is yielded by List.Items if the list has been read before. A
	// list is a stream from the server, and can be read once.
	ErrListConsumed = errors.New("the list has already been read: it is a stream that can be read once")
)

// ItemError reports an object of a list or a watch that could not be decoded into
// the Go type, or whose kind differs from the ResourceInfo. It affects only this
// object: the list or watch continues.
type ItemError struct {
	// Type is the type of the event; "" in a list.
	Type watch.EventType
	// Namespace, Name, UID and ResourceVersion identify the object, as far as they
	// could be read.
	Namespace, Name string
	UID             types.UID
	ResourceVersion string
	// Err is the decoding error and its position in the object.
	Err error
}

// Error names the object and the field.
func (e *ItemError) Error() string { return (*wire.ItemError)(e).Error() }

// Unwrap returns the decoding error.
func (e *ItemError) Unwrap() error { return e.Err }

type typeError struct{ t reflect.Type }

// Undecodable marks a failure that no retry can fix, for a reflector.
func (e *typeError) Undecodable() bool { return true }

func (e *typeError) Error() string {
	return fmt.Sprintf("%v cannot be decoded into: it must be a pointer to a struct, such as *v1.Pod or *Widget", e.t)
}
