package informers

import (
	"fmt"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/reflector"
	"github.com/thinformer/thinformer/rest"
)

// Both sides catch up with the server within a time: ours waits a second or two
// at most between attempts, theirs up to half a minute, and twice that by chance.
const (
	oursSettle   = 30 * time.Second
	theirsSettle = 90 * time.Second
)

// checkModes: the real server streams the initial state of everything.
func (s *scene) checkModes() {
	s.t.Helper()
	for _, p := range s.pairs {
		state, want := p.ours.State().Source, reflector.WatchList
		if p.lists {
			want = reflector.List
		}
		if state.Mode != want {
			s.t.Errorf("%s: the mode is %s: %s", p, state.Mode, state.ModeReason)
		}
	}
}

// behind says what ours, or their handlers, do not have yet.
func (s *scene) behind(p *pair, stored, heard map[string]rest.Object, served map[string]sight) error {
	if err := difference(served, sights(stored)); err != nil {
		return fmt.Errorf("the store: %w", err)
	}
	if err := difference(served, sights(heard)); err != nil {
		return fmt.Errorf("what the handler was told: %w", err)
	}
	return nil
}

// settle waits until a side has what the server has. Nobody writes meanwhile.
func (s *scene) settle(p *pair, side string, until time.Time, stored func() map[string]rest.Object, heard *history) {
	s.t.Helper()
	served := sights(s.served(p))
	said := eventually(s.t.Context(), time.Until(until), func() string {
		if err := s.behind(p, stored(), heard.leadsTo(), served); err != nil {
			return err.Error()
		}
		return ""
	})
	if said != "" {
		s.fail(p, side, s.behind(p, stored(), heard.leadsTo(), served))
	}
}

// checkComplete: nothing but connections has been broken so far. Nobody of ours
// has read everything again, and all were told of every change, once and in
// order.
func (s *scene) checkComplete() {
	s.t.Helper()
	until := time.Now().Add(oursSettle)
	for _, p := range s.pairs {
		s.settle(p, "ours", until, p.ours.stored, p.ours.heard())
		if state := p.ours.State().Source; state.Relists > 0 {
			s.t.Errorf("%s: everything was read again, and the server was always there: %s", p, state.RelistReason)
			continue
		}
		calls := p.ours.heard().all()
		if err := inOrder(calls); err != nil {
			s.fail(p, "ours", err)
		}
		if err := complete(calls, s.writer.tells(p.kind, p.view.selected)); err != nil {
			s.fail(p, "ours", err)
		}
	}
}

// checkEnd: both sides have what the server has, in their stores and by their
// histories; ours are legal throughout.
func (s *scene) checkEnd() {
	s.t.Helper()
	until := time.Now().Add(oursSettle)
	for _, p := range s.pairs {
		s.settle(p, "ours", until, p.ours.stored, p.ours.heard())
		if err := legal(p.ours.heard().all(), s.writer.wrote(p.kind)); err != nil {
			s.fail(p, "ours", err)
		}
		if state := p.ours.State(); state.Epoch != 0 || state.Source.Epoch != 0 || state.Source.Undecodable != 0 {
			s.t.Errorf("%s: versions have never gone back, and everything can be decoded: %+v", p, state)
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

// checkContent: the objects say the same as the server's.
func (s *scene) checkContent(p *pair) {
	s.t.Helper()
	sides := map[string]map[string]rest.Object{
		"our store": p.ours.stored(), "our handler": p.ours.heard().leadsTo(),
		"client-go's store": p.theirs.stored(), "client-go's handler": p.theirs.history.leadsTo(),
	}
	for key, object := range s.served(p) {
		want, err := p.content(object)
		require.NoError(s.t, err)
		for side, has := range sides {
			got, err := p.content(has[key])
			require.NoError(s.t, err)
			if got != want {
				s.fail(p, side, wrongAbout(key, "it says\n\t%s\nand should say\n\t%s", got, want))
			}
		}
	}
}

// figures logs what the test was made of.
func (s *scene) figures() {
	var ours, theirs, relists, reads int
	for _, p := range s.pairs {
		state := p.ours.State().Source
		ours += len(p.ours.heard().all())
		theirs += len(p.theirs.history.all())
		relists += state.Relists
		reads += int(p.theirs.reads.Load())
		s.t.Logf("%-45s %4d callbacks, client-go's %4d; relists %d (%s), reads of client-go's %d; failures: %s",
			p, len(p.ours.heard().all()), len(p.theirs.history.all()), state.Relists, state.RelistReason, p.theirs.reads.Load(), p.ours.failures())
	}
	s.t.Logf("%d informers on each side, %d states written; ours: %d callbacks, %d connections cut, %d relists; client-go's: %d callbacks, %d connections cut, %d reads of everything",
		len(s.pairs), s.writer.count(), ours, s.ourWire.broken(), relists, theirs, s.theirWire.broken(), reads)
}
