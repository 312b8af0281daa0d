package cache

import "k8s.io/apimachinery/pkg/util/sets"

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
