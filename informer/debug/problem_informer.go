package debug

import (
	"errors"
	"fmt"
	"time"

	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/internal/hint"
	"github.com/thinformer/thinformer/reflector"
)

// behindAfter is how long callbacks may run, while notifications are pending, before
// that is a problem.
const behindAfter = 10 * time.Second

// problemsOf returns the problems of an informer at a time.
func problemsOf(s informer.State, now time.Time) (problems []problem) {
	switch {
	case s.Stopped:
		problems = append(problems, failed("The informer has stopped: its Run has returned.", "An informer runs once: create a new one, or restart the program."))
	case !s.Running:
		problems = append(problems, waits("The informer is not running.", "Call its Run, or Start of its factory."))
	case s.Source.Err != nil:
		problems = append(problems, problemOfSource(s))
	case !s.Synced && s.Queued > 0:
		problems = append(problems, waits("The first list is being stored.", "Nothing, unless Queued stays the same: then a transform is slow, or there is too little CPU."))
	case !s.Synced:
		problems = append(problems, waits("The first list is not complete.", "Nothing, unless it takes long: then see the log of the server."))
	}
	if source := undecodable(s); source.ListUndecodable > 0 {
		text := fmt.Sprintf("%d objects of the list could not be decoded and are missing from the cache, the first because: %v", source.ListUndecodable, source.ListErr)
		problems = append(problems, failed(text, sentence(hint.Undecodable)))
	}
	for _, h := range s.Handlers {
		if !h.Since.IsZero() && h.Pending > 0 && now.Sub(h.Since) >= behindAfter {
			p := waits(fmt.Sprintf("The handler %s is behind: notifications are pending, and its callbacks have run without a pause.", h.Name),
				"If the number of pending notifications grows, a callback is slow or has not returned: a goroutine profile shows where it is. Beyond MaxPending, notifications of a key are merged.")
			p.since = h.Since
			problems = append(problems, p)
		}
	}
	return problems
}

// problemOfSource returns the problem of a source that has failed. While a watch is
// open again, the failure is not forgotten yet.
func problemOfSource(s informer.State) problem {
	consequence := "The cache has no objects yet."
	if s.Synced {
		consequence = "The cache keeps its last state meanwhile."
	}
	text := s.Source.Err.Error()
	if failing := failingNamespaces(s); failing > 1 {
		text = fmt.Sprintf("%d of %d namespaces fail, the first: %s", failing, s.NamespaceCount, text)
	}
	if s.Source.Recovering {
		return waits("The informer recovers. Its last failure: "+text, "Nothing: it is healthy when the watch has been open for ten seconds.")
	}
	advice := "Wait: the request is repeated."
	if reason := (*reflector.Error)(nil); errors.As(s.Source.Err, &reason) {
		if h := hint.For(string(reason.Reason), reason, s.Resource); h != "" {
			advice = sentence(h)
		}
	}
	p := failed(text, advice+" "+consequence)
	p.since, p.retryAt = s.Source.Since, s.Source.RetryAt
	return p
}

// undecodable returns the source that lacks objects, which need not be Source.
func undecodable(s informer.State) reflector.State {
	source := s.Source
	for _, n := range s.Namespaces {
		if source.ListUndecodable == 0 {
			source = n.Source
		}
	}
	return source
}

// failingNamespaces counts the listed namespaces whose source fails now.
func failingNamespaces(s informer.State) (n int) {
	for _, namespace := range s.Namespaces {
		if namespace.Source.Err != nil && !namespace.Source.Recovering {
			n++
		}
	}
	return n
}

func failed(text, hint string) problem {
	return problem{Problem: Problem{Failing: true, Text: text, Hint: hint}}
}
func waits(text, hint string) problem { return problem{Problem: Problem{Text: text, Hint: hint}} }

// sentence returns a hint, which also parts of error messages have, as a sentence.
func sentence(hint string) string {
	return string(hint[0]-'a'+'A') + hint[1:] + "."
}
