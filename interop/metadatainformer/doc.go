// Package metadatainformer has the names of client-go's package metadatainformer. Its
// informers are this module's. Its interfaces are client-go's.
//
//	factory := metadatainformer.NewSharedInformerFactory(client, 0)
//	lister := factory.ForResource(resource).Lister()
//	factory.Start(ctx.Done())
//	factory.WaitForCacheSync(ctx.Done())
//
// A factory behaves as client-go's does: a resource has one informer, Start starts those
// that were requested since the previous Start, WaitForCacheSync waits for those that were
// started, and Shutdown waits for their end.
//
// client-go's metadata client decodes the objects and does not let others read its
// responses. With a client of [NewClientForConfig], this module decodes them.
package metadatainformer
