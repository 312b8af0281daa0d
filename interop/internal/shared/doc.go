// Package shared has the informers of a factory: one for each key, which is a Go type or a
// resource. They are started together and waited for together, as those of client-go's
// factories are.
//
//	var informers shared.Informers[schema.GroupVersionResource]
//	pods := informers.For(resource, func() clientcache.SharedIndexInformer { return ... })
//	informers.Start(stopCh)
//	synced := informers.WaitForCacheSync(stopCh)[resource]
package shared
