package apitest

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// definitions is what CustomResourceDefinitions make a server serve.
//
// In kube-apiserver controllers follow the definitions and a client has to wait
// for the condition Established. Here the same steps are taken, as the same
// events, before the request that wrote the definition is answered.
type definitions struct {
	mu sync.Mutex // held by settle
	// read is the definition in each record that is current.
	read map[*record]*definition
	// serving is from which definition the registry was last furnished.
	serving map[string]*servedDefinition // by name
}

// servedDefinition is a definition with the resources that stand for it.
type servedDefinition struct {
	definition *definition
	resources  []*resource
	// over is closed when the resources are replaced by others: watches end
	// then.
	over chan struct{}
}

// prepareDefinition completes a definition that is about to be stored and says
// what is wrong with it. current is nil for a new one.
func prepareDefinition(next, current *unstructured.Unstructured, subresource string) (field.ErrorList, error) {
	var was *definition
	if current != nil {
		var err error
		if was, err = readDefinition(current); err != nil {
			return nil, err
		}
	}
	if subresource == "status" {
		d, err := readDefinition(next)
		if err != nil {
			return nil, err
		}
		return d.Status.AcceptedNames.faults(field.NewPath("status", "acceptedNames")), nil
	}
	defaultDefinition(next.Object)
	if was != nil {
		next.Object["status"] = current.DeepCopy().Object["status"]
	} else {
		delete(next.Object, "status")
	}
	d, err := readDefinition(next)
	if err != nil {
		return nil, err
	}
	if storage := d.storageVersion(); storage != "" && !slices.Contains(d.Status.StoredVersions, storage) {
		d.Status.StoredVersions = append(d.Status.StoredVersions, storage)
	}
	if err := d.writeStatus(next); err != nil {
		return nil, err
	}
	return d.faults(was), nil
}

// defaultDefinition fills in what may be left out.
func defaultDefinition(content map[string]any) {
	spec, ok := content["spec"].(map[string]any)
	if !ok {
		return
	}
	if names, ok := spec["names"].(map[string]any); ok {
		kind, _ := names["kind"].(string)
		if given, _ := names["singular"].(string); given == "" && kind != "" {
			names["singular"] = strings.ToLower(kind)
		}
		if given, _ := names["listKind"].(string); given == "" && kind != "" {
			names["listKind"] = kind + "List"
		}
	}
	if spec["conversion"] == nil {
		spec["conversion"] = map[string]any{"strategy": "None"}
	}
	versions, _ := spec["versions"].([]any)
	for _, each := range versions {
		version, ok := each.(map[string]any)
		if !ok {
			continue
		}
		for _, name := range []string{"served", "storage"} {
			if version[name] == nil {
				version[name] = false
			}
		}
	}
}

