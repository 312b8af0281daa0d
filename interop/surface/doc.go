// Package surface compares the names of client-go's tools/cache, util/workqueue and the
// packages imported beside them with those of their replacements here: every exported name,
// with its signature, its fields and its methods. It exports nothing.
package surface
