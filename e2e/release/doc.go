// Package release tests that the modules of the repository can be published: that a module
// without any replace directive can require each of them by the version of the next tag.
//
// The test writes the files that a module proxy serves, from the working tree, and lets
// the go command read them through a file proxy. It exports nothing.
package release
