// want: Run waits for reflect and for running handlers: Run returns while reflect is running
package informer

import (
	"context"
)

// Run returns when its context is done.
func (i *informer) Run(ctx context.Context, reflect func(context.Context) error) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	i.start()
	i.goroutines.Go(func() {
		defer cancel() // ends processLoop
		err = reflect(ctx)
	})
	i.processLoop(ctx)
	i.stop()
	return ctx.Err()
}
