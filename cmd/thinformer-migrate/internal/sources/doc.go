// Package sources finds where the informers of a program come from: each call that returns
// or creates one, by file and line, with the library that creates it.
package sources
