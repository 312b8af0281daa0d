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

// Client asks one server. It keeps nothing: each call asks anew.
type Client struct{ rest *rest.Client }

// New makes a Client that sends its requests through client, which stays the
// caller's to close.
func New(client *rest.Client) *Client { return &Client{client} }

// ServerVersion is the version that the server says it has.
func (c *Client) ServerVersion(ctx context.Context) (*version.Info, error) {
	var info version.Info
	if err := c.get(ctx, c.rest.Get().AbsPath("/version"), &info); err != nil {
		return nil, fmt.Errorf("discover the server's version: %w", err)
	}
	if info == (version.Info{}) {
		return nil, errors.New("discover the server's version: the answer has none")
	}
	return &info, nil
}

// ServerGroups are the groups with their versions, in the server's order of
// preference, the core group first.
func (c *Client) ServerGroups(ctx context.Context) (*metav1.APIGroupList, error) {
	all, err := c.groups(ctx)
	if err != nil {
		return nil, fmt.Errorf("discover the server's groups: %w", err)
	}
	list := &metav1.APIGroupList{Groups: all.groups}
	list.Kind, list.APIVersion = groupListKind, "v1"
	return list, nil
}

// ServerResourcesForGroupVersion are the resources of one group version, and
// their subresources, which have names with a slash.
func (c *Client) ServerResourcesForGroupVersion(ctx context.Context, gv schema.GroupVersion) (*metav1.APIResourceList, error) {
	list, err := c.resources(ctx, gv)
	if err != nil {
		return nil, fmt.Errorf("discover the resources of %s: %w", gv, err)
	}
	return list, nil
}

// ServerGroupsAndResources is everything. A [*PartialError] comes with results:
// with all that could be found out.
func (c *Client) ServerGroupsAndResources(ctx context.Context) ([]*metav1.APIGroup, []*metav1.APIResourceList, error) {
	all, err := c.everything(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("discover the server's resources: %w", err)
	}
	groups := make([]*metav1.APIGroup, len(all.groups))
	for i := range all.groups {
		groups[i] = &all.groups[i]
	}
	var lists []*metav1.APIResourceList
	for _, gv := range all.versions() {
		if list := all.resources[gv]; list != nil {
			lists = append(lists, list)
		}
	}
	if partial := all.partial(); partial != nil {
		return groups, lists, partial
	}
	return groups, lists, nil
}
