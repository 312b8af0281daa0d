package health

import (
	"errors"
	"fmt"

	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/internal/hint"
	"github.com/thinformer/thinformer/reflector"
)

// NotReady returns why an informer is not ready. An informer that has synced and lost
// its connection is ready: it has the last known state, and no other replica is better
// off. An informer that lacks objects of its list is not ready.
func NotReady(s informer.State) error {
	switch {
	case s.Synced && s.Running:
		return UndecodableError(s)
	case s.Source.Err == nil:
		return errors.New(pendingReason(s))
	}
	return withHint(s.Source.Err, s)
}

// withHint adds the hint for a failure of the informer's source.
func withHint(err error, s informer.State) error {
	if help := hintFor(err, s); help != "" {
		return fmt.Errorf("%w (%s)", err, help)
	}
	return err
}

// Remark returns why the source of a ready informer fails, "" if it does not. Such an
// informer is ready: it has the last known state. For an informer of several namespaces
// the remark has the number of namespaces that fail; the others are current. A source
// that watches again does not fail.
func Remark(s informer.State) string {
	if s.NamespaceCount == 0 {
		if !fails(s.Source) {
			return ""
		}
		return fmt.Sprintf("the cache keeps its last state, since the source fails: %v", withHint(s.Source.Err, s))
	}
	failing := 0
	var first error
	for _, n := range s.Namespaces {
		if !fails(n.Source) {
			continue
		}
		if failing++; first == nil {
			first = withHint(n.Source.Err, s)
		}
	}
	switch {
	case failing == 0:
		return ""
	case failing == 1:
		return fmt.Sprintf("1 of %d namespaces is not healthy: %v", s.NamespaceCount, first)
	case failing == len(s.Namespaces) && failing < s.NamespaceCount:
		return fmt.Sprintf("at least %d of %d namespaces are not healthy; the first: %v", failing, s.NamespaceCount, first)
	}
	return fmt.Sprintf("%d of %d namespaces are not healthy; the first: %v", failing, s.NamespaceCount, first)
}

// fails reports whether a source has failed and does not watch again.
func fails(source reflector.State) bool { return source.Err != nil && !source.Recovering }

// UndecodableError returns an error for an informer that lacks objects of its list
// because they could not be decoded.
func UndecodableError(s informer.State) error {
	source := s.Source
	for _, n := range s.Namespaces { // the Source may be that of a namespace with another failure
		if source.ListUndecodable == 0 {
			source = n.Source
		}
	}
	n := source.ListUndecodable
	if n == 0 {
		return nil
	}
	objects := "1 object of the list"
	if n > 1 {
		objects = fmt.Sprintf("%d objects of the list", n)
	}
	kind := "ResourceInfo.Kind is empty"
	if s.Kind != "" {
		kind = fmt.Sprintf("ResourceInfo.Kind is %q", s.Kind)
	}
	return fmt.Errorf("%s could not be decoded and are missing from the cache (%s, %d objects are stored): %w: %s", objects, kind, s.Objects, source.ListErr, hint.Undecodable)
}

// UnsyncedAttrs returns log attributes that describe why an informer has not synced.
func UnsyncedAttrs(s informer.State) []any {
	attrs := []any{"informer", s.Name}
	if s.Resource.Resource != "" {
		attrs = append(attrs, "resource", s.Resource.GroupResource().String(), "version", s.Resource.GroupVersion().String())
	}
	if failed := (*reflector.Error)(nil); errors.As(s.Source.Err, &failed) {
		attrs = append(attrs, "verb", failed.Verb, "reason", string(failed.Reason))
	}
	if s.Source.Err != nil {
		return append(attrs, "err", s.Source.Err, "help", hintFor(s.Source.Err, s))
	}
	return append(attrs, "reason", pendingReason(s))
}

// hintFor returns the hint for the failure of the informer's source.
func hintFor(err error, s informer.State) string {
	if failed := (*reflector.Error)(nil); errors.As(err, &failed) {
		return hint.For(string(failed.Reason), failed, s.Resource)
	}
	return ""
}

// pendingReason describes what an informer without a failure waits for.
func pendingReason(s informer.State) string {
	switch {
	case !s.Running && s.Source.Phase == reflector.PhaseIdle:
		return "not started yet"
	case !s.Running:
		return "stopped"
	case s.Queued > 0:
		return "the first list is being stored"
	}
	return "the first list is not complete"
}
