package debug

import (
	"bytes"
	"fmt"
	"strings"
	"time"
)

func (f failure) lay(p *page) {
	p.line("%s", f.Error)
}

func (a overview) lay(p *page) {
	p.now = a.Now
	for _, s := range a.Sections {
		s.lay(p)
	}
	p.line("%d informers at %s", len(a.Informers), a.Now.Format(time.RFC3339))
	for _, s := range a.Informers {
		p.out.WriteByte('\n')
		p.linkLine(s.ID, query{informer: s.ID})
		s.lay(p)
	}
}

func (s section) lay(p *page) {
	p.line("%s", s.Title)
	for _, line := range s.lines {
		p.line("  %s", line)
	}
	p.out.WriteByte('\n')
}

func (s informerState) lay(p *page) {
	if s.Resource != "" {
		p.line("  resource  %s", s.Resource)
	}
	p.line("  state     %s, %s", either(s.Running, "running", "not running"), either(s.Synced, "synced", "not synced"))
	p.line("  store     %d objects at version %q, epoch %d, %d changes queued", s.Objects, s.Version, s.Epoch, s.Queued)
	s.Source.lay(p)
	for _, h := range s.Handlers {
		h.lay(p)
	}
}

func (s sourceState) lay(p *page) {
	mode := string(s.Mode)
	if s.ModeReason != "" {
		mode += " (" + s.ModeReason + ")"
	}
	p.line("  source    %s by %s, version %q, epoch %d; last event %s, last bookmark %s", s.Phase, mode, s.Version, s.Epoch, p.ago(s.LastEvent), p.ago(s.LastBookmark))
	if s.Relists > 0 {
		p.line("  relists   %d, the last because: %s", s.Relists, s.RelistReason)
	}
	if s.Undecodable > 0 {
		p.line("  left out  %d objects that could not be decoded", s.Undecodable)
	}
	if s.Error == "" {
		return
	}
	retry := ""
	if !s.RetryAt.IsZero() {
		retry = fmt.Sprintf(", next attempt in %s", max(0, s.RetryAt.Sub(p.now)).Round(time.Millisecond))
	}
	p.line("  failure   %s", s.Error)
	p.line("            %d since %s%s", s.Failures, p.ago(s.Since), retry)
}

func (h handlerState) lay(p *page) {
	line := fmt.Sprintf("  handler   %s: %s, %d pending, %d merged, %d panics", h.Name, either(h.Synced, "synced", "not synced"), h.Pending, h.Merged, h.Panics)
	if !h.Since.IsZero() {
		line += ", in a callback for " + p.now.Sub(h.Since).Round(time.Millisecond).String()
	}
	p.line("%s", line)
}

func (a listing) lay(p *page) {
	p.now = a.Now
	p.line("%s at %s", a.Informer.ID, a.Now.Format(time.RFC3339))
	a.Informer.lay(p)
	p.line("")
	p.forms(a.Informer.ID, a.asked.prefix)
	for _, o := range a.Objects {
		p.linkLine(o.Key, query{informer: a.Informer.ID, key: o.Key, named: true})
		o.lay(p)
	}
	if !a.asked.objects {
		for _, key := range a.Keys {
			p.linkLine(key, query{informer: a.Informer.ID, key: key, named: true})
		}
	}
	if a.Continue != "" {
		next := a.asked
		next.after, next.format = a.Continue, ""
		p.linkLine("more: ?"+next.String(), next)
	}
}

func (o object) lay(p *page) {
	if o.Hidden != "" {
		p.line("%s", o.Hidden)
		return
	}
	for line := range bytes.Lines(indent(o.Object)) {
		p.line("%s", bytes.TrimSuffix(line, []byte("\n")))
	}
}

func (d detail) lay(p *page) {
	p.link(d.Informer.ID, query{informer: d.Informer.ID})
	p.line(": %s at %s", d.Key, d.Now.Format(time.RFC3339))
	p.line("")
	if d.Stored {
		p.line("It is stored:")
		d.object.lay(p)
	} else {
		p.line("It is not stored.")
	}
	p.line("")
	switch {
	case !d.traced:
		p.line("What happened to it is not known: Options.Timeline is not set.")
	case len(d.Events) == 0:
		p.line("Nothing is remembered of what happened to it.")
	default:
		p.line("What happened to it:")
	}
	for _, e := range d.Events {
		e.lay(p)
	}
}

// lay shows when the first step was, and how long after it the others were.
func (e Event) lay(p *page) {
	p.line("version %s", e.Version)
	for i, s := range e.Steps {
		at := s.At.UTC().Format("15:04:05.000000")
		if i > 0 {
			at = "+" + s.At.Sub(e.Steps[0].At).String()
		}
		p.line("%s", strings.TrimRight(fmt.Sprintf("  %16s  %-8s  %-8s  %s", at, s.Stage, s.Event, s.Handler), " "))
	}
	if e.Forgotten > 0 {
		p.line("  and %d steps between these", e.Forgotten)
	}
}

func either(is bool, yes, no string) string {
	if is {
		return yes
	}
	return no
}
