// Package course is the command of the course: it lists the steps, creates the folder of
// a step, judges a solution, and shows hints, references and runs.
//
// The folder of a step is a package of the module, learn/_work/04-listwatch, that the go
// command ignores unless it is named. For a test the command writes a function main
// beside it, builds it and runs it as a process with limits. Everything that the command
// stores is in learn/_work.
package course
