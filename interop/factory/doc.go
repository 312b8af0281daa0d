// Package factory is the engine of informer factories whose informers are this module's.
// It is for generated code: package interop/informers, which replaces client-go's
// informers, and the files that the command thinformer-factory writes for the factories
// of other clientsets.
//
// A generated file has a table with a [Kind] for each kind, and embeds a [Factory] in a
// type that adds the methods of its groups:
//
//	func (f sharedInformerFactory) Apps() apps.Interface {
//		return apps.New(f.Inner(kindsOfApps()), f.Namespace(), f.TweakListOptions())
//	}
//
// The group is the one of the generated factory, which asks [Factory.Inner] for its
// informers and passes its own functions that create them. Inner ignores these functions
// and creates the informer from the table. [Factory.InformerFor] calls the function of the
// program, as client-go does. Both keep the first informer of a type.
//
// An informer reads the bytes of a generated client's responses, and this module decodes
// them. A client without a REST client, which is a fake or a wrapper of the program, is
// asked for its lists and watches.
//
// If an informer of a factory is client-go's, because a function returned one or because
// the table lacks its kind, a warning in klog says so, once for each type.
package factory
