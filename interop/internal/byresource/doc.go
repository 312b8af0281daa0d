// Package byresource has what the factories of the dynamic and of the metadata client
// share: the source of an informer, and a client whose responses this module decodes.
//
//	lw := byresource.Source(client, raw, resource, namespace, tweak, resourceClient)
package byresource