// markDefinition turns the first request to delete a definition into its mark:
// it goes when its objects have gone. It reports false for one that is marked.
func markDefinition(obj *unstructured.Unstructured) (bool, error) {
	if obj.GetDeletionTimestamp() != nil {
		return false, nil
	}
	d, err := readDefinition(obj)
	if err != nil {
		return false, err
	}
	now := metav1.Now()
	obj.SetDeletionTimestamp(&now)
	if finalizers := obj.GetFinalizers(); !slices.Contains(finalizers, cleanupFinalizer) {
		obj.SetFinalizers(append(finalizers, cleanupFinalizer))
	}
	d.setCondition(definitionCondition{Type: "Terminating", Status: "True", Reason: "InstanceDeletionPending",
		Message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon"})
	return true, d.writeStatus(obj)
}

// settleAfter settles the definitions if a write to res can have changed
// anything about them. removed says that it took an object away.
func (s *Server) settleAfter(res *resource, removed bool) {
	if res.GroupResource() != definitionsResource {
		if !removed || !res.custom {
			return
		}
		// The resource that the request began with may be an older one.
		now := s.registry.find(res.GroupVersionResource)
		if now == nil || !now.terminating {
			return
		}
	}
	if err := s.settle(); err != nil {
		s.options.logger().Error("apitest: serve the custom resources that are defined", "error", err)
	}
}

// settle takes the steps that the definitions call for, one write each, until
// there are none, and serves what is defined then.
func (s *Server) settle() error {
	s.definitions.mu.Lock()
	defer s.definitions.mu.Unlock()
	table := s.store.table(definitionsResource)
	for {
		records := table.all("")
		all, err := s.definitions.readAll(records)
		if err != nil {
			return err
		}
		again := false
		for i, d := range all {
			step, err := s.advance(table, records[i], d, all)
			if err != nil && !errors.Is(err, errMoved) {
				return err
			}
			if again = step || err != nil; again {
				break
			}
		}
		// What is accepted is served before it is established, as nobody may
		// see the condition and not the resource.
		s.serveDefined(all)
		if !again {
			return nil
		}
	}
}

// readAll reads what is new among the records, and forgets what is gone.
func (ds *definitions) readAll(records []*record) ([]*definition, error) {
	read := make(map[*record]*definition, len(records))
	all := make([]*definition, len(records))
	for i, rec := range records {
		d := ds.read[rec]
		if d == nil {
			obj, err := decode(rec.raw)
			if err != nil {
				return nil, err
			}
			if d, err = readDefinition(obj); err != nil {
				return nil, err
			}
		}
		all[i], read[rec] = d, d
	}
	ds.read = read
	return all, nil
}

// advance takes one definition one step further and reports whether there was
// one to take.
func (s *Server) advance(in *table, rec *record, d *definition, all []*definition) (bool, error) {
	next := d.deepCopy()
	switch {
	case next.claimNames(all):
	case next.judgeApproval():
	case next.is("NamesAccepted") && !next.is("Established"):
		next.setCondition(definitionCondition{Type: "Established", Status: "True", Reason: "InitialNamesAccepted", Message: "the initial names have been accepted"})
	case next.Metadata.DeletionTimestamp != nil && slices.Contains(next.Metadata.Finalizers, cleanupFinalizer):
		return s.cleanUp(in, rec, next)
	default:
		return false, nil
	}
	return true, s.writeDefinition(in, rec, next)
}

func (d *definition) deepCopy() *definition {
	next := *d
	next.Status.Conditions = slices.Clone(d.Status.Conditions)
	return &next
}

// writeDefinition stores another status.
func (s *Server) writeDefinition(in *table, rec *record, d *definition) error {
	was, err := decode(rec.raw)
	if err != nil {
		return err
	}
	next := was.DeepCopy()
	if err := d.writeStatus(next); err != nil {
		return err
	}
	return s.storeDefinition(in, rec, was, next)
}

// storeDefinition stores what the server itself made of a definition.
func (s *Server) storeDefinition(in *table, rec *record, was, next *unstructured.Unstructured) error {
	if served := s.registry.find(definitionsResource.WithVersion("v1")); served != nil {
		var err error
		if next, err = served.managers().track("status", "kube-apiserver", next, was); err != nil {
			return err
		}
	}
	text, err := encode(next)
	if err != nil {
		return err
	}
	_, err = in.commit(rec.key, rec, text)
	return err
}

// cleanUp removes the objects of a definition that is to go, and then it. While
// finalizers hold objects it waits for them.
func (s *Server) cleanUp(in *table, rec *record, d *definition) (bool, error) {
	if d.setCondition(definitionCondition{Type: "Terminating", Status: "True", Reason: "InstanceDeletionInProgress", Message: "CustomResource deletion is in progress"}) {
		return true, s.writeDefinition(in, rec, d)
	}
	if d.is("Established") {
		left, err := s.evict(s.store.table(d.resource()))
		if err != nil || left > 0 {
			return false, err
		}
	}
	was, err := decode(rec.raw)
	if err != nil {
		return false, err
	}
	finalizers := slices.DeleteFunc(was.GetFinalizers(), func(f string) bool { return f == cleanupFinalizer })
	if len(finalizers) > 0 {
		next := was.DeepCopy()
		next.SetFinalizers(finalizers)
		return true, s.storeDefinition(in, rec, was, next)
	}
	_, err = in.remove(rec)
	return true, err
}

// evict deletes every object of a table that no finalizer holds, marks the
// others, and says how many those are.
func (s *Server) evict(from *table) (left int, err error) {
	for _, rec := range from.all("") {
		obj, err := decode(rec.raw)
		if err != nil {
			return 0, err
		}
		if len(obj.GetFinalizers()) == 0 {
			if _, err := from.remove(rec); err != nil {
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
		next, err := encode(obj)
		if err != nil {
			return 0, err
		}
		if _, err := from.commit(rec.key, rec, next); err != nil {
			return 0, err
		}
	}
	return left, nil
}

// serveDefined makes the registry hold what all definitions define and no other
// custom resource. What was registered by [Server.Register] stays.
func (s *Server) serveDefined(all []*definition) {
	serving := make(map[string]*servedDefinition, len(all))
	for _, d := range all {
		was := s.definitions.serving[d.Metadata.Name]
		if was != nil && was.definition == d {
			serving[d.Metadata.Name] = was
			continue
		}
		now := &servedDefinition{definition: d, resources: d.resources(s.store.table(d.resource())), over: make(chan struct{})}
		if was != nil && was.definition.servesLike(d) {
			now.over = was.over
		}
		for _, res := range now.resources {
			res.over = now.over
		}
		serving[d.Metadata.Name] = now
	}
	if maps.EqualFunc(serving, s.definitions.serving, func(a, b *servedDefinition) bool { return a.definition == b.definition }) {
		return
	}
	ended := s.definitions.serving
	s.definitions.serving = serving
	s.registry.change(func(served map[schema.GroupVersionResource]*resource) {
		maps.DeleteFunc(served, func(_ schema.GroupVersionResource, res *resource) bool { return res.custom })
		for _, each := range serving {
			for _, res := range each.resources {
				if served[res.GroupVersionResource] == nil {
					served[res.GroupVersionResource] = res
				}
			}
		}
	})
	for name, was := range ended {
		if now := serving[name]; now == nil || now.over != was.over {
			close(was.over)
		}
		if of := was.definition.resource(); serving[name] == nil && !s.registry.serves(of) {
			s.store.drop(of)
		}
	}
}

// servesLike is whether watches can go on with other as the definition.
func (d *definition) servesLike(other *definition) bool {
	return d.Metadata.UID == other.Metadata.UID && d.serves() == other.serves() &&
		reflect.DeepEqual(d.Spec, other.Spec) && d.Status.AcceptedNames.equal(other.Status.AcceptedNames)
}
