package informer

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/indexer"
)

// checkKey returns an error for a key that no object of the resource has, since its form
// is that of a resource of the other scope. It returns nil if the scope, or the KeyFunc, is
// not known.
func (s *shared[T]) checkKey(key string) error {
	if s.info.Resource == "" || s.keyFunc != nil {
		return nil
	}
	valid := key != "" && !strings.Contains(key, "/")
	if s.info.Namespaced {
		namespace, name, isPair := strings.Cut(key, "/")
		valid = isPair && namespace != "" && name != "" && !strings.Contains(name, "/")
	}
	if valid {
		return nil
	}
	return &keyError{s.info.GroupResource(), s.info.Namespaced, key}
}

// keyError is the error for a key of the wrong form.
type keyError struct {
	resource   schema.GroupResource
	namespaced bool
	key        string
}

func (e *keyError) Error() string {
	scope, form := "cluster-scoped", "name"
	if e.namespaced {
		scope, form = "namespaced", "namespace/name"
	}
	return fmt.Sprintf("read %s: %.80q is not the key of an object: the resource is %s, so use %q", e.resource, e.key, scope, form)
}

func (e *keyError) Unwrap() error { return indexer.ErrBadKey }
