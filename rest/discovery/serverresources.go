package discovery

import (
	"context"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/rest"
)

// The kinds of responses.
const (
	versionsKind     = "APIVersions"           // of /api
	groupListKind    = "APIGroupList"          // of /apis
	aggregatedKind   = "APIGroupDiscoveryList" // of both, with aggregated discovery
	resourceListKind = "APIResourceList"       // of a group version
)

const (
	acceptAggregated     = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"
	aggregatedAPIVersion = "apidiscovery.k8s.io/v2"
)

const (
	// maxResponseSize limits one response. A cluster with a thousand custom
	// resources needs about a tenth.
	maxResponseSize = 16 << 20
	// maxGroupVersions limits the group versions, since each may need a request.
	maxGroupVersions = 5000
)

// serverResources collects the groups and resources of a server, and the errors of
// the group versions that failed.
type serverResources struct {
	groups    []metav1.APIGroup
	resources map[schema.GroupVersion]*metav1.APIResourceList
	failed    map[schema.GroupVersion]error
}

// versions returns all group versions in the order of their groups, without
// duplicates.
func (s *serverResources) versions() []schema.GroupVersion {
	var result []schema.GroupVersion
	seen := map[schema.GroupVersion]bool{}
	for _, group := range s.groups {
		for _, version := range group.Versions {
			gv := schema.GroupVersion{Group: group.Name, Version: version.Version}
			if !seen[gv] {
				seen[gv] = true
				result = append(result, gv)
			}
		}
	}
	return result
}

func (s *serverResources) partial() *PartialError {
	if len(s.failed) == 0 {
		return nil
	}
	return &PartialError{Failed: s.failed}
}

// rootResponse is the response of /api or /apis. It has one of three kinds.
type rootResponse struct {
	metav1.TypeMeta
	Versions []string          `json:"versions"` // APIVersions
	Groups   []metav1.APIGroup `json:"groups"`   // APIGroupList
	Items    []aggregatedGroup `json:"items"`    // APIGroupDiscoveryList
}

// fetchGroups requests the groups, the core group first, and their resources if the
// server supports aggregated discovery.
func (c *Client) fetchGroups(ctx context.Context) (*serverResources, error) {
	result := &serverResources{resources: map[schema.GroupVersion]*metav1.APIResourceList{}, failed: map[schema.GroupVersion]error{}}
	for _, root := range [...]struct{ path, kind string }{{"/api", versionsKind}, {"/apis", groupListKind}} {
		var response rootResponse
		err := c.getJSON(ctx, c.client.Get().AbsPath(root.path).SetHeader("Accept", acceptAggregated), &response)
		if apierrors.IsNotFound(err) {
			continue // a server may serve only one of the two
		}
		if err != nil {
			return nil, err
		}
		if err := result.add(&response, root.kind); err != nil {
			return nil, fmt.Errorf("GET %s: %w", root.path, err)
		}
	}
	if n := len(result.versions()); n > maxGroupVersions {
		return nil, fmt.Errorf("the server has %d group versions, more than %d", n, maxGroupVersions)
	}
	return result, nil
}

// add adds one response, which must have the kind want or be aggregated.
func (s *serverResources) add(response *rootResponse, want string) error {
	switch {
	case response.Kind == aggregatedKind && response.APIVersion == aggregatedAPIVersion:
		for _, group := range response.Items {
			s.addAggregated(group)
		}
	case response.Kind == versionsKind && want == versionsKind:
		if len(response.Versions) > 0 {
			s.addGroup(coreGroup(response.Versions))
		}
	case response.Kind == groupListKind && want == groupListKind:
		for _, group := range response.Groups {
			s.addGroup(group)
		}
	default:
		return fmt.Errorf("the response has the kind %q and the apiVersion %q: want the kind %s or %s", truncate(response.Kind), truncate(response.APIVersion), want, aggregatedKind)
	}
	return nil
}

func coreGroup(versions []string) metav1.APIGroup {
	var group metav1.APIGroup
	for _, version := range versions {
		group.Versions = append(group.Versions, metav1.GroupVersionForDiscovery{GroupVersion: version, Version: version})
	}
	return group
}

// addGroup adds a group. If the group has no preferred version, the first is
// preferred.
func (s *serverResources) addGroup(group metav1.APIGroup) {
	if group.PreferredVersion.Version == "" && len(group.Versions) > 0 {
		group.PreferredVersion = group.Versions[0]
	}
	s.groups = append(s.groups, group)
}

// isPathSegment reports whether s is a single path segment that needs no escaping,
// so that it cannot lead to another path.
func isPathSegment(s string) bool {
	return s != "" && s != "." && s != ".." && !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || slices.Contains([]rune(`/%?#\`), r)
	})
}

// fetchResources requests the resources of one group version.
func (c *Client) fetchResources(ctx context.Context, gv schema.GroupVersion) (*metav1.APIResourceList, error) {
	if !isPathSegment(gv.Version) || gv.Group != "" && !isPathSegment(gv.Group) {
		return nil, fmt.Errorf("invalid group version: version %q, group %q", truncate(gv.Version), truncate(gv.Group))
	}
	list := &metav1.APIResourceList{}
	if err := c.getJSON(ctx, c.client.GroupVersion(gv).Get().SetHeader("Accept", "application/json"), list); err != nil {
		return nil, err
	}
	if list.Kind != resourceListKind {
		return nil, fmt.Errorf("the response has the kind %q and the apiVersion %q: want the kind %s", truncate(list.Kind), truncate(list.APIVersion), resourceListKind)
	}
	if list.GroupVersion != gv.String() {
		return nil, fmt.Errorf("the response is for the group version %q", truncate(list.GroupVersion))
	}
	return list, nil
}

// getJSON sends a request and decodes its response, which must be JSON.
func (c *Client) getJSON(ctx context.Context, request *rest.Request, into any) error {
	result := request.Do(ctx)
	body, err := result.Raw()
	if err != nil {
		return err
	}
	if len(body) > maxResponseSize {
		return fmt.Errorf("GET %s: the response has %d bytes, more than %d", request.URL().Path, len(body), maxResponseSize)
	}
	return result.Into(into)
}

// truncate shortens a text from the server for use in an error message.
func truncate(text string) string {
	if len(text) > 100 {
		return text[:100] + "…"
	}
	return text
}
