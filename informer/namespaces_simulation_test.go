package informer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestSimulationOfNamespaces runs TestSimulation with an informer of several namespaces:
// with faults of single namespaces and outages of the server, while namespaces are added
// and removed. The guarantees are the same for each namespace: the store has all changes
// up to the version of the namespace, and at the end it equals the server's content of
// the set; handlers receive legal histories.
func TestSimulationOfNamespaces(t *testing.T) {
	names := []string{"added", "removed", "added again at once", "server: compact", "server: restart", "server: stop", "server: back", outageThenCompact, outageRepeated}
	for _, f := range simFaults {
		if f.inNamespaces() {
			names = append(names, f.name)
		}
	}
	for _, o := range simOutages {
		names = append(names, outageHit(o))
	}
	simulateSeeds(t, 150, 50, names, func(t *testing.T, seed uint64, hits *simHits) {
		s := newSimulation(t, seed, hits)
		s.namespaces = &simCoverage{setsBack: s.rng.IntN(2) == 0}
		s.run()
	})
}

// simCoverage has what a simulation of an informer of several namespaces needs beyond
// that of an ordinary one.
type simCoverage struct {
	covered []string
	// setsBack: the server may be set back.
	setsBack bool
	// unaware are the namespaces with a version from before a reset of the server's
	// versions, with their epochs, until they have noticed it. There are no writes
	// meanwhile, since no client could distinguish the histories. everSetBack remains
	// set.
	unaware     map[string]int
	everSetBack bool
	// undecidable: a namespace has the version of the first write after a reset, from
	// before it. No client can notice that. The run ends.
	undecidable bool
}

// coveredNamespaces are the namespaces that the informer may have. The last one has no
// objects.
var coveredNamespaces = append(slices.Clone(simNamespaces), "empty")

// inNamespaces reports whether a fault can occur in a simulation of several namespaces.
// What the sources return is not recorded there. With the other faults, the content that
// a client must have is not that of the server.
func (f simFault) inNamespaces() bool {
	return !f.lies && f.name != "stale list" && f.name != "another kind"
}

// stepOfNamespaces takes a random step.
func (s *simulation) stepOfNamespaces() {
	switch n := s.rng.IntN(24); {
	case n < 9:
		s.write()
	case n < 13:
		s.setFault()
	case n < 15:
		s.removeFault()
	case n < 18:
		s.changeNamespaces()
	case n < 21:
		s.changeServer()
	case n < 22:
		if s.setBack() {
			s.hits.hit("server: back", "")
		}
	case n < 23:
		s.addHandler()
	default:
		s.removeHandler()
	}
}

// waitForVersionInNamespace waits for the last write in some namespace.
func (s *simulation) waitForVersionInNamespace() {
	namespace, version := coveredNamespaces[s.rng.IntN(len(coveredNamespaces))], fmt.Sprint(s.server.version)
	s.waiters.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
		defer cancel()
		err := s.informer.WaitForVersionIn(ctx, namespace, version)
		s.log.add("waiter", "for %s in %s: %v", version, namespace, err)
		for _, expected := range []error{nil, ErrNewEpoch, ErrNotCovered, ErrStopped, context.DeadlineExceeded} {
			if errors.Is(err, expected) {
				return
			}
		}
		s.t.Errorf("seed %d: a wait for %s in %s: %v", s.seed, version, namespace, err)
	})
}

func (s *simulation) someNamespaces() (some []string) {
	for _, namespace := range coveredNamespaces {
		if s.rng.IntN(3) > 0 {
			some = append(some, namespace)
		}
	}
	return some
}

func (s *simulation) changeNamespaces() {
	before := s.namespaces.covered
	if s.rng.IntN(4) == 0 {
		s.setNamespaces(nil)
		s.hits.hit("added again at once", "")
	}
	s.setNamespaces(s.someNamespaces())
	for _, namespace := range coveredNamespaces {
		was, is := slices.Contains(before, namespace), slices.Contains(s.namespaces.covered, namespace)
		if was && !is {
			s.hits.hit("removed", "")
		} else if is && !was {
			s.hits.hit("added", "")
		}
	}
}

func (s *simulation) setNamespaces(namespaces []string) {
	s.log.add("set", "%v", namespaces)
	if err := s.informer.SetNamespaces(namespaces...); err != nil {
		s.failf("SetNamespaces: %v", err)
	}
	s.namespaces.covered = namespaces
}

// setBackNamespaces restarts the server from a backup.
func (s *simulation) setBackNamespaces() bool {
	n := s.namespaces
	versions := uint64(2 + s.rng.IntN(10))
	if !n.setsBack || s.stopped || s.mustNotWrite() || s.server.version < s.firstVersion+versions {
		return false
	}
	s.server.restartBack(versions)
	s.server.Compact() // a watch from the old history then fails, and makes the client check
	n.everSetBack, n.unaware = true, map[string]int{}
	for _, namespace := range n.covered {
		version, epoch := s.informer.VersionIn(namespace)
		switch v := simVersion(version); {
		case v == s.server.version:
			n.undecidable = true
		case v > s.server.version:
			n.unaware[namespace] = epoch
		}
	}
	s.log.add("server", "is set back to %d, which %v have not noticed", s.server.version, n.unaware)
	return true
}

// isSetBack reports whether a namespace has not noticed that the server was set back.
func (s *simulation) isSetBack() bool {
	for namespace, epoch := range s.namespaces.unaware {
		if _, now := s.informer.VersionIn(namespace); now != epoch {
			delete(s.namespaces.unaware, namespace)
		}
	}
	return len(s.namespaces.unaware) > 0
}

// checkNamespaces checks what holds whenever all goroutines are blocked.
func (s *simulation) checkNamespaces() {
	if s.namespaces.undecidable {
		return
	}
	stored := map[string]*simObject{}
	versions := map[string]string{}
	for _, namespace := range s.namespaces.covered { // before the store is read
		versions[namespace], _ = s.informer.VersionIn(namespace)
	}
	for obj := range s.informer.All() {
		if !slices.Contains(s.namespaces.covered, obj.Namespace) {
			s.failf("the store has %s, and the namespaces are %v", obj.key(), s.namespaces.covered)
		}
		stored[obj.key()] = obj
	}
	for namespace, version := range versions {
		if version == "" {
			continue
		}
		isOther := func(key string) bool { return !strings.HasPrefix(key, namespace+"/") }
		if why := s.server.missingChange(simVersion(version), stored, isOther); why != "" {
			s.failf("the store lacks changes of the namespace %s up to its version: %s", namespace, why)
		}
	}
	if state := s.informer.State(); state.Epoch != 0 && !s.namespaces.everSetBack {
		s.failf("the epoch is %d, and the server was not set back: %+v", state.Epoch, state.Namespaces)
	}
}

// ofNamespaces adapts the expectations of a handler to an informer of several namespaces.
// What the sources return is not recorded, and namespaces that are added later have
// initial lists of their own.
func (s *history) ofNamespaces() {
	s.source, s.flags, s.ends, s.first = nil, false, false, nil
	for n := range s.callbacks {
		s.callbacks[n].initial = false
	}
	if s.late { // it has received a snapshot first
		s.reference = nil
	}
}
