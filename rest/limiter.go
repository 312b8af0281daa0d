package rest

import (
	"context"
	"fmt"
	"math"
	"time"

	"golang.org/x/time/rate"
)

// minReportedWait is the shortest wait that is reported to traces.
const minReportedWait = time.Millisecond

// newLimiter returns the limiter for a config, nil for none.
func newLimiter(config *Config) (RateLimiter, error) {
	if config.RateLimiter != nil {
		return config.RateLimiter, nil
	}
	if config.QPS <= 0 {
		if config.Burst != 0 && config.QPS == 0 {
			return nil, fmt.Errorf("the config's Burst is %d and its QPS is 0: a burst has no effect without a rate", config.Burst)
		}
		return nil, nil
	}
	burst := config.Burst
	if burst == 0 {
		burst = int(math.Ceil(float64(config.QPS)))
	}
	return rate.NewLimiter(rate.Limit(config.QPS), burst), nil
}

// throttle waits for the limiter before an attempt. Watches do not wait for the
// client's limiter: they are few, and a delayed informer is stale.
func (r *Request) throttle(ctx context.Context, hooks traces, info RequestInfo) error {
	limiter := r.limiter
	if limiter == nil && info.Verb != verbWatch {
		limiter = r.client.limiter
	}
	if limiter == nil {
		return nil
	}
	start := time.Now()
	err := limiter.Wait(ctx)
	if waited := time.Since(start); waited >= minReportedWait {
		hooks.rateLimited(info, waited)
	}
	if err != nil {
		return fmt.Errorf("wait for the rate limiter: %w", err)
	}
	return nil
}
