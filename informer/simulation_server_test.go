package informer

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/apitest"
)

// simWrite is one write of a config map.
type simWrite struct {
	version uint64
	key     string
	// sight and number are the object's after it. exists says that there is one,
	// shown that the informer under test is to have it.
	sight         sight
	number        string
	exists, shown bool
}

// simServer is the server, and what was written to it.
type simServer struct {
	*apitest.Server
	t   apitest.TB
	log *simLog
	rng *rand.Rand
	// wants says which objects the informer under test is to have.
	wants func(*simObject) bool

	writes int
	// version is that of the last write.
	version uint64
	// timeline is all writes in order, as the server remembers them; past are the
	// timelines that it was set back from.
	timeline []simWrite
	past     [][]simWrite
}

var (
	simNamespaces = []string{"default", "other"}
	simNames      = []string{"a", "b", "c", "d", "e"}
)

func (s *simServer) object(namespace, name string) *simObject {
	return &simObject{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
	}
}

func (s *simServer) all() []*simObject { return apitest.List(s.t, s.Server, s.object("", "")) }

func (s *simServer) find(namespace, name string) *simObject {
	for _, obj := range s.all() {
		if obj.Namespace == namespace && obj.Name == name {
			return obj
		}
	}
	return nil
}

// any is a config map that there may be.
func (s *simServer) any() (namespace, name string) {
	return simNamespaces[s.rng.IntN(len(simNamespaces))], simNames[s.rng.IntN(len(simNames))]
}

func (s *simServer) number() map[string]string {
	s.writes++
	return map[string]string{"write": strconv.Itoa(s.writes)}
}

func (s *simServer) labels() map[string]string {
	labels := map[string]string{}
	if s.rng.IntN(3) > 0 {
		labels["on"] = "yes"
	}
	if s.rng.IntN(4) == 0 {
		labels["drop"] = "yes"
	}
	return labels
}

// write writes something at random.
func (s *simServer) write() {
	namespace, name := s.any()
	found := s.find(namespace, name)
	switch n := s.rng.IntN(20); {
	case n == 0:
		s.secret(namespace)
	case found == nil:
		s.create(namespace, name)
	case n < 4:
		s.remove(found)
	case n < 7:
		s.remove(found)
		s.create(namespace, name)
	case n < 11:
		s.modify(found, true)
	default:
		s.modify(found, false)
	}
}

func (s *simServer) create(namespace, name string) {
	obj := s.object(namespace, name)
	obj.Labels, obj.Data = s.labels(), s.number()
	s.wrote("create", apitest.Create(s.t, s.Server, obj), true)
}

// modify changes an object, and its labels as well when it is to flip.
func (s *simServer) modify(obj *simObject, flip bool) {
	s.wrote("modify", apitest.Modify(s.t, s.Server, obj, func(o *simObject) {
		o.Data = s.number()
		if flip {
			o.Labels = s.labels()
		}
	}), true)
}

// retell has every watch told of the object as it is, or that it is not there
// any more: a watch with a selector is told nothing of an object that it does not
// choose before and after.
func (s *simServer) retell(namespace, name string) {
	chosen := map[string]string{"on": "yes"}
	found := s.find(namespace, name)
	if found == nil {
		obj := s.object(namespace, name)
		obj.Labels, obj.Data = chosen, s.number()
		created := apitest.Create(s.t, s.Server, obj)
		s.wrote("create", created, true)
		s.remove(created)
		return
	}
	if !s.wants(found) {
		labels := found.Labels
		s.relabel(found, chosen)
		s.relabel(found, labels)
		return
	}
	s.modify(found, false)
}

func (s *simServer) relabel(obj *simObject, labels map[string]string) {
	s.wrote("modify", apitest.Modify(s.t, s.Server, obj, func(o *simObject) { o.Data, o.Labels = s.number(), labels }), true)
}

func (s *simServer) remove(obj *simObject) {
	s.wrote("delete", apitest.Delete(s.t, s.Server, obj), false)
}

// secret is a write that the informer has nothing to do with.
func (s *simServer) secret(namespace string) {
	like := s.object(namespace, fmt.Sprint("s", s.writes))
	like.Kind = "Secret"
	s.writes++
	s.version = simVersion(apitest.Create(s.t, s.Server, like).ResourceVersion)
	s.log.add("write", "a secret at %d", s.version)
}

func (s *simServer) wrote(what string, obj *simObject, exists bool) {
	s.version = simVersion(obj.ResourceVersion)
	s.log.add("write", "%s %s %s, number %s, labels %v", what, obj.key(), obj.sight(), obj.number(), obj.Labels)
	s.timeline = append(s.timeline, simWrite{
		version: s.version, key: obj.key(), sight: obj.sight(), number: obj.number(),
		exists: exists, shown: exists && s.wants(obj),
	})
}

// restartBack sets the server back by some versions, as far as it can, and asks
// it by a write how far that was.
func (s *simServer) restartBack(versions uint64) {
	s.RestartBack(versions)
	s.past = append(s.past, s.timeline)
	s.secret("default")
	s.timeline = slices.DeleteFunc(slices.Clone(s.timeline), func(w simWrite) bool { return w.version >= s.version })
}

// shown is what the informer is to have.
func (s *simServer) shown() map[string]*simObject {
	state := map[string]*simObject{}
	for _, obj := range s.all() {
		if s.wants(obj) {
			state[obj.key()] = obj
		}
	}
	return state
}

// upToDate says why a store at a version lacks something of what happened up to
// it, "" if it does not: there is a timeline in which each object that is stored
// is a state that was there, and none is older than the version allows.
func (s *simServer) upToDate(version uint64, stored map[string]*simObject, skip func(key string) bool) (why string) {
	for _, timeline := range append([][]simWrite{s.timeline}, s.past...) {
		reason := notUpToDate(timeline, version, stored, skip)
		if reason == "" {
			return ""
		}
		if why == "" {
			why = reason
		}
	}
	return why
}

func notUpToDate(timeline []simWrite, version uint64, stored map[string]*simObject, skip func(string) bool) string {
	for _, namespace := range simNamespaces {
		for _, name := range simNames {
			key := simKey(namespace, name)
			if skip(key) || mayBe(timeline, version, key, stored[key]) {
				continue
			}
			has := "nothing"
			if obj := stored[key]; obj != nil {
				has = fmt.Sprintf("%s, number %s", obj.sight(), obj.number())
			}
			return fmt.Sprintf("the version is %d, and of %s the store has %s", version, key, has)
		}
	}
	return ""
}

// mayBe: obj, nil for none, is what the last write up to the version left, or
// one after it.
func mayBe(timeline []simWrite, version uint64, key string, obj *simObject) bool {
	for _, w := range slices.Backward(timeline) {
		if w.key != key {
			continue
		}
		if !w.shown && obj == nil || w.shown && obj != nil && obj.sight() == w.sight && obj.number() == w.number {
			return true
		}
		if w.version <= version {
			return false
		}
	}
	return obj == nil
}
