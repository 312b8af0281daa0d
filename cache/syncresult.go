package cache

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// SyncResult is how a wait for the informers of a factory has ended.
type SyncResult struct {
	// Err is why the wait was given up; nil if all have synced.
	Err error
	// Synced says of the informer of each type whether it has synced.
	Synced map[reflect.Type]bool
}

// AsError names the types whose informers have not synced, and why nobody waits
// for them any more; nil if all have.
func (c SyncResult) AsError() error {
	if c.Err == nil {
		return nil
	}
	var late []string
	for t, synced := range c.Synced {
		if !synced {
			late = append(late, t.String())
		}
	}
	slices.Sort(late)
	return fmt.Errorf("waiting for informers to sync, which these have not: %s: %w", strings.Join(late, ", "), c.Err)
}
