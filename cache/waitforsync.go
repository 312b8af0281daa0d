package cache

import (
	"context"
	"time"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
)

// InformerSynced says whether something has synced. An informer's HasSynced is
// one.
type InformerSynced func() bool

// How often WaitForCacheSync looks: soon at first, since the test that waits for
// a fake is done at once.
const (
	firstLook   = time.Millisecond
	longestLook = 100 * time.Millisecond
)

// WaitForCacheSync waits until all have synced, and returns true; or false when
// stopCh is closed before.
func WaitForCacheSync(stopCh <-chan struct{}, cacheSyncs ...InformerSynced) bool {
	for pause := firstLook; !allSynced(cacheSyncs); pause = min(2*pause, longestLook) {
		look := time.NewTimer(pause)
		select {
		case <-stopCh:
			look.Stop()
			return false
		case <-look.C:
		}
	}
	return true
}

func allSynced(cacheSyncs []InformerSynced) bool {
	for _, synced := range cacheSyncs {
		if !synced() {
			return false
		}
	}
	return true
}

// WaitForNamedCacheSync is WaitForCacheSync that logs who waits, and how it ends.
// WaitForNamedCacheSyncWithContext has the name in the logger of its context.
func WaitForNamedCacheSync(controllerName string, stopCh <-chan struct{}, cacheSyncs ...InformerSynced) bool {
	logger := klog.LoggerWithValues(klog.Background(), "controller", controllerName)
	return waitForNamedCacheSync(klog.NewContext(context.Background(), logger), stopCh, cacheSyncs)
}

// WaitForNamedCacheSyncWithContext is WaitForCacheSync that logs how it ends, and
// ends with ctx.
func WaitForNamedCacheSyncWithContext(ctx context.Context, cacheSyncs ...InformerSynced) bool {
	return waitForNamedCacheSync(ctx, ctx.Done(), cacheSyncs)
}

func waitForNamedCacheSync(ctx context.Context, stopCh <-chan struct{}, cacheSyncs []InformerSynced) bool {
	logger := klog.FromContext(ctx)
	logger.Info("Waiting for caches to sync")
	if !WaitForCacheSync(stopCh, cacheSyncs...) {
		utilruntime.HandleErrorWithContext(ctx, nil, "Unable to sync caches")
		return false
	}
	logger.Info("Caches are synced")
	return true
}
