// Package scripted has a source, a store and a back-off for the checks of steps. A check
// determines each of their responses, and reads what a solution has called. A [Timeline]
// prints what a run of a chapter does.
package scripted
