// want: Run ends with reflect and returns its error: Run calls reflect 3 times
package informer

import (
	"context"
)

// Run calls reflect up to three times.
func (i *informer) Run(ctx context.Context, reflect func(context.Context) error) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	i.start()
	i.goroutines.Go(func() {
		defer cancel()
		for range 3 {
			if err = reflect(ctx); err == nil || ctx.Err() != nil {
				return
			}
		}
	})
	i.processLoop(ctx)
	i.stop()
	i.goroutines.Wait()
	return err
}
