package informers

import (
	"fmt"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/reflector"
	"github.com/thinformer/thinformer/rest"
)

// The timeouts of catching up with the server. Ours waits at most a second or two
// between attempts. client-go waits up to a minute with its jitter, and an attempt
// may fail because a connection breaks once more.
const (
	oursSettle   = time.Minute
	theirsSettle = 4 * time.Minute
)

// checkModes checks that the real server streams the initial state of every resource.
func (s *fixture) checkModes() {
	s.t.Helper()
	for _, p := range s.pairs {
		state, want := p.ours.State().Source, reflector.ModeWatchList
		if p.lists {
			want = reflector.ModeList
		}
		if state.Mode != want {
			s.t.Errorf("%s: the mode is %s: %s", p, state.Mode, state.ModeReason)
		}
	}
}

// behind returns an error if a store or its handler differs from the server.
func (s *fixture) behind(p *pair, stored, received map[string]rest.Object, served map[string]objectState) error {
	if err := difference(served, statesOf(stored)); err != nil {
		return fmt.Errorf("the store: %w", err)
	}
	if err := difference(served, statesOf(received)); err != nil {
		return fmt.Errorf("the handler: %w", err)
	}
	return nil
}

// settle waits until an informer has the objects of the server. There are no writes in the
// meantime.
func (s *fixture) settle(p *pair, side string, until time.Time, stored func() map[string]rest.Object, received *history) {
	s.t.Helper()
	served := statesOf(s.served(p))
	message := eventually(s.t.Context(), time.Until(until), func() string {
		if err := s.behind(p, stored(), received.leadsTo(), served); err != nil {
			return err.Error()
		}
		return ""
	})
	if message != "" {
		s.fail(p, side, s.behind(p, stored(), received.leadsTo(), served))
	}
}

// checkComplete checks our informers while the server has run all the time: none has listed
// again, and each handler has received every change once and in order.
func (s *fixture) checkComplete() {
	s.t.Helper()
	until := time.Now().Add(oursSettle)
	for _, p := range s.pairs {
		s.settle(p, "ours", until, p.ours.stored, p.ours.notifications())
		if state := p.ours.State().Source; state.Relists > 0 {
			s.t.Errorf("%s: it has listed again although the server has run all the time: %s", p, state.RelistReason)
			continue
		}
		calls := p.ours.notifications().all()
		if err := inOrder(calls); err != nil {
			s.fail(p, "ours", err)
		}
		if err := complete(calls, s.writer.expected(p.kind, p.view.selected)); err != nil {
			s.fail(p, "ours", err)
		}
	}
}

// checkEnd checks that the stores and the histories of both libraries equal the server's
// objects, and that our histories are legal.
func (s *fixture) checkEnd() {
	s.t.Helper()
	until := time.Now().Add(oursSettle)
	for _, p := range s.pairs {
		s.settle(p, "ours", until, p.ours.stored, p.ours.notifications())
		if err := legal(p.ours.notifications().all(), s.writer.wrote(p.kind)); err != nil {
			s.fail(p, "ours", err)
		}
		if state := p.ours.State(); state.Epoch != 0 || state.Source.Epoch != 0 || state.Source.Undecodable != 0 {
			s.t.Errorf("%s: versions have not gone back, and all objects can be decoded: %+v", p, state)
		}
	}
	until = time.Now().Add(theirsSettle)
	for _, p := range s.pairs {
		s.settle(p, "client-go's", until, p.theirs.stored, p.theirs.history)
	}
	for _, p := range s.pairs {
		s.checkContent(p)
	}
}

// checkContent compares the content of the objects with the server.
func (s *fixture) checkContent(p *pair) {
	s.t.Helper()
	sides := map[string]map[string]rest.Object{
		"our store": p.ours.stored(), "our handler": p.ours.notifications().leadsTo(),
		"client-go's store": p.theirs.stored(), "client-go's handler": p.theirs.history.leadsTo(),
	}
	for key, object := range s.served(p) {
		want, err := p.content(object)
		require.NoError(s.t, err)
		for side, has := range sides {
			got, err := p.content(has[key])
			require.NoError(s.t, err)
			if got != want {
				s.fail(p, side, wrongAbout(key, "got\n\t%s\nwant\n\t%s", got, want))
			}
		}
	}
}

// figures logs the numbers of the test.
func (s *fixture) figures() {
	var ours, theirs, relists, reads int
	for _, p := range s.pairs {
		state := p.ours.State().Source
		ours += len(p.ours.notifications().all())
		theirs += len(p.theirs.history.all())
		relists += state.Relists
		reads += int(p.theirs.reads.Load())
		s.t.Logf("%-45s %4d callbacks, client-go's %4d; relists %d (%s), initial reads of client-go's %d; failures: %s",
			p, len(p.ours.notifications().all()), len(p.theirs.history.all()), state.Relists, state.RelistReason, p.theirs.reads.Load(), p.ours.failures())
	}
	s.t.Logf("%d informers on each side, %d states written; ours: %d callbacks, %d connections cut, %d relists; client-go's: %d callbacks, %d connections cut, %d initial reads",
		len(s.pairs), s.writer.count(), ours, s.ourWire.broken(), relists, theirs, s.theirWire.broken(), reads)
}
