package main

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/thinformer/thinformer/apitest"
)

// maxDelay is the longest delay of a control, in milliseconds.
const maxDelay = 10_000

// connectionControls act on the connection of the watch, and so also with a real server.
func (c *controls) connectionControls() []control {
	return []control{
		{name: "cut", run: c.cut},
		{name: "silence", run: c.silence, active: c.isSilent},
		{name: "speak", run: c.speak},
	}
}

// errNoWatch: there is no connection to act on.
var errNoWatch = fail(nil, "noWatch")

func (c *controls) cut(context.Context, arguments) (reply, error) {
	if c.pipeline.sockets.watches((*socket).sever) == 0 {
		return reply{}, errNoWatch
	}
	return say("cut"), nil
}

func (c *controls) silence(context.Context, arguments) (reply, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.silent = nil
	if c.pipeline.sockets.watches(func(s *socket) { s.silence(); c.silent = append(c.silent, s) }) == 0 {
		return reply{}, errNoWatch
	}
	return say("silent", "time", idleTimeout), nil
}

func (c *controls) speak(context.Context, arguments) (reply, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.silent {
		s.speak()
	}
	c.silent = nil
	return say("speaks"), nil
}

func (c *controls) isSilent() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.silent {
		if s.isSilent() {
			return true
		}
	}
	return false
}

// release ends everything that could delay the end of the program, also what controls
// in use do later.
func (c *controls) release() {
	c.released.Store(true)
	ctx := context.Background()
	_, _ = c.back(ctx, arguments{})
	_, _ = c.speak(ctx, arguments{})
	c.pipeline.handler.delay.set(0)
	c.pipeline.copier.delay.set(0)
}

// serverControls act on the embedded server.
func (c *controls) serverControls() []control {
	return []control{
		{name: "expire", needs: needsEmbedded, run: c.expire},
		{name: "away", needs: needsEmbedded, run: c.away, active: c.isAway},
		{name: "back", needs: needsEmbedded, run: c.back},
		{name: "restart", needs: needsEmbedded, run: func(context.Context, arguments) (reply, error) {
			c.embedded.Restart()
			return say("restarted"), nil
		}},
	}
}

// expire makes the server answer 410 when the watch is resumed.
func (c *controls) expire(ctx context.Context, args arguments) (reply, error) {
	c.embedded.Fault(apitest.Fault{
		Match: apitest.Match{Verb: "watch", Resource: configMaps.Resource, UserAgent: userAgent},
		Times: 1, Action: apitest.FailWith(apierrors.NewResourceExpired("too old resource version")),
	})
	if _, err := c.cut(ctx, args); err != nil {
		return say("expires"), nil
	}
	return say("expiresCut"), nil
}

func (c *controls) away(context.Context, arguments) (reply, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.end == nil {
		c.end = c.embedded.BeginOutage(apitest.Outage{Kind: apitest.OutageRefused})
	}
	return say("away"), nil
}

func (c *controls) back(context.Context, arguments) (reply, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.end != nil {
		c.end()
		c.end = nil
	}
	return say("back"), nil
}

func (c *controls) isAway() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.end != nil
}

// handlerControls act on the handler "slow".
func (c *controls) handlerControls() []control {
	h := c.pipeline.handler
	return []control{
		{
			name: "slow", parameters: []Parameter{{Name: "ms", Default: 500, Max: maxDelay}},
			active: func() bool { return h.delay.get() > 0 },
			run: func(_ context.Context, args arguments) (reply, error) {
				h.delay.set(time.Duration(args.numbers["ms"]) * time.Millisecond)
				return say("slow", "handler", slowHandler, "ms", args.numbers["ms"]), nil
			},
		},
		{
			name: "panic", active: h.panics.Load,
			run: func(context.Context, arguments) (reply, error) {
				h.panics.Store(true)
				return say("panics", "handler", slowHandler), nil
			},
		},
	}
}

// workerControls act on the reconciles.
func (c *controls) workerControls() []control {
	copier := c.pipeline.copier
	return []control{
		{
			name: "work", parameters: []Parameter{{Name: "ms", Default: 500, Max: maxDelay}},
			active: func() bool { return copier.delay.get() > 0 },
			run: func(_ context.Context, args arguments) (reply, error) {
				copier.delay.set(time.Duration(args.numbers["ms"]) * time.Millisecond)
				return say("work", "ms", args.numbers["ms"]), nil
			},
		},
		{
			name: "fail", parameters: []Parameter{{Name: "n", Default: 3, Max: 100}},
			active: func() bool { return copier.failures.Load() > 0 },
			run: func(_ context.Context, args arguments) (reply, error) {
				copier.failures.Store(int64(args.numbers["n"]))
				return say("fails", "n", args.numbers["n"]), nil
			},
		},
	}
}
