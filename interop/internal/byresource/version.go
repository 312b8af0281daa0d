package byresource

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/thinformer/thinformer/cache"
)

// versionClient sends requests for the resources of one version with a client of all
// versions. It has the fields of that client, so that package cache finds that the versions
// have one server: their informers recover together from an outage.
type versionClient struct {
	*rest.RESTClient
	version schema.GroupVersion
}

var _ cache.VersionedClient = (*versionClient)(nil)

// Get starts a request.
func (c *versionClient) Get() *Request {
	if c.version.Group == "" {
		return &Request{Request: c.RESTClient.Get().AbsPath("api", c.version.Version)}
	}
	return &Request{Request: c.RESTClient.Get().AbsPath("apis", c.version.Group, c.version.Version)}
}

// APIVersion implements [cache.VersionedClient].
func (c *versionClient) APIVersion() schema.GroupVersion { return c.version }
