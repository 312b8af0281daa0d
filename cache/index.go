package cache

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/util/sets"
)

// IndexFunc says under which values an object is found. One that returns an
// error leaves the object out of the index, which is logged.
type IndexFunc func(obj any) ([]string, error)

// Indexers are index functions by the names of their indexes.
type Indexers map[string]IndexFunc

// Indices are the contents of indexes by their names. Nothing but
// NewThreadSafeStore takes them.
type Indices map[string]index

type index map[string]sets.Set[string]

// NamespaceIndex is the name of the index over namespaces that listers look for.
const NamespaceIndex string = "namespace"

// MetaNamespaceIndexFunc is the IndexFunc of an index over namespaces.
func MetaNamespaceIndexFunc(obj any) ([]string, error) {
	named, err := metadataOf[namer](obj)
	if err != nil {
		return []string{""}, err
	}
	return []string{named.GetNamespace()}, nil
}

// IndexFuncToKeyFuncAdapter makes a KeyFunc of an IndexFunc that has exactly one
// value for each object, and no two objects with the same.
func IndexFuncToKeyFuncAdapter(indexFunc IndexFunc) KeyFunc {
	return func(obj any) (string, error) {
		if indexFunc == nil {
			return "", errNoIndexFunc
		}
		values, err := indexFunc(obj)
		if err != nil {
			return "", err
		}
		if len(values) != 1 {
			return "", fmt.Errorf("the key of a %T is to be its only index value, and it has %d", obj, len(values))
		}
		return values[0], nil
	}
}

var errNoIndexFunc = errors.New("the index function is nil")

// indexFailure is the error of an IndexFunc on its way through an index of the
// indexer room, whose functions cannot fail otherwise than by a panic. There it
// costs the object its entry in that index, and is logged.
type indexFailure struct {
	index string
	err   error
}

func (f indexFailure) Error() string {
	return fmt.Sprintf("the values of an object for index %q: %v", f.index, f.err)
}

func (f indexFailure) Unwrap() error { return f.err }

// valuesBy is f as an index of the indexer room asks it.
func valuesBy[T any](index string, f IndexFunc) func(T) []string {
	return func(obj T) []string {
		values, err := f(obj)
		if err != nil {
			panic(indexFailure{index: index, err: err})
		}
		return values
	}
}

// noIndexError says that there is no index of a name.
type noIndexError string

func (name noIndexError) Error() string {
	return "Index with name " + string(name) + " does not exist"
}
