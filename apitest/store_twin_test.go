package apitest

import (
	"fmt"
	"slices"
	"strings"
)

// twinStore is what a store promises, written down the dumbest way: every state
// that ever was, and lists by looking through all of them.
type twinStore struct {
	limit     int
	version   uint64
	compacted uint64
	tables    map[string]*twinTable
	drops     map[string]uint64 // when a table of that name was dropped last
}

type twinTable struct {
	steps   []twinStep // all there ever were, oldest first
	unknown uint64     // nothing from up to this version can be asked for
	born    uint64     // the version at which it was made: nobody can follow from before
	dead    bool       // dropped: what is known of it stays known to who reads it
}

// twinStep is a change; value is empty for a deletion.
type twinStep struct {
	version uint64
	key     key
	value   string
}

func (s *twinStore) step(table *twinTable, k key, value string) {
	s.version++
	table.steps = append(table.steps, twinStep{s.version, k, value})
}

// state is the table at a version.
func (t *twinTable) state(version uint64) map[key]twinStep {
	state := map[key]twinStep{}
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

// after is the changes after a version.
func (t *twinTable) after(version uint64) []twinStep {
	for i, step := range t.steps {
		if step.version > version {
			return t.steps[i:]
		}
	}
	return nil
}

// dropped is the newest change of which nothing is known: a compaction takes
// nothing from those who follow already.
func (s *twinStore) dropped(t *twinTable) uint64 {
	dropped := t.unknown
	if t.dead {
		return dropped
	}
	for i, step := range t.steps {
		if s.limit >= 0 && i < len(t.steps)-s.limit {
			dropped = max(dropped, step.version)
		}
	}
	return dropped
}

func (s *twinStore) oldest(t *twinTable) uint64 { return max(s.compacted, s.dropped(t)) }

// list is a span as text, with what is left and the version.
func (s *twinStore) list(t *twinTable, of span) string {
	at := of.at
	switch {
	case at == 0:
		at = s.version
	case at > s.version:
		return tooNew{at, s.version}.Error()
	case at < s.oldest(t) && at != s.version:
		return tooOld{at, s.oldest(t)}.Error()
	}
	path := func(k key) string { return k.namespace + "/" + k.name }
	var found []twinStep
	for k, step := range t.state(at) {
		if (of.namespace == "" || k.namespace == of.namespace) && (of.after == nil || path(k) > path(*of.after)) {
			found = append(found, step)
		}
	}
	slices.SortFunc(found, func(a, b twinStep) int { return strings.Compare(path(a.key), path(b.key)) })
	left := 0
	if of.limit > 0 && len(found) > of.limit {
		left, found = len(found)-of.limit, found[:of.limit]
	}
	var text strings.Builder
	for _, step := range found {
		fmt.Fprintf(&text, "%s=%s@%d ", path(step.key), step.value, step.version)
	}
	fmt.Fprintf(&text, "and %d more at %d", left, at)
	return text.String()
}

// span is which part of a table is asked for.
type span struct {
	namespace string // "" is all
	after     *key   // only what comes after it in order
	at        uint64 // the version; 0 is the present
	limit     int    // 0 is none
}

// list is the records of a span in order, how many follow beyond the limit, and
// the version at which this was so. It fails with tooOld and tooNew.
func (t *table) list(of span) (found []*record, left int, at uint64, err error) {
	past, err := t.at(of.at)
	if err != nil {
		return nil, 0, 0, err
	}
	for r := range past.records(of.namespace, of.after, true) {
		if of.limit > 0 && len(found) == of.limit {
			left++
		} else {
			found = append(found, r)
		}
	}
	return found, left, past.at, nil
}
