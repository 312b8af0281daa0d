package rest

import (
	"encoding/json"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// acceptServed requests the aggregated discovery of Kubernetes 1.27 and later: all groups,
// versions and resources in one response. Other servers list the groups with their
// versions. rest/discovery requests the same.
const acceptServed = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList," +
	"application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList," +
	"application/json"

// errNoServedList is the error of a response that is not a list of served resources.
var errNoServedList = errors.New("decode the served resources")

// decodeServedGroups decodes the response to /apis: the resources of an
// APIGroupDiscoveryList, or the group versions of an APIGroupList. The names are copied by
// the decoder, so that the result does not retain the response.
func decodeServedGroups(body []byte) (resources map[schema.GroupVersionResource]struct{}, versions map[schema.GroupVersion]struct{}, err error) {
	var list struct {
		Kind  string `json:"kind"`
		Items []struct {
			Metadata struct {
				Name string `json:"name"`
			} `json:"metadata"`
			Versions []struct {
				Version   string `json:"version"`
				Resources []struct {
					Resource string `json:"resource"`
				} `json:"resources"`
			} `json:"versions"`
		} `json:"items"`
		Groups []struct {
			Name     string `json:"name"`
			Versions []struct {
				Version string `json:"version"`
			} `json:"versions"`
		} `json:"groups"`
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", errNoServedList, err)
	}
	switch list.Kind {
	case "APIGroupDiscoveryList":
		resources = map[schema.GroupVersionResource]struct{}{}
		for _, group := range list.Items {
			for _, version := range group.Versions {
				for _, r := range version.Resources {
					resources[schema.GroupVersionResource{Group: group.Metadata.Name, Version: version.Version, Resource: r.Resource}] = struct{}{}
				}
			}
		}
		return resources, nil, nil
	case "APIGroupList":
		versions = map[schema.GroupVersion]struct{}{}
		for _, group := range list.Groups {
			for _, version := range group.Versions {
				versions[schema.GroupVersion{Group: group.Name, Version: version.Version}] = struct{}{}
			}
		}
		return nil, versions, nil
	}
	return nil, nil, fmt.Errorf("%w: the kind is %q", errNoServedList, list.Kind)
}

// decodeServedVersion decodes the names of an APIResourceList.
func decodeServedVersion(body []byte) (map[string]struct{}, error) {
	var list struct {
		Kind      string `json:"kind"`
		Resources []struct {
			Name string `json:"name"`
		} `json:"resources"`
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, fmt.Errorf("%w: %w", errNoServedList, err)
	}
	if list.Kind != "APIResourceList" {
		return nil, fmt.Errorf("%w: the kind is %q", errNoServedList, list.Kind)
	}
	names := make(map[string]struct{}, len(list.Resources))
	for _, r := range list.Resources {
		names[r.Name] = struct{}{}
	}
	return names, nil
}
