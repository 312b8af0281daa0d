package apitest

import (
	"errors"
	"maps"
	"slices"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/apitest/internal/definition"
	"github.com/thinformer/thinformer/apitest/internal/objects"
	"github.com/thinformer/thinformer/apitest/internal/registry"
	"github.com/thinformer/thinformer/apitest/internal/storage"
)

// definitions are the CustomResourceDefinitions of a server and the resources
// that they define.
//
// In kube-apiserver, controllers process the definitions, and a client has to
// wait for the condition Established. Here the same steps are taken, with the
// same events, before the response to the request that wrote the definition.
type definitions struct {
	mu sync.Mutex // held by reconcileDefinitions
	// read holds the parsed definition of each current record.
	read map[*storage.Record]*definition.Definition
	// serving holds the definitions that the registry serves.
	serving map[string]*servedDefinition // by name
}

// servedDefinition is a definition and its resources.
type servedDefinition struct {
	definition *definition.Definition
	resources  []*registry.Resource
	// over is closed when other resources replace these. Watches end then.
	removed chan struct{}
}

// reconcileDefinitionsAfter reconciles the definitions if a write to res can
// affect them. removed reports whether the write removed an object.
func (s *Server) reconcileDefinitionsAfter(res *registry.Resource, removed bool) {
	if res.GroupResource() != definition.GroupResource {
		if !removed || !res.Custom {
			return
		}
		// The resource that the request started with may be outdated.
		now := s.registry.Find(res.GroupVersionResource)
		if now == nil || !now.Terminating {
			return
		}
	}
	if err := s.reconcileDefinitions(); err != nil {
		s.options.logger().Error("apitest: serve custom resources", "err", err)
	}
}

// reconcileDefinitions takes the steps that the definitions require, one write
// each, until none is left, and serves the resources that they define.
func (s *Server) reconcileDefinitions() error {
	s.definitions.mu.Lock()
	defer s.definitions.mu.Unlock()
	table := s.store.Table(definition.GroupResource)
	for {
		records := table.All("")
		all, err := s.definitions.readAll(records)
		if err != nil {
			return err
		}
		again := false
		for i, d := range all {
			step, err := s.advance(table, records[i], d, all)
			if err != nil && !errors.Is(err, storage.ErrConflict) {
				return err
			}
			if again = step || err != nil; again {
				break
			}
		}
		// Resources are served before their definition is Established, so that no
		// client sees the condition without the resource.
		s.serveDefined(all)
		if !again {
			return nil
		}
	}
}

// readAll parses the new records, and forgets removed ones.
func (ds *definitions) readAll(records []*storage.Record) ([]*definition.Definition, error) {
	read := make(map[*storage.Record]*definition.Definition, len(records))
	all := make([]*definition.Definition, len(records))
	for i, rec := range records {
		d := ds.read[rec]
		if d == nil {
			obj, err := objects.Decode(rec.Raw)
			if err != nil {
				return nil, err
			}
			if d, err = definition.Read(obj); err != nil {
				return nil, err
			}
		}
		all[i], read[rec] = d, d
	}
	ds.read = read
	return all, nil
}

// advance takes the next step of one definition, and reports whether there was
// one.
func (s *Server) advance(table *storage.Table, rec *storage.Record, d *definition.Definition, all []*definition.Definition) (bool, error) {
	next := d.Copy()
	switch {
	case next.AcceptNames(all):
	case next.UpdateApproval():
	case next.Is("NamesAccepted") && !next.Is("Established"):
		next.SetCondition(definition.Condition{Type: "Established", Status: "True", Reason: "InitialNamesAccepted", Message: "the initial names have been accepted"})
	case next.Metadata.DeletionTimestamp != nil && slices.Contains(next.Metadata.Finalizers, definition.CleanupFinalizer):
		return s.cleanUp(table, rec, next)
	default:
		return false, nil
	}
	return true, s.writeDefinition(table, rec, next)
}

// writeDefinition stores the status of a definition.
func (s *Server) writeDefinition(table *storage.Table, rec *storage.Record, d *definition.Definition) error {
	current, err := objects.Decode(rec.Raw)
	if err != nil {
		return err
	}
	next := current.DeepCopy()
	if err := d.WriteStatus(next); err != nil {
		return err
	}
	return s.storeDefinition(table, rec, current, next)
}

