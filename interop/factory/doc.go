// Package factory is the engine of informer factories whose informers are this module's.
// It is for generated code: package interop/informers, which replaces client-go's
// informers, and the files that the command thinformer-factory writes for the factories
// of other clientsets.
//
// A generated file has a table with a [Kind] for each kind, and declares for each group the
// factory that the group's package receives:
//
//	type inApps struct{ *factory.View[kubernetes.Interface, NewInformerFunc] }
//
//	func (g inApps) InformerFor(obj runtime.Object, newFunc NewInformerFunc) cache.SharedIndexInformer {
//		return g.View.InformerFor(obj, newFunc, kindsOfApps)
//	}
//
// The group, apps.New(inApps{factory.ViewOf(f)}, ...), passes its own functions that create
// informers. The [View] ignores these functions and creates the informer from the table.
// [Factory.InformerFor] calls the function of the program, as client-go does. Both keep the
// first informer of a type. A view of another factory, which [In] returns, passes a function
// to the InformerFor of that factory that creates the informer from the table.
//
// An informer reads the bytes of a generated client's responses, and this module decodes
// them. A client without a REST client, which is a fake or a wrapper of the program, is
// asked for its lists and watches.
//
// If an informer of a factory is client-go's, because a function returned one or because
// the table lacks its kind, a warning in klog says so, once for each type.
package factory
