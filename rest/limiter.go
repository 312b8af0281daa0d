package rest

import (
	"context"
	"fmt"
	"math"
	"time"

	"golang.org/x/time/rate"
)

// heldBack is the wait from which a limiter has held a request back.
const heldBack = time.Millisecond

// limiterOf is the limiter that a config asks for, nil for none.
func limiterOf(config *Config) (RateLimiter, error) {
	if config.RateLimiter != nil {
		return config.RateLimiter, nil
	}
	if config.QPS <= 0 {
		if config.Burst != 0 && config.QPS == 0 {
			return nil, fmt.Errorf("the config's Burst is %d and its QPS is 0: a burst limits nothing without a rate", config.Burst)
		}
		return nil, nil
	}
	burst := config.Burst
	if burst == 0 {
		burst = int(math.Ceil(float64(config.QPS)))
	}
	return rate.NewLimiter(rate.Limit(config.QPS), burst), nil
}

// throttle waits until the limiter lets an attempt go. Watches do not wait for
// the client's: there are few of them, and an informer that is late is wrong.
func (r *Request) throttle(ctx context.Context, told traces, info RequestInfo) error {
	limiter := r.limiter
	if limiter == nil && info.Verb != verbWatch {
		limiter = r.client.limiter
	}
	if limiter == nil {
		return nil
	}
	begun := time.Now()
	err := limiter.Wait(ctx)
	if waited := time.Since(begun); waited >= heldBack {
		told.rateLimited(info, waited)
	}
	if err != nil {
		return fmt.Errorf("wait for the rate limiter: %w", err)
	}
	return nil
}
