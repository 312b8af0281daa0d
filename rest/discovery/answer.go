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

// The kinds of answers.
const (
	versionsKind     = "APIVersions"           // of /api
	groupListKind    = "APIGroupList"          // of /apis
	aggregatedKind   = "APIGroupDiscoveryList" // of both, if the server can
	resourceListKind = "APIResourceList"       // of a group version
)

const (
	acceptAggregated  = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"
	aggregatedVersion = "apidiscovery.k8s.io/v2"
)

const (
	// maxAnswer bounds one answer. A cluster with a thousand custom resources
	// has about a tenth.
	maxAnswer = 16 << 20
	// maxVersions bounds the group versions, each of which may have to be asked
	// for.
	maxVersions = 5000
)

// answers are what the server has said so far.
type answers struct {
	groups    []metav1.APIGroup
	resources map[schema.GroupVersion]*metav1.APIResourceList
	failed    map[schema.GroupVersion]error
}

// versions are all group versions in the order of their groups, each once.
func (a *answers) versions() []schema.GroupVersion {
	var all []schema.GroupVersion
	seen := map[schema.GroupVersion]bool{}
	for _, group := range a.groups {
		for _, version := range group.Versions {
			gv := schema.GroupVersion{Group: group.Name, Version: version.Version}
			if !seen[gv] {
				seen[gv] = true
				all = append(all, gv)
			}
		}
	}
	return all
}

func (a *answers) partial() *PartialError {
	if len(a.failed) == 0 {
		return nil
	}
	return &PartialError{Failed: a.failed}
}

// root is the answer of /api or /apis, whichever of three kinds it has.
type root struct {
	metav1.TypeMeta
	Versions []string          `json:"versions"` // APIVersions
	Groups   []metav1.APIGroup `json:"groups"`   // APIGroupList
	Items    []aggregatedGroup `json:"items"`    // APIGroupDiscoveryList
}

// groups asks for the groups, core first, and takes their resources along where the server
// gives them as well.
func (c *Client) groups(ctx context.Context) (*answers, error) {
	all := &answers{resources: map[schema.GroupVersion]*metav1.APIResourceList{}, failed: map[schema.GroupVersion]error{}}
	for _, from := range [...]struct{ path, kind string }{{"/api", versionsKind}, {"/apis", groupListKind}} {
		var answer root
		err := c.get(ctx, c.rest.Get().AbsPath(from.path).SetHeader("Accept", acceptAggregated), &answer)
		if apierrors.IsNotFound(err) {
			continue // a server may well have one of them only
		}
		if err != nil {
			return nil, err
		}
		if err := all.add(&answer, from.kind); err != nil {
			return nil, fmt.Errorf("GET %s: %w", from.path, err)
		}
	}
	if n := len(all.versions()); n > maxVersions {
		return nil, fmt.Errorf("the server names %d group versions, more than %d", n, maxVersions)
	}
	return all, nil
}

// add takes in one answer, which has the kind wanted or is aggregated.
func (a *answers) add(answer *root, want string) error {
	switch {
	case answer.Kind == aggregatedKind && answer.APIVersion == aggregatedVersion:
		for _, group := range answer.Items {
			a.addAggregated(group)
		}
	case answer.Kind == versionsKind && want == versionsKind:
		if len(answer.Versions) > 0 {
			a.addGroup(coreGroup(answer.Versions))
		}
	case answer.Kind == groupListKind && want == groupListKind:
		for _, group := range answer.Groups {
			a.addGroup(group)
		}
	default:
		return fmt.Errorf("the answer is not of the kind %s or %s, but %q of %q", want, aggregatedKind, cut(answer.Kind), cut(answer.APIVersion))
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

// addGroup takes in a group; of one that prefers no version the first is meant.
func (a *answers) addGroup(group metav1.APIGroup) {
	if group.PreferredVersion.Version == "" && len(group.Versions) > 0 {
		group.PreferredVersion = group.Versions[0]
	}
	a.groups = append(a.groups, group)
}

// isSegment is whether a name leads to no other path than its own.
func isSegment(s string) bool {
	return s != "" && s != "." && s != ".." && !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || slices.Contains([]rune(`/%?#\`), r)
	})
}

// resources asks for one group version.
func (c *Client) resources(ctx context.Context, gv schema.GroupVersion) (*metav1.APIResourceList, error) {
	if !isSegment(gv.Version) || gv.Group != "" && !isSegment(gv.Group) {
		return nil, fmt.Errorf("%q of %q is not a group version that could be asked for", cut(gv.Version), cut(gv.Group))
	}
	list := &metav1.APIResourceList{}
	if err := c.get(ctx, c.rest.GroupVersion(gv).Get().SetHeader("Accept", "application/json"), list); err != nil {
		return nil, err
	}
	if list.Kind != resourceListKind {
		return nil, fmt.Errorf("the answer is not of the kind %s, but %q of %q", resourceListKind, cut(list.Kind), cut(list.APIVersion))
	}
	if list.GroupVersion != gv.String() {
		return nil, fmt.Errorf("the answer is about %q", cut(list.GroupVersion))
	}
	return list, nil
}

// get sends a request and decodes its answer, which must be JSON.
func (c *Client) get(ctx context.Context, request *rest.Request, into any) error {
	result := request.Do(ctx)
	body, err := result.Raw()
	if err != nil {
		return err
	}
	if len(body) > maxAnswer {
		return fmt.Errorf("GET %s: the answer has %d bytes, more than %d", request.URL().Path, len(body), maxAnswer)
	}
	return result.Into(into)
}

// cut keeps what a server says from filling an error.
func cut(text string) string {
	if len(text) > 100 {
		return text[:100] + "…"
	}
	return text
}
