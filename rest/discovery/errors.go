package discovery

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// ErrStale is the error of a group version that the server reports as stale: its
// extension server does not respond, and the server has only an old list of its
// resources.
var ErrStale = errors.New("the extension server does not respond, and its resource list is stale")

// PartialError is returned together with results that lack some group versions.
type PartialError struct {
	// Failed holds the error of each missing group version.
	Failed map[schema.GroupVersion]error
}

// maxNamedFailures limits the group versions in an error message; Failed holds all.
const maxNamedFailures = 5

func (e *PartialError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "discovery failed for %d group versions", len(e.Failed))
	for i, gv := range e.groupVersions() {
		if i == maxNamedFailures {
			fmt.Fprintf(&b, "; and %d more", len(e.Failed)-maxNamedFailures)
			break
		}
		separator := ": "
		if i > 0 {
			separator = "; "
		}
		fmt.Fprintf(&b, "%s%s: %v", separator, truncate(gv.String()), e.Failed[gv])
	}
	return b.String()
}

// Unwrap returns the errors of the group versions, in the order of their names.
func (e *PartialError) Unwrap() []error {
	var all []error
	for _, gv := range e.groupVersions() {
		all = append(all, e.Failed[gv])
	}
	return all
}

func (e *PartialError) groupVersions() []schema.GroupVersion {
	return slices.SortedFunc(maps.Keys(e.Failed), func(a, b schema.GroupVersion) int {
		return strings.Compare(a.String(), b.String())
	})
}

// NoMatchError reports that no discovered resource matches. If discovery was
// complete, meta.IsNoMatchError reports true for it.
type NoMatchError struct {
	// Query describes the kind or name that was looked up.
	Query string
	// Partial holds the group versions that could not be discovered and that may
	// contain the resource; nil if there are none.
	Partial *PartialError
	// Err is the error of the refresh after the miss; nil if the refresh succeeded
	// or was not due.
	Err error

	noMatch error // the error of apimachinery for it
}

func (e *NoMatchError) Error() string {
	text := "the server has no " + e.Query
	if e.Partial != nil {
		text += ", or it is in a group version that could not be discovered: " + e.Partial.Error()
	}
	if e.Err != nil {
		text += ", or it is new and discovery could not be repeated: " + e.Err.Error()
	}
	return text
}

// Unwrap returns Partial and Err, or, if both are nil, a *meta.NoKindMatchError or
// *meta.NoResourceMatchError.
func (e *NoMatchError) Unwrap() []error {
	if e.Partial == nil && e.Err == nil && e.noMatch != nil {
		return []error{e.noMatch}
	}
	var all []error
	if e.Partial != nil {
		all = append(all, e.Partial)
	}
	if e.Err != nil {
		all = append(all, e.Err)
	}
	return all
}
