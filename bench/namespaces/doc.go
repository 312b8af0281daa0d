// Package namespaces has the cases of an informer of many namespaces. The other side is
// the cache of controller-runtime, which has an informer for each namespace. Its
// namespaces cannot change, so that each further namespace is a further cache.
//
// Each side runs in its own process.
package namespaces
