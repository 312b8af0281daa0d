package reads

import "context"

// A running is a goroutine with its context.
type running struct {
	cancel context.CancelFunc
	ended  chan struct{}
}

func run(body func(context.Context) error) *running {
	ctx, cancel := context.WithCancel(context.Background())
	r := &running{cancel: cancel, ended: make(chan struct{})}
	go func() {
		defer close(r.ended)
		check(body(ctx))
	}()
	return r
}

func (r *running) stop() {
	r.cancel()
	<-r.ended
}

func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
