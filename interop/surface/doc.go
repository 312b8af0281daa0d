// Package surface compares the names of client-go's tools/cache and util/workqueue with
// those of cache and workqueue here: every exported name, with its signature, its fields
// and its methods. It exports nothing.
package surface
