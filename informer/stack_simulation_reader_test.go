package informer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/thinformer/thinformer/reflector"
)

// simTranscript has the inputs of the reflector's machine in the form of its
// transcripts.
type simTranscript struct {
	mu    sync.Mutex
	last  time.Time
	lines []string
}

func (m *simTranscript) step(at time.Time, in string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.last.IsZero() {
		m.last = at
	}
	m.lines = append(m.lines, fmt.Sprintf("+%s %s", at.Sub(m.last), in))
	m.last = at
}

func (m *simTranscript) String() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return strings.Join(m.lines, "\n") + "\n----"
}

// recordSteps records the inputs of the reflector's machine, which a Trace of the
// informer does not contain.
func (s *simulation) recordSteps() {
	config := s.informer.shared.feeds.all()[0].controller.config
	config.Reflector.Trace = &reflector.Trace{Step: func(at time.Time, in, out string) {
		s.machine.step(at, in)
		s.log.add("machine", "%s: %s", in, out)
	}}
	s.informer.shared.feeds.all()[0].controller = NewController(config)
}

// arrival is the content of the store when a wait for a version returned.
type arrival struct {
	version uint64
	stored  map[string]*simObject
	hidden  map[string]bool
}

// waitForVersion waits for the last write, as a controller does, and records the store.
func (s *simulation) waitForVersion() {
	version := s.server.version
	s.waiters.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
		defer cancel()
		err := s.informer.WaitForVersion(ctx, fmt.Sprint(version))
		s.log.add("waiter", "for %d: %v", version, err)
		if errors.Is(err, ErrNewEpoch) || errors.Is(err, ErrStopped) || errors.Is(err, context.DeadlineExceeded) || s.lying.Load() {
			return
		}
		found := arrival{version, map[string]*simObject{}, s.source.hiddenNow()}
		for obj := range s.informer.All() {
			found.stored[obj.key()] = obj
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if err != nil {
			found.stored = nil
		}
		s.arrived = append(s.arrived, found)
	})
}

// checkArrivals checks that the store contained all changes up to a version when a wait
// for it returned.
func (s *simulation) checkArrivals() {
	s.mu.Lock()
	arrived := s.arrived
	s.arrived = nil
	s.mu.Unlock()
	for _, found := range arrived {
		if found.stored == nil {
			s.failf("waiting for version %d has failed; the log contains the error", found.version)
		}
		if s.lying.Load() {
			continue
		}
		if why := s.server.missingChange(found.version, found.stored, func(key string) bool { return found.hidden[key] }); why != "" {
			s.failf("a wait for version %d returned, but the store lacks changes: %s", found.version, why)
		}
	}
}

// checkVersionIncreases checks that the version does not decrease within an epoch.
func (s *simulation) checkVersionIncreases() {
	state := s.informer.State()
	version := simVersion(state.Version)
	if state.Epoch == s.epoch && version < s.version {
		s.failf("the version was %d and is %d in the same epoch %d", s.version, version, s.epoch)
	}
	s.version, s.epoch = version, state.Epoch
}

// readContinuously reads concurrently with writes, for the race detector, and checks
// snapshots.
func (s *simulation) readContinuously(ctx context.Context) {
	for pause := 7 * time.Millisecond; ctx.Err() == nil; pause = pause*5%(977*time.Millisecond) + time.Millisecond {
		snapshot, n := s.informer.Reader().Snapshot(), 0
		for obj := range snapshot.All() {
			n++
			if got, ok := snapshot.Get(obj.key()); !ok || got != obj {
				s.t.Errorf("seed %d: All of a snapshot has %s, and Get does not", s.seed, obj.key())
			}
		}
		if n != snapshot.Len() {
			s.t.Errorf("seed %d: Len of a snapshot is %d, and All has %d objects", s.seed, snapshot.Len(), n)
		}
		_, _ = s.informer.State(), s.informer.Version()
		select {
		case <-ctx.Done():
		case <-time.After(pause * 40):
		}
	}
}

// hiddenNow returns the keys whose last state could not be decoded.
func (s *simSource) hiddenNow() map[string]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.hidden)
}
