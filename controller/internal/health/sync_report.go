package health

import (
	"log/slog"
	"time"

	"github.com/thinformer/thinformer/informer"
)

const (
	// SyncLogDelay is how long informers may take to sync before that is logged.
	SyncLogDelay = 5 * time.Second
	// SyncLogPeriod is the interval for logging it again.
	SyncLogPeriod = 5 * time.Minute
)

// SyncReport logs which informers have not synced, and when they have.
type SyncReport struct {
	logger *slog.Logger
	began  time.Time
	// due is when unsynced informers are logged next.
	due time.Time
	// logged are the informers that were logged and have not synced since.
	logged []informer.AnyInformer
}

// NewSyncReport returns a report for informers that have been started at the given
// time.
func NewSyncReport(logger *slog.Logger, began time.Time) *SyncReport {
	return &SyncReport{logger: logger, began: began, due: began.Add(SyncLogDelay)}
}

// LogPending logs the informers that have not synced, if it is time to do so, and the
// reported informers that have synced since.
func (r *SyncReport) LogPending(now time.Time, all []informer.AnyInformer) {
	r.LogSynced()
	if now.Before(r.due) {
		return
	}
	r.due, r.logged = now.Add(SyncLogPeriod), nil
	for _, inf := range all {
		if s := inf.State(); !s.Synced {
			r.logged = append(r.logged, inf)
			r.logger.Warn("An informer has not synced", append(UnsyncedAttrs(s), "for", now.Sub(r.began).Round(time.Millisecond))...)
		}
	}
}

// LogSynced logs the reported informers that have synced since.
func (r *SyncReport) LogSynced() {
	var left []informer.AnyInformer
	for _, inf := range r.logged {
		if s := inf.State(); s.Synced {
			r.logger.Info("The informer has synced", "informer", s.Name, "objects", s.Objects, "after", time.Since(r.began).Round(time.Millisecond))
		} else {
			left = append(left, inf)
		}
	}
	r.logged = left
}
