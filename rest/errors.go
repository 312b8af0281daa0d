package rest

import (
	"errors"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

var (
	// ErrWouldDropFields is returned by Update when the server has shown fields
	// that the Go type does not have: sending the value back would delete them
	// on the server. Nothing was sent. The error names the first such field.
	// Give the type that field, write with Patch or Apply, or say that the loss
	// is meant with AllowFieldLoss.
	//
	// managedFields do not count: an update without them leaves them as they
	// are. A type with an UnmarshalJSON of its own decodes itself, and what it
	// skips is not known; nor is it within a field of such a type. A type with
	// an Unmarshal for protobuf that has no protobuf tags to compare with counts
	// as one that drops fields.
	ErrWouldDropFields = errors.New("the update would drop fields that the Go type does not have")

	// ErrRestarted comes out of List.Items when the server could not go on with
	// a paged list (its continue token has expired) and the list was begun
	// again: everything that came before is void, what follows is the whole
	// list. A caller that cannot go back stops here, with this error; one that
	// can forgets what it has and ranges on. List.Slice does that by itself.
	ErrRestarted = errors.New("the list was begun again: forget the items before this one")

	// ErrClosed is returned for a request on a Client that has been closed.
	ErrClosed = errors.New("the client is closed")

	// ErrNotInCluster is returned by InCluster where the environment does not
	// name a server: the process is not in a pod, or its service links are off.
	ErrNotInCluster = errors.New("not in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set")

	// ErrListConsumed comes out of List.Items when a list is ranged over for a
	// second time. It streams from the server, once.
	ErrListConsumed = errors.New("the list has been read: it streams, and can be read once")
)

// ItemError is one object of a list or a watch that could not be decoded into
// the Go type, or that is of another kind than the ResourceInfo says. It costs
// only itself: the list or watch goes on after it.
type ItemError struct {
	// Type of the event that brought the object; "" in a list.
	Type watch.EventType
	// Namespace, Name, UID and ResourceVersion of the object, as far as they
	// could be read.
	Namespace, Name string
	UID             types.UID
	ResourceVersion string
	// Err says what could not be decoded, and where in the object.
	Err error
}

// longestKey is longer than any namespace and name that Kubernetes takes.
const longestKey = 320

// Error names the object and the field.
func (e *ItemError) Error() string {
	key := e.Name
	if e.Namespace != "" {
		key = e.Namespace + "/" + e.Name
	}
	if key = truncated(key, longestKey); key == "" {
		key = "an object without a name"
	}
	if e.Type != "" {
		return fmt.Sprintf("decode %s event of %s: %v", e.Type, key, e.Err)
	}
	return fmt.Sprintf("decode %s: %v", key, e.Err)
}

// Unwrap is the decoder's error.
func (e *ItemError) Unwrap() error { return e.Err }

type typeError struct{ t reflect.Type }

// Undecodable tells a reflector why nothing comes of any answer.
func (e *typeError) Undecodable() bool { return true }

func (e *typeError) Error() string {
	return fmt.Sprintf("%v cannot be decoded into: it must be a pointer to a struct, such as *v1.Pod or *Widget", e.t)
}
