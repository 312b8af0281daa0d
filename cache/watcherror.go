package cache

import (
	"context"
	"errors"
	"fmt"
	"io"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"

	"github.com/thinformer/thinformer/reflector"
)

// DefaultWatchErrorHandler logs an error, as loud as it is worth. It is for
// handlers that do something of their own first: without a handler, the log has
// each kind of error once a minute at most.
func DefaultWatchErrorHandler(ctx context.Context, r *Reflector, err error) {
	logger := klog.FromContext(ctx)
	switch {
	case apierrors.IsResourceExpired(err), apierrors.IsGone(err):
		logger.V(4).Info("the version to watch from has expired", "reflector", r.Name(), "type", r.TypeDescription(), "err", err)
	case errors.Is(err, io.ErrUnexpectedEOF):
		logger.V(1).Info("a watch was cut off", "reflector", r.Name(), "type", r.TypeDescription(), "err", err)
	case errors.Is(err, io.EOF):
	default:
		utilruntime.HandleErrorWithContext(ctx, err, "Failed to watch", "reflector", r.Name(), "type", r.TypeDescription())
	}
}

// VeryShortWatchError is in the error of a watch that has ended as soon as it was
// opened.
type VeryShortWatchError struct {
	// Name of the Reflector.
	Name string
}

func (e *VeryShortWatchError) Error() string {
	return fmt.Sprintf("very short watch of %s: it ended within a second", e.Name)
}

// watchErrorOf is an error of the reflector of that name as watch error handlers
// know it.
func watchErrorOf(name string, err error) error {
	if errors.Is(err, reflector.ErrShortWatch) {
		return fmt.Errorf("%w: %w", &VeryShortWatchError{Name: name}, err)
	}
	return err
}
