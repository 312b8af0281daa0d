package informer

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/internal/deep"
	"github.com/thinformer/thinformer/internal/resourceversion"
)

const (
	// bodyRequestTimeout bounds one request, including its retries, if Config.Timeout
	// does not.
	bodyRequestTimeout = 30 * time.Second
	// olderBodyRequests is how often a body is requested if the server returns an older
	// one than the metadata. olderBodyPause is the time between the last two; it is zero
	// before the second, which is the first one that asks for the version.
	olderBodyRequests = 3
	olderBodyPause    = 500 * time.Millisecond
)

// start runs a request in a goroutine. It ends when the informer of the metadata stops.
func (b *Bodies[T]) start(key string, q *bodyRequest[T], meta *bodyMetadata, version bodyVersion) error {
	unlink := context.AfterFunc(b.metadata.shared.runContext, func() { q.cancel(ErrStopped) })
	started := b.factory.startRequest(func() {
		defer unlink()
		b.requests.run(key, q, func(ctx context.Context) (bodyRead[T], error) {
			read, err := b.fetch(ctx, meta, version.text)
			if err == nil && read.found {
				b.keep(key, read, version.epoch)
			}
			return read, err
		})
	})
	if !started {
		unlink()
		return ErrStopped
	}
	return nil
}

// fetch requests a body that is not older than version.
func (b *Bodies[T]) fetch(ctx context.Context, meta *bodyMetadata, version string) (bodyRead[T], error) {
	var opts metav1.GetOptions
	var older string
	for i := range olderBodyRequests {
		if err := pause(ctx, time.Duration(max(i-1, 0))*olderBodyPause); err != nil {
			return bodyRead[T]{}, err
		}
		obj, err := b.request(ctx, meta, opts)
		switch {
		case isAbsent(err):
			return bodyRead[T]{}, nil
		case err != nil && older != "":
			return bodyRead[T]{}, fmt.Errorf("the server returned version %s, and the metadata has version %s: %w", older, version, err)
		case err != nil:
			return bodyRead[T]{}, b.explained(err)
		}
		// Versions without order count as newer: without a version in the request, the
		// server returns the newest state.
		if older = obj.GetResourceVersion(); !resourceversion.IsOlder(older, version) {
			return b.transformed(obj)
		}
		opts.ResourceVersion = version // not older than this version
	}
	return bodyRead[T]{}, fmt.Errorf("the server returned version %s %d times, and the metadata has version %s: the server is late, or was restored: read it again later", older, olderBodyRequests, version)
}

func (b *Bodies[T]) request(ctx context.Context, meta *bodyMetadata, opts metav1.GetOptions) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, bodyRequestTimeout)
	defer cancel()
	return b.view.Namespace(meta.Namespace).Get(ctx, meta.Name, opts)
}

// isAbsent reports whether the server says that it does not have the object. A 404
// without a Status says less: it may come from a proxy, or the resource is not served.
func isAbsent(err error) bool {
	return apierrors.IsNotFound(err) && !apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse)
}

// explained adds to the error of a request what list and watch do not need.
func (b *Bodies[T]) explained(err error) error {
	if apierrors.IsForbidden(err) || apierrors.IsMethodNotSupported(err) {
		return fmt.Errorf("%w: bodies need the verb get on %s, beside list and watch", err, b.view.ResourceInfo().GroupResource())
	}
	return err
}

// transformed removes what informers do not keep either, and calls Transform.
func (b *Bodies[T]) transformed(obj T) (read bodyRead[T], err error) {
	read.version = obj.GetResourceVersion()
	if whole, ok := any(obj).(metav1.Object); ok {
		whole.SetManagedFields(nil)
	}
	read.obj, read.found = obj, true
	if b.options.Transform == nil {
		return read, nil
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the Transform panicked: %v", p)
		}
	}()
	if read.obj, read.found, err = b.options.Transform(obj); err != nil {
		err = fmt.Errorf("the Transform failed: %w", err)
	}
	return read, err
}

// keep keeps a body while it is current or newer than the metadata.
func (b *Bodies[T]) keep(key string, read bodyRead[T], epoch int) {
	if read.version == "" {
		return
	}
	b.kept.add(keptBody[T]{key: key, version: bodyVersion{read.version, epoch}, obj: read.obj, size: deep.Size(read.obj)})
	// The metadata may have changed before the body was added, so that metadataChanged
	// did not drop it.
	meta, exists := b.metadata.Get(key)
	if !exists || meta.ResourceVersion != read.version && !resourceversion.IsOlder(meta.ResourceVersion, read.version) {
		b.kept.drop(key)
	}
}

// pause waits for d.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
