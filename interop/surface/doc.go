// Package surface holds the names of client-go's tools/cache and util/workqueue
// against those of cache and workqueue here: every exported one, with its
// signature, its fields and its methods. It exports nothing.
package surface
