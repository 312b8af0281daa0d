package discovery

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// ErrStale is why a group version has failed of which the server knows only
// what it was: the extension server behind it does not answer.
var ErrStale = errors.New("the server behind it does not answer, and what is known of it is stale")

// PartialError comes with results that lack some group versions.
type PartialError struct {
	// Failed has the error of each.
	Failed map[schema.GroupVersion]error
}

// mostNamed group versions are named in an error's text; all are in Failed.
const mostNamed = 5

func (e *PartialError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "discovery has failed for %d group versions", len(e.Failed))
	for i, gv := range e.sorted() {
		if i == mostNamed {
			fmt.Fprintf(&b, "; and %d more", len(e.Failed)-mostNamed)
			break
		}
		separator := ": "
		if i > 0 {
			separator = "; "
		}
		fmt.Fprintf(&b, "%s%s: %v", separator, cut(gv.String()), e.Failed[gv])
	}
	return b.String()
}

// Unwrap are the errors of the group versions, in the order of their names.
func (e *PartialError) Unwrap() []error {
	var all []error
	for _, gv := range e.sorted() {
		all = append(all, e.Failed[gv])
	}
	return all
}

func (e *PartialError) sorted() []schema.GroupVersion {
	return slices.SortedFunc(maps.Keys(e.Failed), func(a, b schema.GroupVersion) int {
		return strings.Compare(a.String(), b.String())
	})
}

// NoMatchError says that the server has no such resource, as far as it could be
// asked. If all of it could be asked, meta.IsNoMatchError knows it as well.
type NoMatchError struct {
	// Asked is what was looked for.
	Asked string
	// Partial names the group versions that it may be in all the same, as they
	// could not be asked; nil if there are none.
	Partial *PartialError
	// Err is why the server could not be asked again after the miss; nil if it
	// could, or had been just before.
	Err error

	none error // what apimachinery calls it
}

func (e *NoMatchError) Error() string {
	text := "the server has no " + e.Asked
	if e.Partial != nil {
		text += ", or it is in a group that could not be asked: " + e.Partial.Error()
	}
	if e.Err != nil {
		text += ", or it is new, and the server could not be asked again: " + e.Err.Error()
	}
	return text
}

// Unwrap is what kept it from being certain, or, if nothing did, apimachinery's
// *meta.NoKindMatchError or *meta.NoResourceMatchError.
func (e *NoMatchError) Unwrap() []error {
	if e.Partial == nil && e.Err == nil && e.none != nil {
		return []error{e.none}
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
