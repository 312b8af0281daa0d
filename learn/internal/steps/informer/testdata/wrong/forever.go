// want: Run ends with reflect and returns its error: Run does not return after reflect has returned
package informer

import (
	"context"
)

// Run does not notice the end of reflect.
func (i *informer) Run(ctx context.Context, reflect func(context.Context) error) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	i.start()
	i.goroutines.Go(func() {
		err = reflect(ctx)
	})
	i.processLoop(ctx)
	i.stop()
	i.goroutines.Wait()
	return err
}
