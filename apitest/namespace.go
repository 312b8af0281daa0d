package apitest

import (
	"bytes"
	"errors"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/thinformer/thinformer/apitest/internal/objects"
	"github.com/thinformer/thinformer/apitest/internal/registry"
	"github.com/thinformer/thinformer/apitest/internal/storage"
)

// initialNamespaces exist from the start.
var initialNamespaces = []string{"default", "kube-node-lease", "kube-public", "kube-system"}

// isUndeletable reports whether a namespace cannot be deleted.
func isUndeletable(name string) bool {
	return slices.Contains([]string{"default", "kube-public", "kube-system"}, name)
}

// createNamespaces creates the initial namespaces that are missing.
func (s *Server) createNamespaces() error {
	if s.options.NoBuiltinKinds {
		return nil
	}
	res := s.registry.Find(registry.Namespaces.WithVersion("v1"))
	for _, name := range initialNamespaces {
		// storage.ErrConflict: the namespace exists.
		if err := s.createNamespace(res, name); err != nil && !errors.Is(err, storage.ErrConflict) {
			return err
		}
	}
	return nil
}

func (s *Server) createNamespace(res *registry.Resource, name string) error {
	obj := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Namespace",
		"metadata": map[string]any{"name": name, "creationTimestamp": objects.Now(), "uid": string(s.identities.UID())},
	}}
	res.PrepareCreate(obj.Object)
	if res.Strategy.Complete != nil {
		res.Strategy.Complete(obj.Object)
	}
	text, err := objects.Encode(obj)
	if err != nil {
		return err
	}
	_, err = res.Table.Commit(storage.Key{Name: name}, nil, text)
	return err
}

// isTerminating reports whether the record of a namespace is terminating, so that
// nothing may be created in it.
func isTerminating(r *storage.Record) (bool, error) {
	if !bytes.Contains(r.Raw, []byte(`"Terminating"`)) {
		return false, nil
	}
	obj, err := objects.Decode(r.Raw)
	if err != nil {
		return false, err
	}
	return objects.At(obj.Object, "status.phase") == "Terminating", nil
}
