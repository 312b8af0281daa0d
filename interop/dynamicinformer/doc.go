// Package dynamicinformer has the names of client-go's package dynamicinformer. Its
// informers are this module's. Its interfaces and function types are client-go's.
//
//	factory := dynamicinformer.NewDynamicSharedInformerFactory(client, 0)
//	lister := factory.ForResource(resource).Lister()
//	factory.Start(ctx.Done())
//	factory.WaitForCacheSync(ctx.Done())
//
// A factory behaves as client-go's does: a resource has one informer, Start starts those
// that were requested since the previous Start, WaitForCacheSync waits for those that were
// started, and Shutdown waits for their end.
//
// client-go's dynamic client decodes the objects and does not let others read its
// responses. With a client of [NewClientForConfig], this module decodes them.
package dynamicinformer
