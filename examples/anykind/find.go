package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/rest/discovery"
)

// find returns the resource with a name. It must be one that can be watched.
func find(ctx context.Context, mapper *discovery.Mapper, name string) (discovery.Resource, error) {
	found, err := mapper.ForResource(ctx, name)
	var none *discovery.NoMatchError
	switch {
	case errors.As(err, &none):
		all, _ := mapper.Resources(ctx) // the list may be incomplete; err says so
		if near := nearest(name, all); len(near) > 0 {
			return found, fmt.Errorf("%w: did you mean %s?", err, strings.Join(near, ", or "))
		}
		return found, err
	case err != nil:
		return found, err
	case !watchable(found):
		return found, fmt.Errorf("%s cannot be watched: the server can only %s them", fullName(found), strings.Join(found.Verbs, ", "))
	}
	return found, nil
}

func watchable(r discovery.Resource) bool {
	return slices.Contains(r.Verbs, "list") && slices.Contains(r.Verbs, "watch")
}

func fullName(r discovery.Resource) string { return r.GroupResource().String() }

// nearest returns at most three resources whose names are most similar to the wanted one.
func nearest(wanted string, all []discovery.Resource) []string {
	type near struct {
		name     string
		distance int
	}
	wanted, _, _ = strings.Cut(strings.ToLower(wanted), ".")
	limit := len(wanted) / 3 // number of letters that may differ
	var found []near
	seen := map[schema.GroupResource]bool{}
	for _, r := range all {
		if seen[r.GroupResource()] || !watchable(r) {
			continue // another version
		}
		seen[r.GroupResource()] = true
		name := fullName(r)
		if len(r.ShortNames) > 0 {
			name += " (" + strings.Join(r.ShortNames, ", ") + ")"
		}
		best := limit + 1
		for _, candidate := range append([]string{r.Resource, r.SingularName, strings.ToLower(r.Kind)}, r.ShortNames...) {
			best = min(best, distance(wanted, candidate))
			if strings.HasPrefix(candidate, wanted) {
				best = min(best, 1)
			}
		}
		if best <= limit {
			found = append(found, near{name, best})
		}
	}
	slices.SortStableFunc(found, func(a, b near) int { return cmp.Compare(a.distance, b.distance) })
	var names []string
	for _, n := range found[:min(len(found), 3)] {
		names = append(names, n.name)
	}
	return names
}

// distance returns how many letters have to be inserted, removed or changed to turn a
// into b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			same := diagonal
			if a[i] != b[j] {
				same++
			}
			diagonal = row[j+1]
			row[j+1] = min(same, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
