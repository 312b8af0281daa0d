package clustertest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/examples/internal/cluster"
)

// Restricted is a server on which an example is installed. It permits exactly what the
// example's rbac.yaml grants.
type Restricted struct {
	Server *apitest.Server
	// Kubeconfig is for a user with these permissions.
	Kubeconfig string

	mu     sync.Mutex
	rights []right
}

// right is the permission for one verb on one resource.
type right struct {
	namespace             string // "": everywhere
	group, resource, verb string
	names                 []string // nil: all
	used                  bool
}

func (r right) String() string { return fmt.Sprintf("%s %s.%s", r.verb, r.resource, r.group) }

// NewRestricted starts a server, which is closed after the test, and installs
// the two files, either of which may be nil.
func NewRestricted(t testing.TB, crd, rbac []byte) *Restricted {
	t.Helper()
	r := &Restricted{rights: rightsIn(t, rbac)}
	const admin, restricted = "admin", "restricted"
	r.Server = apitest.NewServer(apitest.Options{
		Tokens: map[string]apitest.User{
			admin:      {Name: admin, Groups: []string{"system:masters"}},
			restricted: {Name: restricted},
		},
		Authorize: func(a apitest.Attributes) (bool, string) {
			return a.User.Name != restricted || a.Resource == "" || r.may(a), ""
		},
	})
	t.Cleanup(r.Server.Close)
	c, err := cluster.Open(t.Context(), cluster.Flags{Kubeconfig: kubeconfigOf(t, r.Server, admin), Install: true}, cluster.Options{CRD: crd, RBAC: rbac})
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	r.Kubeconfig = kubeconfigOf(t, r.Server, restricted)
	return r
}

// Unused returns the permissions that were not used. The permission to list is needed with
// watch, even if the server was not asked for a list: not every server can send the
// initial state in a watch.
func (r *Restricted) Unused() (unused []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, permission := range r.rights {
		watched := slices.ContainsFunc(r.rights, func(other right) bool {
			return permission.verb == "list" && other.verb == "watch" && other.resource == permission.resource && other.group == permission.group && other.used
		})
		if !permission.used && !watched {
			unused = append(unused, permission.String())
		}
	}
	return unused
}

func (r *Restricted) may(a apitest.Attributes) bool {
	resource := a.Resource
	if a.Subresource != "" {
		resource += "/" + a.Subresource
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.rights {
		permission := &r.rights[i]
		if permission.group == a.Group && permission.resource == resource && permission.verb == a.Verb &&
			(permission.namespace == "" || permission.namespace == a.Namespace) &&
			(permission.names == nil || slices.Contains(permission.names, a.Name)) {
			permission.used = true
			return true
		}
	}
	return false
}

// grant is a role or a binding.
type grant struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Rules             []struct{ APIGroups, Resources, Verbs, ResourceNames []string }
	RoleRef           struct{ Kind, Name string }
}

// rightsIn returns the permissions that the bindings in a file grant.
func rightsIn(t testing.TB, file []byte) (rights []right) {
	t.Helper()
	var all []grant
	documents := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(file), 1024)
	for {
		var g grant
		if err := documents.Decode(&g); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, g)
	}
	for _, binding := range all {
		for _, role := range all {
			if binding.RoleRef.Name != role.Name || binding.RoleRef.Kind != role.Kind || role.Namespace != "" && role.Namespace != binding.Namespace {
				continue
			}
			for _, rule := range role.Rules {
				for _, group := range rule.APIGroups {
					for _, resource := range rule.Resources {
						for _, verb := range rule.Verbs {
							rights = append(rights, right{namespace: binding.Namespace, group: group, resource: resource, verb: verb, names: rule.ResourceNames})
						}
					}
				}
			}
		}
	}
	return rights
}
