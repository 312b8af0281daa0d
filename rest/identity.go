package rest

import (
	"reflect"
	"strings"

	"github.com/thinformer/thinformer/internal/wire"
)

// identity is the comparable key of a view.
type identity struct {
	client    *Client
	info      ResourceInfo
	namespace string
	t         reflect.Type
	options   wire.Options
}

// Identity returns a comparable value that is equal for two views of the same
// objects: the same resource of the same Client, in the same namespace, as the same
// T, decoded with the same options. A factory uses it as the key of shared
// informers. A [Resource] has the identity of its View.
func (v *View[T]) Identity() any {
	id := identity{client: v.client, info: v.info, namespace: v.namespace, t: reflect.TypeFor[T]()}
	if v.codec != nil {
		id.options = v.codec.Options()
	}
	return id
}

// Host returns the address of the view's server: Config.Host with its scheme, in
// lower case, without the scheme's default port and without a trailing slash. Two
// views with equal Hosts read from one server.
func (v *View[T]) Host() string { return v.client.host() }

func (c *Client) host() string {
	if c == nil {
		return ""
	}
	base := c.conn.Base()
	address := strings.ToLower(base.Host)
	switch base.Scheme {
	case "https":
		address = strings.TrimSuffix(address, ":443")
	case "http":
		address = strings.TrimSuffix(address, ":80")
	}
	return base.Scheme + "://" + address + base.EscapedPath()
}
