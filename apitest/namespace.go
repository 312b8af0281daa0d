package apitest

import (
	"bytes"
	"errors"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// firstNamespaces are there from the start.
var firstNamespaces = []string{"default", "kube-node-lease", "kube-public", "kube-system"}

// isImmortal tells of a namespace that cannot be deleted.
func isImmortal(name string) bool {
	return slices.Contains([]string{"default", "kube-public", "kube-system"}, name)
}

// createNamespaces makes those that every server has, where they are missing.
func (s *Server) createNamespaces() error {
	if s.options.Bare {
		return nil
	}
	res := s.registry.find(namespaces.WithVersion("v1"))
	for _, name := range firstNamespaces {
		// errMoved is that it is there.
		if err := s.createNamespace(res, name); err != nil && !errors.Is(err, errMoved) {
			return err
		}
	}
	return nil
}

func (s *Server) createNamespace(res *resource, name string) error {
	obj := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Namespace",
		"metadata": map[string]any{"name": name, "creationTimestamp": now(), "uid": string(s.identities.uid())},
	}}
	res.prepareCreate(obj.Object)
	if res.strategy.complete != nil {
		res.strategy.complete(obj.Object)
	}
	text, err := encode(obj)
	if err != nil {
		return err
	}
	_, err = res.table.commit(key{name: name}, nil, text)
	return err
}

// terminating tells of a namespace's record whether nothing may be created in it
// any more.
func (r *record) terminating() (bool, error) {
	if !bytes.Contains(r.raw, []byte(`"Terminating"`)) {
		return false, nil
	}
	obj, err := decode(r.raw)
	if err != nil {
		return false, err
	}
	return at(obj.Object, "status.phase") == "Terminating", nil
}
