package storage

import (
	"fmt"
	"slices"
	"strings"
)

// referenceStore is a reference implementation of a store: it keeps every
// state, and lists by searching all of them.
type referenceStore struct {
	limit     int
	version   uint64
	compacted uint64
	tables    map[string]*referenceTable
	drops     map[string]uint64 // the version at which a table of the name was last dropped
}

type referenceTable struct {
	steps     []referenceStep // all steps, oldest first
	unknown   uint64          // versions before this one are not known
	createdAt uint64          // followers cannot start before this version
	isDropped bool            // dropped; its followers can still read its history
}

// referenceStep is a change; value is empty for a deletion.
type referenceStep struct {
	version uint64
	key     Key
	value   string
}

func (s *referenceStore) step(table *referenceTable, k Key, value string) {
	s.version++
	table.steps = append(table.steps, referenceStep{s.version, k, value})
}

// state returns the table at a version.
func (t *referenceTable) state(version uint64) map[Key]referenceStep {
	state := map[Key]referenceStep{}
	for _, step := range t.steps {
		switch {
		case step.version > version:
		case step.value == "":
			delete(state, step.key)
		default:
			state[step.key] = step
		}
	}
	return state
}

// after returns the changes after a version.
func (t *referenceTable) after(version uint64) []referenceStep {
	for i, step := range t.steps {
		if step.version > version {
			return t.steps[i:]
		}
	}
	return nil
}

// dropped returns the version of the newest unknown change. A compaction does
// not affect existing followers.
func (s *referenceStore) dropped(t *referenceTable) uint64 {
	dropped := t.unknown
	if t.isDropped {
		return dropped
	}
	for i, step := range t.steps {
		if s.limit >= 0 && i < len(t.steps)-s.limit {
			dropped = max(dropped, step.version)
		}
	}
	return dropped
}

func (s *referenceStore) oldest(t *referenceTable) uint64 { return max(s.compacted, s.dropped(t)) }

// list returns a span as text, with the remaining number and the version.
func (s *referenceStore) list(t *referenceTable, listed span) string {
	at := listed.at
	switch {
	case at == 0:
		at = s.version
	case at > s.version:
		return TooNew{at, s.version}.Error()
	case at < s.oldest(t) && at != s.version:
		return TooOld{at, s.oldest(t)}.Error()
	}
	path := func(k Key) string { return k.Namespace + "/" + k.Name }
	var found []referenceStep
	for k, step := range t.state(at) {
		if (listed.namespace == "" || k.Namespace == listed.namespace) && (listed.after == nil || path(k) > path(*listed.after)) {
			found = append(found, step)
		}
	}
	slices.SortFunc(found, func(a, b referenceStep) int { return strings.Compare(path(a.key), path(b.key)) })
	left := 0
	if listed.limit > 0 && len(found) > listed.limit {
		left, found = len(found)-listed.limit, found[:listed.limit]
	}
	var text strings.Builder
	for _, step := range found {
		fmt.Fprintf(&text, "%s=%s@%d ", path(step.key), step.value, step.version)
	}
	fmt.Fprintf(&text, "and %d more at %d", left, at)
	return text.String()
}

// span is the requested part of a table.
type span struct {
	namespace string // "" is all namespaces
	after     *Key   // excludes keys up to this one
	at        uint64 // the version; 0 is the current one
	limit     int    // 0 is unlimited
}

// list returns the records of a span in order, the number of records beyond the
// limit, and the version of the table. It fails with TooOld and TooNew.
func (t *Table) list(listed span) (found []*Record, left int, at uint64, err error) {
	past, err := t.At(listed.at)
	if err != nil {
		return nil, 0, 0, err
	}
	for r := range past.Records(listed.namespace, listed.after, true) {
		if listed.limit > 0 && len(found) == listed.limit {
			left++
		} else {
			found = append(found, r)
		}
	}
	return found, left, past.Version, nil
}
