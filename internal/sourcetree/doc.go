// Package sourcetree reads the files of a source tree for tests that check a rule
// on all of them.
//
// A [Rule] is a function from a tree to violations. [Rule.Holds] applies it to this
// repository. [Rule.Breaks] and [Rule.Passes] apply it to trees that a test makes up,
// and so test the rule.
//
// The tests of this package check the code: which package imports which, which
// modules go.mod requires, that exported names have comments, and that tests do not
// sleep. The tests in docs/ check the documents.
package sourcetree
