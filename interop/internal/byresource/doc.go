// Package byresource has what the factories of client-go's clients share: the source of an
// informer that calls a client, and, for the dynamic and the metadata client, a client
// whose responses this module decodes.
//
//	lw := byresource.Source(client, reader, resource, namespace, tweak, resourceClient)
package byresource
