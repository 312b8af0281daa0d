// Package modeltest holds the helpers that the model tests of packages apitest and
// storage share. Only tests import it.
//
// [ConfigMap] returns the draft of an object that a test stores. [EachSeed] runs a
// random test for each of its seeds, and prints the command that repeats a failure.
// The flags -model.seed and -model.seeds select the seeds.
package modeltest
