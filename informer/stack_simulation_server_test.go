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
	// state and number are those of the object after the write. exists: the object
	// exists. shown: the informer under test must have it.
	state         objectState
	number        string
	exists, shown bool
}

// simServer is the server with the writes to it.
type simServer struct {
	*apitest.Server
	t   apitest.TB
	log *simLog
	rng *rand.Rand
	// wants reports whether the informer under test must have an object.
	wants func(*simObject) bool

	writes int
	// version is the version of the last write.
	version uint64
	// timeline are all writes in order. past are the timelines before the server was set
	// back.
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

// randomName returns the name of a config map, which may exist.
func (s *simServer) randomName() (namespace, name string) {
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

// write makes a random write.
func (s *simServer) write() {
	namespace, name := s.randomName()
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

// modify changes an object, with relabel also its labels.
func (s *simServer) modify(obj *simObject, relabel bool) {
	s.wrote("modify", apitest.Modify(s.t, s.Server, obj, func(o *simObject) {
		o.Data = s.number()
		if relabel {
			o.Labels = s.labels()
		}
	}), true)
}

// sendAgain makes the server send the current state of an object, or its deletion, to
// every watch. A watch with a selector receives an event only if the object matches
// before or after the write.
func (s *simServer) sendAgain(namespace, name string) {
	selected := map[string]string{"on": "yes"}
	found := s.find(namespace, name)
	if found == nil {
		obj := s.object(namespace, name)
		obj.Labels, obj.Data = selected, s.number()
		created := apitest.Create(s.t, s.Server, obj)
		s.wrote("create", created, true)
		s.remove(created)
		return
	}
	if !s.wants(found) {
		labels := found.Labels
		s.relabel(found, selected)
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

// secret makes a write that the informer does not receive.
func (s *simServer) secret(namespace string) {
	like := s.object(namespace, fmt.Sprint("s", s.writes))
	like.Kind = "Secret"
	s.writes++
	s.version = simVersion(apitest.Create(s.t, s.Server, like).ResourceVersion)
	s.log.add("write", "secret at %d", s.version)
}

func (s *simServer) wrote(what string, obj *simObject, exists bool) {
	s.version = simVersion(obj.ResourceVersion)
	s.log.add("write", "%s %s %s, number %s, labels %v", what, obj.key(), obj.state(), obj.number(), obj.Labels)
	s.timeline = append(s.timeline, simWrite{
		version: s.version, key: obj.key(), state: obj.state(), number: obj.number(),
		exists: exists, shown: exists && s.wants(obj),
	})
}

// restartBack sets the server back by some versions, limited by its history, and makes
// a write to get its version.
func (s *simServer) restartBack(versions uint64) {
	s.RestartFromBackup(versions)
	s.past = append(s.past, s.timeline)
	s.secret("default")
	s.timeline = slices.DeleteFunc(slices.Clone(s.timeline), func(w simWrite) bool { return w.version >= s.version })
}

// shown returns the objects that the informer must have.
func (s *simServer) shown() map[string]*simObject {
	state := map[string]*simObject{}
	for _, obj := range s.all() {
		if s.wants(obj) {
			state[obj.key()] = obj
		}
	}
	return state
}

// missingChange describes a change up to version that a store lacks; "" if there is none:
// there is a timeline that contains each stored state, and no stored state is older
// than the version allows.
func (s *simServer) missingChange(version uint64, stored map[string]*simObject, skip func(key string) bool) (why string) {
	for _, timeline := range append([][]simWrite{s.timeline}, s.past...) {
		reason := missingChangeIn(timeline, version, stored, skip)
		if reason == "" {
			return ""
		}
		if why == "" {
			why = reason
		}
	}
	return why
}

func missingChangeIn(timeline []simWrite, version uint64, stored map[string]*simObject, skip func(string) bool) string {
	for _, namespace := range simNamespaces {
		for _, name := range simNames {
			key := simKey(namespace, name)
			if skip(key) || isPossible(timeline, version, key, stored[key]) {
				continue
			}
			has := "no object"
			if obj := stored[key]; obj != nil {
				has = fmt.Sprintf("%s, number %s", obj.state(), obj.number())
			}
			return fmt.Sprintf("the version is %d, and for %s the store has %s", version, key, has)
		}
	}
	return ""
}

// isPossible reports whether obj, nil for none, is the state after the last write up
// to version or after a later write.
func isPossible(timeline []simWrite, version uint64, key string, obj *simObject) bool {
	for _, w := range slices.Backward(timeline) {
		if w.key != key {
			continue
		}
		if !w.shown && obj == nil || w.shown && obj != nil && obj.state() == w.state && obj.number() == w.number {
			return true
		}
		if w.version <= version {
			return false
		}
	}
	return obj == nil
}
