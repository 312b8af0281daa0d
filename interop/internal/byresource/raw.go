package byresource

import (
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
)

// Raw sends requests for resources of any version with one client.
type Raw struct {
	client rest.Interface

	mu       sync.Mutex
	versions map[schema.GroupVersion]*version
}

// NewRaw returns a Raw that sends its requests with a client.
func NewRaw(client rest.Interface) *Raw {
	return &Raw{client: client, versions: map[schema.GroupVersion]*version{}}
}

// version sends requests for the resources of one version. The informers of a version share
// it, and so recover together from an outage.
type version struct {
	client rest.Interface
	path   []string
}

// Get starts a request.
func (v *version) Get() *rest.Request { return v.client.Get().AbsPath(v.path...) }

func (r *Raw) version(of schema.GroupVersion) *version {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.versions[of] == nil {
		path := []string{"apis", of.Group, of.Version}
		if of.Group == "" {
			path = []string{"api", of.Version}
		}
		r.versions[of] = &version{r.client, path}
	}
	return r.versions[of]
}
