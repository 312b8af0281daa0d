package simulation

import (
	"fmt"
	"maps"
	"reflect"

	"k8s.io/apimachinery/pkg/util/resourceversion"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

// check fails unless the indexer, the calls of the handlers, and the pages are right.
func (s *simulation) check(namespace string) {
	if !s.program.Informer.HasSynced() {
		s.failf("30 minutes after the end of all faults, HasSynced is false")
	}
	server := map[string]stack.Object{}
	var objects []stack.Object
	for _, object := range apitest.List(s.t, s.server, &stack.ConfigMap{ObjectMeta: like(namespace + "/").ObjectMeta}) {
		server[stack.Key(object)] = object
		objects = append(objects, object)
	}
	s.checkIndexer(server)
	for _, h := range s.handlers {
		s.checkHandler(h, server, objects)
	}
	s.checkPages(server)
}

// checkIndexer fails unless the indexer has the objects of the server.
func (s *simulation) checkIndexer(server map[string]stack.Object) {
	indexed := map[string]stack.Object{}
	for _, object := range s.program.Indexer.List() {
		indexed[stack.Key(object)] = object
	}
	if difference := difference(indexed, server); difference != "" {
		s.failf("30 minutes after the last fault, the indexer differs from the server: %s", difference)
	}
}

// checkHandler fails unless the calls of a handler are legal and the checker of the
// solution says so.
func (s *simulation) checkHandler(h *handler, server map[string]stack.Object, objects []stack.Object) {
	h.mu.Lock()
	defer h.mu.Unlock()
	state, wrong := s.replay(h.calls)
	if wrong == "" {
		if difference := difference(state, server); difference != "" {
			wrong = "its calls lead to other objects than those of the server: " + difference
		}
	}
	found := h.found
	if found == nil {
		found = h.checker.Compare(objects)
	}
	switch {
	case wrong != "" && found == nil:
		s.failf("%s: %s, and your checker does not find it", h.name, wrong)
	case wrong != "":
		s.failf("%s: %s", h.name, wrong)
	case h.found != nil:
		s.failf("%s: your checker rejects a legal call, %s: %v", h.name, callText(h.calls[h.after]), found)
	case found != nil:
		s.failf("%s has seen the last state of each object, and Compare returns: %v", h.name, found)
	}
}

// replay returns the objects to which calls lead, or what is wrong in a call.
func (s *simulation) replay(calls []stack.Call) (state map[string]stack.Object, wrong string) {
	state = map[string]stack.Object{}
	newest := map[string]string{}
	for n, call := range calls {
		object := call.New
		if call.Type == "delete" {
			object = call.Old
		}
		key := stack.Key(object)
		last := state[key]
		problem := ""
		switch {
		case call.Type == "add" && last != nil:
			problem = "it has this object already"
		case call.Type != "add" && last == nil:
			problem = "it does not have this object"
		case call.Type == "update" && call.Old.ResourceVersion != last.ResourceVersion:
			problem = "it has version " + last.ResourceVersion
		case last != nil && last.UID != object.UID:
			problem = "it has another object of this name"
		case older(object.ResourceVersion, newest[key]):
			problem = "it has seen version " + newest[key]
		case call.Type != "delete" && !s.written(object):
			problem = "the server never had an object with this content at this version"
		}
		if problem != "" {
			return nil, fmt.Sprintf("call %d is wrong: %s; %s", n+1, callText(call), problem)
		}
		newest[key] = object.ResourceVersion
		state[key] = object
		if call.Type == "delete" {
			delete(state, key)
		}
	}
	return state, ""
}

// older reports whether a version is older than another one, which may be missing.
func older(version, newest string) bool {
	if newest == "" {
		return false
	}
	order, err := resourceversion.CompareResourceVersion(version, newest)
	return err != nil || order < 0
}

// written reports whether an object is a state that the simulation has written. Pages are
// written by the reconciler.
func (s *simulation) written(object stack.Object) bool {
	state, ok := s.writes.states[object.ResourceVersion]
	return !ok || same(object, state)
}

// difference describes the first difference of objects from those of the server.
func difference(got, server map[string]stack.Object) string {
	for _, key := range sorted(server) {
		switch object := got[key]; {
		case object == nil:
			return key + " is missing"
		case object.ResourceVersion != server[key].ResourceVersion:
			return fmt.Sprintf("%s has version %s, on the server %s", key, object.ResourceVersion, server[key].ResourceVersion)
		case !same(object, server[key]):
			return key + " has the version of the server and another content"
		}
	}
	for _, key := range sorted(got) {
		if server[key] == nil {
			return key + " is not on the server any more"
		}
	}
	return ""
}

// same reports whether the content of two states of an object is equal.
func same(a, b stack.Object) bool {
	return stack.Key(a) == stack.Key(b) && a.UID == b.UID && maps.Equal(a.Labels, b.Labels) && maps.Equal(a.Data, b.Data) &&
		reflect.DeepEqual(a.OwnerReferences, b.OwnerReferences)
}

// checkPages fails unless each site has its page, and each page its site.
func (s *simulation) checkPages(server map[string]stack.Object) {
	for _, key := range sorted(server) {
		object := server[key]
		if _, isSite := object.Labels[stack.SiteLabel]; isSite {
			page := server[key+"-page"]
			if page == nil {
				s.failf("30 minutes after the last fault, the site %s has no page", key)
			}
			if !maps.Equal(page.Data, object.Data) || len(page.OwnerReferences) != 1 || page.OwnerReferences[0].UID != object.UID {
				s.failf("30 minutes after the last fault, the page of %s differs from its site, in its data or its owner", key)
			}
		}
		if name := object.Labels[stack.PageLabel]; name != "" {
			site := server[object.Namespace+"/"+name]
			if site == nil || site.Labels[stack.SiteLabel] == "" {
				s.failf("30 minutes after the last fault, the page %s still exists, and its site does not", key)
			}
		}
	}
}
