package reads

import "strings"

// Source is an informer whose objects are read.
type Source[R comparable] struct {
	// Name is the name of the informer, for explanations.
	Name string
	// MayBeOwn is set if own writes are ignored.
	MayBeOwn bool

	keys, namespaces, everything group[R]
	indexes                      []*group[R]
}

// NewSource returns a Source that nothing has read yet.
func NewSource[R comparable](name string) *Source[R] {
	s := &Source[R]{Name: name}
	s.keys, s.namespaces, s.everything = newGroup(s, Key), newGroup(s, Namespace), newGroup(s, Everything)
	return s
}

// Kind is a kind of dependency.
type Kind uint8

// The kinds of dependencies.
const (
	Key Kind = iota
	Namespace
	Everything
	IndexValue
)

// group has the nodes of one kind, or of one index.
type group[R comparable] struct {
	source *Source[R]
	kind   Kind
	index  *Index
	nodes  map[string]*node[R]
}

func newGroup[R comparable](s *Source[R], kind Kind) group[R] {
	return group[R]{source: s, kind: kind, nodes: map[string]*node[R]{}}
}

// node is what can be read. It exists while it has edges.
type node[R comparable] struct {
	group *group[R]
	value string
	first *edge[R]
}

// Index is an index of the informer.
type Index struct {
	// ID identifies the index.
	ID any
	// Name is for explanations.
	Name string
	// Values returns the values of an object. It may panic.
	Values func(obj any) []string
}

// Target is what a tracked read depends on.
type Target struct {
	Kind Kind
	// Value is the key, the namespace or the index value.
	Value string
	// Index is the index of an IndexValue.
	Index *Index
}

func (s *Source[R]) group(t Target) *group[R] {
	switch t.Kind {
	case Key:
		return &s.keys
	case Namespace:
		return &s.namespaces
	case Everything:
		return &s.everything
	}
	for _, g := range s.indexes {
		if g.index.ID == t.Index.ID {
			return g
		}
	}
	added := newGroup(s, IndexValue)
	added.index = t.Index
	s.indexes = append(s.indexes[:len(s.indexes):len(s.indexes)], &added)
	return &added
}

// Read reports whether any request depends on the source.
func (s *Source[R]) Read() bool {
	return len(s.keys.nodes)+len(s.namespaces.nodes)+len(s.everything.nodes) > 0 || len(s.ReadIndexes()) > 0
}

// ReadIndexes returns the indexes of which any value is read. The values of an object
// need not be computed for others.
func (s *Source[R]) ReadIndexes() []*Index {
	var read []*Index
	for _, g := range s.indexes {
		if len(g.nodes) > 0 {
			read = append(read, g.index)
		}
	}
	return read
}

// Values are the values of the two states of a changed object in one index.
type Values struct {
	Index    *Index
	Old, New []string
}

// Match is a node that a change affects.
type Match[R comparable] struct {
	node *node[R]
	// Always is set if the change counts whatever the predicates say: the object has
	// appeared or disappeared there.
	Always bool
}

// Match appends to found the nodes that a change of an object affects. isUpdate is set
// if the object existed before and exists after it.
func (s *Source[R]) Match(found []Match[R], key string, isUpdate bool, values []Values) []Match[R] {
	add := func(g *group[R], value string, always bool) {
		if n := g.nodes[value]; n != nil {
			found = append(found, Match[R]{node: n, Always: always})
		}
	}
	add(&s.keys, key, !isUpdate)
	if len(s.namespaces.nodes) > 0 {
		if namespace, _, ok := strings.Cut(key, "/"); ok {
			add(&s.namespaces, namespace, !isUpdate)
		}
	}
	add(&s.everything, "", !isUpdate)
	for _, v := range values {
		g := s.group(Target{Kind: IndexValue, Index: v.Index})
		for _, value := range v.Old {
			add(g, value, !contains(v.New, value))
		}
		for _, value := range v.New {
			if !contains(v.Old, value) {
				add(g, value, true)
			}
		}
	}
	return found
}

func contains(all []string, value string) bool {
	for _, v := range all {
		if v == value {
			return true
		}
	}
	return false
}
