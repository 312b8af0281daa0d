package rest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sort"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/internal/missing"
)

const (
	// servedTimeout bounds each request for a list.
	servedTimeout = 8 * time.Second
	// unavailableFor is how long a list is not requested again that the server does not
	// have, or that the user may not read.
	unavailableFor = time.Minute
	// maxServedWait bounds the Retry-After of a server.
	maxServedWait = 2 * time.Minute
)

// servedLists is what a server has answered about the resources that it serves. The named
// groups are in one document, with aggregated discovery. Without it, and for the core
// group, each group version has a list.
type servedLists struct {
	groups servedGroups
	// versions has the group versions that were requested.
	versions map[schema.GroupVersion]servedVersion
}

// servedGroups is the answer to /apis. If neither resources nor versions is set, there is
// none.
type servedGroups struct {
	// resources has all resources, with aggregated discovery. tag is the ETag.
	resources map[schema.GroupVersionResource]struct{}
	tag       string
	// versions has the group versions, without aggregated discovery.
	versions map[schema.GroupVersion]struct{}
	// notFound: the server does not have the document.
	notFound  bool
	notBefore time.Time
}

// servedVersion is the answer for a group version.
type servedVersion struct {
	// listing is Listed if there is a list of names, else Unavailable or Unknown.
	listing   missing.Listing
	names     map[string]struct{}
	notBefore time.Time
}

// listing returns what is known about a resource.
func (s *servedLists) listing(r schema.GroupVersionResource) missing.Listing {
	gv := r.GroupVersion()
	if r.Group != "" {
		if s.groups.resources != nil {
			_, listed := s.groups.resources[r]
			return listedIf(listed)
		}
		if s.groups.lacks(gv) {
			return missing.Absent
		}
	}
	version := s.versions[gv]
	if version.listing == missing.Listed {
		_, listed := version.names[r.Resource]
		return listedIf(listed)
	}
	return version.listing
}

func listedIf(listed bool) missing.Listing {
	if listed {
		return missing.Listed
	}
	return missing.Absent
}

// lacks reports whether the group version is not served, as far as the groups show it.
func (g *servedGroups) lacks(gv schema.GroupVersion) bool {
	_, ok := g.versions[gv]
	return g.versions != nil && !ok
}

// ask requests the lists that show whether the resources are served, and calls learned
// after each answer. It returns how long the server has asked to wait. A failure that may
// be temporary changes nothing.
func (s *servedLists) ask(ctx context.Context, client *Client, resources map[schema.GroupVersionResource]struct{}, learned func()) (wait time.Duration) {
	asked := versionsOf(resources)
	for gv := range s.versions {
		if !slices.Contains(asked, gv) {
			delete(s.versions, gv)
		}
	}
	groups, answered := false, false
	for _, gv := range asked { // the core group is the last
		if gv.Group != "" && !groups {
			requested, err := s.askGroups(ctx, client)
			if err != nil {
				return waitOf(err)
			}
			groups, answered = true, requested
			learned()
		}
		inGroups := gv.Group != "" && (s.groups.resources != nil || s.groups.lacks(gv))
		if inGroups || time.Now().Before(s.versions[gv].notBefore) {
			continue
		}
		if err := s.askVersion(ctx, client, gv, answered); err != nil {
			return waitOf(err)
		}
		answered = true
		learned()
	}
	return 0
}

// versionsOf returns the group versions of the resources, sorted, those of the core group
// last.
func versionsOf(resources map[schema.GroupVersionResource]struct{}) []schema.GroupVersion {
	known := map[schema.GroupVersion]struct{}{}
	var all []schema.GroupVersion
	for r := range resources {
		gv := r.GroupVersion()
		if _, ok := known[gv]; !ok {
			known[gv] = struct{}{}
			all = append(all, gv)
		}
	}
	// sort.Slice, because slices.SortFunc links a copy of its algorithm for each type.
	sort.Slice(all, func(i, j int) bool {
		return cmp.Or(cmp.Compare(all[j].Group, all[i].Group), cmp.Compare(all[i].Version, all[j].Version)) < 0
	})
	return all
}

