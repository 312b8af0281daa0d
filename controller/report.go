package controller

import (
	"errors"
	"log/slog"
	"time"

	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/reflector"
)

// patience is how long informers may take to sync before that is logged, and
// rarely how often it is then.
const (
	patience = 5 * time.Second
	rarely   = 5 * time.Minute
)

// report logs which informers have not synced, and when they have.
type report struct {
	logger *slog.Logger
	began  time.Time
	// due is when those that have not synced are told next.
	due time.Time
	// told are those that were logged, and have not synced since.
	told []informer.AnyInformer
}

func (r *report) tell(now time.Time, all []informer.AnyInformer) {
	r.over()
	if now.Before(r.due) {
		return
	}
	r.due, r.told = now.Add(rarely), nil
	for _, inf := range all {
		if s := inf.State(); !s.Synced {
			r.told = append(r.told, inf)
			r.logger.Warn("An informer has not synced", append(whyNot(s), "for", now.Sub(r.began).Round(time.Millisecond))...)
		}
	}
}

// over tells that what was told is over.
func (r *report) over() {
	var left []informer.AnyInformer
	for _, inf := range r.told {
		if s := inf.State(); s.Synced {
			r.logger.Info("The informer has synced", "informer", s.Name, "objects", s.Objects, "after", time.Since(r.began).Round(time.Millisecond))
		} else {
			left = append(left, inf)
		}
	}
	r.told = left
}

// whyNot tells of an informer without a first list, in the form of slog.
func whyNot(s informer.State) []any {
	told := []any{"informer", s.Name}
	if s.Resource.Resource != "" {
		told = append(told, "resource", s.Resource.GroupResource().String(), "version", s.Resource.GroupVersion().String())
	}
	if failed := (*reflector.Error)(nil); errors.As(s.Source.Err, &failed) {
		told = append(told, "verb", failed.Verb, "reason", string(failed.Reason))
	}
	if s.Source.Err != nil {
		return append(told, "err", s.Source.Err, "help", remedy(s.Source.Err, s.Resource))
	}
	return append(told, "reason", whatFor(s))
}

// whatFor is what an informer without a failure waits for.
func whatFor(s informer.State) string {
	switch {
	case !s.Running && s.Source.Phase == reflector.Idle:
		return "nobody has run it yet"
	case !s.Running:
		return "it has stopped"
	case s.Queued > 0:
		return "the first list is being stored"
	}
	return "the first list has not come in whole"
}
