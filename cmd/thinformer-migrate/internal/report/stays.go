package report

import (
	"fmt"
	"strings"

	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/proposal"
	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/sources"
	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/standin"
)

// stays writes the imports that stay and the calls whose informers stay, by reason.
func (w *writer) stays(found *proposal.Proposal, created []sources.Source) {
	var reasons []string
	informers := false // an informer stays client-go's
	at, places := map[string]string{}, map[string][]string{}
	add := func(s proposal.Stay, line int, what string) {
		if places[s.Reason] == nil {
			reasons = append(reasons, s.Reason)
		}
		at[s.Reason] = s.At
		places[s.Reason] = append(places[s.Reason], w.at(s.File, line)+": "+what)
	}
	for _, s := range found.Stays {
		what := s.Path
		if s.Via != "" {
			what += " (" + s.Via + ")"
		}
		add(s, s.Line, what)
	}
	for _, s := range created {
		switch {
		case s.Kind == sources.Runtime:
			informers = true
			add(proposal.Stay{File: s.File, Reason: byRuntime}, s.Line, s.Call)
		case stays(found, s):
			informers = true
			add(found.Kept(s.File, s.Package, s.Call[strings.LastIndexByte(s.Call, '.')+1:]), s.Line, s.Call+", whose informer stays client-go's")
		}
	}
	var lines []string
	for _, reason := range reasons {
		all, text := places[reason], reason
		if line := at[reason]; line != "" && (informers || len(created) == 0) && (len(all) > 1 || !strings.Contains(reason, line)) {
			text += "; the line to edit by hand is " + line
		}
		if len(all) == 1 {
			lines = append(lines, all[0]+": "+text)
			continue
		}
		lines = append(lines, fmt.Sprintf("%d lines for one reason: %s", len(all), text))
		for _, place := range all {
			lines = append(lines, "    "+place)
		}
	}
	if len(lines) > 0 && len(created) > 0 && !informers {
		lines = append(lines, "No informer stays client-go's. These imports need no change: they are of types that this library's informers also have.")
	}
	w.section("What stays", "nothing", lines)
}

// byRuntime is the reason of controller-runtime's informers.
const byRuntime = "controller-runtime's cache creates client-go's informers, unless the field NewInformer of its cache.Options is interop.NewSharedIndexInformer"

// stays reports whether a call creates an informer of client-go after the changes.
func stays(found *proposal.Proposal, s sources.Source) bool {
	if s.Kind == sources.Here {
		return false
	}
	for _, c := range found.Changes {
		if c.File == s.File && (c.Import && c.Old == s.Package || !c.Import && c.Line == s.Line && strings.Contains(c.Old, s.Call)) {
			return false
		}
	}
	return true
}

// onlyFactories reports whether all changes are imports of factories.
func onlyFactories(changes []proposal.Change) bool {
	for _, c := range changes {
		if !c.Import || !strings.HasPrefix(c.New, standin.Interop+"/") && !strings.Contains(c.New, "/thinformers/") {
			return false
		}
	}
	return true
}