// askGroups requests /apis, unless it was unavailable recently.
func (s *servedLists) askGroups(ctx context.Context, client *Client) (requested bool, err error) {
	if time.Now().Before(s.groups.notBefore) {
		return false, nil
	}
	request := client.Get().AbsPath("apis").SetHeader("Accept", acceptServed)
	body, tag, err := readServed(ctx, request, s.groups.tag)
	if err == nil && body == nil {
		return true, nil // nothing has changed
	}
	groups := servedGroups{tag: tag}
	if err == nil {
		groups.resources, groups.versions, err = decodeServedGroups(body)
	}
	switch {
	case err == nil:
	case mayBeTemporary(err):
		return true, err
	default:
		groups = servedGroups{notFound: apierrors.IsNotFound(err), notBefore: time.Now().Add(unavailableFor)}
	}
	s.groups = groups
	return true, nil
}

// askVersion requests the list of a group version. Its error ends the round. answered: the
// server has answered another request of the round.
func (s *servedLists) askVersion(ctx context.Context, client *Client, gv schema.GroupVersion, answered bool) error {
	request := client.Get().bindGroupVersion(gv).SetHeader("Accept", "application/json")
	body, _, err := readServed(ctx, request, "")
	version := servedVersion{listing: missing.Listed}
	if err == nil {
		version.names, err = decodeServedVersion(body)
	}
	switch {
	case err == nil, apierrors.IsNotFound(err) && !s.groups.notFound:
	case apierrors.IsTooManyRequests(err), ctx.Err() != nil:
		return err
	case !mayBeTemporary(err):
		version = servedVersion{listing: missing.Unavailable, notBefore: time.Now().Add(unavailableFor)}
	case isNoStatus(err):
		if answered { // only this list is slow, and would delay the others
			s.setVersion(gv, servedVersion{notBefore: time.Now().Add(unavailableFor)})
		}
		return err
	default:
		version = servedVersion{notBefore: time.Now().Add(waitOf(err))}
	}
	s.setVersion(gv, version)
	return nil
}

func (s *servedLists) setVersion(gv schema.GroupVersion, version servedVersion) {
	if s.versions == nil {
		s.versions = map[schema.GroupVersion]servedVersion{}
	}
	s.versions[gv] = version
}

// readServed sends a request for a list once. It returns no body if the list with the
// given ETag is current.
func readServed(ctx context.Context, request *Request, tag string) (body []byte, newTag string, err error) {
	ctx, cancel := context.WithTimeout(ctx, servedTimeout)
	defer cancel()
	if request.MaxRetries(0); tag != "" {
		request.SetHeader("If-None-Match", tag)
	}
	response, err := request.open(ctx, false)
	if response != nil && response.StatusCode == http.StatusNotModified && tag != "" {
		return nil, tag, nil
	}
	if err != nil {
		return nil, "", err
	}
	defer response.Body.Close()
	if body, err = request.readAll(response); err != nil {
		return nil, "", fmt.Errorf("list the served resources: %w", err)
	}
	return body, response.Header.Get("ETag"), nil
}

// mayBeTemporary reports whether the same request may succeed soon. The other failures are
// those of a server without the list, and of a user without the permission to read it.
func mayBeTemporary(err error) bool {
	if isNoStatus(err) {
		return !errors.Is(err, errNoServedList)
	}
	code := statusCode(err)
	return code == http.StatusUnauthorized || code == http.StatusRequestTimeout || code == http.StatusTooManyRequests || code >= 500
}

// isNoStatus reports whether the error is not the response of a server.
func isNoStatus(err error) bool { return statusCode(err) == 0 }

func statusCode(err error) int32 {
	if status := apierrors.APIStatus(nil); errors.As(err, &status) {
		return status.Status().Code
	}
	return 0
}

// waitOf returns how long the server has asked to wait, which is not 0 for a 429.
func waitOf(err error) (wait time.Duration) {
	if apierrors.IsTooManyRequests(err) {
		wait = missing.Interval
	}
	if seconds, ok := apierrors.SuggestsClientDelay(err); ok {
		wait = max(wait, min(time.Duration(seconds)*time.Second, maxServedWait))
	}
	return wait
}
