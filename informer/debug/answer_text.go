package debug

import (
	"bytes"
	"fmt"
	"strings"
	"time"
)

func (f failure) writeTo(p *page) {
	p.line("%s", f.Error)
}

func (a overview) writeTo(p *page) {
	p.now = a.Now
	for _, s := range a.Sections {
		s.writeTo(p)
	}
	p.line("%d informers at %s", len(a.Informers), a.Now.Format(time.RFC3339))
	for _, s := range a.Informers {
		p.out.WriteByte('\n')
		p.line("%s", s.ID)
		s.writeTo(p)
	}
}

func (s section) writeTo(p *page) {
	p.line("%s", s.Title)
	for _, line := range s.lines {
		p.line("  %s", line)
	}
	p.out.WriteByte('\n')
}

func (s informerState) writeTo(p *page) {
	if s.Resource != "" {
		p.line("  resource  %s", s.Resource)
	}
	p.line("  state     %s, %s", choose(s.Running, "running", "not running"), choose(s.Synced, "synced", "not synced"))
	if s.NamespaceCount > 0 {
		p.line("  store     %d objects of %d namespaces, %s, epoch %d, %d changes queued", s.Objects, s.NamespaceCount, s.versions(), s.Epoch, s.Queued)
	} else {
		p.line("  store     %d objects at version %q, epoch %d, %d changes queued", s.Objects, s.Version, s.Epoch, s.Queued)
	}
	if s.Bodies > 0 {
		p.line("  bodies    %d kept, about %d bytes", s.Bodies, s.BodyBytes)
	}
	s.Source.writeTo(p)
	for _, n := range s.Namespaces {
		n.writeTo(p)
	}
	if more := s.NamespaceCount - len(s.Namespaces); more > 0 && len(s.Namespaces) > 0 {
		p.line("  and %d more namespaces", more)
	}
	for _, h := range s.Handlers {
		h.writeTo(p)
	}
}

// versions describes the version of an informer of several namespaces.
func (s informerState) versions() string {
	if s.Version == "" {
		return "no common version"
	}
	return fmt.Sprintf("each at version %q or later", s.Version)
}

func (n namespaceState) writeTo(p *page) {
	line := fmt.Sprintf("  namespace %s: %s, %s, version %q, epoch %d", n.Namespace, choose(n.Synced, "synced", "not synced"), n.Source.Phase, n.Version, n.Epoch)
	if n.Source.Error != "" {
		line += ": " + n.Source.Error
	}
	p.line("%s", line)
}

func (s sourceState) writeTo(p *page) {
	mode := string(s.Mode)
	if s.ModeReason != "" {
		mode += " (" + s.ModeReason + ")"
	}
	name := ""
	if s.Name != "" {
		name = s.Name + ": "
	}
	p.line("  source    %s%s by %s, version %q, epoch %d; last event %s, last bookmark %s", name, s.Phase, mode, s.Version, s.Epoch, p.ago(s.LastEvent), p.ago(s.LastBookmark))
	if s.Relists > 0 {
		p.line("  relists   %d, the last because: %s", s.Relists, s.RelistReason)
	}
	if s.Undecodable > 0 {
		p.line("  skipped   %d objects that could not be decoded", s.Undecodable)
	}
	if s.ListUndecodable > 0 {
		p.line("  missing   %d objects of the list, the first because: %s", s.ListUndecodable, s.ListError)
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

func (h handlerState) writeTo(p *page) {
	line := fmt.Sprintf("  handler   %s: %s, %d pending, %d merged, %d panics", h.Name, choose(h.Synced, "synced", "not synced"), h.Pending, h.Merged, h.Panics)
	if !h.Since.IsZero() {
		line += ", in a callback for " + p.now.Sub(h.Since).Round(time.Millisecond).String()
	}
	p.line("%s", line)
}

func (a *listing) writeTo(p *page) {
	p.now = a.Now
	p.line("%s at %s", a.Informer.ID, a.Now.Format(time.RFC3339))
	a.Informer.writeTo(p)
	p.line("")
	if a.objects != nil {
		for o := range a.objects {
			p.line("%s", o.Key)
			o.writeTo(p)
			if p.clientGone() {
				return
			}
		}
	} else {
		for _, key := range a.Keys {
			p.line("%s", key)
		}
	}
	if a.Continue != "" {
		p.line("more: ?%s", a.next())
	}
}

func (o object) writeTo(p *page) {
	if o.Hidden != "" {
		p.line("%s", o.Hidden)
		return
	}
	text := indent(o.Object, "")
	for line := range bytes.Lines(text) {
		p.line("%s", bytes.TrimSuffix(line, []byte("\n")))
	}
}

func (d *detail) writeTo(p *page) {
	p.line("%s: %s at %s", d.Informer.ID, d.Key, d.Now.Format(time.RFC3339))
	p.line("")
	if d.Stored {
		p.line("The object is stored:")
		d.object.writeTo(p)
	} else {
		p.line("The object is not stored.")
	}
	p.line("")
	switch {
	case !d.hasTimeline:
		p.line("No timeline: Options.Timeline is not set.")
	case len(d.Events) == 0:
		p.line("The timeline has no events of this key.")
	default:
		p.line("Timeline:")
	}
	for _, e := range d.Events {
		e.writeTo(p)
	}
}

// writeTo prints the time of the first step, and the other steps relative to it.
func (e Event) writeTo(p *page) {
	p.line("version %s", e.Version)
	for i, s := range e.Steps {
		at := s.At.UTC().Format("15:04:05.000000")
		if i > 0 {
			at = "+" + s.At.Sub(e.Steps[0].At).String()
		}
		p.line("%s", strings.TrimRight(fmt.Sprintf("  %16s  %-8s  %-8s  %s", at, s.Stage, s.Event, s.Handler), " "))
	}
	if e.DroppedSteps > 0 {
		p.line("  and %d steps between these", e.DroppedSteps)
	}
}

func choose(condition bool, yes, no string) string {
	if condition {
		return yes
	}
	return no
}
