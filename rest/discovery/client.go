package discovery

import (
	"context"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"

	"github.com/thinformer/thinformer/rest"
)

// Client discovers the API of one server. It has no cache: each call sends
// requests.
type Client struct{ client *rest.Client }

// NewClient returns a Client that sends its requests through client. The caller remains
// responsible for closing client.
func NewClient(client *rest.Client) *Client { return &Client{client} }

// ServerVersion returns the version that the server reports.
func (c *Client) ServerVersion(ctx context.Context) (*version.Info, error) {
	var info version.Info
	if err := c.getJSON(ctx, c.client.Get().AbsPath("/version"), &info); err != nil {
		return nil, fmt.Errorf("discover the server's version: %w", err)
	}
	if info == (version.Info{}) {
		return nil, errors.New("discover the server's version: the response has no version")
	}
	return &info, nil
}

// ServerGroups returns the groups with their versions, in the server's order of
// preference, the core group first.
func (c *Client) ServerGroups(ctx context.Context) (*metav1.APIGroupList, error) {
	result, err := c.fetchGroups(ctx)
	if err != nil {
		return nil, fmt.Errorf("discover the server's groups: %w", err)
	}
	list := &metav1.APIGroupList{Groups: result.groups}
	list.Kind, list.APIVersion = groupListKind, "v1"
	return list, nil
}

// ServerResourcesForGroupVersion returns the resources of one group version and
// their subresources, whose names contain a slash.
func (c *Client) ServerResourcesForGroupVersion(ctx context.Context, gv schema.GroupVersion) (*metav1.APIResourceList, error) {
	list, err := c.fetchResources(ctx, gv)
	if err != nil {
		return nil, fmt.Errorf("discover the resources of %s: %w", gv, err)
	}
	return list, nil
}

// ServerGroupsAndResources returns all groups and resources. With a
// [*PartialError] it also returns the results of the group versions that have not
// failed.
func (c *Client) ServerGroupsAndResources(ctx context.Context) ([]*metav1.APIGroup, []*metav1.APIResourceList, error) {
	result, err := c.fetchAll(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("discover the server's resources: %w", err)
	}
	groups := make([]*metav1.APIGroup, len(result.groups))
	for i := range result.groups {
		groups[i] = &result.groups[i]
	}
	var lists []*metav1.APIResourceList
	for _, gv := range result.versions() {
		if list := result.resources[gv]; list != nil {
			lists = append(lists, list)
		}
	}
	if partial := result.partial(); partial != nil {
		return groups, lists, partial
	}
	return groups, lists, nil
}