// storeDefinition stores a definition that the server has changed.
func (s *Server) storeDefinition(table *storage.Table, rec *storage.Record, current, next *unstructured.Unstructured) error {
	if served := s.registry.Find(definition.GroupResource.WithVersion("v1")); served != nil {
		var err error
		if next, err = served.FieldManagers().Track(registry.NotAborted{}, "status", "kube-apiserver", next, current); err != nil {
			return err
		}
	}
	text, err := objects.Encode(next)
	if err != nil {
		return err
	}
	_, err = table.Commit(rec.Key, rec, text)
	return err
}

// cleanUp removes the objects of a definition that is being deleted, and then
// the definition. It waits for objects that have finalizers.
func (s *Server) cleanUp(table *storage.Table, rec *storage.Record, d *definition.Definition) (bool, error) {
	if d.SetCondition(definition.Condition{Type: "Terminating", Status: "True", Reason: "InstanceDeletionInProgress", Message: "CustomResource deletion is in progress"}) {
		return true, s.writeDefinition(table, rec, d)
	}
	if d.Is("Established") {
		left, err := s.deleteObjects(s.store.Table(d.DefinedResource()))
		if err != nil || left > 0 {
			return false, err
		}
	}
	current, err := objects.Decode(rec.Raw)
	if err != nil {
		return false, err
	}
	finalizers := slices.DeleteFunc(current.GetFinalizers(), func(f string) bool { return f == definition.CleanupFinalizer })
	if len(finalizers) > 0 {
		next := current.DeepCopy()
		next.SetFinalizers(finalizers)
		return true, s.storeDefinition(table, rec, current, next)
	}
	_, err = table.Remove(rec)
	return true, err
}

// deleteObjects deletes every object of a table that has no finalizers, marks
// the others as being deleted, and returns their number.
func (s *Server) deleteObjects(table *storage.Table) (left int, err error) {
	for _, rec := range table.All("") {
		obj, err := objects.Decode(rec.Raw)
		if err != nil {
			return 0, err
		}
		if len(obj.GetFinalizers()) == 0 {
			if _, err := table.Remove(rec); err != nil {
				return 0, err
			}
			continue
		}
		left++
		if obj.GetDeletionTimestamp() != nil {
			continue
		}
		now, zero := metav1.Now(), int64(0)
		obj.SetDeletionTimestamp(&now)
		obj.SetDeletionGracePeriodSeconds(&zero)
		obj.SetGeneration(obj.GetGeneration() + 1)
		next, err := objects.Encode(obj)
		if err != nil {
			return 0, err
		}
		if _, err := table.Commit(rec.Key, rec, next); err != nil {
			return 0, err
		}
	}
	return left, nil
}

// serveDefined makes the registry serve the resources of all definitions and no
// other custom resources. Resources of [Server.Register] stay.
func (s *Server) serveDefined(all []*definition.Definition) {
	serving := make(map[string]*servedDefinition, len(all))
	for _, d := range all {
		previous := s.definitions.serving[d.Metadata.Name]
		if previous != nil && previous.definition == d {
			serving[d.Metadata.Name] = previous
			continue
		}
		now := &servedDefinition{definition: d, resources: d.Resources(s.store.Table(d.DefinedResource())), removed: make(chan struct{})}
		if previous != nil && previous.definition.ServesLike(d) {
			now.removed = previous.removed
		}
		for _, res := range now.resources {
			res.Over = now.removed
		}
		serving[d.Metadata.Name] = now
	}
	if maps.EqualFunc(serving, s.definitions.serving, func(a, b *servedDefinition) bool { return a.definition == b.definition }) {
		return
	}
	ended := s.definitions.serving
	s.definitions.serving = serving
	s.registry.Change(func(served map[schema.GroupVersionResource]*registry.Resource) {
		maps.DeleteFunc(served, func(_ schema.GroupVersionResource, res *registry.Resource) bool { return res.Custom })
		for _, entry := range serving {
			for _, res := range entry.resources {
				if served[res.GroupVersionResource] == nil {
					served[res.GroupVersionResource] = res
				}
			}
		}
	})
	for name, previous := range ended {
		if now := serving[name]; now == nil || now.removed != previous.removed {
			close(previous.removed)
		}
		if resource := previous.definition.DefinedResource(); serving[name] == nil && !s.registry.Serves(resource) {
			s.store.Drop(resource)
		}
	}
}
